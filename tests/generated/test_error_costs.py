"""Errors in deep values: their number and their depth do not multiply, and what is told of them stays exact."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import pytest
from mcpgen_runtime.server_binding import BoundTool
from pydantic import ValidationError
from support.packages import get_tool, package, tool

NODE = {
    "type": "object",
    "properties": {
        "next": {"$ref": "#"},
        "either": {"anyOf": [{"$ref": "#"}, {"type": "boolean"}]},
        "numbers": {"type": "array", "items": {"type": "integer"}},
    },
    "additionalProperties": False,
}


@pytest.fixture(scope="module")
def generated(tmp_path_factory: pytest.TempPathFactory) -> Any:
    pytest.importorskip("mcp_types", reason="handlers are bound with an SDK, and mcp 2.x is not installed here")
    definition = {**tool("node", NODE), "inputSchema": NODE}
    return package(tmp_path_factory.mktemp("nodes"), [definition], "--sdk", "mcp")


def nest(levels: int, bottom: Any, key: str = "next") -> Any:
    for _ in range(levels):
        bottom = {key: bottom}
    return bottom


def bind(generated: Any) -> Any:
    return BoundTool.of(get_tool(generated, "node"), lambda **_: None, ())


WAYS: dict[str, Callable[[Any, Any], object]] = {
    "validate": lambda generated, value: generated.NodeResult.from_structured_content(value),
    "normalize": lambda generated, value: generated.NodeResult.normalize(value),
    "normalize_any": lambda generated, value: generated.NodeResult.normalize_any(value),
    "construct": lambda generated, value: generated.NodeResult(**value),
    "call": lambda generated, value: bind(generated).read(value),
}


def measure(generated: Any, method: str, value: Any) -> float:
    spent: list[float] = []
    for _ in range(5):
        start = time.thread_time()
        with pytest.raises(ValueError, match=r"\w"):
            WAYS[method](generated, value)
        spent.append(time.thread_time() - start)
    return min(spent)


@pytest.mark.parametrize("method", WAYS)
def test_many_errors_cost_as_much_deep_down_as_further_up(generated: Any, method: str) -> None:
    wrong = {"numbers": ["x"] * 4_000}
    measure(generated, method, nest(20, wrong))
    few, many = (measure(generated, method, nest(levels, wrong)) for levels in (20, 300))
    assert many < 4 * few, "that is, not 15 times as much"


@pytest.mark.parametrize("method", WAYS)
def test_an_error_costs_as_much_as_the_levels_around_it(generated: Any, method: str) -> None:
    """Each union on the way to it has an error of its own; they have no paths of their own."""
    measure(generated, method, nest(50, 7, "either"))
    few, many = (measure(generated, method, nest(levels, 7, "either")) for levels in (110, 330))
    assert many < 6 * few, "that is, not 9 times as much"


@pytest.mark.parametrize("levels", [1, 9, 30, 50])
def test_the_place_is_exact(generated: Any, levels: int) -> None:
    value = nest(levels, {"numbers": [1, "x"]})
    for method in ("normalize", "normalize_any", "call"):
        with pytest.raises(ValueError, match=r"/numbers/1: should be an integer"):
            WAYS[method](generated, value)


def test_a_constructor_says_everything_of_what_is_not_deep(generated: Any) -> None:
    with pytest.raises(ValidationError) as refused:
        generated.NodeResult(**nest(5, {"numbers": ["x", 1, "y"]}))
    paths = [error["loc"] for error in refused.value.errors()]
    assert paths == [("next",) * 5 + ("numbers", index) for index in (0, 2)]


@pytest.mark.parametrize("levels", [30, 99, 101, 390])
def test_a_constructor_says_which_argument_does_not_fit(generated: Any, levels: int) -> None:
    with pytest.raises(ValidationError, match="Input should fit, with all that is inside") as refused:
        generated.NodeResult(numbers=["y"], **nest(levels, {"numbers": ["x"]}))
    assert [error["loc"] for error in refused.value.errors()] == [("next",), ("numbers", 0)]
