"""What shells propose while an option is typed."""

from __future__ import annotations


def complete_sdks(incomplete: str) -> list[str]:
    """Return the SDKs whose names begin so."""
    from typing import get_args

    from mcpgen.targets import SdkName

    return [sdk for sdk in get_args(SdkName) if sdk.startswith(incomplete)]


def complete_clients(incomplete: str) -> list[str]:
    """Return the clients of lint rules whose names begin so."""
    from mcpgen.lint.clients import CLIENTS

    return [client.name for client in CLIENTS if client.name.startswith(incomplete)]


def complete_codes(incomplete: str) -> list[tuple[str, str]]:
    """Return the diagnostics whose codes begin so, with their titles."""
    from mcpgen.diagnostics import CATALOGUE

    return [entry for entry in CATALOGUE.items() if entry[0].startswith(incomplete.upper())]
