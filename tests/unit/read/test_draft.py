"""What the draft of MCP would change: `docs/contributing/result-shape.md` says where."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[3]
DRAFT = ROOT.parent / "shared/mcp/draft/schema.json"
PAGE = ROOT / "docs/contributing/result-shape.md"
TOOL = {
    *("_meta", "annotations", "description", "execution", "icons"),
    *("inputSchema", "name", "outputSchema", "title"),
}
RESULT = {"_meta", "content", "isError", "resultType", "structuredContent"}


@pytest.mark.parametrize(("kind", "known"), [("Tool", TOOL), ("CallToolResult", RESULT)])
def test_the_draft_has_the_result_that_we_know(kind: str, known: set[str]) -> None:
    """If this fails, the shape of results changes: read the page."""
    if not DRAFT.is_file():
        pytest.skip("the draft is not here")
    definitions: dict[str, Any] = json.loads(DRAFT.read_text("utf-8"))["$defs"]
    assert definitions[kind]["properties"].keys() <= known


def test_the_page_names_what_there_is() -> None:
    text = PAGE.read_text("utf-8")
    named = re.findall(r"`((?:mcpgen_runtime|[a-z]+)/[\w/]+\.py)` \(([^)]*)", text)
    assert 10 <= len(named) <= 15
    for path, names in named:
        folder = ROOT / ("runtime/src" if path.startswith("mcpgen_runtime") else "codegen/mcpgen")
        source = (folder / path).read_text("utf-8")
        for name in re.findall(r"`([\w.]+)`", names):
            assert name.rpartition(".")[2] in source, (path, name)
