"""What a schema reaches in another document, without files."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from mcpgen.read.document import SourceDocument
from mcpgen.read.reachable import ReachableSchemas, SchemaSource
from mcpgen.schema.index import SchemaIndex
from mcpgen.schema.keywords import DRAFT_2020_12


def make_source(name: str, schema: Any, is_home: bool = False) -> SchemaSource:
    document = SourceDocument(Path(name), name, "", schema)
    return SchemaSource(document, "", SchemaIndex(schema, DRAFT_2020_12), is_home)


def collect(home: Any, other: Any) -> tuple[ReachableSchemas, SchemaSource]:
    """Return what a schema reaches in one other document, `other.json`."""
    source = make_source("other.json", other)

    def find(outer: SchemaSource, at: str, keyword: str, ref: str) -> tuple[SchemaSource, str] | None:
        target = source.index.find_target("", "#" + ref.partition("#")[2])
        return None if target is None else (source, target)

    return ReachableSchemas(make_source("home.json", home, True), find), source
