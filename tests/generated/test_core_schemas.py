"""Core schemas of classes: fields may have any name; their size is in proportion to the definitions."""

from __future__ import annotations

import dataclasses
import json
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from jsonschema_rs import validator_for
from mcpgen_runtime.core_schemas import walk_schemas
from pydantic import BaseModel, ConfigDict, ValidationError, create_model
from pydantic.alias_generators import to_camel
from pydantic_core import core_schema
from support.packages import package, tool

LEVELS = 20
MEMBERS = {
    (name, member): str(getattr(kind, "__forward_arg__", kind))
    for name, schema in vars(core_schema).items()
    if hasattr(schema, "__total__")
    for member, kind in schema.__annotations__.items()
}
"""pydantic's types of core schemas and their members, each with its type."""
NAMES = sorted({member for _, member in MEMBERS})
HOLDERS = ("CoreSchema", "Field]", "Field]]", "ComputedField", "Parameter]")


@pytest.fixture(scope="module")
def named(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """A package whose properties are called as the members of core schemas."""
    price = {"pageSize": {"type": "integer"}, "price": {"type": "number"}}
    closed = {"type": "object", "properties": price, "required": [*price], "additionalProperties": False}
    date = {"type": "string", "format": "date"}
    tagged = {
        "oneOf": [
            {"type": "object", "properties": {"kind": {"const": name}, name: closed}, "required": ["kind", name]}
            for name in NAMES
        ]
    }
    tools = [
        tool("own", {"type": "object", "properties": dict.fromkeys(NAMES, closed)}),
        tool("node", {"type": "object", "properties": {name: {"$ref": "#"} for name in NAMES}, "minProperties": 0}),
        tool("tagged", {"type": "object", "properties": {"of": tagged}, "required": ["of"]}),
        tool("dated", {"type": "object", "properties": dict.fromkeys(NAMES, date)}),
    ]
    folder = tmp_path_factory.mktemp("named")
    (folder / "mcpgen.toml").write_text('formats = "native"\n', "utf-8")
    return package(folder, tools, "--sdk", "none")


class CamelPrice(BaseModel):
    model_config = ConfigDict(alias_generator=to_camel, populate_by_name=True)
    page_size: int
    price: Decimal


@dataclasses.dataclass
class PlainPrice:
    pageSize: int
    price: Decimal


@pytest.mark.ci
def test_every_member_that_holds_schemas_is_known(named: Any) -> None:
    inner = {"type": "any"}
    forms = ("dict[", {"a": inner}), ("list[", [inner]), ("", inner)
    for (name, member), kind in MEMBERS.items():
        if any(holder in kind for holder in HOLDERS) and member != "json_schema_input_schema":
            held = next(form for start, form in forms if kind.removeprefix("Required[").startswith(start))
            schema = {"type": name, member: held}
            assert [*walk_schemas(schema)] == [schema, inner], kind


@pytest.mark.ci
@pytest.mark.filterwarnings("ignore")  # some names hide attributes of BaseModel
def test_own_classes_may_have_fields_of_any_name(named: Any) -> None:
    cls = named.RESULT_TYPES["own"]
    price, plain = CamelPrice(page_size=1, price=Decimal("1.5")), PlainPrice(1, Decimal("1.5"))
    for name in NAMES:
        fields: Any = {name: (CamelPrice, ...)}
        values: list[Any] = [create_model("Own", **fields)(**{name: price})]
        values += [dataclasses.make_dataclass("Own", [name])(item) for item in (price, plain)]
        for value in values:
            expected = {name: {"pageSize": 1, "price": 1.5}}
            assert cls.normalize_any(value).model_dump(by_alias=True, mode="json")["structuredContent"] == expected
            assert json.loads(cls.normalize_to_json(value))["structuredContent"] == expected
        with pytest.raises(ValidationError):
            cls.from_structured_content({name: {"pageSize": "1", "price": 1.5}})


@pytest.mark.ci
def test_fields_of_any_name_are_read_at_any_depth(named: Any) -> None:
    value: Any = {}
    for level in range(300):
        value = {NAMES[level % len(NAMES)]: value}
    cls = named.RESULT_TYPES["node"]
    assert cls.from_structured_content(value).to_structured_content() == value
    for name in NAMES:
        of = {"of": {"kind": name, name: {"pageSize": 1, "price": 1.5}}}
        assert named.RESULT_TYPES["tagged"].from_structured_content(of).to_structured_content() == of
        dated = named.RESULT_TYPES["dated"]
        assert dated.from_structured_content({name: "2026-01-31"}).to_structured_content() == {name: "2026-01-31"}
        with pytest.raises(ValidationError, match=name):
            dated.from_structured_content({name: "2026-01-32"})


def _double(levels: int) -> dict[str, Any]:
    """A definition a level, with the one below as it is in one property, and with a bound in another."""
    definitions: dict[str, Any] = {"D0": {"type": "object", "properties": {"a": {"type": "string"}}}}
    for level in range(1, levels + 1):
        below = {"$ref": f"#/$defs/D{level - 1}"}
        definitions[f"D{level}"] = {
            "type": "object",
            "properties": {"x": {"allOf": [below, {"minProperties": 1}]}, "y": below},
        }
    return {"type": "object", "properties": {"a": {"$ref": f"#/$defs/D{levels}"}}, "$defs": definitions}


def _count_models(schema: object) -> int:
    count, todo = 0, [schema]
    while todo:
        part = todo.pop()
        if isinstance(part, dict):
            count += part.get("type") == "model"
            todo += [item for key, item in part.items() if key != "metadata"]
        elif isinstance(part, list | tuple):
            todo += part
    return count


def test_classes_do_not_multiply(tmp_path: Path) -> None:
    """pydantic would put 2²⁰ classes into the schema of the first one, which takes gigabytes."""
    schema = _double(LEVELS)
    cls = package(tmp_path, [tool("grown", schema)]).RESULT_TYPES["grown"]
    assert _count_models(cls.__pydantic_core_schema__) < 1_000
    value: Any = {"a": "text"}
    wrong: Any = {"a": 1}
    for level in range(LEVELS):
        name = "xy"[level % 2]
        value, wrong = {name: value}, {name: wrong}
    check = validator_for(schema)
    assert check.is_valid({"a": value})
    assert not check.is_valid({"a": wrong})
    assert cls.from_structured_content({"a": value}).to_structured_content() == {"a": value}
    assert not _is_read(cls, {"a": wrong})
    assert not _is_read(cls, {"a": {"x": {}}})


def _is_read(cls: Any, value: Any) -> bool:
    try:
        cls.from_structured_content(value)
    except ValueError:
        return False
    return True
