"""`init` without questions."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from mcpgen.commands.init import run_init
from mcpgen.report.output import CommandOutput

NO_OPTIONS: dict[str, str | None] = {"sdk": None, "out": None, "schemas": None}
OUTPUT = CommandOutput("init", "json")


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def test_settings_and_an_example_are_written(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run_init(tmp_path, {**NO_OPTIONS, "sdk": "fastmcp"}, True, OUTPUT) == 0
    data = json.loads(capsys.readouterr().out)["data"]
    assert (data["sdk"], data["out"], data["schemas"]) == ("fastmcp", "generated", "schemas")
    assert {*data["written"]} == {"schemas/get_weather.json", "schemas/get_weather.content.j2", "mcpgen.toml"}
    assert 'sdk = "fastmcp"' in (tmp_path / "mcpgen.toml").read_text("utf-8")


def test_nothing_is_overwritten(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "mcpgen.toml").write_text("# mine\n", "utf-8")
    assert run_init(tmp_path, NO_OPTIONS, True, OUTPUT) == 3
    assert [path.name for path in tmp_path.iterdir()] == ["mcpgen.toml"]
    (diagnostic,) = json.loads(capsys.readouterr().out)["diagnostics"]
    assert (diagnostic["code"], diagnostic["file"]) == ("MG303", "mcpgen.toml")


def test_an_unknown_sdk_is_refused(tmp_path: Path) -> None:
    assert run_init(tmp_path, {**NO_OPTIONS, "sdk": "other"}, True, OUTPUT) == 2
    assert [*tmp_path.iterdir()] == []
