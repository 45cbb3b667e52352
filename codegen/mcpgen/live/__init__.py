"""Asking a running server for its definitions, over the transports of whichever MCP SDK is installed."""
