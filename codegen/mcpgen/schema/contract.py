"""Compute the contract of a Tool with the module that generated packages contain, so that both agree."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Mapping
from functools import cache
from types import ModuleType
from typing import Any, cast

from mcpgen.paths import find_shipped_folder
from mcpgen.schema.values import Json


def build_contract(tool: Mapping[str, Json]) -> dict[str, Json]:
    """Return what a Tool promises its callers: its name and its schemas in canonical form."""
    return cast("dict[str, Json]", load_shipped_module("tool_contract").contract(tool))


def hash_contract(tool: Mapping[str, Json]) -> str:
    """Return the SHA-256 of the canonical text of a Tool's contract, in hex."""
    return cast(str, load_shipped_module("tool_contract").contract_hash(tool))


def format_contract(tool: Mapping[str, Json]) -> str:
    """Return the canonical text of a Tool's contract: one line of JSON, the same for equivalent Tools."""
    return cast(str, load_shipped_module("tool_contract").contract_text(tool))


@cache
def load_shipped_module(module: str) -> Any:
    """Return a module that generated packages contain, which imports nothing outside of the standard library."""
    name = "mcpgen._runtime"
    package = ModuleType(name)
    package.__path__ = [str(find_shipped_folder("templates") / "runtime")]
    sys.modules[name] = package  # so that the module can import from others beside it
    return importlib.import_module(f"{name}.{module}")
