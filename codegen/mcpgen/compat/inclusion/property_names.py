"""Gaps of `propertyNames`, and the names to compare one by one."""

from __future__ import annotations

from collections.abc import Collection

from mcpgen.compat.gap import WILDCARD, Gap, GapKind
from mcpgen.compat.inclusion.conjunction import ObjectValues, make_conjunction
from mcpgen.compat.inclusion.context import InclusionContext, KeywordRule, Question, make_gap
from mcpgen.compat.inclusion.value_sets import is_empty
from mcpgen.schema.values import Json, canonicalize


def list_compared_names(
    objects: ObjectValues, narrow_names: Collection[str], others: bool = True
) -> tuple[list[str], bool]:
    """Return the property names to compare one by one, and whether objects have no other properties.

    Args:
        objects: the objects of the wide schema.
        narrow_names: the properties that the narrow schema declares.
        others: whether to compare other properties, too.
    """
    allowed = objects.list_allowed_names()
    if allowed is not None:
        return [name for name in allowed if isinstance(name, str) and (others or name in narrow_names)], True
    return list(dict.fromkeys([*narrow_names, *objects.declared])) if others else [*narrow_names], False


def _compare_property_names(context: InclusionContext, question: Question) -> list[Gap]:
    view, wide, objects = context.narrow, question.wide, question.wide.objects
    name_schema = view.get_subschema(question.narrow, "propertyNames")
    if name_schema is None or context.keeps_keywords(question, "propertyNames"):
        return []
    names, complete = list_compared_names(objects, ())
    possible = [name for name in names if not is_empty(objects.get_property(name))]
    refused = [name for name in possible if not view.is_valid(name_schema, name)]
    if refused:
        texts = tuple(canonicalize(name) for name in refused)
        hint: Json = {"required": [refused[0]]}
        return [make_gap(context, question, GapKind.PROPERTY_NAMES, "propertyNames", values=texts, hint=hint)]
    if complete or not objects.list_undeclared(frozenset()):
        return []
    schemas = [wide.view.get_subschema(part, "propertyNames") for part in wide.parts_with("propertyNames")]
    wide_names = make_conjunction(wide.view, *(schema for schema in schemas if schema is not None))
    if not context.check_kind(Question(wide_names, name_schema, "string", question.path.step_into(WILDCARD))):
        return []
    hint = {"minProperties": len(objects.declared) + 1}
    return [make_gap(context, question, GapKind.PROPERTY_NAMES, "propertyNames", hint=hint).as_uncertain()]


PROPERTY_NAME_RULES = (KeywordRule(("propertyNames",), _compare_property_names),)
