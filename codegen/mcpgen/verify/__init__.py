"""Calls of a live server that test what it promises."""
