"""Hand-written pydantic without an SDK, and the floor: one `model_dump_json`."""

from __future__ import annotations

import base64
from collections.abc import Callable, Iterator
from typing import Any

from pydantic import BaseModel, TypeAdapter
from pydantic_core import to_json

from benchmarks import values
from benchmarks.cases import DATACLASS, DICT, MODEL, WIRE, Case, section, wire_form
from benchmarks.values import BINARY, ROWS, Value

FLOOR = "floor"
BY_HAND = "pydantic by hand"


def cases() -> list[Case]:
    """The cases of both."""
    found = [case for value in values.values() for case in [*_floor(value), *_by_hand(value)]]
    return [*found, *_binary()]


def _options(value: Value) -> dict[str, Any]:
    """How to leave out what is absent; a value without such properties can do without, and keeps its nulls."""
    return {"exclude_none": True} if value.name in ROWS else {}


def _floor(value: Value) -> Iterator[Case]:
    """The structured value's JSON alone, once."""
    instance, held, given = value.as_model(), value.as_dataclass(), value.json
    options, model, adapter = _options(value), value.model, TypeAdapter(value.dataclass)
    runs: dict[str, Callable[[], Any]] = {
        MODEL: lambda: instance.model_dump_json(**options),
        DICT: lambda: model.model_validate(given).model_dump_json(**options),
        DATACLASS: lambda: adapter.dump_json(held, **options),
    }
    for form, run in runs.items():
        yield Case(section(WIRE, form), value.name, FLOOR, run, lambda made: _same(value, made))


def _same(value: Value, made: str | bytes) -> None:
    assert wire_form(made) == value.json


def _by_hand(value: Value) -> Iterator[Case]:
    """`model_dump` for structuredContent, `model_dump_json` for the text block."""
    instance, held, given = value.as_model(), value.as_dataclass(), value.json
    options, model, adapter = _options(value), value.model, TypeAdapter(value.dataclass)
    own_text = value.name == values.TEXT

    def wire(made: BaseModel) -> bytes:
        text = told(made) if own_text else made.model_dump_json(**options)
        structured = made.model_dump(mode="json", **options)
        return to_json({"content": [{"type": "text", "text": text}], "structuredContent": structured})

    def from_dataclass() -> bytes:
        text = told(held) if own_text else adapter.dump_json(held, **options).decode()
        structured = adapter.dump_python(held, mode="json", **options)
        return to_json({"content": [{"type": "text", "text": text}], "structuredContent": structured})

    runs: dict[str, Callable[[], Any]] = {
        MODEL: lambda: wire(instance),
        DICT: lambda: wire(model.model_validate(given)),
        DATACLASS: from_dataclass,
    }
    for form, run in runs.items():
        checked = lambda made: values.check(value, wire_form(made), exact=True)  # noqa: E731
        yield Case(section(WIRE, form), value.name, BY_HAND, run, checked)


def told(passage: Any) -> str:
    """The text of `report_passage.content.j2`, as one writes it by hand."""
    aboard = f" and has {passage.pilot} aboard" if passage.pilot is not None else ""
    stops = "".join(f"\n- {stop.name}, for {stop.hours} h\n" for stop in passage.stops)
    return f"{passage.vessel} draws {passage.draught} m{aboard}.\n{stops}"


def _binary() -> Iterator[Case]:
    data, text = values.chart(), TypeAdapter(str)

    def by_hand() -> bytes:
        encoded = base64.b64encode(data).decode()
        block = {"type": "image", "data": encoded, "mimeType": "image/png"}
        return to_json({"content": [block], "structuredContent": encoded})

    def same(made: bytes) -> None:
        assert wire_form(made) == values.chart_text()

    heading = section(WIRE, MODEL)
    yield Case(heading, BINARY, FLOOR, lambda: text.dump_json(base64.b64encode(data).decode()), same)
    yield Case(heading, BINARY, BY_HAND, by_hand, lambda made: values.check_binary(wire_form(made)))
