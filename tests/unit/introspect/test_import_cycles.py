"""Import cycles are found in the text of modules; tests/sdk compares them with what mypy says."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from mcpgen.introspect.import_cycles import PackageImport, find_package_import


@pytest.mark.parametrize("text", ["import cycle_gen", "from cycle_gen import A", "def f():\n  import cycle_gen.tools"])
def test_an_import_of_the_package_that_imports_the_module(
    text: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    out = tmp_path / "cycle_gen"
    out.mkdir()
    (tmp_path / "cycle_models.py").write_text(f"{text}\n", "utf-8")
    (out / "__init__.py").write_text("from .tools import *\n", "utf-8")
    (out / "tools.py").write_text("from cycle_models import A as _Own\n", "utf-8")
    expected = PackageImport("cycle_models", tmp_path / "cycle_models.py", text.count("\n") + 1)
    assert find_package_import("cycle_models", out, tmp_path) == expected
    assert "cycle_models" not in sys.modules
    (out / "tools.py").write_text("A = 1\n", "utf-8")
    assert find_package_import("cycle_models", out, tmp_path) is None


def test_what_cannot_be_read_has_no_imports(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for text in ("def (", "from ... import a\n", "import cycle_nowhere.deep\n"):
        (tmp_path / "cycle_faulty.py").write_text(text, "utf-8")
        assert find_package_import("cycle_faulty", tmp_path / "gen", tmp_path) is None
    assert find_package_import("cycle_nowhere", tmp_path / "gen", tmp_path) is None
