"""`mcpgen show`: print a tool's generated class, its result on the wire for an example, and what its content costs."""

from __future__ import annotations

import ast
import inspect
import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from mcpgen.commands.example_results import NoExampleResult, collect_texts, format_compact, make_example_result
from mcpgen.commands.missing_package import report_missing_package
from mcpgen.commands.package_selection import LoadedPackages
from mcpgen.commands.unknown_tools import explain_unknown_tool
from mcpgen.config.models import ConfiguredPackage
from mcpgen.diagnostics import Findings, Span
from mcpgen.files.project_paths import find_import_name
from mcpgen.paths import format_path
from mcpgen.prove.package_loader import PackageNotImportable, load_package
from mcpgen.read.definitions import has_default_content
from mcpgen.read.loader import read_definitions
from mcpgen.report.exit_codes import INVALID_INPUT, SUCCESS
from mcpgen.report.output import CommandOutput
from mcpgen.report.text import format_count
from mcpgen.report.visible import split_text_lines
from mcpgen.schema.values import Json, allow_deep_recursion

DEFAULT_CONTENT = (
    "nobody has chosen this content, so the model reads the JSON; "
    'a template, "table", "csv" or another `content` may say it shorter'
)
"""Line about a tool whose content is the default."""

_JSON_BLOCK = "the last text block is the JSON, which the protocol requires if a result is not an object"


@dataclass(frozen=True)
class ShowRequest:
    """Tool to show, and which part of the output."""

    tool: str
    section: str
    """`code`, `wire` or `schema`; empty for the class, the result on the wire and the sizes."""
    value: str | None
    """JSON of the value whose result is shown, None for an example."""
    protocol: str | None


@dataclass(frozen=True)
class _Section:
    """Part of the output, as text for people and as JSON."""

    name: str
    language: str
    text: str
    value: Json


def run_show(loaded: LoadedPackages, request: ShowRequest, output: CommandOutput) -> int:
    """Show a tool of the first package that has it, and return the exit code."""
    findings = loaded.findings
    sections = _find_sections(loaded.packages, request, findings)
    for number, section in enumerate(sections):
        output.print_data([""] * bool(number) + split_text_lines(section.text), section.language)
    values: dict[str, Json] = {section.name: section.value for section in sections}
    exit_code = INVALID_INPUT if findings.failed else SUCCESS
    return output.finish(findings, exit_code, lambda: {"tool": request.tool, **values} if sections else None)


def _find_sections(
    packages: Sequence[ConfiguredPackage], request: ShowRequest, findings: Findings
) -> Sequence[_Section]:
    """Return the sections about a tool; none, with a finding, if no package has it or it cannot be shown."""
    kinds: dict[str, str] = {}
    for package in packages:
        out = package.out
        where = Span(format_path(out))
        try:
            generated = load_package(out)
            if request.tool in generated.TOOLS:
                return list(
                    _make_sections(generated, find_import_name(out), request, _describe_default(package, request))
                )
            kinds |= dict.fromkeys(generated.PROMPTS, "prompt") | dict.fromkeys(generated.RESOURCES, "resource")
            kinds |= dict.fromkeys(generated.TOOLS, "tool")
        except PackageNotImportable as error:
            report_missing_package(package, error, findings)
        except NoExampleResult as error:
            findings.error("MG604", str(error), where, error.help)
            return []
    if packages and not findings.failed:
        message = f'no generated package has a tool "{request.tool}"'
        findings.error("MG602", message, None, explain_unknown_tool(request.tool, kinds))
    return []


def _describe_default(package: ConfiguredPackage, request: ShowRequest) -> str:
    """Return a line that says that nobody has chosen the tool's content; empty if somebody has, or nobody can tell."""
    if request.section:
        return ""
    with allow_deep_recursion():
        definitions = read_definitions(package, Findings())  # what is wrong in them, `build` says
    is_default = any(tool.name == request.tool and has_default_content(tool) for tool in definitions.tools)
    return f"{DEFAULT_CONTENT}\n" if is_default else ""


def _make_sections(generated: Any, package: str, request: ShowRequest, remark: str) -> Iterator[_Section]:
    """Yield the sections about a tool of an imported package.

    Args:
        generated: the package.
        package: the name by which programs import it.
        request: the tool, and what to show of it.
        remark: goes below the sizes.

    Raises:
        NoExampleResult: the value violates the schema, or no example was found.
    """
    result_class = generated.RESULT_TYPES[request.tool]
    tool = generated.TOOLS[request.tool]
    if request.section == "schema":
        schema = tool.get("outputSchema")
        yield _Section("schema", "json", _format_indented(schema), schema)
        return
    if request.section == "code":
        source = inspect.getsource(sys.modules[result_class.__module__])
        yield _Section("code", "python", source, source)
        return
    result = make_example_result(result_class, tool, request.value)
    if request.section != "wire":
        source = inspect.getsource(result_class)
        yield _Section("class", "python", _make_import(package, result_class, source) + source, source)
    wire = result.to_wire(protocol=request.protocol)
    yield _Section("wire", "json", _format_indented(wire), wire)
    if request.section != "wire":
        sizes = _measure_sizes(result, tool)
        characters = _count_characters(result, tool)
        text = _format_cost_table(sizes, result) + _format_comparison(characters) + remark
        yield _Section("sizes", "text", text, {**dict(sizes), "characters": characters})


def _make_import(package: str, result_class: Any, source: str) -> str:
    """Return the statement that imports a class and the other generated classes in the types of its fields.

    Args:
        package: the name by which programs import the package.
        result_class: the class.
        source: its source.
    """
    loaded, _, module = result_class.__module__.partition(".")
    members = vars(sys.modules[result_class.__module__])
    names = {result_class.__name__}
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.AnnAssign) and not ast.unparse(node.annotation).startswith("ClassVar"):
            names |= {inner.id for inner in ast.walk(node.annotation) if isinstance(inner, ast.Name)}
    folders = (f"{loaded}.tools.", f"{loaded}.types.")
    own = [name for name in sorted(names) if str(getattr(members.get(name), "__module__", "")).startswith(folders)]
    return f"from {package}.{module} import {', '.join(own)}\n\n\n"


def _measure_sizes(result: Any, tool: dict[str, Json]) -> list[tuple[str, int]]:
    """Return the sizes in bytes of the text content and, if there is an outputSchema, of the value as JSON."""
    return [(name, len(text.encode())) for name, text in collect_texts(result, tool).items()]


def _count_characters(result: Any, tool: dict[str, Json]) -> dict[str, Json]:
    """Return the sizes in characters of the same texts."""
    return {name: len(text) for name, text in collect_texts(result, tool).items()}


def _format_comparison(characters: Mapping[str, Any]) -> str:
    """Return a line that compares the content with the JSON in characters; none if they are equally long."""
    content, value = characters["content"], characters.get("json", 0)
    if not value or not content or content == value:
        return ""
    return f"the content has {content:,} characters, {100 * content / value:.0f} % of the JSON's {value:,}\n"


def _format_cost_table(sizes: list[tuple[str, int]], result: Any) -> str:
    """Return a table of sizes in bytes, with the blocks that are not text below it."""
    blocks = result.to_wire()["content"]
    kinds = [block["type"] for block in blocks]
    labels = {"content": f"content ({format_count(kinds.count('text'), 'text block')})", "json": "the value as JSON"}
    lines = [f"{labels[name]:<26} {size:>8,} bytes" for name, size in sizes]
    if other_kinds := [kind for kind in kinds if kind != "text"]:
        lines.append(f"besides: {', '.join(other_kinds)}, which models count in their own ways")
    if "json" in dict(sizes) and _ends_with_json(blocks, result.to_structured_content()):
        lines.append(_JSON_BLOCK)
    return "\n".join(lines) + "\n"


def _ends_with_json(blocks: Sequence[dict[str, Any]], value: Json) -> bool:
    """Return whether the JSON of a value that is not an object follows the content of its own."""
    return len(blocks) > 1 and not isinstance(value, dict) and blocks[-1].get("text") == format_compact(value)


def _format_indented(value: object) -> str:
    return json.dumps(value, indent=2, ensure_ascii=False) + "\n"
