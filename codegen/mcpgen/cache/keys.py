"""Make the keys of cache entries."""

from __future__ import annotations

import hashlib

from mcpgen.cache.toolchain import digest_toolchain


def make_key(*parts: str) -> str:
    """Return a SHA-256, in hex, of some texts and of mcpgen's own code."""
    digest = hashlib.sha256((digest_toolchain() or "").encode())
    for part in parts:
        data = part.encode("utf-8", "surrogatepass")
        digest.update(b"%d:" % len(data))
        digest.update(data)
    return digest.hexdigest()
