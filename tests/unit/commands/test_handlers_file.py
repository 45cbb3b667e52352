"""The server that `mcpgen init --handlers` prints compiles for each SDK, and imports what the SDK has."""

from __future__ import annotations

import ast
import importlib
from pathlib import Path

import pytest
from mcpgen.commands.handlers_file import SDKS_OF_HANDLERS, write_server_lines
from mcpgen.targets import NO_SDK, get_sdk


def test_packages_without_an_sdk_have_no_server() -> None:
    assert NO_SDK not in SDKS_OF_HANDLERS


@pytest.mark.parametrize("name", SDKS_OF_HANDLERS)
def test_the_lines_are_a_program(name: str, tmp_path: Path) -> None:
    lines = write_server_lines(name, tmp_path / "src" / "generated")
    assert [line for line in lines if line.startswith(("from", "import"))] == lines[: len(lines) - 3]
    tree = ast.parse("\n".join(lines))
    last = tree.body[-1]
    assert isinstance(last, ast.Expr)
    assert isinstance(last.value, ast.Call)


@pytest.mark.parametrize("name", SDKS_OF_HANDLERS)
def test_the_class_of_the_server_exists(name: str) -> None:
    sdk = get_sdk(name)
    assert sdk is not None
    try:
        module = importlib.import_module(sdk.server_module)
    except ImportError:
        pytest.skip("the SDK is not installed here")
    server = getattr(module, sdk.server_class)
    assert callable(getattr(server, sdk.run_coroutine or "run"))
