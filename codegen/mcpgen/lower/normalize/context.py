"""Options and state that the passes of normalization share."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Protocol

from mcpgen.lower.normalize.core import Core, SchemaPlace
from mcpgen.lower.normalize.findings import NormalizationFindings
from mcpgen.lower.normalize.limits import LoweringBudget, LoweringLimits, TypeSizes
from mcpgen.lower.normalize.places import PlaceReader
from mcpgen.schema.formats import NO_FORMATS, FormatChoices
from mcpgen.schema.index import SchemaIndex
from mcpgen.schema.values import Json


class LowerPlaces(Protocol):
    """Lowers a subschema; the passes for arrays, objects and unions call it for what is inside."""

    def __call__(self, places: Iterable[SchemaPlace], tag: str = "") -> Core:
        """Return the type of the values that satisfy all these places; `tag`: see `core.CoreClass`."""
        ...


@dataclass(frozen=True)
class NormalizationContext:
    """One run over one schema: its options, and the objects in which the passes record their results."""

    prefix: str
    """Start of the keys of classes and aliases."""
    formats: FormatChoices
    """The formats that become Python types."""
    limits: LoweringLimits
    budget: LoweringBudget
    sizes: TypeSizes
    findings: NormalizationFindings
    places: PlaceReader


def create_context(
    schema: Json,
    dialect: str,
    prefix: str = "A",
    formats: FormatChoices = NO_FORMATS,
    limits: LoweringLimits | None = None,
) -> NormalizationContext:
    """Return a fresh context for a self-contained schema; see `normalizer.normalize_schema` for the arguments."""
    limits = limits or LoweringLimits()
    index = SchemaIndex(schema, dialect)
    budget, findings = LoweringBudget(limits, len(index.bases)), NormalizationFindings(limits)
    places = PlaceReader(index, budget, findings)
    return NormalizationContext(prefix, formats, limits, budget, TypeSizes(), findings, places)
