"""Every compatibility rule has a case in a file of `rules`: an old and a new definition, and the findings.

The test writes them to `old.json` and `new.json`, with the `files` that they name. A case may leave out the `name` of a
tool, and `inputSchema` if there are no arguments; `argument` and `result` stand for a tool with one value.

`python -m pytest tests/unit/compat/test_rules.py --regenerate` records the findings anew; read what changed before
you commit.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from mcpgen.commands.diff import format_changes
from mcpgen.commands.diff_comparison import DiffComparison, DiffRequest, compare_requested
from mcpgen.compat.change import Change
from mcpgen.compat.registry import RULES
from mcpgen.compat.rules.rule import Category
from mcpgen.diagnostics import CATALOGUE
from mcpgen.schema.values import Json
from support.recorded_cases import load_cases, record_text

CASES = load_cases(Path(__file__).parent / "rules")


def complete_definition(definition: dict[str, Json]) -> dict[str, Json]:
    """Return a definition with what a case leaves out."""
    match definition:
        case {"name": _} | {"tools": _} | {"resources": _} | {"prompts": _} | {"forms": _}:
            return definition
        case {"argument": schema}:
            return complete_definition({"inputSchema": {"type": "object", "properties": {"v": schema}}})
        case {"result": schema}:
            closed: dict[str, Json] = {"required": ["v"], "additionalProperties": False}
            return complete_definition({"outputSchema": {"type": "object", "properties": {"v": schema}, **closed}})
        case {"inputSchema": _}:
            return {"name": "tool", **definition}
        case _:
            return {"name": "tool", "inputSchema": {"type": "object"}, **definition}


def compare(old: str, new: str, off: tuple[str, ...] = (), only: tuple[str, ...] = ()) -> DiffComparison:
    return compare_requested(DiffRequest((Path(f"{old}.json"), Path(f"{new}.json")), None, off, only, None, 1))


def list_rules(changes: list[Change]) -> set[str]:
    return {change.rule.id for change in changes}


@pytest.mark.parametrize("rule", CASES)
def test_rule(rule: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, pytestconfig: pytest.Config) -> None:
    case = CASES[rule]
    monkeypatch.chdir(tmp_path)
    for name in ("old", "new"):
        Path(f"{name}.json").write_text(json.dumps(complete_definition(case[name]), indent=2), "utf-8")
    for name, text in case.get("files", {}).items():
        Path(name).write_text(text, "utf-8")
    result = compare("old", "new")
    assert not result.findings.failed, [finding.message for finding in result.findings]
    assert rule in list_rules(result.changes)
    findings = "".join(f"{line}\n" for line in format_changes(result.changes))
    if pytestconfig.getoption("--regenerate"):
        record_text(case["path"], rule, "findings", findings)
    else:
        assert findings == case["findings"]
    mine = [change for change in result.changes if change.rule.id == rule]
    assert all(item.severity is RULES[rule].severity or item.undecided for item in mine)
    assert all(item.span.line and item.to_diagnostic().code in CATALOGUE for item in mine)

    assert rule not in list_rules(compare("old", "new", off=(rule,)).changes)
    assert list_rules(compare("old", "new", only=(rule,)).changes) == {rule}

    for name in ("old", "new"):
        assert compare(name, name).changes == [], "a file differs from itself"


def test_there_is_a_case_for_each_rule() -> None:
    assert set(CASES) == set(RULES)
    assert all(name.startswith(case["path"].stem) for name, case in CASES.items())
    assert len(RULES) >= 40
    assert {rule.category for rule in RULES.values()} == set(Category)


def test_rules_are_documented() -> None:
    for rule in RULES.values():
        assert rule.doc.endswith("."), rule.id
        assert "\n" not in rule.doc, rule.id
