"""Values as bytes for the store, and back."""

from __future__ import annotations

import pickle
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from mcpgen.cache import values
from mcpgen.diagnostics import Findings, Span
from mcpgen.files.looks import Entry, Notes
from mcpgen.ir.types import ObjectClass, Scalar, ScalarKind
from mcpgen.plan import Action, Step

CLASS = ObjectClass("output:", "", ((),), (), Scalar(ScalarKind.UUID))
VALUE: Any = {
    "plain": [1, -0.0, 1e300, True, None, "\ud800 \N{SNOWFLAKE}", b"\0"],
    "sets": (frozenset({"a"}), {1}),
    "paths": Path("a/b"),
    "dataclasses": [CLASS, Step("a.py", Action.KEEP), Span("a.json", 1, 2)],
    "named tuple": Entry("a", "b/a", "file"),
}


def test_what_was_dumped_is_loaded() -> None:
    data = values.dump(VALUE)
    assert data is not None
    assert values.load(data) == VALUE
    assert repr(values.load(data)) == repr(VALUE)  # `1 == True`, `0.0 == -0.0`


class Outside:
    """A class that is not mcpgen's."""


@pytest.mark.parametrize(
    "value",
    [Outside, Outside(), print, subprocess.Popen, Path.unlink, values.load, Notes(), Findings, sys.exit, range(3)],
    ids=["class", "instance", "builtin", "Popen", "method", "function", "Notes", "Findings", "exit", "range"],
)
def test_only_values_are_loaded(value: object) -> None:
    assert values.load(pickle.dumps([value])) is None


@pytest.mark.parametrize(
    "code",
    [
        b"cantigravity\nfly\n.",  # a module that would open a browser
        b"cpathlib_forged\nfly\n.",
        b"cos\nsystem\n(S'exit 1'\ntR.",
        b"cmcpgen.cache.values\npickle.loads\n.",
        b"\x80\x04\x8c\x14mcpgen.cache.values\x8c\x0cpickle.loads\x93.",
        b"cmcpgen.no_such_module\nA\n.",
        b"cmcpgen.cli\napp\n.",
        b"cmcpgen.plan\nStep\n)R.",  # too few arguments
        b"cmcpgen.plan\nStep\n(I1\nd\x86b.",
        b"P1\n.",
        b"",
    ],
)
def test_whatever_else_bytes_ask_for_is_not_done(code: bytes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Check that no other module is imported either."""
    (tmp_path / "pathlib_forged.py").write_text("fly = 1", "utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    sys.modules.pop("antigravity", None)
    assert values.load(code) is None
    assert not {"antigravity", "pathlib_forged"} & {*sys.modules}


def test_a_part_of_a_value_is_none() -> None:
    data = values.dump(VALUE)
    assert data is not None
    for end in range(len(data)):
        assert values.load(data[:end]) is None


def test_a_value_that_is_nested_too_deeply_is_not_dumped() -> None:
    deep: Any = []
    for _ in range(100_000):
        deep = [deep]
    assert values.dump(deep) is None
    assert values.dump(deep, lambda value: None) is None


# --- objects that are not stored --------------------------------------------------------------------------------------
def describe(value: object) -> str | None:
    return "the class" if value is CLASS else None


def raise_key_error(reference: Any) -> object:
    raise KeyError(reference)


@pytest.mark.parametrize(
    ("load_reference", "expected"),
    [(lambda reference: [reference], {"a": ["the class"]}), (raise_key_error, None), (None, None)],
)
def test_an_object_that_is_not_stored_is_loaded_by_its_reference(
    load_reference: Callable[[Any], object] | None, expected: object
) -> None:
    data = values.dump({"a": CLASS}, describe)
    assert data is not None
    assert values.load(data, load_reference) == expected
