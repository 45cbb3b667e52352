"""One mistake in a definition is one finding: what follows from it is not reported as well."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from mcpgen.schema.values import Json
from support.documents import OBJECT, read_folder, write_files


def make_tool(**members: Any) -> dict[str, Any]:
    return {"name": "a", "inputSchema": OBJECT, **members}


def make_output(properties: Any, **keywords: Any) -> dict[str, Any]:
    return make_tool(outputSchema={"type": "object", "properties": properties, **keywords})


REF: dict[str, Any] = {"x": {"$ref": "#/$defs/X"}}


@pytest.mark.parametrize(
    ("tool", "code", "pointer"),
    [
        (make_tool(inputSchema=[]), "MG101", "/inputSchema"),
        (make_tool(inputSchema="object"), "MG101", "/inputSchema"),
        (make_tool(inputSchema={"type": "objct"}), "MG101", "/inputSchema/type"),
        (make_tool(inputSchema={"type": "object", "$schema": 3}), "MG102", "/inputSchema/$schema"),
        (make_tool(inputSchema={"type": "array"}), "MG004", "/inputSchema/type"),
        (make_tool(outputSchema=None), "MG101", "/outputSchema"),
        ({"nme": "a", "inputSchema": OBJECT}, "MG005", "/nme"),
        (make_output(REF, **{"$defs": "X"}), "MG101", "/outputSchema/$defs"),
        (make_output(REF, **{"$defs": []}), "MG101", "/outputSchema/$defs"),
        (make_output(REF, **{"$defs": {"X": "string"}}), "MG101", "/outputSchema/$defs/X"),
        (
            make_output({**REF, "y": REF["x"]}, **{"$defs": {"X": {"type": "strng"}}}),
            "MG101",
            "/outputSchema/$defs/X/type",
        ),
        (make_output(REF, **{"$defs": {"Y": {}}}), "MG103", "/outputSchema/properties/x/$ref"),
        (
            make_output({"x": {"$ref": "#/models/X"}}, models={"X": {"type": "strng"}}),
            "MG101",
            "/outputSchema/models/X/type",
        ),
        (
            make_output({"x": {"$ref": "#/properties/y/items"}, "y": {"type": "array", "items": [{"type": "string"}]}}),
            "MG101",
            "/outputSchema/properties/y/items",
        ),
    ],
)
def test_a_mistake_of_a_tool(tmp_path: Path, tool: dict[str, Any], code: str, pointer: str) -> None:
    write_files(tmp_path, {"schemas/a.json": {"tools": [tool]}})
    _, findings = read_folder(tmp_path)
    found = [(item.code, item.span.pointer if item.span else None) for item in findings.sorted()]
    assert found == [(code, f"/tools/0{pointer}")]


def test_two_mistakes_are_two_findings(tmp_path: Path) -> None:
    wrong = make_output({"x": {"pattern": "("}, "y": {"type": "string", "pattern": "["}}, required=3)
    write_files(tmp_path, {"schemas/a.json": {**wrong, "description": 4}})
    _, findings = read_folder(tmp_path)
    assert sorted(item.code for item in findings) == ["MG004", "MG101"], "patterns are read in a valid schema"
    write_files(tmp_path, {"schemas/a.json": make_output({"x": {"pattern": "("}, "y": {"pattern": "["}})})
    _, findings = read_folder(tmp_path)
    pointers = [item.span.pointer for item in findings.sorted() if item.span]
    assert pointers == [f"/outputSchema/properties/{name}/pattern" for name in "xy"]


def test_a_pattern_in_a_shared_file_is_reported_there_and_once(tmp_path: Path) -> None:
    tool = make_output({"x": {"$ref": "x.defs.json#/$defs/X"}})
    shared: dict[str, Any] = {"$defs": {"X": {"patternProperties": {"(": {}}}}}
    write_files(
        tmp_path, {"schemas/a.json": tool, "schemas/b.json": {**tool, "name": "b"}, "schemas/x.defs.json": shared}
    )
    _, findings = read_folder(tmp_path)
    (item,) = findings.sorted()
    assert item.span is not None
    assert (item.code, Path(item.span.file).name, item.span.pointer) == (
        "MG101",
        "x.defs.json",
        "/$defs/X/patternProperties/(",
    )


def test_a_template_of_a_tool_whose_schema_is_wrong(tmp_path: Path) -> None:
    write_files(tmp_path, {"schemas/a.json": make_output({"x": {"type": "strng"}})})
    (tmp_path / "schemas/a.content.j2").write_text("{{ x }}")
    _, findings = read_folder(tmp_path)
    assert [item.code for item in findings] == ["MG101"]


@pytest.mark.parametrize("member", ["tools", "resources", "resourceTemplates", "prompts"])
@pytest.mark.parametrize("value", [None, {"a": {"inputSchema": {}}}])
def test_a_listing_that_is_no_list(tmp_path: Path, member: str, value: Json) -> None:
    write_files(tmp_path, {"schemas/a.json": {member: value}})
    _, findings = read_folder(tmp_path)
    (item,) = findings
    assert (item.code, item.message) == ("MG003", f'this looks like a listing whose "{member}" is not a list')
    assert item.help.startswith(f'write {{"{member}": [{{')
