"""Runs that changed nothing: what each printed, and everything that it saw on the disk (a verifying trace).

The same command looks at all of that again, by the same functions, before it imports anything else. If it sees the
same, it prints the same. Times, sizes and inodes of files are no evidence: contents are read, folders are listed.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Generator, Iterable, Sequence
from contextlib import contextmanager
from itertools import groupby
from pathlib import Path
from typing import Any

from mcpgen.cache.store import Store, choose_folder, make_key
from mcpgen.files import looks
from mcpgen.files.private_folders import describe_flaw
from mcpgen.files.regular_files import read_unnoted

REPEATABLE_COMMANDS = ("build", "check")
_KIND = "run"
_UNRELATED_VARIABLES = frozenset(("_", "OLDPWD", "PWD", "SHLVL"))
"""Environment variables that shells set anew for each command."""


def repeat_run(arguments: Sequence[str]) -> bool:
    """Print what the same command printed before, if everything that it saw is the same; return whether that was done.

    Args:
        arguments: the command line, without the program.
    """
    if not arguments or arguments[0] not in REPEATABLE_COMMANDS:
        return False
    try:
        folder = _choose_folder(arguments)
        data = None if folder is None else Store(folder).get_bytes(_KIND, _make_key(arguments))
        if data is None:
            return False
        entry: dict[str, Any] = json.loads(data)
        looks_made = ((kind, path, argument, result) for kind, argument, seen in entry["seen"] for path, result in seen)
        if not all(repeat_look((kind, path, argument)) == result for kind, path, argument, result in looks_made):
            return False
        output = [(bool(is_error), str(text)) for is_error, text in entry["output"]]
    except Exception:  # a forged entry, or the working folder is gone: the command itself says what is wrong
        return False
    for is_error, text in output:
        stream = sys.stderr if is_error else sys.stdout
        encoding = stream.encoding or "utf-8"
        stream.write(text.encode(encoding, "backslashreplace").decode(encoding))
    return True


class RunRecord:
    """Record of a run, which is stored if the run turns out to have changed nothing.

    Args:
        arguments: the command line, without the program.
        notes: what the run sees.
    """

    def __init__(self, arguments: Sequence[str], notes: looks.Notes) -> None:
        self._arguments, self._notes = arguments, notes

    def store(self, store: Store, output: Iterable[tuple[bool, str]]) -> None:
        """Store the run, unless something changed while it went on.

        Args:
            store: the cache.
            output: the texts that it printed, each with whether it went to standard error.
        """
        if self._notes.is_consistent:
            entry = {"seen": [*_group(self._notes)], "output": [*output]}
            data = json.dumps(entry, separators=(",", ":")).encode("ascii")
            store.put_bytes(_KIND, _make_key(self._arguments), data)


@contextmanager
def record_run(arguments: Sequence[str]) -> Generator[RunRecord]:
    """Record what a run sees until the end of the block; `arguments` are its command line, without the program."""
    with looks.take_notes() as notes:
        yield RunRecord(arguments, notes)


def _group(notes: looks.Notes) -> Generator[tuple[str, int, list[tuple[str, str]]]]:
    """Yield each run of looks of the same kind, in the order in which they were made: inputs come before outputs."""
    for (kind, argument), items in groupby(notes.seen.items(), lambda item: (item[0][0], item[0][2])):
        yield kind, argument, [(path, result) for (_, path, _), result in items]


def _choose_folder(arguments: Sequence[str]) -> Path | None:
    """Return the cache that a command line names. Where it is read wrongly here, no entry is found."""
    folder: str | None = None
    for argument, following in zip(arguments, [*arguments[1:], None], strict=True):
        if argument == "--cache-dir":
            folder = following
        elif argument.startswith("--cache-dir="):
            folder = argument.partition("=")[2]
    return choose_folder(Path(folder) if folder else None, "--no-cache" in arguments)


def _make_key(arguments: Sequence[str]) -> str:
    """Return the key of a command in the current folder and environment."""
    environment = {name: value for name, value in os.environ.items() if name not in _UNRELATED_VARIABLES}
    streams = [[stream.isatty(), stream.encoding] for stream in (sys.stdout, sys.stderr)]
    python = [sys.executable, [*sys.flags], sys.path]
    facts = [python, os.getcwd(), [*arguments], sorted(environment.items()), streams]
    return make_key(_KIND, json.dumps(facts))


def repeat_look(look: looks.Look) -> str:
    """Return what a look sees now, and note it."""
    kind, path, argument = look
    result = _LOOKS[kind](path, argument)
    looks.note(kind, path, result, argument)
    return result


# --- the same looks again --------------------------------------------------------------------------------------------
def _look_at_bytes(path: str, most: int, follow: bool, is_whole: bool) -> str:
    try:
        return looks.describe_bytes(read_unnoted(path, None if most < 0 else most, follow, is_whole))
    except OSError as error:
        return looks.describe_bytes(error)


def _look_at_folder(path: str, argument: int) -> str:
    try:
        return looks.describe_bytes(looks.describe_entries(looks.list_folder(path)))
    except OSError as error:
        return looks.describe_bytes(error)


_LOOKS: dict[str, Callable[[str, int], str]] = {
    "content": lambda path, most: _look_at_bytes(path, most, follow=True, is_whole=True),
    "own content": lambda path, most: _look_at_bytes(path, most, follow=False, is_whole=True),
    "start": lambda path, most: _look_at_bytes(path, most, follow=False, is_whole=False),
    "kind": lambda path, follow: looks.find_kind(path, bool(follow)),
    "list": _look_at_folder,
    "target": lambda path, argument: os.path.realpath(path),
    "flaw": lambda path, argument: describe_flaw(Path(path)),
}
"""What each kind of look does."""
