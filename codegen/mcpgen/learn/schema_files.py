"""Files with learned schemas: their names and texts, and what is there already."""

from __future__ import annotations

import hashlib
import json
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

from mcpgen_runtime.schema_keywords import contained

from mcpgen import paths
from mcpgen.config.models import Limits
from mcpgen.config.validation import COMMENT_KEY
from mcpgen.diagnostics import Findings, Span
from mcpgen.learn.results import RecordedValue
from mcpgen.read.choices import OPTIONS_KEY
from mcpgen.read.document import SourceDocument
from mcpgen.read.parse import load_document
from mcpgen.schema.document import SubschemaValidators
from mcpgen.schema.keywords import DRAFT_2020_12, detect_dialect
from mcpgen.schema.values import Json, format_pointer

MOST_VIOLATIONS = 5
"""Violations of a schema that are named."""
_PLAIN_NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]{0,79}")
_DEVICE = re.compile(r"(?:con|prn|aux|nul|com\d|lpt\d)(?:\..*)?", re.IGNORECASE)
"""Names that Windows keeps for devices, whatever comes after the first dot."""
_HASHED_NAME = re.compile(r".*-[0-9a-f]{12}", re.IGNORECASE)
"""Names that look as if they ended in a hash, as those of other tools do."""


@dataclass(frozen=True)
class RefusedValue:
    """A recorded value that a schema refuses."""

    recorded: RecordedValue
    violations: tuple[tuple[str, str], ...]
    """The first places at which it is wrong, as JSON pointers, and what is wrong there."""


def make_file_names(tools: Iterable[str]) -> dict[str, str]:
    """Return the name of the file for each tool: `<tool>.output.json`.

    Names that not every file system takes, or that differ by the case alone, end in a hash.
    """
    names = list(tools)
    counts = Counter(name.casefold() for name in names)
    return {name: f"{_make_stem(name, counts[name.casefold()] == 1)}.output.json" for name in names}


def _make_stem(name: str, is_unique: bool) -> str:
    if is_unique and _PLAIN_NAME.fullmatch(name) and not _DEVICE.fullmatch(name) and not _HASHED_NAME.fullmatch(name):
        return name
    digest = hashlib.sha256(name.encode("utf-8", "surrogatepass")).hexdigest()[:12]
    return f"{re.sub(r'[^A-Za-z0-9_]+', '_', name)[:60] or '_'}-{digest}"


def format_learned_schema(tool: str, schema: dict[str, Json], result_count: int) -> str:
    """Return the text of a file."""
    results = "1 result" if result_count == 1 else f"{result_count} results"
    comment: Json = {COMMENT_KEY: f"Learned by mcpgen from {results} of {tool}."}
    head: dict[str, Json] = {"$schema": DRAFT_2020_12, OPTIONS_KEY: comment}  # a `$comment` would be advertised
    return json.dumps(head | schema, indent=2, ensure_ascii=False) + "\n"


def find_refused_values(
    path: Path, values: Sequence[RecordedValue], limits: Limits, findings: Findings
) -> list[RefusedValue] | None:
    """Return the recorded values that the schema in a file refuses; None, with an error, if it is no schema."""
    document = load_document(path, paths.format_path(path), findings, limits)
    if document is None:
        return None
    validator = _compile_schema(document, findings)
    if validator is None:
        return None
    refused: list[RefusedValue] = []
    for recorded in values:
        with contained():
            errors: list[Any] = list(islice(validator.iter_errors(recorded.value), MOST_VIOLATIONS))
        if errors:
            violations = [(format_pointer(*error.instance_path), error.message) for error in errors]
            refused.append(RefusedValue(recorded, tuple(dict.fromkeys(violations))))
    return refused


def _compile_schema(document: SourceDocument, findings: Findings) -> Any:
    schema = document.value
    try:
        if not isinstance(schema, dict | bool):
            raise ValueError("it is neither an object nor a boolean")
        validators = SubschemaValidators(schema, detect_dialect(schema) or DRAFT_2020_12)
    except ValueError as error:
        findings.error("MG101", f"is not a JSON Schema: {str(error).splitlines()[0]}", Span(document.name))
        return None
    return validators.find_validator("")
