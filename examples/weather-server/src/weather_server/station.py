"""Readings of a weather station. Replace this module with your source of data."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Sky = Literal["clear", "cloudy", "rain", "snow"]


@dataclass(frozen=True)
class Reading:
    """What a station measured."""

    temperature: float
    sky: Sky
    gusts: float | None = None


READINGS = {
    "Oslo": Reading(-3.5, "snow", 8),
    "Lisbon": Reading(17, "clear"),
    "Nairobi": Reading(22.5, "cloudy"),
}


def read_station(city: str) -> Reading | None:
    """Return the reading of a city's station; None if it has no station."""
    return READINGS.get(city)
