"""Settings that generated code depends on are copied by name, so each is a key of the settings."""

from __future__ import annotations

from dataclasses import dataclass, fields

import pytest
from mcpgen.config.models import Limits, PackageSettings, ResourceChoice, ResourceSettings, ToolChoice
from mcpgen.config.settings_table import StrictModel
from mcpgen.ir.code_settings import (
    CodeSettings,
    PackageCodeSettings,
    ResourceCodeSettings,
    ToolCodeSettings,
    ValueLimits,
    copy_settings,
)
from mcpgen.ir.package import Package, ResourceModule, ToolModule
from mcpgen.read.definitions import ResourceOptions, ToolOptions


@pytest.mark.parametrize(
    ("kind", "model"),
    [
        (ToolCodeSettings, ToolChoice),
        (ResourceCodeSettings, ResourceChoice),
        (ResourceCodeSettings, ResourceSettings),
        (PackageCodeSettings, PackageSettings),
        (ValueLimits, Limits),
    ],
)
def test_each_field_is_a_settings_key(kind: CodeSettings, model: type[StrictModel]) -> None:
    assert all(
        field.name in model.model_fields or isinstance(getattr(model, field.name), property) for field in fields(kind)
    )


def test_definitions_and_modules_have_all_of_them() -> None:
    assert issubclass(ToolOptions, ToolCodeSettings)
    assert issubclass(ToolModule, ToolCodeSettings)
    assert issubclass(ResourceOptions, ResourceCodeSettings)
    assert issubclass(ResourceModule, ResourceCodeSettings)
    assert issubclass(Package, PackageCodeSettings)


def test_what_is_not_set_is_not_copied() -> None:
    @dataclass
    class Choice:
        audience: list[str]
        priority: float | None = None
        lenient: bool = False

    choice = Choice(["user"])
    assert copy_settings(ToolCodeSettings, choice) == {"audience": ("user",), "lenient": False}
