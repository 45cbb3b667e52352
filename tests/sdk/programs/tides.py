"""Say what the water does now, and when it is high."""

from harbour.stubs import tide_forecast, tide_state, tide_table, water_level


async def main() -> object:
    """Return the state, the level, the times of high water and the day of the forecast."""
    level = await water_level()
    highs = [(time, height) for time, height, kind in await tide_table() if kind == "high"]
    forecast = await tide_forecast(day="2026-12-01", with_surge=True)
    return {
        "state": (await tide_state()).upper(),
        "level": None if level is None else round(level, 1),
        "highs": [f"{time} {height}" for time, height in highs],
        "day": forecast["day"],
        "springs": forecast.get("springs", False),
    }
