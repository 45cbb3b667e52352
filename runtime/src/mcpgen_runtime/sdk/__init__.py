"""One package for each SDK; generated code imports their facade modules."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any


def import_lazily(facade: str, modules: Mapping[str, str]) -> Callable[[str], Any]:
    """Return the `__getattr__` of a module whose names come from others, so that a package loads only what it needs.

    Args:
        facade: the name of the module.
        modules: the module of each name, relative to the package of `facade`.
    """

    def get_attribute(name: str) -> Any:
        if name not in modules:
            raise AttributeError(f"module {facade!r} has no attribute {name!r}")
        value = getattr(import_module(modules[name], facade.rpartition(".")[0]), name)
        setattr(sys.modules[facade], name, value)
        return value

    return get_attribute
