"""Checks and notes of one run."""

from __future__ import annotations

from mcpgen.lower.normalize.core import SchemaPart, SchemaPlace
from mcpgen.lower.normalize.findings import NormalizationFindings
from mcpgen.lower.normalize.limits import LoweringLimits
from mcpgen.schema.values import Json


def make_findings() -> NormalizationFindings:
    return NormalizationFindings(LoweringLimits(members=2))


def test_checks_are_sorted_and_unique() -> None:
    findings = make_findings()
    findings.require_check("pattern", "not")
    findings.require_check("pattern")
    assert findings.checks == ["not", "pattern"]


def test_only_keywords_that_no_type_says_are_recorded() -> None:
    findings = make_findings()
    schema: dict[str, Json] = {
        "type": "string",
        "pattern": "a",
        "minProperties": 0,
        "uniqueItems": True,
        "$dynamicRef": "#a",
    }
    findings.require_checks_in((SchemaPart(SchemaPlace(""), schema),))
    assert findings.checks == ["dynamicRef", "pattern", "uniqueItems"]


def test_the_first_note_at_a_pointer_stays() -> None:
    findings = make_findings()
    assert findings.widen_to_any("/a", "type", "it nests") == {}
    findings.widen_to_any("/a", "enum")
    findings.leave_out_members("/b", "enum", "3 values")
    assert findings.notes == [
        ("/a", "it nests, so the type is that of any JSON value"),
        ("/b", "3 values are more than 2 (`limits.members`), so the type does not say them"),
    ]
    assert findings.checks == ["enum", "type"]
