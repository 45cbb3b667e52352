"""A package written by hand as mcpgen writes one: what its classes send and refuse is what JSON Schema says."""

from __future__ import annotations

import importlib
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jsonschema_rs
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from pydantic import ValidationError

from mcpgen_runtime.errors import ResultError
from mcpgen_runtime.package import INTERFACE, OLDEST_INTERFACE

TIDE: dict[str, Any] = {
    "name": "tide",
    "inputSchema": {"type": "object", "properties": {"port": {"type": "string"}}, "required": ["port"]},
    "outputSchema": {
        "type": "object",
        "properties": {"metres": {"type": "number"}, "state": {"enum": ["ebb", "flood"]}, "note": {"type": "string"}},
        "required": ["metres", "state"],
        "additionalProperties": False,
    },
}
EXPORTS = """
from mcpgen_runtime.sdk.none import Package

__getattr__, __dir__ = Package(__name__, __file__, interface={interface}).make_module_functions()
"""
MODULE = """
from __future__ import annotations

from typing import Any, ClassVar, Final, Literal

from mcpgen_runtime.sdk.none.types import ClosedObject, McpTool, Normalize, OpenObject, Returned, ToolResult


class TideResult(ToolResult, ClosedObject, tool="tide"):
    metres: float
    state: Literal["ebb", "flood"]
    note: str | None = None

    normalize: ClassVar[Normalize[Returned[TideResult | dict[str, Any]]]]

    def to_structured_content(self) -> dict[str, Any]:
        values = self.__dict__
        out: dict[str, Any] = {"metres": values["metres"], "state": values["state"]}
        if values["note"] is not None:
            out["note"] = values["note"]
        return out


class TideArguments(OpenObject, schema="inputSchema"):
    port: str

    def to_structured_content(self) -> dict[str, Any]:
        return {"port": self.__dict__["port"]}


tool: Final = McpTool(TideArguments, TideResult)

__all__ = ["TideArguments", "TideResult"]
"""
VALIDATOR = jsonschema_rs.Draft202012Validator(TIDE["outputSchema"])


def write_package(folder: Path, interface: int) -> None:
    (folder / "tools").mkdir(parents=True)
    (folder / "__init__.py").write_text(EXPORTS.format(interface=interface), "utf-8")
    (folder / "tools" / "__init__.py").write_text("", "utf-8")
    (folder / "tools" / "tide.py").write_text(MODULE, "utf-8")
    (folder / "tools" / "tide.json").write_text(json.dumps({"tool": TIDE}), "utf-8")


@pytest.fixture(scope="module")
def tides(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """Return the module of the tool."""
    folder = tmp_path_factory.mktemp("project")
    write_package(folder / "package_by_hand", INTERFACE)
    sys.path.insert(0, str(folder))
    yield importlib.import_module("package_by_hand.tools.tide")
    sys.path.remove(str(folder))


def test_a_result_is_a_call_tool_result(tides: Any) -> None:
    result = tides.TideResult(metres=1.5, state="ebb")
    sent = result.to_call_tool_result()
    assert sent.structured_content == {"metres": 1.5, "state": "ebb"}
    assert json.loads(sent.content[0].text) == sent.structured_content
    assert json.loads(result.to_wire_json()) == result.to_wire()
    assert tides.TideResult.from_call_tool_result(sent) == result


@given(
    st.dictionaries(
        st.sampled_from(["metres", "state", "note", "more"]),
        st.none() | st.floats(allow_nan=False, allow_infinity=False) | st.sampled_from(["ebb", "flood", "text"]),
    )
)
@example({"metres": 0.0, "state": "ebb", "note": None})
def test_a_dict_is_taken_as_the_schema_says(tides: Any, value: dict[str, Any]) -> None:
    if VALIDATOR.is_valid(value):
        assert tides.TideResult.normalize(value).structured_content == value
    else:
        with pytest.raises(ResultError):
            tides.TideResult.normalize(value)
        kept = {name: item for name, item in value.items() if (name, item) != ("note", None)}  # None leaves it out
        if VALIDATOR.is_valid(kept):
            assert tides.TideResult(**value).to_structured_content() == kept
            return
        with pytest.raises((TypeError, ValidationError)):
            tides.TideResult(**value)


def test_the_definition_is_advertised(tides: Any) -> None:
    package = sys.modules[tides.__name__.partition(".")[0]]
    assert package.list_tools() == [TIDE]
    assert package.TideResult is tides.TideResult


@pytest.mark.parametrize("interface", [OLDEST_INTERFACE - 1, INTERFACE + 1])
def test_another_interface_is_refused(interface: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    name = f"package_of_interface_{interface}"
    write_package(tmp_path / name, interface)
    monkeypatch.syspath_prepend(str(tmp_path))
    with pytest.raises(ImportError, match=f"version {interface} of the interface of mcpgen-runtime"):
        importlib.import_module(name)
