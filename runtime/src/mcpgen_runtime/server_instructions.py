"""Give a server the instructions that the package declares."""

from __future__ import annotations

from .handler_seam import get_lowlevel_server
from .package import Package
from .server_adapter import Server


def bind_instructions(server: Server, package: Package) -> None:
    """Set the server's instructions, unless it already has some."""
    lowlevel = get_lowlevel_server(server)
    if lowlevel.instructions is None:
        lowlevel.instructions = package.instructions


__all__ = ["bind_instructions"]
