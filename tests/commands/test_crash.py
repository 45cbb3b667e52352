"""Whatever moment a build is killed at, the next one ends with the whole package, and what the user wrote is kept."""

from __future__ import annotations

import json
import os
import shutil
import signal
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from mcpgen import app, cli, write
from mcpgen.diagnostics import Findings
from mcpgen.files import journal
from mcpgen.files.journal import StagedFile, UnfinishedRun
from support import children, crash
from support.packages import files, mcpgen, tool

pytestmark = [pytest.mark.ci, pytest.mark.skipif(not hasattr(os, "fork"), reason="kills forked processes")]


def test_killed_builds_are_mended(tmp_path: Path) -> None:
    counts = crash.kill_builds(tmp_path, 20, seed=os.getpid())
    assert counts["killed"] > 0


@pytest.mark.slow
def test_many_killed_builds_are_mended(tmp_path: Path) -> None:
    counts = crash.kill_builds(tmp_path, 480, seed=os.getpid())
    assert counts["writing"] > 20
    assert counts["refused"] > 20


# --- a run that was killed at a moment that is known ------------------------------------------------------------------
@pytest.fixture
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "state"
    monkeypatch.setenv("MCPGEN_STATE_DIR", str(folder))
    return folder


def _wanted(number: int) -> dict[str, str]:
    """A small package: four files, of which one is another one for each number."""
    from mcpgen.render.header import add_header

    names = ["a.py", "inner/b.py", "c.py", f"of_{number}.py"]
    return {name: add_header(f"x = {number}\n", "") for name in names}


@pytest.fixture
def project(tmp_path: Path, state: Path) -> Path:
    folder = tmp_path / "project"
    folder.mkdir()
    assert crash.build(folder, _wanted(1)) == crash.FINE
    assert not list(state.iterdir()), "a run that ended well leaves no journal"
    return folder


def _killed(project: Path, expected: dict[str, str], moved: int, force: bool = False) -> None:
    """A build in a process of its own that dies right before it moves the file after the first `moved`."""
    child = os.fork()
    if child == 0:
        real, count = os.replace, 0

        def replace(source: Any, target: Any) -> None:
            nonlocal count
            if journal.is_staging_name(Path(source).parent.name):
                count += 1
                if count > moved:
                    os.kill(os.getpid(), signal.SIGKILL)
            real(source, target)

        os.__dict__["replace"] = replace
        try:
            app.write_output(app.Outcome(project / "generated", Findings(), app.GeneratedFiles(expected)), force)
        finally:
            os._exit(1)
    assert os.WIFSIGNALED(os.waitpid(child, 0)[1])


def _held(project: Path) -> dict[str, str]:
    return {path: data.decode() for path, data in files(project / "generated").items()}


@pytest.mark.parametrize("moved", [0, 1, 3])
def test_a_killed_run_is_finished_by_the_next(project: Path, state: Path, moved: int) -> None:
    _killed(project, _wanted(2), moved)
    out = project / "generated"
    assert write.has_interrupted_run(out)
    assert crash.check(project, _wanted(2))[0] == "interrupted"
    contents = _held(project)
    assert sum(contents[path] == text for path, text in _wanted(2).items() if path in contents) == moved
    assert crash.build(project, _wanted(2)) == crash.FINE
    assert _held(project) == _wanted(2)
    assert not write.has_interrupted_run(out)
    assert not crash.check(project, _wanted(2))
    assert not list(state.iterdir())


def _module_and_record(number: int) -> dict[str, str]:
    from mcpgen.render.header import add_header
    from mcpgen.render.json_files import add_json_header, record_module

    module = add_header(f"x = {number}\n", "a.json", "tools/a.py")
    record = add_json_header({"tool": {"number": number}}, "a.json")
    return {"tools/a.py": module, "tools/a.json": record_module(record, module)}


@pytest.mark.parametrize("moved", [0, 1])
def test_a_module_whose_hash_a_killed_run_did_not_write_is_no_edit(project: Path, state: Path, moved: int) -> None:
    """The hash of a module is in the JSON file beside it, and the definition changes once more after the run."""
    assert crash.build(project, _module_and_record(1)) == crash.FINE
    _killed(project, _module_and_record(2), moved)
    assert crash.build(project, _module_and_record(3)) == crash.FINE
    assert _held(project) == _module_and_record(3)


@pytest.mark.parametrize("moved", [0, 2])
@pytest.mark.parametrize("path", ["a.py", "inner/b.py", "c.py", "of_1.py", "of_2.py"])
def test_an_edit_after_the_kill_is_kept(project: Path, moved: int, path: str) -> None:
    """Check that the next run reports the edit, whatever the killed one had done or was to do with the file."""
    _killed(project, _wanted(2), moved)
    edited = project / "generated" / path
    edited.write_text((edited.read_text("utf-8") if edited.exists() else "") + "# mine\n", "utf-8")
    mine = edited.read_bytes()
    for _ in range(2):
        assert crash.build(project, _wanted(2)) == crash.REFUSED
        assert edited.read_bytes() == mine
        assert crash.check(project, _wanted(2))
    assert crash.build(project, _wanted(2), force=True) == crash.FINE
    assert _held(project) == _wanted(2)


def test_a_forced_run_that_was_killed_forces_nothing_afterwards(project: Path) -> None:
    mine = project / "generated" / "of_2.py"
    mine.write_text("# mine\n", "utf-8")
    _killed(project, _wanted(2), 1, force=True)
    assert crash.build(project, _wanted(2)) == crash.REFUSED
    assert mine.read_text("utf-8") == "# mine\n"


def test_the_command_says_that_a_build_was_interrupted(project: Path) -> None:
    (project / "schemas").mkdir()
    (project / "schemas" / "a.json").write_text(json.dumps(tool("a")), "utf-8")
    (project / "generated" / "inner" / "b.py").unlink()
    _killed(project, _wanted(2), 1)
    checked = mcpgen("check", "--quiet", cwd=project)
    assert checked.returncode == 4
    assert (
        "generated: error[MG407]: a build was interrupted here\n  help: `mcpgen build` finishes it\n" in checked.stderr
    )


@pytest.mark.parametrize("lost", ["state", "home", "folder of new contents"])
def test_without_its_journal_a_killed_run_is_finished_all_the_same(
    project: Path, state: Path, lost: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A container that is thrown away, another user, `git clean`."""
    _killed(project, _wanted(2), 2)
    (staging,) = (project / "generated").glob(".mcpgen-*")
    if lost == "folder of new contents":
        for path in [*staging.iterdir()]:
            path.unlink()
        staging.rmdir()
        assert not write.has_interrupted_run(project / "generated"), (
            "nothing tells that folder from one that was checked out anew"
        )
    else:
        monkeypatch.setenv("MCPGEN_STATE_DIR", "" if lost == "home" else f"{state}2")
    assert crash.check(project, _wanted(2))
    assert crash.build(project, _wanted(2)) == crash.FINE
    assert not crash.check(project, _wanted(2))
    contents = _held(project)
    assert {
        path: text for path, text in contents.items() if not journal.is_staging_name(path.split("/")[0])
    } == _wanted(2)


# --- what directs nothing ---------------------------------------------------------------------------------------------
@pytest.mark.parametrize("name", [".mcpgen-journal", f".mcpgen-{'0' * 32}"])
@pytest.mark.parametrize("target", ["../victim.py", "mine.py", "a.py"])
def test_nothing_in_the_working_tree_is_a_journal(project: Path, state: Path, name: str, target: str) -> None:
    """As mcpgen once wrote one, and as it writes one now."""
    out = project / "generated"
    for victim in (project / "victim.py", out / "mine.py"):
        victim.write_text("# mine\n", "utf-8")
    folder = out / name
    folder.mkdir()
    (folder / "0").write_text("print('pwned')\n", "utf-8")
    for old in ({"moves": {"0": target}, "removals": []}, {"moves": {}, "removals": [target]}):
        (folder / "journal.json").write_text(json.dumps(old), "utf-8")
        files_before = {path: data for path, data in files(project).items() if name not in path}
        assert not crash.check(project, _wanted(1))
        assert crash.build(project, _wanted(1)) == crash.FINE
        assert {path: data for path, data in files(project).items() if name not in path} == files_before


def _journal(out: Path) -> Path:
    """Return the journal of a run that is going on."""
    journal.begin_journal(out, journal.make_staging_name(), [StagedFile(1, "0" * 64)])
    folder = journal.find_state_folder()
    assert folder is not None
    (file,) = folder.iterdir()
    return file


@pytest.mark.parametrize(
    "change",
    [
        {"out": "/"},
        {"staging": ".."},
        {"staging": "../victim"},
        {"staging": "inner"},
        {"staging": 5},
        {"staged": [["1", 2]]},
        {"staged": None},
    ],
)
def test_a_journal_of_another_folder_or_form_counts_for_nothing(project: Path, change: dict[str, Any]) -> None:
    out = project / "generated"
    file = _journal(out)
    contents = json.loads(file.read_text("utf-8"))
    (out / contents["staging"]).mkdir()
    assert write.has_interrupted_run(out)
    file.write_text(json.dumps({**contents, **change}), "utf-8")
    files_before = files(project)
    assert not write.has_interrupted_run(out)
    assert crash.build(project, _wanted(1)) == crash.FINE
    assert files(project) == files_before


def test_of_what_a_killed_run_staged_only_its_own_bytes_are_removed(project: Path, tmp_path: Path) -> None:
    _killed(project, _wanted(2), 1)
    (staging,) = (project / "generated").glob(".mcpgen-*")
    contents = sorted(staging.iterdir())
    assert len(contents) > 2
    contents[0].write_text("# mine, and longer than what the run had staged there, by far\n" * 9, "utf-8")
    (tmp_path / "victim").write_text("mine\n", "utf-8")
    contents[1].unlink()
    contents[1].symlink_to(tmp_path / "victim")
    (staging / "mine.py").write_text("# mine\n", "utf-8")
    assert crash.build(project, _wanted(2)) == crash.FINE
    assert {path.name for path in staging.iterdir()} == {contents[0].name, contents[1].name, "mine.py"}
    assert (tmp_path / "victim").read_text("utf-8") == "mine\n"
    assert not write.has_interrupted_run(project / "generated")


def test_a_staging_folder_that_is_a_link_is_not_entered(project: Path, tmp_path: Path) -> None:
    victim = tmp_path / "victim"
    victim.mkdir()
    (victim / "0").write_bytes(b"")
    out = project / "generated"
    contents = json.loads(_journal(out).read_text("utf-8"))
    (out / contents["staging"]).symlink_to(victim)
    journal.clear_unfinished_run(UnfinishedRun(out / "nothing", ()))
    assert crash.build(project, _wanted(1)) == crash.FINE
    assert (victim / "0").exists()


@pytest.mark.parametrize("flaw", ["open", "another's", "file"])
def test_a_state_folder_that_is_not_the_users_alone_is_not_used(project: Path, state: Path, flaw: str) -> None:
    if flaw == "another's" and os.geteuid() != 0:
        pytest.skip("takes root, to give a folder away")
    _killed(project, _wanted(2), 1)
    (staging,) = (project / "generated").glob(".mcpgen-*")
    if flaw == "open":
        state.chmod(0o770)
    elif flaw == "another's":
        os.chown(state, 65534, -1)
    else:
        state.rename(f"{state}2")
        state.write_text("", "utf-8")
    assert not write.has_interrupted_run(project / "generated")
    outcome = crash.build(project, _wanted(2))
    assert outcome == crash.FINE
    assert staging.exists()
    assert "is not used: it " in journal.describe_state_problem()
    (project / "schemas").mkdir()
    (project / "schemas" / "a.json").write_text(json.dumps(tool("a")), "utf-8")
    run = mcpgen("build", cwd=project)
    assert run.returncode == 0
    assert run.stderr.count("warning[MG408]: the state folder ") == 1


# --- what changes while it is written ---------------------------------------------------------------------------------
@pytest.mark.parametrize("when", ["before staging", "while moving"])
@pytest.mark.parametrize("path", ["a.py", "of_1.py", "of_2.py"])
@pytest.mark.parametrize("force", [False, True])
def test_an_edit_after_the_plan_was_made_is_kept(
    project: Path, when: str, path: str, force: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Before anything was moved, then nothing is; after that, what was not moved yet stays as it is."""
    edited = project / "generated" / path
    edits, files_before = iter([True]), _held(project)

    def edit() -> None:
        if next(edits, False):
            edited.write_text((edited.read_text("utf-8") if edited.exists() else "") + "# mine\n", "utf-8")

    _before(monkeypatch, "_stage_texts" if when == "before staging" else "_execute_steps", edit)
    outcome = app.Outcome(project / "generated", Findings(), app.GeneratedFiles(_wanted(2)))
    app.write_output(outcome, force)
    if force:
        assert _held(project) == _wanted(2)
        return
    assert [finding.code for finding in outcome.findings] == ["MG402" if path == "of_2.py" else "MG401"]
    assert not outcome.written
    assert edited.read_text("utf-8").endswith("# mine\n")
    if when == "before staging":
        assert {name: text for name, text in _held(project).items() if name != path} == {
            name: text for name, text in files_before.items() if name != path
        }


def test_a_file_that_never_stands_still_is_an_error(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    edited = project / "generated" / "a.py"
    _before(monkeypatch, "_execute_steps", lambda: edited.write_text(f"# {os.urandom(8).hex()}\n", "utf-8"))
    outcome = app.Outcome(project / "generated", Findings(), app.GeneratedFiles(_wanted(2)))
    app.write_output(outcome, True)
    (finding,) = outcome.findings
    assert (finding.code, finding.message) == (
        "MG404",
        "cannot be written: changes again and again while it is being written; run this again",
    )
    assert not [*(project / "generated").glob(".mcpgen-*")]


def _before(monkeypatch: pytest.MonkeyPatch, name: str, act: Callable[[], object]) -> None:
    real = getattr(write, name)

    def acting(*arguments: Any) -> None:
        act()
        real(*arguments)

    monkeypatch.setattr(write, name, acting)


# --- folders that go --------------------------------------------------------------------------------------------------
def _build_without(moment: str, name: str) -> None:
    """Become a build before one function of which a folder is removed; the process ends with it."""
    real = getattr(write, moment)

    def gone(*arguments: Any) -> Any:
        if os.path.exists(name):
            shutil.copytree(name, f"{name}-gone")
            shutil.rmtree(name)
        return real(*arguments)

    setattr(write, moment, gone)
    sys.argv = ["mcpgen", "build", "--jobs", "1"]
    cli.run()


@pytest.mark.parametrize("name", ["generated", "../project"])
@pytest.mark.parametrize("moment", ["plan_and_apply", "apply_plan", "_stage_texts", "_execute_steps", "_sync_folder"])
def test_a_folder_that_vanishes_is_no_bug(tmp_path: Path, state: Path, moment: str, name: str) -> None:
    """Check that the output folder, and the folder to work in, which the process then has no path of."""
    import black  # noqa: F401 (here, not in each of the processes)
    import datamodel_code_generator  # noqa: F401

    project = tmp_path / "project"
    (project / "schemas").mkdir(parents=True)
    (project / "schemas" / "a.json").write_text(json.dumps(tool("a")), "utf-8")
    (project / "generated").mkdir()
    (project / "generated" / "mine.py").write_text("# mine\n", "utf-8")
    code, output = children.run_in_fork(partial(_build_without, moment, name), project)
    assert code in (0, 2), output
    assert "Traceback" not in output
    assert [path.read_text("utf-8") for path in tmp_path.rglob("mine.py")] == ["# mine\n"]
    assert [*tmp_path.rglob("*-gone")]
