"""Start of the command line: a run that is repeated loads nothing else."""

from __future__ import annotations

import gc
import sys
from types import SimpleNamespace

import pytest
from mcpgen import __main__ as main
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
