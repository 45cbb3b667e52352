"""Each key of the settings declares which cached results it affects, and no cache ignores a change of it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin

import pytest
from mcpgen import app
from mcpgen.cache.store import Store
from mcpgen.config.models import Affects, CachedResult, ConfiguredPackage, PackageSettings, SettingsTable, ToolChoice
from mcpgen.lower.normalize import limits
from mcpgen.pipeline.outcome import Outcome
from mcpgen.schema.formats import NATIVE_FORMATS, FormatName
from pydantic import ValidationError
from pydantic.fields import FieldInfo
from support.packages import tool

BASE: dict[str, Any] = {"sdk": "mcp", "ref-map": {"https://far.test/": "near"}, "schemas": ["schemas"]}
"""The settings that each case changes in one key."""
CHOSEN: dict[tuple[str, ...], list[Any]] = {
    ("schemas",): [["schemas", "more"]],
    ("out",): ["elsewhere"],
    ("ref-map",): [{"https://far.test/": "far"}],
    ("runtime",): ["vendored"],
    ("client",): [False],
    ("app-types",): ["elsewhere.d.ts"],
    ("tools",): [
        *({"get_a": {"content": "none"}}, {"get_a": {"name": "fetch_a"}}, {"nothing": {"name": "x"}}),
        {"get_a": {"formats": {"date-time": "native"}}},
        *(
            {"get_a": {"returns": "acme.models:Weather"}},
            {"get_a": {"lenient": True}},
            {"get_a": {"exceptions": "sdk"}},
            {"get_a": {"content-only": ["codex"]}},
        ),
    ],
    ("content-only",): [["codex"], ["a client"]],
    ("formats",): ["native", {"date-time": "native"}, {"date": "native"}],
    ("prompts",): [
        {"greet": {"name": "hail"}},
        {"greet": {"arguments": {"to": {"enum": ["a"]}}}},
        {"no": {"name": "x"}},
    ],
    ("forms",): [{"sure": {"name": "certain"}}, {"no": {"name": "x"}}],
    ("resources",): [
        *({"page": {"ttlMs": 5}}, {"page": {"name": "leaf"}}, {"nothing": {"name": "x"}}),
        {"page": {"formats": {"date-time": "native"}}},
    ],
    ("types",): [{"get_a#output/$defs/inner/properties/x": "Chosen"}],
    ("lint", "select"): [["MG931"]],
    ("lint", "ignore"): [["MG902"]],
    ("lint", "clients"): [["typescript-sdk-1"]],
    ("diff",): [{"off": ["models"]}],
    ("wrap",): ["always", "legacy"],  # the default, too: a choice of it counts for pulled tools
}
"""Other values of the keys whose types don't tell any."""
LOCATIONS = [("schemas",), ("out",)]
"""Keys that no key of a cache contains, although they affect the output: what is at these paths is looked at."""
TIME = ("limits", "seconds")
"""A key whose effect depends on the machine, and on the types that this process has generated before."""
PROPERTIES = {
    "when": {"type": "string", "format": "date-time"},
    "far": {"$ref": "https://far.test/unit.json"},
    "size": {"anyOf": [{"type": "integer"}, {"type": "array", "items": {"enum": ["a", "b"]}}]},
    "kind": {"enum": [f"kind {number}" for number in range(60)]},  # more values than the schema has subschemas
    "inner": {"allOf": [{"$ref": "#/$defs/inner"}, {"$ref": "#/$defs/inner"}]},
}
FILES: dict[str, Any] = {
    "schemas/get_a.json": tool(
        "get_a",
        {
            "type": "object",
            "properties": PROPERTIES,
            "$defs": {"inner": {"type": "object", "properties": {"x": {"type": "object", "properties": {"y": {}}}}}},
        },
    ),
    "schemas/pulled/server.json": {
        "generated": {"by": "mcpgen pull", "protocol": "2025-06-18"},
        "tools": [tool("get_list", {"type": "array", "items": {"type": "string"}})],
    },
    "schemas/greet.json": {"name": "greet", "arguments": [{"name": "to"}]},
    "schemas/sure.json": {
        "name": "sure",
        "message": "Sure?",
        "requestedSchema": {"type": "object", "properties": {"sure": {"type": "boolean"}}},
    },
    "schemas/page.json": {"name": "page", "uri": "x://page", "icons": [{"src": "ftp://x"}]},
    "near/unit.json": {"type": "string"},
    "far/unit.json": {"type": "integer"},
    "more/get_more.json": tool("get_more"),
}
YAML = "name: get_b\ninputSchema: &object\n  type: object\n  properties: {x: {type: string}}\noutputSchema: *object\n"


def list_keys(table: type[SettingsTable], prefix: tuple[str, ...] = ()) -> dict[tuple[str, ...], FieldInfo]:
    """Return the fields of a table and of the tables in it, by the path of their keys."""
    fields: dict[tuple[str, ...], FieldInfo] = {}
    for name, field in table.model_fields.items():
        path = (*prefix, field.alias or name)
        if isinstance(field.annotation, type) and issubclass(field.annotation, SettingsTable):
            fields |= list_keys(field.annotation, path)
        else:
            fields[path] = field
    return fields


KEYS = list_keys(PackageSettings)


def get_declared(path: tuple[str, ...]) -> frozenset[CachedResult]:
    (declaration,) = [metadata for metadata in KEYS[path].metadata if isinstance(metadata, Affects)]
    return declaration.results


def generate_values(annotation: Any, default: Any) -> list[Any]:
    """Return values of a type other than the default: the other choices, or the smallest number."""
    origin = get_origin(annotation)
    if origin is Annotated:
        return generate_values(get_args(annotation)[0], default)
    if origin in (Union, UnionType):
        return [
            value for part in get_args(annotation) if part is not NoneType for value in generate_values(part, default)
        ]
    if origin is Literal:
        return [choice for choice in get_args(annotation) if choice != default]
    values: dict[Any, list[Any]] = {bool: [not default], int: [1], float: [1e-9]}
    if annotation not in values:
        raise LookupError(f"no values of {annotation} can be made up: write some for the new key into CHOSEN")
    return values[annotation]


def nest(path: tuple[str, ...], value: Any) -> dict[str, Any]:
    return {path[0]: value if len(path) == 1 else nest(path[1:], value)}


CASES = {
    path: CHOSEN[path] if path in CHOSEN else generate_values(field.annotation, field.default)
    for path, field in KEYS.items()
}


def configure(folder: Path, changes: dict[str, Any]) -> ConfiguredPackage:
    return ConfiguredPackage(settings=PackageSettings.model_validate({**BASE, **changes}), folder=folder)


def describe(outcome: Outcome) -> tuple[object, ...]:
    """Return everything that a run produces."""
    files = outcome.generated
    if files is None:
        return None, outcome.findings.sorted()
    counts = (files.tool_count, files.class_count)
    return dict(files.texts), outcome.findings.sorted(), *counts


def ignore_progress(*_: object) -> None:
    pass


def generate(package: ConfiguredPackage, store: Store) -> tuple[object, ...]:
    return describe(app.generate_package(package, 1, ignore_progress, store))


class Project:
    """A folder whose output each setting changes, and caches that have seen the base settings."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        for name, value in FILES.items():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_text(json.dumps(value), "utf-8")
        (folder / "schemas" / "get_b.yaml").write_text(YAML, "utf-8")
        self.warm, self.stored = Store(is_warm=True), Store(folder / "cache")
        self.base = self.generate_cold({})
        assert self.base[0] is not None, self.base[1]
        assert generate(configure(folder, {}), self.stored) == self.base

    def generate_cold(self, changes: dict[str, Any]) -> tuple[object, ...]:
        return describe(app.generate_package(configure(self.folder, changes), 1, ignore_progress))


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Project]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(limits, "MIN_TYPE_BUDGET", 1)  # so that small schemas exceed `limits.unfolding`
        yield Project(tmp_path_factory.mktemp("project"))


def test_every_key_has_another_value() -> None:
    assert all(CASES.values())
    assert all(value != KEYS[path].default or path == ("wrap",) for path, values in CASES.items() for value in values)


@pytest.mark.ci
@pytest.mark.parametrize("path", CASES, ids=".".join)
def test_no_cache_ignores_a_change_of_a_key(project: Project, path: tuple[str, ...]) -> None:
    effects: list[bool] = []
    for value in CASES[path]:
        changes = nest(path, value)
        cold = project.generate_cold(changes)
        effects.append(cold != project.base)
        assert generate(configure(project.folder, {}), project.warm) == project.base
        assert generate(configure(project.folder, changes), project.warm) == cold
        assert generate(configure(project.folder, changes), project.stored) == cold
    if path not in (*LOCATIONS, TIME):
        assert any(effects) == bool(get_declared(path)), "`Affects` in config/models.py is not what the key does"


def test_a_key_without_a_declaration_is_refused() -> None:
    with pytest.raises(TypeError, match=r"Forgetful\.azure does not declare what it affects"):

        class Forgetful(SettingsTable):
            azure: bool = False


def test_a_selection_holds_the_keys_that_are_set_and_affect_the_result() -> None:
    table = {"sdk": "mcp", "out": "x", "limits": {"depth": 9, "classes": 7, "pages": 3}}
    settings = PackageSettings.model_validate(table)
    assert settings.select(CachedResult.DEFINITIONS) == {"sdk": "mcp", "limits": {"depth": 9}}
    assert settings.select(CachedResult.IR) == {"limits": {"classes": 7}}
    assert settings.select(*CachedResult) == {"sdk": "mcp", "limits": {"depth": 9, "classes": 7}}


def test_an_explicit_default_is_selected() -> None:
    assert PackageSettings.model_validate({}).select(*CachedResult) == {}
    assert PackageSettings.model_validate({"wrap": "legacy"}).select(CachedResult.DEFINITIONS) == {"wrap": "legacy"}


@pytest.mark.parametrize("value", ["natve", "string", {"datetime": "native"}, {"date": "annotation"}, 1, True, []])
def test_formats_are_all_none_or_a_table_of_known_ones(value: object) -> None:
    for model in (PackageSettings, ToolChoice):
        with pytest.raises(ValidationError):
            model.model_validate({"formats": value})


def test_formats_of_the_settings_are_those_that_have_a_type() -> None:
    assert get_args(FormatName) == NATIVE_FORMATS
