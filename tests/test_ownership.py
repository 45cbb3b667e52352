"""Whose files are whose, and that nothing is half-written."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path

import pytest
from mcpgen import write
from mcpgen.plan import JOURNAL, Action, Owner, owner_of, plan
from packages import files, mcpgen, tool

SCHEMA = {"type": "object", "properties": {"value": {"type": "string"}}}


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "schemas").mkdir()
    for name in ("alpha", "beta"):
        (tmp_path / "schemas" / f"{name}.json").write_text(json.dumps(tool(name, SCHEMA)), "utf-8")
    assert mcpgen("build", cwd=tmp_path).returncode == 0
    return tmp_path


def test_orphans_go_and_the_users_own_files_stay(project: Path) -> None:
    (project / "generated" / "mine.py").write_text("x = 1\n", "utf-8")
    (project / "schemas" / "beta.json").unlink()
    assert mcpgen("check", cwd=project).returncode == 4
    assert mcpgen("build", cwd=project).returncode == 0
    assert not (project / "generated" / "tools" / "beta.py").exists()
    assert (project / "generated" / "mine.py").read_text("utf-8") == "x = 1\n"


def test_a_package_within_is_no_orphan(project: Path) -> None:
    before = files(project / "generated")
    assert mcpgen("build", "--out", ".", cwd=project).returncode == 0
    assert files(project / "generated") == before
    (project / "tools" / ".gitattributes").write_text("*.py text\n", "utf-8")  # the user's: tools/ is its own folder
    (project / "schemas" / "beta.json").unlink()
    assert mcpgen("build", "--out", ".", cwd=project).returncode == 0
    assert not (project / "tools" / "beta.py").exists()
    assert files(project / "generated") == before


@pytest.mark.parametrize("out", ["generated", "schemas/made", "elsewhere/in/it"])
def test_what_is_generated_defines_nothing(project: Path, out: str) -> None:
    shutil.rmtree(project / "generated")
    (project / "mcpgen.toml").write_text(f'schemas = ["."]\nout = "{out}"\n', "utf-8")
    for command in (["build"], ["build", "--cache-dir", ".cache"], ["check"], ["build", "--depfile", ".out.d"]):
        run = mcpgen(*command, cwd=project)
        assert run.returncode == 0, run.stderr
    assert "tools.json" not in (project / ".out.d").read_text("utf-8")


@pytest.mark.parametrize("name", ["schemas/alpha.json", "mcpgen.toml", "generated/tools.json", "generated/new.d"])
def test_a_depfile_takes_the_place_of_nothing(project: Path, name: str) -> None:
    (project / "mcpgen.toml").write_text('sdk = "none"\n', "utf-8")
    before = files(project)
    run = mcpgen("build", "--depfile", name, cwd=project)
    assert run.returncode == 2
    assert "error[MG404]: holds what is read or generated" in run.stderr
    assert files(project) == before


def test_an_edited_file_is_refused_and_force_takes_it(project: Path) -> None:
    edited = project / "generated" / "tools" / "alpha.py"
    before = files(project / "generated")
    edited.write_text(edited.read_text("utf-8") + "\nX = 1\n", "utf-8")
    (project / "schemas" / "gamma.json").write_text(json.dumps(tool("gamma", SCHEMA)), "utf-8")
    run = mcpgen("build", cwd=project)
    assert run.returncode == 3
    assert "error[MG401]: was edited by hand" in run.stderr
    assert not (project / "generated" / "tools" / "gamma.py").exists(), "nothing is written when something is refused"
    assert mcpgen("build", "--force", cwd=project).returncode == 0
    (project / "schemas" / "gamma.json").unlink()
    assert mcpgen("build", cwd=project).returncode == 0
    assert files(project / "generated") == before


def test_an_edited_orphan_is_refused(project: Path) -> None:
    edited = project / "generated" / "tools" / "beta.py"
    edited.write_text(edited.read_text("utf-8") + "# kept\n", "utf-8")
    (project / "schemas" / "beta.json").unlink()
    assert mcpgen("build", cwd=project).returncode == 3
    assert edited.exists()


def test_a_foreign_file_in_the_way_is_refused(project: Path) -> None:
    (project / "generated" / "runtime.py").write_text("mine = True\n", "utf-8")
    run = mcpgen("build", cwd=project)
    assert run.returncode == 3
    assert "error[MG402]" in run.stderr


def test_line_endings_do_not_make_an_edit(project: Path) -> None:
    path = project / "generated" / "tools" / "alpha.py"
    path.write_bytes(path.read_bytes().replace(b"\n", b"\r\n"))
    assert owner_of("tools/alpha.py", path.read_bytes().decode()) is Owner.MCPGEN
    assert mcpgen("build", cwd=project).returncode == 0
    assert b"\r\n" not in path.read_bytes()


def test_an_edited_tools_json_is_refused(project: Path) -> None:
    path = project / "generated" / "tools.json"
    held = json.loads(path.read_text("utf-8"))
    held["tools"][0]["title"] = "edited"
    path.write_text(json.dumps(held), "utf-8")
    assert mcpgen("build", cwd=project).returncode == 3


@pytest.mark.parametrize("moved", [0, 1, 3])
def test_a_killed_run_is_finished_by_the_next(project: Path, moved: int, monkeypatch: pytest.MonkeyPatch) -> None:
    out = project / "generated"
    old = files(out)
    wanted = {path: text.decode() + "# new\n" for path, text in old.items() if path.endswith(".py")}
    step = plan(out, wanted, force=True)
    assert {one.action for one in step.changes} >= {Action.UPDATE, Action.REMOVE}
    real, count = os.replace, 0

    def killed(source: Path, target: Path) -> None:
        nonlocal count
        if Path(target).parent.name != JOURNAL:
            count += 1
            if count > moved:
                raise KeyboardInterrupt
        real(source, target)

    monkeypatch.setattr(os, "replace", killed)
    with pytest.raises(KeyboardInterrupt):
        write.apply(step)
    monkeypatch.undo()
    assert write.pending(out)
    write.recover(out)
    assert not write.pending(out)
    assert files(out) == {path: text.encode() for path, text in wanted.items()}


def test_check_says_drift_while_a_journal_is_there(project: Path) -> None:
    (project / "generated" / JOURNAL).mkdir()
    assert mcpgen("check", cwd=project).returncode == 4
    assert mcpgen("build", cwd=project).returncode == 0
    assert mcpgen("check", cwd=project).returncode == 0
