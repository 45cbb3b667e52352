"""What lint rules find has its place in the document, also in a bare schema."""

from __future__ import annotations

import pytest
from mcpgen.diagnostics import Span
from mcpgen.lint.rule import LintedDefinition
from mcpgen.read.definitions import Definitions
from mcpgen.read.linting import LintedSite, list_linted
from support.compat import make_resource, make_tool

TOOL = LintedDefinition("tool", "find", {"name": "find"})
SPAN = Span("tools.json", 1, 1)


@pytest.mark.parametrize(
    ("at", "pointer", "translated"),
    [
        ("/tools/0", "/outputSchema/type", "/tools/0/outputSchema/type"),
        ("", "/description", "/description"),
        (None, "/outputSchema/items", "/items"),
        (None, "/outputSchema", ""),
        (None, "/outputSchemas", None),
        (None, "/description", None),
    ],
)
def test_a_pointer_is_translated(at: str | None, pointer: str, translated: str | None) -> None:
    assert LintedSite(TOOL, None, at, SPAN).translate(pointer) == translated


def test_all_definitions_are_linted() -> None:
    sites = [*list_linted(Definitions([make_tool()], [make_resource()]))]
    assert [(site.definition.kind, site.definition.name) for site in sites] == [("tool", "get"), ("resource", "config")]
    assert sites[0].definition.input is not None
    assert sites[1].definition.input is None
