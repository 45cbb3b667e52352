"""Holding generated classes against jsonschema-rs, for schemas and values of whatever kind."""

from __future__ import annotations

import functools
import gc
import importlib
import itertools
import json
import keyword
import sys
import tempfile
from collections.abc import Callable, Generator
from contextlib import contextmanager
from copy import deepcopy
from dataclasses import dataclass, field, make_dataclass
from pathlib import Path
from random import Random
from typing import Any, TypeAlias

import jsonschema_rs
from mcpgen import app, targets
from mcpgen.config.models import ConfiguredPackage, PackageSettings
from mcpgen.samples.generator import ValueGenerator
from mcpgen.schema.keywords import DRAFT_07, DRAFT_2020_12, detect_dialect
from mcpgen_runtime.core_schemas import ABSENT
from mcpgen_runtime.errors import ResultError
from mcpgen_runtime.handler_values import attribute_reader, json_reader, wire_form
from pydantic import BaseModel, RootModel, TypeAdapter, ValidationError
from support.corpus import equal

PROTOCOLS = targets.PROTOCOLS
_numbers = itertools.count()


@dataclass
class Counts:
    """What was held, and what did not agree."""

    schemas: int = 0
    values: int = 0
    valid: int = 0
    invalid: int = 0
    left_out: int = 0
    """Values that jsonschema-rs itself is inconsistent about."""
    constructed: int = 0
    refused: int = 0
    """Values of which no instance could be made by keyword arguments."""
    disagreements: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])
    """Each with `schema`, `value` and `why`."""

    def add(self, other: Counts) -> None:
        """Count what another run held, too."""
        for name in ("schemas", "values", "valid", "invalid", "left_out", "constructed", "refused"):
            setattr(self, name, getattr(self, name) + getattr(other, name))
        self.disagreements += other.disagreements


class Disagreement(Exception):
    """A class and its schema differ."""


def hold(schemas: list[dict[str, Any]], random: Random, values: int = 20) -> Counts:
    """Build one package with a tool for each schema, and hold each class against its schema.

    Args:
        schemas: outputSchemas.
        random: where values come from.
        values: how many for each schema: half drawn to be valid, half near those.
    """
    counts = Counts()
    tools = [
        {"name": f"t{index}", "inputSchema": _input(schema), "outputSchema": schema}
        for index, schema in enumerate(schemas)
    ]
    try:
        with built(tools) as package:
            for tool in tools:
                counts.add(_hold_one(package, str(tool["name"]), random, values))
    except Exception as error:
        if len(schemas) > 1:  # which of them is it?
            for schema in schemas:
                counts.add(hold([schema], random, values))
        else:
            counts.disagreements.append({"schema": schemas[0], "value": None, "why": _shown(error)})
    return counts


def _input(schema: dict[str, Any]) -> dict[str, Any]:
    """Return the same as an inputSchema, where it can be one."""
    return schema if schema.get("type") == "object" else {"type": "object"}


def _hold_one(package: Any, name: str, random: Random, values: int) -> Counts:
    counts = Counts(schemas=1)
    schema = package.TOOLS[name]["outputSchema"]
    judge = validator(schema)
    try:
        result_type = package.RESULT_TYPES[name]
        copies = _copies(package, name)
    except Exception as error:
        counts.disagreements.append({"schema": schema, "value": None, "why": _shown(error)})
        return counts
    draws = ValueGenerator(schema, detect_dialect(schema) or DRAFT_2020_12)
    for _ in range(values // 2):
        value = draws.draw_value(random)
        for item in (value, draws.mutate_value(value, random)):
            if doubtful(item):
                counts.left_out += 1
                continue
            counts.values += 1
            valid = judge.is_valid(item)
            counts.valid += valid
            counts.invalid += not valid
            try:
                hold_value(result_type, item, valid)
                hold_attributes(result_type, judge, item)
                if package.TOOLS[name]["inputSchema"] == schema and not result_type._tool.checks_input:
                    hold_arguments(package.ARGUMENT_TYPES[name], item, valid)
                _hold_copies(copies, item, valid)
                constructed = hold_construction(result_type, judge, item, valid)
                counts.constructed += constructed
                counts.refused += not constructed
            except Exception as error:
                counts.disagreements.append({"schema": schema, "value": item, "why": _shown(error)})
    return counts


Copy: TypeAlias = tuple[str, Any, Callable[[Any], Any]]
"""A schema that says the same of a value wrapped in some way: what it is, its validator, the wrapping."""


def _copies(package: Any, name: str) -> list[Copy]:
    """Return the schema as pydantic and the older protocol versions show it."""
    result_type = package.RESULT_TYPES[name]
    (listed,) = (tool["outputSchema"] for tool in package.list_tools("2025-11-25") if tool["name"] == name)
    wrapped = result_type._tool.wrapped != "never"
    result_schema = result_type.model_json_schema()
    listing: Any = list.__class_getitem__(result_type)
    inside = TypeAdapter[Any](listing).json_schema(mode="serialization")
    copies: list[Copy] = [
        ("model_json_schema()", validator(_plain(result_schema)), lambda value: value),
        ("the wrapped schema", validator(listed), lambda value: {"result": value} if wrapped else value),
    ]
    if detect_dialect(result_schema) != DRAFT_07:  # jsonschema-rs takes no notice of a `$schema` inside another schema
        copies.append(("the schema of a list", validator(_plain(inside)), lambda value: [value]))
    return copies


def _plain(value: Any) -> Any:
    """Return what a client is told: pydantic's answer may hold strings of a class of ours."""
    return json.loads(json.dumps(value))


def _hold_copies(copies: list[Copy], value: Any, valid: bool) -> None:
    for description, judge, wrapping in copies:
        if judge.is_valid(wrapping(value)) != valid:
            raise Disagreement(f"{description} does not say what the schema says: {not valid}")


def validator(schema: Any) -> Any:
    """Return the oracle, with `format` and `content…` as annotations."""
    if detect_dialect(schema) != DRAFT_07:
        return jsonschema_rs.Draft202012Validator(schema, validate_formats=False, offline=True)
    content: dict[str, Any] = {"contentEncoding": _Annotation, "contentMediaType": _Annotation}
    return jsonschema_rs.Draft7Validator(schema, validate_formats=False, offline=True, keywords=content)


class _Annotation:
    def __init__(self, *_: Any) -> None:
        pass

    def validate(self, instance: Any) -> None:
        pass


def doubtful(value: Any) -> bool:
    """Return whether a value holds an integral float that not all integers near it differ from.

    jsonschema-rs is inconsistent about those: with `multipleOf` beyond 53 bits, with the rest beyond 64.
    """
    if isinstance(value, float):
        return value.is_integer() and abs(value) >= 2**53
    if isinstance(value, dict):
        return any(map(doubtful, value.values()))
    return isinstance(value, list) and any(map(doubtful, value))


def hold_value(result_type: Any, value: Any, valid: bool) -> None:
    """Read a value and write it again in every way.

    Raises:
        Disagreement: it was refused and is valid, was accepted and is not, or came back different.
    """
    json_before = json.dumps(value)
    read_by_types(result_type, value, valid)
    read_without_instance(result_type, value, valid)
    try:
        result = result_type.from_structured_content(value)
    except ValidationError as error:
        if valid:
            raise Disagreement(f"wrongly refused: {_shown(error)}") from error
        return
    if not valid:
        raise Disagreement(f"wrongly accepted, as {result!r:.300}")
    if json.dumps(value) != json_before:
        raise Disagreement("reading changed the value that was read")
    _same("to_structured_content()", result.to_structured_content(), value)
    _same("model_dump(exclude_unset)", result.model_dump(exclude_unset=True), value)
    _same("model_dump(json, exclude_unset)", result.model_dump(mode="json", exclude_unset=True), value)
    _same("model_dump(json)", result.model_dump(mode="json"), value)
    _same("model_dump_json(exclude_unset)", json.loads(result.model_dump_json(exclude_unset=True)), value)
    _same("model_dump_json()", json.loads(result.model_dump_json(by_alias=True)), value)
    for version in PROTOCOLS:
        wire = result.to_wire(protocol=version)
        _same(f"to_wire_json({version})", json.loads(result.to_wire_json(protocol=version)), wire)
        if "structuredContent" in wire:
            structured_content = wire["structuredContent"]
            _same(
                f"to_wire({version})",
                structured_content if equal(structured_content, value) else structured_content["result"],
                value,
            )
        if result_type.from_call_tool_result(wire, protocol=version) != result:
            raise Disagreement(f"read again under {version}, it is another")
    if result_type.from_call_tool_result(result.to_call_tool_result()) != result:
        raise Disagreement("from_call_tool_result(to_call_tool_result()) is another")


def read_by_types(result_type: Any, value: Any, valid: bool) -> None:
    """Read a value as frameworks do, which do not know of `from_structured_content`.

    Raises:
        Disagreement: it was refused and is valid, or accepted and is not.
    """
    readers: tuple[tuple[str, Callable[[], Any]], ...] = (
        ("model_validate", lambda: result_type.model_validate(value)),
        ("model_validate_json", lambda: result_type.model_validate_json(json.dumps(value))),
    )
    for reader, read in readers:
        try:
            result = read()
        except ValidationError as error:
            if valid:
                raise Disagreement(f"{reader} refuses it: {_shown(error)}") from error
            continue
        if not valid:
            raise Disagreement(f"{reader} accepts it, as {result!r:.300}")
        _same(f"to_structured_content() after {reader}", result.to_structured_content(), value)


def read_without_instance(result_type: Any, value: Any, valid: bool) -> None:
    """Read a value as a handler's result that needs no instance.

    Raises:
        Disagreement: it was refused and is valid, was accepted and is not, or came out different.
    """
    for reader in (json_reader, attribute_reader):
        read: Any = ABSENT if reader(result_type) is None else result_type._read(value, reader)
        if reader(result_type) is not None and (read is not ABSENT) != valid:
            raise Disagreement(f"{reader.__name__} {'refuses' if valid else 'accepts'} it")
        if read is not ABSENT:
            _same(reader.__name__, read, value)


def hold_arguments(arguments: Any, value: Any, valid: bool) -> None:
    """Read a value as the arguments of a tool, where the types say all.

    Raises:
        Disagreement: it was refused and is valid, or was accepted and is not.
    """
    try:
        arguments.__pydantic_validator__.validate_python(value, by_alias=True, by_name=False)
    except ValidationError as error:
        if valid:
            raise Disagreement(f"arguments refuse it: {_shown(error)}") from error
        return
    if not valid:
        raise Disagreement("arguments accept it")


def hold_attributes(result_type: Any, judge: Any, value: Any) -> None:
    """Read a value whose objects are dataclasses, without an instance and by way of one.

    Raises:
        Disagreement: what came out violates the schema, or is not the same both ways.
    """
    instance = as_dataclasses(value)
    read = result_type._read(instance, attribute_reader)
    if read is ABSENT:
        return
    if not judge.is_valid(read):
        raise Disagreement(f"of dataclasses comes what violates the schema: {json.dumps(read)[:300]}")
    try:
        result = result_type._of(wire_form(instance, result_type))
    except ResultError:  # of several classes it chose another
        return
    _same("of dataclasses, without an instance,", read, result.to_structured_content())


def as_dataclasses(value: Any) -> Any:
    """A JSON value, whose objects are dataclasses wherever their members have names that Python can have."""
    if isinstance(value, list):
        return [as_dataclasses(item) for item in value]
    if not isinstance(value, dict):
        return value
    data = {key: as_dataclasses(item) for key, item in value.items()}
    if not all(key.isascii() and key.isidentifier() and not keyword.iskeyword(key) and key[0] != "_" for key in data):
        return data
    return _dataclass(tuple(data))(**data)


@functools.cache
def _dataclass(names: tuple[str, ...]) -> Any:
    return make_dataclass("Held", names)


def hold_construction(result_type: Any, judge: Any, value: Any, valid: bool) -> bool:
    """Make an instance as Python code would, by keyword arguments; whether there is one.

    Raises:
        Disagreement: what it emits violates the schema, or a valid value could not be constructed.
    """
    try:
        result = construct(result_type, deepcopy(value))
    except (ValidationError, TypeError) as error:
        if valid:
            raise Disagreement(f"could not be constructed: {_shown(error)}") from error
        return False
    emitted = result.to_structured_content()
    if not judge.is_valid(emitted):
        raise Disagreement(f"constructed, it emits what violates the schema: {json.dumps(emitted)[:300]}")
    if valid:
        _same("to_structured_content() as constructed", emitted, value)
    _same("model_dump(exclude_unset) as constructed", result.model_dump(exclude_unset=True), emitted)
    _same("model_dump_json() as constructed", json.loads(result.model_dump_json()), emitted)
    return True


def construct(result_type: type[BaseModel], value: Any) -> Any:
    """An instance by Python names, undeclared properties as `extras` where the class takes them.

    Raises:
        pydantic.ValidationError: the class refuses the value.
        TypeError: the class has no such parameter, or is not an object's.
    """
    if issubclass(result_type, RootModel):
        root: Any = result_type
        return root(value)
    if not isinstance(value, dict):
        raise TypeError("no object")
    wires = {name if info.alias is None else info.alias: name for name, info in result_type.model_fields.items()}
    declared_values = {wires[wire]: inner for wire, inner in value.items() if wire in wires}
    extras = {wire: inner for wire, inner in value.items() if wire not in wires}
    takes_extras = result_type.model_config.get("extra") == "allow"
    if not takes_extras and not declared_values.keys().isdisjoint(extras):
        raise TypeError("named twice")
    return result_type(**declared_values, **({"extras": extras} if takes_extras else extras))


def _same(description: str, actual: Any, value: Any) -> None:
    if not equal(actual, value):
        raise Disagreement(f"{description} is {json.dumps(actual, default=repr)[:300]}")


def _shown(error: BaseException) -> str:
    return f"{type(error).__name__}: {error}"[:2000]


# --- packages --------------------------------------------------------------------------------------------------------
@contextmanager
def built(tools: list[dict[str, Any]], sdk: str = "mcp") -> Generator[Any]:
    """Build tools in this process and import the package, for as long as it is needed."""
    name = f"held_{next(_numbers)}"
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        (place / "tools.json").write_text(json.dumps(tools), "utf-8")
        settings = PackageSettings.model_validate({"schemas": ["tools.json"], "out": name, "sdk": sdk})
        outcome = app.generate_package(ConfiguredPackage(settings=settings, folder=place), 1, lambda *_: None)
        if outcome.generated is None:
            raise Disagreement("; ".join(f"{item.code} {item.message}" for item in outcome.findings.sorted()))
        for path, text in outcome.generated.texts.items():
            file = place / name / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text, "utf-8")
        sys.path.insert(0, folder)
        try:
            importlib.invalidate_caches()
            yield importlib.import_module(name)
        finally:
            sys.path.remove(folder)
            for module in [module for module in sys.modules if module == name or module.startswith(name + ".")]:
                del sys.modules[module]
            gc.freeze()  # pydantic keeps the classes, and looking them through again and again would take ever longer
