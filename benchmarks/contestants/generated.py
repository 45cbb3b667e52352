"""mcpgen: the classes that `mcpgen build` made from `benchmarks/schemas` for an SDK."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterator
from typing import Any

from benchmarks import values
from benchmarks.cases import DATACLASS, DICT, HAND, MODEL, OBJECT, WIRE, Case, format_section, wire_form
from benchmarks.values import BINARY, ROWS, Value

CONTENTS = {"count_berths": "template", "export_berths": "no text"}
"""The tools that list the rows with another text for the model than JSON."""


def name_contestant(sdk: str) -> str:
    """Return what mcpgen is called, on an SDK or on none."""
    named = {"mcp": "mcp 2.x", "mcp1": "mcp 1.x", "fastmcp": "fastmcp", "dedalus": "dedalus-mcp"}
    return f"mcpgen on {named[sdk]}" if sdk in named else "mcpgen alone"


def make_cases(package: str, sdk: str) -> list[Case]:
    """Return the cases of a generated package; `sdk` is what it was built for."""
    types = importlib.import_module(package).RESULT_TYPES
    name = name_contestant(sdk)
    cases = [case for value in values.make_values() for case in _make_forms(value, value.name, types[value.tool], name)]
    for value in values.make_values():
        if value.name in ROWS:
            for tool, text in CONTENTS.items():
                cases += _convert_instance(value, f"{value.name}, {text}", types[tool], name)
    return [*cases, *_make_binary_cases(types["get_chart"], name)]


def _make_forms(value: Value, row: str, cls: Any, name: str) -> Iterator[Case]:
    yield from _convert_instance(value, row, cls, name)
    wire, as_dataclass, by_hand = value.json, value.as_dataclass, value.as_model

    runs: dict[tuple[str, str], Callable[[], Any]] = {
        (OBJECT, DICT): lambda: cls.normalize(wire),
        (WIRE, DICT): lambda: cls.normalize_to_json(wire),
        (OBJECT, DATACLASS): lambda: cls.normalize_any(as_dataclass),
        (WIRE, DATACLASS): lambda: cls.normalize_to_json(as_dataclass),
        (OBJECT, HAND): lambda: cls.normalize_any(by_hand),
        (WIRE, HAND): lambda: cls.normalize_to_json(by_hand),
    }
    for (target, form), run in runs.items():
        yield Case(format_section(target, form), row, name, run, _make_check(value))


def _convert_instance(value: Value, row: str, cls: Any, name: str) -> Iterator[Case]:
    instance = cls.from_structured_content(value.json)
    yield Case(format_section(OBJECT, MODEL), row, name, instance.to_call_tool_result, _make_check(value))
    yield Case(format_section(WIRE, MODEL), row, name, instance.to_wire_json, _make_check(value))


def _make_check(value: Value) -> Callable[[Any], None]:
    return lambda result: values.check(value, wire_form(result), exact=True)


def _make_binary_cases(cls: Any, name: str) -> Iterator[Case]:
    """From an instance of the bytes; making it, which encodes them, is part of what is timed, as for the others."""
    data = values.make_chart()
    runs = {OBJECT: lambda: cls(data).to_call_tool_result(), WIRE: lambda: cls(data).to_wire_json()}
    for target, run in runs.items():
        yield Case(
            format_section(target, MODEL), BINARY, name, run, lambda result: values.check_binary(wire_form(result))
        )
