"""`call_tool` of a client: a name and arguments that a model has chosen, as on the wire."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

import pytest
from pydantic import ValidationError
from sdk import exchange
from sdk.exchange import SDK
from support.packages import tool

pytestmark = pytest.mark.skipif(SDK is None, reason="no SDK is installed here")
ASKED: dict[str, Any] = {
    "type": "object",
    "properties": {"place-name": {"type": "string", "pattern": "^[A-Z]"}, "days": {"type": "integer"}},
    "required": ["place-name"],
}
PORT: dict[str, Any] = {"properties": {"port": {"type": "string"}}, "required": ["port"]}
BERTH: dict[str, Any] = {"properties": {"berth": {"type": "integer"}}, "required": ["berth"]}
SEEN: dict[str, Any] = {"type": "object", "properties": {"seen": {"type": "object"}}, "required": ["seen"]}
TOOLS = [
    tool("get-forecast", SEEN, inputSchema=ASKED),
    tool("find", SEEN, inputSchema={"type": "object", "anyOf": [PORT, BERTH]}),
]


def use(generated: Any, act: Callable[[Any], Awaitable[Any]], **options: Any) -> Any:
    """Return what a function returns for a client; the handlers return their arguments."""

    def get_forecast(place_name: str, days: int | None = None) -> Any:
        return {"seen": {"place-name": place_name, "days": days}}

    def find(port: str | None = None, berth: int | None = None) -> Any:
        return {"seen": {"port": port, "berth": berth}}

    async def connect(connection: Any) -> Any:
        return await act(await generated.connect(connection, **options))

    server = exchange.server()
    tools = generated.bind(server)
    tools.get_forecast(get_forecast)
    tools.find(find)
    return exchange.talk(server, connect)


@pytest.mark.parametrize(
    ("name", "arguments", "seen"),
    [
        ("get-forecast", {"place-name": "Ulm", "days": 3}, {"place-name": "Ulm", "days": 3}),
        ("get-forecast", {"place-name": "Ulm"}, {"place-name": "Ulm", "days": None}),
        ("find", {"berth": 7}, {"port": None, "berth": 7}),
    ],
)
def test_a_chosen_tool_is_called_with_names_of_the_wire(generated: Any, name: str, arguments: Any, seen: Any) -> None:
    result = use(generated, lambda client: client.call_tool(name, arguments))
    assert type(result) is generated.RESULT_TYPES[name]
    assert result.to_structured_content() == {"seen": seen}
    raw = use(generated, lambda client: client.with_raw_response.call_tool(name, arguments))
    assert raw.parse() == result


@pytest.mark.parametrize(
    ("name", "arguments", "error"),
    [
        ("get-forecast", {"place_name": "Ulm"}, ValidationError),
        ("get-forecast", {}, ValidationError),
        ("get-forecast", {"place-name": "Ulm", "days": "3"}, ValidationError),
        ("get_forecast", {"place-name": "Ulm"}, LookupError),
        ("_call", {}, LookupError),
    ],
)
def test_what_the_model_got_wrong_is_not_sent(
    generated: Any, name: str, arguments: Any, error: type[Exception]
) -> None:
    async def fail(client: Any) -> None:
        with pytest.raises(error):
            await client.call_tool(name, arguments)

    use(generated, fail)


def test_what_types_cannot_say_is_refused_by_the_server(generated: Any) -> None:
    async def fail(client: Any) -> None:
        for call in (client.call_tool("get-forecast", {"place-name": "ulm"}), client.get_forecast(place_name="ulm")):
            with pytest.raises(generated.ToolCallError, match=r"/place-name: .*pattern"):
                await call

    use(generated, fail)
