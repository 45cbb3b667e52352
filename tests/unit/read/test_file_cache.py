"""Definitions that the store has are valid while what they depend on, and the settings, are unchanged."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from mcpgen.cache.store import Store
from mcpgen.config.models import ConfiguredPackage, PackageSettings
from mcpgen.diagnostics import Findings
from mcpgen.files.file_tracker import FileTracker
from mcpgen.files.looks import Notes
from mcpgen.read import loader
from mcpgen.read.definitions import Definitions, ToolDefinition
from mcpgen.read.file_cache import FileCache
from mcpgen.read.input_files import InputFile
from mcpgen.read.loader import read_definitions

STATION = {"type": "object", "properties": {"wind": {"$ref": "common.defs.json#/$defs/Wind"}, "at": {"format": "date"}}}
FILES = {
    "tools.json": json.dumps(
        {
            "tools": [
                {
                    "name": name,
                    "inputSchema": {
                        "type": "object",
                        "properties": {"big": {"const": 1e300}, "": {"enum": [None, -0.0]}},
                    },
                    "outputSchema": STATION,
                    "x-mcpgen": {"content": "template", "template": "station.content.j2", "priority": 0.5},
                }
                for name in ("a", "b")
            ],
            "instructions": "Ask for \N{SNOWFLAKE} first.",
        },
        indent=2,
    ),
    "common.defs.json": json.dumps({"$defs": {"Wind": {"type": "number", "titel": "misspelt"}}}),
    "station.content.j2": "{{ result.wind }}",
    "dock.yaml": "name: dock\ninputSchema:\n  type: object\n  properties:\n    x: {type: string}\n",
    "others.json": json.dumps(
        {
            "resources": [{"name": "r", "uri": "x://r", "x-mcpgen": {"schema": {"type": ["object", "null"]}}}],
            "resourceTemplates": [{"name": "t", "uriTemplate": "x://{a}/b{?c,d}"}],
            "prompts": [
                {
                    "name": "p",
                    "arguments": [{"name": "mood", "required": True}],
                    "x-mcpgen": {"arguments": {"mood": {"enum": ["calm", "sporty"]}}},
                }
            ],
        }
    ),
}


@pytest.fixture
def package(tmp_path: Path) -> ConfiguredPackage:
    schemas = tmp_path / "schemas"
    schemas.mkdir()
    for name, text in FILES.items():
        (schemas / name).write_text(text, "utf-8")
    return ConfiguredPackage(settings=PackageSettings.model_validate({}), folder=tmp_path)


class Reading:
    """Runs over a package, each with another process's view of one cache, that count the files they read."""

    def __init__(self, package: ConfiguredPackage, store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
        self.package, self.store, self.read_names = package, store, list[str]()
        read_file = loader._read_file  # pyright: ignore[reportPrivateUsage]

        def read_and_count(file: InputFile, context: Any) -> Definitions:
            self.read_names.append(file.path.name)
            return read_file(file, context)

        monkeypatch.setattr(loader, "_read_file", read_and_count)

    def run(self) -> tuple[Definitions, list[Any]]:
        """Return the definitions and the findings, which the store keeps for the next run."""
        self.read_names.clear()
        findings, disk = Findings(), FileTracker()
        definitions = read_definitions(self.package, findings, disk, self.store)
        self.store.end_run()
        return definitions, findings.sorted()


@pytest.fixture(params=["cold", "warm"])
def reading(
    package: ConfiguredPackage, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest
) -> Reading:
    """Return runs that share a store on disk, or in a process that stays."""
    store = Store(tmp_path / "cache") if request.param == "cold" else Store(is_warm=True)
    return Reading(package, store, monkeypatch)


def _list_copies(tool: ToolDefinition) -> set[str]:
    return {f"{pointer}{at}" for pointer, schema in tool.written.items() for at in schema.copies}


def drop_documents(definitions: Definitions) -> Definitions:
    return replace(
        definitions,
        tools=[replace(tool, document=None, written={}) for tool in definitions.tools],
        resources=[replace(resource, document=None, written=None) for resource in definitions.resources],
        prompts=[replace(prompt, document=None) for prompt in definitions.prompts],
    )


def test_the_next_run_finds_everything(reading: Reading) -> None:
    first, first_findings = reading.run()
    assert {tool.name for tool in first.tools} == {"a", "b", "dock"}
    assert first_findings
    assert reading.read_names
    second, second_findings = reading.run()
    assert reading.read_names == []
    assert second_findings == first_findings
    assert drop_documents(second) == drop_documents(first)
    assert repr(drop_documents(second)) == repr(drop_documents(first))  # `1 == True`, `0.0 == -0.0`


def test_a_recalled_definition_knows_its_places(reading: Reading) -> None:
    first, _ = reading.run()
    second, _ = reading.run()
    places = ["/inputSchema/properties/x", "/inputSchema/type", "/outputSchema/properties/at/format"]
    for old, new in zip(first.tools, second.tools, strict=True):
        for place in places:
            assert new.locate(place) == old.locate(place)
            assert new.locate(place).line > 0
    payload = "/x-mcpgen/schema/type"
    assert [resource.locate(payload) for resource in second.resources] == [
        resource.locate(payload) for resource in first.resources
    ]


def test_a_recalled_definition_knows_the_places_of_what_was_copied_into_it(reading: Reading) -> None:
    first, *_ = (tool for tool in reading.run()[0].tools if "/outputSchema/$defs/Wind" in _list_copies(tool))
    (second,) = (tool for tool in reading.run()[0].tools if tool.name == first.name)
    assert reading.read_names == []
    place = "/outputSchema/$defs/Wind/type"
    assert second.locate(place) == first.locate(place)
    assert Path(second.locate(place).file).name == "common.defs.json"


def test_a_place_in_a_file_that_has_vanished_is_unknown(reading: Reading) -> None:
    first, _ = reading.run()
    tool = reading.run()[0].tools[0]
    (reading.package.folder / "schemas" / "tools.json").unlink()
    known_line = first.tools[0].locate("/inputSchema/type").line
    assert tool.locate("/inputSchema/type").line == (known_line if reading.store.is_warm else 0)


def change_template(package: ConfiguredPackage) -> ConfiguredPackage:
    (package.folder / "schemas" / "station.content.j2").write_text("{{ result.at }}", "utf-8")
    return package


def change_reference(package: ConfiguredPackage) -> ConfiguredPackage:
    (package.folder / "schemas" / "common.defs.json").write_text('{"$defs": {"Wind": {"type": "string"}}}', "utf-8")
    return package


def change_settings(package: ConfiguredPackage) -> ConfiguredPackage:
    return package.model_copy(update={"settings": PackageSettings.model_validate({"wrap": "always"})})


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        (change_template, {"tools.json"}),
        (change_reference, {"tools.json", "common.defs.json"}),
        (change_settings, {"tools.json", "common.defs.json", "dock.yaml", "others.json"}),
    ],
)
def test_what_depends_on_a_change_is_read_again(
    reading: Reading, change: Callable[[ConfiguredPackage], ConfiguredPackage], expected: set[str]
) -> None:
    reading.run()
    reading.package = change(reading.package)
    changed, findings = reading.run()
    assert {*reading.read_names} == expected
    reading.store = Store(reading.package.folder / "another-cache")
    anew, findings_anew = reading.run()
    assert drop_documents(changed) == drop_documents(anew)
    assert findings == findings_anew


ALL_FILES = {"tools.json", "common.defs.json", "dock.yaml", "others.json"}


@pytest.mark.parametrize("damage", [{}, [1], "tools", ("schemas/tools.json",), Definitions()], ids=repr)
def test_what_is_not_the_definitions_of_a_file_is_ignored(
    reading: Reading, damage: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, _ = reading.run()
    monkeypatch.setattr("mcpgen.cache.values.load", lambda *_: damage)
    reading.store = Store(reading.store.folder)
    second, _ = reading.run()
    assert {*reading.read_names} == ALL_FILES
    assert drop_documents(second) == drop_documents(first)


def test_a_changed_file_is_noticed_even_with_its_size_and_time(reading: Reading) -> None:
    first, _ = reading.run()
    path = reading.package.folder / "schemas" / "dock.yaml"
    status = path.stat()
    path.write_text(FILES["dock.yaml"].replace("{type: string}", "{type: number}"), "utf-8")
    os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))
    assert path.stat().st_size == status.st_size
    second, _ = reading.run()
    assert reading.read_names == ["dock.yaml"]
    assert drop_documents(second) != drop_documents(first)


def test_an_earlier_version_of_a_file_is_found_again(reading: Reading) -> None:
    path = reading.package.folder / "schemas" / "dock.yaml"
    first, _ = reading.run()
    path.write_text(FILES["dock.yaml"].replace("string", "number"), "utf-8")
    reading.run()
    path.write_text(FILES["dock.yaml"], "utf-8")
    third, _ = reading.run()
    assert reading.read_names == (["dock.yaml"] if reading.store.is_warm else []), "a process keeps its last run"
    assert drop_documents(third) == drop_documents(first)


def test_a_wrong_file_is_not_kept(reading: Reading) -> None:
    path = reading.package.folder / "schemas" / "dock.yaml"
    path.write_text("name: dock\ninputSchema: {type: objekt}\n", "utf-8")
    for _ in range(2):
        _, findings = reading.run()
        assert "dock.yaml" in reading.read_names
        assert [finding.code for finding in findings if finding.severity.value == "error"] == ["MG101"]


@pytest.mark.parametrize(
    ("table", "is_same"),
    [({"wrap": "legacy"}, False), ({"limits": {"depth": 3}}, False), ({"azure": True}, True), ({"out": "x"}, True)],
)
def test_the_settings_that_affect_reading_count(
    package: ConfiguredPackage, tmp_path: Path, table: dict[str, Any], is_same: bool
) -> None:
    def find(package: ConfiguredPackage) -> object:
        return FileCache(Store(tmp_path / "cache"), package, FileTracker(), Notes()).find(file)

    file = InputFile(package.folder / "schemas" / "dock.yaml", package.folder / "schemas", "schemas/dock.yaml")
    findings, disk = Findings(), FileTracker()
    read_definitions(package, findings, disk, Store(tmp_path / "cache"))
    changed = package.model_copy(update={"settings": PackageSettings.model_validate(table)})
    assert find(package) is not None
    assert (find(changed) is not None) == is_same


def test_the_working_folder_counts_for_messages(reading: Reading, monkeypatch: pytest.MonkeyPatch) -> None:
    for folder in (reading.package.folder, reading.package.folder / "schemas"):
        monkeypatch.chdir(folder)
        _, findings = reading.run()
        assert {*reading.read_names} == ALL_FILES
        files = {finding.span.file for finding in findings if finding.span}
        assert files == {os.path.relpath(reading.package.folder / "schemas" / "common.defs.json")}


def test_without_a_store_every_file_is_read(package: ConfiguredPackage, monkeypatch: pytest.MonkeyPatch) -> None:
    reading = Reading(package, Store(), monkeypatch)
    for _ in range(2):
        reading.run()
        assert {*reading.read_names} == ALL_FILES


def test_a_pulled_file_is_one_whether_it_was_read_before_or_not(reading: Reading) -> None:
    """Its references lead nowhere, also from a file that is read before it, or while its definitions are known."""
    schemas = reading.package.folder / "schemas"
    (schemas / "pulled").mkdir()
    outside = {"$ref": "../common.defs.json#/$defs/Wind"}
    pulled = {"name": "pulled", "inputSchema": {"type": "object"}, "$defs": {"Wind": outside}}
    (schemas / "pulled" / "server.json").write_text(json.dumps(pulled), "utf-8")
    _, found = reading.run()
    assert not any(finding.code == "MG104" for finding in found)
    for name in ("zone", "apron"):
        schema = {"type": "object", "properties": {"wind": {"$ref": "pulled/server.json#/$defs/Wind"}}}
        (schemas / f"{name}.json").write_text(json.dumps({"name": name, "inputSchema": schema}), "utf-8")
        _, found = reading.run()
        assert reading.read_names == [f"{name}.json"]
        assert [finding.code for finding in found if finding.span and finding.span.file.endswith("server.json")] == [
            "MG104"
        ]
        (schemas / f"{name}.json").unlink()
