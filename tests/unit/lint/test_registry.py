"""The tables of rules have each check of the modules of rules once."""

from __future__ import annotations

from pathlib import Path
from types import ModuleType
from typing import Any, get_args

import mcpgen.lint
import pytest
from mcpgen.lint import client_rules, definition_rules, mistakes, output_schemas
from mcpgen.lint.clients import CLIENTS, ClientName
from mcpgen.lint.linter import BUNDLED_SCHEMA_RULES, LINT_RULES, WRITTEN_SCHEMA_RULES
from mcpgen.lint.output_schemas import OUTPUT_RULES
from mcpgen.lint.rule import LintedDefinition, LintedSchema, Place
from mcpgen.schema.document import Schema
from mcpgen.schema.keywords import DRAFT_2020_12

MODULES = (client_rules, definition_rules, mistakes, output_schemas)
TABLES = (LINT_RULES, WRITTEN_SCHEMA_RULES, BUNDLED_SCHEMA_RULES, OUTPUT_RULES)


def list_checks(module: ModuleType) -> list[str]:
    return sorted(name for name in vars(module) if name.startswith("check_"))


@pytest.mark.parametrize("module", MODULES)
def test_each_check_belongs_to_one_rule(module: ModuleType) -> None:
    rules = [rule for table in TABLES for rule in table]
    checks = [check for rule in rules for check in (rule.check, rule.check_schema, rule.check_package) if check]
    check_names = sorted(check.__name__ for check in checks if check.__module__ == module.__name__)
    assert check_names == list_checks(module)
    assert check_names != []


def test_rules_are_in_the_order_of_their_codes() -> None:
    codes = [rule.code for rule in LINT_RULES]
    assert codes == sorted(set(codes))


def test_each_module_of_rules_is_looked_at() -> None:
    (folder,) = mcpgen.lint.__path__
    modules = {path.stem for path in Path(folder).glob("*.py") if "\ndef check_" in path.read_text("utf-8")}
    assert modules == {module.__name__.rpartition(".")[2] for module in MODULES}


def test_each_client_that_settings_may_name_has_a_row() -> None:
    assert [client.name for client in CLIENTS] == [*get_args(ClientName)], "`ClientName` and `CLIENTS` differ"


# --- walks over the schemas of a definition visit each schema once, with its pointer ----------------------------------
SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {"if": {"type": "string"}, "flag": True},
    "allOf": [{"required": ["if"]}],
}
TOOL = LintedDefinition("tool", "find", {"name": "find"}, Schema(SCHEMA, DRAFT_2020_12))


LINTED = LintedSchema(SCHEMA, DRAFT_2020_12)


def test_places_are_in_the_order_of_the_document() -> None:
    assert [(pointer, keyword) for pointer, keyword, _ in LINTED.places] == [
        ("", ""),
        ("/properties/if", "properties"),
        ("/properties/flag", "properties"),
        ("/allOf/0", "allOf"),
    ]


def test_objects_are_without_booleans() -> None:
    assert [place.pointer for place in LINTED.objects] == ["", "/properties/if", "/allOf/0"]
    assert [*TOOL.schemas] == ["inputSchema"]
    assert LintedDefinition("prompt", "ask", {"name": "ask"}).schemas == {}


def test_a_parameter_may_have_the_name_of_a_keyword() -> None:
    assert [place.pointer for place in LINTED.objects if not place.is_partial] == ["", "/properties/if"]


@pytest.mark.parametrize(
    ("pointer", "name"),
    [
        ("/properties/a~1b", '"a/b"'),
        ("/properties/a/items", '"a"'),
        ("/anyOf/0", "an object in it"),
        ("", "its root"),
    ],
)
def test_a_place_has_the_name_of_its_property(pointer: str, name: str) -> None:
    assert Place(pointer, "", {}).name == name
