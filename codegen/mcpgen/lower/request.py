"""Request to lower a schema."""

from __future__ import annotations

from dataclasses import dataclass, field

from mcpgen.schema.document import Schema
from mcpgen.schema.formats import NO_FORMATS, FormatChoices


@dataclass(frozen=True)
class LoweringLimits:
    """Settings that limit what a schema unfolds into, see `config.models.Limits`."""

    classes: int = 20_000
    members: int = 1_000
    """Properties of an object, members of a union, values of an enum, items of a tuple."""
    unfolding: int = 20
    """Types for each subschema."""


@dataclass(frozen=True)
class LoweringRequest:
    """A schema to lower."""

    side: str
    """Start of its nodes' ids, different for each schema of a module: `output`, `input`."""
    schema: Schema
    class_names: tuple[tuple[str, str], ...] = ()
    """(JSON pointer, class name) as chosen by the user."""
    formats: FormatChoices = NO_FORMATS
    """The formats that become Python types."""
    limits: LoweringLimits = field(default_factory=LoweringLimits)
    seconds: float = 120
    """How long the type generator may take."""
    aliases: bool = True
    """Whether definitions that are not objects become aliases."""
    draws_example: bool = False
    """Whether an example of its values is looked for."""
