"""The store of results: on disk, where anything may happen to it, and in a process that stays."""

from __future__ import annotations

import os
import pickle
import shutil
import socket
import time
from pathlib import Path

import pytest
from mcpgen.cache import store as store_module
from mcpgen.cache.store import CACHE_DIR_VARIABLE, MAX_FAILURES, NO_STORE, Store, choose_folder, make_key
from support.children import run_in_fork
from support.packages import files

KEY, OTHER_KEY = "ab" * 32, "cd" * 32


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "cache"


def find_entry(folder: Path, key: str = KEY) -> Path:
    return folder / "v1-text" / key[0] / key


# --- results ---------------------------------------------------------------------------------------------------------
def test_a_result_is_there_for_every_process(folder: Path) -> None:
    store = Store(folder)
    assert store.get("text", KEY, dict) is None
    store.put("text", KEY, {"a": [1, None]})
    for other in (store, Store(folder), pickle.loads(pickle.dumps(store))):
        assert other == store
        assert other.get("text", KEY, dict) == {"a": [1, None]}
        assert other.get("roots", KEY, dict) is None
        assert other.get("text", OTHER_KEY, dict) is None


def test_a_result_of_another_class_is_none(folder: Path) -> None:
    for store in (Store(folder), Store(folder, is_warm=True)):
        store.put("text", KEY, ["a"])
        assert store.get("text", KEY, str) is None
        assert store.get("text", KEY, list) == ["a"]


def test_the_folder_is_private_and_marked(folder: Path) -> None:
    Store(folder).put("text", KEY, "a")
    assert os.name == "nt" or folder.stat().st_mode & 0o777 == 0o700
    assert (folder / ".gitignore").read_text("utf-8") == "*\n"
    assert (folder / "CACHEDIR.TAG").read_text("utf-8").startswith("Signature: 8a477f597d28d172789f06886806bc55\n")
    assert Store(folder).measure() == (1, find_entry(folder).stat().st_size)


def test_without_a_folder_nothing_is_stored() -> None:
    NO_STORE.put("text", KEY, "a")
    NO_STORE.prune()
    assert not NO_STORE.is_used
    assert NO_STORE.get("text", KEY, str) is None
    assert NO_STORE.compute("text", "a", str.upper) == "A"
    assert NO_STORE.compute("text", "a", str.title) == "A"
    assert NO_STORE.measure() == (0, 0)


def test_without_a_digest_of_the_libraries_nothing_is_stored(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(store_module, "digest_toolchain", lambda: None)
    assert Store(folder).folder is None


def test_without_a_folder_no_digest_is_computed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every command imports the store."""
    monkeypatch.setattr(store_module, "digest_toolchain", lambda: pytest.fail("it takes as long as the import"))
    assert Store().folder is None
    assert Store(is_warm=True).is_used


def test_options_come_before_the_environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(CACHE_DIR_VARIABLE, str(tmp_path / "environment"))
    assert choose_folder(tmp_path / "option") == tmp_path / "option"
    assert choose_folder(None) == tmp_path / "environment"
    assert choose_folder(tmp_path / "option", off=True) is None
    monkeypatch.setenv(CACHE_DIR_VARIABLE, "")
    assert choose_folder(None) is None
    monkeypatch.delenv(CACHE_DIR_VARIABLE)
    monkeypatch.setattr(store_module, "find_user_folder", lambda kind: tmp_path / kind)
    assert choose_folder(None) == tmp_path / "cache"
    monkeypatch.chdir(tmp_path)
    assert choose_folder(Path("relative")) == tmp_path / "relative"


# --- functions, and a process that stays -----------------------------------------------------------------------------
def _never(_: str) -> str:
    raise AssertionError("it is computed again")


@pytest.mark.parametrize("is_warm", [True, False])
def test_a_result_is_computed_once(folder: Path, is_warm: bool) -> None:
    store = Store(None if is_warm else folder, is_warm)
    assert store.compute("text", "x=1", lambda _: "x = 1") == "x = 1"
    assert store.compute("text", "x=1", _never) == "x = 1"
    assert is_warm or Store(folder).compute("text", "x=1", _never) == "x = 1"
    with pytest.raises(AssertionError):
        store.compute("text", "x=2", _never)
    with pytest.raises(AssertionError):
        store.compute("layout", "x=1", _never)


def test_what_cannot_be_computed_is_not_kept(folder: Path) -> None:
    def refuse(_: str) -> str:
        raise ValueError("not Python")

    for store in (Store(folder), Store(is_warm=True)):
        with pytest.raises(ValueError, match="not Python"):
            store.compute("text", "x=", refuse)
        assert store.compute("text", "x=", lambda _: "now") == "now"


def test_a_process_keeps_what_its_last_run_used(folder: Path) -> None:
    store, used, unused = Store(is_warm=True), object(), object()
    store.keep("roots", KEY, used)
    store.keep("roots", OTHER_KEY, unused)
    for _ in range(3):
        store.end_run()
        assert store.get("roots", KEY, object) is used
    assert store.get("roots", OTHER_KEY, object) is None
    cold = Store(folder)
    cold.keep("roots", KEY, used)
    assert cold.get("roots", KEY, object) is None


def test_a_process_that_stays_reads_an_entry_once(folder: Path) -> None:
    Store(folder).put("text", KEY, ["a"])
    store = Store(folder, is_warm=True)
    first = store.get("text", KEY, list)
    shutil.rmtree(folder)
    assert store.get("text", KEY, list) is first is not None


# --- keys ------------------------------------------------------------------------------------------------------------
def test_parts_are_told_apart() -> None:
    assert make_key("a", "b") == make_key("a", "b") != make_key("ab") != make_key("a", "", "b")
    assert make_key("1:a") != make_key("1", "a")
    assert make_key("\ud800") != make_key("\udfff")


def test_the_code_of_mcpgen_is_part_of_a_key(monkeypatch: pytest.MonkeyPatch) -> None:
    old = make_key("a")
    monkeypatch.setattr(store_module, "digest_toolchain", lambda: "another")
    assert make_key("a") != old


# --- damage ----------------------------------------------------------------------------------------------------------
def test_an_entry_with_any_byte_changed_or_missing_is_none(folder: Path) -> None:
    store = Store(folder)
    store.put("text", KEY, "one")
    entry = find_entry(folder)
    data = entry.read_bytes()
    damaged = [data[:at] + bytes([data[at] ^ 1]) + data[at + 1 :] for at in range(len(data))]
    for content in (*damaged, *(data[:end] for end in range(len(data))), data + b"."):
        entry.write_bytes(content)
        assert store.get("text", KEY, str) is None
    store.put("text", KEY, "two")
    assert store.get("text", KEY, str) == "two"


def test_an_entry_does_not_pass_for_another(folder: Path) -> None:
    store = Store(folder)
    store.put("text", KEY, "one")
    store.put("text", OTHER_KEY, "two")
    shutil.copy(find_entry(folder, OTHER_KEY), find_entry(folder))
    assert store.get("text", KEY, str) is None
    (folder / "v1-layout" / "cd").mkdir(parents=True)
    shutil.copy(find_entry(folder, OTHER_KEY), folder / "v1-layout" / "cd")
    assert store.get("layout", OTHER_KEY, str) is None
    assert store.get("text", OTHER_KEY, str) == "two"


def test_large_entries_are_not_kept(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(store_module, "MAX_ENTRY_SIZE", 200)
    store = Store(folder)
    store.put("text", KEY, "x" * 200)
    assert store.get("text", KEY, str) is None
    store.put("text", KEY, "x" * 100)
    assert store.get("text", KEY, str) == "x" * 100


@pytest.mark.ci
@pytest.mark.skipif(os.name == "nt", reason="Windows has no FIFOs")
@pytest.mark.parametrize("kind", ["fifo", "socket", "device", "folder", "link", "large"])
def test_only_regular_files_are_entries(folder: Path, kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Check that what is in an entry's place neither hangs nor fails a run; where it can be, it is replaced."""
    store, entry, right = Store(folder), find_entry(folder), folder / "right"
    store.put("text", KEY, "one")
    entry.rename(right)
    match kind:
        case "fifo":
            os.mkfifo(entry)
        case "socket":
            monkeypatch.chdir(entry.parent)
            with socket.socket(socket.AF_UNIX) as listener:
                listener.bind("s")
            os.rename("s", entry)
        case "device":
            entry.symlink_to("/dev/zero")
        case "folder":
            entry.mkdir()
        case "link":
            entry.symlink_to(right)
        case _:
            with open(entry, "wb") as file:
                file.truncate(2**40)  # a hole, which takes no room
    assert run_in_fork(lambda: print(Store(folder).get("text", KEY, str)), folder) == (0, "None\n")
    store.put("text", KEY, "two")
    assert store.get("text", KEY, str) == (None if kind == "folder" else "two")
    store.prune()
    assert kind != "link" or right.exists()


# --- folders that cannot be used -------------------------------------------------------------------------------------
@pytest.mark.skipif(os.name == "nt", reason="Windows has no modes")
@pytest.mark.parametrize("flaw", ["group may read", "all may write", "another user's", "a file"])
def test_a_folder_that_is_not_the_users_alone_is_not_used(folder: Path, flaw: str) -> None:
    if flaw.startswith("another") and os.geteuid() != 0:
        pytest.skip("takes root, to give a folder away")
    Store(folder).put("text", KEY, "planted")
    assert Store(folder).describe_problem() == ""
    if flaw.startswith("another"):
        os.chown(folder, 65534, -1)
    elif flaw == "a file":
        shutil.rmtree(folder)
        folder.write_text("in the way", "utf-8")
    else:
        folder.chmod(0o740 if flaw == "group may read" else 0o777)
    before = files(folder.parent)
    store = Store(folder)
    assert store.get("text", KEY, str) is None
    store.put("text", OTHER_KEY, "kept")
    if folder.is_dir():
        os.utime(find_entry(folder), (0, 0))
    store.prune()
    assert files(folder.parent) == before
    reasons = {"another user's": "belongs to another user", "a file": "is not a folder"}
    assert reasons.get(flaw, "is open to other users") in store.describe_problem()
    assert store.describe_flaw()
    assert store.describe_problem() == "", "once is enough"


def test_a_folder_that_somebody_made_in_the_meantime_is_not_used(folder: Path) -> None:
    store = Store(folder)
    assert store.get("text", KEY, str) is None
    folder.mkdir()
    folder.chmod(0o777)
    store.put("text", KEY, "one")
    assert not files(folder)


def test_after_some_failures_nothing_is_written_any_more(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    attempts: list[object] = []

    def fail(old: object, new: object) -> None:
        attempts.append(new)
        raise OSError("full")

    store = Store(folder)
    monkeypatch.setattr(os, "replace", fail)
    for number in range(10):
        store.put("text", f"{number:064}", "a")
    assert len(attempts) == MAX_FAILURES + 1
    assert not list(folder.rglob("*.tmp"))


# --- old entries -----------------------------------------------------------------------------------------------------
def test_old_entries_go_and_the_rest_keeps_within_its_bounds(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store = Store(folder)
    for number in range(8):
        store.put("text", f"{number:064}", "x" * 1000)
        when = time.time() - (40 * 86400 if number < 2 else 100 - number)
        os.utime(find_entry(folder, f"{number:064}"), (when, when))
    monkeypatch.setattr(store_module, "MAX_CACHE_SIZE", 4500)
    store.prune()
    left = [store.get("text", f"{number:064}", str) is not None for number in range(8)]
    assert left == [False] * 4 + [True] * 4
    store.put("text", "f" * 64, "x" * 9000)
    store.prune()
    assert store.get("text", "f" * 64, str) is not None, "once a day is enough"


def test_an_entry_that_is_used_stays(folder: Path) -> None:
    store = Store(folder)
    store.put("text", KEY, "one")
    os.utime(find_entry(folder), (0, 0))
    assert store.get("text", KEY, str) == "one"
    store.prune()
    assert store.get("text", KEY, str) == "one"


def test_only_entries_are_ever_deleted(folder: Path) -> None:
    """Check that the folder may be one that holds something else, too."""
    folder.mkdir(mode=0o700)
    store = Store(folder)
    store.put("text", KEY, "one")
    user_files = ["v1-text/notes.txt", "v1-mine/ab", f"v1-mine/{KEY}", "mine.txt"]
    for name in user_files:
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text("mine", "utf-8")
    for path in folder.rglob("*"):
        os.utime(path, (0, 0))
    store.prune()
    assert {name for name in files(folder) if not name.startswith("pruned")} == {*user_files}
