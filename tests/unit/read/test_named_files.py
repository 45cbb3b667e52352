"""Files that the settings name, and that are not there."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from mcpgen.config.load import find_settings, load_packages
from mcpgen.diagnostics import Diagnostic, Findings
from mcpgen.read.loader import read_definitions
from mcpgen.read.named_files import load_named_file
from support.documents import list_messages, make_context
from support.packages import tool

MEANT = 'did you mean "l/stats.output.json"?'
RELATIVE = "the path is relative to the folder of the settings file"


def _read(folder: Path, settings: str) -> list[Diagnostic]:
    (folder / "mcpgen.toml").write_text(settings, "utf-8")
    schemas = folder / "schemas"
    schemas.mkdir(exist_ok=True)
    resources = [{"name": "tide", "uri": "tide://now"}]
    (schemas / "all.json").write_text(json.dumps({"tools": [tool("a"), tool("b")], "resources": resources}), "utf-8")
    (package,) = load_packages(find_settings(folder), folder, findings := Findings())
    read_definitions(package, findings)
    return [*findings]


@pytest.mark.parametrize(
    ("settings", "line", "key", "help"),
    [
        (
            '[tools.a]\noutputSchema = "l/stats.json"\n',
            2,
            "tools.a.outputSchema",
            MEANT,
        ),
        ('[tools.a]\noutputSchema = "x/y.json"\n', 2, "tools.a.outputSchema", RELATIVE),
        (
            '[resources.tide]\nschema = "l/stats.json"\n',
            2,
            "resources.tide.schema",
            MEANT,
        ),
        ('\nmcp-schema = "l/stats.json"\n', 2, "mcp-schema", MEANT),
    ],
)
def test_a_missing_file_is_reported_at_the_setting(
    settings: str, line: int, key: str, help: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "l").mkdir()
    (tmp_path / "l" / "stats.output.json").write_text('{"type": "object"}')
    (finding,) = _read(tmp_path, settings)
    assert finding.span is not None
    assert (finding.code, finding.span.file, finding.span.line) == ("MG001", "mcpgen.toml", line)
    assert finding.message.startswith(f'"{key}": there is no file ')
    assert finding.help == help


def test_each_setting_with_the_same_missing_file_is_reported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    findings = _read(tmp_path, '[tools.a]\noutputSchema = "x.json"\n[tools.b]\noutputSchema = "x.json"\n')
    assert [finding.span and finding.span.line for finding in findings] == [2, 4]


def test_a_folder_in_the_place_of_a_file_is_reported_as_such(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "x.json").mkdir()
    (finding,) = _read(tmp_path, '[tools.a]\noutputSchema = "x.json"\n')
    assert finding.span is not None
    assert (finding.code, finding.span.file) == ("MG001", "x.json")


def test_without_a_settings_file_the_path_is_the_place(tmp_path: Path) -> None:
    context = make_context(tmp_path)
    (tmp_path / "x.json").write_text("{}", "utf-8")
    assert load_named_file("x.json", ("mcp-schema",), context) is not None
    assert load_named_file("y.json", ("mcp-schema",), context) is None
    ((code, message),) = list_messages(context.findings)
    assert (code, message.startswith('"mcp-schema": there is no file ')) == ("MG001", True)
