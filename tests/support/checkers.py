"""What mypy, mypy with pydantic's plugin, and pyright say of a piece of code."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from support import corpus

PLUGIN = "[mypy]\nplugins = pydantic.mypy\nstrict = true\n"
PLUGIN_CACHE = os.path.join(os.environ.get("MYPY_CACHE_DIR", ".mypy_cache"), "plugin")
MYPY_WITH_PLUGIN = [sys.executable, "-m", "mypy", "--cache-dir", PLUGIN_CACHE]
"""mypy with a cache of its own: what it has cached without the plugin counts for nothing."""
CHECKERS = ("mypy", "mypy with the plugin", "pyright")


def wrong(text: str) -> set[int]:
    """The numbers of the lines that are marked as mistakes."""
    return {number for number, line in enumerate(text.splitlines(), 1) if line.endswith("# wrong")}


def reported(folder: Path, checker: str, text: str) -> tuple[set[int], str]:
    """The numbers of the lines that a strict checker finds fault with, and all it says; `folder` holds the package."""
    (folder / "user.py").write_text(text, "utf-8")
    (folder / "mypy.ini").write_text("[mypy]\nstrict = true\n", "utf-8")
    (folder / "plugin.ini").write_text(PLUGIN, "utf-8")
    (folder / "pyrightconfig.json").write_text('{"include": ["user.py"], "typeCheckingMode": "strict"}', "utf-8")
    commands = {
        "mypy": [sys.executable, "-m", "mypy", "--config-file", "mypy.ini", "user.py"],
        "mypy with the plugin": [*MYPY_WITH_PLUGIN, "--config-file", "plugin.ini", "user.py"],
        "pyright": corpus.PYRIGHT,
    }
    run = subprocess.run(commands[checker], cwd=folder, capture_output=True, text=True)
    errors = [line for line in run.stdout.splitlines() if "error:" in line or " - error" in line]
    return {_line(error) for error in errors}, run.stdout


def _line(error: str) -> int:
    """The line in the code, 0 for an error in the package."""
    return int(error.split("user.py:")[1].split(":")[0]) if "user.py:" in error else 0
