"""Lenient tools take what the SDK's own decorators take: each value goes to a decorated and to a bound function."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any, Literal, Optional

import pytest
from pydantic import BaseModel
from pydantic_core import to_jsonable_python
from sdk import exchange
from sdk.exchange import SDK
from support.packages import built, tool

pytestmark = [pytest.mark.ci, pytest.mark.skipif(SDK is None, reason="no SDK is installed here")]


class Point(BaseModel):
    n: int
    on: bool = False


INTEGER, NUMBER, BOOLEAN, STRING = ({"type": kind} for kind in ("integer", "number", "boolean", "string"))
POINT = {"type": "object", "properties": {"n": INTEGER, "on": BOOLEAN}, "required": ["n"]}
KINDS: dict[str, tuple[Any, dict[str, Any]]] = {
    "integer": (int, INTEGER),
    "number": (float, NUMBER),
    "boolean": (bool, BOOLEAN),
    "string": (str, STRING),
    "maybe_integer": (Optional[int], {"type": ["integer", "null"]}),  # noqa: UP045
    "maybe_string": (Optional[str], {"type": ["string", "null"]}),  # noqa: UP045
    "integer_or_string": (int | str, {"type": ["integer", "string"]}),
    "integers": (list[int], {"type": "array", "items": INTEGER}),
    "strings": (list[str], {"type": "array", "items": STRING}),
    "counts": (dict[str, int], {"type": "object", "additionalProperties": INTEGER}),
    "point": (Point, POINT),
    "points": (list[Point], {"type": "array", "items": POINT}),
    "five": (Literal[5, 6], {"enum": [5, 6]}),
    "word": (Literal["a", "b"], {"enum": ["a", "b"]}),
    "anything": (Any, {}),
}
VALUES: list[tuple[str, Any]] = [
    *(("integer", value) for value in (5, "5", 5.0, "5.0", " 7 ", "1_000", "-3", True, "x", "", 5.5, "5.5", None, [5])),
    *(("number", value) for value in (5, 1.5, "1.5", "5", "1e3", False, "x", None)),
    *(("boolean", value) for value in (True, "true", "false", "yes", "off", 1, 0, "1", 2, "x", None)),
    *(("string", value) for value in ("a", "5", "[1]", 5, True, None, ["a"])),
    *(("maybe_integer", value) for value in (None, "null", "5", 5, "x")),
    *(("maybe_string", value) for value in (None, "null", "a", "5", "[1]", 5)),
    *(("integer_or_string", value) for value in (5, "5", "x", None)),
    *(("integers", value) for value in ([1, 2], "[1, 2]", ["1", 2.0], '["1"]', "1", "[1", {"0": 1})),
    *(("strings", value) for value in (["a"], '["a"]', "a", [1])),
    *(("counts", value) for value in ({"a": 1}, '{"a": 1}', {"a": "1"}, '{"a": "x"}')),
    *(("point", value) for value in ({"n": 1}, '{"n": 1}', {"n": "1", "on": "yes"}, '{"n": "1"}', "1", {"n": "x"}, {})),
    *(("points", value) for value in ([{"n": 1}], '[{"n": "3"}]', [{"n": "3"}], ['{"n": 3}'])),
    *(("five", value) for value in (5, "5", 7)),
    *(("word", value) for value in ("a", "c", '"a"')),
    *(("anything", value) for value in (5, "5", "[1]", "x", None, {"a": "[1]"})),
]
Answers = list[tuple[bool, str]]


def describe(value: Any) -> str:
    """A value as JSON, whether it is an instance or not; 5.0 is 5."""

    def settle(part: Any) -> Any:
        if isinstance(part, dict):
            return {key: settle(item) for key, item in part.items() if item is not False or key != "on"}
        if isinstance(part, list):
            return [settle(item) for item in part]
        return int(part) if isinstance(part, float) and part.is_integer() else part

    plain = value.to_structured_content() if hasattr(value, "to_structured_content") else value
    if isinstance(plain, list):
        plain = [item.to_structured_content() if hasattr(item, "to_structured_content") else item for item in plain]
    return json.dumps(settle(to_jsonable_python(plain)), sort_keys=True)


def make_handler(name: str, annotation: Any) -> Callable[..., str]:
    def handler(x: Any) -> str:
        return describe(x)

    handler.__name__ = name
    handler.__annotations__ = {"x": annotation, "return": str}
    return handler


def ask(server: Any) -> Answers:
    async def ask_all(connection: Any) -> Answers:
        answers: Answers = []
        for name, value in VALUES:
            answer = await exchange.call(connection, name, {"x": value})
            failed = answer.get("isError", False)
            answers.append((failed, "" if failed else exchange.text(answer)))
        return answers

    answers: Answers = exchange.talk(server, ask_all)
    return answers


def build(folder: Path, settings: str) -> Any:
    tools = [
        tool(name, inputSchema={"type": "object", "properties": {"x": schema}, "required": ["x"]})
        for name, (_, schema) in KINDS.items()
    ]
    (folder / "schemas").mkdir()
    (folder / "schemas/tools.json").write_text(json.dumps({"tools": tools}), "utf-8")
    (folder / "mcpgen.toml").write_text(f'sdk = "{SDK}"\n{settings}', "utf-8")
    return built(folder)


def serve(generated: Any) -> Any:
    server = exchange.server()
    tools = generated.bind(server)
    for name in KINDS:
        getattr(tools, name)(make_handler(name, Any))
    return server


@pytest.fixture(scope="module")
def answers(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Answers]:
    decorated = exchange.server()
    for name, (annotation, _) in KINDS.items():
        exchange.decorate(decorated, make_handler(name, annotation))
    lenient = serve(build(tmp_path_factory.mktemp("lenient"), "lenient = true\n"))
    return {"decorated": ask(decorated), "lenient": ask(lenient)}


@pytest.mark.skipif(SDK == "dedalus", reason="it passes on whatever a client sends")
@pytest.mark.parametrize("index", range(len(VALUES)), ids=[f"{name} {value!r}" for name, value in VALUES])
def test_a_value_becomes_what_it_becomes_for_the_sdk(answers: dict[str, Answers], index: int) -> None:
    assert len(VALUES) >= 40
    assert answers["lenient"][index] == answers["decorated"][index]


@pytest.mark.parametrize(
    ("settings", "is_expected"),
    [
        ("", False),
        ("lenient = true\n", True),
        ("[tools.integer]\nlenient = true\n", True),
        ("lenient = true\n[tools.integer]\nlenient = false\n", False),
    ],
)
def test_only_lenient_tools_convert(tmp_path: Path, settings: str, is_expected: bool) -> None:
    answer = ask(serve(build(tmp_path, settings)))[VALUES.index(("integer", "5"))]
    assert answer == ((False, "5") if is_expected else (True, ""))


DEPTHS = (100, 390, 450, 700, 950, 5_000, 100_000)
"""Levels, below and above the limit for values and what the stack takes."""
DEEP_TEXTS = [
    opening * levels + inner + closing * levels
    for levels in DEPTHS
    for opening, inner, closing in (("[", "", "]"), ('{"a":', "1", "}"), ('{"a":[', "", "]}"), ("[", "", ""))
]
ODD_TEXTS = [
    "1" * 1_000_000,
    "[" + "1" * 1_000_000 + "]",
    "1e" + "9" * 1_000_000,
    *("NaN", "nan", "Infinity", "-inf", "1e400", "[NaN]", '{"a": Infinity}', "[1e400]", '["NaN"]', '{"a": "1e400"}'),
    *('{"n": 1, "n": "x"}', '{"n": "x", "n": 1}', '"\ud800"', '["\\ud800"]', "\ufeff[1]", "\0", " " * 1_000_000 + "1"),
]


@pytest.fixture(scope="module")
def bound(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """Tools as a server binds them, each with a handler that returns its argument."""
    tools = serve_tools(build(tmp_path_factory.mktemp("attacked"), "lenient = true\n"))
    bound: dict[str, Any] = vars(tools)["_bound"]
    return bound


def serve_tools(generated: Any) -> Any:
    tools = generated.bind(exchange.server())
    for name in KINDS:
        getattr(tools, name)(make_handler(name, Any))
    return tools


@pytest.mark.parametrize("name", KINDS)
@pytest.mark.parametrize("texts", [DEEP_TEXTS, ODD_TEXTS], ids=["deep", "odd"])
def test_a_text_is_read_or_refused(bound: dict[str, Any], name: str, texts: list[str]) -> None:
    """Whatever JSON text a model sends: finite JSON arrives, or it is told why not; nothing else is raised."""
    refusals: list[ValueError] = []
    for text in texts:
        try:
            [value] = bound[name].read({"x": text}).values()
        except ValueError as error:
            refusals.append(error)
        else:
            plain = value.to_structured_content() if hasattr(value, "to_structured_content") else value
            assert is_finite(plain), text[:40]
    assert {type(error).__name__ for error in refusals} <= {"ArgumentsError"}
    assert all(len(str(error).encode()) <= 1_024 for error in refusals)


def is_finite(value: Any) -> bool:
    """Check that JSON can hold a value, however deep."""
    todo = [value]
    while todo:
        part = todo.pop()
        if isinstance(part, dict):
            todo += part.values()
        elif isinstance(part, list):
            todo += part
        elif isinstance(part, float) and not math.isfinite(part):
            return False
    return True


def test_deep_json_text_is_converted_up_to_the_limit_where_the_sdk_parses_text(bound: dict[str, Any]) -> None:
    if not bound["anything"].parses_text:
        assert bound["anything"].read({"x": "[" * 500}) == {"x": "[" * 500}
        return
    for levels in (10, 390):
        [value] = bound["anything"].read({"x": "[" * levels + "]" * levels}).values()
        assert str(value) == "[" * levels + "]" * levels
    with pytest.raises(ValueError, match="value-depth"):
        bound["anything"].read({"x": "[" * 500 + "]" * 500})


def test_what_holds_itself_is_refused(bound: dict[str, Any]) -> None:
    value: list[Any] = []
    value.append(value)
    with pytest.raises(ValueError, match="value-depth"):
        bound["anything"].read({"x": value})
