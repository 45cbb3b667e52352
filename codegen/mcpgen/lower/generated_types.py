"""Generate the types of normalized schemas, all of a module together."""

from __future__ import annotations

from dataclasses import dataclass

from mcpgen.ir.types import Type
from mcpgen.lower.normalize.core import Core, NormalizedSchema
from mcpgen.lower.type_cache import TypeCache
from mcpgen.lower.type_generator import TypeGeneratorFailed, TypeGeneratorTimeout, compute_deadline
from mcpgen.lower.type_parser import UnreadableAnnotation


@dataclass(frozen=True)
class ClassTypes:
    """Types of a class's properties, in their order, and of its undeclared properties."""

    properties: tuple[Type, ...]
    extra: Type | None


@dataclass(frozen=True)
class GeneratedTypes:
    """A normalized schema with its types; these refer to classes and aliases by their keys."""

    schema: NormalizedSchema
    root: Type
    classes: dict[str, ClassTypes]
    aliases: dict[str, Type]
    definitions: dict[str, Type]


@dataclass(frozen=True)
class NoTypes:
    """A schema for which no types could be generated."""

    reason: str
    """Reason for the user; empty if the user can do nothing about it."""


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


def prepare_schema_types(schemas: list[NormalizedSchema], seconds: float, types: TypeCache) -> None:
    """Generate the types of the schemas of many modules at once, which takes less time than module by module.

    Args:
        schemas: the schemas.
        seconds: how long it may take.
        types: receives the types.
    """
    cores = [core for schema in schemas for core in _list_cores(schema)]
    types.prepare_types(cores, compute_deadline(seconds))


def _generate_together(schemas: list[NormalizedSchema], until: float, types: TypeCache) -> list[GeneratedTypes]:
    cores = [core for schema in schemas for core in _list_cores(schema)]
    remaining = iter(types.find_types(cores, until))
    results: list[GeneratedTypes] = []
    for schema in schemas:
        root = next(remaining)
        aliases = {key: next(remaining) for key in schema.aliases}
        definitions = {key: next(remaining) for key in schema.definitions}
        classes: dict[str, ClassTypes] = {}
        for key, core_class in schema.classes.items():
            properties = tuple(next(remaining) for _ in core_class.properties)
            classes[key] = ClassTypes(properties, None if core_class.extra is None else next(remaining))
        results.append(GeneratedTypes(schema, root, classes, aliases, definitions))
    return results


def _list_cores(schema: NormalizedSchema) -> list[Core]:
    """Return all types of a schema: its root, its aliases, the properties of its classes."""
    cores = [schema.root, *(alias.core for alias in (schema.aliases | schema.definitions).values())]
    for core_class in schema.classes.values():
        cores += [prop.core for prop in core_class.properties]
        cores += [] if core_class.extra is None else [core_class.extra]
    return cores
