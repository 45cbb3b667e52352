"""A class that the settings name is in an import cycle with the package where mypy no longer checks its handler."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from mcpgen.introspect.returned_classes import find_package_import
from sdk.exchange import SDK
from support.packages import mcpgen

pytestmark = [
    pytest.mark.ci,
    pytest.mark.skipif(SDK != "mcp", reason="one SDK is enough for what modules import"),
]

CASES = {
    "nothing": ({}, None),
    "class_of_the_package": ({"models": "from NAME.gen import OtherResult as R"}, ("models", 10)),
    "whole_package": ({"models": "import NAME.gen"}, ("models", 10)),
    "relative": ({"models": "from . import gen"}, ("models", 10)),
    "for_checkers": ({"models": "if TYPE_CHECKING:\n    from NAME.gen import OtherResult as R"}, ("models", 11)),
    "in_a_function": ({"models": "def f() -> None:\n    from NAME.gen import OtherResult as R"}, ("models", 11)),
    "through_another": (
        {"models": "from NAME.helper import X as Y", "helper": "from NAME.gen import OtherResult\nX = OtherResult"},
        ("helper", 1),
    ),
    "module_of_another_tool": ({"models": "from NAME.gen.tools.other import OtherResult as R"}, None),
    "library": ({"models": "from mcpgen_runtime.errors import ResultError as R"}, None),
    "where_it_is_bound": ({"models": "from NAME.bound import tools as bound"}, ("bound", 2)),
}
MODELS = """
from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING


@dataclass
class Order:
    id: str
"""
BOUND = "from mcp.server.mcpserver import MCPServer\nfrom NAME import gen\ntools = gen.bind(MCPServer('a'))\n"
HANDLER = """
from NAME.bound import tools
from NAME.models import Order


@tools.order
def order() -> Order:
    return Order("a")
"""


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project with a package of Python for each case."""
    folder = tmp_path_factory.mktemp("cycles")
    schema = {"type": "object", "properties": {"id": {"type": "string"}}, "required": ["id"]}
    tools = [{"name": name, "inputSchema": {"type": "object"}, "outputSchema": schema} for name in ("order", "other")]
    (folder / "tools.json").write_text(json.dumps({"tools": tools}), "utf-8")
    settings = [f'schemas = ["tools.json"]\nsdk = "{SDK}"\n']
    for name, (added, _) in CASES.items():
        own = {"__init__": "", "models": MODELS.lstrip(), "bound": BOUND, "handler": HANDLER}
        (folder / name).mkdir()
        for module in own | added:
            text = own.get(module, "") + added.get(module, "") + "\n"
            (folder / name / f"{module}.py").write_text(text.replace("NAME", name), "utf-8")
        settings.append(f'[[package]]\nout = "{name}/gen"\n[package.tools.order]\nreturns = "{name}.models:Order"\n')
    (folder / "mcpgen.toml").write_text("\n".join(settings), "utf-8")
    run = mcpgen("build", cwd=folder)
    assert run.returncode == 0, run.stderr
    return folder


def test_mypy_agrees(project: Path) -> None:
    modules = [f"{name}/handler.py" for name in CASES]
    command = [sys.executable, "-m", "mypy", "--strict", "--follow-imports", "silent", *modules]
    said = subprocess.run(command, cwd=project, capture_output=True, text=True).stdout
    unchecked = {line.partition("/")[0] for line in said.splitlines() if "Untyped decorator" in line}
    order_decides = {"in_a_function"}  # the order in which mypy checks the modules, which other imports change
    assert unchecked - order_decides == {name for name, (_, place) in CASES.items() if place} - order_decides, said


@pytest.mark.parametrize("name", CASES)
def test_the_import_is_found(project: Path, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(project)
    expected = CASES[name][1]
    cause = find_package_import(f"{name}.models", project / name / "gen", project)
    found = None if cause is None else (cause.module.partition(".")[2], cause.line)
    assert found == expected
    assert cause is None or cause.file == project / name / f"{expected and expected[0]}.py"
    assert f"{name}.models" not in sys.modules
