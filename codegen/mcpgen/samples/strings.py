"""Draw strings that follow `pattern`, `format`, `contentEncoding` and length bounds."""

from __future__ import annotations

from mcpgen.samples.bounds import intersect_sizes
from mcpgen.samples.context import DrawContext, Unsatisfiable
from mcpgen.samples.formats import draw_format
from mcpgen.samples.patterns import draw_matching
from mcpgen.samples.text import LONGEST_STRING, draw_base64, draw_text, spell_out_name
from mcpgen.schema.document import SchemaLocation, matches_pattern


def draw_string(context: DrawContext, locations: list[SchemaLocation], name: str) -> str:
    """Draw a string.

    Args:
        context: the state of the draw.
        locations: the schemas that the string has to satisfy, expanded.
        name: the property that it is the value of.

    Raises:
        Unsatisfiable: the bounds of the length contradict each other, or the string would be too long.
    """
    least, most = intersect_sizes(locations, "minLength", "maxLength")
    for text in _draw_candidates(context, locations, least, most):
        if least <= len(text) and (most is None or len(text) <= most):
            return text
    if (most is not None and most < least) or least > LONGEST_STRING:
        raise Unsatisfiable
    if not context.is_varied:
        text = spell_out_name(name)
        return (text * (least // len(text) + 1))[: max(least, len(text) if most is None else min(len(text), most))]
    return draw_text(context.random, least, most)


def _draw_candidates(context: DrawContext, locations: list[SchemaLocation], least: int, most: int | None) -> list[str]:
    """Draw strings that follow one schema each, the most promising first; lengths may be out of bounds."""
    candidates: list[str] = []
    for location in locations:
        pattern, format = location.get("pattern"), location.get("format")
        if isinstance(pattern, str):
            for text in _draw_matches(context, pattern, least, most):
                candidates.insert(0, text)
        elif isinstance(format, str) and not context.decide(0.1):
            sample = draw_format(format, context.random)
            candidates += [] if sample is None else [sample]
        if location.get("contentEncoding") == "base64" and not context.decide(0.1):
            candidates.append(draw_base64(context.random))
    return candidates


def _draw_matches(context: DrawContext, pattern: str, least: int, most: int | None) -> list[str]:
    """Draw strings of allowed lengths for a pattern; the last one matches it, if any does."""
    matches: list[str] = []
    for fill in (0, 0, least, least):
        sample = draw_matching(pattern, context.random, fill)
        if sample is not None and least <= len(sample) and (most is None or len(sample) <= most):
            matches.append(sample)
            if matches_pattern(pattern, sample):
                break
    return matches
