"""Tests of the handlers, through the generated client and the SDK, in this process."""

from __future__ import annotations

from datetime import date

import pytest

from weather_server.mcp_gen import ToolCallError
from weather_server.mcp_gen.testing import client_of, examples, fake_client
from weather_server.server import get_weather, server


@pytest.mark.anyio
async def test_the_weather() -> None:
    async with client_of(server) as client:
        assert client.contract.kept
        weather = await client.get_weather(city="Oslo")
    assert (weather.temperature, weather.sky, weather.gusts) == (-3.5, "snow", 8)


@pytest.mark.anyio
async def test_what_the_model_reads() -> None:
    async with client_of(server) as client:
        calm = await client.get_weather(city="Lisbon")
    (block,) = calm.to_content()
    assert block.type == "text"
    assert block.text == "17 °C, clear."


@pytest.mark.anyio
async def test_the_forecast_begins_tomorrow() -> None:
    async with client_of(server) as client:
        forecast = await client.get_forecast(city="Nairobi", days=2)
    assert [day.low for day in forecast.days] == [19.5, 19.5]
    assert all(date.fromisoformat(day.date) > date.today() for day in forecast.days)


@pytest.mark.anyio
async def test_a_city_without_a_station() -> None:
    async with fake_client(get_weather=get_weather) as client:
        with pytest.raises(ToolCallError, match="there is no weather station in Atlantis"):
            await client.get_weather(city="Atlantis")


@pytest.mark.parametrize("name", examples)
def test_every_example_can_be_sent(name: str) -> None:
    assert examples[name].result.to_call_tool_result().content
