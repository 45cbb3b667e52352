"""Choice of the transports of the installed SDK."""

from __future__ import annotations

import importlib.metadata

from mcpgen.introspect.errors import IntrospectionError
from mcpgen.introspect.transports.base import SdkTransports
from mcpgen.introspect.transports.mcp1 import Mcp1
from mcpgen.introspect.transports.mcp2 import Mcp2
from mcpgen.targets import MCP_2, SDK_DISTRIBUTION

INSTALL_COMMAND = f"pip install '{MCP_2.http_requirement}'"


def select_transports() -> SdkTransports:
    """Return the transports of the installed SDK.

    Raises:
        IntrospectionError: no SDK is installed.
    """
    try:
        version = importlib.metadata.version(SDK_DISTRIBUTION)
    except importlib.metadata.PackageNotFoundError:
        message = "no MCP SDK is installed, and asking a server takes one"
        raise IntrospectionError("MG702", message, INSTALL_COMMAND) from None
    return Mcp1() if version.startswith("1.") else Mcp2()
