"""Request to lower a schema."""

from __future__ import annotations

from dataclasses import dataclass, field

from mcpgen.lower.normalize.limits import LoweringLimits
from mcpgen.schema.document import Schema


@dataclass(frozen=True)
class LoweringRequest:
    """A schema to lower."""

    side: str
    """Start of its nodes' ids, different for each schema of a module: `output`, `input`."""
    schema: Schema
    class_names: tuple[tuple[str, str], ...] = ()
    """(JSON pointer, class name) as chosen by the user."""
    native: bool = False
    """Whether strings with a known `format` become datetime, date, time and UUID."""
    limits: LoweringLimits = field(default_factory=LoweringLimits)
    seconds: float = 120
    """How long the type generator may take."""
    aliases: bool = True
    """Whether definitions that are not objects become aliases."""
