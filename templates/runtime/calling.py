"""Typed calls of a client, and how the server's tools compare with the declared ones."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from dataclasses import dataclass
from importlib import import_module
from typing import Any, Literal

from .contract import canonical_schema, contract_hash
from .runtime import advertise_tool, tools
from .session import Session

logger = logging.getLogger(__name__)

OMITTED: Any = object()
"""Default of an argument that may be null: absent."""


@dataclass(frozen=True)
class Contract:
    """Comparison of a server's tools with the declared ones, by names on the wire."""

    same: tuple[str, ...]
    changed: tuple[str, ...]
    """Tools whose arguments or results differ from the declared ones."""
    missing: tuple[str, ...]
    """Declared tools that the server lacks."""
    new: tuple[str, ...]
    """Tools of the server that are not declared."""

    @property
    def kept(self) -> bool:
        """True if the server has all declared tools, unchanged."""
        return not self.changed and not self.missing


class Calling:
    """Calls tools by name over a session; base of the generated `Client`."""

    def __init__(
        self,
        package: str,
        session: Session,
        protocol: str | None,
        on_invalid: Literal["raise", "warn"],
        contract: Contract,
    ) -> None:
        self._package, self._session, self._protocol = package, session, protocol
        self._on_invalid: Literal["raise", "warn"] = on_invalid
        self.contract = contract

    async def _call(self, tool: str, values: Mapping[str, Any]) -> Any:
        """Call a tool; raises what the arguments' class and `from_call_tool_result` raise."""
        package = import_module(self._package)
        arguments = package.ARGUMENT_TYPES[tool](
            **{name: value for name, value in values.items() if value is not OMITTED}
        )
        result = await self._session.call(tool, arguments.to_structured_content())
        return package.RESULT_TYPES[tool].from_call_tool_result(
            result, self._protocol, on_invalid=self._on_invalid
        )


async def compare(session: Session, protocol: str | None, contracts: Mapping[str, str]) -> Contract:
    """Compare the tools that a server lists with the hashes of the declared ones."""
    listed = {tool["name"]: tool for tool in await session.tools()}
    is_same = {
        name: _hash_listed_tool(listed[name], protocol) == declared
        for name, declared in contracts.items()
        if name in listed
    }
    contract = Contract(
        tuple(name for name in contracts if is_same.get(name) is True),
        tuple(name for name in contracts if is_same.get(name) is False),
        tuple(name for name in contracts if name not in listed),
        tuple(sorted(listed.keys() - contracts.keys())),
    )
    for name in contract.changed:
        logger.warning("The server's tool %r is not the declared one", name)
    for name in contract.missing:
        logger.warning("The server has no tool %r", name)
    return contract


def _hash_listed_tool(tool: dict[str, Any], protocol: str | None) -> str | None:
    """Hash a listed tool in its declared form: not wrapped, and with its outputSchema.

    None if its schemas are invalid or too deep to compare, so that it cannot be the declared one.
    """
    declared = tools().get(tool["name"])
    try:
        if declared is not None and "outputSchema" in declared:
            advertised_tool = advertise_tool(declared, protocol or "2025-11-25")
            if _get_canonical_output(advertised_tool) == _get_canonical_output(tool):
                tool = {**tool, "outputSchema": declared["outputSchema"]}
        return contract_hash(tool)
    except Exception:  # invalid schemas may cause any error
        logger.warning("The server's tool %r has schemas that cannot be read", tool["name"])
        return None


def _get_canonical_output(tool: Mapping[str, Any]) -> Any:
    return canonical_schema(tool["outputSchema"]) if tool.get("outputSchema") is not None else None
