"""The gaps between a conjunction and the keywords of a place that speak of objects."""

from __future__ import annotations

from mcpgen.compat.gap import WILDCARD, Gap, GapKind
from mcpgen.compat.inclusion.context import InclusionContext, ValuePath
from mcpgen.compat.inclusion.intersection import Conjunction, make_conjunction
from mcpgen.schema.document import SchemaLocation
from mcpgen.schema.values import Json, canonicalize


def find_object_gaps(check: InclusionContext, wide: Conjunction, narrow: SchemaLocation, way: ValuePath) -> list[Gap]:
    """Where objects among the wide schema's are not among the narrow one's."""
    return [
        *_compare_required(check, wide, narrow, way),
        *_compare_properties(check, wide, narrow, way),
        *_compare_unevaluated_properties(check, wide, narrow, way),
        *_compare_property_names(check, wide, narrow, way),
        *_compare_property_counts(check, wide, narrow, way),
        *_compare_dependents(check, wide, narrow, way),
    ]


def _compare_required(check: InclusionContext, wide: Conjunction, narrow: SchemaLocation, way: ValuePath) -> list[Gap]:
    out: list[Gap] = []
    few = wide.property_counts[0] > len(wide.required)
    for name in check.narrow.get_names(narrow, "required"):
        if name in wide.required:
            continue
        hint: Json = {"not": {"required": [name]}}
        kind = GapKind.REQUIRED if wide.property(name).parts else GapKind.UNDECLARED
        gap = check.make_gap(kind, wide, narrow, way, "required", name=name, hint=hint)
        out.append(gap.as_uncertain() if few else gap)
    return out


def _compare_properties(
    check: InclusionContext, wide: Conjunction, narrow: SchemaLocation, way: ValuePath
) -> list[Gap]:
    book = check.narrow
    own, patterns = (
        book.get_named_subschemas(narrow, "properties"),
        book.get_named_subschemas(narrow, "patternProperties"),
    )
    more = book.get_subschema(narrow, "additionalProperties")
    if not own and not patterns and more is None:
        return []
    out: list[Gap] = []
    names, only = _list_names(wide, list(own))
    for name in names:
        value = wide.property(name)
        if value.accepts_nothing():
            continue
        spoken = [own[name]] if name in own else []
        spoken += [place for pattern, place in patterns.items() if book.matches(pattern, name)]
        for place in spoken:
            out += _compare_declared(check, wide, value, narrow, place, name, way)
        if not spoken and more is not None:
            out += _compare_extra(check, wide, value, narrow, more, name, way)
    return out if only else out + _compare_undeclared(check, wide, narrow, way)


def _list_names(wide: Conjunction, own: list[str]) -> tuple[list[str], bool]:
    """The properties to look at one by one, and whether there are no others."""
    allowed = wide.list_allowed_names()
    if allowed is not None:
        return [name for name in allowed if isinstance(name, str)], True
    return list(dict.fromkeys([*own, *wide.declared])), False


def _compare_declared(
    check: InclusionContext,
    wide: Conjunction,
    value: Conjunction,
    narrow: SchemaLocation,
    place: SchemaLocation,
    name: str,
    way: ValuePath,
) -> list[Gap]:
    found = check.check_place(value, place, way.step_into(name))
    if not found or value.parts:
        return found
    if name in check.narrow.get_names(narrow, "required") and name not in wide.required:
        return []  # which is a gap already
    hint: Json = {"required": [name]}
    gap = check.make_gap(GapKind.UNTYPED, wide, narrow, way, "properties", name=name, hint=hint)
    return [gap if any(one.certain for one in found) else gap.as_uncertain()]


def _compare_extra(
    check: InclusionContext,
    wide: Conjunction,
    value: Conjunction,
    narrow: SchemaLocation,
    more: SchemaLocation,
    name: str,
    way: ValuePath,
) -> list[Gap]:
    if more.schema is not False:
        return check.check_place(value, more, way.step_into(name))
    hint: Json = {"required": [name]}
    gap = check.make_gap(GapKind.EXTRA, wide, narrow, way, "additionalProperties", name=name, hint=hint)
    return [gap.as_uncertain() if value.unsure else gap]


def _compare_undeclared(
    check: InclusionContext, wide: Conjunction, narrow: SchemaLocation, way: ValuePath
) -> list[Gap]:
    """The gaps of properties that neither side declares by name."""
    book = check.narrow
    patterns = book.get_named_subschemas(narrow, "patternProperties")
    more = book.get_subschema(narrow, "additionalProperties")
    out: list[Gap] = []
    for pattern, place in patterns.items():
        for value in wide.list_undeclared(frozenset(patterns) - {pattern}):
            value = value.intersect(_find_pattern_places(wide, pattern))
            if value.accepts_nothing():
                continue
            found = check.check_place(value, place, way.step_into(WILDCARD))
            if found and not value.parts:
                hint: Json = {"minProperties": 1}
                found = [check.make_gap(GapKind.UNTYPED_OTHERS, wide, narrow, way, "patternProperties", hint=hint)]
            out += [one.as_uncertain() for one in found]
    if more is None:
        return out
    for value in wide.list_undeclared(frozenset(patterns)):
        if value.accepts_nothing():
            continue
        hint = {"minProperties": len(wide.declared) + 1}
        if more.schema is False:
            found = [check.make_gap(GapKind.OPEN, wide, narrow, way, "additionalProperties", hint=hint)]
        else:
            found = check.check_place(value, more, way.step_into(WILDCARD))
            if found and not value.parts:
                found = [check.make_gap(GapKind.UNTYPED_OTHERS, wide, narrow, way, "additionalProperties", hint=hint)]
        out += [one.as_uncertain() if value.unsure or patterns else one for one in found]
    return out


def _find_pattern_places(wide: Conjunction, pattern: str) -> list[SchemaLocation]:
    """What the wide schema says of the properties whose names match a pattern that it has, too."""
    held = (wide.book.get_named_subschemas(part, "patternProperties").get(pattern) for part in wide.parts)
    return [place for place in held if place is not None]


def _compare_unevaluated_properties(
    check: InclusionContext, wide: Conjunction, narrow: SchemaLocation, way: ValuePath
) -> list[Gap]:
    """`unevaluatedProperties` of the narrow schema: what it surely has spoken of before is left out."""
    book = check.narrow
    rest = book.get_subschema(narrow, "unevaluatedProperties")
    if rest is None or rest.schema is True or rest.schema == {}:
        return []
    plain = True
    names: set[str] = set()
    patterns: list[str] = []
    for part in make_conjunction(book, narrow).parts:
        if book.has(part, "additionalProperties") or (part != narrow and book.has(part, "unevaluatedProperties")):
            return []
        plain = plain and not any(book.has(part, word) for word in ("anyOf", "oneOf", "if", "dependentSchemas", "not"))
        names.update(book.get_named_subschemas(part, "properties"))
        patterns += book.get_named_subschemas(part, "patternProperties")
    out: list[Gap] = []
    looked_at, only = _list_names(wide, [])
    for name in looked_at:
        value = wide.property(name)
        if name not in names and not any(book.matches(one, name) for one in patterns) and not value.accepts_nothing():
            found = check.check_place(value, rest, way.step_into(name))
            if found and rest.schema is False:
                hint: Json = {"required": [name]}
                found = [
                    check.make_gap(GapKind.EXTRA, wide, narrow, way, "unevaluatedProperties", name=name, hint=hint)
                ]
            out += found
    for value in [] if only else wide.list_undeclared(frozenset(patterns)):
        found = [] if value.accepts_nothing() else check.check_place(value, rest, way.step_into(WILDCARD))
        if found and rest.schema is False:
            hint = {"minProperties": len(wide.declared) + 1}
            found = [check.make_gap(GapKind.OPEN, wide, narrow, way, "unevaluatedProperties", hint=hint)]
        out += [one.as_uncertain() if value.unsure or patterns else one for one in found]
    return out if plain else [one.as_uncertain() for one in out]


def _compare_property_names(
    check: InclusionContext, wide: Conjunction, narrow: SchemaLocation, way: ValuePath
) -> list[Gap]:
    book = check.narrow
    rule = book.get_subschema(narrow, "propertyNames")
    if rule is None or check.keeps_keywords(wide, narrow, "propertyNames"):
        return []
    names, only = _list_names(wide, [])
    possible = [name for name in names if not wide.property(name).accepts_nothing()]
    bad = [name for name in possible if not book.is_valid(rule, name)]
    hint: Json = {"minProperties": len(wide.declared) + 1}
    if bad:
        shown = tuple(canonicalize(name) for name in bad)
        hint = {"required": [bad[0]]}
        return [check.make_gap(GapKind.PROPERTY_NAMES, wide, narrow, way, "propertyNames", values=shown, hint=hint)]
    if only or not wide.list_undeclared(frozenset()):
        return []
    rules = [place for part in wide.parts if (place := wide.book.get_subschema(part, "propertyNames")) is not None]
    if check.check_kind(make_conjunction(wide.book, *rules), rule, "string", way.step_into(WILDCARD)):
        return [check.make_gap(GapKind.PROPERTY_NAMES, wide, narrow, way, "propertyNames", hint=hint).as_uncertain()]
    return []


def _compare_property_counts(
    check: InclusionContext, wide: Conjunction, narrow: SchemaLocation, way: ValuePath
) -> list[Gap]:
    out: list[Gap] = []
    low, high = wide.property_counts
    least, most = check.narrow.get_number(narrow, "minProperties"), check.narrow.get_number(narrow, "maxProperties")
    if least is not None and low < least:
        hint: Json = {"maxProperties": low}
        out.append(check.make_gap(GapKind.MIN_PROPERTIES, wide, narrow, way, "minProperties", hint=hint))
    if most is not None and (high is None or high > most):
        hint = {"minProperties": int(most) + 1}
        out.append(check.make_gap(GapKind.MAX_PROPERTIES, wide, narrow, way, "maxProperties", hint=hint))
    return out


def _compare_dependents(
    check: InclusionContext, wide: Conjunction, narrow: SchemaLocation, way: ValuePath
) -> list[Gap]:
    out: list[Gap] = []
    for name, names, place in check.narrow.get_dependents(narrow):
        if name not in wide.required and wide.property(name).accepts_nothing():
            continue
        there = wide.with_present(name)
        missing = [one for one in names if one not in there.required]
        if not missing and (place is None or not check.check_kind(there, place, "object", way)):
            continue
        word = next(
            one
            for one in ("dependentRequired", "dependentSchemas", "dependencies")
            if name in narrow.get_object(one) and check.narrow.has(narrow, one)
        )
        hint: dict[str, Json] = {"required": [name]}
        if missing:
            hint["not"] = {"required": list[Json](missing[:1])}
        gap = check.make_gap(GapKind.DEPENDENT, wide, narrow, way, word, name=name, hint=hint)
        out.append(gap if missing and there.property_counts[0] <= len(there.required) else gap.as_uncertain())
    return out
