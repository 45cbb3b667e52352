"""Paths of the settings stay in the project; those of the command line may lead anywhere."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from mcpgen.config.load import override_settings
from mcpgen.config.models import ConfiguredPackage, PackageSettings
from mcpgen.diagnostics import Findings


def configure(folder: Path, **table: Any) -> ConfiguredPackage:
    settings = PackageSettings.model_validate(table)
    return ConfiguredPackage(settings=settings, folder=folder, roots=(folder.resolve(),))


@pytest.mark.parametrize(
    "table",
    [
        {"out": "../x"},
        {"schemas": ["schemas", "../x"]},
        {"ref-map": {"https://a/": "../x"}},
        {"tools": {"a": {"outputSchema": "../x"}}},
    ],
)
def test_a_path_of_the_settings_stays_in_the_project(tmp_path: Path, table: dict[str, Any]) -> None:
    package, findings = configure(tmp_path / "project", **table), Findings()
    assert override_settings([package], [], {}, findings) == []
    assert [finding.code for finding in findings] == ["MG304"]
    assert len(override_settings([package], [], {}, Findings(), tmp_path)) == 1


@pytest.mark.parametrize("folder", [".git", ".git/hooks", "schemas/.hg", ".JJ/x", "link/x"])
def test_a_path_of_the_settings_is_no_data_of_the_version_control(tmp_path: Path, folder: str) -> None:
    (tmp_path / ".git").mkdir()
    (tmp_path / "link").symlink_to(".git")
    tables: list[dict[str, Any]] = [{"out": folder}, {"schemas": [folder]}, {"ref-map": {"https://a/": folder}}]
    for table in tables:
        findings = Findings()
        assert override_settings([configure(tmp_path, **table)], [], {}, findings) == []
        assert [(finding.code, "version control" in finding.message) for finding in findings] == [("MG304", True)]
    assert len(override_settings([configure(tmp_path)], [], {"out": tmp_path / folder / "gen"}, Findings())) == 1
    assert len(override_settings([configure(tmp_path, out=".github/x")], [], {}, Findings())) == 1


def test_paths_of_the_command_line_may_lead_anywhere(tmp_path: Path) -> None:
    (tmp_path / "input").mkdir()
    package, findings = configure(tmp_path / "project"), Findings()
    options = {"out": tmp_path / "out", "sdk": "mcp", "protocol": None}
    (overridden,) = override_settings([package], [tmp_path / "input"], options, findings)
    assert overridden.settings.schemas == [str(tmp_path / "input")]
    assert (overridden.settings.out, overridden.settings.sdk) == (str(tmp_path / "out"), "mcp")
    assert overridden.settings.protocol is None
    assert not list(findings)


def test_a_wrong_option_is_reported(tmp_path: Path) -> None:
    findings = Findings()
    assert override_settings([configure(tmp_path)], [], {"sdk": "mcpp"}, findings) == []
    (finding,) = findings
    assert finding.message.startswith("--sdk: ")


def test_a_folder_that_no_program_can_import_is_named_by_who_chose_it(tmp_path: Path) -> None:
    findings = Findings()
    assert override_settings([configure(tmp_path, out="my-gen")], [], {}, findings) == []
    assert override_settings([configure(tmp_path)], [], {"out": tmp_path / "class"}, findings) == []
    (chosen_in_settings, chosen_by_option) = findings
    assert chosen_in_settings.message.startswith('"out": the folder\'s name, "my-gen", is not a Python identifier')
    assert chosen_in_settings.help == 'write out = "my_gen"'
    assert chosen_by_option.message.startswith('--out: the folder\'s name, "class", is a keyword of Python')
    assert (chosen_by_option.span, chosen_by_option.help) == (None, 'choose a name such as "class_"')
