"""References that an SDK broke by wrapping a schema in another: `#/$defs/Day`, where Day stands further in."""

from __future__ import annotations

from urllib.parse import unquote

from mcpgen.schema.keywords import map_subschemas
from mcpgen.schema.values import Json, follow_pointer, format_pointer, parse_pointer


def repair_references(schema: Json, dialect: str) -> tuple[Json, list[str]]:
    """The schema with those references put right that lead nowhere as they are written, but somewhere from a schema
    around them; and the references that were.

    dedalus-mcp advertises a result as `{"result": …}` and leaves the `$ref`s in it as they were.
    """
    found: dict[str, None] = {}

    def walk(around: tuple[tuple[str, Json], ...]) -> Json:
        at, inner = around[-1]
        if not isinstance(inner, dict):
            return inner
        own, ref = dict(inner), inner.get("$ref")
        if isinstance(ref, str) and (right := _correct_reference(ref, around)) is not None:
            found[ref] = None
            own["$ref"] = right
        return map_subschemas(own, dialect, lambda path, one: walk((*around, (at + format_pointer(*path), one))))

    return walk((("", schema),)), list(found)


def _correct_reference(ref: str, around: tuple[tuple[str, Json], ...]) -> str | None:
    """What a reference should have said, None where it is right or there is no telling."""
    if not ref.startswith("#/"):
        return None
    path = parse_pointer(unquote(ref[1:]))
    if _is_schema_at(around[0][1], path):
        return None
    return next((f"#{at}{ref[1:]}" for at, schema in reversed(around) if at and _is_schema_at(schema, path)), None)


def _is_schema_at(schema: Json, path: list[str]) -> bool:
    try:
        return isinstance(follow_pointer(schema, path), dict | bool)
    except KeyError:
        return False
