"""Run mcpgen and print the paths that it looked at on the disk without noting that: there should be none.

    python -m support.spied_looks FOLDER ARGUMENT…

Only paths in the folder count. The functions of the standard library by which Python looks at files are replaced.
"""

from __future__ import annotations

import builtins
import io
import os
import sys
from collections.abc import Callable
from typing import Any

from mcpgen import cli
from mcpgen.files import looks

SPIED = [(os, name) for name in ("access", "listdir", "lstat", "open", "readlink", "scandir", "stat")]


class Spy:
    """What was looked at, by path."""

    def __init__(self, folder: str) -> None:
        self._folder, self._is_inside = folder, False
        self.seen: dict[str, str] = {}

    def replace(self, owner: Any, name: str) -> None:
        """Replace a function by one that notes the path it is called with, unless another of these calls it."""
        function: Callable[..., Any] = getattr(owner, name)

        def spied(path: Any = ".", *arguments: Any, **options: Any) -> Any:
            if self._is_inside or isinstance(path, int):
                return function(path, *arguments, **options)
            self._is_inside = True
            try:
                self._note(name, path)
                return function(path, *arguments, **options)
            finally:
                self._is_inside = False

        setattr(owner, name, spied)

    def _note(self, name: str, path: Any) -> None:
        absolute = os.path.abspath(os.fsdecode(path))
        if absolute == self._folder or absolute.startswith(self._folder + os.sep):
            self.seen.setdefault(absolute, name)


def main() -> None:
    """Run the command of the arguments."""
    spy, taken = Spy(sys.argv[1]), list[looks.Notes]()

    class KeptNotes(looks.Notes):
        def __init__(self) -> None:
            super().__init__()
            taken.append(self)

    looks.Notes = KeptNotes  # type: ignore[misc]
    for owner, name in (*SPIED, (os.path, "realpath"), (builtins, "open"), (io, "open")):
        spy.replace(owner, name)
    sys.argv = ["mcpgen", *sys.argv[2:]]
    try:
        cli.run()
    except SystemExit as end:
        print("exit code", end.code)
    noted = {os.getcwd()} | {os.path.abspath(path) for _, path, _ in taken[0].seen}
    print(f"noted: {len(noted) > 1}, consistent: {taken[0].is_consistent}")
    print(*sorted(f"{name} {path}" for path, name in spy.seen.items() if path not in noted), sep="\n")


if __name__ == "__main__":
    main()
