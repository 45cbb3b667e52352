"""Standard output on Windows, over streams like those that Python opens there."""

from __future__ import annotations

import errno
import io
import os
import subprocess
import sys
from pathlib import Path

import pytest
from mcpgen.__main__ import is_reader_gone, prepare_streams


class Console(io.BytesIO):
    def isatty(self) -> bool:
        return True


def open_streams(monkeypatch: pytest.MonkeyPatch, platform: str, raw: io.BytesIO) -> io.TextIOWrapper:
    stream = io.TextIOWrapper(raw, encoding="cp1252", newline="\r\n")
    monkeypatch.setattr(sys, "platform", platform)
    monkeypatch.setattr(sys, "stdout", stream)
    monkeypatch.setattr(sys, "stderr", io.TextIOWrapper(io.BytesIO(), encoding="cp1252", newline="\r\n"))
    monkeypatch.delenv("PYTHONIOENCODING", raising=False)
    return stream


def write(stream: io.TextIOWrapper, raw: io.BytesIO, text: str) -> bytes:
    stream.write(text)
    stream.flush()
    return raw.getvalue()


def test_what_is_redirected_has_the_bytes_of_other_systems(monkeypatch: pytest.MonkeyPatch) -> None:
    stream = open_streams(monkeypatch, "win32", raw := io.BytesIO())
    prepare_streams()
    assert write(stream, raw, "+ 4 °C → 雪\n") == "+ 4 °C → 雪\n".encode()
    assert (sys.stderr.encoding, stream.encoding) == ("utf-8", "utf-8")


def test_an_encoding_of_the_environment_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    stream = open_streams(monkeypatch, "win32", raw := io.BytesIO())
    monkeypatch.setenv("PYTHONIOENCODING", "cp1252")
    prepare_streams()
    assert write(stream, raw, "4 °C\n") == b"4 \xb0C\n"


@pytest.mark.parametrize(("platform", "raw"), [("win32", Console()), ("darwin", io.BytesIO())])
def test_consoles_and_other_systems_stay_as_they_are(
    platform: str, raw: io.BytesIO, monkeypatch: pytest.MonkeyPatch
) -> None:
    stream = open_streams(monkeypatch, platform, raw)
    prepare_streams()
    assert (stream.encoding, write(stream, raw, "a\n")) == ("cp1252", b"a\r\n")


def test_a_stream_that_is_none_stays_so(monkeypatch: pytest.MonkeyPatch) -> None:
    """As under pythonw.exe, which has no console."""
    monkeypatch.setattr(sys, "platform", "win32")
    monkeypatch.setattr(sys, "stdout", None)
    monkeypatch.setattr(sys, "stderr", None)
    prepare_streams()


@pytest.mark.parametrize(
    ("platform", "error", "gone"),
    [
        ("linux", BrokenPipeError(), True),
        ("win32", OSError(errno.EINVAL, "Invalid argument"), True),
        ("win32", OSError(errno.EINVAL, "Invalid argument", "a\0b"), False),
        ("win32", OSError(errno.ENOSPC, "No space left on device"), False),
        ("linux", OSError(errno.EINVAL, "Invalid argument"), False),
    ],
)
def test_a_reader_that_goes(platform: str, error: OSError, gone: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "platform", platform)
    assert is_reader_gone(error) == gone


def test_a_command_whose_reader_goes_on_windows_ends_quietly(tmp_path: Path) -> None:
    """Its output fails there with an invalid argument: here, a stream does that says so."""
    program = tmp_path / "run.py"
    program.write_text(
        "import errno, sys\n"
        "from mcpgen import __main__, cli\n"
        "def fail():\n"
        "    sys.platform = 'win32'\n"
        "    print('never seen')\n"
        "    raise OSError(errno.EINVAL, 'Invalid argument')\n"
        "cli.app = fail\n"
        "__main__.run()\n",
        "utf-8",
    )
    read, write_end = os.pipe()
    os.close(read)
    run = subprocess.run([sys.executable, str(program)], stdout=write_end, stderr=subprocess.PIPE)
    os.close(write_end)
    assert (run.returncode, run.stderr) == (130, b"")


def test_a_run_ends_without_a_search_for_circles_of_objects() -> None:
    program = (
        "import atexit, gc, sys\n"
        "from mcpgen import __main__\n"
        "atexit.register(lambda: print(len(gc.get_objects())))\n"
        "sys.argv[1:] = ['--version']\n"
        "__main__.run()\n"
    )
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert int(run.stdout.splitlines()[-1]) < 100, run.stderr
