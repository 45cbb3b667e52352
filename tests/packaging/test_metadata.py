"""What is published: dependencies that can be installed beside others, metadata, the changelog's form."""

from __future__ import annotations

import re
import tomllib
from typing import Any

import mcpgen
import mcpgen_runtime
import pytest
from mcpgen.targets import SDKS, Sdk
from support.repository import ROOT

PYTHONS = ("3.11", "3.12", "3.13", "3.14")
HEADINGS = ("Added", "Changed", "Deprecated", "Removed", "Fixed", "Security")
"""The kinds of changes that Keep a Changelog has, in its order."""


def _load(path: str) -> dict[str, Any]:
    project: dict[str, Any] = tomllib.loads((ROOT / path / "pyproject.toml").read_text("utf-8"))["project"]
    return project


MCPGEN = _load(".")
RUNTIME = _load("runtime")


@pytest.mark.parametrize("requirement", [*MCPGEN["dependencies"], *RUNTIME["dependencies"]])
def test_dependencies_are_ranges_without_an_end_but_for_the_library(requirement: str) -> None:
    assert re.fullmatch(r"[a-z0-9.-]+>=[0-9.]+", requirement) or requirement == f"mcpgen-runtime=={mcpgen.__version__}"


@pytest.mark.parametrize("project", [MCPGEN, RUNTIME], ids=["mcpgen", "mcpgen-runtime"])
def test_metadata(project: dict[str, Any]) -> None:
    assert project["requires-python"] == f">={PYTHONS[0]}"
    versions = [line.rpartition(" ")[2] for line in project["classifiers"] if ":: Python :: 3." in line]
    assert tuple(versions) == PYTHONS
    assert {"Homepage", "Changelog", "Source"} <= project["urls"].keys()
    assert all(re.fullmatch(r"https://github\.com/OWNER/mcpgen\S*", url) for url in project["urls"].values())
    assert project["keywords"]
    assert not any(line.startswith("License ::") for line in project["classifiers"])  # `license` says it


def test_ci_tries_every_python() -> None:
    tried = re.search(r"^  for version in (.*); do$", (ROOT / ".ci" / "run").read_text("utf-8"), re.MULTILINE)
    assert tried is not None
    assert tried[1].split() == [*PYTHONS[1:]]


def test_what_the_library_needs_is_stated_once() -> None:
    names = {requirement.partition(">=")[0] for requirement in RUNTIME["dependencies"]}
    assert names == {"jsonschema-rs", "orjson", "pydantic"}
    assert not names & {requirement.partition(">=")[0] for requirement in MCPGEN["dependencies"]}
    assert mcpgen_runtime.__version__ == mcpgen.__version__


@pytest.mark.parametrize("sdk", SDKS, ids=lambda sdk: sdk.name)
def test_the_library_has_an_extra_for_each_sdk(sdk: Sdk) -> None:
    (requirement,) = RUNTIME["optional-dependencies"][sdk.name]
    assert requirement == f"{sdk.distributions[-1]}>={sdk.oldest},<{sdk.below}"


def test_the_changelog_is_in_the_form_of_keep_a_changelog() -> None:
    text = (ROOT / "CHANGELOG.md").read_text("utf-8")
    assert text.startswith("# Changelog\n")
    assert "https://keepachangelog.com/en/1.1.0/" in text
    releases = re.findall(r"^## (.*)$", text, re.MULTILINE)
    assert releases
    for release in releases:
        assert re.fullmatch(r"\[Unreleased\]|\[\d+\.\d+\.\d+\] - (unreleased|\d{4}-\d\d-\d\d)", release)
    for release in re.split(r"^## ", text, flags=re.MULTILINE)[1:]:
        kinds = re.findall(r"^### (.*)$", release, re.MULTILINE)
        assert kinds == [kind for kind in HEADINGS if kind in kinds], "another kind of change, twice, or out of order"
        for section in re.split(r"^### .*$", release, flags=re.MULTILINE)[1:]:
            assert section.strip().startswith(("- ", "#### "))
    assert mcpgen.__version__ in {release.partition("]")[0].lstrip("[") for release in releases}
