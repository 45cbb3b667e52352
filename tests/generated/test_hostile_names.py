"""Every name that Python, pydantic or generated code gives a meaning to, in each place that takes a name."""

from __future__ import annotations

import builtins
import json
import keyword
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from mcpgen.names.identifiers import make_class_stem, make_module_name
from mcpgen.names.reserved import (
    IMPORT_SOURCES,
    RESERVED_NAMES,
    RESOURCE_METHODS,
    RESULT_METHODS,
    SERVER_AND_CLIENT_NAMES,
)
from mcpgen_runtime.arguments import list_parameters
from pydantic import BaseModel, TypeAdapter
from support.packages import get_package, package

pytestmark = pytest.mark.ci

NAMES = sorted(
    {
        *dir(builtins),
        *keyword.kwlist,
        *keyword.softkwlist,
        *IMPORT_SOURCES,
        *RESERVED_NAMES,
        *RESULT_METHODS,
        *RESOURCE_METHODS,
        *SERVER_AND_CLIENT_NAMES,
    }
    | {
        *dir(BaseModel),
        "ctx",
        "OMITTED",
        "_result",
        "shared_types",
        "annotations",
        "__slots__",
        "extras_",
        "everything_open_tool",
    }
)
OWN = sorted(
    {
        *(name for name in dir(builtins) if name.islower()),
        *keyword.kwlist,
        *IMPORT_SOURCES,
        *RESULT_METHODS,
        *SERVER_AND_CLIENT_NAMES,
    }
)


def _kind(index: int) -> dict[str, Any]:
    kinds: list[dict[str, Any]] = [
        {"type": "string"},
        {"type": ["integer", "null"]},
        {"type": "array", "items": {"type": "string"}},
        {"type": "object", "additionalProperties": {"type": "number"}},
        {"enum": ["a", 1]},
    ]
    return kinds[index % len(kinds)]


VALUES: list[Any] = ["x", None, ["a"], {"a": 1.5}, 1]


def _object(names: list[str], **more: Any) -> dict[str, Any]:
    return {"type": "object", "properties": {name: _kind(index) for index, name in enumerate(names)}, **more}


def _value(names: list[str]) -> dict[str, Any]:
    return {name: VALUES[index % len(VALUES)] for index, name in enumerate(names)}


def _all_in_one() -> list[dict[str, Any]]:
    return [
        {
            "name": name,
            "inputSchema": _object(NAMES, additionalProperties=is_open),
            "outputSchema": _object(NAMES, required=NAMES[::2], additionalProperties=is_open),
        }
        for name, is_open in (("everything-closed", False), ("everything-open", True))
    ]


def _each_alone() -> list[dict[str, Any]]:
    """A tool for each name, which is that of its arguments, properties and definitions, too."""
    tools: dict[str, dict[str, Any]] = {}
    for name in OWN:
        inner = {"type": "object", "properties": {name: {"type": "string"}}, "title": name}
        referring = {"$ref": f"#/$defs/{name}"}
        schema = {
            "type": "object",
            "properties": {name: referring, "others": {"type": "array", "items": referring}, "no": {"type": "null"}},
            "required": [name],
            "$defs": {name: inner},
        }
        tools.setdefault(
            make_module_name(name, None).lower(), {"name": name, "inputSchema": schema, "outputSchema": schema}
        )
    taken_names: set[str] = set()
    out: list[dict[str, Any]] = []
    for tool_schema in tools.values():
        stem = make_class_stem(tool_schema["name"], None, "Tool")
        if stem.lower() in taken_names or make_module_name(tool_schema["name"], None) == "":
            continue
        if f"{stem}Result" in RESERVED_NAMES:  # `call_tool` needs a name in Python, which MG201 says
            continue
        taken_names.add(stem.lower())
        out.append(tool_schema)
    return out


VARIABLES = [name for name in NAMES if name.isascii()]
RESOURCES: list[dict[str, Any]] = [
    {"name": "rows", "uri": "r://rows", "mimeType": "application/json", "x-mcpgen": {"schema": _object(NAMES)}}
]
TEMPLATES = [
    {"name": "page", "uriTemplate": "p://" + "/".join(f"{{{name}}}" for name in VARIABLES)},
    {"name": "query", "uriTemplate": "q://all{?" + ",".join(VARIABLES) + "}"},
    {
        "name": "typed",
        "uriTemplate": "t://" + "/".join(f"{{{name}}}" for name in VARIABLES),
        "mimeType": "application/json",
        "x-mcpgen": {"schema": _object(NAMES)},
    },
]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("hostile")


@pytest.fixture(scope="module")
def generated(folder: Path) -> Any:
    pytest.importorskip("mcp_types", reason="mcp 2.x is not installed here")
    return package(folder, _all_in_one(), "--sdk", "mcp", resources=RESOURCES, resourceTemplates=TEMPLATES)


@pytest.fixture(scope="module")
def alone(tmp_path_factory: pytest.TempPathFactory) -> Any:
    pytest.importorskip("mcp_types", reason="mcp 2.x is not installed here")
    return package(tmp_path_factory.mktemp("alone"), _each_alone(), "--sdk", "mcp")


def _round_trip(cls: Any, value: dict[str, Any]) -> Any:
    """Read, constructed by Python names and written, to the same value."""
    instance = cls.model_validate(value, by_alias=True, by_name=False)
    assert instance.to_structured_content() == value
    names = {field.alias or name: name for name, field in cls.model_fields.items()}
    assert cls(**{names[wire]: getattr(instance, names[wire]) for wire in value}) == instance
    assert json.loads(instance.model_dump_json()) == value
    return instance


@pytest.mark.parametrize("name", ["everything-closed", "everything-open"])
def test_an_object_may_have_properties_of_all_these_names(name: str, generated: Any) -> None:
    value = _value(NAMES)
    instance = _round_trip(generated.RESULT_TYPES[name], value)
    _round_trip(generated.ARGUMENT_TYPES[name], value)
    cls = generated.RESULT_TYPES[name]
    result = cls.normalize(instance)
    assert cls.normalize(value) == result == cls.normalize_any(instance)
    assert cls.from_call_tool_result(result) == instance
    assert instance.model_copy() == instance


@pytest.mark.slow
def test_a_tool_may_have_any_of_these_names_and_use_it_for_everything(alone: Any) -> None:
    package = get_package(alone)
    assert set(alone.TOOLS) == set(alone.RESULT_TYPES)
    for item in _each_alone():
        name = item["name"]
        value = {name: {name: "x"}, "others": [{name: "y"}]}
        _round_trip(alone.RESULT_TYPES[name], value)
        _round_trip(alone.ARGUMENT_TYPES[name], value)
        assert package.find_tool(package.tool_attributes[name]).name == name


def test_a_resource_may_have_variables_and_properties_of_these_names(generated: Any) -> None:
    value = _value(NAMES)
    for name in ("page", "typed"):
        cls = generated.RESOURCE_TYPES[name]
        uri = ("p://" if name == "page" else "t://") + "/".join(f"v{index}" for index, _ in enumerate(VARIABLES))
        match = cls.match(uri)
        assert match is not None
        assert cls.uri(**match) == uri
    assert generated.RESOURCE_TYPES["query"].uri() == "q://all"
    for name in ("rows", "typed"):
        instance = _round_trip(generated.RESOURCE_TYPES[name], value)
        text = generated.RESOURCE_TYPES[name].normalize_any(instance, "t://x").contents[0].text
        assert json.loads(text) == value


@pytest.mark.slow
@pytest.mark.parametrize("which", ["generated", "alone"])
def test_mypy_understands_all_of_it(which: str, request: pytest.FixtureRequest) -> None:
    built = request.getfixturevalue(which)
    command = [sys.executable, "-m", "mypy", "--strict", "--no-incremental", built.__name__]
    folder = Path(built.__file__).parent.parent
    run = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=600)
    assert run.returncode == 0, run.stdout[-4000:]


def test_an_argument_may_have_an_empty_name(tmp_path: Path) -> None:
    schema = {"type": "object", "properties": {"": {"type": "string"}, "a b": {"type": "integer"}}, "required": [""]}
    generated = package(tmp_path, [{"name": "odd", "inputSchema": schema}])
    value = {"": "x", "a b": 1}
    arguments = TypeAdapter(generated.OddArguments).validate_python(value)
    assert arguments.to_structured_content() == arguments.model_dump() == value
    assert {parameter.wire for parameter in list_parameters(generated.OddArguments).values()} == {"", "a b"}
