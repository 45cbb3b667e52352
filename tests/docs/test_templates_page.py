"""reference/templates.md lists the filters and tests that there are."""

from __future__ import annotations

import re

import jinja2.filters
import jinja2.tests
from mcpgen.content.filters import FILTERS
from mcpgen.content.jinja_tests import TESTS
from support.doc_pages import read_page


def list_template_names(kind: str) -> list[str]:
    """Return the names in a row of the table of what templates can use."""
    match = re.search(
        rf"^\| {kind} \|(.*)\|$", read_page("reference/templates.md").path.read_text("utf-8"), re.MULTILINE
    )
    assert match
    return re.findall(r"`(\w+)`", match[1])


def test_the_filters_and_tests_of_templates_are_all_there_are() -> None:
    *of_jinja, added = list_template_names("filters")
    assert of_jinja == sorted(FILTERS.keys() & jinja2.filters.FILTERS.keys())
    assert {added} == FILTERS.keys() - jinja2.filters.FILTERS.keys()
    comparisons = {name for name, test in jinja2.tests.TESTS.items() if test.__module__ == "_operator"}
    assert sorted(list_template_names("tests")) == sorted(TESTS.keys() - comparisons)
    assert comparisons <= TESTS.keys()
