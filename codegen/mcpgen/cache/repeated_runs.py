"""Runs that changed nothing: what they printed, for as long as nothing that they depended on has changed.

A command that is repeated looks up what it printed before it imports anything else. A run depends on its command line,
its folder, its environment, and on files: their contents, and which files there are.
"""

from __future__ import annotations

import hashlib
import json
import os
import sys
import time
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from mcpgen.cache.store import CacheStore, choose_store
from mcpgen.files.file_identity import describe_identity, is_settled
from mcpgen.schema.values import Json

REPEATABLE_COMMANDS = ("build", "check")
MAX_AGE = 86400
"""Seconds for which a run is remembered. The next run then marks the entries of the cache as used."""
_KIND = "repeated"
_UNRELATED_VARIABLES = frozenset(("_", "OLDPWD", "PWD", "SHLVL"))
"""Environment variables that shells set anew for each command."""


class WatchedPaths(NamedTuple):
    """Paths that a run depends on."""

    contents: Sequence[str] = ()
    """Files whose contents count, and folders whose lists of files do. They need not exist."""
    presence: Sequence[str] = ()
    """Paths of which it counts only whether there is something."""
    access: Sequence[str] = ()
    """Folders of which it counts only where they are, whose they are and who may use them."""


def repeat_run(arguments: Sequence[str]) -> bool:
    """Print what the same command printed before, if nothing has changed since; return whether that was done.

    Args:
        arguments: the command line, without the program.
    """
    if not arguments or arguments[0] not in REPEATABLE_COMMANDS:
        return False
    store = _choose_store(arguments)
    value = None if store is None else store.get(_KIND, _make_key(arguments))
    if not isinstance(value, dict):
        return False
    entry: dict[str, Any] = {**value}
    try:
        if not 0 <= time.time() - entry["time"] < MAX_AGE:
            return False
        watched = WatchedPaths(entry["contents"], entry["presence"], entry["access"])
        if _digest_paths(watched, None) != entry["digest"]:
            return False
        output = [(sys.stderr if is_error else sys.stdout, str(text)) for is_error, text in entry["output"]]
    except (KeyError, TypeError, ValueError):
        return False
    for stream, text in output:
        encoding = stream.encoding or "utf-8"
        stream.write(text.encode(encoding, "backslashreplace").decode(encoding))
    return True


class RunRecord:
    """Record of a run from its start, which is remembered if the run turns out to have changed nothing.

    Args:
        arguments: the command line, without the program.
    """

    def __init__(self, arguments: Sequence[str]) -> None:
        self._arguments = arguments
        self._start = time.time_ns()

    def remember(self, store: CacheStore, watched: WatchedPaths, output: Sequence[tuple[bool, str]]) -> None:
        """Remember what the run printed, unless a path may have changed since the run began.

        Args:
            store: the cache.
            watched: all paths that the run depended on.
            output: the texts that it printed, each with whether it went to standard error.
        """
        unique = WatchedPaths(_sort(watched.contents), _sort(watched.presence), _sort(watched.access))
        digest = _digest_paths(unique, self._start)
        if digest is None:
            return
        entry: dict[str, Json] = {"time": time.time(), "digest": digest}
        entry |= {"contents": [*unique.contents], "presence": [*unique.presence], "access": [*unique.access]}
        entry["output"] = [[is_error, text] for is_error, text in output]
        store.put(_KIND, _make_key(self._arguments), entry)


def _sort(paths: Iterable[str]) -> list[str]:
    return sorted(set(paths))


def _choose_store(arguments: Sequence[str]) -> CacheStore | None:
    """Return the cache that a command line names. Where it is read wrongly here, no entry is found."""
    folder: str | None = None
    for argument, following in zip(arguments, [*arguments[1:], None], strict=True):
        if argument == "--cache-dir":
            folder = following
        elif argument.startswith("--cache-dir="):
            folder = argument.partition("=")[2]
    return choose_store(Path(folder) if folder else None, "--no-cache" in arguments)


def _make_key(arguments: Sequence[str]) -> str:
    """Return the key of a command in the current folder and environment."""
    environment = {name: value for name, value in os.environ.items() if name not in _UNRELATED_VARIABLES}
    streams = [[stream.isatty(), stream.encoding] for stream in (sys.stdout, sys.stderr)]
    facts = [sys.version, sys.executable, os.getcwd(), [*arguments], sorted(environment.items()), streams]
    return hashlib.sha256(json.dumps(facts).encode("utf-8", "surrogatepass")).hexdigest()


def _digest_paths(watched: WatchedPaths, start: int | None) -> str | None:
    """Return a digest of the state of all paths; None if one may have changed after `start`, a time in nanoseconds."""
    digest = hashlib.sha256()
    for path in watched.contents:
        try:
            status = os.stat(path)
        except OSError:
            if start is not None and not _is_surely_absent(path, start):
                return None
            digest.update(b"absent\n")
            continue
        if start is not None and not is_settled(status, start):
            return None
        digest.update(f"{describe_identity(status)}\n".encode())
    for path in watched.presence:
        digest.update(b"there\n" if os.path.lexists(path) else b"absent\n")
    for path in watched.access:
        try:
            status = os.stat(path)
        except OSError:
            digest.update(b"absent\n")
            continue
        facts = f"{os.path.realpath(path)} {status.st_mode} {status.st_uid}\n"
        digest.update(facts.encode("utf-8", "surrogatepass"))
    return digest.hexdigest()


def _is_surely_absent(path: str, start: int) -> bool:
    """Return whether nothing has been at a path since the time `start`: its folder has not changed since then."""
    while (folder := os.path.dirname(path)) != path:
        try:
            return is_settled(os.stat(folder), start)
        except OSError:
            path = folder
    return False
