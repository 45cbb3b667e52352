"""Hosts of MCP servers: what each lets the model read of a result, with sources, and the same for a given result."""
