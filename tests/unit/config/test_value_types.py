"""Values of the settings that are one of several forms have one message each."""

from __future__ import annotations

from typing import Any

import pytest
from mcpgen.config.models import PackageSettings, ResourceChoice
from mcpgen.config.settings_table import StrictModel
from mcpgen.config.value_types import ClassPath, PathText, RuleCodes
from pydantic import TypeAdapter, ValidationError


@pytest.mark.parametrize(
    ("model", "value"),
    [
        (PackageSettings, {"runtime": "acme.mcp_runtime"}),
        (PackageSettings, {"runtime": False}),
        (PackageSettings, {"runtime-out": "a/b"}),
        (PackageSettings, {"runtime-out": False}),
        (ResourceChoice, {"schema": {"type": "object"}}),
        (ResourceChoice, {"schema": True}),
        (ResourceChoice, {"schema": "a.json#/$defs/A"}),
    ],
)
def test_every_form_is_allowed(model: type[StrictModel], value: dict[str, Any]) -> None:
    assert model.model_validate(value).model_dump(by_alias=True, exclude_unset=True) == value


@pytest.mark.parametrize(
    ("model", "value", "message"),
    [
        (PackageSettings, {"runtime": True}, "must be the import name of a package, or false"),
        (PackageSettings, {"runtime": ["a"]}, "must be the import name of a package, or false"),
        (PackageSettings, {"runtime-out": True}, "must be a path or false"),
        (PackageSettings, {"runtime-out": "a\0b"}, "holds a NUL character, which no path can"),
        (ResourceChoice, {"schema": 3}, "must be a schema, or a reference to one"),
    ],
)
def test_another_form_has_one_message(model: type[StrictModel], value: dict[str, Any], message: str) -> None:
    with pytest.raises(ValidationError) as caught:
        model.model_validate(value)
    assert [error["msg"] for error in caught.value.errors()] == [message]


@pytest.mark.parametrize(
    ("kind", "value"), [(PathText, "a\0"), (ClassPath, "acme.models"), (ClassPath, "a:class"), (RuleCodes, "MG2")]
)
def test_a_text_that_is_none_of_its_kind(kind: Any, value: str) -> None:
    with pytest.raises(ValidationError):
        TypeAdapter[str](kind).validate_python(value)


@pytest.mark.parametrize(("kind", "value"), [(PathText, "a"), (ClassPath, "acme.models:A.B"), (RuleCodes, "MG90")])
def test_a_text_of_its_kind(kind: Any, value: str) -> None:
    assert TypeAdapter[str](kind).validate_python(value) == value
