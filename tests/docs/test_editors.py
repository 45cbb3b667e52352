"""docs/guides/editors.md and docs/schemastore: the settings' schema as editors and SchemaStore use it."""

from __future__ import annotations

import importlib
import json
import re
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import jsonschema_rs
import pytest
from mcpgen.config.load import load_packages
from mcpgen.diagnostics import Findings
from support.doc_pages import read_page
from support.linters import run_linter
from support.repository import ROOT
from support.schemastore_copy import schema

pytestmark = pytest.mark.ci
FOLDER = ROOT / "docs" / "schemastore"
VALID = sorted(FOLDER.glob("test/*.toml"))
INVALID = sorted(FOLDER.glob("negative_test/*.toml"))
samples = pytest.mark.parametrize("sample", [*VALID, *INVALID], ids=lambda path: f"{path.parent.name}/{path.name}")


def load(name: str) -> Any:
    return json.loads((FOLDER / name).read_text("utf-8"))


def test_there_are_samples_of_both_kinds() -> None:
    assert (len(VALID), len(INVALID)) == (2, 10)


def test_the_entry_of_the_catalog_is_what_schemastore_takes() -> None:
    address = "https://json.schemastore.org/schema-catalog.json"
    catalog = {"$schema": address, "version": 1, "schemas": [load("catalog-entry.json")]}
    jsonschema_rs.Draft4Validator(schema("schema-catalog")).validate(catalog)


def test_all_parts_name_the_same_schema() -> None:
    address = load("mcpgen.json")["$id"]
    assert address == load("catalog-entry.json")["url"] == load("pyproject-tool.json")["mcpgen"]["$ref"]
    assert address.startswith("https://json.schemastore.org/")


def test_the_schema_is_valid_itself() -> None:
    jsonschema: Any = importlib.import_module("jsonschema")
    jsonschema.Draft7Validator.check_schema(load("mcpgen.json"))
    jsonschema_rs.meta.validate(load("mcpgen.json"))
    formats = re.findall(r'"format":', (FOLDER / "mcpgen.json").read_text("utf-8"))
    assert not formats  # SchemaStore refuses formats that its validator does not know


@samples
def test_independent_validators_and_mcpgen_agree_about_a_sample(sample: Path) -> None:
    jsonschema: Any = importlib.import_module("jsonschema")
    expected = sample in VALID
    settings = tomllib.loads(sample.read_text("utf-8"))
    assert jsonschema.Draft7Validator(load("mcpgen.json")).is_valid(settings) == expected
    assert jsonschema_rs.Draft7Validator(load("mcpgen.json")).is_valid(settings) == expected
    findings = Findings()
    load_packages(sample, sample.parent, findings)
    assert findings.failed != expected


@samples
def test_a_sample_is_refused_inside_pyproject_in_the_same_way(sample: Path) -> None:
    """As SchemaStore's schema of pyproject.toml refers to it."""
    root = {
        "$schema": "http://json-schema.org/draft-07/schema#",
        "properties": {"tool": {"properties": load("pyproject-tool.json")}},
    }
    registry = jsonschema_rs.Registry([(load("mcpgen.json")["$id"], load("mcpgen.json"))])
    validator = jsonschema_rs.Draft7Validator(root, registry=registry)
    settings = tomllib.loads(sample.read_text("utf-8"))
    assert validator.is_valid({"tool": {"mcpgen": settings, "black": {"line-length": 1}}}) == (sample in VALID)


@samples
@pytest.mark.parametrize("linter", ["taplo", "tombi"])
def test_editors_servers_agree_about_a_sample(linter: str, sample: Path) -> None:
    words = ["check"] if linter == "taplo" else ["lint", "--offline"]
    found = run_linter(linter, *words, sample.name, cwd=sample.parent)
    assert (found == "") == (sample in VALID), found


list_blocks = read_page("guides/editors.md").list_texts


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A folder with the schema, made by the command of the page."""
    (command,) = list_blocks("sh")
    words = command.split(" >")[0].split()
    printed = subprocess.run([sys.executable, *words[1:]], cwd=tmp_path, check=True, capture_output=True).stdout
    assert printed == (ROOT / "docs/mcpgen.schema.json").read_bytes()
    (tmp_path / "mcpgen.schema.json").write_bytes(printed)
    return tmp_path


def test_the_comment_of_the_page(project: Path) -> None:
    settings = list_blocks("toml")[0]
    for linter, words in (("taplo", ["check"]), ("tombi", ["lint", "--offline"])):
        (project / "mcpgen.toml").write_text(settings, "utf-8")
        assert run_linter(linter, *words, "mcpgen.toml", cwd=project) == ""
        (project / "mcpgen.toml").write_text(settings.replace('"mcp"', '"mpc"'), "utf-8")
        assert "mpc" in run_linter(linter, *words, "mcpgen.toml", cwd=project)


def test_the_rule_for_taplo(project: Path) -> None:
    (project / ".taplo.toml").write_text(list_blocks("toml")[1], "utf-8")
    (project / "mcpgen.toml").write_text('sdk = "mpc"\n', "utf-8")
    assert "mpc" in run_linter("taplo", "check", "mcpgen.toml", cwd=project)


def test_the_schema_for_a_part_of_pyproject(project: Path) -> None:
    (project / "tombi.toml").write_text(list_blocks("toml")[2], "utf-8")
    for sdk in ("mcp", "mpc"):
        text = f'[project]\nname = "a"\nversion = "1"\n\n[tool.mcpgen]\nsdk = "{sdk}"\n'
        (project / "pyproject.toml").write_text(text, "utf-8")
        found = run_linter("tombi", "lint", "--offline", "pyproject.toml", cwd=project)
        assert ("must be one of" in found) == (sdk == "mpc"), found


def test_the_association_for_vs_code() -> None:
    (text,) = list_blocks("json")
    ((pattern, path),) = json.loads(text)["evenBetterToml.schema.associations"].items()
    assert re.search(pattern, "/home/a/project/mcpgen.toml")
    assert not re.search(pattern, "/home/a/project/pyproject.toml")
    assert path == "./mcpgen.schema.json"
