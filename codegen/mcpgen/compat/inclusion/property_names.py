"""Gaps of `propertyNames`, and the names to compare one by one."""

from __future__ import annotations

from collections.abc import Collection

from mcpgen.compat.gap import WILDCARD, Gap, GapKind
from mcpgen.compat.inclusion.conjunction import ObjectValues, make_conjunction
from mcpgen.compat.inclusion.context import InclusionContext, KeywordRule, Question, make_gap
from mcpgen.compat.inclusion.value_sets import is_empty
from mcpgen.schema.values import Json, canonicalize


def list_compared_names(
    objects: ObjectValues, consumer_names: Collection[str], others: bool = True
) -> tuple[list[str], bool]:
    """Return the property names to compare one by one, and whether objects have no other properties.

    Args:
        objects: the objects of the producer's schema.
        consumer_names: the properties that the consumer's schema declares.
        others: whether to compare other properties, too.
    """
    allowed = objects.list_allowed_names()
    if allowed is not None:
        return [name for name in allowed if isinstance(name, str) and (others or name in consumer_names)], True
    return list(dict.fromkeys([*consumer_names, *objects.declared])) if others else [*consumer_names], False


def _compare_property_names(context: InclusionContext, question: Question) -> list[Gap]:
    view, producer, objects = context.consumer, question.producer, question.producer.objects
    name_schema = view.get_subschema(question.consumer, "propertyNames")
    if name_schema is None or context.keeps_keywords(question, "propertyNames"):
        return []
    names, complete = list_compared_names(objects, ())
    possible = [name for name in names if not is_empty(objects.get_property(name))]
    refused = [name for name in possible if not view.is_valid(name_schema, name)]
    if refused:
        texts = tuple(canonicalize(name) for name in refused)
        witness_schema: Json = {"required": [refused[0]]}
        return [
            make_gap(
                context, question, GapKind.PROPERTY_NAMES, "propertyNames", values=texts, witness_schema=witness_schema
            )
        ]
    if complete or not objects.list_undeclared(frozenset()):
        return []
    schemas = [producer.view.get_subschema(part, "propertyNames") for part in producer.parts_with("propertyNames")]
    producer_names = make_conjunction(producer.view, *(schema for schema in schemas if schema is not None))
    if not context.check_kind(Question(producer_names, name_schema, "string", question.path.step_into(WILDCARD))):
        return []
    witness_schema = {"minProperties": len(objects.declared) + 1}
    return [
        make_gap(
            context, question, GapKind.PROPERTY_NAMES, "propertyNames", witness_schema=witness_schema
        ).as_uncertain()
    ]


PROPERTY_NAME_RULES = (KeywordRule(("propertyNames",), _compare_property_names),)
