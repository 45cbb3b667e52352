"""Any Python value as JSON: what each kind becomes, and the place of what has no form."""

from __future__ import annotations

import datetime
import decimal
import enum
import ipaddress
import json
import math
import pathlib
import types
import uuid
from dataclasses import dataclass, field
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pydantic import BaseModel, Field, SecretStr, TypeAdapter

from mcpgen_runtime.conversion import to_json_form
from mcpgen_runtime.errors import NoJsonForm, NoJsonType
from mcpgen_runtime.sdk.none.types import ClosedObject

UTC = datetime.UTC


class Colour(enum.Enum):
    RED = "red"


class Level(enum.IntEnum):
    HIGH = 3


class Slotted:
    __slots__ = ("_hidden", "shown", "unset")

    def __init__(self) -> None:
        self.shown, self._hidden = b"\x89PNG", 1


class Model(BaseModel):
    wind_speed: float = Field(alias="windSpeed")
    taken: datetime.datetime


@dataclass
class Reading:
    at: datetime.datetime
    tags: set[str] = field(default_factory=set)


NOON = datetime.datetime(2026, 7, 28, 12, tzinfo=UTC)
FORMS: list[tuple[Any, Any]] = [
    (decimal.Decimal("2.0"), 2),
    (decimal.Decimal("1.10"), 1.1),
    (decimal.Decimal("0.10000000000000000001"), "0.10000000000000000001"),
    (decimal.Decimal("1E-400"), "1E-400"),
    (decimal.Decimal("1E+400"), 10**400),
    (decimal.Decimal("1E+1000000"), "1E+1000000"),
    (NOON, "2026-07-28T12:00:00Z"),
    (datetime.datetime(2026, 7, 28, 12), "2026-07-28T12:00:00"),
    (
        datetime.datetime(2026, 7, 28, 12, tzinfo=datetime.timezone(datetime.timedelta(seconds=20))),
        "2026-07-28T11:59:40Z",
    ),
    (datetime.date(26, 7, 28), "0026-07-28"),
    (datetime.time(12, 30), "12:30:00"),
    (datetime.timedelta(0), "P0D"),
    (datetime.timedelta(days=1, hours=2, minutes=3, seconds=4, microseconds=500), "P1DT2H3M4.0005S"),
    (datetime.timedelta(minutes=-90), "-PT1H30M"),
    (uuid.UUID(int=1), "00000000-0000-0000-0000-000000000001"),
    (pathlib.PurePosixPath("/a/b"), "/a/b"),
    (ipaddress.ip_network("10.0.0.0/8"), "10.0.0.0/8"),
    (Colour.RED, "red"),
    (Level.HIGH, 3),
    (b"\xff\xfe", "//4="),
    (bytearray(b"ab"), "YWI="),
    (memoryview(b"ab"), "YWI="),
    ((1, (2,)), [1, [2]]),
    ({7}, [7]),
    ((n for n in range(2)), [0, 1]),
    ({2: "a", None: "b", Colour.RED: "e"}.keys(), [2, None, "red"]),
    (
        {2: "a", None: "b", True: "c", 1.5: "d", Colour.RED: "e"},
        dict(zip("2 null true 1.5 red".split(), "abcde", strict=True)),
    ),
    (Reading(NOON, {"x"}), {"at": "2026-07-28T12:00:00Z", "tags": ["x"]}),
    (Model(windSpeed=1.5, taken=NOON), {"windSpeed": 1.5, "taken": "2026-07-28T12:00:00Z"}),
    (Slotted(), {"shown": "iVBORw=="}),
    (types.SimpleNamespace(a=1, _b=2), {"a": 1}),
    (SecretStr("hidden"), "**********"),
]


@pytest.mark.parametrize(("value", "form"), FORMS, ids=range(len(FORMS)))
def test_forms(value: Any, form: Any) -> None:
    result = to_json_form(value)
    assert result == form
    assert type(result) is type(form) or (isinstance(result, dict) and isinstance(form, dict))


class Tide(ClosedObject):
    state: str

    def to_structured_content(self) -> dict[str, Any]:
        return {"is": self.state}


def test_generated_classes_say_their_own_json() -> None:
    assert to_json_form({"held": Tide(state="ebbing")}) == {"held": {"is": "ebbing"}}


class Odd:
    pass


def _cycle() -> list[Any]:
    nested: list[Any] = []
    nested.append({"back": nested})
    return nested


def _deep() -> list[Any]:
    nested: list[Any] = []
    for _ in range(100_000):
        nested = [nested]
    return nested


REFUSED: list[tuple[Any, str, type[NoJsonForm]]] = [
    ({"a": [1, {"b/c": math.nan}]}, "/a/1/b~1c", NoJsonForm),
    (math.inf, "", NoJsonForm),
    (decimal.Decimal("NaN"), "", NoJsonForm),
    ({"a": "\ud800"}, "/a", NoJsonForm),
    ({"\ud800": 1}, "", NoJsonForm),
    ({1: 1, "1": 2}, "/1", NoJsonForm),
    (_cycle(), "/0/back", NoJsonForm),
    (_deep(), "", NoJsonForm),
    ([Odd()], "/0", NoJsonType),
    ({(1, 2): 3}, "", NoJsonType),
    ({"a": Reading}, "/a", NoJsonType),
    ([len], "/0", NoJsonType),
    (Exception("x"), "", NoJsonType),
]


@pytest.mark.parametrize(("value", "pointer", "kind"), REFUSED, ids=range(len(REFUSED)))
def test_what_json_cannot_hold_is_refused_with_its_place(value: Any, pointer: str, kind: type[NoJsonForm]) -> None:
    with pytest.raises(NoJsonForm) as caught:
        to_json_form(value)
    assert type(caught.value) is kind
    assert caught.value.pointer == pointer
    assert isinstance(caught.value, TypeError) == (kind is NoJsonType)


def test_the_same_value_twice_is_no_cycle() -> None:
    nested = [1]
    assert to_json_form([nested, nested, {"a": nested}]) == [[1], [1], {"a": [1]}]


JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**70), 2**70)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=20,
)


@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(JSON)
def test_json_is_its_own_form(value: Any) -> None:
    assert json.dumps(to_json_form(value)) == json.dumps(value)


@given(st.timedeltas())
def test_durations_read_back(value: datetime.timedelta) -> None:
    text = to_json_form(value)
    if abs(value) < datetime.timedelta(days=900_000):  # what pydantic's own parser takes
        assert TypeAdapter(datetime.timedelta).validate_python(text) == value


@given(st.decimals(allow_nan=False, allow_infinity=False))
def test_decimals_keep_their_value(value: decimal.Decimal) -> None:
    form = to_json_form(value)
    assert decimal.Decimal(repr(form) if isinstance(form, float) else str(form)) == value
