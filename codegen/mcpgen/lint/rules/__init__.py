"""Lint rules: pure functions of a definition, by subject."""
