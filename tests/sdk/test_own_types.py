"""Handlers of lenient tools get their arguments as the types that they say, as from the SDK's own decorators."""

from __future__ import annotations

import datetime
import decimal
import enum
import importlib
import json
import pathlib
import re
import uuid
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, NamedTuple

import pytest
from pydantic import AnyUrl, BaseModel, Field, SecretStr
from sdk import exchange
from sdk.exchange import SDK
from support.packages import built
from typing_extensions import TypedDict

pytestmark = pytest.mark.skipif(SDK in (None, "dedalus"), reason="no SDK is here whose decorators convert arguments")


class Colour(enum.Enum):
    RED = "red"
    BLUE = "blue"


class Level(enum.IntEnum):
    LOW = 1
    HIGH = 2


class Point(BaseModel):
    n: int
    colour: Colour = Colour.RED


@dataclass
class Pair:
    first: int
    second: Colour


class Named(TypedDict):
    when: datetime.date


class Both(NamedTuple):
    a: int
    b: str


CASES: dict[str, tuple[Any, list[Any]]] = {
    "url": (AnyUrl, ["https://a.example/b", "nothing", 5]),
    "described": (Annotated[AnyUrl, Field(description="Where?")], ["http://a", ""]),
    "colour": (Colour, ["red", "green", 1]),
    "level": (Level, [1, 2, 3]),
    "maybe": (Colour | None, ["blue", None, "x"]),
    "moment": (datetime.datetime, ["2026-11-23T10:00:00Z", "soon"]),
    "day": (datetime.date, ["2026-11-23", "2026-13-01"]),
    "id": (uuid.UUID, ["12345678-1234-5678-1234-567812345678", "x"]),
    "price": (decimal.Decimal, ["1.50", 2, "x"]),
    "path": (pathlib.Path, ["/tmp/a", "b", 5]),
    "numbers": (set[int], [[1, 2], ["1"], [None]]),
    "couple": (tuple[int, str], [[1, "a"], [1]]),
    "point": (Point, [{"n": 1}, {"n": 2, "colour": "blue"}, {"n": 1, "colour": "green"}, {}]),
    "points": (list[Point], [[{"n": 1}], [], [{"n": "x"}]]),
    "by_name": (dict[str, Point], [{"a": {"n": 1}}, {"a": 1}]),
    "pair": (Pair, [{"first": 1, "second": "red"}, {"first": 1}]),
    "named": (Named, [{"when": "2026-11-23"}, {"when": "x"}]),
    "both": (Both, [[1, "b"], [1]]),
    "secret": (SecretStr, ["a"]),
    "words": (Sequence[str], [["a", "b"], "a"]),
    "plain": (list[dict[str, int | None]], [[{"a": 1}], [{"a": None}]]),
    "colours": (list[Colour], [["red"], ["x"]]),
}
CALLS = [(name, value) for name, (_, values) in CASES.items() for value in values]


def make_handler(name: str, annotation: Any) -> Callable[..., str]:
    def handler(x: Any) -> str:
        return f"{type(x).__name__} {x!r}"

    handler.__name__ = name
    handler.__annotations__ = {"x": annotation, "return": str}
    return handler


def ask(server: Any) -> tuple[list[dict[str, Any]], list[tuple[bool, str]]]:
    async def ask_all(connection: Any) -> Any:
        tools = [*(await exchange.listed(connection)).values()]
        return tools, [await exchange.call(connection, name, {"x": value}) for name, value in CALLS]

    tools, answers = exchange.talk(server, ask_all)
    failed = [answer.get("isError", False) for answer in answers]
    return tools, [
        (is_wrong, "" if is_wrong else exchange.text(answer)) for is_wrong, answer in zip(failed, answers, strict=True)
    ]


@pytest.fixture(scope="module")
def answers(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[tuple[bool, str]]]:
    handlers = {name: make_handler(name, annotation) for name, (annotation, _) in CASES.items()}
    decorated = exchange.server()
    for handler in handlers.values():
        exchange.decorate(decorated, handler)
    tools, expected = ask(decorated)
    folder = tmp_path_factory.mktemp("own_types")
    (folder / "schemas/pulled").mkdir(parents=True)
    (folder / "schemas/pulled/tools.json").write_text(json.dumps({"tools": tools}), "utf-8")
    (folder / "mcpgen.toml").write_text(f'sdk = "{SDK}"\nlenient = true\n', "utf-8")
    generated = built(folder)
    server = exchange.server()
    bound = generated.bind(server)
    for name, handler in handlers.items():
        getattr(bound, name)(handler)
    return {"decorated": expected, "bound": ask(server)[1]}


@pytest.mark.parametrize("index", range(len(CALLS)), ids=[f"{name} {value!r}" for name, value in CALLS])
def test_a_handler_gets_what_it_gets_from_the_sdk(answers: dict[str, list[tuple[bool, str]]], index: int) -> None:
    assert answers["bound"][index] == answers["decorated"][index]


@pytest.fixture(scope="module")
def strict(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """A package of one tool, which is not lenient."""
    folder = tmp_path_factory.mktemp("strict")
    (folder / "schemas").mkdir()
    point = {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}
    schema = {
        "type": "object",
        "properties": {
            "x": {"anyOf": [point, {"type": "null"}]},
            "rows": {"type": "array", "items": {"type": "array", "items": {**point, "title": "Row"}}},
            "free": {"type": "object"},
            "either": {"anyOf": [{**point, "title": "A"}, {**point, "title": "B", "required": []}]},
        },
    }
    definition = {"name": "move", "inputSchema": schema}
    (folder / "schemas/move.json").write_text(json.dumps(definition), "utf-8")
    return built(folder, "--sdk", str(SDK))


def make_mover(annotation: Any, name: str = "x") -> Callable[..., Any]:
    """Return a handler whose parameter of this name has an annotation."""

    def move(x: Any = None, rows: Any = None, free: Any = None, either: Any = None) -> str:
        return f"{x} {rows} {free} {either}"

    move.__annotations__ = {name: annotation}
    return move


DESCRIBED = Annotated[Point, Field(description="Where")]


@pytest.mark.parametrize("annotation", [Point, Point | None, list[Point], DESCRIBED, Pair, dict[str, Pair]])
def test_a_model_that_the_handler_would_not_get_is_an_error(strict: Any, annotation: Any) -> None:
    tools = strict.bind(exchange.server())
    with pytest.raises(TypeError, match=r"'x' is annotated with .*(Point|Pair), but the handler gets .*lenient = true"):
        tools.move(make_mover(annotation))


@pytest.mark.parametrize("name", ["x", "rows"])
def test_the_error_says_which_class_the_handler_gets(strict: Any, name: str) -> None:
    sent: dict[str, Any] = {"x": {"n": 1}, "rows": [[{"n": 1}]]}
    value = getattr(strict.tools.move.MoveArguments.model_validate(sent), name)
    cls = type(value[0][0] if name == "rows" else value)
    assert getattr(importlib.import_module(cls.__module__), cls.__name__) is cls
    with pytest.raises(TypeError, match=f"annotate it with {re.escape(cls.__module__)}.{cls.__name__}, or write"):
        strict.bind(exchange.server()).move(make_mover(Point, name))


@pytest.mark.parametrize("name", ["free", "either"])
def test_without_one_class_the_error_names_none(strict: Any, name: str) -> None:
    with pytest.raises(TypeError, match="annotate it with a type of the generated package, or write"):
        strict.bind(exchange.server()).move(make_mover(Point, name))


@pytest.mark.parametrize("annotation", [Any, object, "Unknown", BaseModel, Named])
def test_other_annotations_are_left_to_type_checkers(strict: Any, annotation: Any) -> None:
    strict.bind(exchange.server()).move(make_mover(annotation))
