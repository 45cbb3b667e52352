"""Write the pages of docs/ that are made from the code: `python scripts/docs.py`.

docs/diagnostics/ comes from the explanations, docs/mistakes.md from the goldens, docs/reference/breaking-changes.md
from the rules of `diff`, docs/reference/options.md from the command line, docs/mcpgen.schema.json, docs/schemastore
and docs/reference/settings.md from the settings' models, the tables of docs/reference/lint.md from those of
`mcpgen lint`, docs/reference/hosts.md from the table of hosts, the counts in docs/guides/tokens.md from the example's
results, the tables of the API pages from the docstrings of a generated package. Of docs/explanation/serializers.md only
the code is made: behind a comment `code: FILE NAME …` are those classes and methods of a generated file, or that entry
of a YAML file.
`tests/docs/test_docs.py` says when they are not current.
"""

from __future__ import annotations

import ast
import json
import re
import sys
import tomllib
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

from mcpgen.commands.generated_package import format_compact, make_example_result, write_result
from mcpgen.commands.host_readings import PROTOCOL
from mcpgen.compat.registry import RULES
from mcpgen.compat.rules.rule import CATEGORY_CODES, Category
from mcpgen.config.json_schema import build_settings_schema, format_settings_schema
from mcpgen.config.models import DeclaredToolChoice, PackageSettings, ResourceChoice
from mcpgen.diagnostics import CATALOGUE
from mcpgen.explanations import read_explanation
from mcpgen.hosts.conversions import read_as
from mcpgen.hosts.table import HOSTS, Host
from mcpgen.lint.clients import CLIENTS
from mcpgen.lint.linter import LINT_RULES
from mcpgen.prove.package_loader import load_package
from mcpgen.vocabularies import make_counter
from mcpgen_runtime.linked_results import make_reference
from mcpgen_runtime.sdk.templates import summary_text
from ruamel.yaml import YAML

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))
from scripts.api_pages import insert_tables as insert_api_tables
from scripts.command_pages import render_options
from scripts.site_pages import expand_patterns, list_navigation, read_source

DOCS = ROOT / "docs"
CODE = re.compile(r"(<!-- code: (\S+)([^>]*) -->\n\n```(\w+)\n)(.*?)(^```$)", re.MULTILINE | re.DOTALL)
AGAIN = re.compile(r"(class (\w+)\b[^:]*:\n    \.\.\.\n)(.*?)\n\nclass \2\b[^:]*:\n    \.\.\.\n", re.DOTALL)
"""Two methods of one class, whose first lines come once."""
NOTE = "<!-- Made by `python scripts/docs.py`. Do not edit. -->\n\n"


class DiagnosticsPage(NamedTuple):
    """A page of docs/diagnostics/: the codes from one to another."""

    name: str
    title: str
    first: str
    last: str

    @property
    def codes(self) -> list[str]:
        """The codes that the page explains."""
        return [code for code in sorted(CATALOGUE) if self.first <= code <= self.last]


DIAGNOSTICS_PAGES = (
    DiagnosticsPage("files", "Files", "MG000", "MG006"),
    DiagnosticsPage("definitions", "Definitions", "MG007", "MG099"),
    DiagnosticsPage("schemas", "Schemas", "MG100", "MG107"),
    DiagnosticsPage("schema-notes", "Notes about schemas", "MG109", "MG113"),
    DiagnosticsPage("schema-mistakes", "Likely mistakes in schemas", "MG114", "MG121"),
    DiagnosticsPage("forms", "Forms", "MG122", "MG199"),
    DiagnosticsPage("names", "Names", "MG200", "MG299"),
    DiagnosticsPage("settings", "Settings", "MG300", "MG304"),
    DiagnosticsPage("package-settings", "Settings of packages", "MG307", "MG399"),
    DiagnosticsPage("output", "Output", "MG400", "MG499"),
    DiagnosticsPage("content", "Content templates", "MG500", "MG505"),
    DiagnosticsPage("content-files", "Files of content templates, and other content", "MG506", "MG599"),
    DiagnosticsPage("packages", "Generated packages", "MG600", "MG699"),
    DiagnosticsPage("asking-servers", "Asking servers", "MG700", "MG707"),
    DiagnosticsPage("answers-of-servers", "Answers of servers", "MG708", "MG712"),
    DiagnosticsPage("definitions-of-servers", "Definitions of servers", "MG713", "MG715"),
    DiagnosticsPage("drift-and-recordings", "Drift of servers, and recordings", "MG716", "MG720"),
    DiagnosticsPage("verified-servers", "Verified servers", "MG721", "MG799"),
    DiagnosticsPage("breaking-changes", "Breaking changes", "MG800", "MG806"),
    DiagnosticsPage("other-changes", "Other changes", "MG807", "MG899"),
    DiagnosticsPage("texts-and-hints", "Texts and hints for clients", "MG900", "MG904"),
    DiagnosticsPage("refused-by-clients", "What clients refuse", "MG905", "MG909"),
    DiagnosticsPage("names-in-clients", "Names in clients", "MG910", "MG919"),
    DiagnosticsPage("schemas-in-clients", "Schemas in clients", "MG920", "MG925"),
    DiagnosticsPage("strict-modes", "Strict modes", "MG926", "MG929"),
    DiagnosticsPage("descriptions", "Descriptions", "MG930", "MG934"),
    DiagnosticsPage("texts-of-results", "Texts of results", "MG935", "MG939"),
    DiagnosticsPage("apis-of-models", "APIs of models", "MG940", "MG949"),
    DiagnosticsPage("results-in-hosts", "Results in hosts", "MG950", "MG999"),
)
"""Pages of at most 400 lines; a new code is on the page of its neighbours."""


def make_pages() -> dict[str, str]:
    """Return the text of every page, by its name."""
    schema = build_settings_schema()
    return {
        "reference/breaking-changes.md": _render_rules(),
        "diagnostics/index.md": _render_diagnostics_index(),
        **{f"diagnostics/{page.name}.md": _render_diagnostics(page) for page in DIAGNOSTICS_PAGES},
        **insert_api_tables(),
        **{page: _insert_tables((DOCS / page).read_text("utf-8")) for page in PAGES_WITH_TABLES},
        "mistakes.md": _render_mistakes(),
        "llms.txt": _render_llms(),
        "mcpgen.schema.json": format_settings_schema(),
        **_render_schemastore(schema),
        "explanation/serializers.md": _insert_code((DOCS / "explanation" / "serializers.md").read_text("utf-8")),
        "reference/options.md": render_options(NOTE),
        "reference/settings.md": _render_settings(schema),
    }


def _render_diagnostics_index() -> str:
    out = "# Diagnostics\n\n" + NOTE
    out += (
        "Every message of mcpgen has a code. These pages say for each code what it means, where its place is, why it\n"
        "matters and what to do, with a bad and a good example. `mcpgen explain CODE` prints the same.\n"
    )
    for page in DIAGNOSTICS_PAGES:
        out += f"\n## {page.title}\n\n| code | |\n|---|---|\n"
        out += "".join(
            f"| [{code}]({page.name}.md#{_make_code_anchor(code)}) | {CATALOGUE[code]} |\n" for code in page.codes
        )
    return out


def _render_diagnostics(page: DiagnosticsPage) -> str:
    out = f"# {page.title}\n\n{NOTE}"
    out += "[All diagnostics](index.md). `mcpgen explain CODE` prints the same.\n"
    for code in page.codes:
        text = re.sub(r"^## ", "### ", read_explanation(code), flags=re.MULTILINE)
        out += f"\n## {code}: {CATALOGUE[code]}\n\n{text}"
    return out


def _link_to_code(code: str) -> str:
    """Return the path of a code's explanation, relative to docs/."""
    page = next(page for page in DIAGNOSTICS_PAGES if code in page.codes)
    return f"diagnostics/{page.name}.md#{_make_code_anchor(code)}"


def _make_code_anchor(code: str) -> str:
    return f"{code.lower()}-{_make_anchor(CATALOGUE[code])}"


CASES = ROOT / "tests" / "golden" / "cases"
MISTAKE_GROUPS = {
    "Files and folders": ("input", "json", "yaml"),
    "Definitions": ("near", "names", "choice"),
    "Schemas": ("schema", "ref"),
    "Settings": ("settings",),
    "Content templates": ("template",),
    "The generated package": ("check", "out", "import", "bind"),
}
"""Heading → beginnings of the names of the cases below it."""


def _render_mistakes() -> str:
    """A page with every mistake that a golden is about, and what mcpgen says."""
    settings = {path.parent: tomllib.loads(path.read_text("utf-8")) for path in sorted(CASES.glob("*/case.toml"))}
    mistakes = {case: keys["mistake"] for case, keys in settings.items() if "mistake" in keys}
    out = "# Mistakes that people make\n\n" + NOTE
    out += f"{len(mistakes)} usual mistakes, and what mcpgen says about each. Every message is recorded by a test.\n"
    for title, beginnings in MISTAKE_GROUPS.items():
        chosen = [case for case in mistakes if case.name.partition("_")[0] in beginnings]
        out += f"\n## {title}\n\n| mistake | message | what to do |\n|---|---|---|\n"
        out += "".join(_render_mistake(case, mistakes[case]) for case in chosen)
    return out


def _render_mistake(case: Path, title: str) -> str:
    text = (case / "stderr.txt").read_text("utf-8")
    found = re.search(r"^(?:\S+: )?(?:error|warning)\[(MG\d+)\]: (.+)$", text, re.MULTILINE)
    message = (
        f"[{found[1]}]({_link_to_code(found[1])}) {_escape_cell(found[2])}"
        if found
        else _escape_cell(text.splitlines()[-1])
    )
    help = re.search(r"^  help: (.+)$", text, re.MULTILINE)
    return f"| {_escape_cell(title)} | {message} | {_escape_cell(help[1]) if help else ''} |\n"


def _escape_cell(text: str) -> str:
    """Return a text as a cell of a table; outside of code, what Markdown or HTML would interpret is escaped."""
    parts = text.replace("|", "\\|").split("`")
    return "`".join(
        re.sub(r"([<*_{\[])", r"\\\1", part) if index % 2 == 0 else part for index, part in enumerate(parts)
    )


def _render_rules() -> str:
    out = "# Breaking changes\n\n" + NOTE
    out += (
        "Every rule of `mcpgen diff`. To turn off a category or a rule, use `--off`, or `off` in the settings. There,\n"
        "you can also acknowledge a single change by its rule. `tests/unit/compat/rules/` has an old and a new\n"
        "definition for each rule.\n"
    )
    for category in Category:
        rules = [rule for rule in RULES.values() if rule.category is category]
        code = CATEGORY_CODES[category]
        out += f"\n## `{category}`: {code}, {CATALOGUE[code]}\n\n| rule | | |\n|---|---|---|\n"
        out += "".join(f"| `{rule.id}` | {rule.severity} | {rule.doc} |\n" for rule in rules)
    return out


LLMS = """\
# mcpgen

> mcpgen is a code generator for MCP (Model Context Protocol) servers and clients in Python. It turns tool, resource and
> prompt definitions with outputSchemas into committed, typed Pydantic classes that accept and send exactly what the
> schemas say, decorators that bind handlers to the tools, and a typed client.

- Install it from a checkout, `pip install path/to/mcpgen/runtime path/to/mcpgen`; it is on no package index yet.
- Generated packages import the library `mcpgen-runtime`, never mcpgen.
- `mcpgen build` writes the package, `mcpgen check` says in CI whether it fits the definitions.
- Never edit generated files: change the definition and build again.
- The decorators of mcp 1.x, mcp 2.x, fastmcp and dedalus-mcp can be replaced tool by tool.
"""


def _render_llms() -> str:
    """Return llms.txt: a line for each page of the site, by sections, as https://llmstxt.org proposes."""
    navigation = expand_patterns(YAML(typ="safe").load((ROOT / "mkdocs.yml").read_text("utf-8"))["nav"], DOCS)
    out, last = LLMS, ""
    for sections, page in list_navigation(navigation):
        section = sections[0] if sections else "More"
        if section != last and page != "index.md":
            out += f"\n## {section}\n\n"
            last = section
        if page != "index.md":
            title, summary = _summarize(read_source(page))
            out += f"- [{title}]({page}): {summary}\n" if summary else f"- [{title}]({page})\n"
    return out


def _summarize(markdown: str) -> tuple[str, str]:
    """Return the title of a page, and the first sentence below it without its markup."""
    text = re.sub(r"^---\n.*?^---\n|<!--.*?-->\n*|^```.*?^```$", "", markdown, flags=re.MULTILINE | re.DOTALL)
    heading, _, rest = text.partition("\n\n")
    paragraphs = (part.strip() for part in rest.split("\n\n"))
    prose = next((part for part in paragraphs if part and part[0] not in "#|!-<"), "")
    plain = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", " ".join(prose.split()))
    sentence = re.split(r"(?<=[.:!?]) (?=[A-Z`])", plain)[0].rstrip(":")
    return heading.strip().removeprefix("# "), sentence


SCHEMASTORE = "https://json.schemastore.org/mcpgen.json"
SCHEMA_SUMMARY = "Settings of mcpgen, a code generator for MCP servers"


def _render_schemastore(schema: dict[str, Any]) -> dict[str, str]:
    """Return what SchemaStore is given: the schema under its address there, and the entries that refer to it."""
    files: dict[str, dict[str, Any]] = {
        "mcpgen.json": {"$schema": schema["$schema"], "$id": SCHEMASTORE, **schema},
        "catalog-entry.json": {
            "name": "mcpgen",
            "description": SCHEMA_SUMMARY,
            "fileMatch": ["mcpgen.toml"],
            "url": SCHEMASTORE,
        },
        "pyproject-tool.json": {
            "mcpgen": {"$ref": SCHEMASTORE, "title": "MCP code generator", "description": SCHEMA_SUMMARY}
        },
    }
    return {
        f"schemastore/{name}": json.dumps(value, indent=2, ensure_ascii=False) + "\n" for name, value in files.items()
    }


TABLE = re.compile(r"(<!-- table: (\w+) -->\n).*?(<!-- end -->)", re.DOTALL)


PAGES_WITH_TABLES = ("reference/lint.md", "reference/hosts.md", "guides/tokens.md")


def _insert_tables(page: str) -> str:
    """A page with its tables as they are now."""
    makers = {"rules": _lint_rules, "clients": _lint_clients, "example": _count_example}
    makers |= {"hosts": _list_hosts, "hiding": _group_hosts}
    return TABLE.sub(lambda match: f"{match[1]}\n{makers[match[2]]()}\n{match[3]}", page)


def _lint_rules() -> str:
    default = PackageSettings.model_validate({}).lint.selected
    out = "| code | | runs | `--fix` | source |\n|---|---|---|---|---|\n"
    for rule in LINT_RULES:
        when = "by default" if rule.code.startswith(tuple(default)) else "when selected"
        if rule.clients:
            when = "for " + ", ".join(f"`{name}`" for name in rule.clients)
        fix = "yes" if rule.is_fixable else ""
        link = f"[{rule.code}](../{_link_to_code(rule.code)})"
        out += f"| {link} | {CATALOGUE[rule.code]} | {when} | {fix} | {rule.source} |\n"
    return out


def _make_anchor(title: str) -> str:
    return re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-")


def _lint_clients() -> str:
    out = "| name | | includes the rules of |\n|---|---|---|\n"
    for client in CLIENTS:
        out += f"| `{client.name}` | {client.title} | {f'`{client.sends_to}`' if client.sends_to else ''} |\n"
    return out


def _group_hosts() -> str:
    """Return which hosts show a text next to structured content, by what they do with it."""
    groups: dict[str, list[str]] = {title: [] for title in dict.fromkeys(_RULES.values())}
    for host in HOSTS:
        is_program = host.content.words.startswith("the program decides")
        groups[_RULES["" if is_program else host.structured_rule]].append(host.title)
    rows = (f"| {title} | {', '.join(titles)} |\n" for title, titles in groups.items())
    return "| | text next to structured content |\n|---|---|\n" + "".join(rows)


_RULES: dict[str | None, str] = {
    "instead": "hidden",
    "instead of text": "hidden",
    "never": "shown, and the structured content is not",
    "without content": "shown, and the structured content is not",
    "beside": "both are shown",
    "unless said": "both are shown",
    "whole": "both are shown",
    "": "the program decides",
    None: "shown; whether the structured content is, is unknown",
}


def _list_hosts() -> str:
    """Return a section for each host: its names, and a table of its cells with their sources."""
    out = ""
    for host in HOSTS:
        names = ", ".join(f"`{name}`" for name in host.client_names) or "the program's own"
        title = f"{host.title[0].upper()}{host.title[1:]}, {host.version}"
        out += f"### `{host.name}`\n\n{title}. Introduces itself as: {names}\n\n"
        out += "| | the model reads | source |\n|---|---|---|\n"
        for column, cell in host.list_cells():
            out += f"| {_COLUMNS[column]} | {cell.words} | {cell.source} |\n"
        out += "\n"
    return out.rstrip("\n") + "\n"


_COLUMNS = {
    "content": "text blocks",
    "structured": "`structuredContent`",
    "meta": "`_meta`",
    "errors": "`isError`",
    "links": "links, resources",
    "media": "images, audio",
    "annotations": "audience, priority",
    "names": "names of tools",
    "tools": "tools",
    "descriptions": "descriptions",
    "results": "length of results",
}


def _count_example() -> str:
    """Return the tokens of the example's results by host: as declared, as content alone, and large ones as links."""
    package: Any = load_package(ROOT / "generated")
    results = [make_example_result(package.RESULT_TYPES[name], tool) for name, tool in package.TOOLS.items()]
    out = "| host | as declared | with `content-only` | and links for large results |\n|---|--:|--:|--:|\n"
    for host in HOSTS:
        is_program = host.content.words.startswith("the program decides")
        if host.structured_rule is not None and host.client_names and not is_program:
            count = make_counter(host.vocabulary)
            totals = [0, 0, 0]
            for result in results:
                for column, wire in enumerate(_choose_forms(result, host)):
                    totals[column] += count(read_as(host.name, wire, result._tool.name).text)
            out += f"| `{host.name}` | {' | '.join(f'{total:,}' for total in totals)} |\n"
    return out


def _choose_forms(result: Any, host: Host) -> Iterator[dict[str, Any]]:
    """Yield a result as declared, as content alone, and as a link if that has more than 2,000 bytes as declared."""
    result_class, tool = type(result), result._tool
    yield write_result(result, PROTOCOL)
    result_class._tool = replace(tool, content_only=host.client_names)
    alone = write_result(result, PROTOCOL, host.client_names)
    result_class._tool = tool
    yield alone
    size = len(result.to_wire_json()) if "outputSchema" in tool.definition and not tool.binary else 0
    summary = {"type": "text", "text": summary_text(result.to_structured_content())} if size > 2_000 else {}
    text = format_compact(result.to_structured_content()) if summary else ""
    yield {"content": [summary, make_reference(tool.name, "KEY", text, PROTOCOL)]} if summary else alone


def _insert_code(page: str) -> str:
    """A page with the code that its comments name as it is now."""
    return CODE.sub(lambda match: match[1] + _extract_code(ROOT / match[2], match[3].split()) + match[6], page)


def _extract_code(file: Path, names: list[str]) -> str:
    """Return the parts of a file that have these names; all of it where there are none.

    Raises:
        KeyError: there is no such part.
    """
    text = file.read_text("utf-8")
    parts = _map_definitions(text) if file.suffix == ".py" else _map_entries(text)
    excerpt = "\n\n".join(parts[name] for name in names) if names else text
    return AGAIN.sub(r"\1\3", excerpt)


def _map_definitions(text: str) -> dict[str, str]:
    """Return the classes of a module, and `Class.method` with the first lines of its class."""
    lines, out = text.splitlines(keepends=True), dict[str, str]()
    for node in ast.parse(text).body:
        if isinstance(node, ast.ClassDef):
            out[node.name] = "".join(lines[node.lineno - 1 : node.end_lineno])
            header = "".join(lines[node.lineno - 1 : node.body[0].lineno - 1]).rstrip()
            for method in node.body:
                if isinstance(method, ast.FunctionDef):
                    body = "".join(lines[method.lineno - 1 : method.end_lineno])
                    out[f"{node.name}.{method.name}"] = f"{header}\n    ...\n\n{body}"
    return out


def _map_entries(text: str) -> dict[str, str]:
    """Return the entries of a YAML file's `$defs`, by name."""
    matches = re.finditer(r"^  (\w+):\n(?:(?:    .*)?\n)+", text, re.MULTILINE)
    return {match[1]: match[0].rstrip() + "\n" for match in matches}


def _render_settings(schema: dict[str, Any]) -> str:
    parts = schema["definitions"]
    choice = DeclaredToolChoice.model_json_schema()["properties"]
    resource = ResourceChoice.model_json_schema()["properties"]
    sections = {
        "At the top": schema["properties"],
        "`[limits]`": parts["Limits"]["properties"],
        "`[lint]`": parts["LintSettings"]["properties"],
        "`[budget]`": parts["BudgetSettings"]["properties"],
        "`[diff]`": parts["DiffSettings"]["properties"],
        "`[[diff.acknowledged]]`": parts["Acknowledged"]["properties"],
        '`[tools."get_weather"]`': parts["ToolChoice"]["properties"],
        '`[tools."get_weather".budget]`': parts["ToolBudget"]["properties"],
        "`x-mcpgen` of a Tool or bare schema": choice,
        "`x-mcpgen` of a Resource or ResourceTemplate": resource,
    }
    out = "# Settings\n\n" + NOTE
    out += (
        "Every key of the settings, as `mcpgen.toml` has it. In `pyproject.toml`, the keys at the top are below\n"
        "`[tool.mcpgen]`, and each table begins with that ([how it looks](settings-example.md)). Paths are relative\n"
        "to the file. If a folder has both, only `mcpgen.toml` is read, and a warning says so.\n"
        "Unknown keys and wrong values are errors. [mcpgen.schema.json](../mcpgen.schema.json) is the\n"
        "JSON Schema of the settings; [Editors](../guides/editors.md) says how an editor uses it.\n"
    )
    for title, properties in sections.items():
        out += f"\n## {title}\n\n| key | value | default | |\n|---|---|---|---|\n"
        out += "".join(_render_row(key, schema) for key, schema in properties.items())
    return out


def _render_row(key: str, schema: dict[str, Any]) -> str:
    default = schema.get("default")
    default_text = "" if default is None else f"`{json.dumps(default)}`"
    description = schema.get("description", "").replace("<", "&lt;").replace("|", "\\|")
    return f"| `{key}` | {_describe_value(schema)} | {default_text} | {description} |\n"


def _describe_value(schema: dict[str, Any]) -> str:
    """Return what a key takes, in words."""
    if "enum" in schema:
        return ", ".join(f"`{json.dumps(choice)}`" for choice in schema["enum"])
    if "anyOf" in schema:
        return " or ".join(
            _describe_value(alternative) for alternative in schema["anyOf"] if alternative != {"type": "null"}
        )
    kind = schema.get("type", "table")
    if kind == "array":
        return "tables" if "$ref" in schema["items"] else f"list of {_describe_value(schema['items'])}"
    kind_names = {"string": "text", "boolean": "`true`, `false`", "object": "table"}
    bounds = {"minimum": "at least", "maximum": "at most", "exclusiveMinimum": "more than"}
    limits = [f"{word} {schema[key]:,.15g}" for key, word in bounds.items() if key in schema]
    return ", ".join([kind_names.get(kind, kind), *limits])


if __name__ == "__main__":
    (DOCS / "schemastore").mkdir(parents=True, exist_ok=True)
    for name, text in make_pages().items():
        (DOCS / name).parent.mkdir(exist_ok=True)
        (DOCS / name).write_text(text, "utf-8", newline="\n")
