"""Rules for content: what the model, and programs that read text, are given."""

from __future__ import annotations

from mcpgen.compat.registry import Category, Found, Pair, rule
from mcpgen.diagnostics import Severity
from mcpgen.read.definitions import ToolDefinition


@rule("content-strategy-changed", Category.CONTENT, Pair)
def strategy_changed(pair: Pair) -> Found | None:
    """The content blocks are made in another way: who reads them finds something else."""
    if pair.old is None or pair.new is None or strategy(pair.old) == strategy(pair.new):
        return None
    return Found(f'its content was "{strategy(pair.old)}", is "{strategy(pair.new)}" now', "/x-mcpgen/content")


@rule("content-media-type-changed", Category.CONTENT, Pair)
def media_type_changed(pair: Pair) -> Found | None:
    """The binary block that is the content has another media type."""
    if pair.old is None or pair.new is None or {strategy(pair.old), strategy(pair.new)} != {"binary"}:
        return None
    old, new = _media_type(pair.old), _media_type(pair.new)
    if old == new:
        return None
    return Found(f"its content was {old}, is {new} now", "/outputSchema/contentMediaType")


@rule("content-template-changed", Category.CONTENT, Pair, Severity.WARNING)
def template_changed(pair: Pair) -> Found | None:
    """The template of the text that the model reads has changed."""
    if pair.old is None or pair.new is None:
        return None
    old, new = pair.old.choices.template, pair.new.choices.template
    if old is None or new is None or old.text == new.text:
        return None
    return Found(f"the template of its text has changed ({new.name})")


@rule("content-audience-changed", Category.CONTENT, Pair, Severity.WARNING)
def audience_changed(pair: Pair) -> Found | None:
    """The content is for somebody else, so that a client may no longer show it, or no longer to the model."""
    if pair.old is None or pair.new is None:
        return None
    old, new = set(pair.old.choices.audience), set(pair.new.choices.audience)
    everybody = {"assistant", "user"}
    lost = (old or everybody) - (new or everybody)
    return Found(f"its content is no longer for: {', '.join(sorted(lost))}", "/x-mcpgen/audience") if lost else None


def strategy(tool: ToolDefinition) -> str:
    """The content strategy: the chosen one, else binary for a root that is an image or sound, else JSON."""
    if tool.choices.content_chosen or not _media_type(tool).startswith(("image/", "audio/")):
        return tool.choices.content
    return "binary"


def _media_type(tool: ToolDefinition) -> str:
    schema = None if tool.output is None else tool.output.value
    if not isinstance(schema, dict) or schema.get("contentEncoding") != "base64":
        return ""
    return str(schema.get("contentMediaType", ""))
