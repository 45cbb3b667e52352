"""Rules for Python names."""

from __future__ import annotations

from mcpgen.compat.python_names import PythonNames
from mcpgen.compat.rules.python_names import PYTHON_NAMES_RULES
from mcpgen.compat.rules.rule import PythonNamesPair

OLD = PythonNames("get", ("GetResult",), frozenset({"GetResult", "Item", "Shared"}), {("GetResult", "fooBar"): "foo"})


def list_texts(new: PythonNames, *new_classes: str) -> list[tuple[str, str]]:
    names = PythonNamesPair(OLD, new, new.classes | set(new_classes))
    return [(rule.id, match.text) for rule in PYTHON_NAMES_RULES for match in rule.find(names)]


def test_equal_names() -> None:
    assert list_texts(OLD) == []


def test_everything_changed() -> None:
    new = PythonNames("fetch", ("FetchResult",), frozenset({"FetchResult"}), {("GetResult", "fooBar"): "foo_bar"})
    assert list_texts(new, "Shared") == [
        ("name-module-changed", "its module was get, is fetch now"),
        ("name-class-changed", "its class was GetResult, is FetchResult now"),
        ("name-class-removed", "its class Item is gone"),
        ("name-attribute-changed", '"fooBar" was GetResult.foo, is GetResult.foo_bar now'),
    ]


def test_the_attribute_of_a_removed_property_is_no_change_of_names() -> None:
    assert list_texts(PythonNames("get", ("GetResult",), OLD.classes, {})) == []
