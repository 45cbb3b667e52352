"""Lower strings, numbers, enumerated values, arrays and tuples."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import zip_longest

from mcpgen.lower.normalize.constraints import intersect_lengths, intersect_number_bounds
from mcpgen.lower.normalize.core import (
    ANY_CORE,
    MAX_SAFE_INTEGER,
    Core,
    Parts,
    Places,
    SchemaPart,
    join_alternatives,
    make_union,
)
from mcpgen.lower.normalize.places import LowerPlaces, NormalizationContext
from mcpgen.schema.formats import CORE_FORMATS
from mcpgen.schema.keywords import DRAFT_07, TYPED_KEYWORDS
from mcpgen.schema.values import Json, get_json_type, make_identity_key


def lower_string(parts: Parts, context: NormalizationContext) -> Core:
    """Return the type of the strings that satisfy all parts."""
    lengths = intersect_lengths(parts, "minLength", "maxLength", context.findings)
    encodings = {str(part.schema["contentEncoding"]) for part in parts if "contentEncoding" in part.schema}
    native_format = "byte" if encodings == {"base64"} else _find_native_format(parts, context)
    if not native_format:
        return {"type": "string", **lengths}
    context.findings.require_check(*lengths)  # they limit the text, not the Python value that it stands for
    return {"type": "string", "format": native_format}


def _find_native_format(parts: Parts, context: NormalizationContext) -> str:
    formats = {part.place.pointer: str(part.schema["format"]) for part in parts if "format" in part.schema}
    if len({*formats.values()}) != 1:
        return ""
    chosen = [place for place in formats if context.request.formats.find_choice(place) is not None] or [*formats]
    is_native = all(context.request.formats.is_native(place, formats[place]) for place in chosen)
    return CORE_FORMATS[formats[chosen[0]]] if is_native else ""


def lower_number(kind: str, parts: Parts, context: NormalizationContext) -> Core:
    """Return the type of the numbers that satisfy all parts; `kind` is `integer` or `number`."""
    return {"type": kind, **intersect_number_bounds(parts, kind == "integer", context.findings)}


def lower_enum(values: list[Json], keywords: set[str], pointer: str, context: NormalizationContext) -> Core:
    """Return a type for the values that satisfy every `enum`, `const` and `type`; `keywords` are those of all parts."""
    findings = context.findings
    findings.require_check(*((keywords & TYPED_KEYWORDS) | (keywords & {"anyOf", "oneOf"})))
    literals: dict[object, Json] = {}
    wide_types: list[Core] = []
    for value in values:
        if isinstance(value, float) and value.is_integer():
            value = int(value)
        if isinstance(value, str | None) or (isinstance(value, int) and abs(value) <= MAX_SAFE_INTEGER):
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


def _widen_value(value: Json) -> Core:
    kind = get_json_type(value)
    if kind == "array":
        return {"type": kind, "items": {}}
    return {"type": "number" if kind == "integer" else kind}


@dataclass
class _ArrayItems:
    positions: list[Places] = field(default_factory=list[Places])
    """For each of the first items, the places that it satisfies."""
    rest: Places = ()
    """The places that the other items satisfy."""
    closed: bool = False
    """Whether there are no other items."""
    tuples: int = 0
    """The number of parts that have items by position."""


def lower_array(parts: Parts, context: NormalizationContext, lower: LowerPlaces) -> Core:
    """Return the type of the arrays that satisfy all parts."""
    lengths = intersect_lengths(parts, "minItems", "maxItems", context.findings)
    items = _collect_items(parts, context)
    if items is None:
        return {"type": "array", "items": {}, **lengths}
    if items.tuples:
        return _lower_tuple(items, lengths, context, lower)
    if items.closed:
        context.findings.require_check("items")
        return {"type": "array", "items": {}, **lengths}
    return {"type": "array", "items": lower(items.rest) if items.rest else ANY_CORE, **lengths}


def _collect_items(parts: Parts, context: NormalizationContext) -> _ArrayItems | None:
    items = _ArrayItems()
    for part in parts:
        prefix_keyword, rest_keyword = _find_item_keywords(part, context.dialect)
        prefix = part.list_branches(prefix_keyword)
        if len(prefix) > context.limits.members:
            context.findings.leave_out_members(part.place.pointer, prefix_keyword, f"{len(prefix)} items")
            return None
        items.tuples += bool(prefix)
        pairs = zip_longest(items.positions, [(place,) for place in prefix], fillvalue=())
        items.positions = [(*earlier, *added) for earlier, added in pairs]
        if rest_keyword in part.schema:
            items.closed = items.closed or part.schema[rest_keyword] is False
            items.rest = (*items.rest, part.locate(rest_keyword))
    return items


def _find_item_keywords(part: SchemaPart, dialect: str) -> tuple[str, str]:
    if dialect == DRAFT_07 and isinstance(part.schema.get("items"), list):
        return "items", "additionalItems"
    return "prefixItems", "items"


def _lower_tuple(items: _ArrayItems, lengths: Core, context: NormalizationContext, lower: LowerPlaces) -> Core:
    types = [lower(places) for places in items.positions]
    count = len(types)
    least, most = lengths.get("minItems", 0), lengths.get("maxItems")
    single = items.tuples == 1
    ends = items.closed or (isinstance(most, int) and most <= count)
    if single and ends and least == count and most in (None, count):
        return {"type": "array", "prefixItems": list[Json](types), "items": False, "minItems": count, "maxItems": count}
    context.findings.require_check("prefixItems")
    if not single:
        return {"type": "array", "items": {}, **lengths}
    if not ends:
        types.append(lower(items.rest) if items.rest else ANY_CORE)
    if items.closed and most is None:
        lengths = {**lengths, "maxItems": count}
    return {"type": "array", "items": join_alternatives(types), **lengths}
