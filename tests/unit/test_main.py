"""The start of the command line: what becomes of errors that nobody has handled."""

from __future__ import annotations

import errno
import sys

import pytest
from mcpgen import cli
from mcpgen.__main__ import run


def test_an_error_that_is_not_about_output_stays(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail() -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(cli, "run", fail)
    with pytest.raises(OSError, match="No space left"):
        run()


def test_the_exit_code_is_that_of_the_command(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "argv", ["mcpgen", "explain", "MG000"])
    with pytest.raises(SystemExit) as ended:
        run()
    assert ended.value.code == 2
