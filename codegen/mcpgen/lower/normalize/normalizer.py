"""Rewrite a schema into the core language, and record what the rewriting had to widen.

Every value that satisfies the schema satisfies the rewritten one. Where the reverse may fail, the keyword is recorded
as a check that is still needed.
"""

from __future__ import annotations

from mcpgen.lower.normalize.constraints import intersect_types
from mcpgen.lower.normalize.context import NormalizationContext, create_context
from mcpgen.lower.normalize.core import Core, NormalizedSchema, SchemaPlace
from mcpgen.lower.normalize.limits import LoweringLimits
from mcpgen.lower.normalize.nesting import check_nesting
from mcpgen.lower.normalize.type_lowering import TypeLowering
from mcpgen.schema.formats import NO_FORMATS, FormatChoices
from mcpgen.schema.object_roots import has_object_type
from mcpgen.schema.values import Json

_ROOT = (SchemaPlace(""),)


def normalize_schema(
    schema: Json,
    dialect: str,
    prefix: str,
    formats: FormatChoices = NO_FORMATS,
    limits: LoweringLimits | None = None,
) -> NormalizedSchema:
    """Rewrite a self-contained schema into the core language.

    Args:
        schema: the schema, valid against its meta-schema.
        dialect: its dialect's URI.
        prefix: start of the keys of classes and aliases.
        formats: the formats that become Python types.
        limits: how much it may unfold into.

    Raises:
        SchemaTooLarge: it unfolds into more than that.
    """
    context = create_context(schema, dialect, prefix, formats, limits)
    types = TypeLowering(context)
    root = _lower_root(schema, context, types, as_union=True)
    if root is None:
        context = create_context(schema, dialect, prefix, formats, limits)
        types = TypeLowering(context)
        root = _lower_root(schema, context, types, as_union=False)
    assert root is not None
    types.objects.fill_classes()
    for alias in types.aliases.values():
        context.budget.count_types(context.sizes.measure(alias.core).parts)
    types.cut_direct_recursion()
    check_nesting(types.objects.classes, types.aliases)
    return NormalizedSchema(
        root,
        types.objects.classes,
        types.aliases,
        types.list_definitions(),
        context.findings.checks,
        context.findings.notes,
        context.places.find_description(_ROOT),
    )


def _lower_root(schema: Json, context: NormalizationContext, types: TypeLowering, as_union: bool) -> Core | None:
    """Lower the root: one that says `"type": "object"` becomes a class even where no value can satisfy it.

    Returns:
        None where an object with alternatives was to become a union of objects (`as_union`) and does not: one of its
        alternatives may be the root itself.
    """
    parts = context.places.flatten(_ROOT)
    accepted = None if parts is None else intersect_types(parts)
    if accepted == {"object"}:
        places = context.places.follow_all(_ROOT)
        has_union = as_union and types.has_alternatives(places)
        return types.lower_root_union(places) if has_union else types.lower_root_object(places)
    if not accepted and has_object_type(schema):
        context.findings.widen_to_any("", "type")
        return types.lower_root_object(_ROOT)
    return types.lower(_ROOT)
