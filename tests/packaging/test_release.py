"""A release: what the tag has to agree with, and the workflow that publishes it."""

from __future__ import annotations

import re
import shutil
from pathlib import Path
from typing import Any

import jsonschema_rs
import mcpgen
import pytest
from ruamel.yaml import YAML
from support.repository import ROOT
from support.schemastore_copy import schema

from scripts import prepare_release

VERSION = mcpgen.__version__
FILES = ("CHANGELOG.md", *prepare_release.SOURCES, *prepare_release.TEXTS)


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """Return a copy of the files that a release reads, with a dated section in the changelog."""
    for file in FILES:
        (tmp_path / file).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / file, tmp_path / file)
    changelog = tmp_path / "CHANGELOG.md"
    undated = re.compile(rf"^## \[{re.escape(VERSION)}\] - .*$", re.MULTILINE)
    changelog.write_text(undated.sub(f"## [{VERSION}] - 2026-12-01", changelog.read_text("utf-8")), "utf-8")
    return tmp_path


def _prepare(checkout: Path, tag: str) -> int:
    return prepare_release.main(["--tag", tag, "--repository", "harbour/mcpgen"], checkout)


def test_a_release_names_its_repository(checkout: Path) -> None:
    assert _prepare(checkout, f"v{VERSION}") == 0
    for file in prepare_release.TEXTS:
        assert "OWNER" not in (checkout / file).read_text("utf-8")
    assert "https://github.com/harbour/mcpgen/issues" in (checkout / "pyproject.toml").read_text("utf-8")


def test_other_versions_are_refused(checkout: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert _prepare(checkout, "v9.8.7") == 1
    printed = capsys.readouterr().err
    assert f"codegen/mcpgen/__init__.py says {VERSION}, the tag 9.8.7" in printed
    assert f"runtime/src/mcpgen_runtime/__init__.py says {VERSION}, the tag 9.8.7" in printed
    assert f"pyproject.toml says mcpgen-runtime {VERSION}, the tag 9.8.7" in printed
    assert "CHANGELOG.md has no section for 9.8.7" in printed
    assert "OWNER" in (checkout / "pyproject.toml").read_text("utf-8")


def test_a_section_without_a_date_is_refused(checkout: Path, capsys: pytest.CaptureFixture[str]) -> None:
    changelog = checkout / "CHANGELOG.md"
    changelog.write_text(changelog.read_text("utf-8").replace("2026-12-01", "unreleased"), "utf-8")
    assert _prepare(checkout, f"v{VERSION}") == 1
    assert f"write ## [{VERSION}] - YYYY-MM-DD" in capsys.readouterr().err


@pytest.mark.parametrize("tag", ["main", "v1", "1.2.3", "v1.2.3rc1"])
def test_other_tags_are_refused(checkout: Path, tag: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert _prepare(checkout, tag) == 1
    assert "is no tag of a release" in capsys.readouterr().err


# --- workflows --------------------------------------------------------------------------------------------------------
def _load_workflow(name: str) -> Any:
    return YAML(typ="safe").load((ROOT / ".github" / "workflows" / name).read_text("utf-8"))


@pytest.mark.ci
@pytest.mark.parametrize("path", sorted((ROOT / ".github" / "workflows").glob("*.yml")), ids=lambda path: path.name)
def test_workflows_are_what_github_takes(path: Path) -> None:
    workflow = _load_workflow(path.name)
    problems = [error.message for error in jsonschema_rs.validator_for(schema("github-workflow")).iter_errors(workflow)]
    assert problems == []


def test_publishing_takes_no_password() -> None:
    """The index trusts the workflow: only the last job may ask for a token, and it runs nothing of the checkout."""
    text = (ROOT / ".github" / "workflows" / "release.yml").read_text("utf-8")
    assert "secrets." not in text
    workflow = _load_workflow("release.yml")
    assert workflow["permissions"] == {"contents": "read"}
    publish = workflow["jobs"]["publish"]
    assert publish["needs"] == "build"
    assert publish["permissions"] == {"id-token": "write"}
    assert publish["environment"] == "pypi"
    assert all("run" not in step for step in publish["steps"])
    assert "permissions" not in workflow["jobs"]["build"]


def test_the_workflows_run_what_is_there() -> None:
    for path in (ROOT / ".github" / "workflows").glob("*.yml"):
        for command in re.findall(r"(?:python|run:) (\S+/\S+)", path.read_text("utf-8")):
            assert (ROOT / command).is_file(), f"{path.name} runs {command}"
