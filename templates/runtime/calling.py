"""A client's calls, typed: what it shares over all SDKs, and how its server's tools compare with the declared ones."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from dataclasses import dataclass
from importlib import import_module
from typing import Any, Literal

from .contract import canonical_schema, contract_hash
from .runtime import advertised, tools
from .session import Session

logger = logging.getLogger(__name__)

OMITTED: Any = object()
"""What an argument that may be null is by default: absent."""


@dataclass(frozen=True)
class Contract:
    """How the tools of a server compare with the declared ones, by names on the wire."""

    same: tuple[str, ...]
    changed: tuple[str, ...]
    """Their arguments or results are others than declared."""
    missing: tuple[str, ...]
    """Declared, but the server has none."""
    new: tuple[str, ...]
    """The server has them, but none is declared."""

    @property
    def kept(self) -> bool:
        """Whether the server keeps all that is declared."""
        return not self.changed and not self.missing


class Calling:
    """A session whose tools are called by name; the base of the generated `Client`."""

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

    async def _call(self, tool: str, given: Mapping[str, Any]) -> Any:
        """The result of a tool; what it raises is what the arguments' class and `from_call_tool_result` raise."""
        package = import_module(self._package)
        arguments = package.ARGUMENT_TYPES[tool](
            **{name: value for name, value in given.items() if value is not OMITTED}
        )
        result = await self._session.call(tool, arguments.to_structured_content())
        return package.RESULT_TYPES[tool].from_call_tool_result(
            result, self._protocol, on_invalid=self._on_invalid
        )


async def compare(session: Session, protocol: str | None, contracts: Mapping[str, str]) -> Contract:
    """How the tools that a server lists compare with the hashes of the declared ones."""
    seen = {tool["name"]: tool for tool in await session.tools()}
    equal = {
        name: _hash(seen[name], protocol) == declared
        for name, declared in contracts.items()
        if name in seen
    }
    found = Contract(
        tuple(name for name in contracts if equal.get(name) is True),
        tuple(name for name in contracts if equal.get(name) is False),
        tuple(name for name in contracts if name not in seen),
        tuple(sorted(seen.keys() - contracts.keys())),
    )
    for name in found.changed:
        logger.warning("The server's tool %r is not the declared one", name)
    for name in found.missing:
        logger.warning("The server has no tool %r", name)
    return found


def _hash(tool: dict[str, Any], protocol: str | None) -> str | None:
    """The hash of a listed tool, in the form in which it is declared: not wrapped, and with its outputSchema.

    None: its schemas are none, or too deep to be compared, so that it cannot be the declared one.
    """
    known = tools().get(tool["name"])
    try:
        if known is not None and "outputSchema" in known:
            ours = advertised(known, protocol or "2025-11-25")
            if _schema(ours) == _schema(tool):
                tool = {**tool, "outputSchema": known["outputSchema"]}
        return contract_hash(tool)
    except Exception:  # what odd schemas do to code for proper ones can be anything
        logger.warning("The server's tool %r has schemas that cannot be read", tool["name"])
        return None


def _schema(tool: Mapping[str, Any]) -> Any:
    return canonical_schema(tool["outputSchema"]) if tool.get("outputSchema") is not None else None
