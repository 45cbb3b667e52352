"""Whether added and removed tools change files other than their own and the lists of all tools."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest
from mcpgen.cache.codec import MalformedValue, encode_value
from mcpgen.config.models import ConfiguredPackage
from mcpgen.names.package_names import PackageNames
from mcpgen.pipeline.changed_tool_set import ToolSetChange, concerns_other_files, name_tools
from mcpgen.pipeline.package_outline import PackageOutline, ToolOutline
from mcpgen.schema.values import Json
from support.definitions import make_settings

OLD = ToolOutline("part", ("a",), (), ("tools/old.py", "tools/old.json"), 2, "old", ("OldResult", "OldArguments"), ())
NEW = ToolOutline("part", ("b",), (), ("tools/new.py", "tools/new.json"), 2, "new", ("NewResult", "NewArguments"), ())
NOTHING = PackageNames({}, {}, {}, {}, {})


def outline(*tools: ToolOutline, shared: dict[str, list[str]] | None = None) -> PackageOutline:
    """Return the outline of a package with a resource `news`."""
    counts = Counter(digest for tool in tools for digest in tool.digests)
    entries: Json = {key: [key, None, "shared", [*avoided], None] for key, avoided in (shared or {}).items()}
    names: Json = {"resources": {"news": ["news", "News", None]}, "prompts": {}}
    return PackageOutline(entries, names, {}, {}, {tool.module: encode_value(tool) for tool in tools}, {**counts})


def find_concerned(
    folder: Path,
    old: list[ToolOutline],
    new: list[ToolOutline],
    paths: tuple[str, ...] = (),
    shared: dict[str, list[str]] | None = None,
    **settings: object,
) -> bool:
    """Return whether other files change when a package that has `OLD` anyway gets new tools instead of old ones."""
    change = ToolSetChange(
        {tool.module: tool for tool in old},
        {tool.module: tool for tool in new},
        outline(OLD, *old, shared=shared),
        outline(OLD, *new, shared=shared),
        paths,
        ConfiguredPackage(settings=make_settings(**settings), folder=folder),
    )
    return concerns_other_files(change, [])


def test_tools_without_anything_in_common_concern_no_other_file(tmp_path: Path) -> None:
    assert not find_concerned(tmp_path, [], [NEW])
    assert not find_concerned(tmp_path, [NEW], [])
    assert not find_concerned(tmp_path, [NEW], [replace(NEW, module="newer")])


@pytest.mark.parametrize(
    "tool",
    [
        replace(NEW, digests=("a", "b")),
        replace(NEW, shared_ids=(("output:", "types:x"),)),
        replace(NEW, paths=(*NEW.paths, "tool_types/new/part.py")),
        replace(NEW, runtime_modules=("table_cells",)),
    ],
)
def test_what_a_tool_has_in_common_with_others_concerns_them(tmp_path: Path, tool: ToolOutline) -> None:
    assert find_concerned(tmp_path, [], [tool])
    assert find_concerned(tmp_path, [tool], [])


def test_run_time_modules_stay_while_a_tool_needs_them(tmp_path: Path) -> None:
    table, other = (replace(NEW, module=name, digests=(), runtime_modules=("table_cells",)) for name in ("x", "y"))
    assert find_concerned(tmp_path, [], [table])
    assert not find_concerned(tmp_path, [], [table], ("runtime/table_cells.py",))
    assert not find_concerned(tmp_path, [table, other], [other], ("runtime/table_cells.py",))
    assert find_concerned(tmp_path, [table, other], [], ("runtime/table_cells.py",))
    assert not find_concerned(tmp_path, [], [table], runtime="acme.runtime")
    assert not find_concerned(tmp_path, [table], [], runtime="acme.runtime")


def test_names_that_become_free_are_those_of_shared_classes(tmp_path: Path) -> None:
    assert find_concerned(tmp_path, [NEW], [], shared={"Tree": ["NewResult"]})
    assert not find_concerned(tmp_path, [NEW], [], shared={"Tree": ["OtherResult"]})


def test_settings_that_name_a_tool_concern_it(tmp_path: Path) -> None:
    for name, is_concerned in (("new", True), ("unknown", True), ("old", False)):
        assert find_concerned(tmp_path, [], [NEW], tools={name: {"content": "json"}}) is is_concerned


def test_the_names_of_a_package_are_those_of_its_outline() -> None:
    names = name_tools(outline(OLD, NEW), replace(NOTHING, shared={"types:x": "Tree"}))
    assert names is not None
    assert {wire: tool.result for wire, tool in names.tools.items()} == {"old": "OldResult", "new": "NewResult"}
    assert {key: resource.name for key, resource in names.resources.items()} == {"news": "News"}
    assert names.shared == {"types:x": "Tree"}


@pytest.mark.parametrize("name", ["OldArguments", "OldResultDict", "News"])
def test_names_that_clash_are_left_to_a_whole_run(name: str) -> None:
    clashing = replace(NEW, root_classes=(name, "NewArguments"))
    assert name_tools(outline(OLD, clashing), NOTHING) is None
    assert name_tools(outline(OLD, NEW), replace(NOTHING, shared={"types:x": "NewResult"})) is None
    assert name_tools(outline(OLD, replace(NEW, module="OLD")), NOTHING) is None


def test_a_malformed_outline_is_reported() -> None:
    with pytest.raises(MalformedValue):
        name_tools(replace(outline(OLD), other_names=None), NOTHING)
    with pytest.raises(MalformedValue):
        name_tools(replace(outline(OLD), tools={"old": None}), NOTHING)
