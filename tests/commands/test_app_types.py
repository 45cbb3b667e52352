"""The file of `app-types`, outside of the package: it is written, checked and removed as the package's files are."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from support.packages import files, mcpgen, tool

TOOL = tool("locate", {"type": "object", "properties": {"lat": {"type": "number"}}}, _meta={"ui": {}})
PLACE = 'app-types = "web/src/tools.d.ts"\n'


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "schemas").mkdir()
    (tmp_path / "schemas" / "tools.json").write_text(json.dumps({"tools": [TOOL]}), "utf-8")
    return choose(tmp_path, PLACE)


def choose(project: Path, settings: str) -> Path:
    (project / "mcpgen.toml").write_text(f'sdk = "none"\n{settings}', "utf-8")
    return project


def build(project: Path, *options: str, code: int = 0) -> str:
    run = mcpgen("build", *options, cwd=project)
    assert run.returncode == code, run.stderr
    return run.stderr


def test_it_is_written_checked_and_removed(project: Path) -> None:
    build(project)
    types = project / "web" / "src" / "tools.d.ts"
    assert "locate: {" in types.read_text("utf-8")
    assert "nothing changed" in mcpgen("build", cwd=project).stderr + build(project)
    assert mcpgen("check", cwd=project).returncode == 0
    (project / "schemas" / "tools.json").write_text(json.dumps({"tools": [{**TOOL, "name": "find"}]}), "utf-8")
    check = mcpgen("check", cwd=project)
    assert check.returncode == 4
    assert "web/src/tools.d.ts" in check.stderr
    assert "is stale" in check.stderr
    build(project)
    assert "find: {" in types.read_text("utf-8")
    choose(project, "")
    check = mcpgen("check", cwd=project)
    assert "web/src/tools.d.ts: error[MG406]: is orphaned" in check.stderr
    build(project)
    assert not (project / "web").exists()
    assert mcpgen("check", cwd=project).returncode == 0


def test_it_moves(project: Path) -> None:
    build(project)
    choose(project, 'app_types = "app.ts"\n')  # also with the other spelling
    build(project)
    assert (project / "app.ts").is_file()
    assert not (project / "web").exists()
    choose(project, 'app-types = "generated/web/app.ts"\n')
    build(project)
    assert not (project / "app.ts").exists()
    assert (project / "generated" / "web" / "app.ts").is_file()
    choose(project, "")
    build(project)
    assert not (project / "generated" / "web").exists()


@pytest.mark.parametrize("settings", [PLACE, ""])
def test_an_edit_is_refused(settings: str, project: Path) -> None:
    build(project)
    types = project / "web" / "src" / "tools.d.ts"
    types.write_text(types.read_text("utf-8").replace("number;", "string;"), "utf-8")
    choose(project, settings)
    before = (project / "generated" / ".gitattributes").read_text("utf-8")
    assert "web/src/tools.d.ts" in build(project, code=3)
    assert "string;" in types.read_text("utf-8")
    assert (project / "generated" / ".gitattributes").read_text("utf-8") == before
    build(project, "--force")
    assert types.exists() == bool(settings)


def test_a_file_of_somebody_else_is_left_alone(project: Path) -> None:
    types = project / "web" / "src" / "tools.d.ts"
    types.parent.mkdir(parents=True)
    types.write_text("export type Mine = string;\n", "utf-8")
    said = build(project, code=3)
    assert "error[MG402]" in said
    assert "choose another `app-types`" in said
    assert not (project / "generated").exists()
    choose(project, "")
    build(project)
    assert types.exists()


def test_a_link_on_the_way_is_refused(project: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    (project / "real").mkdir()
    (project / "web").symlink_to(project / "real")
    assert "error[MG402]" in build(project, code=3)
    assert [*(project / "real").iterdir()] == []


def test_a_package_behind_a_link(project: Path) -> None:
    (project / "elsewhere" / "deep").mkdir(parents=True)
    (project / "generated").symlink_to(project / "elsewhere" / "deep")
    build(project)
    assert (project / "web" / "src" / "tools.d.ts").is_file()
    choose(project, "")
    build(project)
    assert not (project / "web").exists()


def test_a_marker_does_not_remove_files_elsewhere(project: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    """Whoever writes the package's marker: only a file of the project goes, and only if it is mcpgen's."""
    other = tmp_path_factory.mktemp("other")
    (other / "schemas").mkdir()
    (other / "schemas" / "tools.json").write_text(json.dumps({"tools": [TOOL]}), "utf-8")
    build(choose(other, 'app-types = "tools.d.ts"\n'))
    build(project)
    marker = project / "generated" / ".gitattributes"
    choose(project, f'app-types = "../{other.name}/tools.d.ts"\n')
    assert "MG304" in build(project, code=2)
    assert "MG304" not in build(project, "--root", str(project.parent.parent))
    assert other.name in marker.read_text("utf-8")
    choose(project, "")
    build(project)
    assert (other / "tools.d.ts").is_file()


def test_another_output_folder_has_the_package_alone(project: Path) -> None:
    build(project)
    types = project / "web" / "src" / "tools.d.ts"
    types.unlink()
    build(project, "--out", "elsewhere")
    assert not types.exists()
    assert files(project / "elsewhere") == files(project / "generated")


def test_wrong_settings(project: Path) -> None:
    for settings, message in {
        'app-types = "web/tools.js"\n': "must end in .ts",
        'app-types = "x.ts"\n[[package]]\nout = "a"\n[[package]]\nout = "b"\n': "is the file of two packages",
        'app-types = ".git/x.ts"\n': "MG304",
    }.items():
        (project / ".git").mkdir(exist_ok=True)
        assert message in build(choose(project, settings), code=2), settings


def test_two_packages_with_a_file_each(project: Path) -> None:
    build(choose(project, '[[package]]\nout = "a"\napp-types = "a.ts"\n[[package]]\nout = "b"\napp-types = "b.ts"\n'))
    assert (project / "a.ts").read_text("utf-8") == (project / "b.ts").read_text("utf-8")


def test_without_an_app_there_is_a_warning(project: Path) -> None:
    (project / "schemas" / "tools.json").write_text(json.dumps({"tools": [tool("locate")]}), "utf-8")
    assert "mcpgen.toml:2:1: warning[MG302]: `app-types` has no types: no tool has `_meta.ui`" in build(project)
    assert "export interface Tools {\n}\n" in (project / "web" / "src" / "tools.d.ts").read_text("utf-8")
