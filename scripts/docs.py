"""Write the pages of docs/ that are made from the code: `python scripts/docs.py`.

docs/diagnostics.md comes from the explanations, docs/breaking-changes.md from the rules of `diff`,
docs/mcpgen.schema.json, docs/schemastore and docs/settings.md from the settings' models, the tables of docs/lint.md
from those of `mcpgen lint`. Of docs/serializers.md only the code is made:
behind a comment `code: FILE NAME …` are those classes and methods of a generated file, or that entry of a YAML file.
`tests/docs/test_docs.py` says when they are not current.
"""

from __future__ import annotations

import ast
import json
import re
from pathlib import Path
from typing import Any

from mcpgen.compat.registry import RULES
from mcpgen.compat.rules.rule import CATEGORY_CODES, Category
from mcpgen.config.json_schema import build_settings_schema, format_settings_schema
from mcpgen.config.models import DefinitionChoice, PackageSettings, ResourceChoice
from mcpgen.diagnostics import CATALOGUE
from mcpgen.explanations import read_explanation
from mcpgen.lint.clients import CLIENTS
from mcpgen.lint.registry import LINT_RULES

ROOT = Path(__file__).resolve().parent.parent
DOCS = ROOT / "docs"
CODE = re.compile(r"(<!-- code: (\S+)([^>]*) -->\n\n```(\w+)\n)(.*?)(^```$)", re.MULTILINE | re.DOTALL)
AGAIN = re.compile(r"(class (\w+)[^\n]*\n    \.\.\.\n)(.*?)\n\nclass \2\b[^\n]*\n    \.\.\.\n", re.DOTALL)
"""Two methods of one class, whose line comes once."""
NOTE = "<!-- Made by `python scripts/docs.py`. Do not edit. -->\n\n"
FAMILIES = {
    "0": "Files and definitions",
    "1": "Schemas",
    "2": "Names",
    "3": "Settings",
    "4": "Output",
    "5": "Content",
    "6": "Generated packages",
    "7": "Running servers",
    "8": "Breaking changes",
    "9": "Clients and models",
}


def make_pages() -> dict[str, str]:
    """Return the text of every page, by its name."""
    schema = build_settings_schema()
    return {
        "breaking-changes.md": _render_rules(),
        "diagnostics.md": _render_diagnostics(),
        "lint.md": _insert_tables((DOCS / "lint.md").read_text("utf-8")),
        "mcpgen.schema.json": format_settings_schema(),
        **_render_schemastore(schema),
        "serializers.md": _insert_code((DOCS / "serializers.md").read_text("utf-8")),
        "settings.md": _render_settings(schema),
    }


def _render_diagnostics() -> str:
    out = "# Diagnostics\n\n" + NOTE
    out += "What each code means, an example that triggers it, how to fix it; `mcpgen explain CODE` prints the same.\n"
    family = ""
    for code, meaning in sorted(CATALOGUE.items()):
        if code[2] != family:
            family = code[2]
            out += f"\n## MG{family}xx: {FAMILIES[family]}\n"
        text = re.sub(r"^## ", "#### ", read_explanation(code), flags=re.MULTILINE)
        out += f"\n### {code}: {meaning}\n\n{text}"
    return out


def _render_rules() -> str:
    out = "# Breaking changes\n\n" + NOTE
    out += (
        "Every rule of `mcpgen diff`. A category or a rule is left out by `--off`, or by `off` in the settings; one\n"
        "change is acknowledged there by its rule. `tests/unit/compat/rules/` has an old and a new definition "
        "for each.\n"
    )
    for category in Category:
        rules = [rule for rule in RULES.values() if rule.category is category]
        code = CATEGORY_CODES[category]
        out += f"\n## `{category}`: {code}, {CATALOGUE[code]}\n\n| rule | | |\n|---|---|---|\n"
        out += "".join(f"| `{rule.id}` | {rule.severity} | {rule.doc} |\n" for rule in rules)
    return out


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


def _insert_tables(page: str) -> str:
    """A page with the tables of `mcpgen lint` as they are now."""
    tables = {"rules": _lint_rules(), "clients": _lint_clients()}
    return TABLE.sub(lambda match: f"{match[1]}\n{tables[match[2]]}\n{match[3]}", page)


def _lint_rules() -> str:
    default = PackageSettings.model_validate({}).lint.selected
    out = "| code | | asked | `--fix` | from |\n|---|---|---|---|---|\n"
    for rule in LINT_RULES:
        when = "by default" if rule.code.startswith(tuple(default)) else "when selected"
        if rule.clients:
            when = "for " + ", ".join(f"`{name}`" for name in rule.clients)
        fix = "yes" if rule.is_fixable else ""
        link = f"[{rule.code}](diagnostics.md#{rule.code.lower()}-{_make_anchor(CATALOGUE[rule.code])})"
        out += f"| {link} | {CATALOGUE[rule.code]} | {when} | {fix} | {rule.source} |\n"
    return out


def _make_anchor(title: str) -> str:
    return re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-")


def _lint_clients() -> str:
    out = "| name | | with the rules of |\n|---|---|---|\n"
    for client in CLIENTS:
        out += f"| `{client.name}` | {client.title} | {f'`{client.sends_to}`' if client.sends_to else ''} |\n"
    return out


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
    """Return the classes of a module, and `Class.method` with the line of its class."""
    lines, out = text.splitlines(keepends=True), dict[str, str]()
    for node in ast.parse(text).body:
        if isinstance(node, ast.ClassDef):
            out[node.name] = "".join(lines[node.lineno - 1 : node.end_lineno])
            for method in node.body:
                if isinstance(method, ast.FunctionDef):
                    body = "".join(lines[method.lineno - 1 : method.end_lineno])
                    out[f"{node.name}.{method.name}"] = f"{lines[node.lineno - 1]}    ...\n\n{body}"
    return out


def _map_entries(text: str) -> dict[str, str]:
    """Return the entries of a YAML file's `$defs`, by name."""
    matches = re.finditer(r"^  (\w+):\n(?:(?:    .*)?\n)+", text, re.MULTILINE)
    return {match[1]: match[0].rstrip() + "\n" for match in matches}


def _render_settings(schema: dict[str, Any]) -> str:
    parts = schema["definitions"]
    choice = {name: parts["ToolChoice"]["properties"][name] for name in DefinitionChoice.model_fields}
    resource = ResourceChoice.model_json_schema()["properties"]
    sections = {
        "`[tool.mcpgen]`": schema["properties"],
        "`[tool.mcpgen.limits]`": parts["Limits"]["properties"],
        "`[tool.mcpgen.lint]`": parts["LintSettings"]["properties"],
        "`[tool.mcpgen.budget]`": parts["BudgetSettings"]["properties"],
        "`[tool.mcpgen.diff]`": parts["DiffSettings"]["properties"],
        "`[[tool.mcpgen.diff.acknowledged]]`": parts["Acknowledged"]["properties"],
        '`[tool.mcpgen.tools."get_weather"]`': parts["ToolChoice"]["properties"],
        '`[tool.mcpgen.tools."get_weather".budget]`': parts["ToolBudget"]["properties"],
        "`x-mcpgen` of a Tool or bare schema": choice,
        "`x-mcpgen` of a Resource or ResourceTemplate": resource,
    }
    out = "# Settings\n\n" + NOTE
    out += (
        "The settings stand in `[tool.mcpgen]` of `pyproject.toml`, or at the top of `mcpgen.toml`. Paths are\n"
        "relative to that file. Unknown keys and wrong values are errors. [mcpgen.schema.json](mcpgen.schema.json) is\n"
        "their JSON Schema; [editors](editors.md) says how an editor uses it.\n"
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
        (DOCS / name).write_text(text, "utf-8", newline="\n")
