"""The layout that ARCHITECTURE.md promises: small files, few modules at the top, a unit test of each module."""

from __future__ import annotations

import ast
import re
from collections.abc import Sequence
from pathlib import Path

import pytest
from mcpgen import paths
from mcpgen.ir.package import Package
from mcpgen.render.jobs import Job
from mcpgen.render.runtime_package import make_shared_runtime_jobs
from mcpgen.targets import SDK_NAMES
from support.repository import ROOT

CODE = ROOT / "codegen" / "mcpgen"
TEMPLATES = paths.find_shipped_folder("templates")
MOST_LINES = 400
MOST_TOP_MODULES = 15
MOST_CLASS_LINES = 150
"""Lines of code in a class, docstrings and comments apart."""
UNTESTED_LINES = 20
"""Modules up to this length need no unit test of their own."""


def list_modules() -> list[Path]:
    return sorted(path for path in CODE.rglob("*.py") if path.name != "__init__.py")


def count_lines(path: Path) -> int:
    return len(path.read_text("utf-8").splitlines())


def test_no_file_is_long() -> None:
    files = [*CODE.rglob("*.py"), *TEMPLATES.rglob("*.py"), *TEMPLATES.rglob("*.j2")]
    assert len(files) > 300
    assert {path.relative_to(ROOT).as_posix() for path in files if count_lines(path) > MOST_LINES} == set()


def count_code_lines(cls: ast.ClassDef, lines: Sequence[str]) -> int:
    """Return how many lines of a class are neither blank nor a comment nor part of a docstring."""
    texts = [
        node.value
        for node in ast.walk(cls)
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)
    ]
    prose = {number for text in texts for number in range(text.lineno, (text.end_lineno or text.lineno) + 1)}
    numbers = range(cls.lineno, (cls.end_lineno or cls.lineno) + 1)
    return sum(number not in prose and bool(lines[number - 1].partition("#")[0].strip()) for number in numbers)


def test_lines_of_code_are_counted() -> None:
    text = 'class A:\n    """Text."""\n\n    # comment\n    b: int = 1  # comment\n    """Of\n    b."""\n'
    (cls,) = ast.parse(text).body
    assert isinstance(cls, ast.ClassDef)
    assert count_code_lines(cls, text.splitlines()) == 2


def test_no_class_is_long() -> None:
    long: set[str] = set()
    count = 0
    for path in (*CODE.rglob("*.py"), *TEMPLATES.rglob("*.py"), *(ROOT / "tests" / "support").rglob("*.py")):
        text = path.read_text("utf-8")
        classes = [node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.ClassDef)]
        count += len(classes)
        long |= {
            f"{path.relative_to(ROOT).as_posix()}: {cls.name}"
            for cls in classes
            if count_code_lines(cls, text.splitlines()) > MOST_CLASS_LINES
        }
    assert count > 500
    assert long == set()


def test_few_modules_are_at_the_top() -> None:
    assert len([*CODE.glob("*.py")]) <= MOST_TOP_MODULES


def list_imports(path: Path) -> set[str]:
    """Return the names that a file imports, with their modules, and the modules themselves."""
    names: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.module:
            names |= {node.module, *(f"{node.module}.{alias.name}" for alias in node.names)}
        elif isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
    return names


@pytest.fixture(scope="module")
def imported() -> set[str]:
    return set[str]().union(*(list_imports(path) for path in (ROOT / "tests" / "unit").rglob("test_*.py")))


def test_each_module_has_a_unit_test(imported: set[str]) -> None:
    modules = [path for path in list_modules() if count_lines(path) > UNTESTED_LINES]
    names = {".".join(("mcpgen", *path.relative_to(CODE).with_suffix("").parts)) for path in modules}
    assert names - imported == set()


def test_each_module_describes_itself() -> None:
    for path in CODE.rglob("*.py"):
        assert ast.get_docstring(ast.parse(path.read_text("utf-8"))), path


# --- ARCHITECTURE.md -------------------------------------------------------------------------------------------------
ARCHITECTURE = (ROOT / "ARCHITECTURE.md").read_text("utf-8")


def test_the_map_is_short() -> None:
    assert len(ARCHITECTURE.splitlines()) <= 150


def test_the_map_names_each_package() -> None:
    layers = set(re.findall(r"^(\w+)/? +\S", ARCHITECTURE.split("```")[1], re.MULTILINE))
    packages = {path.parent.name for path in CODE.glob("*/__init__.py")}
    modules = {path.stem for path in CODE.glob("*.py") if not path.stem.startswith("__")}
    assert layers == packages | modules


@pytest.mark.parametrize("sdk", SDK_NAMES)
def test_the_map_names_each_run_time_module(sdk: str) -> None:
    def make_protocol_job() -> Job:
        return Job("runtime/protocol.py", "protocol.j2", "")

    jobs = make_shared_runtime_jobs(Package((), (), (), sdk, None, runtime="acme.runtime"), make_protocol_job)
    assert {path for path in jobs if f"`{path.removesuffix('.py')}`" not in ARCHITECTURE} == {
        "__init__.py",
        "interface.py",
    }
