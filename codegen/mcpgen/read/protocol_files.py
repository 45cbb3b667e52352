"""Read MCP protocol schemas from the input files and from the file that the settings name."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from mcpgen.files.project_paths import resolve_path
from mcpgen.read.context import ReadContext
from mcpgen.read.definitions import ProtocolSchema
from mcpgen.read.document import SourceDocument
from mcpgen.read.named_files import load_named_file
from mcpgen.read.protocol_schemas import PROTOCOL_ROOTS, parse_protocol
from mcpgen.read.recognition import DefinitionKind, recognise_definitions
from mcpgen.schema.values import Json
from mcpgen.targets import PROTOCOLS


def read_configured_protocols(context: ReadContext) -> Iterator[ProtocolSchema]:
    """Yield the protocol schemas in the file that the setting `mcp-schema` names; report other definitions in it."""
    path = context.package.settings.mcp_schema
    if path is None:
        return
    document = load_named_file(path, ("mcp-schema",), context)
    if document is None:
        return
    for item in recognise_definitions(document, context.findings):
        if item.kind is not DefinitionKind.PROTOCOL:
            context.findings.error("MG108", "mcp-schema names no MCP protocol schema", document.make_span())
        elif (protocol := read_protocol(item.value, document, Path(path).name, context)) is not None:
            yield protocol


def read_protocol(
    value: dict[str, Json], document: SourceDocument, origin: str, context: ReadContext
) -> ProtocolSchema | None:
    """Return the protocol schema in a document, None if its version is unknown or types are missing.

    The version is the name of the file's folder, or else that of the settings. What is wrong is reported.
    """
    folder = resolve_path(document.path).parent.name
    version = folder if folder in PROTOCOLS else context.package.settings.protocol
    if version is None:
        help = f"name its folder after the version: {', '.join(PROTOCOLS)}; or set `protocol`"
        context.findings.error("MG108", "an MCP schema of no known version", document.make_span(), help)
        return None
    protocol = parse_protocol(value, version, origin)
    for name in PROTOCOL_ROOTS:
        if name not in protocol.definitions:
            context.findings.error("MG108", f"an MCP schema without {name}", document.make_span())
            return None
    return protocol
