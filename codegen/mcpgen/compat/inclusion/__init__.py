"""Inclusion of schemas: whether every value of one schema is valid under another."""
