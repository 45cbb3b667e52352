"""Python names for what is generated."""
