"""Check filters (`value | name(…)`), each by its entry."""

from __future__ import annotations

import difflib

from jinja2 import nodes

from mcpgen.content.context import CheckContext
from mcpgen.content.filter_call import FilterCall
from mcpgen.content.narrowing import Facts
from mcpgen.content.sequence_filters import SEQUENCE_FILTERS
from mcpgen.content.text_filters import TEXT_FILTERS
from mcpgen.content.value_filters import VALUE_FILTERS
from mcpgen.content.values import Value

FILTERS = {filter.name: filter for filter in (*TEXT_FILTERS, *VALUE_FILTERS, *SEQUENCE_FILTERS)}
"""Filters that templates can use, by name."""


def check_filter(context: CheckContext, node: nodes.Filter, facts: Facts) -> Value:
    """Check `value | name(…)`."""
    if node.node is None:
        context.refuse_unsupported("a filter block", node)
    filter = FILTERS.get(node.name)
    if filter is None:
        close = difflib.get_close_matches(node.name, sorted(FILTERS), 1)
        help = f"did you mean `{close[0]}`?" if close else f"there is {', '.join(sorted(FILTERS))}"
        context.refuse_unsupported(f"the filter `{node.name}`", node, help)
    return filter.check(FilterCall(context, node, node.node, facts, filter.parameters))
