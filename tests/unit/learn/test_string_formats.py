"""Formats that recorded strings have in common."""

from __future__ import annotations

import pytest
from mcpgen.learn.string_formats import find_common_format, has_some_format


@pytest.mark.parametrize(
    ("texts", "expected"),
    [
        (["2026-01-01T00:00:00Z", "2026-01-01T00:00:00.5+01:00"], "date-time"),
        (["2026-01-01T00:00:00"], None),  # RFC 3339 wants an offset
        (["2026-01-01", "2024-02-29"], "date"),
        (["2026-01-01", "2025-02-29"], None),
        (["2026-01-01", "2026-01-01T00:00:00Z"], None),
        (["12:00:00Z"], "time"),
        (["P1D", "PT36H"], "duration"),
        (["00000000-0000-0000-0000-000000000000"], "uuid"),
        (["someone@example.com"], "email"),
        (["127.0.0.1", "10.0.0.1"], "ipv4"),
        (["::1"], "ipv6"),
        (["127.0.0.1", "::1"], None),
        (["https://example.com/a?b=c", "urn:isbn:1"], "uri"),
        (["note: this"], None),
        (["note:this"], None),
        (["", "2026-01-01"], None),
        (["1", "2"], None),
    ],
)
def test_a_format_is_one_that_all_texts_have(texts: list[str], expected: str | None) -> None:
    assert find_common_format(texts) == expected


def test_a_text_has_some_format() -> None:
    assert has_some_format("2026-01-01")
    assert has_some_format("a@example.com")
    assert not has_some_format("name")
    assert not has_some_format("")
