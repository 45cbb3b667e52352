"""Reading structuredContent with all checks of its schema: mcpgen, pydantic's classes, jsonschema-rs.

pydantic checks what types can say, jsonschema-rs all the rest and makes no instance; mcpgen does both.
"""

from __future__ import annotations

import importlib
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import jsonschema_rs
import orjson

from benchmarks import values
from benchmarks.cases import READ, READ_TEXT, Case
from benchmarks.contestants.generated import name_contestant

SCHEMAS = Path(__file__).resolve().parents[1] / "schemas"
PYDANTIC, JSONSCHEMA = "pydantic, types alone", "jsonschema-rs, no instance"
TWO_STEPS = "orjson, then from_call_tool_result"
TREE, PATTERNS, UNEVALUATED = "recursive, 500 nodes", "3 patterns, 200 rows", "unevaluated, 200 rows"


def make_cases(package: str, sdk: str) -> list[Case]:
    """Return the cases of all contestants; `package` is the generated one, `sdk` what it was built for."""
    types = importlib.import_module(package).RESULT_TYPES
    cases = [case for name, tool, value in list_values() for case in _make_value_cases(name, tool, value, types, sdk)]
    for value in values.make_values():
        validate, data = value.model.model_validate, value.json
        cases.append(Case(READ, value.name, PYDANTIC, _call(validate, data), _check_instance))
        if value.name != values.TEXT:
            cases += _make_text_cases(value.name, types[value.tool], data, sdk)
    return cases


def list_values() -> list[tuple[str, str, Any]]:
    """Return the values: a heading, the tool, the JSON value."""
    codes = [
        {"code": f"AB-{number:04}", "email": f"pilot{number}@harbour.example", "path": f"/quay/{number}/log.txt"}
        for number in range(200)
    ]
    kinds = ("pier", "lock", "bridge")
    structures = [
        {"name": f"Structure {number}", "kind": kinds[number % 3], **({"height": 4.5} if number % 3 else {"berths": 7})}
        for number in range(200)
    ]
    return [
        *((value.name, value.tool, value.json) for value in values.make_values()),
        (TREE, "list_folder", {"root": _make_tree(500)}),
        (PATTERNS, "list_codes", {"codes": codes}),
        (UNEVALUATED, "list_structures", {"entries": structures}),
    ]


def _make_tree(count: int) -> dict[str, Any]:
    """Return a tree of so many nodes, each with up to three children."""
    nodes: list[dict[str, Any]] = [{"name": f"entry {number}", "size": number} for number in range(count)]
    for number in range(1, count):
        nodes[(number - 1) // 3].setdefault("entries", []).append(nodes[number])
    return nodes[0]


def _make_value_cases(name: str, tool: str, value: Any, types: Any, sdk: str) -> Iterator[Case]:
    schema = json.loads((SCHEMAS / f"{tool}.json").read_text("utf-8"))["outputSchema"]
    yield Case(READ, name, name_contestant(sdk), _call(types[tool].from_structured_content, value), _check_instance)
    yield Case(READ, name, JSONSCHEMA, _call(jsonschema_rs.Draft202012Validator(schema).is_valid, value), _check_valid)


def _make_text_cases(name: str, cls: Any, value: Any, sdk: str) -> Iterator[Case]:
    """Read the JSON of a result in one step, and parse it before."""
    text, read = cls.from_structured_content(value).to_wire_json(), cls.from_call_tool_result
    yield Case(READ_TEXT, name, name_contestant(sdk), _call(cls.from_wire_json, text), _check_instance)
    yield Case(READ_TEXT, name, TWO_STEPS, lambda: read(orjson.loads(text)), _check_instance)


def _call(function: Callable[[Any], Any], value: Any) -> Callable[[], Any]:
    return lambda: function(value)


def _check_instance(instance: Any) -> None:
    assert instance.model_fields_set


def _check_valid(valid: bool) -> None:
    assert valid is True
