"""The layout that ARCHITECTURE.md promises: few modules at the top, and a map that names each package."""

from __future__ import annotations

import ast
import re

import pytest
from mcpgen.ir.package import Package
from mcpgen.render.jobs import Job
from mcpgen.render.runtime_package import make_shared_runtime_jobs
from mcpgen.targets import SDK_NAMES
from support.repository import ROOT

CODE = ROOT / "codegen" / "mcpgen"
MOST_TOP_MODULES = 15


def test_few_modules_are_at_the_top() -> None:
    assert len([*CODE.glob("*.py")]) <= MOST_TOP_MODULES


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
