"""Choose how the result of a tool becomes content blocks."""

from __future__ import annotations

from mcpgen.ir.code_settings import ContentStrategy
from mcpgen.read.definitions import ToolDefinition
from mcpgen.schema.object_roots import implies_object
from mcpgen.schema.values import Json


def find_media_type(schema: Json) -> str | None:
    """Return the media type of a schema for base64 data; None if its root is not such a string.

    The keywords are those of JSON Schema validation (2020-12), section 8.
    """
    match schema:
        case {"type": "string", "contentEncoding": "base64", "contentMediaType": str() as media_type}:
            return media_type
        case _:
            return None


def find_content_strategy(tool: ToolDefinition) -> ContentStrategy:
    """Return the chosen content strategy; by default `binary` for an image or sound, and `json` for everything else."""
    media_type = None if tool.output is None else find_media_type(tool.output.value)
    if not tool.choices.content_chosen and media_type is not None and media_type.startswith(("image/", "audio/")):
        return "binary"
    return tool.choices.content


def has_default_content(tool: ToolDefinition) -> bool:
    """Tell whether a tool whose result is an object has JSON as its content because nobody has chosen a strategy.

    If a result is not an object, the protocol requires its JSON next to any other content.
    """
    return (
        tool.output is not None
        and implies_object(tool.output.value, tool.output.dialect)
        and not tool.choices.content_chosen
        and find_content_strategy(tool) == "json"
    )
