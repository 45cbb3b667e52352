"""Rules for Python names."""

from __future__ import annotations

from dataclasses import replace

import pytest
from mcpgen.compat.rules.python_names import PYTHON_NAMES_RULES, PythonNames
from mcpgen.compat.rules.rule import Rule, RuleMatch
from mcpgen.schema.values import Json

OLD = PythonNames("get", ("GetResult",), frozenset({"GetResult", "Item", "Shared"}), {("GetResult", "fooBar"): "foo"})


def find_all(old: PythonNames, new: PythonNames, *package_classes: str) -> list[tuple[Rule, RuleMatch]]:
    """Return what the rules find if the new package has further classes, those of other definitions."""
    new = replace(new, package_classes=new.classes | set(package_classes))
    return [(rule, match) for rule in PYTHON_NAMES_RULES for match in rule.find(old, new)]


def list_texts(new: PythonNames, *package_classes: str) -> list[tuple[str, str]]:
    return [(rule.id, match.text) for rule, match in find_all(OLD, new, *package_classes)]


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


def test_an_attribute_is_looked_for_at_its_place_and_else_in_its_class() -> None:
    def make(**fields: dict[str, str]) -> PythonNames:
        names = dict.fromkeys(fields, "Wind")
        return PythonNames("get", ("GetResult",), OLD.classes, {}, fields=fields, class_names=names)

    def find(old: PythonNames, new: PythonNames) -> list[str]:
        return [match.text for _, match in find_all(old, new)]

    old = make(a={"top speed": "top_speed", "gust": "gust"})
    lost = ['Wind.gust is gone: the schema no longer declares "gust"']
    assert find(old, make(a={"top speed": "top_speed"})) == lost
    assert find(old, make(b={"top_speed": "top_speed"})) == lost  # another spelling has the same attribute
    assert find(old, make(b={"top speed": "top_speed", "gust": "gust"})) == []
    assert find(old, make()) == []  # the class is gone, which other rules report


def test_a_class_that_moves_or_has_another_name_is_not_gone() -> None:
    def make(places: dict[str, tuple[str, str]]) -> PythonNames:
        names = {name for module, name in places.values() if not module}
        return PythonNames("tools.get", ("GetResult",), frozenset({"GetResult", *names}), {}, places)

    old = make({"#output:/a": ("", "A"), "#output:/b": ("", "B"), "#output:/c": ("", "C"), "#output:/d": ("", "D")})
    new = make({"#output:/a": ("types", "A"), "#output:/b": ("", "Better"), "#output:/d": ("", "D")})
    assert [(rule.id, match.text) for rule, match in find_all(old, new, "A")] == [
        ("name-class-moved", "its class tools.get.B is tools.get.Better now"),
        ("name-class-removed", "its class C was removed"),
    ]
    assert [(rule.id, match.text) for rule, match in find_all(new, old)] == [
        ("name-class-moved", "its class tools.get.Better is tools.get.B now"),
        ("name-class-unshared", "its class types.A is tools.get.A now"),
    ]


def test_what_a_shared_class_has_lost_is_at_its_place_once() -> None:
    def make(attributes: dict[str, str]) -> PythonNames:
        places: list[str] = ["#output:/$defs/Place", "#input:/$defs/Place"]
        names = dict.fromkeys(places, "Place")
        return PythonNames("get", ("A",), OLD.classes, {}, fields=dict.fromkeys(places, attributes), class_names=names)

    ((_, match),) = find_all(make({"zip": "zip"}), make({}))
    assert match.pointer == "/outputSchema/$defs/Place/properties/zip"


TEXT: Json = {"type": "string", "description": "Its unit is m/s."}


def find_lost(old: dict[str, Json], new: dict[str, Json], closed: frozenset[str] = frozenset()) -> list[RuleMatch]:
    """Compare two classes by the schemas of their properties, which are their attributes."""
    sides = [
        PythonNames(
            *("get", ("GetResult",), OLD.classes, {}),
            fields={"#output": {name: name for name in properties}},
            class_names={"#output": "Wind"},
            closed=closed,
            schemas={"#output": {"properties": properties}},
        )
        for properties in (old, new)
    ]
    return [match for _, match in find_all(sides[0], sides[1])]


def test_a_property_that_may_be_renamed_is_named_once_and_for_all_readers() -> None:
    gone = 'Wind.gust is gone: the schema no longer declares "gust"'
    renamed = f'{gone}, but "squall" is new and has the same schema'
    (match,) = find_lost({"gust": TEXT}, {"squall": {"type": "string"}, "lull": {"type": "number"}})
    assert (match.text, match.pointer) == (renamed, "/outputSchema/properties/gust")
    assert match.help.startswith('if you renamed it to "squall", programs that use the old name fail; keep "gust" in')
    assert match.client_help.startswith("it may have been renamed: ")
    (match,) = find_lost({"gust": TEXT}, {"squall": TEXT}, closed=frozenset({"#output"}))
    assert "readers of this closed object refuse the new one; keep" in match.help


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ({"gust": TEXT}, {"squall": {"type": "number"}}),
        ({"gust": TEXT}, {"squall": TEXT, "lull": TEXT}),
        ({"gust": TEXT, "calm": TEXT}, {"squall": TEXT}),
        ({"gust": TEXT, "kept": TEXT}, {"kept": TEXT}),
    ],
)
def test_a_removed_property_is_not_called_renamed_unless_that_is_clear(
    old: dict[str, Json], new: dict[str, Json]
) -> None:
    match = find_lost(old, new)[0]
    assert match.text == 'Wind.gust is gone: the schema no longer declares "gust"'
    assert match.help == 'programs that use it fail; keep "gust" in the schema, optional, until no program uses it'


def test_the_keyword_that_splits_a_class_is_named() -> None:
    place = "#output:/properties/item"
    old, new = (
        PythonNames("get", ("GetResult",), frozenset({"GetResult"}), {}, {place: name})
        for name in (("types", "Item"), ("", "Item"))
    )

    def find(before: Json, after: Json) -> list[str]:
        schemas: list[dict[str, Json]] = [{"#output": {"properties": {"item": schema}}} for schema in (before, after)]
        names = replace(old, schemas=schemas[0]), replace(new, schemas=schemas[1])
        return [match.text for _, match in find_all(*names)]

    moved = "its class types.Item is get.Item now"
    changed = f'{moved}, since "minLength" at /outputSchema/properties/item/properties/name has changed'
    before: Json = {"properties": {"name": {"type": "string", "title": "A"}}}
    assert find(before, {"properties": {"name": {"type": "string", "minLength": 1, "title": "B"}}}) == [changed]
    assert find(before, {"properties": {"name": {"type": "string", "title": "B"}}}) == [moved]


def test_the_help_about_a_lost_format_is_about_the_schema_if_only_that_helps() -> None:
    def find(old: dict[str, Json], new: dict[str, Json], after: str) -> tuple[str, str]:
        """Compare a string that was native before; return the message and the help."""
        before, now = (replace(OLD, string_types={"#output": python}) for python in ("datetime.datetime", after))
        names = replace(before, schemas={"#output": old}), replace(now, schemas={"#output": new})
        ((rule, match),) = find_all(*names)
        assert rule.id == "name-format-changed"
        return match.text, match.help

    moment: dict[str, Json] = {"type": "string", "format": "date-time"}
    day: dict[str, Json] = {"type": "string", "format": "date"}
    text, help = find(moment, {"type": "string"}, "str")
    assert text.endswith(', since the schema no longer declares the format "date-time"')
    assert help.startswith('keep "format": "date-time" in the schema')
    assert find(moment, day, "datetime.date")[1] == help
    text, help = find(moment, moment, "str")
    assert text.endswith("are str now")
    assert help.startswith('keep it by "x-mcpgen"')
