"""The core schemas that pydantic makes of generated classes stay in proportion to the definitions."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from jsonschema_rs import validator_for
from support.packages import package, tool

LEVELS = 20


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
