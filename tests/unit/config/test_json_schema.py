"""The settings' JSON Schema says what the reader of the settings says, and every misspelling gets its help."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any, get_args

import jsonschema_rs
import pytest
from mcpgen.config.json_schema import build_settings_schema
from mcpgen.config.load import load_packages
from mcpgen.config.models import BudgetSettings, FormatMode, Limits, PackageSettings, ToolBudget, ToolChoice
from mcpgen.diagnostics import Diagnostic, Findings
from mcpgen.ir.code_settings import ContentStrategy
from mcpgen.targets import ProtocolName, SdkName, WrapMode

DRAFT_07 = "http://json-schema.org/draft-07/schema#"
TABLES: dict[str, tuple[str, Any]] = {
    "settings": ("", PackageSettings),
    "limits": ("[limits]\n", Limits),
    "budget": ("[budget]\n", BudgetSettings),
    "tool's budget": ("[tools.a.budget]\n", ToolBudget),
    "tools": ('[tools."get-weather"]\n', ToolChoice),
    "package": ("[[package]]\nout = 'a'\n[[package]]\n", PackageSettings),
    "package's limits": ("[[package]]\nout = 'a'\n[[package]]\nout = 'b'\n[package.limits]\n", Limits),
    "package's tools": ("[[package]]\nout = 'a'\n[[package]]\nout = 'b'\n[package.tools.a]\n", ToolChoice),
}
KEYS = [
    pytest.param(header, field.alias or name, id=f"{table}: {field.alias or name}")
    for table, (header, model) in TABLES.items()
    for name, field in model.model_fields.items()
]
CHOICES = [
    pytest.param(header, key, value, id=f"{header}{key}={value}")
    for header, key, literal in (
        ("", "sdk", SdkName),
        ("", "protocol", ProtocolName),
        ("", "formats", FormatMode),
        ("", "wrap", WrapMode),
        ("[tools.a]\n", "content", ContentStrategy),
        ("[tools.a]\n", "wrap", WrapMode),
        ("[[package]]\nout = 'a'\n[[package]]\n", "sdk", SdkName),
    )
    for value in get_args(literal)
]


def read(text: str, folder: Path) -> list[Diagnostic]:
    (folder / "mcpgen.toml").write_text(text, "utf-8")
    findings = Findings()
    load_packages(folder / "mcpgen.toml", folder, findings)
    return findings.sorted()


def misspell(name: str) -> str:
    """Return the word with its second and third letter the other way round, or the third twice where they are the
    same.
    """
    swapped = name[0] + name[2] + name[1] + name[3:]
    return swapped if swapped != name else name[:3] + name[2:]


@pytest.mark.parametrize(("header", "key"), KEYS)
def test_a_misspelt_key_gets_its_place_and_the_right_one(header: str, key: str, tmp_path: Path) -> None:
    (finding,) = read(f"{header}  {misspell(key)} = 1\n", tmp_path)
    assert (finding.code, finding.help) == ("MG302", f'did you mean "{key}"?')
    assert finding.span is not None
    assert (finding.span.line, finding.span.column) == (header.count("\n") + 1, 3)


@pytest.mark.parametrize(("header", "key", "value"), CHOICES)
def test_a_misspelt_value_gets_its_place_and_the_right_one(header: str, key: str, value: str, tmp_path: Path) -> None:
    (finding,) = read(f'{header}{key} = "{misspell(value)}"\n', tmp_path)
    assert (finding.code, finding.help) == ("MG302", f'did you mean "{value}"?')
    assert finding.span is not None
    assert finding.span.line == header.count("\n") + 1


@pytest.mark.parametrize(("header", "key"), KEYS)
def test_a_value_of_a_wrong_type_is_an_error_at_its_place(header: str, key: str, tmp_path: Path) -> None:
    (finding,) = read(f"{header}{key} = 2001-01-01\n", tmp_path)
    assert finding.code == "MG302"
    assert finding.span is not None
    assert finding.span.line == header.count("\n") + 1
    assert key in finding.message


def test_an_inline_table_has_places_too(tmp_path: Path) -> None:
    (finding,) = read("limits = {values = 7, dept = 3}\n", tmp_path)
    assert finding.span is not None
    assert (finding.span.line, finding.span.column, finding.help) == (1, 23, 'did you mean "depth"?')


def test_it_is_a_schema() -> None:
    schema = build_settings_schema()
    assert schema["$schema"] == DRAFT_07
    jsonschema_rs.meta.validate(schema)


@pytest.mark.parametrize(
    "text",
    [
        "",
        'schemas = ["a", "b"]\nout = "x"\nazure = true\n',
        'sdk = "mcp"\n[limits]\nfile-size = 1\nseconds = 0.5\n[tools.a]\npriority = 1\naudience = ["user"]\n',
        '[[package]]\nout = "a"\n[[package]]\nout = "b"\n[package.tools.x]\ncontent = "none"\n',
        'ref-map = {"https://a/" = "b"}\nformats = "native"\n',
        # and wrong ones
        "schemas = 'a'\n",
        "schemas = [1]\n",
        "azure = 1\n",
        'sdk = "mpc"\n',
        "ref_map = {}\n",
        "[limits]\ndepth = 0\n",
        "[limits]\ndepth = 1.5\n",
        "[limits]\nseconds = '1'\n",
        "limits = 3\n",
        "[tools.a]\npriority = 1.5\n",
        "[tools.a]\npriority = true\n",
        "[tools.a]\nout = 'a'\n",
        "[tools]\na = 1\n",
        "[package]\nout = 'a'\n",
        "[[package]]\nuot = 'a'\n",
        "[[package]]\npackage = []\n",
        "[[package]]\nout = 'a'\n[package.limits]\ndepth = -1\n",
    ],
)
def test_it_says_what_the_reader_says(text: str, tmp_path: Path) -> None:
    valid = jsonschema_rs.Draft7Validator(build_settings_schema()).is_valid(tomllib.loads(text))
    assert valid == (not read(text, tmp_path))
