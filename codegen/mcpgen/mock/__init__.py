"""Servers that answer for definitions without handlers, for tests of clients and agents."""
