"""mcpgen: the classes that `mcpgen build` made from `benchmarks/schemas` for an SDK."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterator
from typing import Any

from benchmarks import values
from benchmarks.cases import DATACLASS, DICT, HAND, MODEL, OBJECT, WIRE, Case, section, wire_form
from benchmarks.values import BINARY, ROWS, Value

CONTENTS = {"count_berths": "template", "export_berths": "no text"}
"""The tools that list the rows with another text for the model than JSON."""


def contestant(sdk: str) -> str:
    """What mcpgen is called, on an SDK or on none."""
    named = {"mcp": "mcp 2.x", "mcp1": "mcp 1.x", "fastmcp": "fastmcp", "dedalus": "dedalus-mcp"}
    return f"mcpgen on {named[sdk]}" if sdk in named else "mcpgen alone"


def cases(package: str, sdk: str) -> list[Case]:
    """The cases of a generated package; `sdk` is what it was built for."""
    types = importlib.import_module(package).RESULT_TYPES
    name = contestant(sdk)
    found = [case for value in values.values() for case in _forms(value, value.name, types[value.tool], name)]
    for value in values.values():
        if value.name in ROWS:
            for tool, text in CONTENTS.items():
                found += _from_instance(value, f"{value.name}, {text}", types[tool], name)
    return [*found, *_binary(types["get_chart"], name)]


def _forms(value: Value, row: str, cls: Any, name: str) -> Iterator[Case]:
    yield from _from_instance(value, row, cls, name)
    given, held, by_hand = value.json, value.as_dataclass(), value.as_model()

    def read() -> bytes:
        made: bytes = cls.model_validate(given, by_alias=True, by_name=False).to_wire_json()
        return made

    def converted(other: Any) -> bytes:
        text: str = cls.normalize_any(other).model_dump_json(by_alias=True, exclude_none=True)
        return text.encode()

    runs: dict[tuple[str, str], Callable[[], Any]] = {
        (OBJECT, DICT): lambda: cls.normalize(given),
        (WIRE, DICT): read,
        (OBJECT, DATACLASS): lambda: cls.normalize_any(held),
        (WIRE, DATACLASS): lambda: converted(held),
        (OBJECT, HAND): lambda: cls.normalize_any(by_hand),
        (WIRE, HAND): lambda: converted(by_hand),
    }
    for (target, form), run in runs.items():
        yield Case(section(target, form), row, name, run, _checked(value))


def _from_instance(value: Value, row: str, cls: Any, name: str) -> Iterator[Case]:
    made = cls.from_structured_content(value.json)
    yield Case(section(OBJECT, MODEL), row, name, made.to_call_tool_result, _checked(value))
    yield Case(section(WIRE, MODEL), row, name, made.to_wire_json, _checked(value))


def _checked(value: Value) -> Callable[[Any], None]:
    return lambda made: values.check(value, wire_form(made), exact=True)


def _binary(cls: Any, name: str) -> Iterator[Case]:
    """From an instance of the bytes; making it, which encodes them, is part of what is timed, as for the others."""
    data = values.chart()
    runs = {OBJECT: lambda: cls(data).to_call_tool_result(), WIRE: lambda: cls(data).to_wire_json()}
    for target, run in runs.items():
        yield Case(section(target, MODEL), BINARY, name, run, lambda made: values.check_binary(wire_form(made)))
