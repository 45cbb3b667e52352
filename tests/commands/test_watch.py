"""`mcpgen watch` as a process, with real files: whatever is saved, the package becomes what a build would make it."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from support.children import child, end, interruptible
from support.packages import files, mcpgen, tool
from support.repository import TESTS

pytestmark = pytest.mark.ci

PATIENCE = 60.0
"""Seconds until a test gives up; nothing here is measured."""
SETTINGS = 'sdk = "mcp"\n[ref-map]\n"https://far.test/" = "far"\n'


class Watching:
    """A running `mcpgen watch`, and what it said."""

    def __init__(self, folder: Path, program: str = "from mcpgen.cli import run; run()") -> None:
        self.folder = folder
        options = ["watch", "--jobs", "1", "--cache-dir", str(folder.parent / "cache")]
        command = [sys.executable, "-c", f"import sys; sys.path.append({str(TESTS)!r}); {program}", *options]
        self._process = subprocess.Popen(
            interruptible(command), cwd=folder, stderr=subprocess.PIPE, text=True, start_new_session=True
        )
        self.said = ""
        threading.Thread(target=self._listen, daemon=True).start()

    def _listen(self) -> None:
        assert self._process.stderr is not None
        for line in self._process.stderr:
            self.said += line

    def until(self, holds: Callable[[], bool], description: str) -> None:
        """Wait until something holds."""
        end = time.monotonic() + PATIENCE
        while not holds():
            assert self._process.poll() is None, self.said
            assert time.monotonic() < end, f"never: {description}\n{self.said}"
            time.sleep(0.02)

    def says(self, text: str) -> None:
        """Wait for a text that was not said before this is called."""
        self.until(lambda: text in self.said, text)
        self.said = ""

    def holds(self, path: str, text: str) -> None:
        """Wait for a text in a file."""
        file = self.folder / path
        self.until(lambda: file.is_file() and text in file.read_text("utf-8"), f"{text} in {path}")

    def end(self, number: int = signal.SIGINT) -> int:
        """Press Ctrl-C, or send another signal; the exit code."""
        self._process.send_signal(number)
        return self._process.wait(PATIENCE)

    def kill(self) -> None:
        """End it in any case."""
        end(self._process)


def _save(path: Path, value: object) -> None:
    """As an editor saves: a file beside it, moved into its place."""
    path.parent.mkdir(parents=True, exist_ok=True)
    draft = path.with_name(f".{path.name}.swp")
    draft.write_text(value if isinstance(value, str) else json.dumps(value), "utf-8")
    os.replace(draft, path)


def _object(**properties: object) -> dict[str, object]:
    return {"type": "object", "properties": properties, "required": [*properties]}


@pytest.fixture
def watching(tmp_path: Path) -> Iterator[Watching]:
    folder = tmp_path / "project"
    _save(folder / "mcpgen.toml", SETTINGS)
    _save(folder / "schemas" / "alpha.json", tool("alpha", _object(one={"type": "string"})))
    _save(folder / "schemas" / "beta.json", tool("beta", _object(far={"$ref": "https://far.test/x.json"})))
    _save(folder / "far" / "x.json", {"type": "integer"})
    running = Watching(folder)
    try:
        running.says("watching")
        yield running
    finally:
        running.kill()


def _is_as_built(running: Watching) -> None:
    """Assert that the output is what a build makes, and that nothing is left to do."""
    run = mcpgen("check", "--no-cache", cwd=running.folder)
    assert run.returncode == 0, run.stdout + run.stderr


def test_definitions_templates_and_references(watching: Watching) -> None:
    schemas = watching.folder / "schemas"
    _save(schemas / "alpha.json", tool("alpha", _object(two={"type": "string"})))
    watching.holds("generated/tools/alpha.py", "two: str")
    _save(schemas / "alpha.content.j2", "It is {{ two }}.")
    watching.holds("generated/tools/alpha.py", "It is ")
    _save(watching.folder / "far" / "x.json", {"type": "boolean"})
    watching.holds("generated/tools/beta.py", "far: bool")
    _save(schemas / "deep" / "er" / "gamma.json", tool("gamma"))
    watching.until(lambda: (watching.folder / "generated/tools/gamma.py").is_file(), "a tool in a new folder")
    _save(schemas / "deep" / "er" / "gamma.json", tool("gamma", _object(three={"type": "string"})))
    watching.holds("generated/tools/gamma.py", "three: str")
    shutil.rmtree(schemas / "deep")
    watching.until(lambda: not (watching.folder / "generated/tools/gamma.py").exists(), "a removed folder")
    (schemas / "beta.json").rename(schemas / "better.json")
    watching.holds("generated/tools/beta.py", "schemas/better.json")
    _is_as_built(watching)
    assert watching.end() == 0


def test_broken_input_leaves_the_last_good_output(watching: Watching) -> None:
    files_before = files(watching.folder / "generated")
    path = watching.folder / "schemas" / "alpha.json"
    for text in ('{"name": "alpha", ', "", json.dumps(tool("alpha", {"type": "strng"}))):
        _save(path, text)
        watching.says("schemas/alpha.json:")
        assert files(watching.folder / "generated") == files_before
    _save(watching.folder / "mcpgen.toml", "wrong = ")
    watching.says("error[MG301]")
    _save(path, tool("alpha", _object(three={"type": "string"})))
    _save(watching.folder / "mcpgen.toml", SETTINGS)
    watching.holds("generated/tools/alpha.py", "three: str")
    shutil.rmtree(watching.folder / "schemas")
    watching.says("error[MG0")
    assert files(watching.folder / "generated").keys() == files_before.keys()
    _save(path, tool("alpha", _object(four={"type": "string"})))
    watching.holds("generated/tools/alpha.py", "four: str")
    _is_as_built(watching)


def test_what_is_broken_at_the_start_is_said_once(tmp_path: Path) -> None:
    folder = tmp_path / "project"
    _save(folder / "mcpgen.toml", SETTINGS)
    _save(folder / "schemas" / "alpha.json", '{"name": ')
    running = Watching(folder)
    try:
        running.until(lambda: "watching" in running.said, "watching")
        _save(folder / "schemas" / "beta.json", '{"name": "beta"')
        running.until(lambda: "schemas/beta.json" in running.said, "the second file")
        _save(folder / "schemas" / "alpha.json", tool("alpha", _object(one={"type": "string"})))
        _save(folder / "schemas" / "beta.json", tool("beta", _object(two={"type": "string"})))
        running.holds("generated/tools/beta.py", "two")
        first_message = running.said.partition("schemas/beta.json")[0]
        assert first_message.count("schemas/alpha.json") == 2, (
            f"at the start, and with the second file\n{first_message}"
        )
    finally:
        running.kill()


def test_a_missing_reference_that_appears(watching: Watching) -> None:
    (watching.folder / "far" / "x.json").unlink()
    watching.says("error[MG10")
    shutil.rmtree(watching.folder / "far")
    _save(watching.folder / "far" / "x.json", {"type": "string"})
    watching.holds("generated/tools/beta.py", "far: str")
    _is_as_built(watching)


def test_settings_that_lead_elsewhere(watching: Watching) -> None:
    _save(watching.folder / "other" / "delta.json", tool("delta"))
    _save(watching.folder / "mcpgen.toml", 'sdk = "mcp"\nschemas = ["other"]\nout = "made"\n')
    watching.until(lambda: (watching.folder / "made/tools/delta.py").is_file(), "another output folder")
    _save(watching.folder / "other" / "delta.json", tool("delta", _object(five={"type": "string"})))
    watching.holds("made/tools/delta.py", "five: str")
    _is_as_built(watching)


def test_a_burst_of_saves_ends_in_the_last_one(watching: Watching) -> None:
    for number in range(200):
        _save(watching.folder / "schemas" / "alpha.json", tool("alpha", _object(**{f"n{number}": {"type": "string"}})))
        _save(watching.folder / "schemas" / f"more{number % 7}.json", tool(f"more{number % 7}"))
    watching.holds("generated/tools/alpha.py", "n199: str")
    watching.until(lambda: (watching.folder / "generated/tools/more6.py").is_file(), "the last tool")
    _is_as_built(watching)


def test_an_edited_file_is_told_and_left(watching: Watching) -> None:
    edited = watching.folder / "generated" / "tools" / "alpha.py"
    edited.write_text(edited.read_text("utf-8") + "# mine\n", "utf-8")
    _save(watching.folder / "schemas" / "alpha.json", tool("alpha", _object(two={"type": "string"})))
    watching.says("error[MG401]")
    assert edited.read_text("utf-8").endswith("# mine\n")
    edited.unlink()
    _save(watching.folder / "schemas" / "beta.json", tool("beta"))
    watching.holds("generated/tools/alpha.py", "two: str")
    _is_as_built(watching)


def _tool(name: str) -> str:
    return json.dumps(tool("alpha", _object(**{name: {"type": "string"}})))


def _twice(folder: Path, name: str) -> None:
    for text in (_tool("between"), _tool(name)):
        _save(folder / "schemas" / "alpha.json", text)


def _again(folder: Path, name: str) -> None:
    (folder / "schemas" / "alpha.json").unlink()
    (folder / "schemas" / "alpha.json").write_text(_tool(name))


def _folder(folder: Path, name: str) -> None:
    shutil.copytree(folder / "schemas", folder / "next")
    (folder / "next" / "alpha.json").write_text(_tool(name))
    (folder / "schemas").rename(folder / f"before-{name}")
    (folder / "next").rename(folder / "schemas")


def _link(folder: Path, name: str) -> None:
    target, draft = folder / "schemas" / f".{name}.json", folder / "schemas" / ".draft"
    target.write_text(_tool(name))
    draft.symlink_to(target.name)
    os.replace(draft, folder / "schemas" / "alpha.json")


def _same_time(folder: Path, name: str) -> None:
    """Change a file so that its size and its time stay the same."""
    path = folder / "schemas" / "alpha.json"
    old_status = path.stat()
    _save(path, _tool(name))
    os.utime(path, ns=(old_status.st_atime_ns, old_status.st_mtime_ns))


@pytest.mark.parametrize("change", [_twice, _again, _folder, _link, _same_time])
def test_changes_that_come_unannounced(tmp_path: Path, change: Callable[[Path, str], None]) -> None:
    """Check that what the system says of changes is not all of them; here it says nothing at all."""
    folder = tmp_path / "project"
    _save(folder / "mcpgen.toml", SETTINGS)
    _save(folder / "schemas" / "alpha.json", _tool("name0"))
    running = Watching(folder, "from support import watch_without_events; watch_without_events.run()")
    try:
        running.says("watching")
        for number in (1, 2):
            change(folder, f"name{number}")
            running.holds("generated/tools/alpha.py", f"name{number}: str")
        _is_as_built(running)
    finally:
        running.kill()


def test_what_a_link_leads_to(watching: Watching) -> None:
    """Check that the folder of the file that is read is not watched."""
    far = watching.folder / "schemas" / ".far" / "far.json"
    far.parent.mkdir()
    far.write_text(_tool("there"))
    (watching.folder / "schemas" / "alpha.json").unlink()
    (watching.folder / "schemas" / "alpha.json").symlink_to(far)
    watching.holds("generated/tools/alpha.py", "there: str")
    far.write_text(_tool("changed"))
    watching.holds("generated/tools/alpha.py", "changed: str")


def test_a_file_that_changes_while_it_is_built(watching: Watching) -> None:
    path = watching.folder / "schemas" / "alpha.json"
    for number in range(60):
        _save(path, _tool(f"n{number}"))
        time.sleep(0.005 * (number % 10))
    watching.holds("generated/tools/alpha.py", "n59: str")
    _is_as_built(watching)


def test_it_ends_when_it_is_terminated(watching: Watching) -> None:
    assert watching.end(signal.SIGTERM) == 0
    assert "Traceback" not in watching.said


def test_a_child_is_ended_though_it_ignores_it(tmp_path: Path) -> None:
    """Check that what ends the processes of tests does so for those that ignore signals, with their own children."""
    ignoring = "import signal, subprocess, sys, time; signal.signal(signal.SIGTERM, signal.SIG_IGN)"
    inner = f"{ignoring}; print(flush=True); time.sleep(600)"
    start = f"one = subprocess.Popen([sys.executable, '-c', {inner!r}], stdout=subprocess.PIPE)"
    outer = f"{ignoring}; {start}; one.stdout.readline(); print(one.pid, flush=True); time.sleep(600)"
    with child([sys.executable, "-c", outer], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        pid = int(process.stdout.readline())
        end(process, 1)
    assert process.returncode == -signal.SIGKILL
    until = time.monotonic() + PATIENCE
    while _is_running(pid):
        assert time.monotonic() < until
        time.sleep(0.02)


def _is_running(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text("ascii").rpartition(")")[2].split()[0] not in "ZX"
    except OSError:
        return False
