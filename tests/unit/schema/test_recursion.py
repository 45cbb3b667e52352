"""Raising the recursion limit."""

from __future__ import annotations

import sys

import pytest
from mcpgen.schema.recursion import RECURSION_LIMIT, allow_deep_recursion


def test_the_limit_is_higher_within_the_block_only() -> None:
    old_limit = sys.getrecursionlimit()
    with allow_deep_recursion():
        assert sys.getrecursionlimit() == max(old_limit, RECURSION_LIMIT)
        with allow_deep_recursion():
            pass
        assert sys.getrecursionlimit() == max(old_limit, RECURSION_LIMIT)
    assert sys.getrecursionlimit() == old_limit


def test_the_limit_is_restored_after_an_error() -> None:
    old_limit = sys.getrecursionlimit()
    with pytest.raises(ValueError, match="a"), allow_deep_recursion():
        raise ValueError("a")
    assert sys.getrecursionlimit() == old_limit


def test_a_higher_limit_stays() -> None:
    old_limit = sys.getrecursionlimit()
    sys.setrecursionlimit(RECURSION_LIMIT + 1)
    try:
        with allow_deep_recursion():
            assert sys.getrecursionlimit() == RECURSION_LIMIT + 1
    finally:
        sys.setrecursionlimit(old_limit)
