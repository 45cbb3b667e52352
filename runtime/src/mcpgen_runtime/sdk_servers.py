"""Modules of SDKs, for messages about objects that are not servers of the package's SDK."""

SERVERS = {
    "dedalus_mcp": '"dedalus"',
    "fastmcp": '"fastmcp" (fastmcp 4) or "fastmcp3" (fastmcp 2.13 to 3)',
    "mcp.server.fastmcp": '"mcp1"',
    "mcp.server.mcpserver": '"mcp"',
}
"""Modules of servers, and the values of `sdk` for them."""
SESSION_MODULES = (
    "mcp.client",
    "mcp.server.session",
    "fastmcp.client",
    "dedalus_mcp.client",
)
"""Modules of clients and sessions."""

__all__ = ["SERVERS", "SESSION_MODULES"]
