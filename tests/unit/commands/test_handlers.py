"""Modules of handlers: where they go, and what they import."""

from __future__ import annotations

from pathlib import Path

from mcpgen.commands.handlers import HandlersFile, HandlersRequest, create_handlers, plan_handlers
from mcpgen.diagnostics import Findings
from support.definitions import PRICE, configure_package
from support.packages import tool

TOOLS = [tool("buy", PRICE), tool("sell", PRICE)]


def plan(folder: Path, *tools: str, sdk: str = "mcp") -> tuple[HandlersFile | None, list[str], list[str]]:
    findings = Findings()
    package = configure_package(folder, TOOLS, sdk=sdk)
    file, known_tools = plan_handlers(package, HandlersRequest(tools), findings)
    return file, [*known_tools], [finding.code for finding in findings]


def test_they_are_beside_the_package(tmp_path: Path) -> None:
    file, known_tools, codes = plan(tmp_path)
    assert file is not None
    assert (file.path, known_tools, codes) == (tmp_path / "handlers.py", ["buy", "sell"], [])
    assert "from generated.server import Tools" in file.text


def test_a_module_inside_a_package_imports_relatively(tmp_path: Path) -> None:
    (tmp_path / "__init__.py").write_text("")
    file, _, _ = plan(tmp_path)
    assert file is not None
    assert "from .generated.server import Tools" in file.text


def test_only_the_named_tools(tmp_path: Path) -> None:
    file, known_tools, _ = plan(tmp_path, "sell")
    assert file is not None
    assert "async def sell" in file.text
    assert "async def buy" not in file.text
    assert plan(tmp_path, "rent") == (None, known_tools, [])


def test_a_package_for_no_sdk_has_none(tmp_path: Path) -> None:
    assert plan(tmp_path, sdk="none") == (None, [], ["MG302"])


def test_no_file_is_overwritten(tmp_path: Path) -> None:
    new, old = HandlersFile(tmp_path / "new.py", "1\n"), HandlersFile(tmp_path / "old.py", "2\n")
    old.path.write_text("mine\n")
    findings = Findings()
    assert not create_handlers([new, old], findings)
    assert [finding.code for finding in findings] == ["MG303"]
    assert (new.path.exists(), old.path.read_text()) == (False, "mine\n")
    assert create_handlers([new], Findings())
    assert new.path.read_text() == "1\n"
