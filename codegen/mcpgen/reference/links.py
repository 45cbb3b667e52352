"""Links that a page may have."""

from __future__ import annotations

from urllib.parse import urlsplit

SAFE_SCHEMES = frozenset({"http", "https"})


def find_safe_link(uri: str) -> str:
    """Return a URI that a page may link to, empty for another one: `javascript:`, a template, or no URI."""
    if not uri.isascii() or not uri.isprintable() or any(char in uri for char in ' <>"{}|\\^`'):
        return ""
    try:
        parts = urlsplit(uri)
    except ValueError:
        return ""
    return uri if parts.scheme.lower() in SAFE_SCHEMES and parts.netloc and "@" not in parts.netloc else ""
