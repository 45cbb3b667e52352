"""Propose schemas for the results of tools, from recorded calls."""
