"""Tools with more classes than one module should have, and the imports of generated modules."""

from __future__ import annotations

import copy
import json
import pickle
from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError
from support import packages
from support.checkers import reported
from support.import_graph import find_circles, read_import_graph
from support.repository import ROOT

pytestmark = pytest.mark.ci

MAX_LINES = 1_500


def make_object(*names: str, **properties: Any) -> dict[str, Any]:
    texts = {name: {"type": "string", "description": "What the harbour's office says of it."} for name in names}
    return {"type": "object", "properties": {**properties, **texts}}


def make_large_schema() -> dict[str, Any]:
    """Return a schema of ninety classes: a chain, a circle, one that leads to the root, and a shared one."""
    names = [f"word_{number}" for number in range(12)]
    properties: dict[str, Any] = {
        f"part_{number}": make_object(
            *names, inner=make_object("own", f"deep_{number}"), shared={"$ref": "#/$defs/Shared"}
        )
        for number in range(40)
    }
    return {
        **make_object(tree={"$ref": "#/$defs/Tree"}, ring={"$ref": "#/$defs/Ring"}, **properties),
        "required": ["tree"],
        "$defs": {
            "Shared": make_object("name"),
            "Tree": make_object("leaf", again={"$ref": "#"}),
            "Ring": make_object(next={"$ref": "#/$defs/Link"}),
            "Link": make_object(back={"$ref": "#/$defs/Ring"}),
        },
    }


LARGE = make_large_schema()
TOOLS = [
    packages.tool(
        "large", LARGE, inputSchema={"type": "object", "properties": LARGE["properties"], "$defs": LARGE["$defs"]}
    ),
    packages.tool("small", make_object(shared=make_object("name"), wind=make_object("speed"))),
]
VALUE = {"tree": {"leaf": "a"}, "part_3": {"inner": {"own": "x"}, "word_1": "y"}, "ring": {"next": {"back": {}}}}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("large")


@pytest.fixture(scope="module")
def generated(folder: Path) -> Any:
    return packages.package(folder, TOOLS)


def find_package(generated: Any) -> Path:
    return Path(generated.__file__).parent


def test_no_module_is_too_long(generated: Any) -> None:
    paths = find_package(generated).rglob("*.py")
    lengths = {path.name: path.read_text("utf-8").count("\n") for path in paths}
    assert max(lengths.values()) <= MAX_LINES
    assert sum(lengths.values()) > 2 * MAX_LINES  # so that one module would have been too long


def test_only_the_large_tool_has_modules_for_its_classes(generated: Any) -> None:
    types = find_package(generated) / "tool_types"
    assert [path.name for path in types.iterdir() if path.is_dir() and path.name != "__pycache__"] == ["large"]
    assert len([*(types / "large").glob("part*.py")]) > 30


def test_values(generated: Any) -> None:
    result = generated.LargeResult.from_structured_content(VALUE)
    assert result.to_structured_content() == VALUE
    assert result.part_3.inner.own == "x"
    assert pickle.loads(pickle.dumps(result)) == result
    assert copy.deepcopy(result) == result
    with pytest.raises(ValidationError):
        generated.LargeResult.from_structured_content({**VALUE, "part_3": {"inner": {"own": 1}}})
    assert json.loads(generated.LargeResult(**VALUE).to_wire_json())["structuredContent"] == VALUE


def test_classes_are_imported_from_the_module_of_the_tool(generated: Any) -> None:
    module = __import__(f"{generated.__name__}.tools.large", fromlist=["x"])
    part = type(generated.LargeResult.from_structured_content(VALUE).part_3)
    assert getattr(module, part.__name__) is part
    assert part.__module__ == f"{generated.__name__}.tool_types.large.{part.__module__.rpartition('.')[2]}"
    assert part.__name__ not in dir(generated)  # classes of one tool are private to it


@pytest.mark.parametrize("checker", ["mypy", "pyright"])
def test_type_checkers(folder: Path, generated: Any, checker: str) -> None:
    part = type(generated.LargeResult.from_structured_content(VALUE).part_3).__name__
    name = generated.__name__
    text = (
        f"from {name}.tools.large import LargeResult, {part}, {part}Dict\n"
        f"from {name} import LargeArguments\n"
        f"raw: {part}Dict = {{'word_1': 'a'}}\n"
        f"part = {part}(word_1='a')\n"
        f"wrong = {part}(word_1=1)  # wrong\n"
        "text: str | None = LargeArguments().part_3.word_1 if LargeArguments().part_3 else None  # wrong\n"
        "LargeResult.normalize({'tree': {'leaf': 'x'}, 'part_3': raw})\n"
        "LargeResult.normalize({'tree': {'leaf': 'x'}, 'part_3': {'word_1': 1}})  # wrong\n"
    )
    numbers, output = reported(folder, checker, text)
    lines = {number for number, line in enumerate(text.splitlines(), 1) if line.endswith("# wrong") and number != 6}
    assert numbers - {6} == lines, output


def test_imports_have_no_circle(generated: Any) -> None:
    assert find_circles(read_import_graph(find_package(generated))) == []


@pytest.mark.parametrize("sdk", ["none", "mcp", "mcp1", "fastmcp", "dedalus"])
def test_the_imports_of_the_example_have_no_circle(sdk: str, tmp_path: Path) -> None:
    """Type checkers check again all modules of a circle when one of them changes."""
    run = packages.mcpgen("build", str(ROOT / "schemas"), "--out", "out", "--sdk", sdk, "--jobs", "1", cwd=tmp_path)
    assert run.returncode == 0, run.stderr
    graph = read_import_graph(tmp_path / "out")
    assert any(module.startswith("types.") for targets in graph.values() for module in targets)
    assert find_circles(graph) == []


def test_a_circle_is_found(tmp_path: Path) -> None:
    (tmp_path / "__init__.py").write_text("from .a import x\n", "utf-8")
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "__init__.py").write_text("from . import b\n", "utf-8")
    (tmp_path / "a" / "b.py").write_text("from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from ..a import c\n")
    (tmp_path / "a" / "c.py").write_text("from .. import d\n", "utf-8")
    (tmp_path / "d.py").write_text("", "utf-8")
    graph = read_import_graph(tmp_path)
    assert graph == {"": ["a"], "a": ["a.b"], "a.b": ["a", "a.c"], "a.c": ["", "d"], "d": []}
    assert find_circles(graph) == [["", "a", "a.b", "a.c"]]
