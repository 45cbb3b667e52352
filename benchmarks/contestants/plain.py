"""Hand-written pydantic without an SDK, the floor (one `model_dump_json`), and the limits (orjson, msgspec).

The limits write the same message with compiled code alone: nothing is checked and no SDK's object is made.
"""

from __future__ import annotations

import base64
import dataclasses
import importlib
import typing
from collections.abc import Callable, Iterator
from typing import Any

from pydantic import BaseModel, TypeAdapter
from pydantic_core import to_json

from benchmarks import values
from benchmarks.cases import DATACLASS, DICT, MODEL, WIRE, Case, format_section, wire_form
from benchmarks.values import BINARY, ROWS, Value

FLOOR = "floor"
BY_HAND = "pydantic by hand"
ORJSON, MSGSPEC = "orjson", "msgspec"


def make_cases() -> list[Case]:
    """Return the cases of both."""
    cases = [
        case for value in values.make_values() for case in [*_make_floor_cases(value), *_make_by_hand_cases(value)]
    ]
    limits = [case for value in values.make_values() if value.name != values.TEXT for case in _make_limits(value)]
    return [*cases, *limits, *_make_binary_cases()]


def _options(value: Value) -> dict[str, Any]:
    """How to leave out what is absent; a value without such properties can do without, and keeps its nulls."""
    return {"exclude_none": True} if value.name in ROWS else {}


def _make_floor_cases(value: Value) -> Iterator[Case]:
    """Yield the structured value's JSON alone, once."""
    instance, as_dataclass, wire_value = value.as_model, value.as_dataclass, value.json
    options, model, adapter = _options(value), value.model, TypeAdapter(value.dataclass)
    runs: dict[str, Callable[[], Any]] = {
        MODEL: lambda: instance.model_dump_json(**options),
        DICT: lambda: model.model_validate(wire_value).model_dump_json(**options),
        DATACLASS: lambda: adapter.dump_json(as_dataclass, **options),
    }
    for form, run in runs.items():
        yield Case(format_section(WIRE, form), value.name, FLOOR, run, lambda result: _check_same(value, result))


def _check_same(value: Value, result: str | bytes) -> None:
    assert wire_form(result) == value.json


def _make_by_hand_cases(value: Value) -> Iterator[Case]:
    """`model_dump` for structuredContent, `model_dump_json` for the text block."""
    instance, as_dataclass, wire_value = value.as_model, value.as_dataclass, value.json
    options, model, adapter = _options(value), value.model, TypeAdapter(value.dataclass)
    own_text = value.name == values.TEXT

    def wire(instance: BaseModel) -> bytes:
        text = render_passage(instance) if own_text else instance.model_dump_json(**options)
        structured = instance.model_dump(mode="json", **options)
        return to_json({"content": [{"type": "text", "text": text}], "structuredContent": structured})

    def from_dataclass() -> bytes:
        text = render_passage(as_dataclass) if own_text else adapter.dump_json(as_dataclass, **options).decode()
        structured = adapter.dump_python(as_dataclass, mode="json", **options)
        return to_json({"content": [{"type": "text", "text": text}], "structuredContent": structured})

    runs: dict[str, Callable[[], Any]] = {
        MODEL: lambda: wire(instance),
        DICT: lambda: wire(model.model_validate(wire_value)),
        DATACLASS: from_dataclass,
    }
    for form, run in runs.items():
        checked = lambda result: values.check(value, wire_form(result), exact=True)  # noqa: E731
        yield Case(format_section(WIRE, form), value.name, BY_HAND, run, checked)


def _make_limits(value: Value) -> Iterator[Case]:
    """Yield the same message from a dict by orjson, and from an instance of a struct by msgspec."""
    orjson, msgspec = importlib.import_module("orjson"), importlib.import_module("msgspec")
    wire_value, instance = value.json, msgspec.convert(value.json, _make_struct(value.dataclass))

    def write(encode: Callable[[Any], bytes], structured: Any) -> bytes:
        block = {"type": "text", "text": encode(structured).decode()}
        return encode({"content": [block], "structuredContent": structured})

    def check(result: bytes) -> None:
        values.check(value, wire_form(result), exact=True)

    encode = msgspec.json.Encoder().encode
    yield Case(format_section(WIRE, DICT), value.name, ORJSON, lambda: write(orjson.dumps, wire_value), check)
    yield Case(format_section(WIRE, MODEL), value.name, MSGSPEC, lambda: write(encode, instance), check)


def _make_struct(cls: Any) -> Any:
    """Return a dataclass as a struct of msgspec, which leaves out members that have their defaults."""
    hints = typing.get_type_hints(cls)
    fields = [
        (field.name, _replace_dataclasses(hints[field.name]))
        if field.default is dataclasses.MISSING
        else (field.name, hints[field.name], field.default)
        for field in dataclasses.fields(cls)
    ]
    return importlib.import_module("msgspec").defstruct(cls.__name__, fields, omit_defaults=True)


def _replace_dataclasses(hint: Any) -> Any:
    if dataclasses.is_dataclass(hint):
        return _make_struct(hint)
    if typing.get_origin(hint) is list:
        return list[_replace_dataclasses(*typing.get_args(hint))]  # type: ignore[misc]
    return hint


def render_passage(passage: Any) -> str:
    """Return the text of `report_passage.content.j2`, as one writes it by hand."""
    aboard = f" and has {passage.pilot} aboard" if passage.pilot is not None else ""
    stops = "".join(f"\n- {stop.name}, for {stop.hours} h\n" for stop in passage.stops)
    return f"{passage.vessel} draws {passage.draught} m{aboard}.\n{stops}"


def _make_binary_cases() -> Iterator[Case]:
    data, text = values.make_chart(), TypeAdapter(str)

    def by_hand() -> bytes:
        encoded = base64.b64encode(data).decode()
        block = {"type": "image", "data": encoded, "mimeType": "image/png"}
        return to_json({"content": [block], "structuredContent": encoded})

    def same(data: bytes) -> None:
        assert wire_form(data) == values.make_chart_text()

    heading = format_section(WIRE, MODEL)
    yield Case(heading, BINARY, FLOOR, lambda: text.dump_json(base64.b64encode(data).decode()), same)
    yield Case(heading, BINARY, BY_HAND, by_hand, lambda result: values.check_binary(wire_form(result)))
