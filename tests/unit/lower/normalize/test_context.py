"""Creating the context of a run."""

from __future__ import annotations

from mcpgen.lower.normalize.context import create_context
from mcpgen.lower.normalize.core import SchemaPlace
from mcpgen.lower.normalize.limits import LoweringLimits
from mcpgen.schema.formats import FormatChoices
from mcpgen.schema.keywords import DRAFT_07


def test_places_record_their_findings_in_the_context() -> None:
    formats = FormatChoices(("date",))
    limits = LoweringLimits(members=3)
    context = create_context({"$ref": "https://example.com/else"}, DRAFT_07, "B", formats, limits)
    assert (context.prefix, context.formats, context.limits, context.places.dialect) == ("B", formats, limits, DRAFT_07)
    context.places.flatten([SchemaPlace("")])
    assert context.findings.checks == ["$ref"]
