"""The table of rules has each check of the modules of rules once."""

from __future__ import annotations

import pkgutil
from types import ModuleType
from typing import get_args

import pytest
from mcpgen.lint import rules
from mcpgen.lint.clients import CLIENTS, ClientName
from mcpgen.lint.registry import LINT_RULES
from mcpgen.lint.rules import names, safety, schemas, strict_modes, wording

MODULES = [names, safety, schemas, strict_modes, wording]


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
