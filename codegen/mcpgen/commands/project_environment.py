"""Distributions that are installed in a project's environment. None of them is imported."""

from __future__ import annotations

import importlib.metadata
import os
import sys
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from mcpgen.files import looks

ENVIRONMENT_FOLDERS = (".venv", "venv")
"""Where projects keep their environments."""


@dataclass(frozen=True)
class Environment:
    """An environment of Python."""

    title: str
    """What people call it."""
    paths: tuple[str, ...]
    """Folders with its distributions."""

    def find_versions(self, names: Iterable[str]) -> dict[str, str]:
        """Return the versions of some distributions, by their normalized names."""
        return {name: version for name in names if (version := self._find_version(name)) is not None}

    def _find_version(self, name: str) -> str | None:
        for path in self.paths:
            with suppress(OSError):
                looks.list_folder(path)  # which shows that a distribution is added or removed
        context = importlib.metadata.DistributionFinder.Context(name=name, path=[*self.paths])
        for distribution in importlib.metadata.Distribution.discover(context=context):
            try:
                return distribution.version
            except KeyError:  # what is left of an installation that was broken off
                continue
        return None


def find_environment(folders: Iterable[Path]) -> Environment:
    """Return the environment of a project: its own, else the active one, else the one that runs mcpgen.

    Args:
        folders: the folder of the project, and those around it.
    """
    for folder in folders:
        for name in ENVIRONMENT_FOLDERS:
            if looks.is_file(folder / name / "pyvenv.cfg"):
                return Environment(name, _list_site_packages(folder / name))
    for variable in ("VIRTUAL_ENV", "CONDA_PREFIX"):
        prefix = os.environ.get(variable, "")
        if prefix and looks.is_folder(prefix):
            return Environment("the active environment", _list_site_packages(Path(prefix)))
    return get_own_environment()


def get_own_environment() -> Environment:
    """Return the environment that runs mcpgen."""
    return Environment("the environment that runs mcpgen", tuple(sys.path))


def _list_site_packages(prefix: Path) -> tuple[str, ...]:
    patterns = ("lib/python*/site-packages", "lib64/python*/site-packages", "Lib/site-packages")
    return tuple(str(path) for pattern in patterns for path in sorted(prefix.glob(pattern)))
