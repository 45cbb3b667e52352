"""What a build costs grows with its input and no faster, and what is beyond a limit is said, never a traceback."""

from __future__ import annotations

import contextlib
import json
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import datamodel_code_generator
import pytest
from mcpgen.compat.inclusion import keyword_rules
from mcpgen.compat.inclusion.schema_view import SchemaView
from mcpgen.ir.definitions import list_uri_variables
from mcpgen.ir.package import ANY_ROOT, Package, SchemaRoot, ToolModule
from mcpgen.ir.types import Field, Presence
from mcpgen.lower.assemble import lower_schemas
from mcpgen.lower.identity import ContentDigests
from mcpgen.lower.normalize.core import SchemaPlace
from mcpgen.lower.normalize.limits import SchemaTooLarge
from mcpgen.lower.normalize.normalizer import normalize_schema
from mcpgen.lower.request import LoweringLimits, LoweringRequest
from mcpgen.names.allocator import allocate_names
from mcpgen.names.identifiers import make_field_names
from mcpgen.read.check_cost import measure_check_cost
from mcpgen.read.resources import parse_uri_template
from mcpgen.schema.document import Schema
from mcpgen.schema.index import SchemaIndex
from mcpgen.schema.keywords import DRAFT_2020_12
from mcpgen.schema.object_roots import wrap_schema
from support import scaling_shapes as shapes
from support.scaling import Cost, measure
from support.scaling_shapes import AXES, Files

pytestmark = pytest.mark.ci

START = 15.0
"""CPU seconds that a build may take for itself: to start, to read its libraries, to format its own modules; with room
for a busy machine."""
A_MEGABYTE = 2.0
"""CPU seconds for each megabyte of input that is beyond the limits."""
READ = """
import json, sys
sys.path.insert(0, ".")
import made
value = json.loads(sys.argv[1])
read = made.RESULT_TYPES["grown"].from_structured_content(value)
assert read.to_structured_content() == value, read
"""


def read_back(folder: Path, value: Any) -> None:
    """Import a generated package in a process of its own and have it read a value."""
    command = [sys.executable, "-c", READ, json.dumps(value)]
    run = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=300)
    assert run.returncode == 0, run.stderr[-2000:]


def holds_bound(cost: Cost) -> bool:
    """Return whether a build ended as it should, in the time that its input is worth."""
    return (
        cost.code in (0, 2) and "Traceback" not in cost.said and cost.seconds < START + A_MEGABYTE * cost.size / 2**20
    )


# --- what the issue names --------------------------------------------------------------------------------------------
OFTEN = {"mcpgen.toml": "limits = {repeats = 1000000000}\n"}
"""Settings under which a schema builds whose check may look at one part of a value so often."""
BEYOND: dict[str, tuple[Files, str, Any]] = {
    "enum": (shapes.grow("enum_strings", 20_000), "limits.members", {"a": "value-7"}),
    "required": (
        shapes.grow("required_undeclared", 100_000),
        "limits.members",
        {f"name_{i}": 1 for i in range(100_000)},
    ),
    "reference chain": (shapes.grow("ref_chain", 5_000), "", {"a": "text"}),
    "array chain": (shapes.grow("ref_chain_arrays", 5_000), "JSON value", {"a": [[[]]]}),
    "union": (shapes.grow("any_of_objects", 2_000), "limits.members", {"a": {"p7": "text"}}),
    "unfolding": (shapes.grow("unfolding", 200) | OFTEN, "limits.unfolding", {"a": {"x": {}}}),
    "conjunctions": (shapes.grow("any_of_diamond_allof", 25) | OFTEN, "limits.unfolding", {"a": None}),
    "types in types": (shapes.grow("any_of_diamond", 25) | OFTEN, "more than 5000 parts", {"a": [["text"], None]}),
    "null in unions": (shapes.grow("null_diamond", 40), "limits.repeats", None),
    "many subschemas": (shapes.grow("any_of_anything", 180_000), "limits.repeats", None),
    "chain of conjunctions": (shapes.grow("ref_chain_all_of", 4_000), "limits.repeats", None),
    "references into a file": (shapes.grow("refs_outward", 400), "", None),
    "references nowhere": (shapes.grow("refs_nowhere", 1_500), "points nowhere", None),
    "near misses": (shapes.grow("required_near_misses", 5_000), "`limits.members`", None),
    "tuple": (shapes.grow("prefix_items", 2_000), "limits.members", {}),
    "patterns": (shapes.grow("pattern_properties", 2_000), "limits.members", {"a": {"k1": "a"}}),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", BEYOND)
def test_beyond_a_limit_is_said_soon(name: str, tmp_path: Path) -> None:
    files, expected, value = BEYOND[name]
    cost = measure(files, tmp_path)
    assert holds_bound(cost), (cost.code, cost.seconds, cost.said[-500:])
    assert expected in cost.said
    if cost.code == 0 and value is not None and len(json.dumps(value)) < 10_000:
        read_back(tmp_path, value)


def test_a_thousand_variables_of_a_uri(tmp_path: Path) -> None:
    for number, files in enumerate((shapes.grow("uri_variables", 1_000), shapes.grow("uri_query", 1_000))):
        cost = measure(files, tmp_path / str(number))
        assert holds_bound(cost), cost
    check = """
import sys
sys.path.insert(0, ".")
from made.resources.grown import Grown
given = {f"v{i}": str(i) for i in range(1000)}
uri = Grown.uri(**given)
assert uri == "https://example.com" + "".join(f"/{i}" for i in range(1000)), uri
assert Grown.match(uri) == given
"""
    run = subprocess.run([sys.executable, "-c", check], cwd=tmp_path / "0", capture_output=True, text=True, timeout=300)
    assert run.returncode == 0, run.stderr[-2000:]


def test_large_but_typed(tmp_path: Path) -> None:
    """As large as the limits allow: everything is typed, and Python reads it."""
    enum = {"enum": [f"v{i}" for i in range(1_000)]}
    union = {"anyOf": [shapes.closed({f"p{i}": {"type": "string"}}) for i in range(300)]}
    nested: Any = {"type": "string"}
    for _ in range(38):
        nested = {"type": "array", "items": nested, "maxItems": 3}
    output = {"type": "object", "properties": {"e": enum, "u": union, "n": nested}}
    cost = measure(shapes.write_output(output), tmp_path)
    assert cost.code == 0, cost.said[-2000:]
    assert "MG107" not in cost.said
    text = (tmp_path / "made/tools/grown.py").read_text("utf-8")
    assert '"v999"' in text
    assert text.count("list[") >= 38
    value: Any = "text"
    for _ in range(38):
        value = [value]
    read_back(tmp_path, {"e": "v999", "u": {"p299": "a"}, "n": value})


# --- passes, by what they do -----------------------------------------------------------------------------------------
def calls_of(work: Callable[[], object]) -> int:
    """How many functions some work calls, which is the same on any machine."""
    count = 0

    def seen(_: object, event: str, __: object) -> None:
        nonlocal count
        count += event in ("call", "c_call")

    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(20_000)
    sys.setprofile(seen)
    try:
        work()
    finally:
        sys.setprofile(None)
        sys.setrecursionlimit(limit)
    return count


def schemas_of(name: str, size: int) -> list[Any]:
    """Return the outputSchemas of an axis."""
    document = json.loads(AXES[name].make(size)["schemas/tools.json"])["tools"]
    return [tool.get("outputSchema", True) for tool in document]


def passes(schemas: list[Any]) -> None:
    """Run the passes over a schema that come before the type generator."""
    for schema in schemas:
        with contextlib.suppress(SchemaTooLarge):
            normalize_schema(
                LoweringRequest("", Schema(schema, DRAFT_2020_12), limits=LoweringLimits(members=10**6)), "A"
            )
        ContentDigests(SchemaIndex(schema, DRAFT_2020_12)).hash_places([SchemaPlace("")])
        wrap_schema(schema, DRAFT_2020_12)
        measure_check_cost(schema, DRAFT_2020_12)


A_BUDGET = 4_000_000
"""Calls for all that a small schema may unfold into (`bounds.FEWEST`)."""
PRODUCTS = frozenset(
    (
        "all_of_additional any_of_diamond any_of_diamond_allof any_of_with_base null_diamond ref_chain_all_of_used "
        "all_of_doubling_inline unfolding"
    ).split()
)
"""Axes on which what a schema means grows faster than its text, up to the limit."""
NESTED = frozenset(["any_of_lists_of_any_of", "any_of_nested"])
"""Axes on which the way to a subschema grows, which `limits.depth` bounds."""
SCHEMAS = [
    name
    for name, axis in AXES.items()
    if not name.startswith(("uri", "template", "refs_outward")) and "digits" not in name
    if name not in ("files_small", "list_of_no_tools")  # which have no list of tools in one file
]


@pytest.mark.parametrize("name", SCHEMAS)
def test_passes_are_linear(name: str) -> None:
    size = 20 if name in NESTED else min(AXES[name].size, 100)
    small, large = schemas_of(name, size), schemas_of(name, 4 * size)
    growth = max(4.0, len(json.dumps(large)) / len(json.dumps(small)))
    few, many = calls_of(partial(passes, small)), calls_of(partial(passes, large))
    assert many < 2 * growth * few + (A_BUDGET if name in PRODUCTS else 50_000), (few, many)


def fields(names: list[str]) -> list[Field]:
    return [Field(name, ANY_ROOT.type, Presence.REQUIRED, "") for name in names]


def test_names_that_collide() -> None:
    few, many = ([("a" + "_" * (i % 100) + "-" * (i // 100)) for i in range(count)] for count in (1_000, 8_000))
    calls_of_few, calls_of_many = (calls_of(partial(make_field_names, fields(names))) for names in (few, many))
    assert len(set(make_field_names(fields(many)).values())) == len(many)
    assert calls_of_many < 8 * 2 * calls_of_few


def test_tools_that_clash() -> None:
    def package(count: int) -> Package:
        tools = [ToolModule("a" + "-" * i, "", "", None, ANY_ROOT, "json") for i in range(count)]
        return Package(tuple(tools), (), (), "none", None)

    few, many = package(500), package(4_000)
    calls_of_few, calls_of_many = (calls_of(partial(allocate_names, package)) for package in (few, many))
    assert len(allocate_names(many)[1]) == 3_999
    assert calls_of_many < 8 * 2 * calls_of_few


def test_variables_of_one_expression() -> None:
    text = "a:/{" + ",".join(f"v{i}" for i in range(50_000)) + "}"
    assert len(list_uri_variables(parse_uri_template(text))) == 50_000


# --- two sides -------------------------------------------------------------------------------------------------------
SIDES = {
    "tools_that_changed": 500,
    "tools_renamed": 500,
    "properties_that_changed": 400,
    "definitions_that_changed": 400,
    "alternatives_that_changed": 100,
    "enums_that_changed": 5000,
    "conjunctions_that_changed": 200,
}
"""Axes of comparisons, with a size at which each weighs something."""


def compared(name: str, size: int, folder: Path) -> Cost:
    """Return what it costs to compare both sides of an axis."""
    sides = {f"{new}.json": json.dumps({"tools": shapes.SIDES[name](size, new)}) for new in (0, 1)}
    return measure({**sides, "mcpgen.toml": ""}, folder, 120, ("diff", "0.json", "1.json", "--jobs", "1"))


@pytest.mark.slow
@pytest.mark.parametrize("name", SIDES)
def test_comparisons_are_linear(name: str, tmp_path: Path) -> None:
    """Looking for an example for each of 250 changes in one schema took 67 s, and 800 definitions a traceback."""
    few, many = (compared(name, times * SIDES[name], tmp_path / str(times)) for times in (1, 4))
    for cost in (few, many):
        assert cost.code in (0, 5), cost.said[-2000:]
    assert many.seconds < 10 * max(few.seconds, 2), (few.seconds, many.seconds)


@pytest.mark.parametrize("name", sorted(shapes.SIDES.keys() - {"alternatives_that_changed"}))
def test_gaps_are_found_in_linear_time(name: str) -> None:
    """But for alternatives: each of the one side may have to be compared with each of the other."""

    def find_gaps(size: int) -> None:
        for old, new in zip(*(shapes.SIDES[name](size, new) for new in (0, 1)), strict=True):
            producer, consumer = (SchemaView(tool["outputSchema"], DRAFT_2020_12) for tool in (new, old))
            keyword_rules.find_gaps(producer, consumer)

    few, many = (calls_of(partial(find_gaps, size)) for size in (50, 200))
    assert many < 1.5 * 4 * few + 50_000, (few, many)


QUADRATIC = (
    "settings_unknown_tools",
    "settings_unknown_keys",
    "settings_inline",
    "settings_ref_map",
    "templates_unused",
)


@pytest.mark.parametrize("name", QUADRATIC)
def test_what_is_wrong_around_definitions_is_said_soon(name: str, tmp_path: Path) -> None:
    size = 30_000 if name == "settings_unknown_keys" else 800
    cost = measure({**AXES[name].make(size), **({"schemas/tools.json": "[]"} if "tools" in name else {})}, tmp_path)
    assert cost.code in (0, 2)
    assert cost.seconds < START, (cost.seconds, cost.said[-500:])


def test_no_file_makes_it_more_than_all_may_hold(tmp_path: Path) -> None:
    files = {f"schemas/a{number}.json": json.dumps({"a": "x" * 400}) for number in range(2)}
    cost = measure({**files, "mcpgen.toml": "limits = {total-size = 500}\n"}, tmp_path)
    assert cost.code == 2
    assert "hold more than 500 bytes in all" in cost.said


# --- time ------------------------------------------------------------------------------------------------------------
def test_the_type_generator_is_interrupted(monkeypatch: pytest.MonkeyPatch) -> None:
    """Although it catches exceptions, and whatever is asked for again after a failure."""

    def generate(*_: object, **__: object) -> Iterator[None]:
        while True:
            try:
                time.sleep(0.01)
            except Exception:
                continue

    monkeypatch.setattr(datamodel_code_generator, "generate", generate)
    schemas: list[Any] = [shapes.closed({f"never{i}": {"type": "string", "minLength": 77 + i}}) for i in range(4)]
    requests = [LoweringRequest(f"side{i}", Schema(item, DRAFT_2020_12), seconds=0.5) for i, item in enumerate(schemas)]
    start = time.monotonic()
    roots: list[SchemaRoot] = lower_schemas(requests)
    assert time.monotonic() - start < 30
    assert all("limits.seconds" in root.notes[0][1] for root in roots)


def test_seconds_without_end() -> None:
    """More than a timer can count."""
    request = LoweringRequest("output", Schema({"type": "string", "minLength": 3}, DRAFT_2020_12), seconds=1e300)
    assert lower_schemas([request])[0].notes == ()


# --- everything ------------------------------------------------------------------------------------------------------
@pytest.mark.slow
@pytest.mark.parametrize("name", AXES)
def test_builds_are_linear(name: str, tmp_path: Path) -> None:
    axis = AXES[name]
    least = measure(axis.make(1), tmp_path / "least", 120)
    few = measure(axis.make(axis.size), tmp_path / "few", 120)
    many = measure(axis.make(4 * axis.size), tmp_path / "many", 240)
    for cost in (least, few, many):
        assert cost.code in (0, 2), cost.said[-2000:]
        assert "Traceback" not in cost.said
    assert many.seconds - least.seconds < 10 * max(few.seconds - least.seconds, 0.5), (least.seconds, few, many)
    if many.code == 0:
        command = [sys.executable, "-c", "import made; [*map(made.RESULT_TYPES.get, made.RESULT_TYPES)]"]
        run = subprocess.run(command, cwd=tmp_path / "many", capture_output=True, text=True, timeout=600)
        assert run.returncode == 0, run.stderr[-2000:]
