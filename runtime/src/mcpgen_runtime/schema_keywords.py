"""Keywords of JSON Schema 2020-12 and draft-07, by what their values contain."""

SCHEMA_KEYWORDS = frozenset(
    [
        "additionalItems",
        "additionalProperties",
        "allOf",
        "anyOf",
        "contains",
        "contentSchema",
        "else",
        "if",
        "items",
        "not",
        "oneOf",
        "prefixItems",
        "propertyNames",
        "then",
        "unevaluatedItems",
        "unevaluatedProperties",
    ]
)
"""Keywords whose value is a schema or a list of schemas."""
SCHEMA_MAP_KEYWORDS = frozenset(
    [
        "$defs",
        "definitions",
        "dependencies",
        "dependentSchemas",
        "patternProperties",
        "properties",
    ]
)
"""Keywords whose value maps names to schemas; `dependencies` also maps names to lists of names."""
DEFINITION_KEYWORDS = frozenset(
    [
        "$defs",
        "definitions",
    ]
)
"""Those of them that apply nothing by themselves."""
VALUE_KEYWORDS = frozenset(
    [
        "const",
        "default",
        "enum",
        "examples",
    ]
)
"""Keywords whose value holds JSON values, in which `$ref` is an ordinary member."""
URI_KEYWORDS = frozenset(
    [
        "$dynamicRef",
        "$id",
        "$ref",
    ]
)
"""Keywords whose value is a URI reference to a schema, or the base of such references."""
TYPED_KEYWORDS = frozenset(
    [
        "additionalItems",
        "additionalProperties",
        "contains",
        "contentEncoding",
        "contentMediaType",
        "contentSchema",
        "dependencies",
        "dependentRequired",
        "dependentSchemas",
        "exclusiveMaximum",
        "exclusiveMinimum",
        "format",
        "items",
        "maxContains",
        "maxItems",
        "maxLength",
        "maxProperties",
        "maximum",
        "minContains",
        "minItems",
        "minLength",
        "minProperties",
        "minimum",
        "multipleOf",
        "pattern",
        "patternProperties",
        "prefixItems",
        "properties",
        "propertyNames",
        "required",
        "unevaluatedItems",
        "unevaluatedProperties",
        "uniqueItems",
    ]
)
"""Keywords that concern the values of one type alone."""
ANNOTATION_KEYWORDS = frozenset(
    [
        "default",
        "deprecated",
        "description",
        "examples",
        "readOnly",
        "title",
        "writeOnly",
    ]
)
"""Keywords that describe a value and refuse none."""
ONLY_IN_DRAFT_07 = frozenset(
    [
        "additionalItems",
    ]
)
"""Keywords of draft-07 that 2020-12 does not have."""
ONLY_IN_2020_12 = frozenset(
    [
        "$anchor",
        "$dynamicAnchor",
        "$dynamicRef",
        "$vocabulary",
        "dependentRequired",
        "dependentSchemas",
        "maxContains",
        "minContains",
        "prefixItems",
        "unevaluatedItems",
        "unevaluatedProperties",
    ]
)
"""Keywords of 2020-12 that draft-07 does not have."""

__all__ = [
    "ANNOTATION_KEYWORDS",
    "DEFINITION_KEYWORDS",
    "ONLY_IN_2020_12",
    "ONLY_IN_DRAFT_07",
    "SCHEMA_KEYWORDS",
    "SCHEMA_MAP_KEYWORDS",
    "TYPED_KEYWORDS",
    "URI_KEYWORDS",
    "VALUE_KEYWORDS",
]
