"""Import of generated packages from their folders; this runs their code."""

from __future__ import annotations

import hashlib
import importlib.util
import os
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

_INIT = "__init__.py"


class PackageNotImportable(Exception):
    """Failure to import a generated package; the message says why."""


def has_package(out: Path) -> bool:
    """Return whether a folder is a Python package."""
    return (out / _INIT).is_file()


def load_package(out: Path) -> Any:
    """Import a generated package once a process, by a name of its own; raise `PackageNotImportable` if it fails."""
    init = out / _INIT
    if not has_package(out):
        raise PackageNotImportable("there is no generated package")
    name = f"_mcpgen_package_{hashlib.sha256(os.fsencode(out.resolve())).hexdigest()[:16]}"
    return sys.modules[name] if name in sys.modules else _import_package(name, init)


def _import_package(name: str, init: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, init, submodule_search_locations=[str(init.parent)])
    if spec is None or spec.loader is None:
        raise PackageNotImportable("it cannot be imported")
    package = importlib.util.module_from_spec(spec)
    sys.modules[name] = package
    try:
        spec.loader.exec_module(package)
        _ = package.TOOLS, getattr(package, "ToolResult", None)  # which imports the run-time modules
    except Exception as error:  # a broken package may raise anything
        del sys.modules[name]
        raise PackageNotImportable(f"it cannot be imported: {type(error).__name__}: {error}") from error
    return package
