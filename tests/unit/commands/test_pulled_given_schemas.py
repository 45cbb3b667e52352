"""Tools that have an outputSchema from the settings and from their server."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from mcpgen.commands.pulled_files import (
    PulledHeader,
    compare_given_schemas,
    leave_out_schemas,
    locate_given_schemas,
    render_pulled_file,
)
from mcpgen.config.load import find_settings, load_packages
from mcpgen.diagnostics import Findings
from mcpgen.introspect.drift import find_drift
from mcpgen.read.loader import read_definitions
from support.listings import advertised
from support.packages import tool

TIDES: Any = {"type": "object", "properties": {"high": {"type": "number"}}, "required": ["high"]}
LIST: Any = {"type": "array", "items": {"type": "number"}}


ANY_OF: Any = {"anyOf": [{"type": "string"}, {"type": "null"}]}


def make_noted(note: Any) -> Any:
    return {**TIDES, "properties": {"high": {"type": "number"}, "note": note}}


def write_settings(folder: Path, schema: Any, more: str = "") -> Any:
    (folder / "tides.json").write_text(json.dumps(schema), "utf-8")
    (folder / "mcpgen.toml").write_text(f"[tools.tides]\noutputSchema = 'tides.json'\n{more}", "utf-8")
    return load_packages(find_settings(folder), folder, Findings())


@pytest.mark.parametrize("protocol", ["2025-06-18", "2026-07-28"])
@pytest.mark.parametrize(
    ("given", "more", "declared", "agreement"),
    [
        (TIDES, "", TIDES, "same"),
        (TIDES, "", {**TIDES, "title": "Tides", "description": "Of a day."}, "same"),
        (TIDES, "", {**TIDES, "required": []}, "different"),
        (LIST, "", {"type": "object", "properties": {"result": LIST}, "required": ["result"]}, "same"),
        (LIST, "", LIST, "different"),
        (make_noted({"type": ["string", "null"]}), "", make_noted(ANY_OF), "same"),
        (make_noted({"type": ["string", "null"]}), "", make_noted({"type": "string"}), "different"),
    ],
)
def test_the_schema_of_the_server_is_compared_as_the_package_would_advertise_it(
    given: Any, more: str, declared: Any, agreement: str, protocol: str, tmp_path: Path
) -> None:
    packages = write_settings(tmp_path, given, more)
    live = advertised(tool("tides", declared), tool("other", TIDES), tool("bare"), protocol=protocol)
    assert compare_given_schemas(packages, live) == {"tides": agreement}


@pytest.mark.parametrize(
    ("given", "agreement", "failing"),
    [
        ([TIDES, TIDES], "same", []),
        ([TIDES, None], "partly", [0]),
        ([None, TIDES], "partly", [1]),
        ([TIDES, LIST], "different", [0, 1]),
        ([LIST, TIDES], "different", [0, 1]),
        ([LIST, None], "different", [0]),
    ],
)
def test_all_packages_that_read_the_file_decide(
    given: list[Any], agreement: str, failing: list[int], tmp_path: Path
) -> None:
    """Reading the file for each package is the oracle: it has the tool's schema, or its settings clash."""
    tables: list[str] = []
    for number, schema in enumerate(given):
        tables.append(f"[[package]]\nschemas = ['schemas']\nout = 'p{number}'\n")
        if schema is not None:
            (tmp_path / f"{number}.json").write_text(json.dumps(schema), "utf-8")
            tables.append(f"[package.tools.tides]\noutputSchema = '{number}.json'\n")
    (tmp_path / "mcpgen.toml").write_text("".join(tables), "utf-8")
    packages = load_packages(find_settings(tmp_path), tmp_path, Findings())
    live = advertised(tool("tides", TIDES), protocol="2026-07-28")
    assert compare_given_schemas(packages, live) == {"tides": agreement}
    kept = leave_out_schemas(live, ["tides"] if agreement == "same" else [])
    (tmp_path / "schemas").mkdir()
    (tmp_path / "schemas/tides.json").write_text(render_pulled_file(kept, PulledHeader("server")), "utf-8")
    failed: list[int] = []
    for number, package in enumerate(packages):
        definitions = read_definitions(package, findings := Findings())
        if findings.failed:
            failed.append(number)
        else:
            assert definitions.tools[0].output is not None
    assert failed == failing


def test_a_natural_root_is_the_same_where_the_settings_leave_it_natural(tmp_path: Path) -> None:
    packages = write_settings(tmp_path, LIST, "wrap = 'legacy'\n")
    live = advertised(tool("tides", LIST), protocol="2026-07-28")
    assert compare_given_schemas(packages, live) == {"tides": "same"}


def test_a_tool_without_a_schema_and_a_file_that_is_not_there_are_left_alone(tmp_path: Path) -> None:
    packages = write_settings(tmp_path, TIDES)
    assert compare_given_schemas(packages, advertised(tool("tides"))) == {}
    (tmp_path / "tides.json").unlink()
    assert compare_given_schemas(packages, advertised(tool("tides", TIDES))) == {}


@pytest.mark.parametrize("given", [TIDES, LIST])
def test_a_file_without_the_schema_is_no_drift_and_no_clash(given: Any, tmp_path: Path) -> None:
    """What is left out must be what reading the file adds again."""
    (package,) = write_settings(tmp_path, given)
    wrapped = {"type": "object", "properties": {"result": LIST}, "required": ["result"]}
    live = advertised(tool("tides", wrapped if given is LIST else TIDES), protocol="2026-07-28")
    names = compare_given_schemas([package], live)
    file = tmp_path / "schemas" / "pulled" / "server.json"
    file.parent.mkdir(parents=True)
    file.write_text(render_pulled_file(leave_out_schemas(live, names), PulledHeader("server")), "utf-8")
    definitions = read_definitions(package, findings := Findings())
    assert not findings.failed
    assert definitions.tools[0].is_output_from_settings
    assert find_drift(definitions, live, definitions.tools[0].span, strict=True).diagnostics == []


def test_where_the_settings_give_schemas(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    packages = write_settings(tmp_path, TIDES)
    assert locate_given_schemas(packages, ["tides", "other"]) == ("outputSchema of tides (mcpgen.toml:2)",)
    assert locate_given_schemas([*packages, *packages], ["tides"]) == ("outputSchema of tides (mcpgen.toml:2)",)
    assert locate_given_schemas(packages, []) == ()
