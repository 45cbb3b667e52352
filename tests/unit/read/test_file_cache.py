"""Cached definitions are valid while what they depend on and the settings are unchanged."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from mcpgen.config.models import ConfiguredPackage, PackageSettings
from mcpgen.files.file_tracker import FileTracker
from mcpgen.read.definitions import Definitions
from mcpgen.read.file_cache import FileCache, FileDefinitions, make_reading_key
from mcpgen.read.input_files import InputFile


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "a.json"
    path.write_text("{}", "utf-8")
    return path


def keep(cache: FileCache, file: Path) -> FileDefinitions:
    disk = FileTracker()
    disk.read(file)
    definitions = FileDefinitions(
        InputFile(file, file.parent, file.name), disk.observations, Definitions(), (), frozenset()
    )
    cache.keep(definitions)
    return definitions


def test_an_unchanged_file_is_recalled_run_after_run(file: Path) -> None:
    cache = FileCache()
    cache.start_run("key")
    definitions = keep(cache, file)
    for _ in range(2):
        cache.start_run("key")
        assert cache.get_unchanged(file, FileTracker()) is definitions


def test_what_a_run_does_not_use_is_dropped(file: Path) -> None:
    cache = FileCache()
    cache.start_run("key")
    keep(cache, file)
    cache.start_run("key")
    cache.start_run("key")
    assert cache.get_unchanged(file, FileTracker()) is None


def test_changes_are_noticed(file: Path) -> None:
    cache = FileCache()
    cache.start_run("key")
    keep(cache, file)
    cache.start_run("other key")
    assert cache.get_unchanged(file, FileTracker()) is None
    keep(cache, file)
    file.write_text("[]", "utf-8")
    cache.start_run("other key")
    assert cache.get_unchanged(file, FileTracker()) is None


@pytest.mark.parametrize(
    ("table", "is_same"),
    [({"wrap": "legacy"}, False), ({"limits": {"depth": 3}}, False), ({"azure": True}, True), ({"out": "x"}, True)],
)
def test_the_key_has_the_settings_that_affect_reading(table: dict[str, Any], is_same: bool) -> None:
    def make_key(table: dict[str, Any]) -> str:
        settings = PackageSettings.model_validate(table)
        return make_reading_key(ConfiguredPackage(settings=settings, folder=Path("a")), [Path("a/schemas")])

    assert (make_key(table) == make_key({})) == is_same
