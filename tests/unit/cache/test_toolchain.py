"""What mcpgen's output depends on besides its input."""

from __future__ import annotations

import os
from importlib.metadata import version
from pathlib import Path

import mcpgen
import pytest
from mcpgen.cache import toolchain
from mcpgen.cache.toolchain import digest_toolchain, list_toolchain_paths


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
