"""Rules for content: what the model, and programs that read text, are given."""

from __future__ import annotations

from mcpgen.compat.registry import Category, RuleMatch, ToolPair, rule
from mcpgen.diagnostics import Severity
from mcpgen.read.definitions import ToolDefinition


@rule("content-strategy-changed", Category.CONTENT, ToolPair)
def check_content_strategy_changed(pair: ToolPair) -> RuleMatch | None:
    """The content blocks are made in another way: who reads them finds something else."""
    if pair.old is None or pair.new is None or find_content_strategy(pair.old) == find_content_strategy(pair.new):
        return None
    return RuleMatch(
        f'its content was "{find_content_strategy(pair.old)}", is "{find_content_strategy(pair.new)}" now',
        "/x-mcpgen/content",
    )


@rule("content-media-type-changed", Category.CONTENT, ToolPair)
def check_content_media_type_changed(pair: ToolPair) -> RuleMatch | None:
    """The binary block that is the content has another media type."""
    if (
        pair.old is None
        or pair.new is None
        or {find_content_strategy(pair.old), find_content_strategy(pair.new)} != {"binary"}
    ):
        return None
    old, new = _get_media_type(pair.old), _get_media_type(pair.new)
    if old == new:
        return None
    return RuleMatch(f"its content was {old}, is {new} now", "/outputSchema/contentMediaType")


@rule("content-template-changed", Category.CONTENT, ToolPair, Severity.WARNING)
def check_content_template_changed(pair: ToolPair) -> RuleMatch | None:
    """The template of the text that the model reads has changed."""
    if pair.old is None or pair.new is None:
        return None
    old, new = pair.old.choices.template, pair.new.choices.template
    if old is None or new is None or old.text == new.text:
        return None
    return RuleMatch(f"the template of its text has changed ({new.name})")


@rule("content-audience-changed", Category.CONTENT, ToolPair, Severity.WARNING)
def check_content_audience_changed(pair: ToolPair) -> RuleMatch | None:
    """The content is for somebody else, so that a client may no longer show it, or no longer to the model."""
    if pair.old is None or pair.new is None:
        return None
    old, new = set(pair.old.choices.audience), set(pair.new.choices.audience)
    everybody = {"assistant", "user"}
    lost = (old or everybody) - (new or everybody)
    return RuleMatch(f"its content is no longer for: {', '.join(sorted(lost))}", "/x-mcpgen/audience") if lost else None


def find_content_strategy(tool: ToolDefinition) -> str:
    """The content strategy: the chosen one, else binary for a root that is an image or sound, else JSON."""
    if tool.choices.content_chosen or not _get_media_type(tool).startswith(("image/", "audio/")):
        return tool.choices.content
    return "binary"


def _get_media_type(tool: ToolDefinition) -> str:
    schema = None if tool.output is None else tool.output.value
    if not isinstance(schema, dict) or schema.get("contentEncoding") != "base64":
        return ""
    return str(schema.get("contentMediaType", ""))
