"""Rules about what clients and models make of definitions, for `mcpgen lint` and `mcpgen build`."""
