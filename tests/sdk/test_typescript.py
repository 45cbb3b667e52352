"""The official TypeScript SDKs as clients of the example's server; they validate structured content themselves."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from sdk import harbour, typescript, wire
from sdk.served import SDK, Served, arguments_of, instance, unstamped
from sdk.wire import MODERN, VERSIONS
from support.corpus import equal

pytestmark = [
    pytest.mark.skipif(SDK is None, reason="no MCP SDK is installed here"),
    pytest.mark.skipif(not typescript.IS_THERE, reason="npm or node is missing"),
    pytest.mark.ci,
]
CASES = [
    *(("sdk", transport, version) for version in VERSIONS[:4] for transport in ("stdio", "http")),
    *(("client", transport, version) for version in VERSIONS[3:] for transport in ("stdio", "http")),
]
REFUSED = {"tide_table", "vessel_track"}
"""Tools with results that the SDK 1.x refuses: it takes every schema for draft-07, where `prefixItems` says nothing and
`items: false` beside it forbids all items. They are valid under 2020-12, which a schema without `$schema` is."""


@pytest.mark.parametrize(("which", "transport", "version"), CASES, ids=lambda item: item)
def test_every_tool(which: str, transport: str, version: str, scripts: Path, served: Served) -> None:
    if version not in wire.versions(SDK):
        pytest.skip(f"{SDK} does not speak {version}")
    package, turns = served.example, range(2)
    names = [(turn, name) for turn in turns for name in package.TOOLS]
    calls: list[Any] = []
    for turn in turns:
        calls += [["turn_to", {"turn": turn}], *([name, arguments_of(package, name)] for name in package.TOOLS)]
    calls += [["pilots_on_duty", {"watches": 1}], ["refuse_pilot", {}]]
    run = _run(scripts, which, version, calls, served, transport)
    for tool in package.list_tools(version):
        assert equal(next(item for item in run["tools"] if item["name"] == tool["name"]), tool), tool["name"]
    results = [result for (name, _), result in zip(calls, run["results"], strict=True) if name != "turn_to"]
    *results, duty, refusal = results
    refused: set[str] = set()
    for (turn, name), result in zip(names, results, strict=True):
        sent = instance(package, name, turn).to_wire(protocol=version)
        if which == "sdk" and "refused" in result:
            assert "boolean schema is false" in result["refused"]
            refused.add(name)
            continue
        if version == MODERN:
            del sent["resultType"]  # the SDK reads it and keeps it to itself
        assert equal(unstamped(result, version), sent), (name, turn, result, sent)
    assert refused == (REFUSED if which == "sdk" and version >= "2025-06-18" else set())
    if version >= "2025-06-18":
        assert duty["structuredContent"] == ([7] if version == MODERN else {"result": [7]})
    assert refusal["isError"] is True
    assert refusal["content"][0]["text"].endswith(harbour.REFUSAL)


def _run(scripts: Path, which: str, version: str, calls: list[Any], served: Served, transport: str) -> Any:
    target = [served.url] if transport == "http" else wire.command(SDK, served.folder, "stdio")
    requests = [("tools/call", {"name": name, "arguments": arguments}) for name, arguments in calls]
    return typescript.ask(scripts, which, version, requests, target)
