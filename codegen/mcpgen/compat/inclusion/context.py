"""What rules of inclusion need of each other."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Way:
    """The way from the whole value to the one that is spoken of."""

    path: tuple[str, ...] = ()
    depth: int = 0
    inside: int = 0

    def into(self, name: str) -> Way:
        """The way on, to a part."""
        return Way((*self.path, name), self.depth + 1, self.inside)
