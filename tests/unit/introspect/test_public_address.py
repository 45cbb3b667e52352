"""What is shown of URLs, and which words are plain or harmless."""

from __future__ import annotations

import pytest
from mcpgen.introspect.public_address import is_harmless, is_path, is_plain, redact_url
from support.secret_sources import HEX, KEY, W


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("https://mcp.example.com/mcp", "https://mcp.example.com/mcp"),
        ("https://example.com:8443/api/v1/mcp/sse", "https://example.com:8443/api/v1/mcp/sse"),
        ("http://127.0.0.1:8000/mcp", "http://127.0.0.1:8000/mcp"),
        ("http://[::1]:8000/mcp", "http://[::1]:8000/mcp"),
        (f"https://me:{W}@h.example.com/weather/mcp?x=1#y", "https://h.example.com/…/mcp"),
        (f"https://{HEX}.example.com/", "https://….example.com/"),
    ],
)
def test_what_is_shown_of_a_url(url: str, expected: str) -> None:
    assert redact_url(url) == expected


def test_plain_words_look_like_names() -> None:
    assert all(map(is_plain, ("weather", "mcp-server-git", "a.b_c", "server2", "x@1.2")))
    assert not any(map(is_plain, ("", "a1b2c3", KEY, "x" * 40, "a-b-c-d-e-f-g-h-i", "a/b")))


def test_harmless_values_are_numbers_and_common_words() -> None:
    assert all(map(is_harmless, ("8000", "0.5", "STDIO", "true")))
    assert not any(map(is_harmless, ("123456789", "weather", "")))


def test_paths_have_plain_segments() -> None:
    assert all(map(is_path, ("./data/weather", "/usr/bin", "~/x")))
    assert not any(map(is_path, ("weather", "https://a/b", "/", f"/a/{KEY}")))
