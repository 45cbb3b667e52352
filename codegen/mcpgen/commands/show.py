"""`mcpgen show`: print a tool's generated class, its result on the wire for an example, and what its content costs."""

from __future__ import annotations

import ast
import inspect
import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from mcpgen.commands.generated_package import (
    NoExampleResult,
    collect_texts,
    explain_unknown_tool,
    format_compact,
    make_example_result,
    report_missing_package,
    write_result,
)
from mcpgen.commands.package_selection import LoadedPackages
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
    kinds: dict[str, str] = {}
    for package in packages:
        try:
            generated = load_package(package.out)
            if request.tool in generated.TOOLS:
                return [*_make_sections(generated, package, request)]
            kinds |= dict.fromkeys(generated.PROMPTS, "prompt") | dict.fromkeys(generated.RESOURCES, "resource")
            kinds |= dict.fromkeys(generated.TOOLS, "tool")
        except PackageNotImportable as error:
            report_missing_package(package, error, findings)
        except NoExampleResult as error:
            findings.error("MG604", str(error), Span(format_path(package.out)), error.help)
            return []
    if packages and not findings.failed:
        message = f'no generated package has a tool "{request.tool}"'
        findings.error("MG602", message, None, explain_unknown_tool(request.tool, kinds))
    return []


def _make_sections(generated: Any, package: ConfiguredPackage, request: ShowRequest) -> Iterator[_Section]:
    """Yield the sections about a tool; raise `NoExampleResult` if the value is invalid, or no example was found."""
    result_class, tool = generated.RESULT_TYPES[request.tool], generated.TOOLS[request.tool]
    if request.section == "schema":
        schema = tool.get("outputSchema")
        yield _Section("schema", "json", _format_indented(schema), schema)
        return
    if request.section == "code":
        source = inspect.getsource(sys.modules[result_class.__module__])
        yield _Section("code", "python", source, source)
        return
    result = make_example_result(result_class, tool, request.value)
    wire = write_result(result, request.protocol)
    wire_section = _Section("wire", "json", _format_indented(wire), wire)
    if request.section == "wire":
        yield wire_section
        return
    source = inspect.getsource(result_class)
    import_line = _make_import(find_import_name(package.out), result_class, source)
    yield _Section("class", "python", f"{import_line}\n\n\n{source}", source)
    yield wire_section
    all_texts = collect_texts(result, tool)
    texts = {name: all_texts[key] for name, key in (("content", "text"), ("json", "json")) if key in all_texts}
    sizes: dict[str, Json] = {name: len(text.encode()) for name, text in texts.items()}
    characters: dict[str, Json] = {name: len(text) for name, text in texts.items()}
    lines = [*_list_costs(sizes, result), *_compare_lengths(characters), *_describe_default(package, request.tool)]
    yield _Section("sizes", "text", "\n".join(lines), {**sizes, "characters": characters})


def _describe_default(package: ConfiguredPackage, name: str) -> Iterator[str]:
    """Yield a line that says that nobody has chosen the tool's content; none if somebody has, or nobody can tell."""
    with allow_deep_recursion():
        definitions = read_definitions(package, Findings())  # what is wrong in them, `build` says
    if any(tool.name == name and has_default_content(tool) for tool in definitions.tools):
        yield DEFAULT_CONTENT


def _make_import(package: str, result_class: Any, source: str) -> str:
    loaded, _, module = result_class.__module__.partition(".")
    members = vars(sys.modules[result_class.__module__])
    names = {result_class.__name__}
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.AnnAssign) and not ast.unparse(node.annotation).startswith("ClassVar"):
            names |= {inner.id for inner in ast.walk(node.annotation) if isinstance(inner, ast.Name)}
    folders = (f"{loaded}.tools.", f"{loaded}.types.")
    own = [name for name in sorted(names) if str(getattr(members.get(name), "__module__", "")).startswith(folders)]
    return f"from {package}.{module} import {', '.join(own)}"


def _list_costs(sizes: Mapping[str, Any], result: Any) -> Iterator[str]:
    blocks = write_result(result)["content"]
    kinds = [block["type"] for block in blocks]
    labels = {"content": f"content ({format_count(kinds.count('text'), 'text block')})", "json": "the value as JSON"}
    for name, size in sizes.items():
        yield f"{labels[name]:<26} {size:>8,} bytes"
    if other_kinds := [kind for kind in kinds if kind != "text"]:
        yield f"besides: {', '.join(other_kinds)}, which models count in their own ways"
    value = result.to_structured_content() if "json" in sizes and len(blocks) > 1 else dict[str, Any]()
    if not isinstance(value, dict) and blocks[-1].get("text") == format_compact(value):
        yield "the last text block is the JSON, which the protocol requires if a result is not an object"


def _compare_lengths(characters: Mapping[str, Any]) -> Iterator[str]:
    content, value = characters["content"], characters.get("json", 0)
    if value and content and content != value:
        yield f"the content has {content:,} characters, {100 * content / value:.0f} % of the JSON's {value:,}"


def _format_indented(value: object) -> str:
    return json.dumps(value, indent=2, ensure_ascii=False)
