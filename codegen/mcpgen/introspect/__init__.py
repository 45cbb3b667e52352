"""Queries to running servers for the definitions that they advertise."""
