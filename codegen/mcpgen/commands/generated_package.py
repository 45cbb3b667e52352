"""What commands need of a generated package: help if it is missing, and results for an example or a given value."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping
from typing import Any

from mcpgen_runtime.content import drop_json_text
from pydantic import ValidationError

from mcpgen.config.models import ConfiguredPackage
from mcpgen.diagnostics import Findings, Span
from mcpgen.paths import format_path
from mcpgen.prove.package_loader import PackageNotImportable, has_package
from mcpgen.read.json_parser import InvalidJson, LoneSurrogate, parse_json
from mcpgen.read.loader import read_definitions
from mcpgen.report.text import format_count
from mcpgen.samples.generator import ValueGenerator
from mcpgen.schema.keywords import DRAFT_2020_12, detect_dialect
from mcpgen.schema.values import Json, allow_deep_recursion
from mcpgen.targets import get_sdk
from mcpgen.words import NameGuesser


def report_missing_package(package: ConfiguredPackage, error: PackageNotImportable, findings: Findings) -> None:
    """Report that a package is missing, with the reason if its definitions have errors, or that its import fails."""
    message, help = str(error), suggest_build(package)
    if not has_package(package.out) and (count := _count_errors(package)):
        message += f", since the definitions have {format_count(count, 'error')}"
        help = "run `mcpgen build`, and correct what it reports"
    findings.error("MG602", message, Span(format_path(package.out)), help)


def suggest_build(package: ConfiguredPackage) -> str:
    """Return the help for a package that has to be built first."""
    needs_sdk = get_sdk(package.settings.sdk) is not None
    return "run `mcpgen build` first" + ", with the SDK of the package installed" * needs_sdk


def _count_errors(package: ConfiguredPackage) -> int:
    findings = Findings()
    with allow_deep_recursion():
        read_definitions(package, findings)
    return len(findings.errors)


class NoExampleResult(Exception):
    """There is no result to show: the message says why, `help` what to do."""

    def __init__(self, message: str, help: str = "") -> None:
        super().__init__(message)
        self.help = help


def make_example_result(result_class: Any, tool: dict[str, Json], text: str | None = None) -> Any:
    """Return a result with a JSON text's value, or an example; raise `NoExampleResult` if there is none."""
    schema = tool.get("outputSchema")
    if schema is None:
        try:
            return result_class(content=[{"type": "text", "text": "some text" if text is None else text}])
        except ValidationError:
            raise NoExampleResult("--value is not text") from None
    value = _find_example(schema) if text is None else _parse_value(text)
    try:
        return result_class.from_structured_content(value)
    except ValidationError as error:
        if text is None:
            message = "no example was found that satisfies the schema"
            raise NoExampleResult(message, "give one with --value") from None
        raise NoExampleResult(f"--value does not satisfy the outputSchema: {error.errors()[0]['msg']}") from None


def write_result(result: Any, protocol: str | None = None, clients: Collection[str] = ()) -> dict[str, Any]:
    """Return a result in the form in which a server with the bound tool sends it to clients with one of these names.

    It may have a link in place of its value, or its content alone.
    """
    wire: dict[str, Any] = result.to_wire(protocol=protocol)
    tool = result._tool
    if "structuredContent" in wire and (tool.linked or not {*clients}.isdisjoint(tool.content_only)):
        drop_json_text(wire["content"], wire.pop("structuredContent"))
    if tool.linked:
        from mcpgen_runtime.linked_results import make_reference

        text = format_compact(result.to_structured_content())
        wire["content"].append(make_reference(tool.name, "KEY", text, protocol or tool.default_protocol))
    return wire


def collect_texts(result: Any, tool: dict[str, Json], protocol: str | None = None) -> dict[str, str]:
    """Return the text of a result's blocks, all of it as compact JSON and, with an outputSchema, its value as JSON."""
    wire = write_result(result, protocol)
    text = "".join(block["text"] for block in wire["content"] if block["type"] == "text")
    texts = {"text": text, "result": format_compact(wire)}
    if "outputSchema" in tool:
        texts["json"] = format_compact(result.to_structured_content())
    return texts


def format_compact(value: object) -> str:
    """Return a value as compact JSON."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def _find_example(schema: Json) -> Json:
    try:
        return ValueGenerator(schema, detect_dialect(schema) or DRAFT_2020_12).find_example()
    except ValueError as error:
        raise NoExampleResult(f"the validator refuses the outputSchema: {error}") from None


def _parse_value(text: str) -> Json:
    try:
        return parse_json(text)
    except LoneSurrogate:
        raise NoExampleResult("--value is not JSON: a string holds a lone surrogate") from None
    except InvalidJson as error:
        raise NoExampleResult(f"--value is not JSON: {error}", error.help) from None


def explain_unknown_tool(name: str, kinds: Mapping[str, str]) -> str:
    """Return the help about a name that no tool has; `kinds` says what each definition is, such as "prompt"."""
    if name in kinds:
        return f'"{name}" is a {kinds[name]}, and this command is for tools'
    tools = sorted(known for known, kind in kinds.items() if kind == "tool")
    close = NameGuesser().guess(name, tools)
    return f'did you mean "{close}"?' if close else f"there are {', '.join(tools)}"
