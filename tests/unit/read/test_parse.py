"""Parsing is bounded by the length of the text: aliases, nesting, numbers of values, keys of settings."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from mcpgen.config.load import load_packages
from mcpgen.config.models import Limits
from mcpgen.diagnostics import Diagnostic, Findings
from mcpgen.files.definition_files import DEFINITION_SUFFIXES
from mcpgen.read import json_parser, parse, yaml_parser
from mcpgen.schema.values import Json

LIMITS = Limits.model_validate({})
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
)


def found(folder: Path, name: str, text: str, **limits: int) -> list[Diagnostic]:
    (folder / name).write_text(text, "utf-8")
    findings = Findings()
    parse.load_document(folder / name, name, findings, Limits.model_validate(limits))
    return [*findings]


def test_each_kind_of_definition_file_has_a_parser() -> None:
    assert tuple(parse.PARSERS) == DEFINITION_SUFFIXES


def test_an_alias_bomb_is_refused_with_the_limit(tmp_path: Path) -> None:
    text = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n"
    text += "".join(f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]\n" for n in range(1, 60))
    (output,) = found(tmp_path, "a.yaml", text)
    assert (output.code, output.message) == ("MG009", "aliases unfold into more than 20000 values")
    assert "`limits.aliases`" in output.help


def test_an_alias_counts_as_many_values_as_it_stands_for(tmp_path: Path) -> None:
    text = "a: &a [1, 2, {b: 3}]\nc: [*a, *a]\n"
    assert found(tmp_path, "a.yaml", text, aliases=10) == []
    assert [item.code for item in found(tmp_path, "a.yaml", text, aliases=9)] == ["MG009"]


def test_aliases_do_not_hide_depth(tmp_path: Path) -> None:
    text = "a: &a [[1]]\nb: &b [[*a]]\nc: [[*b]]\n"
    assert found(tmp_path, "a.yaml", text, depth=8) == []
    (output,) = found(tmp_path, "a.yaml", text, depth=7)
    assert "levels deep" in output.message


@pytest.mark.parametrize("name", ["a.json", "a.yaml"])
@pytest.mark.parametrize("text", ["[" * 100_000, '{"a":' * 100_000, "[" * 400 + "]" * 400])
def test_nesting_is_refused(tmp_path: Path, name: str, text: str) -> None:
    (output,) = found(tmp_path, name, text)
    assert output.code in ("MG002", "MG009")
    assert "nested" in output.message or "levels deep" in output.message


@pytest.mark.ci
@given(value=VALUES, indent=st.sampled_from([None, 1]))
@settings(deadline=None, max_examples=200)
def test_values_are_counted_before_json_is_parsed(value: Json, indent: int | None) -> None:
    def count(value: Any) -> int:
        inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
        return 1 + sum(map(count, inner))

    assert json_parser.count_values(json.dumps(value, indent=indent), 0) == count(value)


@pytest.mark.ci
@given(value=VALUES, indent=st.sampled_from([None, 1]))
@settings(deadline=None, max_examples=200)
def test_both_parsers_of_yaml_read_json_alike(value: Json, indent: int | None) -> None:
    text = json.dumps(value, indent=indent)
    if "\\u" in text or "\\b" in text:
        return  # pairs of surrogates are for the slower one
    builder = yaml_parser._YamlBuilder  # pyright: ignore[reportPrivateUsage]
    fast = builder(LIMITS).build(yaml_parser._iterate_libyaml_events(text))  # pyright: ignore[reportPrivateUsage]
    careful = builder(LIMITS).build(yaml_parser._iterate_python_events(text))  # pyright: ignore[reportPrivateUsage]
    assert fast == careful
    assert fast[0] == value


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("a = " + "[" * 10_000, "MG301"),
        ("a" + ".a" * 50_000 + " = 1", "MG301"),
        ('"a"' + '."a"' * 5_000 + " = 1", "MG301"),
        ("a = " + "9" * 5_000, "MG301"),
        ('out = "a\\u0000b"', "MG302"),
        ('schemas = ["a\\u0000b"]', "MG302"),
        ("limits.seconds = 1e300", "MG302"),
        ("limits.seconds = inf", "MG302"),
        ("limits.seconds = nan", "MG302"),
        ("limits.depth = 100000", "MG302"),
        (f"limits.values = {10**30}", "MG302"),
        ("#" * 300_000, "MG301"),
    ],
)
def test_settings_are_bounded(tmp_path: Path, text: str, code: str) -> None:
    (tmp_path / "mcpgen.toml").write_text(text, "utf-8")
    findings = Findings()
    assert load_packages(tmp_path / "mcpgen.toml", tmp_path, findings) == []
    assert [finding.code for finding in findings] == [code]
