"""What a server changes is noticed over stdio and HTTP, at the first listing by CI and later by a client with a pin."""

from __future__ import annotations

import asyncio
import contextlib
import json
import shlex
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from mcpgen.report.exit_codes import BREAKING, DRIFT
from sdk import changing_server, connections, wire
from sdk.changing_server import ADD, CHANGES, SAY
from sdk.exchange import SDK, VERSIONS
from support.packages import mcpgen

pytestmark = pytest.mark.skipif(SDK is None, reason="no SDK is installed here")
SERVER = str(changing_server.__file__)
TOOLS = [ADD, SAY]
TRANSPORTS = ("stdio", "http")


@contextlib.contextmanager
def serve(folder: Path, place: str, unchanged_listings: int, transport: str) -> Iterator[Any]:
    """Yield what a client connects to: the command line of a server, or the URL of one that runs."""

    def make_command(where: str) -> list[str]:
        return [sys.executable, SERVER, place, str(unchanged_listings), str(folder / "calls"), where]

    with contextlib.ExitStack() as stack:
        if transport == "http":
            yield stack.enter_context(wire.http(make_command, folder / "server.log"))
        else:
            yield make_command("stdio")
    wire.await_end(str(folder))


@pytest.mark.ci
@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("transport", TRANSPORTS)
@pytest.mark.parametrize("place", CHANGES)
def test_a_change_after_the_first_listing_is_refused(
    generated: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, place: str, transport: str, version: str
) -> None:
    connections.ask_for(monkeypatch, version)

    async def use(target: Any) -> None:
        async with connections.open_own(target, version) as (connection, _):
            client = await generated.connect(connection, pin="all")
            assert (await client.add()).sum == 3
            assert [tool["name"] for tool in await client.pinned_tools()] == ["say"]
            with pytest.raises(generated.ToolChangedError, match=place):
                await client.add()
            await client.with_raw_response.say()

    with serve(tmp_path, place, 1, transport) as target:
        asyncio.run(use(target))
    assert (tmp_path / "calls").read_text("utf-8").split() == ["add", "say"]


@pytest.mark.ci
@pytest.mark.parametrize("transport", TRANSPORTS)
@pytest.mark.parametrize("place", CHANGES)
def test_ci_reports_what_a_server_says_differently(tmp_path: Path, place: str, transport: str) -> None:
    (tmp_path / "schemas").mkdir()
    (tmp_path / "schemas" / "tools.json").write_text(json.dumps({"tools": [ADD, SAY]}), "utf-8")
    with serve(tmp_path, place, 0, transport) as target:
        server = target if isinstance(target, str) else shlex.join(target)
        for command, exit_code, code in (
            (["check", "--strict", "--server", server], DRIFT, "MG717"),
            (["diff", "--fail-on", "wording", "--against-server", server], BREAKING, "MG812"),
        ):
            run = mcpgen(*command, "--format", "json", cwd=tmp_path)
            (finding,) = (
                diagnostic for diagnostic in json.loads(run.stdout)["diagnostics"] if diagnostic["code"] == code
            )
            assert run.returncode == exit_code, run.stderr
            assert place in finding["message"]
            assert "\u200b" not in finding["message"]
