"""Screen of `mcpgen watch`: on a terminal, only the last build is shown, below a line that says when it was."""

from __future__ import annotations

import os
import sys
import time

import typer

from mcpgen.report.exit_codes import SUCCESS
from mcpgen.report.output import CommandOutput

_CLEAR = "\x1b[2J\x1b[3J\x1b[H"
"""Clear the screen and what has scrolled out of it, and go to its top."""


class WatchScreen:
    """Screen for one build after the other. Where output is no terminal, builds are written one below the other."""

    def __init__(self, output: CommandOutput) -> None:
        self._output = output
        is_terminal = sys.stderr.isatty() and sys.stdout.isatty() and os.environ.get("TERM") != "dumb"
        self.is_cleared = is_terminal and output.format == "text" and not output.quiet
        """Whether the screen is cleared before each build."""
        self._start = 0.0

    def begin_build(self) -> None:
        """Clear the screen, before a build."""
        self._start = time.monotonic()
        if self.is_cleared:
            sys.stdout.flush()
            sys.stderr.write(_CLEAR)
            sys.stderr.flush()

    def end_build(self, exit_code: int, watched: str) -> None:
        """Say how a build ended, and what is watched now."""
        if not self.is_cleared:
            return
        seconds = time.monotonic() - self._start
        verdict, color = ("built", "green") if exit_code == SUCCESS else ("not built", "red")
        if self._output.is_colored(sys.stderr):
            verdict = typer.style(verdict, fg=color, bold=True)
        sys.stdout.flush()
        sys.stderr.write(f"\n{verdict} at {time.strftime('%H:%M:%S')} in {seconds:.1f} s\n")
        self._output.print_remark(f"watching {watched}; Ctrl-C ends it")
        sys.stderr.flush()
