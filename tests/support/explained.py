"""The examples of explanations, laid out and run as they stand."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

_FILE = re.compile(r"^`([^`\n]+)`:\n\n```\w*\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_SHELL = re.compile(r"^```sh\n(.*?)^```$", re.MULTILINE | re.DOTALL)


@dataclass(frozen=True)
class Example:
    """The files of an example and the commands, of which the last one triggers the diagnostic."""

    files: dict[str, str]
    commands: str


def example(markdown: str) -> Example:
    """The example of an explanation.

    Raises:
        ValueError: it has no `sh` block, or several.
    """
    commands: list[str] = _SHELL.findall(markdown)
    if len(commands) != 1:
        raise ValueError(f"an example has one block of commands (```sh), not {len(commands)}")
    return Example(dict(_FILE.findall(markdown)), commands[0])


def run(made: Example, folder: Path) -> str:
    """All that the commands say, run in a folder that holds the files; a command before the last has to succeed."""
    for path, text in made.files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text, "utf-8")
    *before, last = made.commands.splitlines()
    script = "\n".join(["set -e", f'mcpgen() {{ "{sys.executable}" -m mcpgen "$@"; }}', *before, "set +e", last])
    environment = {**os.environ, "NO_COLOR": "1", "PYTHONIOENCODING": "utf-8"}
    done = subprocess.run(["bash", "-c", script], cwd=folder, capture_output=True, encoding="utf-8", env=environment)
    return done.stdout + done.stderr
