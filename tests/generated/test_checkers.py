"""The example package under both type checkers, for every SDK, with and without pydantic's plugin."""

from __future__ import annotations

import importlib.util
import subprocess
from pathlib import Path

import pytest
from support import checkers, corpus
from support.packages import mcpgen
from support.repository import ROOT

USER = """\
from typing import Literal

import generated
from generated import (
    FlagsTodayResult, LogbookPage, Money, OfficeSettings, QuoteStayResult, Tariffs, TideStateResult, VesselTrackResult,
    WaterLevelResult,
)
from generated.resources import office_settings
from generated.tools import tide_state


def right() -> QuoteStayResult:
    money = Money(minor=100, currency="EUR")
    return QuoteStayResult(total=money, deposit=None, voucher=None, lines=[], extras={"n": 1})


def misspelt() -> QuoteStayResult:
    money = Money(minor=100, currency="EUR")
    return QuoteStayResult(total=money, deposit=None, voucher=None, lines=[], remrak="x")  # wrong


def none_for_required() -> QuoteStayResult:
    return QuoteStayResult(total=None, deposit=None, voucher=None, lines=[])  # wrong


def unguarded(result: QuoteStayResult) -> str:
    return result.remark.upper()  # wrong


def undeclared(result: QuoteStayResult) -> object:
    QuoteStayResult(total=result.total, deposit=None, voucher=None, lines=[], extras=3)  # wrong
    return result.extras["n"]


def guarded(result: QuoteStayResult) -> str:
    return result.remark.upper() if result.remark is not None else ""


OfficeSettings.normalize(OfficeSettings(theme="dark", channels=[9]))
OfficeSettings.normalize({"theme": "dark", "channels": [9]})
OfficeSettings.normalize(5)  # wrong
OfficeSettings.normalize(WaterLevelResult(1.5))  # wrong
Tariffs.normalize(object())
page: str = LogbookPage.uri(year="2026", class_="yacht")
LogbookPage.uri(berth="A01")  # wrong
LogbookPage.uri(year=2026)  # wrong
if (found := LogbookPage.match(page)) is not None:
    year: str = found["year"]
    berth: str = found["berth"]  # wrong
    LogbookPage.uri(**found)
settings: type[OfficeSettings] = office_settings.resource


def renamed() -> object:
    return generated.QuoteStaysResult  # wrong


looked_up: type[TideStateResult] = tide_state.tool.result
level: float | None = WaterLevelResult(1.5).root
WaterLevelResult("deep")  # wrong
state: Literal["flooding", "high slack", "ebbing", "low slack"] = TideStateResult("ebbing").root


def sequences(page: LogbookPage, track: VesselTrackResult) -> list[str]:
    for entry in page:
        entry.colour  # wrong
    heights: list[float | None] = [point[3] for point in track]
    depth: float = track[0][3]  # wrong
    flags = FlagsTodayResult(["alpha"])
    size: str = len(flags)  # wrong
    print(heights, depth, size)
    flags["alpha"]  # wrong
    first, *others = flags
    names: list[str] = [first, *flags, *flags[1:]]
    FlagsTodayResult([7])  # wrong
    numbers: list[int] = list(flags)  # wrong
    print(names, others, numbers)
    return [entry.at for entry in page]
"""


@pytest.mark.ci
def test_the_example_is_clean_with_the_plugin(tmp_path: Path) -> None:
    (tmp_path / "plugin.ini").write_text(checkers.PLUGIN, "utf-8")
    command = [*checkers.MYPY_WITH_PLUGIN, "--config-file", str(tmp_path / "plugin.ini"), "generated"]
    run = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert run.returncode == 0, run.stdout + run.stderr


@pytest.mark.ci
@pytest.mark.skipif(importlib.util.find_spec("mcp_types") is None, reason="mcp 2.x is not installed here")
def test_the_example_is_clean_on_the_official_sdk(tmp_path: Path) -> None:
    run = mcpgen("build", "--out", str(tmp_path / "generated"), "--sdk", "mcp", cwd=ROOT)
    assert run.returncode == 0, run.stderr
    assert corpus.checked(tmp_path, "generated") == []


@pytest.mark.ci
@pytest.mark.parametrize("checker", checkers.CHECKERS)
def test_mistakes_are_errors_on_their_line(tmp_path: Path, checker: str) -> None:
    (tmp_path / "generated").symlink_to(ROOT / "generated")
    lines, output = checkers.reported(tmp_path, checker, USER)
    assert lines == checkers.wrong(USER), output
