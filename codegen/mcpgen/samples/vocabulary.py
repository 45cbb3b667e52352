"""Numbers, constants and property names that a schema mentions, as material for near misses."""

from __future__ import annotations

from dataclasses import dataclass, field

from mcpgen.schema.keywords import DEFINITION_KEYWORDS, SCHEMA_MAP_KEYWORDS, iterate_subschemas
from mcpgen.schema.values import Json

_UNUSUAL_NAMES = ("extra", "class", "model_config", "__init__", "a b", "")
"""Property names that generated code could mishandle."""
_NAMING_KEYWORDS = SCHEMA_MAP_KEYWORDS - DEFINITION_KEYWORDS - {"patternProperties"}
"""Keywords whose members are named like properties."""


@dataclass
class SchemaVocabulary:
    """Material for near misses."""

    numbers: list[int | float] = field(default_factory=list[int | float])
    """Values of numeric keywords, most of them bounds."""
    constants: list[Json] = field(default_factory=list[Json])
    """Values of `enum` and `const`."""
    names: list[str] = field(default_factory=lambda: [*_UNUSUAL_NAMES])
    """Names of properties, and some unusual ones."""


def collect_vocabulary(schema: Json, dialect: str) -> SchemaVocabulary:
    """Return the vocabulary of a schema and all its subschemas."""
    vocabulary = SchemaVocabulary()
    stack = [schema]
    while stack:
        subschema = stack.pop()
        if not isinstance(subschema, dict):
            continue
        stack.extend(nested for _, nested in iterate_subschemas(subschema, dialect))
        for keyword, value in subschema.items():
            if isinstance(value, int | float) and not isinstance(value, bool):
                vocabulary.numbers.append(value)
            elif keyword == "enum" and isinstance(value, list):
                vocabulary.constants.extend(value)
            elif keyword in _NAMING_KEYWORDS and isinstance(value, dict):
                vocabulary.names.extend(value)
        if "const" in subschema:
            vocabulary.constants.append(subschema["const"])
    return vocabulary
