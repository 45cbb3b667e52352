"""Formatted texts that are kept between runs."""

from __future__ import annotations

import pickle
from pathlib import Path

import pytest
from mcpgen.cache.render_cache import NO_RENDER_CACHE, RenderCache


def _never(_: str) -> str:
    raise AssertionError("it is asked again")


def test_a_text_is_formatted_once(tmp_path: Path) -> None:
    first = RenderCache(tmp_path)
    assert first.format("x=1", lambda _: "x = 1") == "x = 1"
    again: RenderCache = pickle.loads(pickle.dumps(first))
    assert again == first
    assert again.format("x=1", _never) == "x = 1"
    with pytest.raises(AssertionError):
        again.format("x=2", _never)


def test_what_cannot_be_formatted_is_not_kept(tmp_path: Path) -> None:
    def refuse(_: str) -> str:
        raise ValueError("not Python")

    cache = RenderCache(tmp_path)
    with pytest.raises(ValueError, match="not Python"):
        cache.format("x=", refuse)
    assert cache.format("x=", lambda _: "now") == "now"


def test_nothing_is_kept_without_a_folder() -> None:
    assert NO_RENDER_CACHE.format("a", str.upper) == "A"
    assert NO_RENDER_CACHE.format("a", str.title) == "A"
