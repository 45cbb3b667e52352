"""The contract of a Tool in canonical form, by the module that generated packages carry: both must agree."""

from __future__ import annotations

import importlib.util
from collections.abc import Mapping
from functools import cache
from typing import Any, cast

from mcpgen.paths import shipped
from mcpgen.schema.values import Json


def contract(tool: Mapping[str, Json]) -> dict[str, Json]:
    """What a Tool promises its callers: its name and its schemas in canonical form."""
    return cast("dict[str, Json]", _shipped().contract(tool))


def contract_hash(tool: Mapping[str, Json]) -> str:
    """The SHA-256 of the canonical text of a Tool's contract, in hex."""
    return cast(str, _shipped().contract_hash(tool))


def contract_text(tool: Mapping[str, Json]) -> str:
    """The canonical text of a Tool's contract: one line of JSON, the same for every way to write it."""
    return cast(str, _shipped().contract_text(tool))


@cache
def _shipped() -> Any:
    spec = importlib.util.spec_from_file_location("_mcpgen_contract", shipped("templates") / "contract.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
