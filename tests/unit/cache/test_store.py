"""The parts of the cache."""

from __future__ import annotations

import os
import pickle
from importlib.metadata import version
from pathlib import Path

import mcpgen
import pytest
from mcpgen.cache import keys, toolchain
from mcpgen.cache import store as store_module
from mcpgen.cache.keys import make_key
from mcpgen.cache.memo import Memo
from mcpgen.cache.render_cache import NO_RENDER_CACHE, RenderCache
from mcpgen.cache.store import CACHE_DIR_VARIABLE, CacheStore, choose_store
from mcpgen.cache.toolchain import digest_toolchain, list_toolchain_paths

# --- where the cache on disk is, and what digests it uses; its entries are tested with the memory in front of it ------
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


# --- keys of cache entries --------------------------------------------------------------------------------------------
def test_parts_are_told_apart() -> None:
    assert make_key("a", "b") == make_key("a", "b") != make_key("ab") != make_key("a", "", "b")
    assert make_key("1:a") != make_key("1", "a")


def test_a_lone_surrogate_can_be_part_of_a_key() -> None:
    assert make_key("\ud800") != make_key("\udfff")


def test_the_code_of_mcpgen_is_part_of_a_key(monkeypatch: pytest.MonkeyPatch) -> None:
    old = make_key("a")
    monkeypatch.setattr(keys, "digest_toolchain", lambda: "another")
    assert make_key("a") != old


# --- results that are kept between two runs of one process ------------------------------------------------------------
def test_a_result_is_computed_once_while_it_is_used() -> None:
    computed: list[int] = []

    def count(items: list[int]) -> int:
        computed.append(len(items))
        return len(items)

    memo, items = Memo(), [1, 2]
    for _ in range(3):
        assert memo.call("count", count, items) == 2
        memo.end_run()
    assert computed == [2]
    assert memo.call("count", count, [1, 2]) == 2
    assert computed == [2, 2], "an equal object is another one"
    memo.end_run()
    memo.end_run()
    assert memo.call("count", count, items) == 2
    assert computed == [2, 2, 2], "a result that one run did not use is dropped"


def test_slots_keep_results_of_the_same_object_apart() -> None:
    memo, items = Memo(), [3, 1]
    assert memo.call("first", lambda values: values[0], items) == 3
    assert memo.call("last", lambda values: values[-1], items) == 1
    memo.keep("text", "key", "a")
    assert memo.find("text", "key") == "a"
    assert memo.find("roots", "key") is None


def test_a_disabled_memo_keeps_nothing() -> None:
    computed: list[int] = []
    memo, items = Memo(enabled=False), [1]
    for _ in range(2):
        assert memo.call("append", computed.append, items[0]) is None
    assert computed == [1, 1]
    memo.keep("text", "key", "a")
    assert memo.find("text", "key") is None
    assert memo.get_object("list", "key", list) is None


def test_an_object_of_a_slot_outlives_runs() -> None:
    memo = Memo()
    created = memo.get_object("list", "a", list[int])
    memo.end_run()
    memo.end_run()
    assert memo.get_object("list", "a", list[int]) is created
    assert memo.get_object("list", "b", list[int]) is not created


# --- what mcpgen's output depends on besides its input ----------------------------------------------------------------
def test_the_toolchain_has_a_digest_unless_a_library_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    digest = digest_toolchain()
    assert digest is not None
    assert len(digest) == 64
    monkeypatch.setattr(toolchain, "_TOOL_DISTRIBUTIONS", {"no_such_library": "no_such_library"})
    assert digest_toolchain.__wrapped__() is None


def test_the_digest_follows_every_file_and_every_version(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "code").mkdir()
    (tmp_path / "code" / "a.py").write_text("a = 1", "utf-8")
    monkeypatch.setattr(toolchain, "_list_roots", lambda: (tmp_path,))
    digests = [digest_toolchain.__wrapped__()]
    (tmp_path / "code" / "a.py").write_text("a = 2", "utf-8")
    digests.append(digest_toolchain.__wrapped__())
    (tmp_path / "code" / "b.j2").write_text("", "utf-8")
    digests.append(digest_toolchain.__wrapped__())
    monkeypatch.setattr(toolchain, "_find_metadata", lambda module, name: Path(f"{name}-1.dist-info"))
    digests.append(digest_toolchain.__wrapped__())
    monkeypatch.setattr(toolchain, "_find_metadata", lambda module, name: Path(f"{name}-2.dist-info"))
    digests.append(digest_toolchain.__wrapped__())
    assert len({*digests}) == 5
    (tmp_path / "code" / "__pycache__").mkdir()
    (tmp_path / "code" / "__pycache__" / "a.pyc").write_bytes(b"")
    assert digest_toolchain.__wrapped__() == digests[-1]


def test_all_code_templates_schemas_and_libraries_are_listed() -> None:
    listed = {Path(path).resolve() for path in list_toolchain_paths()}
    package = Path(mcpgen.__file__).parent
    for root in (package, package.parent.parent / "templates", package.parent.parent / "schemas" / "mcp"):
        for folder, folders, files in os.walk(root):
            folders[:] = [name for name in folders if name != "__pycache__"]
            assert {Path(folder).resolve(), *(Path(folder, name).resolve() for name in files)} <= listed
    names = {path.name for path in listed if path.suffix == ".dist-info"}
    assert f"black-{version('black')}.dist-info" in names
    assert len(names) == len(toolchain._TOOL_DISTRIBUTIONS)


# --- formatted texts that are kept between runs -----------------------------------------------------------------------
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
