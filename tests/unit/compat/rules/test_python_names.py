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
        ("name-class-removed", "its class Item was removed"),
        ("name-attribute-changed", '"fooBar" was GetResult.foo, is GetResult.foo_bar now'),
    ]


def test_the_attribute_of_a_removed_property_is_no_change_of_names() -> None:
    assert list_texts(PythonNames("get", ("GetResult",), OLD.classes, {})) == []


def test_a_class_that_moves_or_has_another_name_is_not_gone() -> None:
    def make(places: dict[str, tuple[str, str]]) -> PythonNames:
        names = {name for module, name in places.values() if not module}
        return PythonNames("tools.get", ("GetResult",), frozenset({"GetResult", *names}), {}, places)

    old = make({"#output:/a": ("", "A"), "#output:/b": ("", "B"), "#output:/c": ("", "C"), "#output:/d": ("", "D")})
    new = make({"#output:/a": ("types", "A"), "#output:/b": ("", "Better"), "#output:/d": ("", "D")})
    names = PythonNamesPair(old, new, new.classes | {"A"})
    assert [(rule.id, match.text) for rule in PYTHON_NAMES_RULES for match in rule.find(names)] == [
        ("name-class-moved", "its class tools.get.A is types.A now"),
        ("name-class-moved", "its class tools.get.B is tools.get.Better now"),
        ("name-class-removed", "its class C was removed"),
    ]
