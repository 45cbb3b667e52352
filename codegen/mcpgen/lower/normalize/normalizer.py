"""Rewrite a schema into the core language, and record what the rewriting had to widen.

Every value that satisfies the schema satisfies the rewritten one. Where the reverse may fail, the keyword is recorded
as a check that is still needed.
"""

from __future__ import annotations

from mcpgen.lower.normalize.constraints import intersect_types
from mcpgen.lower.normalize.context import NormalizationContext, create_context
from mcpgen.lower.normalize.core import Core, NormalizedSchema, SchemaPlace
from mcpgen.lower.normalize.limits import LoweringLimits
from mcpgen.lower.normalize.type_lowering import TypeLowering
from mcpgen.schema.result_wrapper import has_object_type
from mcpgen.schema.values import Json

_ROOT = (SchemaPlace(""),)


def normalize_schema(
    schema: Json, dialect: str, prefix: str, native: bool = False, limits: LoweringLimits | None = None
) -> NormalizedSchema:
    """Rewrite a self-contained schema into the core language.

    Args:
        schema: the schema, valid against its meta-schema.
        dialect: its dialect's URI.
        prefix: start of the keys of shapes and aliases.
        native: whether strings with a known `format` become datetime, date, time and UUID.
        limits: how much it may unfold into.

    Raises:
        SchemaTooLarge: it unfolds into more than that.
    """
    context = create_context(schema, dialect, prefix, native, limits)
    types = TypeLowering(context)
    root = _lower_root(schema, context, types)
    types.objects.fill_shapes()
    for alias in types.aliases.values():
        context.budget.count_types(context.sizes.measure(alias.core).parts)
    types.cut_direct_recursion()
    return NormalizedSchema(
        root,
        types.objects.shapes,
        types.aliases,
        types.list_definitions(),
        context.findings.checks,
        context.findings.notes,
        context.places.find_description(_ROOT),
    )


def _lower_root(schema: Json, context: NormalizationContext, types: TypeLowering) -> Core:
    """Lower the root: one that says `"type": "object"` becomes a class even where no value can satisfy it."""
    parts = context.places.flatten(_ROOT)
    accepted = None if parts is None else intersect_types(parts)
    if accepted == {"object"}:
        return types.lower_root_object(_ROOT)
    if not accepted and has_object_type(schema):
        context.findings.widen_to_any("", "type")
        return types.lower_root_object(_ROOT)
    return types.lower(_ROOT)
