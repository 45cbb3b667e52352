"""Mappings from wire names to classes that are imported on first use."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from typing import Any


class LazyTypes(Mapping[str, Any]):
    """Classes of a package by the exact names of tools or resources."""

    def __init__(self, package: str, names: Mapping[str, str]) -> None:
        self._package, self._names = package, names

    def __getitem__(self, name: str) -> Any:
        return getattr(sys.modules[self._package], self._names[name])

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)

    def __repr__(self) -> str:
        return f"<{self._package} classes of {', '.join(self._names)}>"
