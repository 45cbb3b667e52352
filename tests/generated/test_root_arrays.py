"""Results and resources whose root is an array: they behave as the list or tuple that they hold."""

from __future__ import annotations

import copy
import json
import pickle
from collections.abc import Iterable, Sized
from typing import Any

import pytest
from support.packages import package, tool

from generated import FlagsTodayResult, LogbookPage, TideTableResult

NAMES = ["bravo", "alpha", "bravo"]
SHAPES: dict[str, Any] = {
    "fixed": {"type": "array", "prefixItems": [{"type": "string"}, {"type": "integer"}], "items": False, "minItems": 2},
    "maybe": {"type": ["array", "null"], "items": {"type": "string"}},
    "recursive": {"type": "array", "items": {"$ref": "#"}},
    "referring": {"$ref": "#/$defs/tree", "$defs": {"tree": {"type": "array", "items": {"$ref": "#/$defs/tree"}}}},
    "either": {
        "anyOf": [
            {"type": "array", "items": {"type": "string"}},
            {"type": "array", "items": {"type": "array", "items": {"type": "integer"}}},
        ]
    },
    "recursive-or-text": {"anyOf": [{"type": "array", "items": {"$ref": "#"}}, {"type": "string"}]},
}


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Any:
    tools = [tool(name, schema) for name, schema in SHAPES.items()]
    return package(tmp_path_factory.mktemp("arrays"), tools, "--sdk", "none")


@pytest.mark.parametrize("names", [NAMES, ["alpha"], []])
def test_a_result_does_what_its_list_does(names: list[str]) -> None:
    flags = FlagsTodayResult(names)
    assert isinstance(flags, Iterable)
    assert isinstance(flags, Sized)
    assert (list(flags), len(flags), bool(flags)) == (names, len(names), bool(names))
    assert [*reversed(flags)] == names[::-1]
    assert ("alpha" in flags, "root" in flags) == ("alpha" in names, False)
    for part in (slice(None), slice(1, 2), slice(None, None, -1)):
        assert flags[part] == names[part]
    assert [flags[index] for index in range(-len(names), len(names))] == names * 2
    with pytest.raises(IndexError):
        flags[len(names)]


def test_items_are_instances_and_tuples() -> None:
    table = TideTableResult([("05:12", 1.5, "high"), ("11:30", 0.4, "low")])
    assert [time for time, _, _ in table] == ["05:12", "11:30"]
    page = LogbookPage.model_validate([{"at": "05:12", "text": "calm"}])
    assert [entry.text for entry in page] == ["calm"]
    assert page[0] is page.root[0]


def test_an_array_of_fixed_length(built: Any) -> None:
    fixed = built.FixedResult(["a", 1])
    assert (list(fixed), fixed[1], fixed[:1], len(fixed)) == (["a", 1], 1, ("a",), 2)


@pytest.mark.parametrize("name", ["recursive", "referring"])
def test_an_array_that_contains_itself(built: Any, name: str) -> None:
    value: list[Any] = [[], [[]], []]
    tree = built.RESULT_TYPES[name](value)
    assert (list(tree), tree[1], tree[1:], len(tree)) == (value, value[1], value[1:], 3)
    assert not built.RESULT_TYPES[name]([])


@pytest.mark.parametrize("value", [["a", "b"], [[1], []], []], ids=repr)
def test_one_of_several_arrays(built: Any, value: Any) -> None:
    either = built.EitherResult(value)
    assert (list(either), either[:1], len(either), bool(either)) == (value, value[:1], len(value), bool(value))


def test_an_array_that_contains_itself_or_text_is_no_sequence(built: Any) -> None:
    with pytest.raises(TypeError):
        len(built.RecursiveOrTextResult([[]]))


def test_an_array_or_null_is_no_sequence(built: Any) -> None:
    with pytest.raises(TypeError):
        len(built.MaybeResult(["a"]))
    assert built.MaybeResult(None)


def test_the_rest_of_the_model_stays_as_it_was() -> None:
    flags = FlagsTodayResult(NAMES)
    assert flags == FlagsTodayResult(NAMES) != FlagsTodayResult([])
    assert flags != NAMES
    assert repr(flags) == f"FlagsTodayResult(root={NAMES})"
    assert flags.model_dump() == flags.to_structured_content() == json.loads(flags.model_dump_json()) == NAMES
    copies = (pickle.loads(pickle.dumps(flags)), copy.copy(flags), copy.deepcopy(flags), flags.model_copy())
    assert all(copied == flags for copied in copies)


@pytest.mark.parametrize("names", [NAMES, []])
def test_a_handler_may_return_one(names: list[str]) -> None:
    flags = FlagsTodayResult(names)
    expected = FlagsTodayResult.normalize(names)
    assert FlagsTodayResult.normalize(flags) == expected
    assert FlagsTodayResult.normalize_any(flags) == expected
    assert [*FlagsTodayResult.from_call_tool_result(expected)] == names
