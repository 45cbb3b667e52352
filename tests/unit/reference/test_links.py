"""Links that pages may have."""

from __future__ import annotations

import pytest
from mcpgen.reference.links import find_safe_link


@pytest.mark.parametrize("uri", ["https://example.org/a?b=c#d", "http://example.org", "HTTPS://example.org/"])
def test_addresses_of_the_web_are_links(uri: str) -> None:
    assert find_safe_link(uri) == uri


@pytest.mark.parametrize(
    "uri",
    [
        "javascript:alert(1)",
        " javascript:alert(1)",
        "java\nscript:alert(1)",
        "data:text/html,<script>alert(1)</script>",
        "vbscript:x",
        "file:///etc/passwd",
        "https:",
        "https://user:secret@example.org/",
        "https://example.org/{name}",
        "https://example.org/\u202eabc",
        'https://example.org/"onmouseover=x',
        "https://[broken",
        "harbour://docs/rules",
        "",
    ],
)
def test_others_are_text(uri: str) -> None:
    assert find_safe_link(uri) == ""
