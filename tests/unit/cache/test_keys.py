"""Keys of cache entries."""

from __future__ import annotations

import pytest
from mcpgen.cache import keys
from mcpgen.cache.keys import make_key


def test_parts_are_told_apart() -> None:
    assert make_key("a", "b") == make_key("a", "b") != make_key("ab") != make_key("a", "", "b")
    assert make_key("1:a") != make_key("1", "a")


def test_a_lone_surrogate_can_be_part_of_a_key() -> None:
    assert make_key("\ud800") != make_key("\udfff")


def test_the_code_of_mcpgen_is_part_of_a_key(monkeypatch: pytest.MonkeyPatch) -> None:
    old = make_key("a")
    monkeypatch.setattr(keys, "digest_toolchain", lambda: "another")
    assert make_key("a") != old
