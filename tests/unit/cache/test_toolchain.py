"""What mcpgen's output depends on besides its input."""

from __future__ import annotations

import sys
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path

import mcpgen
import mcpgen_runtime
import pytest
from mcpgen.cache import toolchain
from mcpgen.cache.toolchain import digest_toolchain

LIBRARIES = {"a": "one", "b.c": "two"}
CHANGES: dict[str, Callable[[Path], object]] = {
    "code": lambda folder: (folder / "code" / "a.py").write_text("a = 2", "utf-8"),
    "a file more": lambda folder: (folder / "code" / "inner" / "b.j2").write_text("", "utf-8"),
    "a file is gone": lambda folder: (folder / "code" / "inner" / "a.json").unlink(),
    "another name": lambda folder: (folder / "code" / "a.py").rename(folder / "code" / "b.py"),
    "a version": lambda folder: (folder / "site" / "one-1.dist-info").rename(folder / "site" / "one-2.dist-info"),
    "a record": lambda folder: (folder / "site" / "one-1.dist-info" / "RECORD").write_text("a.py,sha256=2,", "utf-8"),
    "a library without a record": lambda folder: (folder / "site" / "b" / "c" / "d.py").write_text("d = 2", "utf-8"),
}
"""What changes the digest."""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a folder with code, and with libraries: one with a record of its files, one without."""
    for name in ("code/a.py", "code/inner/a.json", "site/one-1.dist-info/RECORD", "site/two-1.dist-info/METADATA"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(name, "utf-8")
    (tmp_path / "site" / "b" / "c").mkdir(parents=True)
    (tmp_path / "site" / "b" / "c" / "d.py").write_text("d = 1", "utf-8")

    def find_metadata(module: str, distribution: str) -> list[Path]:
        return sorted((tmp_path / "site").glob(f"{distribution}-*.dist-info"))

    monkeypatch.setattr(toolchain, "_TOOL_DISTRIBUTIONS", LIBRARIES)
    monkeypatch.setattr(toolchain, "_find_metadata", find_metadata)
    monkeypatch.setattr(toolchain, "_list_roots", lambda: (tmp_path / "code",))
    return tmp_path


@pytest.mark.parametrize("name", CHANGES)
def test_the_digest_follows_every_file_and_every_version(folder: Path, name: str) -> None:
    before = digest_toolchain.__wrapped__()
    assert before is not None
    assert digest_toolchain.__wrapped__() == before
    CHANGES[name](folder)
    assert digest_toolchain.__wrapped__() not in (before, None)


def test_compiled_modules_do_not_count(folder: Path) -> None:
    before = digest_toolchain.__wrapped__()
    (folder / "code" / "__pycache__").mkdir()
    (folder / "code" / "__pycache__" / "a.pyc").write_bytes(b"")
    (folder / "code" / "old.pyo").write_bytes(b"")
    assert digest_toolchain.__wrapped__() == before


def test_environments_with_the_same_libraries_have_the_same_digest(folder: Path) -> None:
    """Scripts contain the path of their environment, and installers write different notes."""
    record = folder / "site" / "one-1.dist-info" / "RECORD"
    record.write_text("a.py,sha256=1,3\na.dist-info/RECORD,,\n../../bin/a,sha256=2,9\n__pycache__/a.pyc,,\n", "utf-8")
    before = digest_toolchain.__wrapped__()
    record.write_text("../../bin/a,sha256=3,9\na.py,sha256=1,3\na.dist-info/INSTALLER,sha256=4,2\n", "utf-8")
    assert digest_toolchain.__wrapped__() == before


def test_without_a_library_there_is_none(monkeypatch: pytest.MonkeyPatch) -> None:
    digest = digest_toolchain()
    assert digest is not None
    assert len(digest) == 64
    monkeypatch.setattr(toolchain, "_TOOL_DISTRIBUTIONS", {"no_such_library": "no_such_library"})
    assert digest_toolchain.__wrapped__() is None


def test_all_code_templates_schemas_and_libraries_count() -> None:
    code = Path(mcpgen.__file__).parent
    top = code.parent.parent
    library = Path(mcpgen_runtime.__file__).parent
    roots = {path.resolve() for path in toolchain._list_roots()}
    assert {code, top / "templates", top / "schemas" / "mcp", library} == roots
    for module, distribution in toolchain._TOOL_DISTRIBUTIONS.items():
        metadata = toolchain._find_metadata(module, distribution)
        assert [path.name for path in metadata] == [f"{distribution}-{version(distribution)}.dist-info"]


def test_what_is_left_of_an_older_version_hides_no_newer_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "some_library").mkdir()
    (tmp_path / "some_library" / "__init__.py").touch()
    for name in ("some_library-1.dist-info", "Some.Library-2.dist-info", "other-1.dist-info"):
        (tmp_path / name).mkdir()
    monkeypatch.syspath_prepend(tmp_path)
    found = toolchain._find_metadata("some_library", "some_library")
    assert {path.name for path in found} == {"some_library-1.dist-info", "Some.Library-2.dist-info"}


@pytest.mark.parametrize("name", ["version", "platform"])
def test_python_counts(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    before = digest_toolchain.__wrapped__()
    monkeypatch.setattr(sys, name, "another")
    assert digest_toolchain.__wrapped__() not in (before, None)
