"""`protocol.py`."""

from __future__ import annotations

from functools import partial

import pytest
from mcpgen.ir.package import Package
from mcpgen.lower.protocol_types import ROOT_TYPES
from mcpgen.read.definitions import ProtocolSchema
from mcpgen.render.jobs import ImportScope
from mcpgen.render.protocol import (
    GeneratedProtocolView,
    SdkProtocolView,
    UnionView,
    make_protocol_job,
    make_protocol_types,
)
from mcpgen.schema.keywords import DRAFT_2020_12
from mcpgen.schema.values import Json


@pytest.mark.parametrize(
    ("sdk", "protocol", "template", "default"),
    [
        ("mcp", None, "sdk/mcp/protocol.py.j2", "2026-07-28"),
        ("fastmcp", "2025-06-18", "sdk/mcp/protocol.py.j2", "2025-06-18"),
        ("mcp1", None, "sdk/mcp1/protocol.py.j2", "2025-11-25"),
        ("dedalus", None, "sdk/mcp1/protocol.py.j2", "2025-11-25"),
    ],
)
def test_types_of_an_sdk(sdk: str, protocol: str | None, template: str, default: str) -> None:
    job = make_protocol_job(Package((), (), (), sdk, protocol), partial(make_protocol_types, {}))
    assert isinstance(job.view, SdkProtocolView)
    assert (job.template, str(job.view.default), job.imports) == (template, f'"{default}"', None)


def test_generated_types() -> None:
    text: dict[str, Json] = {"type": "object", "properties": {"text": {"type": "string"}}, "required": ["text"]}
    union: dict[str, Json] = {"anyOf": [{"$ref": "#/$defs/Text"}, {"type": "null"}]}
    roots: dict[str, Json] = {name: {"type": "object", "properties": {name: {"type": "string"}}} for name in ROOT_TYPES}
    definitions: dict[str, Json] = {**roots, "Text": text, "ContentBlock": union}
    schema = ProtocolSchema("2026-07-28", "schema.json", definitions, DRAFT_2020_12)
    types = make_protocol_types({schema.version: schema})
    job = make_protocol_job(Package((), (), (), "none", None), lambda: types)
    assert isinstance(job.view, GeneratedProtocolView)
    names = {node.name for node in job.view.module.nodes}
    assert names >= {"CallToolResult", "Text", "Tool", "Resource"}
    assert job.view.unions == [UnionView("ContentBlock", "Text | None")]
    assert str(job.view.default) == '"2026-07-28"'
    assert job.imports == ImportScope("")
