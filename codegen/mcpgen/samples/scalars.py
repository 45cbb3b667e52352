"""Draw numbers, strings, and text of the formats of JSON Schema."""

from __future__ import annotations

import base64
import math
from fractions import Fraction
from random import Random

from mcpgen.samples.context import (
    LONGEST_STRING,
    Bound,
    DrawContext,
    Unsatisfiable,
    intersect_number_bounds,
    intersect_sizes,
)
from mcpgen.samples.patterns import PLAIN_CHARACTERS, draw_matching
from mcpgen.schema.document import SchemaLocation, matches_pattern
from mcpgen.words import split_words

ODD_CHARACTERS = (
    "éßλЖ中あ\u0301\u200b\u2028\u2029\x00\x1f\x7f\x85\xa0\\\"'{}#$/~`\n\t\r\ufeff\ufffd\ue000😀𝔘🏴\U0010ffff"
)
"""Text that breaks careless code: combining, invisible, control, private and astral characters."""


def draw_text(random: Random, least: int, most: int | None) -> str:
    """Draw text with a length in code points between the bounds; sometimes with odd characters."""
    least = min(least, LONGEST_STRING)
    highest = least + 6 if most is None else min(most, least + 6)
    size = random.randint(least, max(least, highest))
    alphabet = PLAIN_CHARACTERS if random.random() < 0.75 else PLAIN_CHARACTERS + ODD_CHARACTERS
    start = "".join(random.choice(alphabet) for _ in range(min(size, 12)))
    return (start * (size // max(len(start), 1) + 1))[:size]


def draw_base64(random: Random) -> str:
    """Draw a few bytes in canonical base64."""
    return base64.b64encode(bytes(random.randint(0, 255) for _ in range(random.randint(0, 7)))).decode()


def spell_out_name(name: str) -> str:
    """Return readable text for a property: its name in words."""
    return " ".join(word if word.isupper() else word.lower() for word in split_words(name)) or "text"


# --- strings of a format ---------------------------------------------------------------------------------------------
_FORMAT_EXAMPLES: dict[str, tuple[str, ...]] = {
    "duration": ("P1D", "PT2H30M", "P1Y2M3DT4H5M6S", "P2W"),
    "email": ("ada@example.org", "a.b+c@sub.example.com"),
    "hostname": ("example.org", "a-b.example.com", "localhost"),
    "ipv6": ("::1", "2001:db8::8a2e:370:7334", "fe80::1"),
    "json-pointer": ("", "/a/b", "/a~1b/0"),
    "regex": ("^a+$", "[0-9]{2}"),
    "relative-json-pointer": ("0", "1/a"),
    "uri": ("https://example.org/a?b=c#d", "urn:isbn:0451450523", "file:///tmp/x"),
    **dict.fromkeys(("uri-reference", "iri-reference"), ("/a/b", "?q=1", "https://example.org")),
    "uri-template": ("https://example.org/{id}", "/{a}{?b,c}"),
}
_FORMAT_ALIASES = {"idn-email": "email", "idn-hostname": "hostname", "iri": "uri", "url": "uri"}


def draw_format(name: str, random: Random) -> str | None:
    """Draw a string of a format; None where the format is unknown."""
    number = random.randint
    date = f"{number(1970, 2099)}-{number(1, 12):02}-{number(1, 28):02}"
    time = f"{number(0, 23):02}:{number(0, 59):02}:{number(0, 59):02}"
    match _FORMAT_ALIASES.get(name, name):
        case "date":
            return date
        case "time":
            return time + random.choice(("Z", "+02:00", ".5Z"))
        case "date-time":
            return f"{date}T{time}{random.choice(('Z', '+02:00', '.125Z'))}"
        case "ipv4":
            return ".".join(str(number(0, 255)) for _ in range(4))
        case "uuid":
            digits = f"{number(0, 2**128 - 1):032x}"
            return "-".join((digits[:8], digits[8:12], "4" + digits[13:16], "8" + digits[17:20], digits[20:]))
        case "byte" | "binary":
            return draw_base64(random)
        case base_name:
            return random.choice(_FORMAT_EXAMPLES[base_name]) if base_name in _FORMAT_EXAMPLES else None


# --- strings and numbers ---------------------------------------------------------------------------------------------
def draw_string(context: DrawContext, locations: list[SchemaLocation], name: str) -> str:
    """Draw a string for expanded schemas, the value of the property `name`; raise `Unsatisfiable` if there is none."""
    least, most = intersect_sizes(locations, "minLength", "maxLength")
    for text in _draw_candidates(context, locations, least, most):
        if _fits(text, least, most):
            return text
    if (most is not None and most < least) or least > LONGEST_STRING:
        raise Unsatisfiable
    if not context.is_varied:
        text = spell_out_name(name)
        return (text * (least // len(text) + 1))[: max(least, len(text) if most is None else min(len(text), most))]
    return draw_text(context.random, least, most)


def _draw_candidates(context: DrawContext, locations: list[SchemaLocation], least: int, most: int | None) -> list[str]:
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
        if sample is not None and _fits(sample, least, most):
            matches.append(sample)
            if matches_pattern(pattern, sample):
                break
    return matches


def _fits(text: str, least: int, most: int | None) -> bool:
    return least <= len(text) and (most is None or len(text) <= most)


_REAL_PROBABILITY = 0.6
_INTEGRAL_FLOAT_PROBABILITY = 0.06
"""How likely an integer is drawn as a float, such as 2.0."""


def draw_number(context: DrawContext, locations: list[SchemaLocation], is_integer: bool) -> int | float:
    """Draw a number that satisfies expanded schemas; raise `Unsatisfiable` if none is within the bounds."""
    lower, upper = intersect_number_bounds(locations)
    steps = [Fraction(str(divisor)) for location in locations if (divisor := location.get_number("multipleOf"))]
    is_real = not steps and not is_integer
    if is_real and context.decide(_REAL_PROBABILITY):
        return _draw_real(context, lower, upper)
    if is_integer or is_real:
        steps.append(Fraction(1))
    step = Fraction(math.lcm(*(step.numerator for step in steps)), math.gcd(*(step.denominator for step in steps)))
    first, last = _find_multiples(lower, upper, step)
    if first is not None and last is not None and first > last:
        if is_real:
            return _draw_real(context, lower, upper)
        raise Unsatisfiable
    value = _draw_multiple(context, first, last) * step
    if value.denominator == 1 and not (context.decide(_INTEGRAL_FLOAT_PROBABILITY) and abs(value) < 2**53):
        return int(value)
    return float(value)


def _find_multiples(lower: Bound | None, upper: Bound | None, step: Fraction) -> tuple[int | None, int | None]:
    """Return the first and the last multiple of a step within the bounds, counted in steps; None: unbounded."""
    first = None if lower is None else math.ceil(lower.value / step)
    last = None if upper is None else math.floor(upper.value / step)
    if first is not None and lower == Bound(first * step, True):
        first += 1
    if last is not None and upper == Bound(last * step, True):
        last -= 1
    return first, last


def _draw_multiple(context: DrawContext, first: int | None, last: int | None) -> int:
    if context.takes_first:
        return max(1 if last is None else min(1, last), 1 if first is None else first)
    width = context.random.choice((3, 10, 1000, 2**40, 2**70) if context.is_varied else (10,))
    if first is None and last is None:
        first, last = -width, width
    low = first if first is not None else (last or 0) - width
    high = last if last is not None else low + width
    if context.decide(0.25):
        return context.random.choice((low, high))
    return context.random.randint(low, min(high, low + width))


def _draw_real(context: DrawContext, lower: Bound | None, upper: Bound | None) -> float:
    low = float(lower.value) if lower is not None else None
    high = float(upper.value) if upper is not None else None
    if low is None:
        low = (0.0 if high is None else high) - context.random.choice((1.0, 100.0, 1e9))
    if high is None:
        high = low + context.random.choice((1.0, 200.0, 1e10))
    if context.decide(0.1) and (lower is None or not lower.is_exclusive):
        return low
    value = low + (high - low) * (0.05 + 0.9 * context.random.random())
    rounded = round(value, 2)
    return rounded if low < rounded < high else value
