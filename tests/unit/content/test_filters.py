"""Entries of filters."""

from __future__ import annotations

import inspect
import re

import jinja2
import pytest
from jinja2 import nodes
from mcpgen.content.filters import FILTERS, check_filter
from mcpgen.content.narrowing import Facts
from mcpgen.content.problems import TemplateRefused
from support.template_cases import TEMPLATES
from support.templates import TYPES, Checker, parse_expression, value_of

SAMPLES = {
    "a scalar": "result.wind",
    "a string": "result.name",
    "a literal string": "'%d and %s'",
    "any JSON value": "result.extra",
    "a number": "result.wind",
    "a list": "result.crew",
    "a list of scalars": "result.tags",
    "a list of numbers": "result.levels",
    "an object": "result.prices",
    "an absent value": "result.gusts",
}
ARGUMENTS = {
    "datetime": "'%d'",
    "default": "0",
    "d": "0",
    "format": "result.count, result.name",
    "map": "attribute='name'",
    "rejectattr": "'phone'",
    "replace": "'a', 'b'",
    "selectattr": "'phone'",
    "join": "attribute='name'",
}
GIVES = {"an item": {"a string", "an object"}, "either value": {"an integer or a number"}, "a number": {"a number"}}


@pytest.mark.parametrize("name", sorted(FILTERS))
def test_a_filter_takes_and_gives_what_its_entry_names(name: str) -> None:
    entry = FILTERS[name]
    assert entry.name == name
    value = value_of(f"{SAMPLES[entry.takes]} | {name}({ARGUMENTS.get(name, '')})")
    assert TYPES.describe_type(value.type) in GIVES.get(entry.gives, {entry.gives})


@pytest.mark.parametrize("name", sorted(FILTERS))
def test_each_has_a_template_that_is_compared_with_jinja(name: str) -> None:
    texts = [text for _, texts in TEMPLATES.values() for text in texts]
    uses = [text for text in texts if re.search(rf"\| {name}\b", text)]
    assert uses, f"add a template with the filter {name} to tests/support/template_cases.py"


def test_jinja_knows_all_of_them_but_one() -> None:
    assert set(FILTERS) - set(jinja2.Environment().filters) == {"datetime"}


@pytest.mark.parametrize("name", sorted(set(FILTERS) - {"datetime"}))
def test_parameters_are_those_of_jinja_in_order(name: str) -> None:
    if FILTERS[name].parameters is not None:
        names = list(inspect.signature(jinja2.Environment().filters[name]).parameters)
        names = [name for name in names if name not in ("context", "env", "environment", "eval_ctx")]
        assert FILTERS[name].parameters == tuple(names[1:])  # the first is the value


@pytest.mark.parametrize(
    ("text", "help"),
    [
        ("result.name | uper", "did you mean `upper`?"),
        ("result.name | xyzzy", f"there is {', '.join(sorted(FILTERS))}"),
    ],
)
def test_unknown_filters(text: str, help: str) -> None:
    checker, node = Checker(), parse_expression(text)
    assert isinstance(node, nodes.Filter)
    with pytest.raises(TemplateRefused):
        check_filter(checker, node, Facts())
    assert checker.log.problems[0].help == help
