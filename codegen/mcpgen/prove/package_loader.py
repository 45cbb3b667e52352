"""Generated packages, imported from their folders to be shown or proved: their code runs, so nothing is bounded."""

from __future__ import annotations

import importlib.util
import sys
from functools import cache
from pathlib import Path
from typing import Any

BUILD_FIRST_HELP = "run `mcpgen build` first, with the SDK of the package installed"


class PackageNotImportable(Exception):
    """There is no generated package, or its import fails; the message says why."""


@cache
def load_package(out: Path) -> Any:
    """Import a generated package from its folder, under a name of its own.

    Raises:
        NotImportable: there is none, or it cannot be imported.
    """
    init = out / "__init__.py"
    if not init.is_file():
        raise PackageNotImportable("there is no generated package")
    name = f"_mcpgen_loaded_{len([one for one in sys.modules if one.startswith('_mcpgen_loaded_')])}"
    spec = importlib.util.spec_from_file_location(name, init, submodule_search_locations=[str(out)])
    if spec is None or spec.loader is None:
        raise PackageNotImportable("it cannot be imported")
    package = importlib.util.module_from_spec(spec)
    sys.modules[name] = package
    try:
        spec.loader.exec_module(package)
        _ = package.TOOLS
    except Exception as error:  # a broken package may raise anything
        raise PackageNotImportable(f"it cannot be imported: {type(error).__name__}: {error}") from error
    return package
