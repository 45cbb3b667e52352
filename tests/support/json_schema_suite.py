"""The JSON Schema test suite through generated classes: every group is a tool's outputSchema."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from support import corpus
from support.packages import mcpgen

SUITE = corpus.CORPUS / "json-schema-test-suite"
DIALECTS = {
    "draft2020-12": "https://json-schema.org/draft/2020-12/schema",
    "draft7": "http://json-schema.org/draft-07/schema#",
}


@dataclass
class Row:
    """One keyword's outcome."""

    dialect: str
    keyword: str
    groups: int = 0
    tests: int = 0
    agreed: int = 0
    refused_groups: int = 0
    refused_tests: int = 0
    problems: list[str] = field(default_factory=list[str])


def keywords(dialect: str) -> list[str]:
    """Return the names of the required test files of a dialect."""
    folder = SUITE / "tests" / dialect
    return sorted(path.stem for path in folder.glob("*.json")) if folder.is_dir() else []


def groups(dialect: str, keyword: str) -> list[dict[str, Any]]:
    """Return the groups of one file."""
    document: list[dict[str, Any]] = json.loads((SUITE / "tests" / dialect / f"{keyword}.json").read_text("utf-8"))
    return document


def as_output_schema(schema: Any, dialect: str) -> dict[str, Any]:
    """A group's schema as an outputSchema, which has to be an object; a boolean one is reached by a reference."""
    if isinstance(schema, bool):
        holder = "$defs" if dialect == "draft2020-12" else "definitions"
        return {"$schema": DIALECTS[dialect], "$ref": f"#/{holder}/s", holder: {"s": schema}}
    return {"$schema": DIALECTS[dialect], **schema}


def run(dialect: str, expected: list[str], folder: Path) -> list[Row]:
    """Build the groups of some files into one package and hold every test against it."""
    (folder / "mcpgen.toml").write_text(
        f'[ref-map]\n"http://localhost:1234/" = {json.dumps(str(SUITE / "remotes"))}\n', "utf-8"
    )
    rows = {keyword: Row(dialect, keyword) for keyword in expected}
    kept: dict[str, tuple[Row, dict[str, Any]]] = {}
    tools: list[dict[str, Any]] = []
    for keyword, row in rows.items():
        for index, group in enumerate(groups(dialect, keyword)):
            row.groups += 1
            schema = as_output_schema(group["schema"], dialect)
            tool: dict[str, Any] = {
                "name": f"{keyword}-{index}",
                "inputSchema": {"type": "object"},
                "outputSchema": schema,
            }
            if _custom(schema):
                _refuse(row, group, tool, folder)
            else:
                kept[tool["name"]] = (row, group)
                tools.append(tool)
    run = _build(folder, tools, folder / "mcpgen.toml")
    assert "error[" not in run, run
    generated = corpus.load(folder)
    for name, (row, group) in kept.items():
        for test in group["tests"]:
            row.tests += 1
            why = _verdict(generated.RESULT_TYPES[name], test["data"], test["valid"])
            row.agreed += not why
            if why:
                row.problems.append(f"{group['description']} / {test['description']}: {why}")
    return list(rows.values())


def _refuse(row: Row, group: dict[str, Any], tool: dict[str, Any], folder: Path) -> None:
    row.refused_groups += 1
    row.refused_tests += len(group["tests"])
    run = _build(folder / "refused", [tool], folder / "mcpgen.toml")
    if "error[MG102]" not in run:
        row.problems.append(f"{group['description']}: a custom meta-schema was not refused: {run[:200]}")


def _custom(schema: dict[str, Any]) -> bool:
    return str(schema["$schema"]).rstrip("#") not in [uri.rstrip("#") for uri in DIALECTS.values()]


def _build(folder: Path, tools: list[dict[str, Any]], settings: Path) -> str:
    folder.mkdir(exist_ok=True)
    (folder / "tools.json").write_text(json.dumps(tools), "utf-8")
    options = ["--out", str(folder / corpus.package_name(folder)), "--config", str(settings), "--jobs", "1", "--quiet"]
    options += ["--root", str(SUITE)]
    return mcpgen("build", "tools.json", *options, cwd=folder).stderr


def _verdict(result_type: Any, value: Any, valid: bool) -> str:
    from pydantic import ValidationError

    try:
        result = result_type.from_structured_content(value)
    except ValidationError as error:
        return f"wrongly refused: {str(error)[:200]}" if valid else ""
    except Exception as error:  # whatever comes is the finding
        return f"{type(error).__name__}: {str(error)[:200]}"
    if not valid:
        return "wrongly accepted"
    try:
        corpus.round_trip(result_type, value)
    except Exception as error:
        return f"round trip: {type(error).__name__}: {str(error)[:200]} from {result!r:.200}"
    return ""
