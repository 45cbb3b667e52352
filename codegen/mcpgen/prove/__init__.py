"""`mcpgen prove`: generated classes held against their schemas, with values drawn from those."""
