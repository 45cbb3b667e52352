"""What the SDKs on mcp 2.x have in common."""
