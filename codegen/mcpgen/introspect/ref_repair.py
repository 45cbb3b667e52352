"""Repair of references that an SDK broke by wrapping a schema in another one."""

from __future__ import annotations

from urllib.parse import unquote

from mcpgen.schema.keywords import map_subschemas
from mcpgen.schema.values import Json, follow_pointer, format_pointer, parse_pointer


def repair_references(schema: Json, dialect: str) -> tuple[Json, list[str]]:
    """Repair references that would be right if the root were an inner schema around them.

    dedalus-mcp advertises results as `{"result": …}`, but leaves references such as `#/$defs/Day` unchanged.

    Returns:
        The schema with repaired references, and the broken ones as they were written.
    """
    broken: dict[str, None] = {}

    def repair(ancestors: tuple[tuple[str, Json], ...]) -> Json:
        """Repair the innermost of some nested schemas, each with its pointer, outermost first."""
        pointer, subschema = ancestors[-1]
        if not isinstance(subschema, dict):
            return subschema
        repaired, ref = dict(subschema), subschema.get("$ref")
        if isinstance(ref, str) and (correct_ref := _find_correct_reference(ref, ancestors)) is not None:
            broken[ref] = None
            repaired["$ref"] = correct_ref
        return map_subschemas(
            repaired,
            dialect,
            lambda path, nested: repair((*ancestors, (pointer + format_pointer(*path), nested))),
        )

    return repair((("", schema),)), list(broken)


def _find_correct_reference(ref: str, ancestors: tuple[tuple[str, Json], ...]) -> str | None:
    """Return the reference that was meant; None where `ref` is right, or leads nowhere from all ancestors."""
    if not ref.startswith("#/"):
        return None
    path = parse_pointer(unquote(ref[1:]))
    _, root = ancestors[0]
    if _is_schema_at(root, path):
        return None
    return next(
        (f"#{pointer}{ref[1:]}" for pointer, schema in reversed(ancestors) if pointer and _is_schema_at(schema, path)),
        None,
    )


def _is_schema_at(schema: Json, path: list[str]) -> bool:
    try:
        return isinstance(follow_pointer(schema, path), dict | bool)
    except KeyError:
        return False
