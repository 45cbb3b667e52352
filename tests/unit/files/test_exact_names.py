"""Names of files in another case, on systems that find them all the same."""

from __future__ import annotations

from pathlib import Path

import pytest
from mcpgen.files import project_paths
from mcpgen.files.project_paths import find_other_case, is_spelled_exactly


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "tools/Shared").mkdir(parents=True)
    (tmp_path / "tools/Shared/common.json").write_text("{}", "utf-8")
    (tmp_path / "other.json").write_text("{}", "utf-8")
    monkeypatch.setattr(project_paths, "IGNORES_CASE", True)
    return tmp_path / "tools"


@pytest.mark.parametrize(
    ("relative", "exact"),
    [
        ("Shared/common.json", True),
        ("./Shared/./common.json", True),
        ("../tools/Shared/common.json", True),
        ("../other.json", True),
        ("Shared/Common.json", False),
        ("shared/common.json", False),
        ("../Tools/Shared/common.json", False),
        ("../OTHER.json", False),
        ("", True),
    ],
)
def test_each_name_of_a_path_counts(relative: str, exact: bool, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert is_spelled_exactly(folder, relative) == exact
    monkeypatch.setattr(project_paths, "IGNORES_CASE", False)  # the file system itself tells
    assert is_spelled_exactly(folder, relative)


@pytest.mark.parametrize(
    ("relative", "found"),
    [
        ("Shared/Common.json", "Shared/common.json"),
        ("../Other.json", "../other.json"),
        ("Shared/common.json", ""),
        ("Shared/comon.json", ""),
        ("missing/common.json", ""),
    ],
)
def test_the_name_on_the_disk_is_proposed(relative: str, found: str, folder: Path) -> None:
    assert find_other_case(folder, relative) == found
