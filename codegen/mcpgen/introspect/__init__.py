"""Running servers: what they declare."""
