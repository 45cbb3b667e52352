"""The transports of each generation of the SDK."""
