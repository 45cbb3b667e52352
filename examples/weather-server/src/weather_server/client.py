"""A client: starts the server as a process of its own and calls its tools."""

from __future__ import annotations

import asyncio
import sys

from mcp.client import Client
from mcp.client.stdio import StdioServerParameters

from weather_server import mcp_gen


async def print_weather(city: str) -> None:
    """Print the weather and the forecast of a city."""
    command = StdioServerParameters(command=sys.executable, args=["-m", "weather_server.server"])
    async with Client(command) as session:
        client = await mcp_gen.connect(session)
        weather = await client.get_weather(city=city)
        print(f"{city}: {weather.temperature} °C, {weather.sky}")
        forecast = await client.get_forecast(city=city, days=2)
        for day in forecast.days:
            print(f"{day.date}: {day.low} to {day.high} °C")


if __name__ == "__main__":
    asyncio.run(print_weather(sys.argv[1] if len(sys.argv) > 1 else "Oslo"))
