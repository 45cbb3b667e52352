"""From `pull` to `check --server` with a server that makes mistakes: all that is right is used."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest
from support.packages import mcpgen, tool

SECRET = "correcthorsebattery"
SERVER = """
import json, random, sys
lists = json.load(open("lists.json"))
info = {"name": "s", "version": "1"}
about = {"protocolVersion": "2025-11-25", "capabilities": {"resources": {}}, "serverInfo": info}
for line in sys.stdin:
    asked = json.loads(line)
    if "id" in asked:
        known = {"initialize": about, **lists}
        result = {"result": known[asked["method"]]} if asked["method"] in known else {"error": {"code": -32601}}
        text = json.dumps({"jsonrpc": "2.0", "id": asked["id"], **result})
        print(text.replace("RANDOM", ",".join(random.sample("abcdefgh", 8))).replace('"again"', '"name"'), flush=True)
"""
DANGLING = {
    "type": "object",
    "properties": {"id": {"type": "string"}, "in": {"$ref": "#/$defs/Room"}},
    "required": ["id"],
}
ROOMS = {
    "type": "object",
    "properties": {"rooms": {"type": "array", "items": {"type": "string"}}},
    "required": ["rooms"],
}
TOOLS = [
    tool("list_rooms", ROOMS, description="Of modelcontextprotocol."),
    tool("add_room", DANGLING, description=f"With {SECRET}."),
    {"name": "find", "inputSchema": {"properties": {"day": {"type": "string", "default": "RANDOM"}}}},
    {"name": "bare", "inputSchema": {}, "outputSchema": None, "annotations": None, "description": None},
]
TEMPLATES = [
    {"name": "blob", "uriTemplate": "repo://{owner}/{path*}"},
    {"name": "rows", "uriTemplate": "rows://{t}{?n}"},
]


@pytest.mark.ci
def test_mistakes_of_a_server_do_not_block_the_rest(tmp_path: Path) -> None:
    (tmp_path / "modelcontextprotocol.py").write_text(SERVER)
    lists = {"tools/list": {"tools": TOOLS}, "resources/templates/list": {"resourceTemplates": TEMPLATES}}
    (tmp_path / "lists.json").write_text(json.dumps(lists))
    (tmp_path / "mcpgen.toml").write_text('sdk = "none"\n')
    command = [sys.executable, "modelcontextprotocol.py", "--token", SECRET]
    pulled = mcpgen("pull", "--name", "s", "--build", "--", *command, cwd=tmp_path)
    assert pulled.returncode == 0, pulled.stderr
    assert 'warning[MG715]: the Tool "add_room" holds a secret' in pulled.stderr
    assert "mcpgen pull --exclude add_room SERVER" in pulled.stderr
    assert "mcpgen pull --exclude 'repo://{owner}/{path*}' SERVER" in pulled.stderr
    assert SECRET not in pulled.stdout + pulled.stderr
    written = json.loads((tmp_path / "schemas/pulled/s.json").read_text("utf-8"))
    said = {item["name"]: item.get("description") for item in written["tools"]}
    assert said == {"list_rooms": "Of modelcontextprotocol.", "add_room": "With ***.", "find": None, "bare": None}
    assert {path.stem for path in (tmp_path / "generated/tools").glob("*.py")} >= {*said}
    assert {path.stem for path in (tmp_path / "generated/resources").glob("*.py")} == {"__init__", "rows"}

    server = " ".join(command)
    compared = mcpgen("check", "--strict", "--server", server, cwd=tmp_path)
    assert compared.returncode == 4
    assert "compared with schemas/pulled/s.json: 1 with another default" in compared.stderr, compared.stderr
    assert compared.stderr.count("error[") == 1
    with (tmp_path / "mcpgen.toml").open("a") as settings:
        settings.write('[tools.find]\nunchecked = ["/inputSchema/properties/day"]\n')
    assert mcpgen("check", "--strict", "--server", server, cwd=tmp_path).returncode == 0
    excluded = ("--exclude", "add_room", "--exclude", TEMPLATES[0]["uriTemplate"])
    again = mcpgen("pull", "--name", "s", "--build", *excluded, "--", *command, cwd=tmp_path)
    assert (again.returncode, "warning" in again.stderr) == (0, False), again.stderr

    lists["tools/list"]["tools"] = [{**tool("a"), "again": "b"}]
    (tmp_path / "lists.json").write_text(json.dumps(lists))
    repeated = mcpgen("pull", "--name", "s", "--", *command, cwd=tmp_path)
    assert repeated.returncode == 2
    assert "error[MG710]: the server answers with an object in which a name stands twice" in repeated.stderr
