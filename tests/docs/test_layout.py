"""The layout that ARCHITECTURE.md promises: few modules at the top, and a map that names each package."""

from __future__ import annotations

import ast
import re

from support.repository import ROOT

CODE = ROOT / "codegen" / "mcpgen"
MOST_TOP_MODULES = 15
MOST_STEPS = 15


def test_few_modules_are_at_the_top() -> None:
    assert len([*CODE.glob("*.py")]) <= MOST_TOP_MODULES


def test_each_module_describes_itself() -> None:
    for path in CODE.rglob("*.py"):
        assert ast.get_docstring(ast.parse(path.read_text("utf-8"))), path


# --- ARCHITECTURE.md -------------------------------------------------------------------------------------------------
ARCHITECTURE = (ROOT / "ARCHITECTURE.md").read_text("utf-8")


def test_the_map_is_short() -> None:
    assert len(ARCHITECTURE.splitlines()) <= 180


def test_the_map_names_modules_that_exist() -> None:
    library = ROOT / "runtime" / "src" / "mcpgen_runtime"
    roots = (ROOT, CODE, library, library / "sdk")
    names = {name for name in re.findall(r"`([\w/]+/\w*|[\w/]+\.py)`", ARCHITECTURE) if "NAME" not in name}
    assert [
        name
        for name in sorted(names)
        if not any((root / name).exists() or (root / f"{name}.py").exists() for root in roots)
    ] == []


def test_each_flow_has_few_steps() -> None:
    steps = [int(number) for number in re.findall(r"^(\d+)\. ", ARCHITECTURE, re.MULTILINE)]
    assert steps.count(1) == 3
    assert max(steps) <= MOST_STEPS


def test_the_map_names_each_package() -> None:
    layers = set(re.findall(r"^(\w+)/? +\S", ARCHITECTURE.split("```")[1], re.MULTILINE))
    packages = {path.parent.name for path in CODE.glob("*/__init__.py")}
    modules = {path.stem for path in CODE.glob("*.py") if not path.stem.startswith("__")}
    assert layers == packages | modules


def test_the_map_names_each_module_of_the_library() -> None:
    library = ROOT / "runtime" / "src" / "mcpgen_runtime"
    names = {path.stem for path in library.glob("*.py")} | {
        f"{path.parent.name}/" for path in library.glob("*/__init__.py")
    }
    assert {name for name in names if f"`{name}`" not in ARCHITECTURE} == {"__init__"}


def test_the_map_names_no_other_module_of_the_library() -> None:
    rows = ARCHITECTURE.partition("| what | modules of the library |")[2].partition("\n\n")[0]
    library = ROOT / "runtime" / "src" / "mcpgen_runtime"
    names = re.findall(r"`([\w/]+)`", rows)
    assert len(names) == len(set(names))
    assert [name for name in names if not (library / (name if "/" in name else f"{name}.py")).exists()] == []
