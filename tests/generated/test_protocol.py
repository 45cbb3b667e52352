"""The protocol's types of packages without an SDK: made from the MCP schemas, as the specification's examples are."""

from __future__ import annotations

import json

import pytest
from mcpgen_runtime.sdk.none import protocol, types
from support import corpus
from support.repository import needs_shared

from scripts import protocol_types


@pytest.mark.ci
def test_the_module_is_what_the_schemas_give() -> None:
    assert protocol_types.PATH.read_text("utf-8") == protocol_types.make_module()


def test_absent_members_have_their_defaults() -> None:
    read = types.ReadResourceResult(contents=[])
    assert (read.ttl_ms, read.cache_scope) == (0, "private")
    assert types.TextContent(text="x").model_dump(mode="json") == {"type": "text", "text": "x"}


@needs_shared("corpus/mcp-examples/2026-07-28")
@pytest.mark.parametrize("kind", ["CallToolResult", "ReadResourceResult", "ImageContent", "EmbeddedResource"])
def test_the_specifications_examples_are_read_and_written_back(kind: str) -> None:
    examples = sorted((corpus.CORPUS / "mcp-examples" / "2026-07-28" / kind).glob("*.json"))
    assert examples
    for path in examples:
        value = json.loads(path.read_text("utf-8"))
        read = getattr(protocol, kind).model_validate(value)
        assert read.to_structured_content() == read.model_dump(mode="json") == value
