"""Where shared run-time packages lie, and which settings of them are wrong."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from mcpgen.config.models import ConfiguredPackage, PackageSettings
from mcpgen.config.runtime_packages import SharedRuntime, find_runtimes
from mcpgen.diagnostics import Findings

NAME = "acme.mcp_runtime"


def find(folder: Path, *tables: dict[str, Any]) -> tuple[list[SharedRuntime], list[tuple[str, str]]]:
    """Return the run-time packages of some packages, and the findings."""
    packages = [
        ConfiguredPackage(settings=PackageSettings.model_validate(table), folder=folder, roots=(folder,))
        for table in tables
    ]
    findings = Findings()
    runtimes = find_runtimes(packages, findings)
    return runtimes, [(finding.code, finding.message) for finding in findings]


@pytest.mark.parametrize(
    ("table", "place"),
    [
        ({}, "acme/mcp_runtime"),
        ({"out": "src/weather/mcp_gen"}, "src/acme/mcp_runtime"),
        ({"out": "lib/weather"}, "acme/mcp_runtime"),
        ({"out": "src/weather", "runtime-out": "libs/a/mcp_runtime"}, "libs/a/mcp_runtime"),
    ],
)
def test_place(tmp_path: Path, table: dict[str, Any], place: str) -> None:
    settings = {"runtime": NAME, "sdk": "mcp", "schemas": ["a"], "tools": {"x": {}}, **table}
    (runtime,), findings = find(tmp_path, settings)
    assert findings == []
    assert runtime.package is not None
    assert runtime.package.is_runtime
    assert runtime.package.settings.out == place
    assert (runtime.package.settings.sdk, runtime.package.settings.schemas) == ("mcp", [])
    assert not runtime.package.settings.tools
    is_named_alike = place.endswith("acme/mcp_runtime")
    root = tmp_path / place.removesuffix("/acme/mcp_runtime") if place.startswith("src") else tmp_path
    assert runtime.import_folder == (root if is_named_alike else None)


def test_an_absolute_out_of_the_command_line(tmp_path: Path) -> None:
    (runtime,), _ = find(tmp_path, {"runtime": NAME, "out": str(tmp_path / "src" / "weather")})
    assert runtime.package is not None
    assert runtime.package.settings.out == "src/acme/mcp_runtime"


def test_packages_share_it(tmp_path: Path) -> None:
    tables = ({"runtime": name, "out": out} for out, name in (("a", NAME), ("b", NAME), ("c", "other")))
    runtimes, findings = find(tmp_path, *tables, {"out": "d", "runtime": False})
    assert findings == []
    assert [runtime.name for runtime in runtimes] == [NAME, "other"]


def test_a_package_with_a_copy_of_what_others_share(tmp_path: Path) -> None:
    sharing = {"runtime": NAME, "out": "a"}
    _, findings = find(tmp_path, sharing, {"out": "b"})
    assert findings == [("MG309", f"b has its own copy of the run-time modules, but a uses the shared package {NAME}")]
    _, findings = find(tmp_path, {"out": "b"}, {"out": "c", "schemas": ["c"]}, sharing, {"runtime": "x.y", "out": "d"})
    assert findings == [
        ("MG309", f"b and c have their own copies of the run-time modules, but a uses the shared package {NAME}")
    ]


@pytest.mark.parametrize(
    "table", [{"runtime": False}, {"sdk": "mcp"}, {"protocol": "2025-06-18"}, {"limits": {"value-depth": 7}}]
)
def test_a_package_that_cannot_share_or_shall_not(tmp_path: Path, table: dict[str, Any]) -> None:
    runtimes, findings = find(tmp_path, {"runtime": NAME, "out": "a"}, {"out": "b", **table})
    assert ([runtime.name for runtime in runtimes], findings) == ([NAME], [])


def test_packages_without_a_shared_one(tmp_path: Path) -> None:
    assert find(tmp_path, {"out": "a"}, {"out": "b"}, {"out": "c", "runtime": False}) == ([], [])


def test_it_may_be_built_elsewhere(tmp_path: Path) -> None:
    (runtime,), findings = find(tmp_path, {"runtime": NAME, "runtime-out": False})
    assert (findings, runtime.package, runtime.import_folder) == ([], None, None)


@pytest.mark.parametrize(
    "name", ["", ".runtime", "a..b", "acme.mcp-runtime", "acme.class", "acmé.x", "a b", "a.", "1a"]
)
def test_names_that_no_package_has(tmp_path: Path, name: str) -> None:
    runtimes, findings = find(tmp_path, {"runtime": name})
    assert (runtimes, findings) == ([], [("MG305", f'"{name}" is not the name of a Python package')])


def test_a_name_in_the_standard_library(tmp_path: Path) -> None:
    _, ((code, message),) = find(tmp_path, {"runtime": "json.mcp"})
    assert (code, message) == ("MG305", '"json.mcp" cannot be imported: `json` is a module of Python itself')


@pytest.mark.parametrize(
    "table",
    [
        {"runtime": "generated.runtime"},
        {"runtime": "generated"},
        {"runtime": "acme", "out": "acme/weather"},
        {"runtime": NAME, "out": "acme/mcp_runtime"},
        {"runtime": NAME, "runtime-out": "generated/tools/mcp_runtime"},
    ],
)
def test_it_keeps_apart_from_generated_packages(tmp_path: Path, table: dict[str, Any]) -> None:
    runtimes, ((code, message),) = find(tmp_path, table, {"out": "another"})
    assert (runtimes, code) == ([], "MG305")
    assert message.endswith("overlap")


@pytest.mark.parametrize(
    ("table", "code", "text"),
    [
        ({"runtime-out": "x"}, "MG305", "`runtime-out` says nothing without `runtime`"),
        ({"runtime": NAME, "runtime-out": "lib/rt"}, "MG305", "cannot be imported as acme.mcp_runtime"),
        ({"runtime": NAME, "runtime-out": "../mcp_runtime"}, "MG304", "is outside the project"),
    ],
)
def test_wrong_places(tmp_path: Path, table: dict[str, Any], code: str, text: str) -> None:
    runtimes, ((span, message),) = find(tmp_path, table)
    assert (runtimes, span) == ([], code)
    assert text in message


def test_a_link_out_of_the_project(tmp_path: Path) -> None:
    project = tmp_path / "project"
    project.mkdir()
    (tmp_path / "acme").mkdir()
    (project / "acme").symlink_to(tmp_path / "acme")
    runtimes, ((code, _),) = find(project, {"runtime": NAME})
    assert (runtimes, code) == ([], "MG304")


@pytest.mark.parametrize(
    ("key", "first", "second", "described"),
    [
        ("sdk", "mcp", "fastmcp", '"mcp" for a, "fastmcp" for b'),
        ("protocol", "2025-06-18", None, '"2025-06-18" for a, nothing for b'),
        ("mcp-schema", None, "s.json", 'nothing for a, "s.json" for b'),
        ("runtime-out", False, "x/mcp_runtime", 'false for a, "x/mcp_runtime" for b'),
    ],
)
def test_settings_that_differ(tmp_path: Path, key: str, first: object, second: object, described: str) -> None:
    tables = [
        {"runtime": NAME, "out": out} | ({} if value is None else {key: value})
        for out, value in (("a", first), ("b", second))
    ]
    runtimes, findings = find(tmp_path, *tables)
    message = f"packages with different `{key}` share the run-time package {NAME}: {described}"
    assert (runtimes, findings) == ([], [("MG306", message)])


@pytest.mark.parametrize("key", ["value-depth", "pattern-length", "pattern-steps"])
def test_limits_that_differ(tmp_path: Path, key: str) -> None:
    tables = [{"runtime": NAME, "out": str(value), "limits": {key: value, "depth": value}} for value in (100, 200)]
    runtimes, ((code, message),) = find(tmp_path, *tables)
    assert (runtimes, code) == ([], "MG306")
    assert f"`limits.{key}`" in message


def test_two_names_for_one_folder(tmp_path: Path) -> None:
    tables = [{"runtime": f"{name}.rt", "out": name, "runtime-out": "lib/rt"} for name in ("a", "b")]
    runtimes, ((code, message),) = find(tmp_path, *tables)
    assert [runtime.name for runtime in runtimes] == ["a.rt"]
    assert (code, message.startswith("a.rt and b.rt would both be written to ")) == ("MG305", True)
