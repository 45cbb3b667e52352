"""Have datamodel-code-generator turn core schemas into Python annotations, and read these as IR types.

Its answer is a module, of which only the syntax tree is used. Whatever is unknown here is refused.
"""

from __future__ import annotations

import ast
import contextlib
import io
import os
import time
import warnings
from collections.abc import Iterable, Mapping
from functools import cache, partial
from pathlib import Path
from typing import Any

from mcpgen.ir.types import ANY, NULL, Array, Bound, Choice, FixedArray, Map, Ref, Scalar, ScalarKind, Type, Union
from mcpgen.lower.deadline import DeadlinePassed, call_until
from mcpgen.lower.normalize.core import Core
from mcpgen.schema.formats import FORMAT_TABLE
from mcpgen.schema.keywords import BOUND_NAMES
from mcpgen.schema.values import Json

ROOT_CLASS = "Types"
"""Name of the class whose properties have the core schemas."""
_SCALARS: Mapping[str, Type] = {
    "StrictStr": Scalar(ScalarKind.STRING),
    "StrictInt": Scalar(ScalarKind.INTEGER),
    "StrictFloat": Scalar(ScalarKind.NUMBER),
    "StrictBool": Scalar(ScalarKind.BOOLEAN),
    "Any": ANY,
    "Base64Str": Scalar(ScalarKind.BASE64),
    **{entry.generator_name: Scalar(ScalarKind(name)) for name, entry in FORMAT_TABLE.items()},
}


class TypeGeneratorFailed(Exception):
    """datamodel-code-generator cannot read a schema, or its answer cannot be read."""


def generate_types(cores: Mapping[str, Core], references: Iterable[str], until: float) -> dict[str, Type]:
    """Return the types that datamodel-code-generator makes of some core schemas, which may refer to some keys, by name.

    The schemas contain no text of the user's.

    Raises:
        TypeGeneratorFailed: it cannot read a schema, or its answer has an unknown form.
        DeadlinePassed: the deadline, a time of `time.monotonic`, has passed.
    """
    keys = [*references]
    placeholder: Json = {"type": "object", "properties": {"p0": {"type": "null"}}, "required": ["p0"]}
    document: dict[str, Json] = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "type": "object",
        "properties": {**cores},
        "required": [*cores],
        "$defs": dict.fromkeys(keys, placeholder),
    }
    types = parse_annotations(generate_module(document, until), keys)
    if types.keys() != cores.keys():
        raise TypeGeneratorFailed("its properties are not those of the request")
    return types


def generate_module(document: dict[str, Json], until: float) -> str:
    """Return the module that datamodel-code-generator makes of a schema.

    Raises:
        TypeGeneratorFailed: it cannot read the schema.
        DeadlinePassed: the deadline has passed.
    """
    from datamodel_code_generator import generate

    try:
        with warnings.catch_warnings(), contextlib.redirect_stderr(io.StringIO()):
            warnings.simplefilter("ignore")
            text = call_until(until, partial(generate, document, config=_build_generator_config()))
    except DeadlinePassed:
        raise
    except Exception as error:  # it raises many kinds; the caller goes on without types
        if time.monotonic() >= until:  # it may have caught the interrupt and raised an error of its own
            raise DeadlinePassed from None
        raise TypeGeneratorFailed(str(error)) from error
    if not isinstance(text, str):
        raise TypeGeneratorFailed("it returned several modules")
    return text


_OPTIONS: dict[str, Any] = {
    "input_file_type": "jsonschema",
    "output_model_type": "pydantic_v2.BaseModel",
    "schema_version": "2020-12",
    "target_python_version": "3.11",
    "class_name": ROOT_CLASS,
    "formatters": [],
    "disable_timestamp": True,
    "strict_nullable": True,
    "use_type_alias": True,
    "use_annotated": True,
    "field_constraints": True,
    "enum_field_as_literal": "all",
    "use_tuple_for_fixed_items": True,
    "strict_types": ["str", "int", "float", "bool"],
}
"""Options that every supported version has. What only newer versions know is left at its default, so that all agree."""


@cache
def _build_generator_config() -> Any:
    import datamodel_code_generator

    library: Any = datamodel_code_generator
    # Some annotations of this model name classes that its module does not import; these two modules have them all.
    library.GenerateConfig.model_rebuild(_types_namespace=vars(library.config) | vars(library))
    # without a path, newer versions read datamodel-codegen.lock of the working folder
    has_lock = "lockfile" in library.GenerateConfig.model_fields
    return library.GenerateConfig(**_OPTIONS, **({"lockfile": Path(os.devnull)} if has_lock else {}))


def parse_annotations(source: str, references: Iterable[str]) -> dict[str, Type]:
    """Return the types of the properties of the class `Types` in a module, in which some names become a `Ref`.

    Raises:
        TypeGeneratorFailed: there is no such class, or an annotation has an unknown form.
    """
    try:
        return _parse_module(ast.parse(source), {**_SCALARS, **{key: Ref(key) for key in references}})
    except (SyntaxError, ValueError) as error:  # of `ast.parse` and `ast.literal_eval`
        raise TypeGeneratorFailed(f"unknown syntax: {error}") from error


def _parse_module(module: ast.Module, names: dict[str, Type]) -> dict[str, Type]:
    aliases: dict[str, ast.expr] = {}
    annotations: dict[str, ast.expr] | None = None
    for statement in module.body:
        match statement:
            case ast.ClassDef(name=name, body=body) if name == ROOT_CLASS:
                fields = (field for field in body if isinstance(field, ast.AnnAssign))
                annotations = {ast.unparse(field.target): field.annotation for field in fields}
            case ast.Assign([ast.Name(name)], ast.Call(ast.Name("TypeAliasType"), [_, value])):
                aliases[name] = value
            case _:
                pass
    if annotations is None:
        raise TypeGeneratorFailed(f"no class {ROOT_CLASS}")
    parser = _AnnotationParser(names, aliases)
    return {name: parser.parse(annotation) for name, annotation in annotations.items()}


class _AnnotationParser:
    def __init__(self, names: dict[str, Type], aliases: dict[str, ast.expr]) -> None:
        self._names = names
        """What a name stands for."""
        self._aliases = aliases
        """Names that datamodel-code-generator invented for parts, while they are not parsed."""

    def parse(self, node: ast.expr) -> Type:
        match node:
            case ast.Constant(None):
                return NULL
            case ast.Name(name):
                if name in self._aliases:
                    self._names[name] = self.parse(self._aliases.pop(name))
                if name in self._names:
                    return self._names[name]
            case ast.BinOp(left, ast.BitOr(), right):
                return _make_union([self.parse(left), self.parse(right)])
            case ast.Subscript(ast.Name("list"), item):
                return Array(self.parse(item))
            case ast.Subscript(ast.Name("dict"), ast.Tuple([ast.Name("str"), value])):
                return Map(self.parse(value))
            case ast.Subscript(ast.Name("tuple"), items):
                return FixedArray(tuple(map(self.parse, _list_arguments(items))))
            case ast.Subscript(ast.Name("Literal"), values):
                return Choice(tuple(map(_parse_constant, _list_arguments(values))))
            case ast.Subscript(ast.Name("Annotated"), ast.Tuple([body, ast.Call(ast.Name("Field"), [], keywords)])):
                return _add_bounds(self.parse(body), tuple(map(_parse_bound, keywords)))
            case _:
                pass
        raise TypeGeneratorFailed(f"unknown annotation {ast.unparse(node)}")


def _list_arguments(node: ast.expr) -> list[ast.expr]:
    return node.elts if isinstance(node, ast.Tuple) else [node]


def _parse_constant(node: ast.expr) -> str | int | bool | None:
    match ast.literal_eval(node):
        case str() | int() | None as value:
            return value
        case _:
            raise TypeGeneratorFailed(f"unknown constant {ast.unparse(node)}")


def _parse_bound(keyword: ast.keyword) -> Bound:
    value = ast.literal_eval(keyword.value)
    if keyword.arg not in BOUND_NAMES.values() or isinstance(value, bool) or not isinstance(value, int | float):
        raise TypeGeneratorFailed(f"unknown bound {ast.unparse(keyword)}")
    return (str(keyword.arg), int(value) if isinstance(value, float) and value.is_integer() else value)


def _add_bounds(node: Type, bounds: tuple[Bound, ...]) -> Type:
    match node:
        case Scalar(kind=kind, bounds=existing):
            return Scalar(kind, existing + bounds)
        case Array(item=item, bounds=existing):
            return Array(item, existing + bounds)
        case FixedArray(items=items) if all(number == len(items) for _, number in bounds):
            return node
        case Union(members=members) if len(members) == 2 and NULL in members:
            return _make_union([member if member == NULL else _add_bounds(member, bounds) for member in members])
        case _:
            raise TypeGeneratorFailed(f"bounds on {node}")


def _make_union(members: list[Type]) -> Type:
    flat: dict[Type, None] = {}
    for member in members:
        flat.update(dict.fromkeys(member.members if isinstance(member, Union) else (member,)))
    if ANY in flat:
        return ANY
    return next(iter(flat)) if len(flat) == 1 else Union(tuple(flat))
