"""Classes that refer to one another in a row: what Python and pydantic can import, and what becomes a JSON value."""

from __future__ import annotations

import json
import random
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from mcpgen.lower.normalize.limits import MAX_NESTED_CLASSES, Edges, SchemaTooLarge, measure_nesting
from mcpgen.lower.normalize.normalizer import normalize_schema
from mcpgen.lower.request import LoweringRequest
from mcpgen.schema.document import Schema
from mcpgen.schema.keywords import DRAFT_2020_12
from support import scaling_shapes as shapes
from support.scaling import measure

READ = """
import json, sys
sys.path.insert(0, ".")
value, frames = json.loads(sys.argv[1]), int(sys.argv[2])

def read_below(frames):
    if frames:
        return read_below(frames - 1)
    import made
    read = made.RESULT_TYPES["grown"].from_structured_content(value)
    assert read.to_structured_content() == value, read
    return type(read.a).__name__

print(read_below(frames))
"""
CALLERS = 300
"""Frames of whoever imports a package."""


def make_ring(count: int) -> shapes.Files:
    """Classes in a ring, each with the next one and the one before."""
    return shapes.grow("ref_mutual", count)


def make_chain(count: int) -> shapes.Files:
    """Classes in a row, in modules of their own: the root, these and a class with more lines than a module may have."""
    files = shapes.grow("ref_chain_objects", count)
    tool = json.loads(files["schemas/tools.json"])
    output = tool["tools"][0]["outputSchema"]
    wide = shapes.closed({f"p{number}": {"type": "string"} for number in range(400)})
    output["$defs"] |= {"Wide": wide}
    output["properties"] |= {"wide": {"$ref": "#/$defs/Wide"}}
    return {**files, "schemas/tools.json": json.dumps(tool)}


SHAPES = {"ring": (make_ring, "l"), "chain": (make_chain, "next")}


def nest(name: str, depth: int) -> Any:
    value: Any = {"l": {}} if name == "l" else "text"
    for _ in range(depth):
        value = {name: value}
    return value


@pytest.mark.ci
@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("more", [False, True], ids=["at the limit", "beyond it"])
def test_what_builds_is_imported(shape: str, more: bool, tmp_path: Path) -> None:
    """Rings of 70 classes and rows of 140 built, and could not be imported."""
    make, name = SHAPES[shape]
    count = 3 * MAX_NESTED_CLASSES if more else MAX_NESTED_CLASSES - (shape == "chain") - 1
    cost = measure(make(count), tmp_path)
    assert cost.code == 0, cost.said
    assert (f"more than {MAX_NESTED_CLASSES} of its classes" in cost.said) == more
    value = json.dumps({"a": nest(name, count)})
    run = subprocess.run(
        [sys.executable, "-c", READ, value, str(CALLERS)], cwd=tmp_path, capture_output=True, text=True, timeout=300
    )
    assert run.returncode == 0, run.stderr[-2000:]
    assert (run.stdout == "D0\n") != more


@pytest.mark.parametrize("shape", SHAPES)
def test_the_limit_is_said(shape: str) -> None:
    files = SHAPES[shape][0](MAX_NESTED_CLASSES + 1)
    schema = json.loads(files["schemas/tools.json"])["tools"][0]["outputSchema"]
    with pytest.raises(SchemaTooLarge, match=f"more than {MAX_NESTED_CLASSES} of its classes refer to one another"):
        normalize_schema(LoweringRequest("output", Schema(schema, DRAFT_2020_12)), "A")


def measure_slowly(edges: Edges, counted: frozenset[str]) -> int:
    """The nesting of a graph without circles: its longest path, by definition."""
    return max((measure_path(edges, node, counted) for node in edges), default=0)


def measure_path(edges: Edges, node: str, counted: frozenset[str]) -> int:
    inner = max((measure_path(edges, target, counted) for target in edges[node]), default=0)
    return inner + (node in counted)


def test_rows_are_as_long_as_their_longest_path() -> None:
    drawn = random.Random(5)
    for _ in range(200):
        size = drawn.randint(1, 9)
        nodes = [str(number) for number in range(size)]
        edges = {
            node: drawn.sample(nodes[index + 1 :], drawn.randint(0, size - index - 1))
            for index, node in enumerate(nodes)
        }
        counted = frozenset(drawn.sample(nodes, drawn.randint(0, size)))
        assert measure_nesting(edges, counted) == measure_slowly(edges, counted)


def test_circles_nest_as_deep_as_a_search_goes() -> None:
    star: Edges = {"hub": [str(number) for number in range(100)]} | {str(number): ["hub"] for number in range(100)}
    assert measure_nesting(star, frozenset(star)) == 3
    ring: Edges = {str(number): [str((number + 1) % 100)] for number in range(100)}
    assert measure_nesting(ring, frozenset(ring)) == 100
    assert measure_nesting(ring, frozenset()) == 0


def test_circles_too_large_to_be_searched_count_whole() -> None:
    star: Edges = {"hub": [str(number) for number in range(2_000)]} | {str(number): ["hub"] for number in range(2_000)}
    assert measure_nesting(star, frozenset(star)) == 2_001
