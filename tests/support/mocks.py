"""Running `mcpgen mock`, and what it logs."""

from __future__ import annotations

import re
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from support.children import child

PATIENCE = 60.0
"""Seconds until a test gives up; nothing here is measured."""


def mock_command(*arguments: str) -> list[str]:
    """Return the command line of a mock."""
    return [sys.executable, "-m", "mcpgen", "mock", *arguments]


class Mock:
    """A running mock over HTTP."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self.process, self.log = process, ""
        self._reader = threading.Thread(target=self._listen, daemon=True)
        self._reader.start()
        assert process.stdout is not None
        said = process.stdout.readline()
        found = re.search(r" at (http://\S+)", said)
        assert found is not None, said + self.log
        self.url = found[1]

    def _listen(self) -> None:
        assert self.process.stderr is not None
        for line in self.process.stderr:
            self.log += line

    def await_log(self, pattern: str) -> str:
        """Wait until the log has a pattern; return its group."""
        return self.wait(lambda: re.search(pattern, self.log), pattern)[1]

    def wait(self, find: Callable[[], re.Match[str] | None], what: str) -> re.Match[str]:
        """Wait until something is found, and return that."""
        end = time.monotonic() + PATIENCE
        while (found := find()) is None:
            assert self.process.poll() is None, self.log
            assert time.monotonic() < end, f"never: {what}\n{self.log}"
            time.sleep(0.02)
        return found

    def end(self, signal: int) -> int:
        """Send a signal; return the exit code once all that the mock wrote is in its log."""
        self.process.send_signal(signal)
        code = self.process.wait(PATIENCE)
        self._reader.join(PATIENCE)
        return code


@contextmanager
def run_mock(folder: Path, *arguments: str, port: str = "0") -> Iterator[Mock]:
    """Run a mock over HTTP in a folder."""
    command = mock_command(*arguments, "--http", port)
    pipes = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    with child(command, cwd=folder, text=True, **pipes) as process:
        yield Mock(process)
        assert process.stdout is not None
