"""docs/guides/migration-low-level.md, as it stands there: a low-level server pulled, built for, and bound."""

from __future__ import annotations

import json
import shlex
from pathlib import Path
from typing import Any

import pytest
from mcpgen.targets import STRUCTURED_CONTENT_SINCE
from sdk.installed import SDK
from support.doc_pages import read_page
from support.packages import mcpgen, run_python

read_blocks = read_page("guides/migration-low-level.md").list_texts
RECORDER = Path(__file__).with_name("recorder.py")
CALLS = [
    ("get_station", {"name": "Byrum"}),
    ("list_stations", {"prefix": "B"}),
    ("list_stations", {"prefix": "x"}),
    ("list_stations", {}),
]

pytestmark = [
    pytest.mark.skipif(SDK not in ("mcp", "mcp1"), reason="no SDK with low-level servers is installed here"),
    pytest.mark.ci,
]


def remove_tool(server: str, name: str) -> str:
    """Return a server without a tool in its handlers."""
    lines = server.splitlines(keepends=True)
    return "".join(line for line in lines if f'Tool(name="{name}"' not in line).replace(f'"{name}": {name}, ', "")


def remove_functions(server: str) -> str:
    """Return a server without its functions, and without its handlers of `tools/list` and `tools/call`."""
    head = server[: server.index("\n\ndef get_station")]
    return head if SDK == "mcp1" else head + 'server: Server[Any] = Server("coast")\n'


def test_the_page_leads_to_the_same_wire(tmp_path: Path) -> None:
    of_mcp1, of_mcp2, first, last = read_blocks("python")
    before = of_mcp1 if SDK == "mcp1" else of_mcp2
    (tmp_path / "pyproject.toml").write_text(f'[tool.mcpgen]\nsdk = "{SDK}"\n[tool.mypy]\nstrict = true\n', "utf-8")
    (tmp_path / "coast.py").write_text(before, "utf-8")
    for command in read_blocks("sh"):
        run = mcpgen(*shlex.split(command)[1:], cwd=tmp_path)
        assert run.returncode == 0, run.stderr
    (tmp_path / "halfway.py").write_text(remove_tool(before, "get_station") + first, "utf-8")
    (tmp_path / "after.py").write_text(remove_functions(before) + last, "utf-8")
    (tmp_path / "calls.json").write_text(json.dumps(CALLS), "utf-8")
    answers: dict[str, Any] = json.loads(run_python(tmp_path, str(RECORDER), "calls.json", "coast", "halfway", "after"))
    for module in ("halfway", "after"):
        for version, recorded in answers["coast"].items():
            for request, answer in recorded.items():
                moved = answers[module][version][request]
                assert normalize(moved, version) == normalize(answer, version), (module, version, request)
    assert mcpgen("check", "--server", "after:server", cwd=tmp_path).returncode == 0
    run_python(tmp_path, "-m", "mypy", "coast.py", "after.py")


def normalize(answer: Any, version: str) -> Any:
    """Return an answer with tools in the order of their names, since bound ones come after the server's own.

    What the protocol version doesn't know is left out; servers that nothing is bound to send it nevertheless.
    """
    unknown = {"outputSchema", "structuredContent"} if version < STRUCTURED_CONTENT_SINCE else set[str]()
    known = {key: value for key, value in answer.items() if key not in unknown}
    if "tools" not in known:
        return known
    tools = [{key: value for key, value in tool.items() if key not in unknown} for tool in known["tools"]]
    return {**known, "tools": sorted(tools, key=lambda tool: str(tool["name"]))}
