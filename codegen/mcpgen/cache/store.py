"""The cache on disk: JSON values under digests of all that they were made from. Any of it may be lost at any time."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import re
import secrets
import stat
import time
from collections.abc import Iterator
from functools import cache
from importlib.util import find_spec
from pathlib import Path

from mcpgen import paths
from mcpgen.files.private_folders import describe_flaw, find_user_folder, prepare_folder
from mcpgen.files.regular_files import read_regular
from mcpgen.schema.values import Json

CACHE_DIR_VARIABLE = "MCPGEN_CACHE_DIR"
"""The environment variable that names the folder; when it is empty, there is no cache."""
MAX_ENTRY_AGE = 30 * 86400
"""Seconds for which an entry is kept without being used."""
MAX_CACHE_SIZE = 512 * 2**20
"""Bytes beyond which the entries that were used longest ago are dropped."""
MAX_ENTRY_SIZE = 128 * 2**20
"""Bytes of an entry beyond which it is neither kept nor read."""
MAX_FAILURES = 3
"""Entries that could not be written, after which no more are tried."""
_TOOL_DISTRIBUTIONS = {
    "black": "black",
    "datamodel_code_generator": "datamodel_code_generator",
    "jinja2": "jinja2",
    "jsonschema_rs": "jsonschema_rs",
    "pydantic": "pydantic",
    "ruamel.yaml": "ruamel_yaml",
}
"""The libraries that shape what is read and written: module → distribution, its name normalized."""
_ENTRY_KINDS = ("run", "roots", "text")
_ENTRY_NAME = re.compile(r"[0-9a-f]{64}(\.[^/]*\.tmp)?")
"""The name of an entry, or of one that was never finished."""


class CacheStore:
    """Entries in files that are written whole. An entry that is not what was put there under its key is none.

    What an entry holds becomes code, so a folder where others can have written is not used.
    """

    def __init__(self, folder: Path) -> None:
        self._folder, self._failures = folder, 0
        self._flaw: str | None = None
        """Why the folder is not used, empty when it is; None as long as there is none."""
        self._told = False

    def describe_problem(self) -> str:
        """Why the folder is not used; empty when it is, and when this was said already."""
        if self._told or self._trusted():
            return ""
        self._told = True
        return f"the cache {self._folder} is not used: it {self._flaw}"

    def _trusted(self) -> bool:
        if self._flaw is None and os.path.lexists(self._folder):
            self._flaw = describe_flaw(self._folder)
        return not self._flaw

    def get(self, kind: str, key: str) -> Json:
        """The value under a key, None when there is none that can be trusted to belong there."""
        if not self._trusted():
            return None
        path = self._path(kind, key)
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
        """Keep a value. Where nothing can be written, nothing is kept, and nobody is bothered with that."""
        if self._failures > MAX_FAILURES or not self._trusted():
            return
        path = self._path(kind, key)
        body = json.dumps(value, separators=(",", ":")).encode()
        entry = _digest_entry(kind, key, body) + b"\n" + body
        if len(entry) > MAX_ENTRY_SIZE:
            return
        draft = f"{path}.{secrets.token_hex(8)}.tmp"
        try:
            if not os.path.isdir(os.path.dirname(path)):
                self._prepare()
                os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(draft, "xb") as file:
                file.write(entry)
            os.replace(draft, path)
        except OSError:
            self._failures += 1
            with contextlib.suppress(OSError):
                os.unlink(draft)

    def prune(self) -> None:
        """Once a day: drop what has not been used for long, and the oldest of what is too much."""
        if not self._trusted():
            return
        stamp, now = self._folder / "pruned", time.time()
        with contextlib.suppress(OSError):
            if stamp.is_file() and now - stamp.stat().st_mtime < 86400:
                return
            stamp.touch()
            entries = sorted(self._entries(), reverse=True)  # the latest first
            total = 0
            for used, size, path in entries:
                total += size
                if now - used > MAX_ENTRY_AGE or total > MAX_CACHE_SIZE:
                    with contextlib.suppress(OSError):
                        os.unlink(path)

    def _entries(self) -> Iterator[tuple[float, int, str]]:
        """When each entry was used last, its size and its path. Whatever else lies there is left alone."""
        for kind in _ENTRY_KINDS:
            for folder, _, files in os.walk(self._folder / f"v1-{kind}"):
                for name in filter(_ENTRY_NAME.fullmatch, files):
                    path = os.path.join(folder, name)
                    with contextlib.suppress(OSError):
                        found = os.lstat(path)
                        if stat.S_ISREG(found.st_mode):
                            yield found.st_mtime, found.st_size, path

    def _path(self, kind: str, key: str) -> str:
        return os.path.join(self._folder, f"v1-{kind}", key[:2], key)

    def _prepare(self) -> None:
        """Make the folder, with the marks that keep it out of git and of backups.

        Raises:
            OSError: it cannot be made, or somebody else has made it.
        """
        if self._folder.is_dir():
            return
        if not prepare_folder(self._folder):
            raise OSError(f"{self._folder} cannot be used")
        (self._folder / ".gitignore").write_text("*\n", "utf-8")
        tag = "Signature: 8a477f597d28d172789f06886806bc55\n# Made by mcpgen; it can be deleted at any time.\n"
        (self._folder / "CACHEDIR.TAG").write_text(tag, "utf-8")


def _digest_entry(kind: str, key: str, body: bytes) -> bytes:
    """The digest that an entry starts with, over its key as well, so that no entry passes for another."""
    return hashlib.sha256(f"{kind}\0{key}\0".encode() + body).hexdigest().encode()


def choose_store(folder: Path | None, off: bool = False) -> CacheStore | None:
    """The cache to use: the folder that was named, that of the environment, the user's own; None for none.

    It lies outside of the project unless it is asked to lie there, since what a stranger's repository holds is not
    to be trusted as a cache.
    """
    if off:
        return None
    if folder is None and CACHE_DIR_VARIABLE in os.environ:
        named = os.environ[CACHE_DIR_VARIABLE]
        if not named:
            return None
        folder = Path(named)
    folder = folder or find_user_folder("cache")
    return CacheStore(folder.absolute()) if folder is not None else None


@cache
def digest_toolchain() -> str | None:
    """A digest of mcpgen's code and templates, and of the versions of the libraries that shape the output.

    None when a version cannot be had without importing the library; then nothing can be known to be the same.
    """
    made = hashlib.sha256()
    for module, distribution in sorted(_TOOL_DISTRIBUTIONS.items()):
        version = _find_version(module, distribution)
        if version is None:
            return None
        made.update(f"{version}\0".encode())
    for root in (
        paths.PACKAGE_FOLDER,
        paths.find_shipped_folder("templates"),
        paths.find_shipped_folder("schemas/mcp"),
    ):
        for name, data in _iterate_sources(root):
            made.update(f"{name}\0{len(data)}\0".encode())
            made.update(data)
    return made.hexdigest()


def _find_version(module: str, distribution: str) -> str | None:
    """`black-26.10.1`, by the name of the folder that pip leaves beside a library."""
    try:
        found = find_spec(module)
    except (ImportError, ValueError):
        return None
    if found is None or found.origin is None:
        return None
    site = Path(found.origin).parent
    for _ in module.split("."):
        site = site.parent
    for name in sorted(os.listdir(site)):
        stem, _, version = name.removesuffix(".dist-info").partition("-")
        if name.endswith(".dist-info") and stem.lower().replace(".", "_") == distribution:
            return f"{distribution}-{version}"
    return None


def _iterate_sources(root: Path) -> Iterator[tuple[str, bytes]]:
    for folder, folders, files in os.walk(root):
        folders[:] = sorted(name for name in folders if name != "__pycache__")
        for name in sorted(files):
            if not name.endswith((".pyc", ".pyo")):
                path = os.path.join(folder, name)
                with open(path, "rb") as file:  # mcpgen's own, where it is installed
                    yield os.path.relpath(path, root), file.read()
