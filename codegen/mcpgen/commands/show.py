"""`mcpgen show`: a tool's generated class, its result on the wire for an example, what its content costs a model."""

from __future__ import annotations

import difflib
import inspect
import json
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from pydantic import ValidationError

from mcpgen.config.models import Package
from mcpgen.diagnostics import Findings, Span
from mcpgen.paths import shown
from mcpgen.prove.package_loader import BUILD_FIRST, NotImportable, load
from mcpgen.read.json_parser import LoneSurrogate, WrongJson, parse
from mcpgen.report.exit_codes import FINE, INPUT
from mcpgen.report.output import Output
from mcpgen.report.visible import lines
from mcpgen.samples.generator import Drawer
from mcpgen.schema.keywords import DRAFT_2020_12, dialect_of
from mcpgen.schema.values import Json

BYTES_A_TOKEN = 4
"""A rule of thumb for English and JSON; what a model really counts is up to its tokenizer."""


@dataclass(frozen=True)
class Wanted:
    """What to show of which tool; `part` is `code`, `wire`, `schema` or, for all that helps to choose, empty."""

    tool: str
    part: str
    value: str | None
    protocol: str | None


class _CannotShow(Exception):
    """What was asked for is not there; the message says why, the help what to do."""

    def __init__(self, message: str, help: str = "") -> None:
        super().__init__(message)
        self.help = help


@dataclass(frozen=True)
class _Part:
    """Something to show, for people and for programs."""

    name: str
    language: str
    text: str
    value: Json


def show(packages: tuple[list[Package], Findings], wanted: Wanted, output: Output) -> int:
    """Show a tool of the first package that has it; the exit code."""
    found, findings = packages
    parts: list[_Part] = []
    for package in found:
        out = package.folder / package.settings.out
        where = Span(shown(out))
        try:
            generated = load(out)
            if wanted.tool in generated.TOOLS:
                parts = list(_parts(generated, wanted))
                break
        except NotImportable as error:
            findings.error("MG602", str(error), where, BUILD_FIRST)
        except _CannotShow as error:
            findings.error("MG604", str(error), where, error.help)
            break
    else:
        if found and not findings.failed:
            names = [name for one in found for name in _names(one)]
            close = difflib.get_close_matches(wanted.tool, names, 1)
            help = f'did you mean "{close[0]}"?' if close else f"there are {', '.join(names)}"
            findings.error("MG602", f'no generated package has a tool "{wanted.tool}"', None, help)
    for number, part in enumerate(parts):
        output.show([""] * bool(number) + lines(part.text), part.language)
    values: dict[str, Json] = {part.name: part.value for part in parts}
    code = INPUT if findings.failed else FINE
    return output.close(findings, code, lambda: {"tool": wanted.tool, **values} if parts else None)


def _names(package: Package) -> list[str]:
    return list(load(package.folder / package.settings.out).TOOLS)


def _parts(generated: Any, wanted: Wanted) -> Iterator[_Part]:
    """What is wanted, or the class, the wire result and the sizes.

    Raises:
        _CannotShow: the value does not fit, or none was found.
    """
    cls = generated.RESULT_TYPES[wanted.tool]
    declared = generated.TOOLS[wanted.tool]
    if wanted.part == "schema":
        schema = declared.get("outputSchema")
        yield _Part("schema", "json", _pretty(schema), schema)
        return
    if wanted.part == "code":
        source = inspect.getsource(sys.modules[cls.__module__])
        yield _Part("code", "python", source, source)
        return
    result = _example(cls, declared, wanted.value)
    if wanted.part != "wire":
        source = inspect.getsource(cls)
        yield _Part("class", "python", source, source)
    wire = result.to_wire(protocol=wanted.protocol)
    yield _Part("wire", "json", _pretty(wire), wire)
    if wanted.part != "wire":
        rows = _sizes(result, declared)
        yield _Part("sizes", "text", _table(rows, result), {**dict(rows)})


def _example(cls: Any, declared: dict[str, Json], given: str | None) -> Any:
    """An instance: of the value that was given, else of one that is drawn from the schema.

    Raises:
        _CannotShow: the value does not fit, or none was found.
    """
    schema = declared.get("outputSchema")
    if schema is None:
        said = "some text" if given is None else given
        try:
            return cls(content=[{"type": "text", "text": said}])
        except ValidationError:
            raise _CannotShow("--value is no text") from None
    if given is None:
        try:
            value = Drawer(schema, dialect_of(schema) or DRAFT_2020_12).find_example()
        except ValueError as error:
            raise _CannotShow(f"the validator refuses the outputSchema: {error}") from None
    else:
        try:
            value = parse(given)
        except LoneSurrogate:
            raise _CannotShow("--value is not JSON: a string holds a lone surrogate") from None
        except WrongJson as error:
            raise _CannotShow(f"--value is not JSON: {error}", error.help) from None
    try:
        return cls.from_structured_content(value)
    except ValidationError as error:
        if given is None:
            raise _CannotShow("no example was found that satisfies the schema", "give one with --value") from None
        raise _CannotShow(f"--value does not satisfy the outputSchema: {error.errors()[0]['msg']}") from None


def _sizes(result: Any, declared: dict[str, Json]) -> list[tuple[str, int]]:
    """How many bytes the content has, and the JSON text that it replaces."""
    texts = [block["text"] for block in result.to_wire()["content"] if block["type"] == "text"]
    rows = [("content", sum(len(one.encode()) for one in texts))]
    if "outputSchema" in declared:
        dumped = json.dumps(result.to_structured_content(), ensure_ascii=False, separators=(",", ":"))
        rows.append(("json", len(dumped.encode())))
    return rows


def _table(rows: list[tuple[str, int]], result: Any) -> str:
    """What the content costs beside the JSON text that it replaces, as a small table."""
    kinds = [block["type"] for block in result.to_wire()["content"]]
    words = {"content": f"content ({_many(kinds.count('text'), 'text block')})", "json": "the value as JSON"}
    lines = [f"{words[name]:<26} {size:>8,} bytes, about {-(-size // BYTES_A_TOKEN):,} tokens" for name, size in rows]
    if others := [kind for kind in kinds if kind != "text"]:
        lines.append(f"beside it {', '.join(others)}, which models count in their own ways")
    return "\n".join(lines) + "\n"


def _many(count: int, word: str) -> str:
    return f"{count} {word}" if count == 1 else f"{count} {word}s"


def _pretty(value: object) -> str:
    return json.dumps(value, indent=2, ensure_ascii=False) + "\n"
