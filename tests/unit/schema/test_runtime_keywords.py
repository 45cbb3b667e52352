"""The sets of keywords that generated packages have are those of the table."""

from __future__ import annotations

from mcpgen.schema.keywords import DRAFT_07, DRAFT_2020_12, KEYWORD_TABLE, iterate_subschemas
from mcpgen.schema.runtime_keywords import RUNTIME_KEYWORD_SETS

from generated.runtime import schema_keywords


def test_a_generated_package_has_exactly_these_sets() -> None:
    written = {name: getattr(schema_keywords, name) for name in schema_keywords.__all__}
    assert written == {
        runtime_keyword_set.name: frozenset(runtime_keyword_set.keywords)
        for runtime_keyword_set in RUNTIME_KEYWORD_SETS
    }


def test_keywords_that_contain_schemas_are_those_that_a_walk_enters() -> None:
    in_objects = {name for name in KEYWORD_TABLE if any(iterate_subschemas({name: {"x": {}}}, DRAFT_2020_12))}
    in_lists = {name for name in KEYWORD_TABLE if any(iterate_subschemas({name: [{}]}, DRAFT_2020_12))}
    assert in_objects | in_lists == schema_keywords.SCHEMA_KEYWORDS | schema_keywords.SCHEMA_MAP_KEYWORDS
    assert schema_keywords.DEFINITION_KEYWORDS < schema_keywords.SCHEMA_MAP_KEYWORDS


def test_keywords_of_one_dialect() -> None:
    assert {"additionalItems"} == schema_keywords.ONLY_IN_DRAFT_07
    assert {"prefixItems", "dependentSchemas", "unevaluatedItems"} < schema_keywords.ONLY_IN_2020_12
    assert {KEYWORD_TABLE[name].only_in for name in schema_keywords.ONLY_IN_2020_12} == {DRAFT_2020_12}
    assert {KEYWORD_TABLE[name].only_in for name in schema_keywords.ONLY_IN_DRAFT_07} == {DRAFT_07}
