"""How the process of the command line ends."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from mcpgen.commands.process import INTERRUPTED, run_process


def interrupt() -> None:
    raise KeyboardInterrupt


def lose_reader() -> None:
    raise BrokenPipeError


def lose_reader_in_typer() -> None:
    """Typer turns a closed pipe into exit code 1."""
    try:
        raise BrokenPipeError
    except BrokenPipeError:
        raise SystemExit(1)  # noqa: B904 # as Typer does


def exit_with_code() -> None:
    raise SystemExit(4)


@pytest.mark.parametrize(
    ("app", "code"),
    [
        (lambda: None, 0),
        (exit_with_code, 4),
        (interrupt, INTERRUPTED),
        (lose_reader, INTERRUPTED),
        (lose_reader_in_typer, INTERRUPTED),
    ],
)
def test_the_exit_code(app: Callable[[], None], code: int) -> None:
    with pytest.raises(SystemExit) as raised:
        run_process(app)
    assert raised.value.code == code


def test_a_folder_that_is_gone_is_no_bug(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "gone").mkdir()
    monkeypatch.chdir(tmp_path / "gone")
    (tmp_path / "gone").rmdir()
    with pytest.raises(SystemExit) as raised:
        run_process(lambda: os.getcwd())
    monkeypatch.chdir(tmp_path)
    assert raised.value.code == 2
    assert "error[MG404]: the working folder is gone" in capsys.readouterr().err


def test_another_missing_file_is_a_bug(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        run_process(lambda: (tmp_path / "missing").read_text())
