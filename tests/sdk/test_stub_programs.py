"""Programs that were written with only stubs at hand, against the example's real server over stdio and HTTP.

What they return is compared with what they return over functions that know nothing of mcpgen and answer with the
server's JSON values.
"""

from __future__ import annotations

import asyncio
import importlib
import importlib.util
import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from sdk import connections, harbour, wire
from sdk.served import SDK, Served, arguments_of
from support.packages import get_package

pytestmark = [pytest.mark.skipif(SDK is None, reason="no MCP SDK is installed here"), pytest.mark.ci]
PROGRAMS = Path(__file__).with_name("programs")
NAMES = sorted(path.stem for path in PROGRAMS.glob("*.py"))


class AnswerFunctions(ModuleType):
    """Functions that answer with the JSON values of the example's handlers."""

    def __init__(self, functions: dict[str, Any]) -> None:
        super().__init__("harbour.stubs")
        for function, value in functions.items():
            setattr(self, function, _make_function(value))


def _make_function(value: Any) -> Any:
    async def answer(**arguments: Any) -> Any:
        json.dumps(arguments)
        return value

    return answer


def answers(package: Any) -> dict[str, Any]:
    """Return the JSON value that each function has to return, by its name."""
    values: dict[str, Any] = {}
    for name, attribute in get_package(package).tool_attributes.items():
        has_schema = "outputSchema" in package.TOOLS[name]
        values[attribute] = harbour.VALUES[name]["valid"][0] if has_schema else harbour.DONE
    return values


def run_program(name: str) -> Any:
    spec = importlib.util.spec_from_file_location(name, PROGRAMS / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.main()


@pytest.fixture
def version(monkeypatch: pytest.MonkeyPatch) -> str:
    """The newest protocol version that the SDK speaks, and whose results are structured."""
    newest = max(wire.versions(SDK))
    connections.ask_for(monkeypatch, newest)
    return str(newest)


async def _call(served: Served, transport: str, version: str, use: Any) -> Any:
    target: Any = served.url if transport == "http" else wire.command(SDK, served.folder, "stdio")
    async with connections.open_own(target, version) as (client, session):
        await session.call_tool("turn_to", {"turn": 0})
        connected = await importlib.import_module("harbour.client").connect(client)
        with importlib.import_module("harbour.stubs").use_client(connected):
            return await use()


@pytest.mark.parametrize("transport", ["stdio", "http"])
@pytest.mark.parametrize("name", NAMES)
def test_a_program_computes_the_same_over_the_server(served: Served, name: str, transport: str, version: str) -> None:
    stubs = importlib.import_module("harbour.stubs")
    try:
        sys.modules["harbour.stubs"] = AnswerFunctions(answers(served.example))
        expected = asyncio.run(run_program(name))
    finally:
        sys.modules["harbour.stubs"] = stubs
    assert expected
    assert json.loads(json.dumps(expected)) == expected
    assert asyncio.run(_call(served, transport, version, lambda: run_program(name))) == expected


def test_every_function_returns_the_json_value(served: Served, version: str) -> None:
    stubs = importlib.import_module("harbour.stubs")
    attributes = get_package(served.example).tool_attributes

    async def call_all() -> dict[str, Any]:
        results: dict[str, Any] = {}
        for name, attribute in attributes.items():
            function = getattr(stubs, attribute)
            results[attribute] = await function(**arguments_of(served.example, name))
        return results

    assert asyncio.run(_call(served, "stdio", version, call_all)) == answers(served.example)


@pytest.fixture(scope="module")
def checked(served: Served) -> Iterator[Path]:
    settings = served.folder / "pyrightconfig.json"
    options = {"typeCheckingMode": "strict", "extraPaths": [str(served.folder)], "include": [str(PROGRAMS)]}
    settings.write_text(json.dumps(options), "utf-8")
    yield served.folder
    settings.unlink()


@pytest.mark.slow
@pytest.mark.parametrize("command", [["mypy", "--strict", str(PROGRAMS)], ["pyright", "--pythonpath", sys.executable]])
def test_checkers_accept_the_programs(checked: Path, command: list[str]) -> None:
    run = subprocess.run([sys.executable, "-m", *command], cwd=checked, capture_output=True, text=True)
    assert run.returncode == 0, run.stdout
