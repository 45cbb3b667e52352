"""Where the cache on disk is, and what digests it uses; its entries are tested with the memory in front of it."""

from __future__ import annotations

from pathlib import Path

import pytest
from mcpgen.cache import store as store_module
from mcpgen.cache.store import CACHE_DIR_VARIABLE, CacheStore, choose_store

KEY = "ab" * 32


def test_an_entry_is_kept_until_it_is_damaged(tmp_path: Path) -> None:
    store = CacheStore(tmp_path / "cache")
    assert store.get("text", KEY) is None
    store.put("text", KEY, {"a": [1, None]})
    assert store.get("text", KEY) == {"a": [1, None]}
    assert store.get("roots", KEY) is None
    entry = tmp_path / "cache" / "v1-text" / "ab" / KEY
    entry.write_bytes(entry.read_bytes()[:-1])
    assert store.get("text", KEY) is None


def test_an_entry_that_is_too_large_is_not_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(store_module, "MAX_ENTRY_SIZE", 200)
    store = CacheStore(tmp_path / "cache")
    store.put("text", KEY, "x" * 200)
    assert store.get("text", KEY) is None
    store.put("text", KEY, "x" * 100)
    assert store.get("text", KEY) == "x" * 100


def test_options_come_before_the_environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def put_and_list(store: CacheStore | None) -> list[str]:
        assert store is not None
        store.put("text", KEY, "a")
        return sorted(path.name for path in tmp_path.iterdir())

    monkeypatch.setenv(CACHE_DIR_VARIABLE, str(tmp_path / "environment"))
    assert put_and_list(choose_store(tmp_path / "option")) == ["option"]
    assert put_and_list(choose_store(None)) == ["environment", "option"]
    assert choose_store(tmp_path / "option", off=True) is None
    monkeypatch.setenv(CACHE_DIR_VARIABLE, "")
    assert choose_store(None) is None
