"""A schema that only the settings give a tool: its server need not declare one, and if it does, it is compared."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from mcpgen.config.load import find_settings, load_packages
from mcpgen.diagnostics import Findings, Span
from mcpgen.introspect.drift import find_drift
from mcpgen.read.loader import read_definitions
from sdk import exchange
from sdk.exchange import OLD, SDK, VERSIONS, ScriptedServer
from support.listings import advertised
from support.packages import package, tool

pytestmark = pytest.mark.skipif(SDK is None, reason="no SDK is installed here")
TIDES = {"type": "object", "properties": {"high": {"type": "number"}}, "required": ["high"]}
SETTINGS = 'wrap = "legacy"\n[tools.tides]\noutputSchema = "tides.json"\n[tools.list]\noutputSchema = "list.json"\n'
TOOLS = [tool("tides"), tool("list")]


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("settings")
    (folder / "mcpgen.toml").write_text(SETTINGS)
    (folder / "tides.json").write_text(json.dumps(TIDES))
    (folder / "list.json").write_text(json.dumps({"type": "array", "items": TIDES}))
    return folder


@pytest.fixture(scope="module")
def generated(project: Path) -> Any:
    return package(project, TOOLS, "--sdk", str(SDK), wrap=None)


def connect(generated: Any, tools: list[dict[str, Any]], protocol: str) -> tuple[Any, str]:
    """Return the contract of a server that lists some tools, and what calling `tides` gives or raises."""

    async def use(connection: Any) -> tuple[Any, str]:
        client = await generated.connect(connection, pin="types")
        try:
            return client.contract, str((await client.tides()).high)
        except generated.ToolChangedError as error:
            return client.contract, str(error)

    server = ScriptedServer(tools, {"content": [{"type": "text", "text": '{"high": 6.5}'}]})
    contract, answer = exchange.talk(server.made, use, protocol)
    return contract, answer


@pytest.mark.parametrize("protocol", VERSIONS)
def test_the_server_declares_none(generated: Any, protocol: str) -> None:
    contract, answer = connect(generated, TOOLS, protocol)
    assert (contract.kept, contract.same, contract.reworded) == (True, ("list", "tides"), ())
    assert answer == "6.5"


def test_the_server_begins_to_declare_it(generated: Any) -> None:
    contract, answer = connect(generated, [tool("tides", TIDES), TOOLS[1]], OLD)
    assert (contract.kept, answer) == (True, "6.5")
    contract, answer = connect(generated, [tool("tides", {"type": "object"}), TOOLS[1]], OLD)
    assert (contract.kept, contract.changed) == (False, ("tides",))
    assert "tides is not as pinned" in answer


def test_other_arguments_are_noticed_all_the_same(generated: Any) -> None:
    changed = {**tool("tides"), "inputSchema": {"type": "object", "required": ["port"]}}
    contract, _ = connect(generated, [changed, TOOLS[1]], OLD)
    assert contract.changed == ("tides",)


@pytest.mark.parametrize("protocol", ["2025-03-26", "2025-11-25", "2026-07-28"])
def test_drift_of_the_server(project: Path, generated: Any, protocol: str) -> None:
    assert generated
    (read,) = load_packages(find_settings(project), project, Findings())
    declared = read_definitions(read, findings := Findings())
    assert not findings.failed

    def compare(*tools: Any) -> list[str]:
        drift = find_drift(declared, advertised(*tools, protocol=protocol), Span.of_server("server"), strict=True)
        return [error.message for error in drift.diagnostics]

    assert compare(*TOOLS) == []
    assert compare(tool("tides", TIDES), TOOLS[1]) == []
    other = {"type": "object", "properties": {"low": {"type": "number"}}}
    changes = ["/outputSchema/properties/high is missing", "/outputSchema/properties/low is new"]
    messages = compare(tool("tides", other), TOOLS[1])
    assert len(messages) == (0 if protocol == "2025-03-26" else len(changes))
    assert all(change in message for change, message in zip(changes, messages, strict=False))
