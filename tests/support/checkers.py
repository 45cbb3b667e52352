"""What mypy, mypy with pydantic's plugin, and pyright say of a piece of code."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

from support import corpus

PLUGIN = "[mypy]\nplugins = pydantic.mypy\nstrict = true\n"
PLUGIN_CACHE = os.path.join(os.environ.get("MYPY_CACHE_DIR", ".mypy_cache"), "plugin")
MYPY_WITH_PLUGIN = [sys.executable, "-m", "mypy", "--cache-dir", PLUGIN_CACHE]
"""mypy with a cache of its own: what it has cached without the plugin counts for nothing."""
_PLACE = re.compile(r"(?:^|[ /])(\w+)\.py:(\d+)")
CHECKERS = ("mypy", "mypy with the plugin", "pyright")


def wrong(text: str) -> set[int]:
    """Return the numbers of the lines that are marked as mistakes."""
    return {number for number, line in enumerate(text.splitlines(), 1) if line.endswith("# wrong")}


def reported(folder: Path, checker: str, text: str) -> tuple[set[int], str]:
    """Return the numbers of the lines that a strict checker finds fault with, and all it says; `folder` holds the
    package.
    """
    return reported_together(folder, checker, {"user": text})["user"]


def reported_together(folder: Path, checker: str, texts: Mapping[str, str]) -> dict[str, tuple[set[int], str]]:
    """Return what is reported of several modules, by their names, in one run: most of it is spent on the package."""
    files = [f"{name}.py" for name in texts]
    for name, text in texts.items():
        (folder / f"{name}.py").write_text(text, "utf-8")
    (folder / "mypy.ini").write_text("[mypy]\nstrict = true\n", "utf-8")
    (folder / "plugin.ini").write_text(PLUGIN, "utf-8")
    (folder / "pyrightconfig.json").write_text(json.dumps({"include": files, "typeCheckingMode": "strict"}), "utf-8")
    commands = {
        "mypy": [sys.executable, "-m", "mypy", "--config-file", "mypy.ini", *files],
        "mypy with the plugin": [*MYPY_WITH_PLUGIN, "--config-file", "plugin.ini", *files],
        "pyright": corpus.PYRIGHT,
    }
    run = subprocess.run(commands[checker], cwd=folder, capture_output=True, text=True)
    lines: dict[str, set[int]] = {name: set() for name in texts}
    for error in run.stdout.splitlines():
        if "error:" in error or " - error" in error:
            match = _PLACE.search(error)
            if match and match[1] in lines:
                lines[match[1]].add(int(match[2]))
            else:  # in the package: a fault of each module's
                for numbers in lines.values():
                    numbers.add(0)
    return {name: (numbers, run.stdout) for name, numbers in lines.items()}
