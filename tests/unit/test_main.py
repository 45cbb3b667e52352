"""Start of the command line: a run that is repeated loads nothing else."""

from __future__ import annotations

import errno
import gc
import sys
from types import SimpleNamespace

import pytest
from mcpgen import __main__ as main
from mcpgen import cli
from mcpgen.cache import repeated_runs


@pytest.mark.parametrize("is_repeated", [True, False])
def test_the_command_line_is_loaded_unless_the_run_is_repeated(
    is_repeated: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    commands: list[object] = []

    def repeat(arguments: list[str]) -> bool:
        commands.append(arguments)
        return is_repeated

    monkeypatch.setattr(sys, "argv", ["mcpgen", "build", "-q"])
    monkeypatch.setattr(repeated_runs, "repeat_run", repeat)
    monkeypatch.setattr(gc, "set_threshold", lambda _: None)
    monkeypatch.setitem(sys.modules, "mcpgen.cli", SimpleNamespace(run=lambda: commands.append("cli")))
    monkeypatch.setattr("mcpgen.cli", sys.modules["mcpgen.cli"], raising=False)
    main.run()
    assert commands == [["build", "-q"], *([] if is_repeated else ["cli"])]


def test_an_error_that_is_not_about_output_stays(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail() -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(sys, "argv", ["mcpgen", "explain"])
    monkeypatch.setattr(cli, "run", fail)
    with pytest.raises(OSError, match="No space left"):
        main.run()


def test_the_exit_code_is_that_of_the_command(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "argv", ["mcpgen", "explain", "MG000"])
    with pytest.raises(SystemExit) as ended:
        main.run()
    assert ended.value.code == 2
