"""Texts of tools that differ at run time from the declared ones."""

from __future__ import annotations

from typing import Any

import pytest
from sdk import exchange
from sdk.exchange import SDK, VERSIONS
from support.packages import tool

pytestmark = pytest.mark.skipif(SDK is None, reason="no SDK is installed here")
TOOLS = [
    tool(
        "get-weather",
        {"type": "array", "items": {"type": "integer"}},
        title="Weather",
        description="The weather.",
        annotations={"readOnlyHint": True, "title": "Old"},
    ),
    tool("plain", {"type": "integer"}),
]
OVERRIDE: dict[str, Any] = {
    "get-weather": {"description": "The weather in Oslo.", "annotations": {"openWorldHint": False}},
    "plain": {"title": "Plain", "description": "Counts."},
}


def serve(generated: Any, override: Any) -> Any:
    server = exchange.server()
    tools = generated.bind(server, override=override)
    tools.get_weather(lambda: [1])
    tools.plain(lambda: 2)
    return server


def run(server: Any, protocol: str, generated: Any) -> Any:
    async def use(connection: Any) -> Any:
        client = await generated.connect(connection)
        value = (await client.get_weather()).root
        return await exchange.listed(connection), client.contract, value

    return exchange.talk(server, use, protocol)


@pytest.mark.parametrize("protocol", VERSIONS)
def test_an_override_is_advertised_and_nothing_else_changes(generated: Any, protocol: str) -> None:
    declared, _, _ = run(serve(generated, None), protocol, generated)
    listed, contract, value = run(serve(generated, OVERRIDE), protocol, generated)
    assert listed == {name: {**declared[name], **members} for name, members in OVERRIDE.items()}
    assert declared["get-weather"]["description"] == "The weather."
    assert contract.kept  # its hash is of what an override cannot change
    assert value == [1]


def test_an_override_is_that_of_one_server(generated: Any) -> None:
    serve(generated, OVERRIDE)
    listed, _, _ = run(serve(generated, {}), VERSIONS[0], generated)
    assert listed["get-weather"]["description"] == "The weather."
    assert generated.TOOLS["get-weather"]["description"] == "The weather."


@pytest.mark.parametrize(
    ("override", "message"),
    [
        (
            {"get_weather": {}},
            "cannot override 'get_weather': the package has no such tool, did you mean 'get-weather'?",
        ),
        ({"x": {}}, "cannot override 'x': the package has no such tool"),
        (
            {"plain": {"outputSchema": {}}},
            "cannot override plain: 'outputSchema' must be as declared; these may differ: title, description, ann",
        ),
        ({"plain": {"name": "x"}}, "cannot override plain: 'name' must be as declared"),
        ({"plain": {"description": None}}, "cannot override plain: 'description' should be a text, not NoneType"),
        ({"plain": {"description": "\ud800"}}, "cannot override plain: 'description' has a lone surrogate"),
        ({"plain": {"annotations": {"title": "\udfff"}}}, "annotations: 'title' has a lone surrogate"),
        ({"plain": "text"}, "cannot override plain: it should be a dict of title, description, annotations"),
        ({"plain": {"annotations": []}}, "cannot override plain: annotations: it should be a dict of title, readOnly"),
        ({"plain": {"annotations": {"readOnly": True}}}, "annotations: 'readOnly' must be as declared; these may"),
        (
            {"plain": {"annotations": {"readOnlyHint": 1}}},
            "annotations: 'readOnlyHint' should be true or false, not int",
        ),
    ],
)
def test_what_cannot_be_overridden_is_said_in_a_sentence(generated: Any, override: Any, message: str) -> None:
    with pytest.raises(TypeError) as caught:
        generated.bind(exchange.server(), override=override)
    assert str(caught.value).startswith("cannot override ")
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)
