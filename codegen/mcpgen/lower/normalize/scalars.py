"""Lower strings, numbers and enumerated values."""

from __future__ import annotations

from mcpgen.lower.normalize.constraints import intersect_lengths, intersect_number_bounds
from mcpgen.lower.normalize.context import NormalizationContext
from mcpgen.lower.normalize.core import MAX_SAFE_INTEGER, Core, SchemaPart, make_union
from mcpgen.schema.keywords import TYPED_KEYWORDS
from mcpgen.schema.values import Json, get_json_type, make_identity_key


def lower_string(parts: tuple[SchemaPart, ...], context: NormalizationContext) -> Core:
    """Return the type of the strings that satisfy all parts."""
    lengths = intersect_lengths(parts, "minLength", "maxLength", context.findings)
    encodings = {str(part.schema["contentEncoding"]) for part in parts if "contentEncoding" in part.schema}
    native_format = "byte" if encodings == {"base64"} else _find_native_format(parts, context)
    if not native_format:
        return {"type": "string", **lengths}
    context.findings.require_check(*lengths)  # they limit the text, not the Python value that it stands for
    return {"type": "string", "format": native_format}


def _find_native_format(parts: tuple[SchemaPart, ...], context: NormalizationContext) -> str:
    """Return the format of the strings if it becomes a Python type, else an empty text."""
    formats = {part.place.pointer: str(part.schema["format"]) for part in parts if "format" in part.schema}
    if len({*formats.values()}) != 1:
        return ""
    chosen = [place for place in formats if context.formats.find_choice(place) is not None] or [*formats]
    is_native = all(context.formats.is_native(place, formats[place]) for place in chosen)
    return formats[chosen[0]] if is_native else ""


def lower_number(kind: str, parts: tuple[SchemaPart, ...], context: NormalizationContext) -> Core:
    """Return the type of the numbers that satisfy all parts; `kind` is `integer` or `number`."""
    return {"type": kind, **intersect_number_bounds(parts, kind == "integer", context.findings)}


def lower_enum(values: list[Json], keywords: set[str], pointer: str, context: NormalizationContext) -> Core:
    """Return a type for enumerated values.

    Args:
        values: the values that satisfy every `enum`, `const` and `type`.
        keywords: the keywords of all parts.
        pointer: where the type is needed.
        context: the run.
    """
    findings = context.findings
    findings.require_check(*((keywords & TYPED_KEYWORDS) | (keywords & {"anyOf", "oneOf"})))
    literals: dict[object, Json] = {}
    wide_types: list[Core] = []
    for value in values:
        if isinstance(value, float) and value.is_integer():
            value = int(value)
        if _fits_literal(value):
            literals.setdefault(make_identity_key(value), value)
            continue
        findings.require_check("enum")
        wide = _widen_value(value)
        if wide not in wide_types:
            wide_types.append(wide)
    if not values:
        return findings.widen_to_any(pointer, "enum")
    members: list[Core] = [{"enum": [*literals.values()]}] if literals else []
    if len(literals) > context.limits.members:
        findings.leave_out_members(pointer, "enum", f"{len(literals)} values")
        members = [{"type": kind} for kind in dict.fromkeys(map(get_json_type, literals.values()))]
    members += [wide for wide in wide_types if wide not in members]
    return make_union(members)


def _fits_literal(value: Json) -> bool:
    if isinstance(value, int):
        return abs(value) <= MAX_SAFE_INTEGER
    return isinstance(value, str | None)


def _widen_value(value: Json) -> Core:
    """Return the type of a value that no literal can express."""
    kind = get_json_type(value)
    if kind == "array":
        return {"type": kind, "items": {}}
    return {"type": "number" if kind == "integer" else kind}
