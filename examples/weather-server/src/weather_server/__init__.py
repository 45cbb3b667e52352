"""An MCP server for the weather."""
