"""Rules for content blocks: what the model, and programs that read text, receive."""

from __future__ import annotations

from collections.abc import Iterator

from mcpgen.compat.rules.rule import Category, RuleMatch, ToolPair, ToolRule
from mcpgen.diagnostics import Severity
from mcpgen.read.definitions import ToolDefinition, find_content_strategy, find_media_type
from mcpgen.schema.object_roots import implies_object, is_sdk_wrapper


def _find_changed_strategy(pair: ToolPair) -> Iterator[RuleMatch]:
    if pair.new is None or pair.new.output is None:
        return  # without an outputSchema, the handler makes the content
    old, new = find_content_strategy(pair.old), find_content_strategy(pair.new)
    if pair.old.output is None:
        if new != "sdk":
            text = f'its handler made its content; it is made from its result ("{new}") now'
            yield RuleMatch(text, "/outputSchema")
    elif old != new and not _has_same_json(pair.old, pair.new):
        yield RuleMatch(f'its content was "{old}", is "{new}" now', "/x-mcpgen/content")


def _find_changed_spaces(pair: ToolPair) -> Iterator[RuleMatch]:
    if pair.new is not None and _has_same_json(pair.old, pair.new):
        if find_content_strategy(pair.new) == "json":
            text = "its text was the SDK's JSON, which may be indented; it is compact JSON with the same values now"
            yield RuleMatch(text, "/x-mcpgen/content", _KEEP_SDK_WAY, _KEEP_SDK_WAY)
        else:
            text = "its text was compact JSON; it is the SDK's JSON with the same values now, which may be indented"
            yield RuleMatch(text, "/x-mcpgen/content")


def _has_same_json(old: ToolDefinition, new: ToolDefinition) -> bool:
    """Return whether both texts of a result are JSON of the same object, one by the SDK and one by mcpgen."""
    strategies = {find_content_strategy(old), find_content_strategy(new)}
    return strategies == {"json", "sdk"} and _is_object(old) and _is_object(new)


def _is_object(tool: ToolDefinition) -> bool:
    """Return whether a result is an object for its handler, too, so that its text is that object."""
    output = tool.output
    return output is not None and implies_object(output.value, output.dialect) and not is_sdk_wrapper(output.value)


_KEEP_SDK_WAY = (
    'write "x-mcpgen": {"content": "sdk"} into the tool, or content = "sdk" into the settings, to keep the SDK\'s way'
)
_KEEP_CONVERSION = (
    f"{_KEEP_SDK_WAY}; in mcpgen's way, a handler that returns `(content, structured)` sends structuredContent"
)


def _find_changed_conversion(pair: ToolPair) -> Iterator[RuleMatch]:
    """Find who converts what a handler returns if no outputSchema says what that is."""
    if pair.new is None or pair.old.output is not None or pair.new.output is not None:
        return
    was_sdk, is_sdk = (find_content_strategy(tool) == "sdk" for tool in (pair.old, pair.new))
    if was_sdk != is_sdk:
        before, after = ("the SDK", "mcpgen") if was_sdk else ("mcpgen", "the SDK")
        effect = "a dict may lose its structuredContent" if was_sdk else "a dict may get structuredContent"
        text = f"{before} converted what its handler returns, {after} does now: {effect}, and texts may differ"
        yield RuleMatch(text, "/x-mcpgen/content", _KEEP_CONVERSION, _KEEP_CONVERSION)


def _find_changed_media_type(pair: ToolPair) -> Iterator[RuleMatch]:
    if pair.new is None or {find_content_strategy(pair.old), find_content_strategy(pair.new)} != {"binary"}:
        return
    old, new = _find_media_type(pair.old), _find_media_type(pair.new)
    if old != new:
        yield RuleMatch(f"its content was {old}, is {new} now", "/outputSchema/contentMediaType")


def _find_media_type(tool: ToolDefinition) -> str | None:
    return None if tool.output is None else find_media_type(tool.output.value)


def _find_changed_template(pair: ToolPair) -> Iterator[RuleMatch]:
    old, new = pair.old.choices.template, None if pair.new is None else pair.new.choices.template
    if old is not None and new is not None and old.text != new.text:
        yield RuleMatch(f"the template of its text has changed ({new.name})")


def _find_lost_audience(pair: ToolPair) -> Iterator[RuleMatch]:
    if pair.new is None:
        return
    everybody = {"assistant", "user"}
    lost = (set(pair.old.choices.audience) or everybody) - (set(pair.new.choices.audience) or everybody)
    if lost:
        yield RuleMatch(f"its content is no longer for: {', '.join(sorted(lost))}", "/x-mcpgen/audience")


CONTENT_RULES = (
    ToolRule(
        "content-strategy-changed",
        Category.CONTENT,
        "The content blocks are made differently: readers find something else in them.",
        _find_changed_strategy,
    ),
    ToolRule(
        "content-spaces-changed",
        Category.CONTENT,
        "The text of an object is the same JSON with other spaces: compact, or as the SDK writes it.",
        _find_changed_spaces,
        severity=Severity.NOTE,
    ),
    ToolRule(
        "content-conversion-changed",
        Category.CONTENT,
        "The SDK no longer converts what the handler of a tool without an outputSchema returns, or now does.",
        _find_changed_conversion,
        severity=Severity.WARNING,
    ),
    ToolRule(
        "content-media-type-changed",
        Category.CONTENT,
        "The binary content block has another media type.",
        _find_changed_media_type,
    ),
    ToolRule(
        "content-template-changed",
        Category.CONTENT,
        "The template of the text that the model reads has changed.",
        _find_changed_template,
        severity=Severity.WARNING,
    ),
    ToolRule(
        "content-audience-changed",
        Category.CONTENT,
        "The content has another audience, so a client may no longer show it to the user or the model.",
        _find_lost_audience,
        severity=Severity.WARNING,
    ),
)
