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
from packages import files, mcpgen, tool

PATIENCE = 60.0
"""Seconds until a test gives up; nothing here is measured."""
SETTINGS = 'sdk = "mcp"\n[ref-map]\n"https://far.test/" = "far"\n'


class Watching:
    """A running `mcpgen watch`, and what it said."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        command = [sys.executable, "-m", "mcpgen", "watch", "--jobs", "1", "--cache-dir", str(folder.parent / "cache")]
        self._process = subprocess.Popen(command, cwd=folder, stderr=subprocess.PIPE, text=True)
        self.said = ""
        threading.Thread(target=self._listen, daemon=True).start()

    def _listen(self) -> None:
        assert self._process.stderr is not None
        for line in self._process.stderr:
            self.said += line

    def until(self, holds: Callable[[], bool], what: str) -> None:
        """Wait until something holds."""
        end = time.monotonic() + PATIENCE
        while not holds():
            assert self._process.poll() is None, self.said
            assert time.monotonic() < end, f"never: {what}\n{self.said}"
            time.sleep(0.02)

    def says(self, text: str) -> None:
        """Wait for a text that was not said before this is called."""
        self.until(lambda: text in self.said, text)
        self.said = ""

    def holds(self, path: str, text: str) -> None:
        """Wait for a text in a file."""
        file = self.folder / path
        self.until(lambda: file.is_file() and text in file.read_text("utf-8"), f"{text} in {path}")

    def end(self) -> int:
        """Press Ctrl-C; the exit code."""
        self._process.send_signal(signal.SIGINT)
        return self._process.wait(PATIENCE)

    def kill(self) -> None:
        """End it in any case."""
        self._process.kill()
        self._process.wait()


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
    """What is there is what a build makes, and nothing is left to do."""
    run = mcpgen("check", "--no-cache", cwd=running.folder)
    assert run.returncode == 0, run.stdout + run.stderr


def test_definitions_templates_and_references(watching: Watching) -> None:
    schemas = watching.folder / "schemas"
    _save(schemas / "alpha.json", tool("alpha", _object(two={"type": "string"})))
    watching.holds("generated/tools/alpha.py", "two: String")
    _save(schemas / "alpha.content.j2", "It is {{ two }}.")
    watching.holds("generated/tools/alpha.py", "It is ")
    _save(watching.folder / "far" / "x.json", {"type": "boolean"})
    watching.holds("generated/tools/beta.py", "far: Boolean")
    _save(schemas / "deep" / "er" / "gamma.json", tool("gamma"))
    watching.until(lambda: (watching.folder / "generated/tools/gamma.py").is_file(), "a tool in a new folder")
    _save(schemas / "deep" / "er" / "gamma.json", tool("gamma", _object(three={"type": "string"})))
    watching.holds("generated/tools/gamma.py", "three: String")
    shutil.rmtree(schemas / "deep")
    watching.until(lambda: not (watching.folder / "generated/tools/gamma.py").exists(), "a removed folder")
    (schemas / "beta.json").rename(schemas / "better.json")
    watching.holds("generated/tools/beta.py", "schemas/better.json")
    _is_as_built(watching)
    assert watching.end() == 0


def test_broken_input_leaves_the_last_good_output(watching: Watching) -> None:
    before = files(watching.folder / "generated")
    path = watching.folder / "schemas" / "alpha.json"
    for text in ('{"name": "alpha", ', "", json.dumps(tool("alpha", {"type": "strng"}))):
        _save(path, text)
        watching.says("schemas/alpha.json:")
        assert files(watching.folder / "generated") == before
    _save(watching.folder / "mcpgen.toml", "wrong = ")
    watching.says("error[MG301]")
    _save(path, tool("alpha", _object(three={"type": "string"})))
    _save(watching.folder / "mcpgen.toml", SETTINGS)
    watching.holds("generated/tools/alpha.py", "three: String")
    shutil.rmtree(watching.folder / "schemas")
    watching.says("error[MG0")
    assert files(watching.folder / "generated").keys() == before.keys()
    _save(path, tool("alpha", _object(four={"type": "string"})))
    watching.holds("generated/tools/alpha.py", "four: String")
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
        before = running.said.partition("schemas/beta.json")[0]
        assert before.count("schemas/alpha.json") == 2, f"at the start, and with the second file\n{before}"
    finally:
        running.kill()


def test_a_missing_reference_that_appears(watching: Watching) -> None:
    (watching.folder / "far" / "x.json").unlink()
    watching.says("error[MG10")
    shutil.rmtree(watching.folder / "far")
    _save(watching.folder / "far" / "x.json", {"type": "string"})
    watching.holds("generated/tools/beta.py", "far: String")
    _is_as_built(watching)


def test_settings_that_lead_elsewhere(watching: Watching) -> None:
    _save(watching.folder / "other" / "delta.json", tool("delta"))
    _save(watching.folder / "mcpgen.toml", 'sdk = "mcp"\nschemas = ["other"]\nout = "made"\n')
    watching.until(lambda: (watching.folder / "made/tools/delta.py").is_file(), "another output folder")
    _save(watching.folder / "other" / "delta.json", tool("delta", _object(five={"type": "string"})))
    watching.holds("made/tools/delta.py", "five: String")
    _is_as_built(watching)


def test_a_burst_of_saves_ends_in_the_last_one(watching: Watching) -> None:
    for number in range(200):
        _save(watching.folder / "schemas" / "alpha.json", tool("alpha", _object(**{f"n{number}": {"type": "string"}})))
        _save(watching.folder / "schemas" / f"more{number % 7}.json", tool(f"more{number % 7}"))
    watching.holds("generated/tools/alpha.py", "n199: String")
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
    watching.holds("generated/tools/alpha.py", "two: String")
    _is_as_built(watching)
