"""Transports to servers, with everything that depends on an SDK."""
