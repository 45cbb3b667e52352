"""The server: a handler for each tool of `schemas/`."""

from __future__ import annotations

from datetime import date, timedelta

from mcp.server.mcpserver import MCPServer
from mcp.server.mcpserver.exceptions import ToolError

from weather_server import mcp_gen
from weather_server.mcp_gen import GetForecastResult, GetWeatherResult
from weather_server.mcp_gen.tools.get_forecast import ForecastDay
from weather_server.station import Reading, read_station

server = MCPServer("weather")
tools = mcp_gen.bind(server)


@tools.get_weather
async def get_weather(city: str) -> GetWeatherResult:
    reading = find_reading(city)
    return GetWeatherResult(temperature=reading.temperature, sky=reading.sky, gusts=reading.gusts)


@tools.get_forecast
async def get_forecast(city: str, days: int = 3) -> GetForecastResult:
    reading = find_reading(city)
    dates = [date.today() + timedelta(days=number) for number in range(1, days + 1)]
    forecast = [
        ForecastDay(date=day.isoformat(), low=reading.temperature - 3, high=reading.temperature + 3)
        for day in dates
    ]
    return GetForecastResult(city=city, days=forecast)


tools.complete()


def find_reading(city: str) -> Reading:
    """Return the reading of a city; the model is told if there is none."""
    reading = read_station(city)
    if reading is None:
        raise ToolError(f"there is no weather station in {city}")
    return reading


def main() -> None:
    """Serve over standard input and output."""
    server.run()


if __name__ == "__main__":
    main()
