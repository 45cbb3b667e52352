"""Acknowledgements of changes to definitions in files: what one covers, and what one that fits no change is told."""

from __future__ import annotations

import json
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest
from mcpgen.commands.diff_comparison import DiffComparison, DiffRequest, compare_requested
from mcpgen.compat.change import Change, format_acknowledgement, merge_shared
from support.packages import tool


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def write(folder: str, **files: Any) -> None:
    Path(folder).mkdir(exist_ok=True)
    for name, value in files.items():
        Path(folder, f"{name}.json").write_text(json.dumps(value, indent=1), "utf-8")


def compare(*acknowledged: str) -> DiffComparison:
    entries = [f'[[diff.acknowledged]]\nreason = "x"\n{entry.replace(", ", chr(10))}\n' for entry in acknowledged]
    Path("mcpgen.toml").write_text("".join(entries), "utf-8")
    comparison = compare_requested(DiffRequest((Path("old"), Path("new")), None, (), (), None, 1))
    assert not comparison.findings.failed, [*comparison.findings]
    return comparison


def find_errors(*acknowledged: str) -> list[Change]:
    return [change for change in merge_shared(compare(*acknowledged).changes) if change.breaking]


REFERENCE = {"$ref": "common.defs.json#/$defs/Status"}
WAYS = {
    "plainly": REFERENCE,
    "in a nullable union": {"anyOf": [REFERENCE, {"type": "null"}]},
    "in items": {"type": "array", "items": REFERENCE},
    "in allOf": {"allOf": [REFERENCE], "description": "Where it stands."},
}


@pytest.mark.parametrize(
    ("way", "typed"), [("plainly", {"type": "string"}), *((way, dict[str, str]()) for way in WAYS)]
)
@pytest.mark.parametrize("side", ["outputSchema", "inputSchema"])
def test_an_enum_in_a_shared_file_is_one_change_there(side: str, way: str, typed: dict[str, str]) -> None:
    schema = {"type": "object", "properties": {"status": WAYS[way]}}
    tools = {name: {"name": name, "inputSchema": {"type": "object"}, side: schema} for name in ("a", "b", "c")}
    versions = [("old", ["booked", "done"]), ("new", ["booked", "done", "gone"])]
    for (folder, _), (_, values) in zip(versions, versions if side == "outputSchema" else versions[::-1], strict=True):
        write(folder, **tools)
        write(folder, **{"common.defs": {"$defs": {"Status": {**typed, "enum": values}}}})
    (change,) = find_errors()
    rule = "output-enum-value-added" if side == "outputSchema" else "input-enum-value-removed"
    assert (change.rule.id, change.span.file, change.span.pointer) == (
        rule,
        "new/common.defs.json",
        "/$defs/Status/enum",
    )
    assert change.subjects == ('tool "a"', 'tool "b"', 'tool "c"')
    assert find_errors(f'rule = "{rule}", pointer = "/$defs/Status/enum"') == []


CLOSED = {"type": "object", "properties": {"kept": {}}, "required": ["kept"], "additionalProperties": False}


def add(schema: dict[str, Any], name: str, required: bool) -> None:
    schema["properties"][name] = {"type": "string"}
    schema["required"] += [name] if required else []


@pytest.mark.parametrize(
    ("member", "rule", "required", "is_added"),
    [
        ("outputSchema", "output-property-added-to-closed-object", False, True),
        ("inputSchema", "input-required-property-added", True, True),
        ("inputSchema", "input-property-removed", False, False),
        ("outputSchema", "output-required-property-removed", True, False),
        ("outputSchema", "name-attribute-removed", False, False),
    ],
)
def test_an_acknowledged_change_of_a_property_covers_no_other_property(
    member: str, rule: str, required: bool, is_added: bool
) -> None:
    versions: list[dict[str, Any]] = []
    for names in ((), ("room",), ("room", "ssn")):
        schema = deepcopy(CLOSED)
        for name in names:
            add(schema, name, required)
        versions.append({"name": "book", "inputSchema": {"type": "object"}, member: schema})
    none, one, two = versions
    write("old", book=none if is_added else one)
    write("new", book=one if is_added else none)
    entries = [format_acknowledgement(change) for change in find_errors()]
    assert f'rule = "{rule}", tool = "book", pointer = "/{member}/properties/room"' in entries
    assert find_errors(*entries) == []
    write("old" if not is_added else "new", book=two)
    assert rule in {change.rule.id for change in find_errors(*entries)}
    assert {change.pointer for change in find_errors(*entries)} == {f"/{member}/properties/ssn"}


def test_an_entry_from_before_is_told_the_entry_closest_to_it() -> None:
    objects = {name: {"type": "object", "properties": {}, "additionalProperties": False} for name in "abcde"}
    old: dict[str, Any] = {"type": "object", "properties": {**objects, "state": {"enum": [1]}}, "required": []}
    write("old", get=tool("get", old))
    new = deepcopy(old)
    for name in objects:
        new["properties"][name]["properties"]["x"] = {"type": "string"}
    new["properties"]["state"] = {"enum": [1, 2]}
    write("new", get=tool("get", new))
    (finding,) = compare(
        'rule = "output-property-added-to-closed-object", pointer = "/outputSchema/properties/e/additionalProperties"'
    ).findings
    assert finding.help.startswith(
        'there is rule = "output-property-added-to-closed-object", tool = "get", '
        'pointer = "/outputSchema/properties/e/properties/x"'
    )
    (finding,) = compare(
        'rule = "output-value-added", tool = "get", pointer = "/outputSchema/properties/state"'
    ).findings
    entry = 'rule = "output-enum-value-added", tool = "get", pointer = "/outputSchema/properties/state/enum"'
    assert finding.help == f"there is {entry}"
    assert [*compare(entry).findings] == []


def test_the_tools_of_the_new_version_are_counted() -> None:
    def find_count(*names: str) -> int:
        write("new", tools={"tools": [tool(name) for name in names]})
        return compare().tools

    write("old", tools={"tools": [tool("a"), tool("b")]})
    assert find_count("a", "c") == 2
    assert find_count("a") == 1
    assert find_count("a", "b", "c") == 3
