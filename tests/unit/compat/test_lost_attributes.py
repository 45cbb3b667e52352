"""What classes of built packages lose is what `diff` reports: the generated files are read as syntax trees."""

from __future__ import annotations

import ast
import json
import re
from pathlib import Path
from random import Random
from typing import Any

import pytest
from mcpgen.lower.shared_types import SHARED_MODULE
from support.packages import mcpgen

pytestmark = pytest.mark.ci
TOOLS = 24
REMOVED = re.compile(r'tool "(\w+)": (\w+)\.(\w+) is gone: the schema no longer declares ')
NAMES = ("alpha", "beta", "gamma", "delta")


def make_object(random: Random, depth: int) -> dict[str, Any]:
    properties: dict[str, Any] = {}
    for name in random.sample(NAMES, random.randint(2, 4)):
        kinds: list[dict[str, Any]] = [{"type": "number"}, {"enum": ["x", "y", "z"]}, {"type": ["string", "null"]}]
        if depth:
            inner = make_object(random, depth - 1)
            kinds += [inner, {"type": "array", "items": inner}]
        properties[name] = random.choice(kinds)
    schema: dict[str, Any] = {"type": "object", "properties": properties}
    if random.random() < 0.7:
        schema["additionalProperties"] = False
    return schema


def drop_property(schema: dict[str, Any], random: Random) -> dict[str, Any]:
    """Remove a property of an object, mostly of one inside."""
    properties = dict(schema["properties"])
    name = random.choice([*properties])
    inner = properties[name]
    if inner.get("type") == "object" and random.random() < 0.8:
        properties[name] = drop_property(inner, random)
    elif inner.get("type") == "array" and random.random() < 0.8:
        properties[name] = {**inner, "items": drop_property(inner["items"], random)}
    elif len(properties) > 1:
        del properties[name]
    return {**schema, "properties": properties}


def list_attributes(package: Path) -> dict[str, set[str]]:
    """Return the annotated attributes of each class in a package's modules, `module.Class` → attributes."""
    attributes: dict[str, set[str]] = {}
    for path in package.rglob("*.py"):
        if "runtime" in path.parts:
            continue
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.ClassDef) and not any(
                ast.unparse(base).endswith("TypedDict") for base in node.bases
            ):
                fields = {
                    item.target.id
                    for item in node.body
                    if isinstance(item, ast.AnnAssign) and isinstance(item.target, ast.Name)
                }
                attributes.setdefault(f"{path.stem}.{node.name}", set()).update(fields)
    return attributes


@pytest.mark.parametrize("seed", [0, pytest.param(1, marks=pytest.mark.slow)])
def test_every_lost_attribute_is_reported(tmp_path: Path, seed: int) -> None:
    random = Random(seed)
    old, new = tmp_path / "old", tmp_path / "new"
    for index in range(TOOLS):
        output, arguments = make_object(random, 2), make_object(random, 1)
        pairs = [(output, drop_property(output, random)), (arguments, drop_property(arguments, random))]
        for side, folder in enumerate((old, new)):
            folder.mkdir(exist_ok=True)
            tool = {"name": f"tool_{index}", "outputSchema": pairs[0][side], "inputSchema": pairs[1][side]}
            (folder / f"tool_{index}.json").write_text(json.dumps(tool), "utf-8")
    for folder in (old, new):
        built = mcpgen("build", folder.name, "--out", f"{folder.name}_package", cwd=tmp_path)
        assert built.returncode == 0, built.stderr
    before, after = list_attributes(tmp_path / "old_package"), list_attributes(tmp_path / "new_package")
    lost = {name: fields - after.get(name, fields) for name, fields in before.items()}
    assert sum(map(len, lost.values())) > TOOLS / 2
    report = mcpgen("diff", "old", "new", "--only", "names", "--format", "json", cwd=tmp_path)
    messages = [entry["message"] for entry in json.loads(report.stdout)["diagnostics"]]
    reported = {found.groups() for found in map(REMOVED.match, messages) if found}
    for name, attributes in lost.items():
        module, _, class_name = name.partition(".")
        users = {user for user, owner, _ in reported if owner == class_name and module in (user, SHARED_MODULE)}
        for attribute in attributes:
            assert any((user, class_name, attribute) in reported for user in users), (name, attribute)
    for user, class_name, attribute in reported:
        for full_name in (f"{user}.{class_name}", f"{SHARED_MODULE}.{class_name}"):
            if full_name in before and full_name in after:
                assert attribute in lost[full_name], (full_name, attribute)


@pytest.mark.parametrize(
    ("old", "new", "lost"),
    [
        ({"enum": ["a", "b"]}, {"enum": ["a"]}, '"b"'),
        ({"enum": ["a"]}, {"enum": ["a", "b"]}, ""),
        ({"type": "array", "items": {"enum": [1, 2, 3]}}, {"type": "array", "items": {"enum": [2]}}, "items: 1, 3"),
        ({"enum": ["a", "b"]}, {"type": "string"}, ""),  # another rule reports that it may be anything
        ({"enum": ["a", "b"]}, {"anyOf": [{"const": "a"}, {"type": "string"}]}, ""),
        ({"enum": ["a", 1]}, {"type": "string"}, "1"),
        ({"enum": [1, 2]}, {"type": "number"}, ""),
        ({"type": ["number", "null"]}, {"type": "number"}, "null"),
        ({"type": ["number", "null"]}, {"type": ["string", "null"]}, ""),
        ({"type": ["number", "null"]}, {}, ""),
        ({}, {"type": "number"}, ""),
        (
            {"type": "array", "items": {"type": ["number", "null"]}},
            {"type": "array", "items": {"type": "number"}},
            "items: null",
        ),
        (
            {"type": ["array", "null"], "items": {"type": "number"}},
            {"type": "array", "items": {"type": ["number", "null"]}},
            "null",
        ),
        ({"type": "array", "items": {"type": ["number", "null"]}}, {"type": "number"}, ""),
    ],
)
def test_values_that_a_whole_result_loses(tmp_path: Path, old: Any, new: Any, lost: str) -> None:
    for name, schema in (("old", old), ("new", new)):
        tool = {"name": "get", "inputSchema": {"type": "object"}, "outputSchema": schema}
        (tmp_path / f"{name}.json").write_text(json.dumps(tool), "utf-8")
    report = mcpgen("diff", "old.json", "new.json", "--only", "name-value-removed", "--format", "json", cwd=tmp_path)
    messages = [entry["message"] for entry in json.loads(report.stdout)["diagnostics"]]
    subject = "items of GetResult" if lost.startswith("items: ") else "GetResult"
    values = lost.removeprefix("items: ")
    assert messages == ([f'tool "get": {subject} can no longer be {values} (name-value-removed)'] if lost else [])


@pytest.mark.parametrize("required", [[], ["height"]])
@pytest.mark.parametrize("member", ["outputSchema", "inputSchema"])
def test_a_property_that_can_no_longer_be_null(tmp_path: Path, required: list[str], member: str) -> None:
    """Programs that read or return null are told; a null that an argument refuses is an error of another rule."""
    for name, types in (("old", ["number", "null"]), ("new", "number")):
        schema = {"type": "object", "properties": {"height": {"type": types}}, "required": required}
        Path(tmp_path, f"{name}.json").write_text(json.dumps(make_tool(**{member: schema})), "utf-8")
    expected = {"outputSchema": [("name-value-removed", "warning")], "inputSchema": [("input-null-refused", "error")]}
    assert diff(tmp_path) == expected[member]


@pytest.mark.parametrize(
    ("member", "closed", "required"),
    [
        ("outputSchema", {}, []),
        ("outputSchema", {}, ["height"]),
        ("outputSchema", {"additionalProperties": False}, ["height"]),
        ("inputSchema", {}, ["height"]),
        ("inputSchema", {"additionalProperties": False}, []),
    ],
)
def test_who_follows_the_help_about_a_lost_attribute_hears_nothing_more(
    tmp_path: Path, required: list[str], closed: dict[str, Any], member: str
) -> None:
    def write(name: str, properties: list[str], required: list[str]) -> None:
        types = {property: {"type": "number"} for property in properties}
        schema = {"type": "object", "properties": types, "required": required, **closed}
        Path(tmp_path, f"{name}.json").write_text(json.dumps(make_tool(**{member: schema})), "utf-8")

    write("old", ["height"], required)
    write("new", ["tallness"], [])
    (text,) = [entry["help"] for entry in report(tmp_path) if "(name-attribute-removed)" in entry["message"]]
    (presence,) = re.findall('keep "height" in the schema, (required|optional), until', text)
    kept = ["height"] if presence == "required" else []
    write("new", ["height"], kept)
    assert diff(tmp_path) == []
    write("new", ["height", "tallness"], kept)
    breaks = any(severity == "error" for _, severity in diff(tmp_path))
    assert breaks is ("readers of this closed object refuse the new one" in text)
    assert breaks is not (' declare "tallness" as well, optional' in text)


def test_a_class_that_inherits_a_lost_attribute_is_not_reported_too(tmp_path: Path) -> None:
    for name, properties in (("old", {"due": {"enum": ["a", "b"]}, "id": {}}), ("new", {"due": {"enum": ["a"]}})):
        repair = {"type": "object", "title": "Repair", "properties": properties}
        schema = {"$defs": {"Repair": repair}, "$ref": "#/$defs/Repair", "type": "object"}
        Path(tmp_path, f"{name}.json").write_text(json.dumps(make_tool(outputSchema=schema)), "utf-8")
    messages = [entry["message"] for entry in report(tmp_path) if "(name-" in entry["message"]]
    assert sorted(messages, reverse=True) == [
        'tool "get": Repair.id is gone: the schema no longer declares "id" (name-attribute-removed)',
        'tool "get": "due" of Repair can no longer be "b" (name-value-removed)',
    ]


def make_tool(**schemas: Any) -> dict[str, Any]:
    return {"name": "get", "inputSchema": {"type": "object"}, **schemas}


def report(folder: Path) -> list[dict[str, Any]]:
    diagnostics: list[dict[str, Any]] = json.loads(
        mcpgen("diff", "old.json", "new.json", "--format", "json", cwd=folder).stdout
    )["diagnostics"]
    return diagnostics


def diff(folder: Path) -> list[tuple[str, str]]:
    """Return the rules that report a change, and their severities, but for notes."""
    found = [(entry["message"].rpartition("(")[2].rstrip(")"), entry["severity"]) for entry in report(folder)]
    return [entry for entry in found if entry[1] != "note"]
