"""The table of rules has each check of the modules of rules once."""

from __future__ import annotations

import pkgutil
from types import ModuleType
from typing import Any, get_args

import pytest
from mcpgen.lint import rules
from mcpgen.lint.clients import CLIENTS, ClientName
from mcpgen.lint.registry import LINT_RULES
from mcpgen.lint.rule import LintedDefinition
from mcpgen.lint.rules import model_apis, names, safety, schemas, validators, wording
from mcpgen.lint.schema_walk import describe_place, get_types, walk_input_objects, walk_parameters, walk_places
from mcpgen.schema.document import Schema
from mcpgen.schema.keywords import DRAFT_2020_12

MODULES = (model_apis, names, safety, schemas, validators, wording)


def list_checks(module: ModuleType) -> list[str]:
    return sorted(name for name in vars(module) if name.startswith("check_"))


@pytest.mark.parametrize("module", MODULES)
def test_each_check_belongs_to_one_rule(module: ModuleType) -> None:
    checks = [check for rule in LINT_RULES for check in (rule.check, rule.check_package) if check is not None]
    check_names = sorted(check.__name__ for check in checks if check.__module__ == module.__name__)
    assert check_names == list_checks(module)
    assert check_names != []


def test_rules_are_in_the_order_of_their_codes() -> None:
    codes = [rule.code for rule in LINT_RULES]
    assert codes == sorted(set(codes))


def test_each_module_of_rules_is_looked_at() -> None:
    existing = {f"{rules.__name__}.{module.name}" for module in pkgutil.iter_modules(rules.__path__)}
    assert existing == {module.__name__ for module in MODULES}


def test_each_client_that_settings_may_name_has_a_row() -> None:
    assert [client.name for client in CLIENTS] == [*get_args(ClientName)], "`ClientName` and `CLIENTS` differ"


# --- walks over the schemas of a definition visit each schema once, with its pointer ----------------------------------
SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {"if": {"type": "string"}, "flag": True},
    "allOf": [{"required": ["if"]}],
}
TOOL = LintedDefinition("tool", "find", {"name": "find"}, Schema(SCHEMA, DRAFT_2020_12))


def test_places_are_in_the_order_of_the_document() -> None:
    places = [(place.pointer, place.keyword) for place in walk_places(Schema(SCHEMA, DRAFT_2020_12))]
    assert places == [
        ("", ""),
        ("/properties/if", "properties"),
        ("/properties/flag", "properties"),
        ("/allOf/0", "allOf"),
    ]


def test_objects_of_the_input_are_without_booleans() -> None:
    pointers = [pointer for pointer, _, _ in walk_input_objects(TOOL)]
    assert pointers == ["/inputSchema", "/inputSchema/properties/if", "/inputSchema/allOf/0"]
    assert [*walk_input_objects(LintedDefinition("prompt", "ask", {"name": "ask"}))] == []


def test_a_parameter_may_have_the_name_of_a_keyword() -> None:
    assert [pointer for pointer, _, _ in walk_parameters(TOOL)] == ["/inputSchema", "/inputSchema/properties/if"]


def test_types_are_a_list() -> None:
    schemas: list[dict[str, Any]] = [{}, {"type": "null"}, {"type": ["null"]}]
    assert [get_types(schema) for schema in schemas] == [[], ["null"], ["null"]]


@pytest.mark.parametrize(
    ("pointer", "name"),
    [
        ("/inputSchema/properties/a~1b", '"a/b"'),
        ("/inputSchema/properties/a/items", '"a"'),
        ("/inputSchema/anyOf/0", "an object in it"),
        ("/inputSchema", "its root"),
    ],
)
def test_a_place_has_the_name_of_its_property(pointer: str, name: str) -> None:
    assert describe_place(pointer) == name
