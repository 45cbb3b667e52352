"""mcpgen: from MCP tool and resource definitions to statically typed result classes."""

__version__ = "0.1.0"
