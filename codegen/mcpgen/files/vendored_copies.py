"""Ownership of the copies of run-time modules in a package: they have no header, but a file has their digests."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from pathlib import Path

from mcpgen.files.ownership import Owner, detect_owner, split_conflict
from mcpgen.files.regular_files import read_regular

VENDORED_FOLDER = "_runtime"
"""The folder of a package with its copies of modules of the run-time library."""
COPIES_LIST = f"{VENDORED_FOLDER}/SHA256SUMS"
"""The file with their digests, as `sha256sum --check` reads it."""
_MAX_LIST_SIZE = 2**20
_ENTRY = re.compile(r"^([0-9a-f]{64})  (\S.*)$", re.MULTILINE)


def render_entries(texts: Mapping[str, str]) -> str:
    """Return the lines for some copies, given their texts by path in their folder."""
    return "".join(f"{_hash_text(text)}  {path}\n" for path, text in sorted(texts.items()))


class RecordedCopies:
    """The copies that the list of a package names."""

    def __init__(self, digests: Mapping[str, frozenset[str]]) -> None:
        self._digests = digests
        """Digests of what mcpgen wrote, by path in the package: several where a merge left conflicts in the list."""

    @classmethod
    def read(cls, out: Path) -> RecordedCopies:
        """Return those of the package in a folder: none if it has no list, or somebody edited it."""
        try:
            text = read_regular(out / COPIES_LIST, _MAX_LIST_SIZE).decode("utf-8", "replace").replace("\r\n", "\n")
        except OSError:
            return cls({})
        digests: dict[str, frozenset[str]] = {}
        if detect_owner(COPIES_LIST, text) is Owner.MCPGEN:
            for digest, path in _ENTRY.findall(text):
                full_path = f"{VENDORED_FOLDER}/{path}"
                digests[full_path] = digests.get(full_path, frozenset()) | {digest}
        return cls(digests)

    def __contains__(self, path: object) -> bool:
        return path in self._digests

    def detect_owner(self, path: str, text: str) -> Owner:
        """Return the owner of a file that the list names: it is mcpgen's unless somebody has edited it."""
        plain = text.replace("\r\n", "\n")
        sides = split_conflict(plain) or (plain,)
        return Owner.MCPGEN if all(_hash_text(side) in self._digests[path] for side in sides) else Owner.EDITED


def _hash_text(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
