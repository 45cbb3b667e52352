"""Findings and plans for people, one renderer a format."""
