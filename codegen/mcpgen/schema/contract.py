"""Compute the contract of a Tool with the module that generated packages contain, so that both agree."""

from __future__ import annotations

import importlib.util
from collections.abc import Mapping
from functools import cache
from typing import Any, cast

from mcpgen.paths import find_shipped_folder
from mcpgen.schema.values import Json


def build_contract(tool: Mapping[str, Json]) -> dict[str, Json]:
    """Return what a Tool promises its callers: its name and its schemas in canonical form."""
    return cast("dict[str, Json]", _load_shipped_module().contract(tool))


def hash_contract(tool: Mapping[str, Json]) -> str:
    """Return the SHA-256 of the canonical text of a Tool's contract, in hex."""
    return cast(str, _load_shipped_module().contract_hash(tool))


def format_contract(tool: Mapping[str, Json]) -> str:
    """Return the canonical text of a Tool's contract: one line of JSON, the same for equivalent Tools."""
    return cast(str, _load_shipped_module().contract_text(tool))


@cache
def _load_shipped_module() -> Any:
    path = find_shipped_folder("templates") / "runtime" / "tool_contract.py"
    spec = importlib.util.spec_from_file_location("_mcpgen_contract", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
