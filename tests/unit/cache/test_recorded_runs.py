"""A run is repeated as long as everything that it saw is the same."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from mcpgen.cache import recorded_runs
from mcpgen.cache.recorded_runs import record_run, repeat_run
from mcpgen.cache.store import Store
from mcpgen.files import looks
from mcpgen.files.private_folders import describe_flaw
from mcpgen.files.regular_files import read_input, read_regular

OUTPUT = ((False, "data\n"), (True, "remark \u2713\n"))


class Project:
    """A folder with a cache, and a command that looks at the rest of the folder in every way there is."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.arguments = ["build", "--cache-dir", str(folder / "cache")]
        self.store = Store(folder / "cache")
        for name in ("schemas", "shared", "private"):
            (folder / name).mkdir(mode=0o700)
        (folder / "schemas" / "a.json").write_text("{}", "utf-8")
        (folder / "settings").write_text("first\nsecond\n", "utf-8")
        (folder / "linked.json").symlink_to("schemas/a.json")
        self.store.put("text", "ab" * 32, "an entry")

    def look(self) -> None:
        folder = self.folder
        looks.list_folder(folder / "schemas")
        assert read_input(folder / "linked.json", 100) == b"{}"
        assert read_input(folder / "schemas" / "a.json", 100, follow=False) == b"{}"
        assert read_regular(folder / "settings", 5) == b"first"
        assert not looks.exists(folder / ".git")
        assert not looks.is_taken(folder / "nearer-settings")
        assert looks.is_folder(folder / "shared")
        looks.resolve(folder / "shared" / "a")
        assert describe_flaw(folder / "private") == ""
        for path in ("missing", "schemas"):
            for read in (read_regular, lambda path: read_input(path, 100)):
                with pytest.raises(OSError, match=r"No such file|not a regular file"):
                    read(folder / path)
        with pytest.raises(OSError, match="No such file"):
            looks.list_folder(folder / "missing")
        with pytest.raises(OSError, match="more than 1"):
            read_input(folder / "schemas" / "a.json", 1)

    def record(self, meanwhile: Callable[[Path], object] = lambda folder: None) -> None:
        """Record a run, during which something happens and after which it looks again."""
        with record_run(self.arguments) as record:
            self.look()
            meanwhile(self.folder)
            looks.exists(self.folder / ".git")
            looks.list_folder(self.folder / "schemas")
            record.store(self.store, OUTPUT)

    def repeat(self) -> bool:
        return repeat_run(self.arguments)


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Project:
    capsys.readouterr()  # the run has the streams of the test
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(recorded_runs, "_UNRELATED_VARIABLES", {"PYTEST_CURRENT_TEST", "SHLVL"})
    made = Project(tmp_path)
    made.record()
    return made


def test_a_run_is_repeated_with_what_it_printed(project: Project, capsys: pytest.CaptureFixture[str]) -> None:
    for _ in range(2):
        assert project.repeat()
        assert capsys.readouterr() == ("data\n", "remark \u2713\n")


def write_in_place(path: Path, text: str) -> None:
    """Write a file whose size, times and inode stay."""
    status = path.stat()
    assert len(text) == status.st_size
    path.write_text(text, "utf-8")
    os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))


def replace_by_link(path: Path) -> None:
    """Move something, and leave a link to it."""
    moved = path.with_name("moved")
    path.rename(moved)
    path.symlink_to(moved)


def replace_file(path: Path) -> None:
    """Replace a file by another one with the same content."""
    copied = path.parent.parent / "copied"
    copied.write_bytes(path.read_bytes())
    copied.replace(path)


def replace_link(path: Path, target: str) -> None:
    path.unlink()
    path.symlink_to(target)


def replace_by_folder(path: Path) -> None:
    path.unlink()
    path.mkdir()


CHANGES: dict[str, Callable[[Path], object]] = {
    "other contents, with size and time as before": lambda folder: write_in_place(folder / "schemas" / "a.json", "[]"),
    "another start, with size and time as before": lambda folder: write_in_place(
        folder / "settings", "First\nsecond\n"
    ),
    "longer contents": lambda folder: (folder / "schemas" / "a.json").write_text("{ }", "utf-8"),
    "a new file": lambda folder: (folder / "schemas" / "b.json").write_text("{}", "utf-8"),
    "a new folder": lambda folder: os.mkdir(folder / "schemas" / "more"),
    "a file is gone": lambda folder: (folder / "schemas" / "a.json").unlink(),
    "a file becomes a folder": lambda folder: replace_by_folder(folder / "settings"),
    "a file becomes a link": lambda folder: replace_by_link(folder / "schemas" / "a.json"),
    "a file that was missing": lambda folder: (folder / "missing").write_text("", "utf-8"),
    "a folder that was missing": lambda folder: os.mkdir(folder / "missing"),
    "settings nearer by": lambda folder: (folder / "nearer-settings").write_text("", "utf-8"),
    "a repository": lambda folder: os.mkdir(folder / ".git"),
    "a link to nothing": lambda folder: (folder / "nearer-settings").symlink_to("nothing"),
    "the link leads elsewhere": lambda folder: replace_link(folder / "linked.json", "settings"),
    "the shared folder moves": lambda folder: replace_by_link(folder / "shared"),
    "the private folder is open to others": lambda folder: (folder / "private").chmod(0o777),
    "the cache is open to others": lambda folder: (folder / "cache").chmod(0o755),
}


@pytest.mark.parametrize("name", CHANGES)
def test_after_a_change_it_is_not_repeated(project: Project, name: str, capsys: pytest.CaptureFixture[str]) -> None:
    CHANGES[name](project.folder)
    assert not project.repeat()
    assert capsys.readouterr() == ("", "")


UNSEEN: dict[str, Callable[[Path], object]] = {
    "a file in a folder that was not listed": lambda folder: (folder / "shared" / "a").write_text("", "utf-8"),
    "what was not read": lambda folder: write_in_place(folder / "settings", "first\nSecond\n"),
    "times": lambda folder: os.utime(folder / "schemas" / "a.json", (0, 0)),
    "modes": lambda folder: (folder / "schemas" / "a.json").chmod(0o600),
    "another inode": lambda folder: replace_file(folder / "schemas" / "a.json"),
}


@pytest.mark.parametrize("name", UNSEEN)
def test_what_it_did_not_look_at_is_no_change(project: Project, name: str) -> None:
    UNSEEN[name](project.folder)
    assert project.repeat()


@pytest.mark.parametrize("name", ["a new file", "a file is gone", "a repository"])
def test_a_run_during_which_something_changes_is_not_stored(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.chdir(tmp_path)
    project = Project(tmp_path)
    project.record(CHANGES[name])
    assert not (tmp_path / "cache" / "v1-run").exists()
    assert not project.repeat()


def test_looks_after_a_run_are_not_noted(project: Project) -> None:
    looks.exists(project.folder / "afterwards")
    (project.folder / "afterwards").touch()
    assert project.repeat()


def test_another_command_is_another_run(
    project: Project, monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory
) -> None:
    assert not repeat_run([*project.arguments, "--force"])
    assert not repeat_run(["check", *project.arguments[1:]])
    assert not repeat_run([*project.arguments, "--no-cache"])
    assert not repeat_run([*project.arguments[:-1], str(project.folder / "other")])
    assert not repeat_run([*project.arguments[:-1]])
    assert not repeat_run([])
    assert not repeat_run(["pull", *project.arguments[1:]])
    monkeypatch.setenv("SHLVL", "12")
    assert project.repeat()
    monkeypatch.setenv("NO_COLOR", "1")
    assert not project.repeat()
    monkeypatch.delenv("NO_COLOR")
    monkeypatch.chdir(tmp_path_factory.mktemp("elsewhere"))
    assert not project.repeat()


@pytest.mark.parametrize(
    "change",
    [
        lambda patch: patch.setattr(sys.stderr, "isatty", lambda: True, raising=False),
        lambda patch: patch.setattr(sys, "executable", "/python"),
        lambda patch: patch.setattr(sys, "flags", (1, *sys.flags[1:])),
        lambda patch: patch.syspath_prepend("elsewhere"),
        lambda patch: patch.setattr("mcpgen.cache.store.digest_toolchain", lambda: "another"),
    ],
    ids=["a terminal", "another Python", "a flag", "other libraries", "other code"],
)
def test_whatever_else_a_run_depends_on_counts(
    project: Project, change: Callable[[pytest.MonkeyPatch], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    change(monkeypatch)
    assert not project.repeat()


@pytest.mark.parametrize("arguments", [["check"], ["check", "--cache-dir=cache"], ["check", "--cache-dir", "cache"]])
def test_the_cache_may_be_named_in_any_way(
    arguments: list[str], project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MCPGEN_CACHE_DIR", str(project.folder / "cache"))
    project.arguments = arguments
    project.record()
    assert project.repeat()


def test_what_the_stream_cannot_encode_is_escaped(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    written: list[str] = []

    class Ascii:
        encoding = "ascii"

        def write(self, text: str) -> None:
            written.append(text)

        def isatty(self) -> bool:
            return False

    monkeypatch.setattr(sys, "stderr", Ascii())
    project.record()
    assert project.repeat()
    assert written == ["remark \\u2713\n"]


# --- damage ----------------------------------------------------------------------------------------------------------
FORGED: list[object] = [
    *({}, [], None, "", {"seen": []}, {"seen": [["kind"]]}, {"seen": 1, "output": []}, {"seen": [], "output": [1]}),
    {"seen": [["no such look", 0, [["a", ""]]]], "output": []},
    {"seen": [["kind", 0, [[[], ""]]]], "output": []},
    {"seen": [["content", "x", [["a", ""]]]], "output": []},
    {"seen": [["list", 0, [["\0", ""]]]], "output": []},
    {"seen": [["start", 10**30, [["settings", ""]]]], "output": []},
]
"""What no run stores."""


def test_a_damaged_or_forged_entry_is_none(project: Project, capsys: pytest.CaptureFixture[str]) -> None:
    (entry,) = [path for path in (project.folder / "cache" / "v1-run").rglob("*") if path.is_file()]
    intact = entry.read_bytes()
    for damaged in (intact[:-1], intact.replace(b"data", b"DATA"), b"", b"\n{}"):
        entry.write_bytes(damaged)
        assert not project.repeat()
    for value in (*FORGED, "[" * 100_000):
        data = value if isinstance(value, str) and value else json.dumps(value)
        project.store.put_bytes("run", entry.name, data.encode())
        assert not project.repeat()
    assert capsys.readouterr() == ("", "")
    entry.write_bytes(intact)
    assert project.repeat()


def test_in_a_folder_that_is_gone_nothing_is_repeated(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    gone = project.folder / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()
    assert not project.repeat()
    assert not repeat_run(["check", "--cache-dir", "cache"])
    monkeypatch.chdir(project.folder)


@pytest.mark.ci
def test_nothing_heavy_is_imported_for_it() -> None:
    """A repeated run needs neither the command line's library nor pydantic, nor what takes them half of their time."""
    code = "import sys; from mcpgen.cache.recorded_runs import repeat_run; print(*sys.modules, sep='\\n')"
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=environment, check=True)
    assert not {"dataclasses", "importlib.metadata", "inspect", "pickle", "pydantic", "typer"} & {*run.stdout.split()}
