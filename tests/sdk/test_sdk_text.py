"""The text of `content = "sdk"`, checked against what the installed SDK writes itself, and where the choice holds."""

from __future__ import annotations

import importlib
import importlib.util
import json
from pathlib import Path
from typing import Any

import pytest
from sdk import exchange
from sdk.exchange import ROW
from sdk.installed import SDK
from support.packages import built, mcpgen, package, tool

VALUES: list[Any] = [
    *[None, True, False, 0, -1, 2**70, 1.0, 0.1, 1e300, 1e16, 5e-324, -0.0, "", "a", 'two\nlines "é" 🐋', "5"],
    *[[], [None], ["a", "b"], [[], [1, [2.5, "c"]]], [{"a": 1}, {}, None], {}, {"a": [1, None], "é": {"b": "🐋"}}],
    *[{"text": "a\\u2028b\x7f"}, [True, {"a": [[]]}], {"x": 1e-7, "y": 123456789.125}],
]


def _own(value: Any) -> list[Any]:
    """Return the content blocks that the SDK makes of a value."""
    if ROW.distribution == "mcp":
        metadata = importlib.import_module(f"{ROW.server_module}.utilities.func_metadata")
        converted = metadata.FuncMetadata(arg_model=metadata.ArgModelBase).convert_result(value)
        return [*getattr(converted, "content", converted)]
    if SDK in ("fastmcp", "fastmcp3"):
        name = "fastmcp.tools.base" if importlib.util.find_spec("fastmcp.tools.base") else "fastmcp.tools.tool"  # 3, 2
        result_type = importlib.import_module(name).ToolResult
        return [] if value is None else [*result_type(content=value).content]
    normalizers = importlib.import_module("dedalus_mcp.server.result_normalizers")
    return [*normalizers.normalize_tool_result(value).content]


@pytest.fixture(scope="module")
def generated(tmp_path_factory: pytest.TempPathFactory) -> Any:
    wrapper = {"type": "object", "properties": {"result": {}}, "required": ["result"], "title": "wrappedOutput"}
    tools = [tool("natural", {}), tool("wrapped", wrapper), tool("say")]
    for item in tools:
        item["x-mcpgen"] = {"content": "sdk"}
    return package(tmp_path_factory.mktemp("texts"), tools, "--sdk", str(SDK))


@pytest.mark.skipif(SDK is None, reason="no SDK is installed here")
@pytest.mark.parametrize("value", VALUES, ids=repr)
def test_it_is_what_the_sdk_writes(generated: Any, value: Any) -> None:
    expected = [block.model_dump(exclude_none=True) for block in _own(value)]
    natural = generated.NaturalResult.from_structured_content(value)
    wrapped = generated.WrappedResult.from_structured_content({"result": value})
    for result in (natural, wrapped):
        assert [block.model_dump(exclude_none=True) for block in result.to_content()] == expected


@pytest.mark.skipif(SDK is None, reason="no SDK is installed here")
@pytest.mark.parametrize("value", [{"a": [1, 2]}, [{"b": "å"}], "c"], ids=repr)
def test_where_no_schema_is_declared_the_sdk_converts_what_a_bound_handler_returns(generated: Any, value: Any) -> None:
    """`normalize` makes mcpgen's own form of it."""

    def say() -> Any:
        return value

    own, bound = exchange.server(), exchange.server()
    exchange.decorate(own, say)
    generated.bind(bound).say(say)
    assert exchange.ask(bound, "say") == exchange.ask(own, "say")
    normalized = generated.SayResult.normalize(value).model_dump(mode="json", by_alias=True, exclude_unset=True)
    text = value if isinstance(value, str) else json.dumps(value[0] if isinstance(value, list) else value)
    assert [block["text"] for block in normalized["content"]] == [text.replace(" ", "").replace("\\u00e5", "å")]
    assert "structuredContent" not in normalized


def test_without_an_sdk_there_is_no_such_text(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text(json.dumps(tool("a", {}, **{"x-mcpgen": {"content": "sdk"}})), "utf-8")
    run = mcpgen("build", "a.json", cwd=tmp_path)
    assert run.returncode == 2
    assert 'error[MG509]: the content of tool "a" is "sdk", but the package is for no SDK' in run.stderr


@pytest.mark.parametrize("sdk", ["none", *([SDK] if SDK else [])])
@pytest.mark.parametrize("choice", [None, "json", "none"])
def test_pulled_tools_have_it_unless_something_else_was_chosen(tmp_path: Path, sdk: str, choice: str | None) -> None:
    (tmp_path / "schemas" / "pulled").mkdir(parents=True)
    (tmp_path / "schemas" / "pulled" / "a.json").write_text(json.dumps({"tools": [tool("a", {"type": "array"})]}))
    chosen = f'[tool.mcpgen.tools."a"]\ncontent = "{choice}"\n' if choice else ""
    (tmp_path / "pyproject.toml").write_text(f"[tool.mcpgen]\n{chosen}", "utf-8")
    generated = built(tmp_path, "--sdk", sdk)
    texts = [block.text for block in generated.AResult([1, "b"]).to_content()]
    by_sdk = ["1", "b"] if SDK not in ("fastmcp", "fastmcp3") else ['[1,"b"]']
    assert texts == ([] if choice == "none" else by_sdk if sdk != "none" and choice is None else ['[1,"b"]'])
