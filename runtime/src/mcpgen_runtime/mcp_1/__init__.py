"""What the SDKs on mcp 1.x have in common."""
