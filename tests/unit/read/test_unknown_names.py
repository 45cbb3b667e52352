"""Settings for names that nothing defines: the message says what has no effect, and which names there are."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from mcpgen.config.models import ConfiguredPackage, PackageSettings
from mcpgen.diagnostics import Findings
from mcpgen.read.unknown_names import report_unknown_names


def report(folder: Path, settings: dict[str, Any], defined: list[str]) -> list[tuple[str, str]]:
    package = ConfiguredPackage(folder=folder, settings=PackageSettings.model_validate({"tools": settings}))
    findings = Findings()
    report_unknown_names("tool", package.settings.tools, defined, package, findings)
    assert all(finding.code == "MG308" for finding in findings)
    return [(finding.message, finding.help) for finding in findings]


@pytest.mark.parametrize(
    ("choices", "lost"),
    [
        ({}, ""),
        ({"outputSchema": "weather.json"}, ": its `outputSchema` has no effect"),
        ({"lenient": True, "exceptions": "sdk"}, ": its `lenient` and `exceptions` have no effect"),
    ],
)
def test_what_has_no_effect(tmp_path: Path, choices: dict[str, Any], lost: str) -> None:
    message = f'the settings name a tool "get_wether" that nothing defines{lost}'
    assert report(tmp_path, {"get_wether": choices, "ping": {}}, ["get_weather", "ping"]) == [
        (message, 'did you mean "get_weather"? If not, remove the table')
    ]


@pytest.mark.parametrize(
    ("defined", "help"),
    [
        ([], "no tool is defined: remove the table"),
        (["a"], 'name a tool that is defined, "a", or remove the table'),
        (["a", "b"], 'name a tool that is defined, "a" or "b", or remove the table'),
        ([*"abcdefg"], 'name a tool that is defined, such as "a", "b", "c", "d", "e", or remove the table'),
    ],
)
def test_names_that_are_like_none(tmp_path: Path, defined: list[str], help: str) -> None:
    assert [text for _, text in report(tmp_path, {"weather": {}}, defined)] == [help]
