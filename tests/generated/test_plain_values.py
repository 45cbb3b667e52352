"""What a result sends is what the check saw, whatever Python object is put into an instance."""

from __future__ import annotations

import collections
import contextlib
import copy
import dataclasses
import datetime
import decimal
import enum
import fractions
import json
import math
import uuid
from collections.abc import Callable, Iterator
from functools import partial
from types import MappingProxyType
from typing import Any, NamedTuple

import jsonschema_rs
import pydantic
import pytest
from mcpgen_runtime.json_values import odd_part
from mcpgen_runtime.schema_check import SchemaCheck
from mcpgen_runtime.server_binding import BoundTool
from mcpgen_runtime.tool_result import CheckedValue
from support.packages import get_tool, package, tool


class Text(str):
    def __str__(self) -> str:
        return "another"


class Whole(int):
    def __int__(self) -> int:
        return 9

    def __repr__(self) -> str:
        return "7"

    __str__ = __repr__


class Real(float):
    def __float__(self) -> float:
        return 9.5

    def __repr__(self) -> str:
        return "7.5"


class Row(list[Any]):
    def __iter__(self) -> Iterator[Any]:
        return iter(["another"])


class Members(dict[str, Any]):
    def items(self) -> Any:
        return [("z", "another")]


class Kind(enum.Enum):
    TEXT = "x"
    WHOLE = 1
    REAL = 1.5
    DECIMAL = decimal.Decimal("2.5")
    LIST = [1]  # noqa: RUF012
    NONE = None


class WholeKind(enum.IntEnum):
    ONE = 1


class TextKind(str, enum.Enum):  # noqa: UP042
    X = "x"


@dataclasses.dataclass
class Data:
    a: int = 1


class Model(pydantic.BaseModel):
    a: int = 1


class Pair(NamedTuple):
    a: int
    b: int


class Scalar:
    """As the scalars of array libraries."""

    def __float__(self) -> float:
        return 1.5

    def __index__(self) -> int:
        return 1


ODD: dict[str, Any] = {
    **{f"decimal {text}": decimal.Decimal(text) for text in ("1.5", "2", "1E+2", "0.10000000000000000001", "NaN")},
    **{f"enum {item.name}": item for item in (*Kind, WholeKind.ONE, TextKind.X)},
    "subclass of str": Text("x"),
    "subclass of int": Whole(1),
    "subclass of float": Real(1.5),
    "subclass of list": Row([1]),
    "subclass of dict": Members(a=1),
    "fraction": fractions.Fraction(1, 2),
    "datetime": datetime.datetime(2026, 1, 2, tzinfo=datetime.UTC),
    "date": datetime.date(2026, 1, 2),
    "time": datetime.time(1),
    "timedelta": datetime.timedelta(1),
    "uuid": uuid.UUID(int=1),
    "bytes": b"x",
    "bytearray": bytearray(b"x"),
    "memoryview": memoryview(b"x"),
    "set": {1},
    "frozenset": frozenset({1}),
    "tuple": (1, 2),
    "named tuple": Pair(1, 2),
    "deque": collections.deque([1]),
    "read-only mapping": MappingProxyType({"a": 1}),
    "dataclass": Data(),
    "model": Model(),
    "scalar": Scalar(),
    "complex": 1j,
    "ellipsis": ...,
    "keys that are no text": {1: 2},
    "keys that are enums": {TextKind.X: 1},
    "keys that are decimals": {decimal.Decimal(1): 1},
    "nan": math.nan,
    "infinity": math.inf,
    "true": True,
    "huge": 10**400,
    "surrogate": "\ud800",
    "list of a decimal": [decimal.Decimal("1.5")],
    "object of a decimal": {"a": decimal.Decimal("1.5")},
    "list of an enum": [Kind.WHOLE],
}
NUMBER, INTEGER, TEXT = {"type": "number"}, {"type": "integer"}, {"type": "string"}
FIELDS: dict[str, tuple[Any, Any]] = {
    "number": (NUMBER, 1.5),
    "bounded": ({"type": "number", "minimum": 0, "maximum": 1000}, 1.5),
    "multiple": ({"type": "number", "multipleOf": 0.5}, 1.5),
    "integer": (INTEGER, 1),
    "string": (TEXT, "x"),
    "matching": ({"type": "string", "pattern": "^."}, "x"),
    "boolean": ({"type": "boolean"}, True),
    "null": ({"type": "null"}, None),
    "nullable": ({"type": ["number", "null"]}, 1.5),
    "either": ({"type": ["number", "string"]}, 1.5),
    "constant": ({"const": 1}, 1),
    "choice": ({"enum": ["x", 1, 1.5, None]}, "x"),
    "base64": ({"type": "string", "contentEncoding": "base64"}, "eA=="),
    "moment": ({"type": "string", "format": "date-time"}, "2026-01-02T03:04:05Z"),
    "numbers": ({"type": "array", "items": NUMBER}, [1.5]),
    "integers": ({"type": "array", "items": INTEGER, "uniqueItems": True}, [1]),
    "pair": ({"type": "array", "prefixItems": [NUMBER, TEXT], "minItems": 2, "items": False}, [1.5, "x"]),
    "map": ({"type": "object", "additionalProperties": NUMBER}, {"a": 1.5}),
    "object": ({"type": "object", "properties": {"a": NUMBER}, "required": ["a"]}, {"a": 1.5}),
    "numbers or text": ({"anyOf": [{"type": "array", "items": NUMBER}, TEXT]}, [1.5]),
    "anything": ({}, 1.5),
}
VALUE = {name: value for name, (_, value) in FIELDS.items()}
OBJECT = {
    "type": "object",
    "properties": {name: schema for name, (schema, _) in FIELDS.items()},
    "required": [*FIELDS],
    "additionalProperties": NUMBER,
}
VALID = jsonschema_rs.Draft202012Validator(OBJECT).is_valid
NONE = {"x-mcpgen": {"content": "none"}}
WAYS: dict[str, Callable[[Any, str, Any], None]] = {
    "put in": lambda instance, name, odd: instance.__dict__.__setitem__(name, odd),
    "put into": lambda instance, name, odd: _put_into(instance.__dict__[name], odd),
}


def _put_into(container: Any, odd: Any) -> None:
    """Put a value in place of the first part of another, where that has parts."""
    container = getattr(container, "__dict__", container)
    if isinstance(container, list):
        container[0] = odd
    elif isinstance(container, dict):
        container[next(iter(container))] = odd


@pytest.fixture(scope="module")
def generated(tmp_path_factory: pytest.TempPathFactory) -> Any:
    tools = [tool("all", OBJECT), tool("silent", OBJECT, **NONE)]
    tools += [tool(f"only_{name.replace(' ', '_')}", schema) for name, (schema, _) in FIELDS.items()]
    declared = {"name": "text", "uri": "text://all", "mimeType": "application/json", "x-mcpgen": {"schema": OBJECT}}
    return package(tmp_path_factory.mktemp("plain"), tools, "--sdk", "mcp", resources=[declared])


def _changed(cls: Any, odd: Any) -> Iterator[tuple[str, Any]]:
    """Instances that were changed in place and hold an odd value somewhere, each with the place of it."""
    fields = {field.alias or name: name for name, field in cls.model_fields.items()}
    for wire, name in fields.items():
        for way, change in WAYS.items():
            instance = cls.from_structured_content(copy.deepcopy(VALUE))
            change(instance, name, odd)
            yield f"{way} {wire}", instance
    instance = cls.from_structured_content({**copy.deepcopy(VALUE), "undeclared": 1})
    instance.model_extra["undeclared"] = odd
    yield "undeclared", instance


def _constructed(cls: Any, odd: Any) -> Iterator[tuple[str, Any]]:
    """Instances that pydantic made of an odd value without validation, each with the place of it."""

    class Assigned(cls):  # type: ignore[misc]
        model_config = pydantic.ConfigDict(frozen=False)

    instance = cls.from_structured_content(copy.deepcopy(VALUE))
    members = {**instance.__dict__}
    for name in (*cls.model_fields, "undeclared"):
        with contextlib.suppress(ValueError):
            yield f"constructed {name}", cls.model_construct(**{**members, name: odd})
        with contextlib.suppress(ValueError):
            update = {name: odd} if name in members else {"extras": {name: odd}}
            yield f"copied {name}", instance.model_copy(update=update)
        assigned = Assigned.from_structured_content(copy.deepcopy(VALUE))
        with contextlib.suppress(ValueError):
            setattr(assigned, name, odd)
            yield f"assigned {name}", assigned
    inner = type(members["object"])
    with contextlib.suppress(ValueError):
        yield "constructed inside", cls.model_construct(**{**members, "object": inner.model_construct(a=odd)})


def _same(value: Any, other: Any) -> bool:
    return json.dumps(value, sort_keys=True) == json.dumps(other, sort_keys=True)


@pytest.mark.parametrize("odd", ODD.values(), ids=ODD)
def test_what_was_made_without_validation_satisfies_its_schema_or_is_an_error(odd: Any, generated: Any) -> None:
    for name in ("all", "silent"):
        cls = generated.RESULT_TYPES[name]
        bound = BoundTool.of(get_tool(generated, name), lambda **arguments: None, ())
        for where, instance in _constructed(cls, odd):
            for send in (partial(cls.normalize, instance), partial(cls.normalize, ("said", instance))):
                with contextlib.suppress(generated.ResultError, ValueError):
                    _hold(send(), where)
            result = bound.answer(instance, "2025-11-25")
            if not result.is_error:
                _hold(result, where)
            _hold_verified(instance, where)


@pytest.mark.parametrize("odd", ODD.values(), ids=ODD)
def test_what_was_changed_in_place_is_verified_where_that_is_asked_for(odd: Any, generated: Any) -> None:
    for name in ("all", "silent"):
        for where, instance in _changed(generated.RESULT_TYPES[name], odd):
            _hold_verified(instance, where)


def _hold_verified(instance: Any, where: str) -> None:
    """Whatever writes an instance with `verify` writes what is valid, or nothing."""
    with contextlib.suppress(ValueError):
        _hold(instance.to_call_tool_result(verify=True), where)
    for wire in (instance.to_wire, instance.to_wire_json):
        with contextlib.suppress(ValueError):
            sent = wire(verify=True)
            sent = json.loads(sent if isinstance(sent, bytes) else json.dumps(sent))
            assert VALID(sent["structuredContent"]), where


def _hold(result: Any, where: str) -> None:
    """Assert that the sent result is valid, and the same for every way in which a program looks at it."""
    sent = json.loads(result.model_dump_json(by_alias=True, exclude_unset=True))
    assert VALID(sent["structuredContent"]), where
    assert _same(result.structured_content, sent["structuredContent"]), where
    texts = [block["text"] for block in sent["content"] if block["type"] == "text" and block["text"] != "said"]
    assert all(_same(json.loads(text), sent["structuredContent"]) for text in texts), where


def _normalize_constructed(cls: Any, odd: Any) -> Any:
    return cls.normalize(cls.model_construct(odd))


@pytest.mark.parametrize("odd", ODD.values(), ids=ODD)
def test_a_root_that_was_changed_is_an_error_or_what_its_schema_allows(odd: Any, generated: Any) -> None:
    for name, (schema, value) in FIELDS.items():
        cls = generated.RESULT_TYPES[f"only_{name.replace(' ', '_')}"]
        if "root" not in cls.model_fields:
            continue
        instance = cls.from_structured_content(copy.deepcopy(value))
        instance.__dict__["root"] = odd
        for send in (partial(instance.to_call_tool_result, verify=True), partial(_normalize_constructed, cls, odd)):
            try:
                result = send()
            except ValueError:
                continue
            sent = json.loads(result.model_dump_json(by_alias=True, exclude_unset=True))["structuredContent"]
            inner = sent["result"] if isinstance(sent, dict) and sent.keys() == {"result"} else sent
            assert jsonschema_rs.Draft202012Validator(schema).is_valid(inner), name


@pytest.mark.parametrize("odd", ODD.values(), ids=ODD)
def test_the_text_of_a_resource_satisfies_its_schema_or_there_is_an_error(odd: Any, generated: Any) -> None:
    cls = generated.RESOURCE_TYPES["text"]
    for where, instance in (*_changed(cls, odd), *_constructed(cls, odd)):
        try:
            text = cls.normalize_any(instance).contents[0].text
        except ValueError:
            continue
        assert jsonschema_rs.Draft202012Validator(OBJECT).is_valid(json.loads(text)), where


def test_the_error_says_where_the_odd_value_is(generated: Any) -> None:
    cls = generated.RESULT_TYPES["all"]
    instance = cls.from_structured_content(copy.deepcopy(VALUE))
    instance.__dict__["numbers"] = [1, decimal.Decimal("1.5")]
    message = "should be a JSON value, got a value of type Decimal"
    with pytest.raises(pydantic.ValidationError, match=message) as refused:
        instance.to_call_tool_result(verify=True)
    assert refused.value.errors()[0]["loc"] == ("numbers", 1)
    with pytest.raises(ValueError, match=f"^AllResult: /numbers/1: {message}$"):
        cls.model_construct(**instance.__dict__)
    with pytest.raises(ValueError, match=f"^AllResult: /undeclared: {message}$"):
        cls.model_construct(undeclared=decimal.Decimal("1.5"))
    with pytest.raises(ValueError, match=f"/a: {message}$"):
        type(instance.object).model_construct(a=decimal.Decimal("1.5"))
    root = generated.RESULT_TYPES["only_number"]
    with pytest.raises(ValueError, match=f"/root: {message}$"):
        root.model_construct(decimal.Decimal("1.5"))


def test_model_construct_makes_what_it_made(generated: Any) -> None:
    """JSON values of any kind, valid or not, instances and bytes; absent ones have their defaults."""
    cls = generated.RESULT_TYPES["all"]
    instance = cls.from_structured_content({**copy.deepcopy(VALUE), "undeclared": 1})
    again = cls.model_construct({*instance.model_fields_set}, **instance.__dict__, **instance.model_extra)
    assert again == instance
    assert cls.normalize(again) == cls.normalize(instance)
    assert cls.model_construct(number="none").number == "none"
    with pytest.raises(generated.ResultError):
        cls.normalize(cls.model_construct(number="none"))


def test_parts_that_hold_themselves_or_are_there_often_are_looked_at_once(generated: Any) -> None:
    ring: list[Any] = [1]
    ring.append(ring)
    assert odd_part(ring) is None
    often: Any = [1]
    for _ in range(200):
        often = [often, often]
    assert odd_part(often) is None
    often[1][0].append(decimal.Decimal(1))
    assert odd_part(often) is not None
    deep: Any = decimal.Decimal(1)
    for _ in range(30_000):
        deep = {"a": deep}
    problem = odd_part(deep)
    assert problem is not None
    assert problem.path == ("a",) * 30_000


@pytest.mark.parametrize("name", ["all", "silent"])
def test_what_validation_made_in_the_call_is_not_held_against_the_schema_again(
    name: str, generated: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    cls = generated.RESULT_TYPES[name]
    checked: list[object] = []
    is_valid = SchemaCheck.is_valid

    def noted(check: Any, value: object) -> bool:
        checked.append(value)
        return bool(is_valid(check, value))

    monkeypatch.setattr(SchemaCheck, "is_valid", noted)
    once = int(issubclass(cls, CheckedValue))
    instance = cls.from_structured_content(copy.deepcopy(VALUE))
    checked.clear()
    cls.normalize(copy.deepcopy(VALUE))
    assert len(checked) == once
    checked.clear()
    cls.normalize(instance)
    assert len(checked) == 1


def test_an_instance_in_a_dict_is_held_against_the_schema(generated: Any) -> None:
    inner = generated.RESULT_TYPES["silent"].from_structured_content(copy.deepcopy(VALUE)).object
    inner.__dict__["a"] = "x"
    for value in ({**VALUE, "object": inner}, MappingProxyType({**VALUE, "object": inner})):
        with pytest.raises(generated.ResultError, match="/object/a"):
            generated.RESULT_TYPES["silent"].normalize(value)
