"""Comparison of definitions under the configured rules."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from mcpgen.commands.diff_comparison import DiffRequest, compare_requested, find_disabled_rules
from mcpgen.compat.registry import RULES
from mcpgen.compat.rules.rule import Category
from mcpgen.diagnostics import Findings
from support.definitions import PRICE, configure_package
from support.packages import tool

REMOVED = {"type": "object", "properties": {}}


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def _compare(old: Any, new: Any, off: tuple[str, ...] = ()) -> tuple[list[str], Findings]:
    for name, schema in (("old", old), ("new", new)):
        Path(f"{name}.json").write_text(json.dumps(tool("buy", schema)), "utf-8")
    comparison = compare_requested(DiffRequest((Path("old.json"), Path("new.json")), None, off, (), None, 1))
    assert comparison.findings.failed or comparison.tools == 1
    return [change.rule.id for change in comparison.changes if change.breaking], comparison.findings


def test_equal_definitions_have_no_changes() -> None:
    assert _compare(PRICE, PRICE)[0] == []


def test_a_breaking_change_is_found_unless_its_category_is_off() -> None:
    breaking, _ = _compare(PRICE, {**PRICE, "required": []})
    assert {RULES[rule].category for rule in breaking} == {Category.OUTPUT}
    assert _compare(PRICE, {**PRICE, "required": []}, ("output",))[0] == []


def test_wrong_definitions_are_not_compared() -> None:
    changes, findings = _compare(PRICE, {"type": "strng"})
    assert (changes, [finding.code for finding in findings]) == ([], ["MG101"])


def _find(folder: Path, off: tuple[str, ...] = (), only: tuple[str, ...] = ()) -> tuple[frozenset[str], Findings]:
    findings = Findings()
    package = configure_package(folder, [], diff={"off": ["content"]})
    return find_disabled_rules(package, DiffRequest((), None, off, only, None, 1), findings), findings


def test_options_and_settings_disable_rules(tmp_path: Path) -> None:
    disabled, findings = _find(tmp_path, ("names",))
    assert disabled == frozenset({"content", "names"})
    assert len(findings) == 0
    disabled, _ = _find(tmp_path, only=("output",))
    assert disabled == {"content", *(rule.id for rule in RULES.values() if rule.category != "output")}


def test_unknown_names_have_suggestions(tmp_path: Path) -> None:
    _, findings = _find(tmp_path, ("outputt",))
    (finding,) = findings
    assert (finding.code, finding.help) == ("MG302", 'did you mean "output"?')


def test_at_least_one_rule_has_to_be_left(tmp_path: Path) -> None:
    _, findings = _find(tmp_path, tuple(Category))
    assert [finding.message for finding in findings] == ["no rule is left to ask"]


@pytest.mark.parametrize(
    ("acknowledged", "message", "help"),
    [
        ({}, "no output-type-widened was found", "take it out of the settings"),
        ({"tool": "buy"}, 'no output-type-widened of the tool "buy" was found', "take it out of the settings"),
        (
            {"tool": "buys"},
            'no output-type-widened of the tool "buys" was found',
            'there is no such tool, did you mean "buy"?',
        ),
        (
            {"resource": "prices"},
            'no output-type-widened of the resource "prices" was found',
            "there is no such resource",
        ),
    ],
)
def test_an_acknowledgement_that_fits_no_change_says_why(acknowledged: dict[str, str], message: str, help: str) -> None:
    accepted = {"rule": "output-type-widened", "reason": "intended", **acknowledged}
    lines = ["[diff]", "[[diff.acknowledged]]", *(f'{key} = "{value}"' for key, value in accepted.items())]
    Path("mcpgen.toml").write_text("\n".join(lines), "utf-8")
    _, findings = _compare(PRICE, PRICE)
    assert [(finding.code, finding.message, finding.help) for finding in findings] == [("MG809", message, help)]


@pytest.mark.parametrize("wrong", [{"pointer": "/outputSchema/properties"}, {"tool": "sell"}])
def test_an_acknowledgement_of_a_known_rule_elsewhere_says_where(wrong: dict[str, str]) -> None:
    """What the help says, written into the settings, covers the change."""
    entry = "\n".join(f'{key} = "{value}"' for key, value in wrong.items())
    header = '[[diff.acknowledged]]\nreason = "intended"\n'
    Path("mcpgen.toml").write_text(f'{header}rule = "output-property-became-optional"\n{entry}', "utf-8")
    changed = {**PRICE, "required": []}
    breaking, (finding,) = _compare(PRICE, changed)
    assert breaking
    assert (finding.code, finding.help[:15]) == ("MG809", "there is rule =")
    proposed = finding.help.removeprefix("there is ").replace(", ", "\n")
    Path("mcpgen.toml").write_text(f"{header}{proposed}", "utf-8")
    breaking, findings = _compare(PRICE, changed)
    assert (breaking, [*findings]) == ([], [])


def test_advice_about_pulled_definitions_is_for_the_author_of_a_client() -> None:
    def compare(**members: Any) -> dict[str, str]:
        for name, schemas in (("old", {"buy": PRICE, "sell": PRICE}), ("new", {"buy": REMOVED})):
            value = {**members, "tools": [tool(*item) for item in schemas.items()]}
            Path(f"{name}.json").write_text(json.dumps(value), "utf-8")
        comparison = compare_requested(DiffRequest((Path("old.json"), Path("new.json")), None, (), (), None, 1))
        assert not comparison.findings.failed
        return {change.rule.id: change.help for change in comparison.changes}

    own, pulled = compare(), compare(generated={"by": "mcpgen pull", "server": "shop"})
    assert own.keys() == pulled.keys() > {"tool-removed", "name-attribute-removed"}
    assert own["name-attribute-removed"].startswith("programs that use it fail; keep ")
    assert pulled["name-attribute-removed"].startswith("correct the code")
    assert pulled["tool-removed"] == "calls of it fail: take them out"
    assert not any(help.startswith("programs that use it fail; keep ") for help in pulled.values())
