"""Cached definitions are valid while what they depend on and the settings are unchanged, also those on disk."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from mcpgen.cache.store import CacheStore
from mcpgen.config.models import ConfiguredPackage, PackageSettings
from mcpgen.diagnostics import Findings
from mcpgen.files.file_tracker import FileTracker
from mcpgen.read import loader
from mcpgen.read.definitions import Definitions, ToolDefinition
from mcpgen.read.file_cache import FileCache, FileDefinitions, make_reading_key
from mcpgen.read.input_files import InputFile
from mcpgen.read.loader import read_definitions


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "a.json"
    path.write_text("{}", "utf-8")
    return path


def make_input(file: Path) -> InputFile:
    return InputFile(file, file.parent, file.name)


def keep(cache: FileCache, file: Path) -> FileDefinitions:
    disk = FileTracker()
    disk.read(file)
    definitions = FileDefinitions(make_input(file), disk.observations, Definitions(), (), frozenset())
    cache.keep(definitions)
    return definitions


def test_an_unchanged_file_is_recalled_run_after_run(file: Path) -> None:
    cache = FileCache()
    cache.start_run("key")
    definitions = keep(cache, file)
    for _ in range(2):
        cache.start_run("key")
        assert cache.get_unchanged(make_input(file), FileTracker()) is definitions


def test_what_a_run_does_not_use_is_dropped(file: Path) -> None:
    cache = FileCache()
    cache.start_run("key")
    keep(cache, file)
    cache.start_run("key")
    cache.start_run("key")
    assert cache.get_unchanged(make_input(file), FileTracker()) is None


def test_changes_are_noticed(file: Path) -> None:
    cache = FileCache()
    cache.start_run("key")
    keep(cache, file)
    cache.start_run("other key")
    assert cache.get_unchanged(make_input(file), FileTracker()) is None
    keep(cache, file)
    file.write_text("[]", "utf-8")
    cache.start_run("other key")
    assert cache.get_unchanged(make_input(file), FileTracker()) is None


@pytest.mark.parametrize(
    ("table", "is_same"),
    [({"wrap": "legacy"}, False), ({"limits": {"depth": 3}}, False), ({"azure": True}, True), ({"out": "x"}, True)],
)
def test_the_key_has_the_settings_that_affect_reading(table: dict[str, Any], is_same: bool) -> None:
    def make_key(table: dict[str, Any]) -> str:
        settings = PackageSettings.model_validate(table)
        return make_reading_key(ConfiguredPackage(settings=settings, folder=Path("a")))

    assert (make_key(table) == make_key({})) == is_same


# --- the cache on disk -----------------------------------------------------------------------------------------------
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

    def __init__(self, package: ConfiguredPackage, store: CacheStore, monkeypatch: pytest.MonkeyPatch) -> None:
        self.package, self.store, self.read_names = package, store, list[str]()
        read_file = loader._read_file  # pyright: ignore[reportPrivateUsage]

        def read_and_count(file: InputFile, context: Any) -> Definitions:
            self.read_names.append(file.path.name)
            return read_file(file, context)

        monkeypatch.setattr(loader, "_read_file", read_and_count)

    def run(self) -> tuple[Definitions, list[Any]]:
        """Return the definitions and the findings, and store them for the next run."""
        self.read_names.clear()
        cache, findings = FileCache(self.store), Findings()
        disk = FileTracker()
        definitions = read_definitions(self.package, findings, disk, cache)
        cache.store_kept()
        return definitions, findings.sorted()


@pytest.fixture
def reading(package: ConfiguredPackage, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Reading:
    return Reading(package, CacheStore(tmp_path / "cache"), monkeypatch)


def _list_copies(tool: ToolDefinition) -> set[str]:
    return {f"/{member}{at}" for member, schema in tool.written.items() for at in schema.copies}


def drop_documents(definitions: Definitions) -> Definitions:
    return replace(
        definitions,
        tools=[replace(tool, document=None, written={}) for tool in definitions.tools],
        resources=[replace(resource, document=None, written=None) for resource in definitions.resources],
        prompts=[replace(prompt, document=None) for prompt in definitions.prompts],
    )


def test_another_process_recalls_everything(reading: Reading) -> None:
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
    reading.run()
    (tool, *_), _ = reading.run()[0].tools, None
    (reading.package.folder / "schemas" / "tools.json").unlink()
    assert tool.locate("/inputSchema/type").line == 0


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
    reading.store = CacheStore(reading.package.folder / "another-cache")
    anew, findings_anew = reading.run()
    assert drop_documents(changed) == drop_documents(anew)
    assert findings == findings_anew


@pytest.mark.parametrize("damage", ["{}", "[1]", '{"schemas/tools.json": ["_StoredFile"]}'])
def test_a_malformed_entry_is_ignored(reading: Reading, damage: str, monkeypatch: pytest.MonkeyPatch) -> None:
    first, _ = reading.run()
    monkeypatch.setattr(reading.store, "get", lambda kind, key: json.loads(damage))
    second, _ = reading.run()
    assert {*reading.read_names} == {"tools.json", "common.defs.json", "dock.yaml", "others.json"}
    assert drop_documents(second) == drop_documents(first)
