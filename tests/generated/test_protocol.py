"""The protocol's own types: generated from the MCP schemas, the official ones in the shipped ones' place."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from support import corpus
from support.packages import built, get_types, mcpgen, tool
from support.repository import ROOT, SHARED, needs_shared

VERSIONS = ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28")
official = needs_shared(*(f"mcp/{version}/schema.json" for version in VERSIONS))


def _project(folder: Path) -> Path:
    (folder / "schemas").mkdir(parents=True)
    (folder / "schemas" / "a.json").write_text(json.dumps(tool("a", {"type": "string"})), "utf-8")
    return folder


@pytest.mark.ci
@official
@pytest.mark.parametrize("how", ["folder", "setting"])
@pytest.mark.parametrize("version", VERSIONS)
def test_an_official_schema_gives_the_same_protocol(tmp_path: Path, version: str, how: str) -> None:
    plain = _project(tmp_path / "plain")
    assert mcpgen("build", cwd=plain).returncode == 0
    project = _project(tmp_path / "official")
    source = SHARED / "mcp" / version / "schema.json"
    if how == "folder":
        (project / "schemas" / version).mkdir()
        shutil.copyfile(source, project / "schemas" / version / "schema.json")
    else:
        (project / "mcpgen.toml").write_text(f"mcp-schema = {json.dumps(str(source))}\n", "utf-8")
    run = mcpgen("build", "--root", str(source.parent), cwd=project)
    assert run.returncode == 0, run.stderr
    theirs = (project / "generated" / "runtime" / "protocol.py").read_bytes()
    assert theirs == (plain / "generated" / "runtime" / "protocol.py").read_bytes()


def test_an_altered_schema_is_really_used(tmp_path: Path) -> None:
    project = _project(tmp_path)
    shipped = ROOT / "schemas" / "mcp" / "2026-07-28" / "schema.json"
    document = json.loads(shipped.read_text("utf-8"))
    document["$defs"]["CallToolResult"]["properties"]["novelty"] = {"type": "string"}
    (project / "schemas" / "2026-07-28").mkdir()
    (project / "schemas" / "2026-07-28" / "schema.json").write_text(json.dumps(document), "utf-8")
    assert mcpgen("build", cwd=project).returncode == 0
    assert "novelty: str | None = None" in (project / "generated" / "runtime" / "protocol.py").read_text("utf-8")


@pytest.fixture(scope="module")
def package(tmp_path_factory: pytest.TempPathFactory) -> Any:
    return built(_project(tmp_path_factory.mktemp("protocol")))


def test_the_surface_and_its_defaults(package: Any) -> None:
    protocol: Any = get_types(package)
    for name in (
        "Annotations AudioContent BlobResourceContents CallToolResult ContentBlock EmbeddedResource ImageContent "
        "InputRequiredResult ReadResourceResult Resource ResourceLink ResourceTemplate TextContent "
        "TextResourceContents Tool"
    ).split():
        assert hasattr(protocol, name)
    read = protocol.ReadResourceResult(contents=[])
    assert (read.ttl_ms, read.cache_scope) == (0, "private")
    assert protocol.TextContent(text="x").model_dump(mode="json") == {"type": "text", "text": "x"}


@needs_shared("corpus/mcp-examples/2026-07-28")
@pytest.mark.parametrize("kind", ["CallToolResult", "Tool", "ReadResourceResult", "ImageContent", "EmbeddedResource"])
def test_the_specifications_examples_are_read_and_written_back(package: Any, kind: str) -> None:
    protocol: Any = get_types(package)
    examples = sorted((corpus.CORPUS / "mcp-examples" / "2026-07-28" / kind).glob("*.json"))
    assert examples
    for path in examples:
        value = json.loads(path.read_text("utf-8"))
        assert getattr(protocol, kind).model_validate(value).to_structured_content() == value
        assert getattr(protocol, kind).model_validate(value).model_dump(mode="json") == value
