"""Input files are found once, in one order, and what is wrong with an input is reported."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from mcpgen.config.models import ConfiguredPackage, PackageSettings
from mcpgen.diagnostics import Findings
from mcpgen.files.file_tracker import FileTracker
from mcpgen.read.content_templates import TemplateCatalog
from mcpgen.read.input_files import InputFile, InputFileFinder, find_own_folder, is_pulled
from mcpgen.read.reserved_folders import LEARNED_FOLDER
from support.documents import list_messages


def find(folder: Path, *inputs: str, **settings: Any) -> tuple[list[str], list[tuple[str, str]]]:
    """Return the origins of the files that are found, and the findings."""
    package = ConfiguredPackage(
        settings=PackageSettings.model_validate({"schemas": [*inputs], **settings}), folder=folder
    )
    findings, disk = Findings(), FileTracker()
    templates = TemplateCatalog(folder, package.settings.limits, findings, disk)
    finder = InputFileFinder(package, findings, disk, templates)
    return [file.origin for file in finder.find_files()], list_messages(findings)


def write(folder: Path, *names: str) -> None:
    for name in names:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).touch()


def test_files_are_found_once_in_the_order_of_their_paths(tmp_path: Path) -> None:
    write(tmp_path, "schemas/b.json", "schemas/a/c.yaml", "schemas/d.txt", "one.yml")
    assert find(tmp_path, "schemas", "one.yml", "schemas/b.json") == (
        ["schemas/a/c.yaml", "schemas/b.json", "one.yml"],
        [],
    )


def test_wrong_inputs_are_reported(tmp_path: Path) -> None:
    write(tmp_path, "a.txt", "generated/x.json")
    actual, messages = find(tmp_path, "a.txt", "nothing", "generated")
    assert actual == []
    assert messages == [
        ("MG001", "not a JSON or YAML file"),
        ("MG001", "no such file or folder"),
        ("MG302", "the package would be among its definitions"),
    ]


def test_links_out_of_the_folder_are_reported(tmp_path: Path) -> None:
    write(tmp_path, "secret.json", "schemas/a.json")
    (tmp_path / "schemas" / "b.json").symlink_to(tmp_path / "secret.json")
    assert find(tmp_path, "schemas") == (["schemas/a.json"], [("MG001", "is a link out of the input folder")])


def test_the_number_of_files_is_limited(tmp_path: Path) -> None:
    write(tmp_path, *(f"schemas/{number}.json" for number in range(5)))
    actual, messages = find(tmp_path, "schemas", limits={"files": 3})
    assert len(actual) == 3
    assert messages == [("MG009", "more than 3 input files")]


def test_pulled_files_are_told_by_their_folder() -> None:
    assert is_pulled(InputFile(Path("schemas/pulled/a.json"), Path("schemas"), ""))
    assert is_pulled(InputFile(Path("pulled/a.json"), Path("pulled"), ""))
    assert not is_pulled(InputFile(Path("schemas/inner/pulled/a.json"), Path("schemas"), ""))


def test_what_was_learned_is_no_input(tmp_path: Path) -> None:
    """Schemas that only the settings name; a folder of that name elsewhere is one like any other."""
    write(tmp_path, "schemas/a.json", "schemas/learned/b.json", "schemas/learned/c/d.yaml", "schemas/e/learned/f.json")
    assert find(tmp_path, "schemas") == (["schemas/a.json", "schemas/e/learned/f.json"], [])
    assert find(tmp_path, "schemas/learned/b.json") == (["b.json"], [])


@pytest.mark.parametrize(
    ("schemas", "expected"),
    [
        (["definitions"], "definitions/learned"),
        (["tools.json", "definitions"], "definitions/learned"),
        (["a/learned"], "a/learned"),
        (["a/learned/b.json"], "a/learned"),
    ],
)
def test_the_folder_of_a_command(tmp_path: Path, schemas: list[str], expected: str) -> None:
    package = ConfiguredPackage(settings=PackageSettings.model_validate({"schemas": schemas}), folder=tmp_path)
    assert find_own_folder([package], LEARNED_FOLDER) == tmp_path / expected


def test_the_folder_of_a_command_without_settings() -> None:
    assert find_own_folder([], LEARNED_FOLDER) == Path("schemas/learned")
