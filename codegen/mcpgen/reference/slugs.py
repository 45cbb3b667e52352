"""Names of files and anchors, from names that may hold anything."""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Iterable

_MAX_LENGTH = 80
_RESERVED = re.compile(r"index|readme|con|prn|aux|nul|(?:com|lpt)\d|(?:.*-)?[0-9a-f]{12}")
"""Names that mean something to makers of sites, that Windows keeps for devices, or that end like those with a hash."""


def slugify(name: str) -> str:
    """Return a name in lower case with `-` in place of what is neither an ASCII letter nor a digit nor `_`."""
    return re.sub(r"[^a-z0-9_]+", "-", name.lower()).strip("-")[:_MAX_LENGTH].rstrip("-")


def make_slugs(names: Iterable[str]) -> dict[str, str]:
    """Return a different slug for each name; those that would be alike, empty or reserved end in a hash of the name."""
    slugs = {name: slugify(name) for name in names}
    counts = Counter(slugs.values())
    return {
        name: slug if slug and counts[slug] == 1 and not _RESERVED.fullmatch(slug) else _add_hash(slug, name)
        for name, slug in slugs.items()
    }


def _add_hash(slug: str, name: str) -> str:
    digest = hashlib.sha256(name.encode()).hexdigest()[:12]
    return f"{slug}-{digest}".lstrip("-")


class AnchorSet:
    """Anchors of a page, each given once."""

    def __init__(self) -> None:
        self._taken: set[str] = set()

    def add(self, wanted: str) -> str:
        """Return an anchor, with a number behind it if it is taken."""
        anchor, number = wanted, 2
        while anchor in self._taken:
            anchor, number = f"{wanted}-{number}", number + 1
        self._taken.add(anchor)
        return anchor
