"""What servers answer on the wire, run as a script beside them: `recorder.py calls.json module …` prints it as JSON."""

from __future__ import annotations

import importlib
import json
import logging
import sys
from pathlib import Path
from typing import Any

import anyio
from mcpgen.config.models import Limits
from mcpgen.introspect.limits import Meter
from mcpgen.introspect.session import McpSession, RequestRefused
from mcpgen.introspect.transports import select_transports
from mcpgen.targets import PROTOCOLS, STATELESS_PROTOCOLS

Calls = list[tuple[str, dict[str, Any]]]


def transport() -> Any:
    """Return the installed SDK's streams to a server object of this process."""
    return select_transports()


async def recorded(server: Any, protocol: str, calls: Calls) -> dict[str, Any]:
    """Return the server's list of tools, and its answer to each call, as they are on the wire."""
    async with transport().open_memory(server) as wire:
        session = McpSession(wire, Meter(Limits.model_validate({})))
        if protocol in STATELESS_PROTOCOLS:
            assert await session.discover()
        else:
            await session.initialize(protocol)
            assert session.protocol == protocol
        answers: dict[str, Any] = {"tools/list": await _answer(session, "tools/list", {})}
        for tool, arguments in calls:
            params: dict[str, Any] = {"name": tool, "arguments": arguments}
            answers[f"{tool} {json.dumps(arguments)}"] = await _answer(session, "tools/call", params)
        return answers


async def _answer(session: McpSession, method: str, params: dict[str, Any]) -> Any:
    try:
        return await session.send_request(method, params)
    except RequestRefused as error:
        return {"error": {"code": error.code, "message": error.message}}


async def main(calls: Calls, modules: list[str]) -> None:
    """Print the answers of each module's `server` under each version that the SDK speaks."""
    versions = PROTOCOLS if transport().knows_discovery else PROTOCOLS[:-1]
    out: dict[str, Any] = {}
    for module in modules:
        server = importlib.import_module(module).server
        out[module] = {protocol: await recorded(server, protocol, calls) for protocol in versions}
    print(json.dumps(out))


if __name__ == "__main__":
    logging.disable(logging.CRITICAL)
    sys.path.insert(0, str(Path.cwd()))
    anyio.run(main, json.loads(Path(sys.argv[1]).read_text("utf-8")), sys.argv[2:])
