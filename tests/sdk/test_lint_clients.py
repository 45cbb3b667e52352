"""The TypeScript SDK 1.x refuses the definitions that lint rules find for it, and takes the others."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
from mcpgen.config.models import LintSettings
from mcpgen.lint.linter import lint_definition, select_rules
from mcpgen.lint.rule import LintedDefinition
from mcpgen.schema.document import Schema
from mcpgen.schema.keywords import DRAFT_2020_12
from sdk import node
from sdk.wire import SDK_TESTS

pytestmark = [
    pytest.mark.skipif(not (shutil.which("npm") and shutil.which("node")), reason="npm or node is missing"),
    pytest.mark.ci,
]
OBJECT: dict[str, Any] = {"type": "object"}


def take(schema: Any) -> dict[str, Any]:
    return {"inputSchema": {"type": "object", "properties": {"a": schema}}}


def give(**members: Any) -> dict[str, Any]:
    return {"inputSchema": OBJECT, "outputSchema": {"type": "object", **members}}


PAIR = {"type": "array", "prefixItems": [{"type": "integer"}, {"type": "integer"}]}
CASES: list[tuple[str | None, dict[str, Any], Any]] = [
    ("MG922", take(True), None),
    (None, take({}), None),
    ("MG922", take(False), None),
    (None, take({"not": {}}), None),
    (None, take({"anyOf": [True]}), None),
    ("MG922", give(properties={"a": True}), None),
    (None, give(properties={"a": {}}), None),
    ("MG923", {"inputSchema": OBJECT, "outputSchema": {"type": "array"}}, None),
    ("MG923", {"inputSchema": OBJECT, "outputSchema": {"anyOf": [OBJECT]}}, None),
    (None, give(), None),
    ("MG111", give(properties={"a": {**PAIR, "items": False}}), {"a": [1, 2]}),
    (None, give(properties={"a": {**PAIR, "maxItems": 2}}), {"a": [1, 2]}),
    ("MG111", {"inputSchema": OBJECT, "execution": {"taskSupport": "required"}}, {}),
    (None, {"inputSchema": OBJECT, "execution": {"taskSupport": "optional"}}, {}),
]
"""The code of a rule or None, the members of a tool, and what the tool answers."""


def test_the_sdk_refuses_what_the_rules_find(tmp_path: Path) -> None:
    shutil.copy(SDK_TESTS / "ts" / "refuse.mjs", tmp_path)
    try:
        modules = node.modules(tmp_path, "@modelcontextprotocol/sdk")
    except (subprocess.CalledProcessError, FileNotFoundError) as error:
        pytest.skip(f"npm cannot install what the test needs: {error}")
    if not (tmp_path / "node_modules").exists():
        (tmp_path / "node_modules").symlink_to(modules)
    entries = [{"tool": {"name": "t", **members}, "result": result} for _, members, result in CASES]
    entries = [{key: value for key, value in entry.items() if value is not None} for entry in entries]
    (tmp_path / "tools.json").write_text(json.dumps(entries), "utf-8")
    command = ["node", "refuse.mjs", "tools.json"]
    run = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=120)
    assert run.returncode == 0, run.stderr
    refusals = json.loads(run.stdout)
    rules = select_rules(LintSettings.model_validate({"select": ["MG111"], "clients": ["typescript-sdk-1"]}))
    for (code, members, _), refusal in zip(CASES, refusals, strict=True):
        assert (refusal is None) == (code is None), (members, refusal)
        codes = [finding.rule.code for finding in lint_definition(_make_tool(members), rules)]
        assert codes == ([code] if code else [])


def _make_tool(members: dict[str, Any]) -> LintedDefinition:
    output = members.get("outputSchema")
    return LintedDefinition(
        "tool",
        "t",
        {"name": "t", **members},
        Schema(members["inputSchema"], DRAFT_2020_12),
        None if output is None else Schema(output, DRAFT_2020_12),
    )
