"""Find programs to run. Windows would also look in the working folder, where somebody else's repository may be."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from pathlib import Path

_USUAL_SUFFIXES = ".COM;.EXE;.BAT;.CMD"


def resolve_program(program: str, environment: Mapping[str, str] | None = None) -> str:
    """Return a program as the system is to start it: on Windows, the path of the file in a folder of PATH.

    Scripts such as npm's have to be searched for there. A name with a folder in it, and one that is not found, stays as
    it is. Elsewhere the system searches by itself. Without an `environment`, PATH is that of this process.
    """
    if sys.platform != "win32" or any(separator in program for separator in ("/", "\\", ":")):
        return program
    variables = {name.upper(): value for name, value in (environment or os.environ).items()}
    suffixes = [suffix for suffix in variables.get("PATHEXT", _USUAL_SUFFIXES).split(";") if suffix]
    names = [f"{program}{suffix}" for suffix in suffixes]
    if any(program.lower().endswith(suffix.lower()) for suffix in suffixes):
        names.insert(0, program)
    for folder in variables.get("PATH", "").split(os.pathsep):
        if os.path.isabs(folder):
            for name in names:
                if os.path.isfile(path := Path(folder, name)):
                    return str(path)
    return program
