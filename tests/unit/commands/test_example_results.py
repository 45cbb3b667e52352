"""Example results: of a value, of an example, and why there is none."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from mcpgen.commands.example_results import (
    NoExampleResult,
    collect_texts,
    format_compact,
    join_text_blocks,
    make_example_result,
)
from support.definitions import PRICE
from support.packages import package, tool


@pytest.fixture(scope="module")
def generated(tmp_path_factory: pytest.TempPathFactory) -> Any:
    folder: Path = tmp_path_factory.mktemp("examples")
    return package(folder, [tool("buy", PRICE), tool("greet"), tool("never", {"type": "object", "not": {}})])


def make(generated: Any, name: str, text: str | None = None) -> Any:
    return make_example_result(generated.RESULT_TYPES[name], generated.TOOLS[name], text)


def test_a_result_has_the_value_that_is_given(generated: Any) -> None:
    result = make(generated, "buy", '{"price": 2.5}')
    assert collect_texts(result, generated.TOOLS["buy"]) == {"content": '{"price":2.5}', "json": '{"price":2.5}'}


def test_without_a_schema_a_result_has_text_only(generated: Any) -> None:
    assert collect_texts(make(generated, "greet", "hello"), generated.TOOLS["greet"]) == {"content": "hello"}
    assert join_text_blocks(make(generated, "greet").to_wire()) == "some text"


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("buy", "{", "--value is not JSON"),
        ("buy", '"\\ud800"', "--value is not JSON: a string holds a lone surrogate"),
        ("buy", "{}", "--value does not satisfy the outputSchema"),
        ("never", None, "no example was found that satisfies the schema"),
    ],
)
def test_why_there_is_no_result(generated: Any, name: str, text: str | None, message: str) -> None:
    with pytest.raises(NoExampleResult, match=message):
        make(generated, name, text)


def test_json_is_compact_and_in_unicode() -> None:
    value = {"a": [1, "é"], "b": None}
    assert format_compact(value) == '{"a":[1,"é"],"b":null}'
    assert json.loads(format_compact(value)) == value
