"""Formats as Python types over the wire: handlers and clients have values, the wire has strings."""

from __future__ import annotations

import datetime
from typing import Any

import pytest
from sdk import exchange
from sdk.exchange import SDK, VERSIONS
from support.packages import tool

pytestmark = pytest.mark.skipif(SDK is None, reason="no SDK is installed here")
MOMENT = {"type": "string", "format": "date-time"}
SPAN = {"type": "object", "properties": {"since": MOMENT, "until": MOMENT}, "required": ["since"]}
SETTINGS = 'formats = "native"\n'
TOOLS = [tool("shift", SPAN, inputSchema=SPAN)]
SINCE = "2031-03-12t12:00:00.50Z"


@pytest.fixture(scope="module")
def server(generated: Any) -> Any:
    def shift(since: datetime.datetime, until: datetime.datetime | None = None) -> dict[str, Any]:
        assert isinstance(since, datetime.datetime)
        return {"since": since, "until": since + datetime.timedelta(hours=1)}

    server = exchange.server()
    generated.bind(server).shift(shift)
    return server


@pytest.mark.parametrize("protocol", VERSIONS)
def test_handlers_get_and_return_values(server: Any, protocol: str) -> None:
    texts = (SINCE, "2031-03-12", "2016-12-31T23:59:60Z", 5)
    answer, *refused = (exchange.ask(server, "shift", {"since": text}, protocol) for text in texts)
    assert answer["structuredContent"] == {"since": SINCE, "until": "2031-03-12T13:00:00.500000Z"}
    for wrong in refused:
        assert wrong["isError"]
        assert "/since" in exchange.text(wrong)


def test_clients_take_and_return_values(generated: Any, server: Any) -> None:
    since = datetime.datetime(2031, 3, 12, 12, tzinfo=datetime.UTC)

    async def use(connection: Any) -> Any:
        return await (await generated.connect(connection)).shift(since=since)

    result = exchange.talk(server, use)
    assert (result.since, result.until) == (since, since + datetime.timedelta(hours=1))
