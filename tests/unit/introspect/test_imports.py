"""Servers of the project that fail when they start."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from mcpgen.introspect.errors import IntrospectionError
from mcpgen.introspect.in_process import locate_failure, open_server
from mcpgen.introspect.returned_classes import PackageImport, find_package_import
from mcpgen.introspect.server_address import InProcess
from support.packages import package, tool


# --- import cycles are found in the text of modules; tests/sdk compares them with what mypy says ----------------------
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


# --- the line of the user's code at which an import fails -------------------------------------------------------------
@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("a = 1\nb = undefined_name\n", 2),
        ("import json\n\n\njson.loads('{')\n", 4),
        ("def f():\n    raise SystemExit(3)\n\n\nf()\n", 2),
        ("import sys\n\n\nsys.modules['{package}'].nothing\n", 4),
    ],
)
def test_the_users_last_line_is_named(
    text: str, line: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest
) -> None:
    """Also if a library or a generated package, in the same folder, raises the exception."""
    monkeypatch.chdir(tmp_path)
    generated = package(tmp_path, [tool("a")])
    module = f"failing_lines_{request.node.callspec.indices['text']}"
    (tmp_path / f"{module}.py").write_text(text.replace("{package}", generated.__name__))
    with pytest.raises(IntrospectionError) as caught, open_server(InProcess(module, "server"), {}):
        pass
    assert caught.value.message.startswith(f'the module "{module}" cannot be imported: ')
    assert caught.value.message.endswith(f" (at {module}.py:{line})")


def test_a_factory_that_fails_is_located(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "failing_factory.py").write_text("def make():\n    return 1 / 0\n")
    with pytest.raises(IntrospectionError) as caught, open_server(InProcess("failing_factory", "make"), {}):
        pass
    assert caught.value.message.endswith(" (at failing_factory.py:2)")


def test_code_outside_of_the_working_folder_is_not_the_users(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(ValueError, match="mine") as caught:
        raise ValueError("mine")
    monkeypatch.chdir(Path(__file__).parent)
    assert locate_failure(caught.value).startswith("test_imports.py:")
    monkeypatch.chdir(tmp_path)
    assert locate_failure(caught.value) == ""
