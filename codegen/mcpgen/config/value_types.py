"""Types of values in the settings that need more than a Python type, and the messages about wrong ones."""

from __future__ import annotations

import keyword
from typing import Annotated, Any

from pydantic import AfterValidator, ValidatorFunctionWrapHandler
from pydantic_core import PydanticCustomError

from mcpgen.diagnostics import CATALOGUE, is_lint_code


def _reject_nul(text: str) -> str:
    if "\0" in text:
        raise PydanticCustomError("path", "holds a NUL character, which no path can")
    return text


PathText = Annotated[str, AfterValidator(_reject_nul)]
"""A path as written in the settings."""


def validate_schema_or_reference(value: object, handler: ValidatorFunctionWrapHandler) -> Any:
    """Say in one message what a schema can be: pydantic would explain each form."""
    if not isinstance(value, dict | bool | str):
        raise PydanticCustomError("schema", "must be a schema, or a reference to one")
    return handler(value)


def _check_class_path(text: str) -> str:
    module, separator, name = text.partition(":")
    parts = [*module.split("."), *name.split(".")]
    if not separator or any(not (part.isascii() and part.isidentifier()) or keyword.iskeyword(part) for part in parts):
        alias = "; for a list, name an alias in a module: Weathers = list[Weather]" if "[" in name else ""
        raise PydanticCustomError("class_path", f'must be a module and a class in it, as "acme.models:Weather"{alias}')
    return text


ClassPath = Annotated[str, AfterValidator(_check_class_path)]
"""A class of the user's, as `module:Class`."""


def _check_rule_codes(text: str) -> str:
    if not text or not any(is_lint_code(code) and code.startswith(text) for code in CATALOGUE):
        raise PydanticCustomError("rule", 'is not the code of a lint rule, as "MG901", nor the beginning of one')
    return text


RuleCodes = Annotated[str, AfterValidator(_check_rule_codes)]
"""A code of a lint rule, or how the codes of several begin."""
