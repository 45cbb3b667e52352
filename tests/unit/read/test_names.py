"""Names of definitions."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from mcpgen.config.load import find_settings, load_packages
from mcpgen.config.models import ConfiguredPackage, PackageSettings
from mcpgen.diagnostics import Diagnostic, Findings
from mcpgen.read.compound_document import RelativePaths, choose_definition_names, get_definitions_keyword
from mcpgen.read.idle_settings import choose_help, report_unknown_names
from mcpgen.read.loader import read_definitions
from mcpgen.read.schemas import load_named_file
from mcpgen.schema.keywords import DRAFT_07, DRAFT_2020_12
from support.documents import list_messages, make_context
from support.packages import tool
from support.reachable import collect

# --- names of copied definitions, and paths relative to the input folder ----------------------------------------------
OTHER = Path("other.json")


def test_a_path_is_relative_to_the_input_folder(tmp_path: Path) -> None:
    paths = RelativePaths(tmp_path / "schemas")
    assert paths.get(tmp_path / "schemas" / "a" / "b.json") == "a/b.json"
    assert paths.get(tmp_path / "shared" / "c.json") == "../shared/c.json"


def test_the_dialect_decides_where_definitions_are() -> None:
    assert get_definitions_keyword(DRAFT_07) == "definitions"
    assert get_definitions_keyword(DRAFT_2020_12) == "$defs"


def test_a_copied_definition_keeps_its_name() -> None:
    reach, _ = collect({"$ref": "other.json#/$defs/A"}, {"$defs": {"A": {}}})
    assert choose_definition_names(reach, RelativePaths(Path())) == {(OTHER, "/$defs/A"): "A"}


def test_a_name_that_the_schema_has_is_followed_by_that_of_the_file() -> None:
    home = {"$ref": "other.json#/$defs/A", "$defs": {"A": {}, "A_other": {}}}
    reach, _ = collect(home, {"$defs": {"A": {}}})
    assert choose_definition_names(reach, RelativePaths(Path())) == {(OTHER, "/$defs/A"): "A_other_2"}


def test_an_embedded_document_is_named_like_its_file() -> None:
    other = {"$defs": {"A": {"$dynamicAnchor": "node", "items": {"$dynamicRef": "#node"}}}}
    reach, _ = collect({"$ref": "other.json#/$defs/A"}, other)
    assert choose_definition_names(reach, RelativePaths(Path())) == {(OTHER, ""): "other"}


# --- settings for names that nothing defines: the message says what has no effect, and which names there are ----------
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


# --- files that the settings name, and that are not there -------------------------------------------------------------
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
        ('[tools.a]\noutputSchema = "l/stats.json"\n', 2, "tools.a.outputSchema", MEANT),
        ('[tools.a]\noutputSchema = "x/y.json"\n', 2, "tools.a.outputSchema", RELATIVE),
        ('[resources.tide]\nschema = "l/stats.json"\n', 2, "resources.tide.schema", MEANT),
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
    assert load_named_file("x.json", ("tools", "a", "outputSchema"), context) is not None
    assert load_named_file("y.json", ("tools", "a", "outputSchema"), context) is None
    ((code, message),) = list_messages(context.findings)
    assert (code, message.startswith('"tools.a.outputSchema": there is no file ')) == ("MG001", True)
