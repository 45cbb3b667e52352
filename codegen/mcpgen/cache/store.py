"""Store of results, each under a digest of all that it was computed from: on disk, and in a process that stays."""

from __future__ import annotations

import contextlib
import hashlib
import os
import re
import stat
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, TypeVar, TypeVarTuple

from mcpgen.cache.toolchain import digest_toolchain
from mcpgen.files.private_folders import describe_flaw, find_user_folder, prepare_folder

ResultT = TypeVar("ResultT")
Arguments = TypeVarTuple("Arguments")
CACHE_DIR_VARIABLE = "MCPGEN_CACHE_DIR"
"""Environment variable with the folder of the cache; if it is empty, no cache is used."""
MAX_ENTRY_AGE = 30 * 86400
"""Seconds after which an unused entry is deleted."""
MIN_MARK_AGE = 86400
"""Seconds after which an entry that is used is marked as used again."""
_OPEN_FLAGS = os.O_RDONLY | sum(getattr(os, name, 0) for name in ("O_NONBLOCK", "O_CLOEXEC", "O_BINARY", "O_NOFOLLOW"))
MAX_CACHE_SIZE = 512 * 2**20
"""Bytes in all; beyond them the entries that were used longest ago are deleted."""
MAX_ENTRY_SIZE = 128 * 2**20
"""Bytes of an entry; larger ones are neither written nor read."""
MAX_FAILURES = 3
"""Failed writes after which the store does not try to write any more."""
_ENTRY_KINDS = ("contract", "definitions", "layout", "roots", "run", "template", "text", "types")
_ENTRY_NAME = re.compile(r"[0-9a-f]{64}(\.[^/]*\.tmp)?")
"""File name of an entry, or of an unfinished one."""


class Store:
    """Results of pure functions, by their kind and a key: what was computed once is looked up from then on.

    On disk, each entry is a file, written atomically. Damaged entries are ignored, and any may be lost. Entries become
    code, so a folder to which other users have access is not used.

    Args:
        folder: where the entries are; None: there are none on disk.
        is_warm: whether this process also keeps them in memory, for runs that follow.
    """

    def __init__(self, folder: Path | None = None, is_warm: bool = False) -> None:
        self._folder = None if folder is None or digest_toolchain() is None else folder
        self.is_warm = is_warm
        self._previous: dict[tuple[str, object], Any] = {}
        self._current: dict[tuple[str, object], Any] = {}
        self._failures = 0
        self._flaw: str | None = None
        """Why the folder is not used, empty if it is used; None until the folder exists."""
        self._reported = False

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Store) and other.folder == self.folder

    def __hash__(self) -> int:
        return hash(self.folder)

    def __reduce__(self) -> tuple[object, ...]:
        return Store, (self._folder,)

    @property
    def folder(self) -> Path | None:
        """The folder of the entries, None if there is none."""
        return self._folder

    @property
    def is_used(self) -> bool:
        """Whether anything is kept."""
        return self.is_warm or self._folder is not None

    def get(
        self, kind: str, key: str, expected: type[ResultT], load_reference: Callable[[Any], object] | None = None
    ) -> ResultT | None:
        """Return the result under a key; None if there is none.

        Args:
            kind: the kind of result.
            key: see `make_key`.
            expected: the class of these results.
            load_reference: returns an object given what `describe_reference` of `put` returned for it.
        """
        known = self._current.get((kind, key)) or self._previous.get((kind, key))
        if known is None:
            from mcpgen.cache import values  # a run that is repeated needs none

            data = self.get_bytes(kind, key)
            known = None if data is None else values.load(data, load_reference)
        if not isinstance(known, expected):
            return None
        self.keep(kind, key, known)
        return known

    def put(
        self, kind: str, key: str, value: object, describe_reference: Callable[[object], object] | None = None
    ) -> None:
        """Store a result; failures are ignored.

        Args:
            kind: the kind of result.
            key: see `make_key`.
            value: made of plain values, dataclasses, enumerations and named tuples.
            describe_reference: returns what stands for an object that is not stored; None for one that is.
        """
        self.keep(kind, key, value)
        if self._folder is None:
            return
        from mcpgen.cache import values

        if (data := values.dump(value, describe_reference)) is not None:
            self.put_bytes(kind, key, data)

    def keep(self, kind: str, key: str, value: object) -> None:
        """Keep a result in this process alone, if it stays: another one has stored it on disk."""
        if self.is_warm:
            self._current[kind, key] = value

    def compute(self, kind: str, source: str, function: Callable[[str], str]) -> str:
        """Return what a function, which has to be pure, returns for a text; it is called if that is not known."""
        if not self.is_used:
            return function(source)
        key = make_key(kind, source)
        known = self.get(kind, key, str)
        if known is None:
            known = function(source)
            self.put(kind, key, known)
        return known

    def call(self, slot: str, function: Callable[[*Arguments], ResultT], *arguments: *Arguments) -> ResultT:
        """Return `function(*arguments)`; a process that stays calls it once for the very same, immutable objects.

        Args:
            slot: what tells this computation from others.
            function: a pure function.
            arguments: what it is called with.
        """
        if not self.is_warm:
            return function(*arguments)
        key = slot, tuple(map(id, arguments))
        known = self._current.get(key) or self._previous.get(key)
        if known is None:
            known = function(*arguments), arguments  # which stay alive, so no other object gets their ids
        self._current[key] = known
        result: ResultT = known[0]
        return result

    def end_run(self) -> None:
        """Drop what this process kept and the last run did not use."""
        self._previous, self._current = self._current, {}

    def describe_problem(self) -> str:
        """Return why the folder is not used; empty if it is used, and from the second call."""
        if self._reported or self._folder is None or self._is_trusted():
            return ""
        self._reported = True
        return f"the cache {self._folder} is not used: it {self._flaw}"

    def describe_flaw(self) -> str:
        """Return why the folder is not used; empty if it is used, or would be."""
        self._is_trusted()
        return self._flaw or ""

    def measure(self) -> tuple[int, int]:
        """Return how many entries there are, and their size in bytes."""
        sizes = [size for _, size, _ in self._list_entries()]
        return len(sizes), sum(sizes)

    def _is_trusted(self) -> bool:
        if self._folder is None:
            return False
        if self._flaw is None and os.path.lexists(self._folder):
            self._flaw = describe_flaw(self._folder)
        return not self._flaw

    def get_bytes(self, kind: str, key: str) -> bytes | None:
        """Return the content of an entry on disk; None if there is none, or it is damaged."""
        if not self._is_trusted():
            return None
        path = self._get_path(kind, key)
        try:
            handle = os.open(path, _OPEN_FLAGS)
        except OSError:
            return None
        try:
            status = os.fstat(handle)
            is_entry = stat.S_ISREG(status.st_mode) and status.st_size <= MAX_ENTRY_SIZE
            seal, _, body = os.read(handle, status.st_size).partition(b"\n") if is_entry else (b"", b"", b"")
            if seal != _seal_entry(kind, key, body):
                return None
            if time.time() - status.st_mtime > MIN_MARK_AGE:
                os.utime(handle)
        except OSError:
            return None
        finally:
            os.close(handle)
        return body

    def put_bytes(self, kind: str, key: str, body: bytes) -> None:
        """Write an entry on disk; failures are ignored."""
        if self._failures > MAX_FAILURES or not self._is_trusted():
            return
        entry = _seal_entry(kind, key, body) + b"\n" + body
        if len(entry) > MAX_ENTRY_SIZE:
            return
        path = self._get_path(kind, key)
        draft = f"{path}.{os.urandom(8).hex()}.tmp"
        try:
            if not os.path.isdir(os.path.dirname(path)):
                self._create_folder()
                os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(draft, "xb") as file:
                file.write(entry)
            os.replace(draft, path)
        except OSError:
            self._failures += 1
            with contextlib.suppress(OSError):
                os.unlink(draft)

    def prune(self) -> None:
        """Delete entries that are too old or exceed the total size, at most once a day."""
        if self._folder is None or not self._is_trusted():
            return
        stamp, now_time = self._folder / "pruned", time.time()
        with contextlib.suppress(OSError):
            if stamp.is_file() and now_time - stamp.stat().st_mtime < 86400:
                return
            stamp.touch()
            entries = sorted(self._list_entries(), reverse=True)  # the last used first
            total = 0
            for used, size, path in entries:
                total += size
                if now_time - used > MAX_ENTRY_AGE or total > MAX_CACHE_SIZE:
                    with contextlib.suppress(OSError):
                        os.unlink(path)

    def _list_entries(self) -> Iterator[tuple[float, int, str]]:
        """Yield the time of last use, the size and the path of each entry. Other files in the folder are skipped."""
        for kind in _ENTRY_KINDS if self._folder else ():
            for folder, _, files in os.walk(os.path.join(self._folder or "", f"v1-{kind}")):
                for name in filter(_ENTRY_NAME.fullmatch, files):
                    path = os.path.join(folder, name)
                    with contextlib.suppress(OSError):
                        status = os.lstat(path)
                        if stat.S_ISREG(status.st_mode):
                            yield status.st_mtime, status.st_size, path

    def _get_path(self, kind: str, key: str) -> str:
        return f"{self._folder}{os.sep}v1-{kind}{os.sep}{key[0]}{os.sep}{key}"

    def _create_folder(self) -> None:
        """Create the folder, with files that exclude it from git and from backups.

        Raises:
            OSError: it cannot be created, or another user has created it.
        """
        if self._folder is None or self._folder.is_dir():
            return
        if not prepare_folder(self._folder):
            raise OSError(f"{self._folder} cannot be used")
        (self._folder / ".gitignore").write_text("*\n", "utf-8")
        tag = "Signature: 8a477f597d28d172789f06886806bc55\n# Made by mcpgen; it can be deleted at any time.\n"
        (self._folder / "CACHEDIR.TAG").write_text(tag, "utf-8")


NO_STORE = Store()
"""Store that keeps nothing."""


def make_key(*parts: str) -> str:
    """Return a SHA-256, in hex, of some texts and of mcpgen's own code."""
    encoded = [part.encode("utf-8", "surrogatepass") for part in parts]
    lengths = ",".join(map(str, map(len, encoded)))
    return hashlib.sha256(b"\0".join([f"{digest_toolchain()} {lengths}".encode(), *encoded])).hexdigest()


def choose_folder(folder: Path | None, off: bool = False) -> Path | None:
    """Return the folder of the cache: `folder`, else that of the environment, else the user's own; None if off.

    It is not in the project unless an option says so: a cache in somebody else's repository cannot be trusted.
    """
    if off:
        return None
    if folder is None and CACHE_DIR_VARIABLE in os.environ:
        value = os.environ[CACHE_DIR_VARIABLE]
        if not value:
            return None
        folder = Path(value)
    folder = folder or find_user_folder("cache")
    return None if folder is None else folder.absolute()


def _seal_entry(kind: str, key: str, body: bytes) -> bytes:
    """Return the digest that an entry starts with. It includes the key, so that no entry passes for another."""
    return hashlib.sha256(f"{kind}\0{key}\0".encode() + body).hexdigest().encode()
