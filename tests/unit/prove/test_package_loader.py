"""Import of generated packages."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest
from mcpgen.prove.package_loader import PackageNotImportable, load_package


def write_package(folder: Path, text: str) -> Path:
    folder.mkdir()
    (folder / "__init__.py").write_text(text)
    (folder / "part.py").write_text("VALUE = 5\n")
    return folder


def test_a_package_is_imported_once(tmp_path: Path) -> None:
    out = write_package(tmp_path / "out", "from .part import VALUE\nTOOLS = {}\n")
    package = load_package(out)
    assert package.VALUE == 5
    assert load_package(Path(os.path.relpath(out))) is package


def test_packages_of_one_name_are_different(tmp_path: Path) -> None:
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        write_package(tmp_path / name / "out", f"TOOLS = {{{name!r}: 1}}\n")
    packages = [load_package(tmp_path / name / "out") for name in ("a", "b")]
    assert [list(package.TOOLS) for package in packages] == [["a"], ["b"]]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("raise ValueError('oh no')", "it cannot be imported: ValueError: oh no"),
        ("from . import nothing", "it cannot be imported: ImportError"),
        ("", "it cannot be imported: AttributeError"),
    ],
)
def test_broken_packages_leave_nothing_behind(tmp_path: Path, text: str, message: str) -> None:
    out = write_package(tmp_path / "out", text)
    before = set(sys.modules)
    with pytest.raises(PackageNotImportable, match=message):
        load_package(out)
    assert not [name for name in set(sys.modules) - before if name.startswith("_mcpgen_package")]


def test_a_folder_without_a_package(tmp_path: Path) -> None:
    with pytest.raises(PackageNotImportable, match="there is no generated package"):
        load_package(tmp_path)
