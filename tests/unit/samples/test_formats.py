"""Strings of formats."""

from __future__ import annotations

import datetime
import ipaddress
import uuid
from random import Random

import pytest
from mcpgen.samples.formats import draw_format


@pytest.mark.parametrize("seed", range(5))
def test_formats_can_be_read(seed: int) -> None:
    draws = {name: draw_format(name, Random(seed)) for name in ("date", "date-time", "ipv4", "ipv6", "uuid")}
    assert all(draws.values())
    datetime.date.fromisoformat(str(draws["date"]))
    datetime.datetime.fromisoformat(str(draws["date-time"]))
    ipaddress.IPv4Address(draws["ipv4"])
    ipaddress.IPv6Address(draws["ipv6"])
    assert uuid.UUID(draws["uuid"]).version == 4


def test_aliases_and_unknown_formats() -> None:
    assert "@" in str(draw_format("idn-email", Random(0)))
    assert draw_format("unheard-of", Random(0)) is None
