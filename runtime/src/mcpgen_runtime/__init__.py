"""The run-time library of packages that mcpgen generates."""

__version__ = "0.1.0"
