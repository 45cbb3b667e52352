"""Handlers as people have them: their defaults, and every kind of callable, on whichever SDK is installed."""

from __future__ import annotations

import asyncio
import functools
import importlib.util
import inspect
from collections.abc import AsyncIterator, Callable
from typing import Annotated, Any, ClassVar

import jsonschema_rs
import pytest
from pydantic import Field
from sdk import exchange
from sdk.exchange import MODERN, SDK, VERSIONS
from support.packages import tool

pytestmark = pytest.mark.skipif(SDK is None, reason="no SDK is installed here")
ASKED: dict[str, Any] = {
    "type": "object",
    "properties": {
        "place-name": {"type": "string"},
        "days": {"type": "integer", "minimum": 1},
        "tags": {"type": "array", "items": {"type": "string"}},
    },
    "required": ["place-name"],
    "additionalProperties": False,
}
TREE: dict[str, Any] = {
    "type": "object",
    "title": "growArguments",
    "properties": {"branch": {"$ref": "#"}, "args": {"type": "string"}},
}
PERSON: dict[str, Any] = {
    "type": "object",
    "properties": {"name": {"type": "string"}, "age": {"type": "integer"}},
    "required": ["name", "age"],
}
SETTINGS = 'wrap = "legacy"\n[tools.trusted]\nown-results = "unchecked"\n'
TOOLS = [
    tool("person", PERSON),
    tool("trusted", PERSON),
    tool("numbers", {"type": "array", "items": {"type": "integer"}}),
    tool("ask", {"type": "array"}, inputSchema=ASKED),
    tool("open", {"type": "array"}, inputSchema={"type": "object", "properties": {"q": {"type": "string"}}}),
    tool("grow", {"type": "array"}, inputSchema=TREE),
    tool(
        "convert",
        {"type": "array"},
        inputSchema={
            "type": "object",
            "properties": {
                "to": {"const": "eur"},
                "from": {"enum": ["usd"]},
                "exact": {"type": "boolean", "const": True},
                "by": {"const": "day"},
            },
            "required": ["to", "from", "exact"],
        },
    ),
    tool(
        "search",
        {"type": "array"},
        inputSchema={
            "type": "object",
            "properties": {
                "schema": {"type": "string"},
                "maxResults": {"type": "integer"},
                "json": {"type": "string"},
                "from": {"type": "string"},
            },
            "required": ["schema"],
        },
    ),
    tool(
        "union",
        {"type": "array"},
        inputSchema={
            "type": "object",
            "oneOf": [
                {"properties": {"a": {"type": "string"}}, "required": ["a"]},
                {"properties": {"b": {"type": "integer"}}, "required": ["b"]},
            ],
        },
    ),
]
Handler = Callable[..., Any]


def answer(generated: Any, handler: Any, arguments: dict[str, Any], name: str = "ask") -> Any:
    """Return what one call of the only bound tool gives; the handler itself stays what it was."""
    server = exchange.server()
    assert getattr(generated.bind(server), name)(handler) is handler
    result = exchange.ask(server, name, arguments)
    assert not result.get("isError"), result
    return result["structuredContent"]["result"]


# --- results that a handler makes itself -----------------------------------------------------------------------------
def list_own_forms(value: Any, is_error: bool = False) -> list[Any]:
    """Return a result with structured content, or without any for None, in each form that handlers may return."""
    content = [{"type": "text", "text": "said"}]
    wire = {"content": content, "isError": is_error, **({} if value is None else {"structuredContent": value})}
    forms = [exchange.named("mcp_types" if MODERN else "mcp.types", "CallToolResult").model_validate(wire), wire]
    if SDK == "fastmcp3" or (SDK == "fastmcp" and "x" not in (value or {})):  # fastmcp 4 makes null of NaN itself
        module = "fastmcp.tools.base" if importlib.util.find_spec("fastmcp.tools.base") else "fastmcp.tools.tool"  # 2
        result_type = exchange.named(module, "ToolResult")
        more = {"is_error": True} if is_error else {}
        if more.keys() <= inspect.signature(result_type).parameters.keys():
            forms.append(result_type(content=forms[0].content, structured_content=value, **more))
    return forms


@pytest.mark.parametrize("protocol", VERSIONS)
def test_results_of_handlers_fit_the_output_schema_or_are_errors(generated: Any, protocol: str) -> None:
    values: list[Any] = [None, {"name": "A"}, {"name": "A", "age": 3}, {"name": "A", "age": 3, "x": float("nan")}]
    validator = jsonschema_rs.validator_for(PERSON)
    for value in values:
        forms = list_own_forms(value)
        for form in forms:
            server = exchange.server()
            tools = generated.bind(server)
            tools.person(lambda form=form: form)
            tools.trusted(lambda form=form: form)
            result = exchange.ask(server, "person", {}, protocol)
            if is_valid := value is not None and "x" not in value and validator.is_valid(value):
                assert (exchange.text(result), result["structuredContent"]) == ("said", value)
            assert result["isError"] is not is_valid
            if form is forms[0]:
                assert exchange.ask(server, "trusted", {}, protocol)["isError"] is False
    for form in [*list_own_forms({"name": 1}, is_error=True), *list_own_forms(None, is_error=True)]:
        server = exchange.server()
        generated.bind(server).person(lambda form=form: form)
        result = exchange.ask(server, "person", {}, protocol)
        assert (result["isError"], exchange.text(result)) == (True, "said")


@pytest.mark.skipif(not MODERN, reason="structured content is an object in the SDK's own type")
@pytest.mark.parametrize("protocol", VERSIONS)
def test_an_array_of_a_handlers_result_is_in_the_form_of_the_session(generated: Any, protocol: str) -> None:
    is_natural = protocol == VERSIONS[-1]
    wrapped = {"result": [1]}
    cases: list[tuple[Any, Any]] = [([1], [1] if is_natural else wrapped), (wrapped, None if is_natural else wrapped)]
    for value, expected in (*cases, (["a", None], None), (5, None)):
        server = exchange.server()
        own = exchange.named("mcp_types", "CallToolResult")(content=[], structured_content=value)
        generated.bind(server).numbers(lambda own=own: own)
        result = exchange.ask(server, "numbers", {}, protocol)
        assert result["isError"] is (expected is None)
        assert result.get("structuredContent") == expected


# --- defaults --------------------------------------------------------------------------------------------------------
def plain_field(place_name: str, days: int = Field(default=3, ge=1), tags: Any = Field(default_factory=list)) -> Any:
    return [place_name, days, tags]


def positional_field(place_name: str, days: int = Field(3), tags: list[str] = Field(["x"])) -> Any:
    return [place_name, days, tags]


def annotated_field(
    place_name: str, days: Annotated[int, Field(default=3)], tags: Annotated[list[str], Field(default_factory=list)]
) -> Any:
    return [place_name, days, tags]


def described_only(
    place_name: str = Field(description="Where?"),
    days: Annotated[int, Field(ge=1)] = 3,
    tags: Annotated[Any, Field(default="not this one")] = None,
) -> Any:
    return [place_name, days, tags]


async def undeclared_field(place_name: str, days: Any = 3, tags: Any = (), more: int = Field(default=9)) -> Any:
    return [place_name, days, more]


def made_of_others(
    place_name: str, days: int = 3, tags: list[str] = Field(default_factory=lambda arguments: [arguments["place_name"]])
) -> Any:
    return [place_name, days, tags]


@pytest.mark.parametrize(
    ("handler", "defaults"),
    [
        (plain_field, [3, []]),
        (positional_field, [3, ["x"]]),
        (annotated_field, [3, []]),
        (described_only, [3, None]),
        (undeclared_field, [3, 9]),
        (made_of_others, [3, ["Ulm"]]),
    ],
)
def test_an_absent_argument_is_the_default_in_field(generated: Any, handler: Handler, defaults: list[Any]) -> None:
    assert answer(generated, handler, {"place-name": "Ulm"}) == ["Ulm", *defaults]
    if handler is not undeclared_field:
        sent = {"place-name": "Ulm", "days": 7, "tags": ["a"]}
        assert answer(generated, handler, sent) == ["Ulm", 7, ["a"]]


def by_wire(schema: str, maxResults: int = 3, json: str = "-", from_: str = "-") -> Any:
    return [schema, maxResults, json, from_]


def by_python(schema_: str, max_results: int = 3, json_: str = "-", from_: str = "-") -> Any:
    return [schema_, max_results, json_, from_]


def by_both(json: str = "-", max_results: int = Field(default=3), *, schema: str, from_: str = "-") -> Any:
    return [schema, max_results, json, from_]


async def by_wire_and_more(schema: str, maxResults: int = Field(3), **rest: Any) -> Any:
    return [schema, maxResults, rest.get("json_", "-"), rest.get("from_", "-")]


@pytest.mark.parametrize("handler", [by_wire, by_python, by_both, by_wire_and_more])
def test_a_parameter_may_have_its_name_on_the_wire(generated: Any, handler: Handler) -> None:
    assert answer(generated, handler, {"schema": "main"}, "search") == ["main", 3, "-", "-"]
    sent = {"schema": "main", "maxResults": 7, "json": "{}", "from": "a"}
    assert answer(generated, handler, sent, "search") == ["main", 7, "{}", "a"]


def test_what_is_missing_has_its_python_name_in_messages(generated: Any) -> None:
    with pytest.raises(TypeError, match="it takes no 'max_results'; it takes no 'json_'; it takes no 'from_'"):
        generated.bind(exchange.server()).search(lambda schema: [])
    with pytest.raises(TypeError, match="'maxResults' may be absent, so the parameter needs a default"):
        generated.bind(exchange.server()).search(lambda schema, maxResults, json="", from_="": [])


def test_a_default_is_not_shared_between_calls(generated: Any) -> None:
    def grows(place_name: str, days: int = 3, tags: list[str] = Field(default=["x"])) -> Any:
        tags.append("y")
        return tags

    server = exchange.server()
    generated.bind(server).ask(grows)

    answers = [exchange.ask(server, "ask", {"place-name": "Ulm"}) for _ in range(2)]
    assert [item["structuredContent"]["result"] for item in answers] == [["x", "y"]] * 2


def test_an_optional_argument_needs_a_default_in_field_too(generated: Any) -> None:
    def handler(place_name: str, days: int = Field(ge=1), tags: Any = None) -> Any:
        return []

    with pytest.raises(TypeError, match="the handler of ask does not fit: 'days' may be absent, so the parameter ne"):
        generated.bind(exchange.server()).ask(handler)


def convert(to: str, from_: str, exact: bool, by: str | None = None) -> Any:
    return [to, from_, exact, by]


def test_a_required_argument_with_one_value_needs_no_default(generated: Any) -> None:
    sent = {"to": "eur", "from": "usd", "exact": True}
    assert answer(generated, convert, sent, "convert") == ["eur", "usd", True, None]
    assert answer(generated, convert, sent | {"by": "day"}, "convert") == ["eur", "usd", True, "day"]
    with pytest.raises(AssertionError, match="/to: is required"):
        answer(generated, convert, {"from": "usd", "exact": True}, "convert")


def test_an_optional_argument_with_one_value_needs_a_default(generated: Any) -> None:
    def handler(to: str, from_: str, exact: bool, by: str) -> Any:
        return [to, from_, exact, by]

    with pytest.raises(TypeError, match="does not fit: 'by' may be absent, so the parameter needs a default"):
        generated.bind(exchange.server()).convert(handler)


# --- kinds -----------------------------------------------------------------------------------------------------------
def with_word(function: Handler) -> Handler:
    """A decorator of the usual kind."""

    @functools.wraps(function)
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        return ["decorated", *function(*args, **kwargs)]

    return wrapper


class Counted:
    """A decorator that is a class."""

    def __init__(self, function: Handler) -> None:
        functools.update_wrapper(self, function)
        self._function = function

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return ["counted", *self._function(*args, **kwargs)]


class Service:
    label: ClassVar[str] = "class"

    def method(self, place_name: str, days: int = 1, tags: Any = None) -> Any:
        return ["method", place_name, days]

    async def coroutine(self, place_name: str, days: int = Field(default=3), tags: Any = None) -> Any:
        return ["coroutine", place_name, days]

    @classmethod
    def of_class(cls, place_name: str, days: int = 1, tags: Any = None) -> Any:
        return [cls.label, place_name, days]

    @staticmethod
    def static(place_name: str, days: int = 1, tags: Any = None) -> Any:
        return ["static", place_name, days]


class Called:
    def __call__(self, place_name: str, days: int = Field(default=3), tags: Any = None) -> Any:
        return ["called", place_name, days]


class Awaited:
    async def __call__(self, place_name: str, days: int = 1, tags: Any = None) -> Any:
        await asyncio.sleep(0)
        return ["awaited", place_name, days]


def with_word_first(label: str, place_name: str, days: int = Field(default=3), tags: Any = None) -> Any:
    return [label, place_name, days]


async def with_word_later(place_name: str, days: int = 1, tags: Any = None, *, label: str) -> Any:
    return [label, place_name, days]


@with_word
def decorated(place_name: str, days: int = Field(default=3), tags: Any = None) -> Any:
    return [place_name, days]


@Counted
def counted(place_name: str, days: int = 1, tags: Any = None) -> Any:
    return [place_name, days]


KINDS: dict[str, tuple[Any, list[Any]]] = {
    "method": (Service().method, ["method", "Ulm", 1]),
    "coroutine method": (Service().coroutine, ["coroutine", "Ulm", 3]),
    "class method": (Service.of_class, ["class", "Ulm", 1]),
    "static method": (Service.static, ["static", "Ulm", 1]),
    "static method of the class body": (vars(Service)["static"], ["static", "Ulm", 1]),
    "object": (Called(), ["called", "Ulm", 3]),
    "asynchronous object": (Awaited(), ["awaited", "Ulm", 1]),
    "partial by position": (functools.partial(with_word_first, "hi"), ["hi", "Ulm", 3]),
    "partial by name": (functools.partial(with_word_later, label="hi"), ["hi", "Ulm", 1]),
    "partial of a partial": (functools.partial(functools.partial(with_word_first, "hi"), days=2), ["hi", "Ulm", 2]),
    "partial of a method": (functools.partial(Service().method, days=5), ["method", "Ulm", 5]),
    "partial of an object": (functools.partial(Awaited(), days=5), ["awaited", "Ulm", 5]),
    "decorated": (decorated, ["decorated", "Ulm", 3]),
    "decorated by a class": (counted, ["counted", "Ulm", 1]),
    "cached": (functools.cache(lambda place_name, days=1, tags=None: [place_name, days]), ["Ulm", 1]),
    "lambda": (lambda place_name, days=1, tags=None: [place_name, days], ["Ulm", 1]),
    "everything": (lambda **arguments: [*arguments.values()], ["Ulm"]),
}


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_of_callable_is_a_handler(generated: Any, kind: str) -> None:
    handler, expected = KINDS[kind]
    assert answer(generated, handler, {"place-name": "Ulm"}) == expected


def test_what_cannot_be_called_is_named(generated: Any) -> None:
    for handler, message in (
        (3, "it is not a function but int"),
        (vars(Service)["of_class"], "not a function but classmethod"),
    ):
        with pytest.raises(TypeError, match=f"the handler of ask does not fit: .*{message}"):
            generated.bind(exchange.server()).ask(handler)


async def items(place_name: str, days: int = 1, tags: Any = None) -> AsyncIterator[str]:
    yield place_name
    await asyncio.sleep(0)
    yield "b"


def test_an_asynchronous_generator_is_one_where_the_sdk_collects_it(generated: Any) -> None:
    if SDK in ("fastmcp", "fastmcp3"):
        assert answer(generated, items, {"place-name": "Ulm"}) == ["Ulm", "b"]
        return
    with pytest.raises(TypeError, match="it is an asynchronous generator, which this SDK does not collect"):
        generated.bind(exchange.server()).ask(functools.partial(items, days=2))


# --- one object ------------------------------------------------------------------------------------------------------
def of_object(generated: Any, name: str = "AskArguments", parameter: str = "args", **more: Any) -> Handler:
    """A handler whose parameter has the class of the arguments as its annotation."""

    def handler(args: Any) -> Any:
        return [type(args).__name__, args.to_structured_content()]

    handler.__annotations__ = {parameter: more.get("annotation", getattr(generated, name))}
    return handler


@pytest.mark.parametrize("written", ["class", "text", "dotted text", "annotated"])
def test_one_parameter_takes_all_arguments(generated: Any, written: str) -> None:
    annotation = {
        "class": generated.AskArguments,
        "text": "AskArguments",  # a name that only type checkers import
        "dotted text": "generated.AskArguments",
        "annotated": Annotated[generated.AskArguments, "all of them"],
    }[written]
    handler = of_object(generated, annotation=annotation)
    sent = {"place-name": "Ulm", "days": 2}
    assert answer(generated, handler, sent) == ["AskArguments", sent]


def test_an_object_comes_beside_what_the_sdk_fills_in(generated: Any) -> None:
    def handler(ctx: Any, args: Any, more: int = Field(default=4)) -> Any:
        return [type(ctx).__name__, args.place_name, more]

    handler.__annotations__ = {"ctx": exchange.context_type(), "args": generated.AskArguments, "more": int}
    assert answer(generated, handler, {"place-name": "Ulm"}) == ["Context", "Ulm", 4]


def test_a_method_and_a_partial_take_an_object_too(generated: Any) -> None:
    class Asking:
        async def ask(self, args: Any) -> Any:
            return [args.place_name]

    Asking.ask.__annotations__["args"] = generated.AskArguments

    def with_word(label: str, args: Any) -> Any:
        return [label, args.place_name]

    with_word.__annotations__["args"] = generated.AskArguments
    assert answer(generated, Asking().ask, {"place-name": "Ulm"}) == ["Ulm"]
    assert answer(generated, functools.partial(with_word, "hi"), {"place-name": "Ulm"}) == ["hi", "Ulm"]


def test_an_object_holds_undeclared_arguments(generated: Any) -> None:
    handler = of_object(generated, "OpenArguments")
    assert answer(generated, handler, {"q": "a", "z": [1]}, "open") == ["OpenArguments", {"q": "a", "z": [1]}]


def test_arguments_of_several_classes_are_an_object(generated: Any) -> None:
    assert answer(generated, of_object(generated, "UnionArguments"), {"b": 3}, "union") == ["UnionArguments", {"b": 3}]


def test_an_argument_of_the_objects_own_class_stays_an_argument(generated: Any) -> None:
    """In arguments that contain themselves, `branch` is one of them, and `args` as an object is not the text `args`."""

    def of_arguments(branch: Any = None, args: Any = None) -> Any:
        return [type(branch).__name__, args]

    of_arguments.__annotations__["branch"] = generated.GrowArguments
    sent = {"branch": {"args": "b"}, "args": "a"}
    assert answer(generated, of_arguments, sent, "grow") == ["GrowArguments", "a"]
    assert answer(generated, of_object(generated, "GrowArguments"), sent, "grow") == ["GrowArguments", sent]


def test_an_object_and_arguments_beside_it_are_refused(generated: Any) -> None:
    def handler(args: Any, days: int) -> Any:
        return []

    handler.__annotations__ = {"args": generated.AskArguments, "days": int}
    with pytest.raises(
        TypeError, match="'days' is not an argument of the tool beside 'args', and the SDK does not fill"
    ):
        generated.bind(exchange.server()).ask(handler)


def test_a_context_is_found_in_every_kind(generated: Any) -> None:
    def handler(label: str, place_name: str, ctx: Any, days: int = 1, tags: Any = None) -> Any:
        return [label, type(ctx).__name__]

    handler.__annotations__["ctx"] = exchange.context_type()

    class WithContext:
        def __call__(self, place_name: str, ctx: Any, days: int = 1, tags: Any = None) -> Any:
            return ["object", type(ctx).__name__]

    WithContext.__call__.__annotations__["ctx"] = exchange.context_type()
    for callable_handler, label in ((functools.partial(handler, "partial"), "partial"), (WithContext(), "object")):
        assert answer(generated, callable_handler, {"place-name": "Ulm"}) == [label, "Context"]
