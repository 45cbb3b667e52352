"""`model_copy(update=…)` and `copy.replace`: a changed copy is validated as every new instance is."""

from __future__ import annotations

import copy
import math
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from pydantic import PrivateAttr, ValidationError
from support.packages import package, tool

POINT = {"type": "object", "properties": {"lat": {"type": "number", "minimum": -90}}, "required": ["lat"]}
ROW: dict[str, Any] = {
    "type": "object",
    "properties": {
        "place": {"type": "string", "minLength": 1},
        "wind-speed": {"type": ["number", "null"]},
        "gustSpeed": {"type": "number"},
        "tags": {"type": "array", "items": {"type": "string"}, "maxItems": 2},
        "at": POINT,
    },
    "required": ["place", "at"],
}
CLOSED = {**ROW, "additionalProperties": False}
TYPED = {**ROW, "additionalProperties": {"type": "integer"}}
LISTED = {"type": "array", "items": ROW, "uniqueItems": True}
VALUE: dict[str, Any] = {"place": "Ulm", "tags": ["a"], "at": {"lat": 1.5, "alt": 2}}
RESOURCE = {"name": "row", "uri": "row://one", "mimeType": "application/json", "x-mcpgen": {"schema": ROW}}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("copies")


@pytest.fixture(scope="module")
def generated(folder: Path) -> Any:
    tools = [
        tool("open", ROW),
        tool("closed", CLOSED),
        tool("typed", TYPED),
        tool("listed", LISTED),
        tool("checked", {**ROW, "properties": {**ROW["properties"], "place": {"type": "string", "pattern": "^[A-Z]"}}}),
        tool("bytes", {"type": "string", "contentEncoding": "base64"}),
        tool("said"),
    ]
    return package(folder, tools, resources=[RESOURCE])


CLASSES = ["OpenResult", "ClosedResult", "TypedResult", "CheckedResult"]


def made(generated: Any, name: str, **more: Any) -> Any:
    value = {**VALUE, **more}
    if name == "ClosedResult":
        value["at"] = {"lat": 1.5, "alt": 2}
    return getattr(generated, name).from_structured_content(value)


def changed(instance: Any, **changes: Any) -> Any:
    """Return the same by every way there is."""
    copied = instance.model_copy(update=changes)
    assert instance.__replace__(**changes) == copied
    assert instance.model_copy(update=changes, deep=True) == copied
    if sys.version_info >= (3, 13):
        assert copy.replace(instance, **changes) == copied
    return copied


@pytest.mark.parametrize("name", CLASSES)
def test_a_valid_change_changes_that_and_nothing_else(name: str, generated: Any) -> None:
    original = made(generated, name)
    changed_copy = changed(original, place="Bonn", gust_speed=3, tags=["b", "c"])
    assert changed_copy.to_structured_content() == {**VALUE, "place": "Bonn", "gustSpeed": 3, "tags": ["b", "c"]}
    assert original == made(generated, name)
    assert type(changed_copy) is type(original)
    assert changed_copy.model_fields_set == {"place", "gust_speed", "tags", "at"}
    assert changed_copy == type(original).from_structured_content(changed_copy.to_structured_content())


@pytest.mark.parametrize("name", CLASSES)
@pytest.mark.parametrize(
    "changes",
    [
        {"place": ""},
        {"place": None},
        {"tags": ["a", "b", "c"]},
        {"tags": [1]},
        {"at": {"lat": -91}},
        {"at": {}},
        {"at": "here"},
        {"wind_speed": math.nan},
        {"wind_speed": "strong"},
        {"gust_speed": True},
    ],
)
def test_a_change_that_violates_the_schema_is_refused(name: str, changes: dict[str, Any], generated: Any) -> None:
    instance = made(generated, name)
    for change in (instance.model_copy, lambda update: instance.__replace__(**update)):
        with pytest.raises(ValidationError):
            change(update=changes)
    with pytest.raises(ValidationError):
        instance.model_copy(update=changes, deep=True)
    with pytest.warns(DeprecationWarning, match="copy"), pytest.raises(ValidationError):
        instance.copy(update=changes)


def test_what_only_the_schema_says_is_checked_too(generated: Any) -> None:
    with pytest.raises(ValidationError, match="should match the pattern"):
        made(generated, "CheckedResult").model_copy(update={"place": "ulm"})
    listed = generated.ListedResult.from_structured_content([VALUE])
    with pytest.raises(ValidationError, match="no two equal items"):
        listed.model_copy(update={"root": [listed.root[0], VALUE]})
    assert len(changed(listed, root=[]).root) == 0


def test_null_and_absence_stay_apart(generated: Any) -> None:
    instance = made(generated, "OpenResult", gustSpeed=2)
    null = changed(instance, wind_speed=None)
    assert null.to_structured_content() == {**VALUE, "gustSpeed": 2, "wind-speed": None}
    assert "wind_speed" in null.model_fields_set
    assert "wind_speed" not in changed(instance, place="Bonn").model_fields_set
    absent = changed(instance, gust_speed=None)
    assert absent.to_structured_content() == VALUE
    assert "gust_speed" not in absent.model_fields_set
    assert changed(null, place="Bonn").to_structured_content()["wind-speed"] is None


def test_undeclared_properties_are_kept_or_put_in_place_of_those_there(generated: Any) -> None:
    instance = made(generated, "OpenResult", wind_speed="mine", b=[1])
    copied = changed(instance, place="Bonn")
    assert copied.model_extra == {"wind_speed": "mine", "b": [1]}
    assert "wind_speed" not in copied.model_fields_set
    assert changed(instance, extras={"c": 1}).model_extra == {"c": 1}
    assert not changed(instance, extras=None).model_extra
    for extras in ({"place": "Bonn"}, {"gustSpeed": 1}):
        with pytest.raises(TypeError, match="not an extra"):
            instance.model_copy(update={"extras": extras})
    with pytest.raises(ValidationError):
        instance.model_copy(update={"extras": {"c": math.nan}})
    with pytest.raises(ValidationError):
        made(generated, "TypedResult").model_copy(update={"extras": {"c": "x"}})


@pytest.mark.parametrize("name", CLASSES)
def test_an_unknown_name_is_refused(name: str, generated: Any) -> None:
    for unknown in ("plaice", "wind-speed", "root", "_tool", "to_wire"):
        with pytest.raises(TypeError, match=f"has no property '{unknown}'"):
            made(generated, name).model_copy(update={unknown: 1})
    with pytest.raises(TypeError, match="'extras'"):
        made(generated, "ClosedResult").model_copy(update={"extras": {}})


def test_nested_objects_arguments_resources_and_content_are_copied_alike(generated: Any) -> None:
    at = made(generated, "OpenResult").at
    assert changed(at, lat=2).to_structured_content() == {"lat": 2, "alt": 2}
    with pytest.raises(ValidationError):
        at.model_copy(update={"lat": -91})
    resource = generated.RESOURCE_TYPES["row"].from_structured_content(VALUE)
    assert changed(resource, place="Bonn").place == "Bonn"
    with pytest.raises(ValidationError):
        resource.model_copy(update={"place": ""})
    assert changed(generated.BytesResult(b"a"), root=b"b").to_structured_content() == "Yg=="
    said_result = generated.SaidResult(content=[])
    with pytest.raises(ValidationError):
        said_result.model_copy(update={"content": "text"})


def test_what_was_changed_inside_is_validated_with_the_rest(generated: Any) -> None:
    instance = made(generated, "OpenResult")
    instance.tags.extend("bcd")
    with pytest.raises(ValidationError):
        instance.model_copy(update={"place": "Bonn"})


def test_a_copy_without_changes_is_pydantics_and_a_deep_one_shares_nothing(generated: Any) -> None:
    instance = made(generated, "OpenResult", more=[[1]])
    assert instance.model_copy() == instance == instance.model_copy(deep=True) == instance.model_copy(update={})
    assert instance.model_copy().tags is instance.tags
    for deep in (instance.model_copy(deep=True), instance.model_copy(update={"place": "Bonn"}, deep=True)):
        assert deep.at is not instance.at
        assert deep.at == instance.at
        deep.model_extra["more"][0].append(2)
        deep.tags.append("z")
    assert instance == made(generated, "OpenResult", more=[[1]])


def test_private_attributes_of_a_subclass_stay(generated: Any) -> None:
    cls = generated.OpenResult

    class Seen(cls):  # type: ignore[misc, valid-type]
        _by: list[str] = PrivateAttr(default_factory=list)

    instance = Seen.from_structured_content(VALUE)
    instance._by.append("me")
    assert instance.model_copy(update={"place": "Bonn"})._by == ["me"]
    deep = instance.model_copy(update={"place": "Bonn"}, deep=True)
    assert deep._by == ["me"]
    assert deep._by is not instance._by


@pytest.mark.ci
def test_checkers_see_pydantics_signature(generated: Any, folder: Path) -> None:
    used = folder / "used.py"
    name = generated.__name__
    used.write_text(
        f"from pydantic import BaseModel\nfrom {name} import OpenResult\n\n\n"
        "def changed(result: OpenResult, model: BaseModel) -> OpenResult:\n"
        "    model = result\n"
        '    model.model_copy(update={"place": "x"}, deep=True)\n'
        '    return result.model_copy(update={"place": "x"})\n'
    )
    run = subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", "used.py"], cwd=folder, capture_output=True, text=True
    )
    assert run.returncode == 0, run.stdout
