"""What kind of package there is, by its own files, and which plans would change that."""

from __future__ import annotations

import itertools
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from mcpgen.app import generate_package
from mcpgen.pipeline.package_kind import KindChange, find_kind_changes
from mcpgen.plan import make_plan
from mcpgen.targets import SDK_NAMES
from support.definitions import configure_package, make_settings
from support.packages import tool

WHEN = {"type": "object", "properties": {"at": {"type": "string", "format": "date-time"}}}
NAMES = {"type": "array", "items": {"type": "string"}}
TOOLS = [tool("get_time", WHEN), tool("list_names", NAMES)]


_TEXTS: dict[str, Mapping[str, str]] = {}
"""What was generated, by the tools and settings: many comparisons start from the same package."""


def _generate(folder: Path, tools: list[dict[str, Any]], **settings: Any) -> Mapping[str, str]:
    key = json.dumps([tools, settings])
    if key not in _TEXTS:
        _TEXTS[key] = _generate_anew(folder, tools, **settings)
    return _TEXTS[key]


def _generate_anew(folder: Path, tools: list[dict[str, Any]], **settings: Any) -> Mapping[str, str]:
    generated = generate_package(configure_package(folder, tools, **settings), 1, lambda *_: None).generated
    assert generated is not None
    return generated.texts


def _write(out: Path, texts: Mapping[str, str]) -> None:
    for path, text in texts.items():
        (out / path).parent.mkdir(parents=True, exist_ok=True)
        (out / path).write_text(text, "utf-8")


def _compare(
    folder: Path,
    before: dict[str, Any],
    after: dict[str, Any],
    old_tools: list[dict[str, Any]] = TOOLS,
    new_tools: list[dict[str, Any]] = TOOLS,
) -> list[KindChange]:
    _write(folder / "out", _generate(folder, old_tools, **before))
    new = _generate(folder, new_tools, **after)
    return find_kind_changes(make_plan(folder / "out", new), configure_package(folder, new_tools, **after).settings)


@pytest.fixture(scope="module")
def texts_by_sdk(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Mapping[str, str]]:
    return {sdk: _generate(tmp_path_factory.mktemp(sdk), TOOLS, sdk=sdk) for sdk in SDK_NAMES}


@pytest.mark.parametrize(("old", "new"), [*itertools.product(SDK_NAMES, repeat=2)])
def test_another_sdk_is_another_kind_and_what_follows_from_it_is_not_told(
    old: str, new: str, texts_by_sdk: dict[str, Mapping[str, str]], tmp_path: Path
) -> None:
    _write(tmp_path, texts_by_sdk[old])
    plan = make_plan(tmp_path, texts_by_sdk[new])
    expected = [] if old == new else [KindChange("sdk", f'"{old}"', f'"{new}"')]
    assert find_kind_changes(plan, make_settings(sdk=new)) == expected


def test_a_lost_file_is_only_written_again(texts_by_sdk: dict[str, Mapping[str, str]], tmp_path: Path) -> None:
    for path in ("__init__.py", "server.py", "index.py"):
        _write(tmp_path, texts_by_sdk["fastmcp"])
        (tmp_path / path).unlink()
        plan = make_plan(tmp_path, texts_by_sdk["fastmcp"])
        assert [step.path for step in plan.changes] == [path]
        assert find_kind_changes(plan, make_settings(sdk="fastmcp")) == []


def test_a_foreign_file_says_nothing_about_the_package(
    texts_by_sdk: dict[str, Mapping[str, str]], tmp_path: Path
) -> None:
    _write(tmp_path, {"__init__.py": "from mcpgen_runtime.sdk.dedalus import Package\n"})
    plan = make_plan(tmp_path, texts_by_sdk["mcp"])
    assert find_kind_changes(plan, make_settings(sdk="mcp")) == []


def test_a_merge_conflict_about_the_sdk_ends_with_either_side(
    texts_by_sdk: dict[str, Mapping[str, str]], tmp_path: Path
) -> None:
    path = "__init__.py"
    _write(tmp_path, texts_by_sdk["mcp"])
    ours, theirs = texts_by_sdk["mcp"][path], texts_by_sdk["fastmcp"][path]
    _write(tmp_path, {path: f"<<<<<<< a\n{ours}=======\n{theirs}>>>>>>> b\n"})
    for sdk, kinds in (("mcp", []), ("fastmcp", []), ("dedalus", ["sdk"])):
        plan = make_plan(tmp_path, texts_by_sdk[sdk])
        changes = find_kind_changes(plan, make_settings(sdk=sdk))
        assert [change.key for change in changes] == kinds, sdk


FORMATS: dict[str, Any] = {"formats": {"date-time": "native"}}


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        ({"protocol": "2025-06-18"}, {}, [KindChange("protocol", '"2025-06-18"', '"2026-07-28"')]),
        ({}, {"protocol": "2026-07-28"}, []),
        (
            {"sdk": "mcp", "protocol": "2025-06-18"},
            {},
            [KindChange("sdk", '"mcp"', '"none"'), KindChange("protocol", '"2025-06-18"', '"2026-07-28"')],
        ),
        ({}, {"wrap": "always"}, [KindChange("wrap", '"legacy"', '"always"', ("tools/list_names.py",))]),
        ({"wrap": "always"}, {}, [KindChange("wrap", '"always"', '"legacy"', ("tools/list_names.py",))]),
        (
            {"sdk": "mcp", "wrap": "always"},
            {"sdk": "mcp1"},
            [
                KindChange("sdk", '"mcp"', '"mcp1"'),
                KindChange("wrap", '"always"', '"legacy"', ("tools/list_names.py",)),
            ],
        ),
        ({}, {"wrap": "legacy"}, []),
        ({}, {"formats": "native"}, [KindChange("formats", '"annotation"', '"native"', ("tools/get_time.py",))]),
        (
            {"formats": "native"},
            {},
            [KindChange("formats", '{"date-time" = "native"}', '"annotation"', ("tools/get_time.py",))],
        ),
        (
            FORMATS,
            {"formats": {"uuid": "native"}},
            [KindChange("formats", '{"date-time" = "native"}', '{"uuid" = "native"}', ("tools/get_time.py",))],
        ),
        ({"formats": "native"}, FORMATS, []),
        ({"formats": {"uuid": "native"}}, {}, []),
        ({"testing": True, "sdk": "mcp"}, {"sdk": "mcp"}, []),
        ({"sdk": "mcp", "stubs": True}, {"sdk": "mcp"}, []),
        ({"azure": True}, {}, []),
        ({"lenient": True, "exceptions": "sdk"}, {}, []),
        ({"sdk": "mcp", "client": False}, {"sdk": "mcp"}, []),
        ({"sdk": "mcp", "runtime": "vendored"}, {"sdk": "mcp"}, []),
        ({"sdk": "mcp"}, {"sdk": "mcp", "runtime": "vendored"}, []),
        (
            {"sdk": "mcp", "runtime": "vendored"},
            {"sdk": "dedalus"},
            [KindChange("sdk", '"mcp"', '"dedalus"')],
        ),
        (
            {"protocol": "2025-06-18"},
            {"runtime": "vendored"},
            [KindChange("protocol", '"2025-06-18"', '"2026-07-28"')],
        ),
    ],
)
def test_which_settings_make_another_kind(
    before: dict[str, Any], after: dict[str, Any], expected: list[KindChange], tmp_path: Path
) -> None:
    assert _compare(tmp_path, before, after) == expected


UUID = {"type": "object", "properties": {"id": {"type": "string", "format": "uuid"}}}
PLAIN = {"type": "object", "properties": {"at": {"type": "string"}}}


@pytest.mark.parametrize(
    ("old", "new", "settings"),
    [
        ([tool("a", PLAIN)], [tool("a", WHEN)], {"formats": "native"}),
        ([tool("a", WHEN)], [tool("a", PLAIN)], {"formats": "native"}),
        ([tool("a", WHEN)], [tool("a", WHEN), tool("b", UUID)], {"formats": "native"}),
        ([tool("a", WHEN), tool("b", WHEN)], [tool("a", WHEN)], {"formats": "native"}),
        ([tool("a", WHEN)], [tool("a", WHEN, **{"x-mcpgen": {"formats": "native"}})], {}),
        ([tool("a", NAMES)], [tool("a", NAMES, **{"x-mcpgen": {"wrap": "always"}})], {}),
        ([tool("a", NAMES)], [tool("a", PLAIN)], {}),
        ([tool("a", PLAIN)], [tool("a", NAMES)], {"wrap": "always"}),
        ([tool("a", PLAIN)], [tool("b", NAMES)], {"sdk": "mcp"}),
    ],
)
def test_an_edit_of_the_definitions_is_no_other_kind(
    old: list[dict[str, Any]], new: list[dict[str, Any]], settings: dict[str, Any], tmp_path: Path
) -> None:
    assert _compare(tmp_path, settings, settings, old, new) == []


def test_an_edit_beside_the_setting_does_not_hide_it(tmp_path: Path) -> None:
    new = [tool("get_time", WHEN, description="The time."), tool("list_names", NAMES, description="Names.")]
    changes = _compare(tmp_path, {}, {"wrap": "always", "formats": "native"}, TOOLS, new)
    assert [change.key for change in changes] == ["wrap", "formats"]


def test_a_new_folder_has_no_kind(tmp_path: Path) -> None:
    assert find_kind_changes(make_plan(tmp_path / "out", _generate(tmp_path, TOOLS)), make_settings()) == []
