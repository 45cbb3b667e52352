"""TOML, and the types of its values."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from mcpgen.config.models import ClassPath, PackageSettings, PathText, ResourceChoice, RuleCodes, StrictModel
from mcpgen.config.toml import (
    MAX_KEY_PARTS,
    MAX_SETTINGS_SIZE,
    InvalidToml,
    KeyPositions,
    parse_toml,
    read_settings_bytes,
)
from pydantic import TypeAdapter, ValidationError


# --- TOML is parsed in bounded time, and errors have their positions --------------------------------------------------
def test_a_table_is_parsed() -> None:
    assert parse_toml('a.b = 1\n[c]\nd = "x"\n') == {"a": {"b": 1}, "c": {"d": "x"}}


@pytest.mark.parametrize(
    ("text", "line", "column"),
    [
        ("a = 1\nb = = 2\n", 2, 5),
        ("a = 1\na = 2\n", 2, 6),
        ('a = "x', 1, 7),
        ("a = " + "[" * 100_000, 1, 1),
        ("a = 1\n" + ".".join("a" * (MAX_KEY_PARTS + 2)) + " = 1\n", 2, 1),
    ],
)
def test_an_error_has_its_position(text: str, line: int, column: int) -> None:
    with pytest.raises(InvalidToml) as raised:
        parse_toml(text)
    assert (raised.value.line, raised.value.column) == (line, column)
    assert "line" not in raised.value.message


def test_dots_in_strings_are_no_parts_of_keys() -> None:
    text = "." * 1_000
    assert parse_toml(f'a = "{text}"\n') == {"a": text}


# --- keys of a TOML text have their positions: of tables, of lists of tables, and inside inline tables ----------------
TEXT = """\
out = "a"
[tool.x]
limits = {depth = 1, values = 2}
"quo ted" = 1
[[tool.x.package]]
out = "b"
[[tool.x.package]]
  sdk = "c"
[tool.x.package.limits]
depth = 3
"""


@pytest.mark.parametrize(
    ("path", "line", "column"),
    [
        ((), 2, 2),
        (("limits",), 3, 1),
        (("limits", "values"), 3, 22),
        (("quo ted",), 4, 1),
        (("package", 0, "out"), 6, 1),
        (("package", 1, "sdk"), 8, 3),
        (("package", 1, "limits", "depth"), 10, 1),
        (("package", 0, "missing"), 5, 3),
    ],
)
def test_a_key_has_its_position(path: tuple[str | int, ...], line: int, column: int) -> None:
    span = KeyPositions("x.toml", TEXT, ("tool", "x")).locate(path)
    assert (span.file, span.line, span.column) == ("x.toml", line, column)
    assert span.text == TEXT.split("\n")[line - 1]
    assert span.pointer == ".".join(map(str, path))


def test_without_any_table_there_is_no_line() -> None:
    assert KeyPositions("x.toml", "", ()).locate(("a",)).line == 0


def test_an_unreadable_file_has_no_bytes(tmp_path: Path) -> None:
    (tmp_path / "large.toml").write_bytes(b"#" * (MAX_SETTINGS_SIZE + 1))
    assert read_settings_bytes(tmp_path / "large.toml") == b""
    assert read_settings_bytes(tmp_path) == b""


def test_a_table_that_only_others_imply_is_where_the_first_of_them_is() -> None:
    span = KeyPositions("x.toml", TEXT, ()).locate(("tool",))
    assert (span.line, span.column, span.pointer) == (2, 2, "tool")


# --- values of the settings that are one of several forms have one message each ---------------------------------------
@pytest.mark.parametrize(
    ("model", "value"),
    [
        (PackageSettings, {"runtime": "installed"}),
        (PackageSettings, {"runtime": "vendored"}),
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
        (PackageSettings, {"runtime": "acme.runtime"}, "Input should be 'installed' or 'vendored'"),
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
