"""Which input files were edited, added and removed since the last run, and which depend on them."""

from __future__ import annotations

from pathlib import Path

import pytest
from mcpgen.config.models import ConfiguredPackage
from mcpgen.pipeline.changed_files import ChangedFiles, find_changed_files
from mcpgen.pipeline.package_outline import PackageOutline
from support.edited_project import (
    edit,
    load_package,
    make_outline,
    make_project,
    make_schema,
    set_property,
    survey,
    write_json,
)
from support.packages import tool

pytestmark = pytest.mark.ci


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "project"
    make_project(folder)
    monkeypatch.chdir(folder)
    return folder


class Changes:
    """Finds what has changed since the project was as at first."""

    def __init__(self, project: Path) -> None:
        self.package: ConfiguredPackage = load_package(project)
        self.outline: PackageOutline = make_outline(self.package)
        self._links = {**survey(self.package).links}

    def find(self, **other_inputs: str) -> ChangedFiles | None:
        inputs = {f"{name}.json": digest for name, digest in other_inputs.items()}
        return find_changed_files(self.package, self.outline, survey(self.package), {**self._links}, {**inputs})


@pytest.fixture
def changes(project: Path) -> Changes:
    return Changes(project)


def test_files_that_depend_on_edited_ones_are_edited_too(project: Path, changes: Changes) -> None:
    assert changes.find() == ChangedFiles(())
    edit(project / "schemas" / "plain.json", set_property("m", {"type": "string"}))
    assert changes.find() == ChangedFiles(("schemas/plain.json",))
    (project / "schemas" / "common.defs.json").write_text('{"$defs": {"Size": {"enum": ["s"]}}}', "utf-8")
    names = ["common.defs", "near", "plain"]
    assert changes.find() == ChangedFiles(tuple(f"schemas/{name}.json" for name in names))
    (project / "far" / "level.json").unlink()
    names = ["common.defs", "far", "near", "plain"]
    assert changes.find() == ChangedFiles(tuple(f"schemas/{name}.json" for name in names))


def test_another_input_that_changed_means_a_whole_run(changes: Changes) -> None:
    assert changes.find(elsewhere="a digest") is None


def test_new_files_have_the_names_that_a_whole_run_gives_them(project: Path, changes: Changes) -> None:
    (project / "schemas" / "pulled").mkdir()
    write_json(project / "schemas" / "pulled" / "new.json", tool("new", make_schema()))
    found = changes.find()
    assert found is not None
    (file,) = found.added
    assert (file.path, file.root) == (project / "schemas" / "pulled" / "new.json", project / "schemas")
    assert file.origin == "schemas/pulled/new.json"
    assert (found.edited, found.removed, found.added_templates) == ((), (), ())


def test_a_removed_file_is_not_an_edited_one(project: Path, changes: Changes) -> None:
    (project / "schemas" / "common.defs.json").unlink()
    assert changes.find() == ChangedFiles(("schemas/near.json",), (), ("schemas/common.defs.json",))


def test_a_new_template_changes_the_tool_of_its_name(project: Path, changes: Changes) -> None:
    (project / "schemas" / "two.content.j2").write_text("{{ n }}", "utf-8")
    found = ChangedFiles(("schemas/list.json",), (), (), ("schemas/two.content.j2",))
    assert changes.find() == found


def test_a_removed_template_changes_its_tool(project: Path, changes: Changes) -> None:
    (project / "schemas" / "plain.content.j2").unlink()
    assert changes.find() == ChangedFiles(("schemas/plain.json",))


@pytest.mark.parametrize("name", ["new.json", "near.json", "new.content.j2"])
def test_links_mean_a_whole_run(project: Path, changes: Changes, name: str) -> None:
    path = project / "schemas" / name
    path.unlink(missing_ok=True)
    path.symlink_to("far.json")
    assert changes.find() is None


def test_a_file_that_a_run_does_not_read_means_a_whole_run(project: Path, changes: Changes) -> None:
    (project / "schemas" / "learned").mkdir()
    write_json(project / "schemas" / "learned" / "new.json", make_schema())
    assert changes.find() is None
