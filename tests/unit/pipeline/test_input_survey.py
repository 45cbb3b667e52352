"""Surveys of the input: keys that change with it, and what a run observed elsewhere."""

from __future__ import annotations

from pathlib import Path

import pytest
from mcpgen.config.models import ConfiguredPackage
from mcpgen.diagnostics import Findings
from mcpgen.pipeline.input_survey import find_other_inputs, survey_inputs
from support.definitions import configure_package
from support.packages import tool


@pytest.fixture
def package(tmp_path: Path) -> ConfiguredPackage:
    """A package of one tool."""
    return configure_package(tmp_path, [tool("a")])


def _get_key(package: ConfiguredPackage) -> str:
    survey = survey_inputs(package)
    assert survey is not None
    return survey.key


def test_the_key_follows_contents_paths_and_settings(package: ConfiguredPackage) -> None:
    keys = [_get_key(package)]
    file = package.folder / "schemas" / "tools.json"
    text = file.read_text("utf-8")
    file.write_text(text + " ", "utf-8")
    keys.append(_get_key(package))
    file.write_text(text, "utf-8")
    assert _get_key(package) == keys[0]
    file.rename(file.with_name("others.json"))
    keys.append(_get_key(package))
    settings = package.settings.model_copy(update={"wrap": "always"})
    keys.append(_get_key(package.model_copy(update={"settings": settings})))
    assert len({*keys}) == 4
    (package.folder / "schemas" / "notes.txt").write_text("x", "utf-8")
    assert _get_key(package) == keys[2], "it is not a definition"


def test_there_is_no_survey_beyond_the_limits(package: ConfiguredPackage) -> None:
    limits = package.settings.limits.model_copy(update={"files": 1})
    limited = package.model_copy(update={"settings": package.settings.model_copy(update={"limits": limits})})
    assert survey_inputs(limited) is not None
    (package.folder / "schemas" / "b.json").write_text("{}", "utf-8")
    assert survey_inputs(limited) is None
    same_folder = package.settings.model_copy(update={"out": "schemas"})
    assert survey_inputs(package.model_copy(update={"settings": same_folder})) is None


def test_other_inputs_are_those_outside_of_the_survey(package: ConfiguredPackage) -> None:
    survey = survey_inputs(package)
    assert survey is not None
    ((path, digest),) = survey.digests.items()
    elsewhere = str(package.folder / "elsewhere" / "a.json")
    observed = {path: digest, elsewhere: "1" * 64}
    assert find_other_inputs(package, survey, observed, Findings()) == {elsewhere: "1" * 64}
    assert find_other_inputs(package, survey, {path: "0" * 64}, Findings()) is None, "it was read before a change"
    assert find_other_inputs(package, survey, {}, Findings()) is None, "it was not read at all"
    unsurveyed = str(package.folder / "schemas" / "new.json")
    assert find_other_inputs(package, survey, {path: digest, unsurveyed: "1" * 64}, Findings()) is None
    assert find_other_inputs(package, survey, {path: digest, unsurveyed: False}, Findings()) == {}
