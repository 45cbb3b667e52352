"""Private attributes of SDKs are used in one module per SDK, and listed here."""

from __future__ import annotations

import ast
import importlib
import re
from collections.abc import Iterator
from importlib import metadata
from pathlib import Path
from typing import Any

import pytest
from mcpgen import paths, targets
from sdk import exchange, installed
from support.packages import package, tool

LIBRARY = paths.find_library_file("")
PRIVATE_NAMES = {
    "mcp_internals.py": {
        "_dispatcher",
        "_drive_input_required",
        "_experimental_handlers",
        "_message_handler",
        "_resource_security",
        "_session_read_timeout_seconds",
        "_stamp",
        "_task_group",
    },
    "sdk/fastmcp/internals.py": {"_components", "_extensions", "_mcp_server", "_run_body"},
    "sdk/fastmcp3/internals.py": {"_mcp_server"},
    "sdk/mcp/internals.py": {"_lowlevel_server", "_subscriptions", "_tool_manager", "_tools"},
    "sdk/mcp1/internals.py": {"_mcp_server", "_tool_manager", "_tools"},
}
"""The private attributes of each SDK that the library uses."""
NOT_NEEDED = {"_experimental_handlers", "_resource_security"}
"""Those that not every server has: mcp 1.22 has no tasks, and low-level servers have no rules for paths."""
PRIVATE = re.compile(r"_[a-z]\w*")


def _find_defined(tree: ast.AST) -> Iterator[str]:
    """Yield the names of functions and classes, and what is assigned to, attributes of other objects apart."""
    for node in ast.walk(tree):
        match node:
            case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
                yield node.name
            case ast.Attribute(value=ast.Name(id="self"), ctx=ast.Store()):
                yield node.attr
            case ast.Name(ctx=ast.Store()):
                yield node.id
            case _:
                pass


def _list_own_names() -> set[str]:
    """Return the names that the modules for all SDKs define."""
    trees = [ast.parse(path.read_text("utf-8")) for path in LIBRARY.glob("*.py") if path.name != "mcp_internals.py"]
    return {name for tree in trees for name in _find_defined(tree)}


def _find_used(tree: ast.AST) -> Iterator[str]:
    """Yield private attributes that a module uses, and private names in strings that it may look up."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and PRIVATE.fullmatch(node.attr):
            yield node.attr
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and PRIVATE.fullmatch(node.value):
            yield node.value


def test_private_names_of_sdks_are_used_in_one_module_each() -> None:
    others = {"_meta", "_replace", "_bound_tools", "_fields", "_mcpgen_doubled", "_attributes", "_getframe"}
    own_names = _list_own_names() | others
    actual = dict[str, set[str]]()
    for path in LIBRARY.rglob("*.py"):
        tree = ast.parse(path.read_text("utf-8"))
        if used := {*_find_used(tree)} - own_names - {*_find_defined(tree)}:
            actual[path.relative_to(LIBRARY).as_posix()] = used
    assert actual == PRIVATE_NAMES


def test_private_names_are_read_behind_a_check_of_the_version() -> None:
    for module, names in PRIVATE_NAMES.items():
        text = (LIBRARY / module).read_text("utf-8")
        constants = dict(re.findall(r'(?m)^(_[A-Z]+) = "(_\w+)"', text))
        read = re.findall(r"\.read_private\([^,]+, (\S+?)\)", text)
        assert {constants.get(name, name.strip('"')) for name in read} == names - NOT_NEEDED, module
        assert re.search(r"(?s)^\"\"\".*Tested with (mcp|fastmcp) [\d.]+ .*WrongSdk", text), module


@pytest.mark.skipif(
    exchange.SDK not in ("mcp", "mcp1", "fastmcp", "fastmcp3"), reason="no SDK with private names is installed here"
)
def test_the_installed_version_has_the_private_names(tmp_path: Path) -> None:
    generated = package(tmp_path, [tool("say")], "--sdk", str(exchange.SDK))
    internals = importlib.import_module(f"mcpgen_runtime.sdk.{exchange.SDK}.internals")
    server = exchange.server()
    assert hasattr(internals.get_lowlevel_server(server), "create_initialization_options")
    generated.bind(server).say(lambda **_: "a")
    if hasattr(internals, "get_tools"):
        assert set(internals.get_tools(server)) == {"say"}


# --- another version -------------------------------------------------------------------------------------------------
@pytest.fixture
def versions(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Return the module that checks versions, where the versions that it finds are those of a dictionary."""
    module = importlib.import_module("mcpgen_runtime.sdk")
    actual: dict[str, str] = {}

    def look_up(name: str) -> str:
        try:
            return actual[name]
        except KeyError:
            raise metadata.PackageNotFoundError(name) from None

    monkeypatch.setattr(metadata, "version", look_up)
    vars(module)["found"] = actual
    return module


@pytest.mark.parametrize("row", targets.SDKS, ids=lambda row: row.name)
def test_an_unsupported_version_is_told_with_the_range(versions: Any, row: targets.Sdk) -> None:
    name = row.distributions[-1]
    requirement = versions.SdkRequirement(row.name, (name, *row.installed_as), row.oldest, row.below)
    below = f"{int(row.oldest.split('.')[0]) - 1}.99.1"
    states = [(below, f"{name} {below} is installed"), (f"{row.below}.0.0", f"{name} {row.below}.0.0 is installed")]
    for installed_version, state in [*states, ("", f"{name} is not installed")]:
        versions.found.clear()
        if installed_version:
            versions.found[name] = installed_version
        with pytest.raises(ImportError) as raised:
            requirement.check_version()
        assert str(raised.value) == (
            f'this package was generated for sdk = "{row.name}", which needs {requirement}, and {state}: '
            f"pip install '{requirement}', or set sdk to the SDK that you use and run mcpgen build"
        )
    for installed_version in (row.oldest, f"{row.oldest}.3", f"{row.oldest}.3rc1"):
        versions.found[name] = installed_version
        requirement.check_version()
    for other in row.installed_as:
        versions.found.clear()
        versions.found[other] = row.oldest
        requirement.check_version()


def test_a_private_name_that_is_not_there_is_told_with_the_range(versions: Any) -> None:
    versions.found["mcp"] = "2.9"
    requirement = versions.SdkRequirement("mcp", ("mcp",), "2.1", "3")
    assert requirement.read_private(versions, "_parse") is versions._parse
    with pytest.raises(versions.WrongSdk) as raised:
        requirement.read_private(object(), "_gone")
    assert str(raised.value) == (
        "object of mcp 2.9 has no _gone, which mcpgen-runtime reads: install another version of mcp "
        "(mcpgen-runtime was tested with mcp>=2.1,<3), or a newer mcpgen-runtime"
    )


@pytest.mark.parametrize("row", targets.SDKS, ids=lambda row: row.name)
def test_the_library_needs_what_the_targets_say(row: targets.Sdk) -> None:
    text = (LIBRARY / "sdk" / row.name / "__init__.py").read_text("utf-8")
    (call,) = (node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Call) and node.keywords)
    actual = {keyword.arg: ast.literal_eval(keyword.value) for keyword in call.keywords}
    distributions = (row.distributions[-1], *row.installed_as)
    assert actual == {"sdk": row.name, "distributions": distributions, "oldest": row.oldest, "below": row.below}


def test_the_rows_of_tests_agree_with_the_targets() -> None:
    assert {row.name for row in installed.ROWS} == {row.name for row in targets.SDKS}
