"""Builds that meet each other, a full disk, folders without permission: a diagnostic, and nothing lost."""

from __future__ import annotations

import json
import os
import resource
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from mcpgen import app, write
from mcpgen.config.models import ConfiguredPackage, PackageSettings
from mcpgen.diagnostics import Findings
from mcpgen.plan import Plan, make_plan
from mcpgen.render.header import add_header
from support import crash
from support.children import end
from support.packages import files, mcpgen, tool

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
    """End what a test started, whatever happens to it."""
    yield
    while _started:
        end(_started.pop())


@pytest.mark.ci
def test_two_builds_at_once_do_not_interleave(tmp_path: Path) -> None:
    first, second = _input(tmp_path, "first", 8, "a"), _input(tmp_path, "second", 5, "b")
    out = tmp_path / "generated"
    expected: list[dict[str, bytes]] = []
    for schemas in (first, second):
        assert _start(schemas, out).wait(PATIENCE) == 0
        expected.append(files(out))
    for _ in range(3):
        running = [_start(schemas, out) for schemas in (first, second, first)]
        assert [item.wait(PATIENCE) for item in running] == [0, 0, 0], [
            item.stderr and item.stderr.read() for item in running
        ]
        assert files(out) in expected


@pytest.mark.ci
def test_a_full_disk(tmp_path: Path) -> None:
    """No file may grow beyond a limit, which is what a full disk is to a build."""
    schemas, out = _input(tmp_path, "first", 3, "a"), tmp_path / "generated"
    assert _start(schemas, out).wait(PATIENCE) == 0
    files_before = files(out)
    _input(tmp_path, "first", 3, "longer " * 2_000)

    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (8_000, 8_000))

    run = _start(schemas, out, limit)
    output = run.communicate(timeout=PATIENCE)[1]
    assert run.returncode == 2
    assert "error[MG404]: cannot be written: File too large" in output
    assert "Traceback" not in output
    assert files(out) == files_before
    assert mcpgen("check", str(schemas), "--out", str(out), "--sdk", "mcp", cwd=tmp_path).returncode == 4
    assert _start(schemas, out).wait(PATIENCE) == 0
    assert files(out) != files_before


@pytest.mark.skipif(os.name == "nt" or os.getuid() != 0, reason="takes root, to become somebody without permission")
def test_no_permission(tmp_path: Path) -> None:
    """As another user: input that may not be read, an output folder that may not be written."""
    schemas, out = _input(tmp_path, "first", 1, "a"), tmp_path / "generated"
    settings = PackageSettings.model_validate({"schemas": [str(schemas)], "out": str(out), "sdk": "mcp"})
    package = ConfiguredPackage(settings=settings, folder=tmp_path)
    result = app.generate_package(package, 1, lambda *_: None)
    app.write_output(result, False)
    files_before = files(out)
    (out / "index.py").unlink()
    again = app.generate_package(package, 1, lambda *_: None)

    def write() -> Findings:
        app.write_output(again, False)
        return again.findings

    tmp_path.chmod(0o755)
    for folder in (tmp_path.parent, tmp_path.parent.parent, tmp_path.parent.parent.parent):
        folder.chmod(folder.stat().st_mode | 0o005)
    assert _as_nobody(write) == [("MG404", "cannot be written: Permission denied")]
    app.write_output(app.generate_package(package, 1, lambda *_: None), False)
    assert files(out) == files_before
    schemas.chmod(0o600)
    assert _as_nobody(lambda: app.generate_package(package, 1, lambda *_: None).findings) == [
        ("MG001", "cannot be read: Permission denied")
    ]


def _as_nobody(work: Callable[[], Findings]) -> list[tuple[str, str]]:
    """Return the codes and messages that some work finds in a process without any permission."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            os.setgid(NOBODY)
            os.setuid(NOBODY)
            actual = [(item.code, item.message) for item in work()]
        except BaseException as error:  # it must not get into pytest's own code
            actual = [("raised", repr(error))]
        os.write(writing, json.dumps(actual).encode())
        os._exit(0)
    os.close(writing)
    with os.fdopen(reading, "rb") as pipe:
        document = json.loads(pipe.read())
    os.waitpid(child, 0)
    return [(code, message) for code, message in document]


# --- a small disk -----------------------------------------------------------------------------------------------------
PAGE = 4096


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of 40 pages, with a package and something of the user's."""
    folder = tmp_path / "disk"
    folder.mkdir()
    command = ["mount", "-t", "tmpfs", "-o", f"size={40 * PAGE},mode=700", "tmpfs", str(folder)]
    if shutil.which("mount") is None or subprocess.run(command, capture_output=True).returncode != 0:
        pytest.skip("takes the right to mount a small disk")
    try:
        assert crash.build(folder, _sized(1, 4)) == crash.FINE
        (folder / "generated" / "mine.py").write_text("# mine\n", "utf-8")
        yield folder
    finally:
        subprocess.run(["umount", "-l", str(folder)], check=True, timeout=60)


def _sized(variant: int, count: int) -> dict[str, str]:
    """A package of as many files, each about three pages long."""
    body = f"x = {variant}\n" + "# padding\n" * (2 * PAGE // 10)
    return {name: add_header(body, "") for name in (f"part{number}/of_{variant}.py" for number in range(count))}


@pytest.mark.parametrize(
    ("state", "room"),
    [*(("elsewhere", room) for room in (0, 1, 5, 13)), *(("on the disk", room) for room in (0, 2, 9))],
)
def test_a_disk_that_is_full(
    disk: Path, room: int, state: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """At whatever point it gets full: nothing was changed then, and the next build has the room that this one took."""
    monkeypatch.setenv("MCPGEN_STATE_DIR", str((tmp_path if state == "elsewhere" else disk) / "state"))
    files_before = files(disk / "generated")
    used = os.statvfs(disk)
    (disk / "ballast").write_bytes(b"x" * (used.f_bavail - room) * used.f_frsize)
    expected = _sized(2, 5)
    assert crash.build(disk, expected) == crash.INPUT
    assert files(disk / "generated") == files_before
    assert not [*(disk / "generated").glob(".mcpgen-*")]
    assert crash.check(disk, expected)
    (disk / "ballast").unlink()
    assert crash.build(disk, expected) == crash.FINE
    assert files(disk / "generated") == {"mine.py": b"# mine\n"} | {
        path: text.encode() for path, text in expected.items()
    }


def test_a_disk_that_is_read_only(disk: Path) -> None:
    files_before = files(disk / "generated")
    subprocess.run(["mount", "-o", "remount,ro", str(disk)], check=True, timeout=60)
    assert crash.build(disk, _sized(2, 2)) == crash.INPUT
    assert crash.build(disk, _sized(1, 4)) == crash.FINE, "there is nothing to write"
    assert crash.check(disk, _sized(2, 2))
    assert files(disk / "generated") == files_before
    subprocess.run(["mount", "-o", "remount,rw", str(disk)], check=True, timeout=60)
    assert crash.build(disk, _sized(2, 2)) == crash.FINE


# --- two users --------------------------------------------------------------------------------------------------------
@pytest.mark.skipif(not hasattr(os, "fork"), reason="forks builds")
@pytest.mark.parametrize("users", [(), (NOBODY, NOBODY - 1)])
def test_two_users_at_once(tmp_path: Path, users: tuple[int, ...]) -> None:
    """Each with a home of their own, in one folder that both may write: each build ends with one whole package."""
    if users and os.getuid() != 0:
        pytest.skip("takes root, to become two other users")
    project = tmp_path / "project"
    out = project / "generated"
    out.mkdir(parents=True)
    (out / "mine.py").write_text("# mine\n", "utf-8")
    for folder in (out, project, tmp_path):
        folder.chmod(0o777)
    for folder in (tmp_path.parent, tmp_path.parent.parent, tmp_path.parent.parent.parent):
        folder.chmod(folder.stat().st_mode | 0o005)
    children: list[int] = []
    for number in range(2):
        child = os.fork()
        if child == 0:
            _build_often(tmp_path, number, users)
        children.append(child)
    assert [os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) for child in children] == [0, 0]
    value = {path: data.decode() for path, data in files(out).items()}
    assert value.pop("mine.py") == "# mine\n"
    assert value in [_sized(variant, 2 + variant) for variant in (0, 1)]


def _build_often(tmp_path: Path, number: int, users: tuple[int, ...]) -> None:
    """As a user, build ten times, and leave the process."""
    status = 1
    try:
        os.umask(0)
        if users:
            os.setgid(users[number])
            os.setuid(users[number])
        os.environ["MCPGEN_STATE_DIR"] = str(tmp_path / f"state{number}")
        expected = _sized(number, 2 + number)
        outcomes = [
            app.Outcome(tmp_path / "project" / "generated", Findings(), app.GeneratedFiles(expected)) for _ in range(10)
        ]
        for outcome in outcomes:
            app.write_output(outcome, False)
        status = (
            0 if all(outcome.written for outcome in outcomes) and not os.listdir(tmp_path / f"state{number}") else 9
        )
    finally:
        os._exit(status)


@pytest.mark.skipif(os.name == "nt" or os.getuid() != 0, reason="takes root, to become somebody without permission")
def test_what_cannot_be_read_beside_the_package_is_the_users(tmp_path: Path) -> None:
    out = tmp_path / "generated"
    assert crash.build(tmp_path, _sized(0, 1)) == crash.FINE
    (out / "private").mkdir(mode=0)
    (out / "secret.py").write_text("mine\n", "utf-8")
    (out / "secret.py").chmod(0)
    for folder in (tmp_path, tmp_path.parent, tmp_path.parent.parent, tmp_path.parent.parent.parent):
        folder.chmod(folder.stat().st_mode | 0o005)

    def planned() -> Findings:
        findings = Findings()
        for step in make_plan(out, _sized(0, 1)).changes:
            findings.error("MG402", step.path)
        return findings

    assert _as_nobody(planned) == []


# --- single files ----------------------------------------------------------------------------------------------------
def test_files_are_created_with_their_folders_and_never_replaced(tmp_path: Path) -> None:
    path = tmp_path / "a" / "b.txt"
    write.create_files({path: "é\n"})
    assert path.read_bytes() == "é\n".encode()
    with pytest.raises(FileExistsError):
        write.create_files({path: "other"})
    assert path.read_text("utf-8") == "é\n"


def test_files_are_created_all_or_none(tmp_path: Path) -> None:
    (tmp_path / "there.txt").write_text("mine")
    new, nested = tmp_path / "new.txt", tmp_path / "a" / "b" / "c.txt"
    with pytest.raises(FileExistsError) as raised:
        write.create_files({new: "x", nested: "y", tmp_path / "there.txt": "z"})
    assert raised.value.filename == str(tmp_path / "there.txt")
    with pytest.raises(OSError, match="is not a regular file"):
        write.create_files({new: "x", nested: "y"}, (tmp_path, "z"))
    assert [path.name for path in tmp_path.iterdir()] == ["there.txt"]
    assert (tmp_path / "there.txt").read_text() == "mine"
    write.create_files({nested: "y"}, (tmp_path / "there.txt", " and yours"))
    assert (nested.read_text(), (tmp_path / "there.txt").read_text()) == ("y", "mine and yours")


def test_created_files_can_be_removed_again(tmp_path: Path) -> None:
    (tmp_path / "there.txt").write_text("mine")
    created = write.create_files({tmp_path / "a" / "b.txt": "x"}, (tmp_path / "there.txt", " and yours"))
    created.close()
    assert [path.name for path in tmp_path.iterdir()] == ["there.txt"]
    assert (tmp_path / "there.txt").read_text() == "mine"


def test_an_interruption_leaves_no_file_behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(write, "append_text", interrupt)
    (tmp_path / "there.txt").touch()
    with pytest.raises(KeyboardInterrupt):
        write.create_files({tmp_path / "a" / "b.txt": "x"}, (tmp_path / "there.txt", "y"))
    assert [path.name for path in tmp_path.iterdir()] == ["there.txt"]


def test_text_is_appended_to_regular_files_only(tmp_path: Path) -> None:
    path, link = tmp_path / "a.txt", tmp_path / "link.txt"
    path.write_text("a", "utf-8")
    write.append_text(path, "b\r\n")
    assert path.read_bytes() == b"ab\r\n"
    link.symlink_to(path)
    for wrong in (link, tmp_path):
        with pytest.raises(OSError, match="is not a regular file"):
            write.append_text(wrong, "c")
    assert path.read_bytes() == b"ab\r\n"


def test_a_file_is_replaced_as_a_whole_or_left_as_it_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "new" / "a.txt"
    write.replace_file(path, "first \udcff")
    write.replace_file(path, "second \udcff")
    assert path.read_bytes() == b"second \xff"
    with pytest.raises(OSError, match="is not a regular file"):
        write.replace_file(path.parent, "x")

    def fail(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", fail)
    with pytest.raises(OSError, match="No space left on device") as failed:
        write.replace_file(path, "third")
    assert failed.value.filename == str(path)
    assert [*path.parent.iterdir()] == [path]
    assert path.read_bytes() == b"second \xff"


def test_a_file_that_changes_after_each_plan_is_given_up_on(tmp_path: Path) -> None:
    out, plans = tmp_path / "generated", list[int]()
    out.mkdir()

    def plan() -> Plan:
        new_plan = make_plan(out, {"a.py": add_header(f"A = {len(plans)}\n", "a.json")})
        plans.append(1)
        (out / "a.py").write_text(add_header(f"A = {-len(plans)}\n", "a.json"), "utf-8")
        return new_plan

    with pytest.raises(OSError, match="changes again and again") as failed:
        write.plan_and_apply(out, plan)
    assert (len(plans), failed.value.filename) == (write.MAX_ATTEMPTS, str(out / "a.py"))
    assert (out / "a.py").read_text("utf-8").endswith(f"A = {-write.MAX_ATTEMPTS}\n")
    assert not write.has_interrupted_run(out)
