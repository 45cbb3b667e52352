"""Settings for names that nothing defines: the message says what has no effect, and which names there are."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from mcpgen.config.models import ConfiguredPackage, PackageSettings
from mcpgen.diagnostics import Findings
from mcpgen.read.unknown_names import choose_help, report_unknown_names


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


def test_the_help_of_several_packages(tmp_path: Path) -> None:
    """Each package knows its own names alone."""

    def choose(*packages: list[str]) -> tuple[int | None, str]:
        reports = [report(tmp_path, {"get_tickets": {}}, defined)[0] for defined in packages]
        return choose_help(reports[0][0], [help for _, help in reports])

    guess = 'did you mean "get_ticket"? If not, remove the table'
    assert choose(["get_item", "list_items"], ["get_ticket"]) == (1, guess)
    assert choose(["get_ticket"], ["get_items"], []) == (0, guess)
    assert choose([*"abcdefg", "list_ticket"], ["ticket"]) == (
        0,
        'name a tool that is defined, such as "list_ticket", "ticket", or remove the table',
    )
    unlike = "no package has a tool of a similar name: correct the name, or remove the table"
    assert choose(["a", "b"], ["c"]) == choose([], []) == (None, unlike)


def test_a_learned_file_that_is_not_used(tmp_path: Path) -> None:
    file = "schemas/learned/stats.output.json"
    ((message, help),) = report(tmp_path, {"stats": {"outputSchema": file}}, [*"abcdefg", "statistics"])
    assert message.endswith(f"its `outputSchema` has no effect, and {file} is not used")
    assert help == 'name a tool that is defined, such as "statistics", or remove the table'
    settings = {"stats": {"outputSchema": file}, "a": {"outputSchema": file}}
    ((message, _),) = report(tmp_path, settings, ["a"])
    assert message.endswith("its `outputSchema` has no effect")
