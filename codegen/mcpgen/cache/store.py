"""Cache on disk: JSON values under digests of the inputs that they were computed from. Entries may be lost."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import re
import stat
import time
from collections.abc import Iterator
from pathlib import Path

from mcpgen.files.private_folders import describe_flaw, find_user_folder, prepare_folder
from mcpgen.files.regular_files import read_regular
from mcpgen.schema.values import Json

CACHE_DIR_VARIABLE = "MCPGEN_CACHE_DIR"
"""Environment variable with the folder of the cache; if it is empty, no cache is used."""
MAX_ENTRY_AGE = 30 * 86400
"""Seconds after which an unused entry is deleted."""
MAX_CACHE_SIZE = 512 * 2**20
"""Bytes in all; beyond them the entries that were used longest ago are deleted."""
MAX_ENTRY_SIZE = 128 * 2**20
"""Bytes of an entry; larger ones are neither written nor read."""
MAX_FAILURES = 3
"""Failed writes after which the store does not try to write any more."""
_ENTRY_KINDS = ("definitions", "files", "repeated", "layout", "outline", "run", "roots", "template", "text")
_ENTRY_NAME = re.compile(r"[0-9a-f]{64}(\.[^/]*\.tmp)?")
"""File name of an entry, or of an unfinished one."""


class CacheStore:
    """Entries in files, each written atomically. Damaged entries are ignored.

    Entries become code, so a folder to which other users have access is not used.
    """

    def __init__(self, folder: Path) -> None:
        self._folder, self._failures = folder, 0
        self._flaw: str | None = None
        """Why the folder is not used, empty if it is used; None until the folder exists."""
        self._reported = False

    @property
    def folder(self) -> Path:
        """The folder of the entries."""
        return self._folder

    def describe_problem(self) -> str:
        """Return why the folder is not used; empty if it is used, and from the second call."""
        if self._reported or self._is_trusted():
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
        if self._flaw is None and os.path.lexists(self._folder):
            self._flaw = describe_flaw(self._folder)
        return not self._flaw

    def get(self, kind: str, key: str) -> Json:
        """Return the value under a key; None if there is none, or its entry is damaged."""
        if not self._is_trusted():
            return None
        path = self._get_path(kind, key)
        try:
            data = read_regular(path, MAX_ENTRY_SIZE + 1)
            seal, _, body = data.partition(b"\n")
            if len(data) > MAX_ENTRY_SIZE or seal != _digest_entry(kind, key, body):
                return None
            os.utime(path)
            value: Json = json.loads(body)
        except (OSError, ValueError, RecursionError):
            return None
        return value

    def put(self, kind: str, key: str, value: Json) -> None:
        """Store a value; failures are ignored."""
        if self._failures > MAX_FAILURES or not self._is_trusted():
            return
        path = self._get_path(kind, key)
        body = json.dumps(value, separators=(",", ":")).encode()
        entry = _digest_entry(kind, key, body) + b"\n" + body
        if len(entry) > MAX_ENTRY_SIZE:
            return
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
        if not self._is_trusted():
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
        for kind in _ENTRY_KINDS:
            for folder, _, files in os.walk(self._folder / f"v1-{kind}"):
                for name in filter(_ENTRY_NAME.fullmatch, files):
                    path = os.path.join(folder, name)
                    with contextlib.suppress(OSError):
                        status = os.lstat(path)
                        if stat.S_ISREG(status.st_mode):
                            yield status.st_mtime, status.st_size, path

    def _get_path(self, kind: str, key: str) -> str:
        return os.path.join(self._folder, f"v1-{kind}", key[:2], key)

    def _create_folder(self) -> None:
        """Create the folder, with files that exclude it from git and from backups.

        Raises:
            OSError: it cannot be created, or another user has created it.
        """
        if self._folder.is_dir():
            return
        if not prepare_folder(self._folder):
            raise OSError(f"{self._folder} cannot be used")
        (self._folder / ".gitignore").write_text("*\n", "utf-8")
        tag = "Signature: 8a477f597d28d172789f06886806bc55\n# Made by mcpgen; it can be deleted at any time.\n"
        (self._folder / "CACHEDIR.TAG").write_text(tag, "utf-8")


def _digest_entry(kind: str, key: str, body: bytes) -> bytes:
    """Return the digest that an entry starts with. It includes the key, so that no entry passes for another."""
    return hashlib.sha256(f"{kind}\0{key}\0".encode() + body).hexdigest().encode()


def choose_store(folder: Path | None, off: bool = False) -> CacheStore | None:
    """Return the cache in `folder`, by default in that of the environment, by default in the user's own; None if off.

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
    return CacheStore(folder.absolute()) if folder is not None else None
