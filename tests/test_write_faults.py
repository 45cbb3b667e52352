"""Builds that meet each other, a full disk, folders without permission: a diagnostic, and nothing lost."""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from children import end
from mcpgen import app, config
from mcpgen.diagnostics import Findings
from packages import files, mcpgen, tool

NOBODY = 65534
PATIENCE = 120


def _input(folder: Path, name: str, count: int, text: str) -> Path:
    tools = [tool(f"{name}_{index}", {"type": "string", "description": text}) for index in range(count)]
    path = folder / f"{name}.json"
    path.write_text(json.dumps({"tools": [*tools, tool("both", {"type": "string", "description": name})]}), "utf-8")
    return path


def _start(schemas: Path, out: Path, limit: Callable[[], None] | None = None) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "mcpgen", "build", str(schemas), "--out", str(out), "--sdk", "mcp", "--jobs", "1"]
    process = subprocess.Popen(
        command, cwd=schemas.parent, stderr=subprocess.PIPE, text=True, preexec_fn=limit, start_new_session=True
    )
    _started.append(process)
    return process


_started: list[subprocess.Popen[str]] = []


@pytest.fixture(autouse=True)
def _ended() -> Iterator[None]:
    """End what a test started, whatever becomes of it."""
    yield
    while _started:
        end(_started.pop())


def test_two_builds_at_once_do_not_interleave(tmp_path: Path) -> None:
    first, second = _input(tmp_path, "first", 8, "a"), _input(tmp_path, "second", 5, "b")
    out = tmp_path / "generated"
    wanted: list[dict[str, bytes]] = []
    for schemas in (first, second):
        assert _start(schemas, out).wait(PATIENCE) == 0
        wanted.append(files(out))
    for _ in range(3):
        running = [_start(schemas, out) for schemas in (first, second, first)]
        assert [one.wait(PATIENCE) for one in running] == [0, 0, 0], [
            one.stderr and one.stderr.read() for one in running
        ]
        assert files(out) in wanted


def test_a_full_disk(tmp_path: Path) -> None:
    """No file may grow beyond a limit, which is what a full disk is to a build."""
    schemas, out = _input(tmp_path, "first", 3, "a"), tmp_path / "generated"
    assert _start(schemas, out).wait(PATIENCE) == 0
    before = files(out)
    _input(tmp_path, "first", 3, "longer " * 2_000)

    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (8_000, 8_000))

    run = _start(schemas, out, limit)
    said = run.communicate(timeout=PATIENCE)[1]
    assert run.returncode == 2
    assert "error[MG404]: cannot be written: File too large" in said
    assert "Traceback" not in said
    assert files(out) == before
    assert mcpgen("check", str(schemas), "--out", str(out), "--sdk", "mcp", cwd=tmp_path).returncode == 4
    assert _start(schemas, out).wait(PATIENCE) == 0
    assert files(out) != before


@pytest.mark.skipif(os.name == "nt" or os.getuid() != 0, reason="takes root, to become somebody without permission")
def test_no_permission(tmp_path: Path) -> None:
    """As another user: input that may not be read, an output folder that may not be written."""
    schemas, out = _input(tmp_path, "first", 1, "a"), tmp_path / "generated"
    settings = config.PackageSettings.model_validate({"schemas": [str(schemas)], "out": str(out), "sdk": "mcp"})
    package = config.Package(settings=settings, folder=tmp_path)
    made = app.generate(package, 1, lambda *_: None)
    app.finish(made, False)
    before = files(out)
    (out / "runtime.py").unlink()
    again = app.generate(package, 1, lambda *_: None)

    def write() -> Findings:
        app.finish(again, False)
        return again.findings

    tmp_path.chmod(0o755)
    for folder in (tmp_path.parent, tmp_path.parent.parent, tmp_path.parent.parent.parent):
        folder.chmod(folder.stat().st_mode | 0o005)
    assert _as_nobody(write) == [("MG404", "cannot be written: Permission denied")]
    app.finish(app.generate(package, 1, lambda *_: None), False)
    assert files(out) == before
    schemas.chmod(0o600)
    assert _as_nobody(lambda: app.generate(package, 1, lambda *_: None).findings) == [
        ("MG001", "cannot be read: Permission denied")
    ]


def _as_nobody(work: Callable[[], Findings]) -> list[tuple[str, str]]:
    """The codes and messages that some work finds in a process without any permission."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            os.setgid(NOBODY)
            os.setuid(NOBODY)
            found = [(one.code, one.message) for one in work()]
        except BaseException as error:  # it must not get into pytest's own code
            found = [("raised", repr(error))]
        os.write(writing, json.dumps(found).encode())
        os._exit(0)
    os.close(writing)
    with os.fdopen(reading, "rb") as pipe:
        said = json.loads(pipe.read())
    os.waitpid(child, 0)
    return [(code, message) for code, message in said]
