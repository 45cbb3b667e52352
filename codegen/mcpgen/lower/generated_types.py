"""Generate the types of normalized schemas, all of a module together."""

from __future__ import annotations

from dataclasses import dataclass

from mcpgen.ir.types import Type
from mcpgen.lower.normalize.core import Core, NormalizedSchema
from mcpgen.lower.type_cache import TypeCache
from mcpgen.lower.type_generator import TypeGeneratorFailed, TypeGeneratorTimeout, compute_deadline
from mcpgen.lower.type_parser import UnreadableAnnotation


@dataclass(frozen=True)
class ShapeTypes:
    """Types of a shape's properties, in their order, and of its undeclared properties."""

    properties: tuple[Type, ...]
    extra: Type | None


@dataclass(frozen=True)
class GeneratedTypes:
    """A normalized schema with its types; these refer to shapes and aliases by their keys."""

    schema: NormalizedSchema
    root: Type
    shapes: dict[str, ShapeTypes]
    aliases: dict[str, Type]
    definitions: dict[str, Type]


@dataclass(frozen=True)
class NoTypes:
    """A schema for which no types could be generated."""

    reason: str
    """Why, for the user; empty where there is nothing that a user could do."""


def generate_schema_types(
    schemas: list[NormalizedSchema], seconds: float, types: TypeCache
) -> list[GeneratedTypes | NoTypes]:
    """Generate the types of each schema: together and, should that fail, schema by schema.

    Args:
        schemas: the schemas.
        seconds: how long it may take.
        types: the types that are known already.
    """
    until = compute_deadline(seconds)
    timeout = NoTypes(f"the type generator took longer than {seconds:g} s (`limits.seconds`)")
    try:
        return [*_generate_together(schemas, until, types)]
    except TypeGeneratorTimeout:
        return [timeout for _ in schemas]
    except (TypeGeneratorFailed, UnreadableAnnotation):
        pass
    results: list[GeneratedTypes | NoTypes] = []
    for schema in schemas:
        try:
            results += _generate_together([schema], until, types)
        except TypeGeneratorTimeout:
            results.append(timeout)
        except (TypeGeneratorFailed, UnreadableAnnotation):
            results.append(NoTypes(""))
    return results


def _generate_together(schemas: list[NormalizedSchema], until: float, types: TypeCache) -> list[GeneratedTypes]:
    cores = [core for schema in schemas for core in _list_cores(schema)]
    remaining = iter(types.find_types(cores, until))
    results: list[GeneratedTypes] = []
    for schema in schemas:
        root = next(remaining)
        aliases = {key: next(remaining) for key in schema.aliases}
        definitions = {key: next(remaining) for key in schema.definitions}
        shapes: dict[str, ShapeTypes] = {}
        for key, shape in schema.shapes.items():
            properties = tuple(next(remaining) for _ in shape.properties)
            shapes[key] = ShapeTypes(properties, None if shape.extra is None else next(remaining))
        results.append(GeneratedTypes(schema, root, shapes, aliases, definitions))
    return results


def _list_cores(schema: NormalizedSchema) -> list[Core]:
    """Return all types of a schema: its root, its aliases, the properties of its shapes."""
    cores = [schema.root, *(alias.core for alias in (schema.aliases | schema.definitions).values())]
    for shape in schema.shapes.values():
        cores += [prop.core for prop in shape.properties]
        cores += [] if shape.extra is None else [shape.extra]
    return cores
