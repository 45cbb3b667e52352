"""Call the run-time modules of generated packages, so that mcpgen and what it generates decide alike."""

from __future__ import annotations

import importlib
import sys
from functools import cache
from types import ModuleType
from typing import Any

from mcpgen.paths import find_shipped_folder
from mcpgen.schema.runtime_keywords import RUNTIME_KEYWORD_SETS

_PACKAGE = "mcpgen._runtime"


@cache
def load_runtime_module(name: str) -> Any:
    """Return a module of `templates/runtime/`, imported from there.

    Only modules that import no SDK can be loaded, and of the modules that are rendered only `schema_keywords`.
    """
    _register_package()
    return importlib.import_module(f"{_PACKAGE}.{name}")


@cache
def _register_package() -> None:
    """Register the folder as a package, so that its modules can import each other."""
    package = ModuleType(_PACKAGE)
    package.__path__ = [str(find_shipped_folder("templates") / "runtime")]
    keywords: Any = ModuleType(f"{_PACKAGE}.schema_keywords")
    for keyword_set in RUNTIME_KEYWORD_SETS:
        setattr(keywords, keyword_set.name, frozenset(keyword_set.keywords))
    sys.modules[_PACKAGE] = package
    sys.modules[keywords.__name__] = keywords
