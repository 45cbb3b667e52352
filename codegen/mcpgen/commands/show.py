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

from mcpgen.config.load import LoadedPackages
from mcpgen.config.models import ConfiguredPackage
from mcpgen.diagnostics import Span
from mcpgen.paths import format_path
from mcpgen.prove.package_loader import BUILD_FIRST_HELP, PackageNotImportable, load_package
from mcpgen.read.json_parser import InvalidJson, LoneSurrogate, parse_json
from mcpgen.report.exit_codes import INVALID_INPUT, SUCCESS
from mcpgen.report.output import CommandOutput
from mcpgen.report.visible import split_text_lines
from mcpgen.samples.generator import ValueGenerator
from mcpgen.schema.keywords import DRAFT_2020_12, detect_dialect
from mcpgen.schema.values import Json

BYTES_PER_TOKEN = 4
"""A rule of thumb for English and JSON; what a model really counts is up to its tokenizer."""


@dataclass(frozen=True)
class ShowRequest:
    """What to show of which tool; `part` is `code`, `wire`, `schema` or, for all that helps to choose, empty."""

    tool: str
    part: str
    value: str | None
    protocol: str | None


class _ShowError(Exception):
    """What was asked for is not there; the message says why, the help what to do."""

    def __init__(self, message: str, help: str = "") -> None:
        super().__init__(message)
        self.help = help


@dataclass(frozen=True)
class _Section:
    """Something to show, for people and for programs."""

    name: str
    language: str
    text: str
    value: Json


def show_tool(packages: LoadedPackages, wanted: ShowRequest, output: CommandOutput) -> int:
    """Show a tool of the first package that has it; the exit code."""
    found, findings = packages
    parts: list[_Section] = []
    for package in found:
        out = package.folder / package.settings.out
        where = Span(format_path(out))
        try:
            generated = load_package(out)
            if wanted.tool in generated.TOOLS:
                parts = list(_make_sections(generated, wanted))
                break
        except PackageNotImportable as error:
            findings.error("MG602", str(error), where, BUILD_FIRST_HELP)
        except _ShowError as error:
            findings.error("MG604", str(error), where, error.help)
            break
    else:
        if found and not findings.failed:
            names = [name for one in found for name in _list_tool_names(one)]
            close = difflib.get_close_matches(wanted.tool, names, 1)
            help = f'did you mean "{close[0]}"?' if close else f"there are {', '.join(names)}"
            findings.error("MG602", f'no generated package has a tool "{wanted.tool}"', None, help)
    for number, part in enumerate(parts):
        output.show([""] * bool(number) + split_text_lines(part.text), part.language)
    values: dict[str, Json] = {part.name: part.value for part in parts}
    code = INVALID_INPUT if findings.failed else SUCCESS
    return output.close(findings, code, lambda: {"tool": wanted.tool, **values} if parts else None)


def _list_tool_names(package: ConfiguredPackage) -> list[str]:
    return list(load_package(package.folder / package.settings.out).TOOLS)


def _make_sections(generated: Any, wanted: ShowRequest) -> Iterator[_Section]:
    """What is wanted, or the class, the wire result and the sizes.

    Raises:
        _CannotShow: the value does not fit, or none was found.
    """
    cls = generated.RESULT_TYPES[wanted.tool]
    declared = generated.TOOLS[wanted.tool]
    if wanted.part == "schema":
        schema = declared.get("outputSchema")
        yield _Section("schema", "json", _format_indented(schema), schema)
        return
    if wanted.part == "code":
        source = inspect.getsource(sys.modules[cls.__module__])
        yield _Section("code", "python", source, source)
        return
    result = _make_example(cls, declared, wanted.value)
    if wanted.part != "wire":
        source = inspect.getsource(cls)
        yield _Section("class", "python", source, source)
    wire = result.to_wire(protocol=wanted.protocol)
    yield _Section("wire", "json", _format_indented(wire), wire)
    if wanted.part != "wire":
        rows = _measure_sizes(result, declared)
        yield _Section("sizes", "text", _format_cost_table(rows, result), {**dict(rows)})


def _make_example(cls: Any, declared: dict[str, Json], given: str | None) -> Any:
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
            raise _ShowError("--value is no text") from None
    if given is None:
        try:
            value = ValueGenerator(schema, detect_dialect(schema) or DRAFT_2020_12).find_example()
        except ValueError as error:
            raise _ShowError(f"the validator refuses the outputSchema: {error}") from None
    else:
        try:
            value = parse_json(given)
        except LoneSurrogate:
            raise _ShowError("--value is not JSON: a string holds a lone surrogate") from None
        except InvalidJson as error:
            raise _ShowError(f"--value is not JSON: {error}", error.help) from None
    try:
        return cls.from_structured_content(value)
    except ValidationError as error:
        if given is None:
            raise _ShowError("no example was found that satisfies the schema", "give one with --value") from None
        raise _ShowError(f"--value does not satisfy the outputSchema: {error.errors()[0]['msg']}") from None


def _measure_sizes(result: Any, declared: dict[str, Json]) -> list[tuple[str, int]]:
    """How many bytes the content has, and the JSON text that it replaces."""
    texts = [block["text"] for block in result.to_wire()["content"] if block["type"] == "text"]
    rows = [("content", sum(len(one.encode()) for one in texts))]
    if "outputSchema" in declared:
        dumped = json.dumps(result.to_structured_content(), ensure_ascii=False, separators=(",", ":"))
        rows.append(("json", len(dumped.encode())))
    return rows


def _format_cost_table(rows: list[tuple[str, int]], result: Any) -> str:
    """What the content costs beside the JSON text that it replaces, as a small table."""
    kinds = [block["type"] for block in result.to_wire()["content"]]
    words = {"content": f"content ({_format_count(kinds.count('text'), 'text block')})", "json": "the value as JSON"}
    lines = [f"{words[name]:<26} {size:>8,} bytes, about {-(-size // BYTES_PER_TOKEN):,} tokens" for name, size in rows]
    if others := [kind for kind in kinds if kind != "text"]:
        lines.append(f"beside it {', '.join(others)}, which models count in their own ways")
    return "\n".join(lines) + "\n"


def _format_count(count: int, word: str) -> str:
    return f"{count} {word}" if count == 1 else f"{count} {word}s"


def _format_indented(value: object) -> str:
    return json.dumps(value, indent=2, ensure_ascii=False) + "\n"
