"""The examples of explanations, laid out and run as they stand."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from support.command_server import run_command

_FILE = re.compile(r"^`([^`\n]+)`:\n\n```\w*\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_SHELL_SYNTAX = re.compile(r"[$`|&;<>*?~#]")
_SHELL = re.compile(r"^```sh\n(.*?)^```$", re.MULTILINE | re.DOTALL)


@dataclass(frozen=True)
class Example:
    """The files of an example and the commands, of which the last one triggers the diagnostic."""

    files: dict[str, str]
    commands: str


def parse_good_example(markdown: str) -> Example:
    """Return the good example of an explanation: the files of the bad one with those of the good one over them.

    It has the commands of the bad one unless it says others.
    """
    bad_text, _, good_text = markdown.partition("\n## Good example\n")
    bad = example(bad_text)
    commands: list[str] = _SHELL.findall(good_text)
    return Example({**bad.files, **dict(_FILE.findall(good_text))}, commands[0] if commands else bad.commands)


def example(markdown: str) -> Example:
    """Return the bad example of an explanation, or the only example of another text.

    Raises:
        ValueError: it has no `sh` block, or several.
    """
    markdown = markdown.partition("\n## Good example\n")[0]
    commands: list[str] = _SHELL.findall(markdown)
    if len(commands) != 1:
        raise ValueError(f"an example has one block of commands (```sh), not {len(commands)}")
    return Example(dict(_FILE.findall(markdown)), commands[0])


def run(example: Example, folder: Path) -> str:
    """All that the commands say, run in a folder that holds the files; a command before the last has to succeed."""
    for path, text in example.files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text, "utf-8")
    environment = {**os.environ, "NO_COLOR": "1", "PYTHONIOENCODING": "utf-8"}
    lines = example.commands.splitlines()
    if any(line.endswith("&") for line in lines):  # what runs in the background belongs to one shell
        return _run_script(lines, folder, environment)
    output = b""
    for line in lines:
        run = _run_line(line, folder, environment)
        output += run.stdout + run.stderr
        if run.returncode:
            break
    return output.decode("utf-8")


def _run_line(line: str, folder: Path, environment: dict[str, str]) -> subprocess.CompletedProcess[bytes]:
    if line.startswith("mcpgen ") and not _SHELL_SYNTAX.search(line):
        return run_command(shlex.split(line)[1:], folder, environment)
    return subprocess.run(["bash", "-c", line], cwd=folder, capture_output=True, env=environment)


def _run_script(lines: list[str], folder: Path, environment: dict[str, str]) -> str:
    *before, last = lines
    script = "\n".join(["set -e", f'mcpgen() {{ "{sys.executable}" -m mcpgen "$@"; }}', *before, "set +e", last])
    run = subprocess.run(["bash", "-c", script], cwd=folder, capture_output=True, encoding="utf-8", env=environment)
    return run.stdout + run.stderr
