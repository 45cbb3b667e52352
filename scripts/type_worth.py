"""The share of declared properties that are typed more precisely than a JSON value where their schema says a type."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / "tests"), str(ROOT / "codegen")]

from mcpgen.ir.package import SchemaRoot
from mcpgen.ir.types import ANY, ObjectClass
from mcpgen.lower.assemble import lower_schemas
from mcpgen.lower.request import LoweringRequest
from mcpgen.schema.document import Schema
from mcpgen.schema.index import SchemaIndex
from mcpgen.schema.keywords import DRAFT_2020_12, detect_dialect
from mcpgen.schema.values import Json, follow_pointer, format_pointer, parse_pointer
from support import corpus


def says_a_type(index: SchemaIndex, at: str, depth: int = 0) -> bool:
    """Return whether the schema at a pointer names types or values, itself or through what it refers to."""
    schema = follow_pointer(index.root, parse_pointer(at))
    if not isinstance(schema, dict) or depth > 20:
        return False
    if {"type", "enum", "const"} & schema.keys():
        return True
    ref = schema.get("$ref")
    if (
        isinstance(ref, str)
        and (target := index.find_target(at, ref)) is not None
        and says_a_type(index, target, depth + 1)
    ):
        return True
    for keyword, every in (("allOf", False), ("anyOf", True), ("oneOf", True)):
        subschemas = schema.get(keyword)
        if isinstance(subschemas, list):
            answers = [says_a_type(index, f"{at}/{keyword}/{number}", depth + 1) for number in range(len(subschemas))]
            if all(answers) if every else any(answers):
                return True
    return False


def main() -> int:
    """Print the table; the exit code says whether the share is below 99 %."""
    total = precise = 0
    for source in corpus.SOURCES:
        typed_count = total_count = 0
        for tool in corpus.tools_of(source):
            for side in ("inputSchema", "outputSchema"):
                value: Any = tool[side]
                dialect = detect_dialect(value) or DRAFT_2020_12
                (root,) = lower_schemas([LoweringRequest("output", Schema(value, dialect))])
                counted = count(value, dialect, root)
                typed_count, total_count = typed_count + counted[0], total_count + counted[1]
        total, precise = total + typed_count, precise + total_count
        print(
            f"{source:42} {total_count:6} of {typed_count:6}  {100 * total_count / max(typed_count, 1):6.2f} %",
            flush=True,
        )
    print(f"{'all':42} {precise:6} of {total:6}  {100 * precise / max(total, 1):6.2f} %")
    return precise < 0.99 * total


def count(schema: Json, dialect: str, root: SchemaRoot) -> tuple[int, int]:
    """(Properties whose schema says a type, those of them that are typed more precisely than a JSON value.)"""
    index = SchemaIndex(schema, dialect)
    declared = typed = 0
    for node in root.nodes:
        if not isinstance(node, ObjectClass):
            continue
        for field in node.fields:
            at = node.pointer + format_pointer("properties", field.wire)
            try:
                speaks = says_a_type(index, at)
            except KeyError:
                continue  # declared by another part of an allOf, or only required
            declared += speaks
            typed += speaks and field.type != ANY
    return declared, typed


if __name__ == "__main__":
    sys.exit(main())
