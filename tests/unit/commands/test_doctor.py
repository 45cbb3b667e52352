"""What `doctor` reports, and how the report is printed."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from mcpgen.cache.store import Store
from mcpgen.commands import doctor
from mcpgen.commands.doctor import (
    CacheState,
    DoctorReport,
    InstalledLibrary,
    InstalledSdk,
    PackageState,
    SettingInForce,
    format_report,
    run_doctor,
)
from mcpgen.commands.package_selection import select_packages
from mcpgen.report.output import CommandOutput

REPORT = DoctorReport(
    mcpgen="1.2.3",
    installed_in="/opt/mcpgen",
    python="3.12.1",
    executable="/usr/bin/python",
    system="Linux x86_64",
    libraries=[InstalledLibrary("black", "23.1", ">=24.1", False), InstalledLibrary("jinja2", "3.1.6", "", True)],
    sdks=[InstalledSdk("mcp", "2.3.0", "mcp", "all"), InstalledSdk("fastmcp", "1.0", "", 'sdk = "fastmcp" for >=4')],
    settings_file="mcpgen.toml",
    packages=[
        PackageState(
            "generated",
            [SettingInForce("out", "x" * 80, "mcpgen.toml:1"), SettingInForce("limits.depth", 100, "default")],
            True,
            "mcp",
            "1 stale",
        )
    ],
    cache=CacheState("/cache", 1, 2**20),
    state_folder="",
    problems=["generated: 1 stale"],
)


def test_a_report_says_everything_once() -> None:
    text = "\n".join(format_report(REPORT))
    assert "mcpgen 1.2.3, in /opt/mcpgen\nPython 3.12.1, /usr/bin/python, on Linux x86_64\n" in text
    assert "  black   23.1   needs >=24.1\n  jinja2  3.1.6\n" in text
    assert '  mcp      2.3.0  supported: sdk = "mcp"\n' in text
    assert '  fastmcp  1.0    not supported; supported are: sdk = "fastmcp" for >=4\n' in text
    assert 'Package generated: 1 stale, built for sdk = "mcp"\n' in text
    assert f'  out  "{"x" * 56}...  mcpgen.toml:1\n' in text
    assert "  and 1 defaults of tables" in text
    assert "Cache: /cache, 1 entry, 1.0 MiB, trusted\n" in text
    assert text.endswith("Problems: 1\n  generated: 1 stale")


def test_what_is_missing_is_said() -> None:
    report = replace(REPORT, settings_file="", cache=CacheState(""), problems=[])
    text = "\n".join(format_report(report))
    assert "Settings: none, so the defaults apply" in text
    assert "Cache: none\n" in text
    assert text.endswith("Problems: none")


def test_problems_are_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "schemas").mkdir()
    (tmp_path / "schemas" / "get_depth.json").write_text('{"type": "number"}', "utf-8")
    (tmp_path / "cache").mkdir(mode=0o755)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(doctor, "list_untested", lambda: ["black 99 is newer than 26"])
    store = Store(tmp_path / "cache")
    assert run_doctor(select_packages(None, None), store, CommandOutput("doctor", "json"), 1) == 0
    data = json.loads(capsys.readouterr().out)["data"]
    assert data["packages"][0]["state"] == "not built"
    problems = "\n".join(data["problems"])
    assert "black 99 is newer than 26" in problems
    assert "the cache is not used: it is open to other users" in problems
    assert "generated: not built; `mcpgen build` generates it" in problems


def test_wrong_settings_are_reported_with_the_rest(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "mcpgen.toml").write_text("sdk = 1\n", "utf-8")
    monkeypatch.chdir(tmp_path)
    assert run_doctor(select_packages(None, None), Store(), CommandOutput("doctor", "text", "never"), 1) == 2
    printed = capsys.readouterr()
    assert "Libraries" in printed.out
    assert "MG302" in printed.err
