"""Compute the contract of a Tool with the module that generated packages contain, so that both agree."""

from __future__ import annotations

from collections.abc import Mapping
from typing import cast

from mcpgen.schema.shipped_code import load_runtime_module
from mcpgen.schema.values import Json

CONTRACT_MEMBERS = ("name", "inputSchema", "outputSchema")
"""Members of a Tool that its contract depends on."""


def build_contract(tool: Mapping[str, Json]) -> dict[str, Json]:
    """Return what a Tool promises its callers: its name and its schemas in canonical form."""
    return cast("dict[str, Json]", load_runtime_module("tool_contract").contract(tool))


def build_comparable_contracts(
    old: Mapping[str, Json], new: Mapping[str, Json]
) -> tuple[dict[str, Json], dict[str, Json]]:
    """Return two contracts whose differences are at the JSON pointers of the first Tool, or of the second."""
    contracts = load_runtime_module("tool_contract").comparable_contracts(old, new)
    return cast("tuple[dict[str, Json], dict[str, Json]]", contracts)


def hash_contract(tool: Mapping[str, Json]) -> str:
    """Return the SHA-256 of the canonical text of a Tool's contract, in hex."""
    return cast(str, load_runtime_module("tool_contract").contract_hash(tool))


def format_contract(tool: Mapping[str, Json]) -> str:
    """Return the canonical text of a Tool's contract: one line of JSON, the same for equivalent Tools."""
    return cast(str, load_runtime_module("tool_contract").contract_text(tool))
