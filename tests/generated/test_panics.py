"""A panic of the validator is an error like others: a diagnostic of the build, the package's own error of a server."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import jsonschema_rs
import pydantic
import pytest
from mcpgen.samples.generator import ValueGenerator
from mcpgen.schema.keywords import DRAFT_2020_12
from mcpgen_runtime.resources import get_payload_check
from mcpgen_runtime.schema_errors import Explainer
from mcpgen_runtime.schema_keywords import CheckFailed, contained
from mcpgen_runtime.server_binding import ArgumentsError, BoundTool
from mcpgen_runtime.tool_definitions import get_input_check, get_output_check, get_text_check
from support.in_process import run
from support.packages import files, get_tool, package, tool

PANIC = type("PanicException", (BaseException,), {"__module__": "pyo3_runtime"})
"""As `jsonschema-rs` raises it; nothing imports the class."""
MARKED: dict[str, Any] = {"type": "object", "properties": {"panic": {"type": "integer"}}, "not": {"required": ["x"]}}
CHECKED: dict[str, Any] = {**MARKED, "required": ["panic"]}


class Panicking:
    """A validator that panics when it is compiled, or when it is asked, if the schema is the marked one."""

    def __init__(self, real: Any, at: str) -> None:
        self._real, self._at = real, at

    def __call__(self, schema: Any, **options: Any) -> Any:
        marked = "panic" in repr(schema)
        if marked and self._at == "compile":
            raise PANIC("index out of bounds")
        validator = self._real(schema, **options)
        return Asked(validator) if marked and self._at == "ask" else validator


class Asked:
    """A validator that panics when it is asked."""

    def __init__(self, real: Any) -> None:
        self._real = real

    def is_valid(self, value: object) -> bool:
        raise PANIC("index out of bounds")

    def iter_errors(self, value: object) -> Any:
        raise PANIC("index out of bounds")


def panicking(monkeypatch: pytest.MonkeyPatch, at: str) -> None:
    for name in ("Draft202012Validator", "Draft7Validator"):
        monkeypatch.setattr(jsonschema_rs, name, Panicking(getattr(jsonschema_rs, name), at))


def test_a_panic_is_an_error_and_nothing_else_is() -> None:
    with pytest.raises(CheckFailed, match="could not be checked"), contained():
        raise PANIC("index out of bounds")
    for other in (KeyboardInterrupt, SystemExit, KeyError, type("PanicException", (BaseException,), {})):
        with pytest.raises(other), contained():
            raise other


@pytest.fixture(scope="module")
def generated(tmp_path_factory: pytest.TempPathFactory) -> Any:
    tools = [tool("a", CHECKED, inputSchema=MARKED), tool("b", {"type": "array", "items": {"type": "integer"}})]
    declared = {"name": "text", "uri": "text://all", "mimeType": "application/json", "x-mcpgen": {"schema": CHECKED}}
    return package(tmp_path_factory.mktemp("panics"), tools, "--sdk", "mcp", resources=[declared])


@pytest.mark.parametrize("at", ["compile", "ask"])
def test_a_panic_of_a_server_is_the_packages_own_error(
    at: str, generated: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    cls, text = generated.RESULT_TYPES["a"], generated.RESOURCE_TYPES["text"]
    instance = cls(panic=1)
    checks = (get_output_check, get_text_check, get_input_check, get_payload_check)
    bound = BoundTool.of(get_tool(generated, "a"), lambda **arguments: instance, ())
    with monkeypatch.context() as patched:
        panicking(patched, at)
        for check in checks:
            check.cache_clear()
        for call in (cls.normalize, cls.normalize_any):
            for value in (instance, {"panic": 1}, ("said", instance)):
                with pytest.raises(generated.ResultError, match="could not be checked"):
                    call(value)
        for read in (cls.from_structured_content, text.from_structured_content, text.normalize_any):
            with pytest.raises(pydantic.ValidationError, match="could not be checked"):
                read({"panic": 1})
        with pytest.raises(pydantic.ValidationError, match="could not be checked"):
            cls(panic=1)
        with pytest.raises(ArgumentsError, match="could not be checked"):
            bound.read({"panic": 1})
        answered = bound.answer(instance, "2025-11-25")
        assert answered.is_error
        assert "could not be checked" in answered.content[0].text
        assert not BoundTool.of(get_tool(generated, "b"), lambda: [1], ()).answer([1], "2025-11-25").is_error
    for check in checks:
        check.cache_clear()
    assert cls.normalize(instance).structured_content == {"panic": 1}


def test_a_panic_while_it_is_explained_is_an_error_too(generated: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    def explain(*_: object) -> None:
        raise PANIC("index out of bounds")

    cls = generated.RESULT_TYPES["a"]
    monkeypatch.setattr(Explainer, "explain", explain)
    with pytest.raises(pydantic.ValidationError, match="could not be checked"):
        cls.from_structured_content({"panic": "x"})


@pytest.mark.parametrize("at", ["compile", "ask"])
def test_a_panic_of_a_build_is_a_diagnostic(at: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from mcpgen.read import validation

    (tmp_path / "schemas").mkdir()
    declared = '{"name": "a", "inputSchema": {"type": "object"}, "outputSchema": {"type": "object", "title": "panic"}}'
    (tmp_path / "schemas" / "a.json").write_text(declared, "utf-8")
    panicking(monkeypatch, at)
    if at == "ask":  # of the meta-schema
        monkeypatch.setattr(validation, "_build_meta_validator", lambda dialect: Asked(None))
    completed = run("build", "--jobs", "1", "--no-cache", cwd=tmp_path)
    assert completed.traceback == ""
    assert completed.returncode == 2
    assert "error[MG101]" in completed.stderr
    assert "a.json:1" in completed.stderr
    assert "the validator failed" in completed.stderr
    assert files(tmp_path).keys() == {"schemas/a.json"}


@pytest.mark.parametrize("at", ["compile", "ask"])
def test_no_value_is_drawn_where_the_validator_panics(at: str, monkeypatch: pytest.MonkeyPatch) -> None:
    panicking(monkeypatch, at)
    if at == "ask":
        assert ValueGenerator(CHECKED, DRAFT_2020_12).find_example() is None
    else:
        with pytest.raises(CheckFailed):
            ValueGenerator(CHECKED, DRAFT_2020_12).find_example()
