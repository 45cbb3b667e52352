"""Keywords of random JSON Schemas that contain no subschemas, and the lists that they are chosen from."""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy
from random import Random
from typing import Any, TypeVar

from support.corpus import equal

T = TypeVar("T")

ORDINARY = ["a", "b", "id", "name", "items", "windSpeed", "wind_speed", "wind-speed", "kind", "type", "result"]
NAMES = [
    *ORDINARY, "class", "None", "from", "self", "cls", "json", "dict", "copy", "schema", "root", "content", "extras",
    "model_config", "model_fields", "model_dump", "model_extra", "_tool", "_x", "__init__", "__class__", "__dict__",
    "to_structured_content", "to_content", "to_wire", "from_structured_content", "normalize", "validate", "construct",
    "Any", "str", "list", "int", "object", "Field", "String", "Annotated", "out", "data", "value", "field", "alias",
    "A", "a_", "_a", "a b", "a-b", "a.b", "a/b", "a~b", "a%25b", "1", "01", "", " ", "é", "e\u0301", "中", "😀", "ß",
    "$ref", "$defs", "properties", "const", "\"", "'", "\\", "\n", "{x}", "{{ x }}", "#", "\u2028", "\x00", "\x85",
    "constructor", "__proto__", "GetResult", "T0Result", "TrueClass", "true", "null", "ﬁ", "Ⅷ", "ª",
]  # fmt: skip
"""Property names: some collide with Python, with pydantic, with the generated methods, and with each other."""
TEXTS = [
    "A title", "wind speed", "x" * 200, "", " ", "Ends with \\", '"""', "'''", "# noqa\nimport os",
    "%s {0} {{x}} {% x %}",
    "\r\n\x0b\x0c", "\u2028\u2029", "\ufeff", "‮abc", "𝔘😀", "\x00\x1f\x7f", "Class", "None", "\\N{DASH} \\x00 \\u", "é",
]  # fmt: skip
PATTERNS = [
    "^a", "b$", "^[a-z]+$", "^x-", "[0-9]{2,}", "^$", "", ".", r"^\d+$", r"^\w+\s\S$", r"^\p{L}+$", r"\p{Lu}",
    r"^[\p{N}_]*$",
    r"^(?!a).*$", r"^(?=.*[0-9])[a-z0-9]+$", r"^(a|b)\1$", r"[^\x00-\x7F]", "^é", r"\u00e9", r"^\S{2}$", r"^(?:a+)+$",
    r"^[^@]+@[^@]+$", r"\/", r"^\cA?$", r"a{2}", "^(?<year>[0-9]{4})$", "ß", "😀", r"[\w.-]", "^.{3}$",
]  # fmt: skip
FORMATS = [
    "date-time", "date", "time", "duration", "email", "hostname", "ipv4", "ipv6", "uri", "uri-reference", "uuid",
    "regex",
    "json-pointer", "byte", "binary", "int32", "int64", "double", "password", "unknown", "decimal", "uri-template",
    "path",
]  # fmt: skip
NUMBERS: list[int | float] = [
    0, 1, -1, 2, 3, 5, 7, 10, 100, 0.5, 1.5, -2.5, 0.1, 1.0, 3.0, -0.0, 1e-5, 255, 2**31, 2**53, 2**53 + 1,
    2**63 - 1, 2**63,
    -(2**63), 2**64, 10**20, 1e100, 1e-300, 1.7976931348623157e308,
]  # fmt: skip
STEPS: list[int | float] = [1, 2, 3, 5, 7, 10, 0.5, 0.1, 0.01, 1.5, 2.0, 100, 1e-5, 2**53, 10**20]
VALUES: list[Any] = [
    None, True, False, 0, 1, -1, 1.0, 0.0, 1.5, -0.0, 2**53 + 1, 10**30, "", "a", "1", "true", "null", "é", "a\nb",
    '"', "\\",
    "😀", "\u2028", "None", [], [1], [1.0], [True], [[]], {}, {"a": 1}, {"a": None}, {"a": {"b": [1]}}, {"$ref": "#"},
    "A", "x y",
]  # fmt: skip


class Choices:
    """Random choices."""

    def __init__(self, random: Random) -> None:
        self.random = random

    def chance(self, share: float) -> bool:
        """Return True so often."""
        return self.random.random() < share

    def pick(self, items: list[T]) -> T:
        """Choose an item."""
        return self.random.choice(items)

    def some(self, items: list[T], least: int, most: int) -> list[T]:
        """Choose some of the items."""
        return self.random.sample(items, min(self.random.randint(least, most), len(items)))


def make_prose(choices: Choices) -> dict[str, Any]:
    """Make annotations."""
    if not choices.chance(0.3):
        return {}
    drawers: dict[str, Callable[[], Any]] = {
        "title": lambda: choices.pick(TEXTS),
        "description": lambda: choices.pick(TEXTS),
        "$comment": lambda: choices.pick(TEXTS),
        "default": lambda: deepcopy(choices.pick(VALUES)),
        "examples": lambda: deepcopy(choices.some(VALUES, 0, 3)),
        "deprecated": lambda: True,
        "readOnly": lambda: choices.chance(0.5),
        "x-order": lambda: 3,
        "x-python-type": lambda: "os.system",
        "nullable": lambda: True,
        "discriminator": lambda: {"propertyName": "kind"},
    }
    return {keyword: drawers[keyword]() for keyword in choices.some(list(drawers), 1, 3)}


def make_values(choices: Choices) -> dict[str, Any]:
    """Make `const` or `enum`."""
    if choices.chance(0.35):
        return {"const": deepcopy(choices.pick(VALUES))}
    values = deepcopy(choices.some(VALUES, 1, 5))
    unlike = [v for i, v in enumerate(values) if not any(equal(v, w) for w in values[:i])]
    out: dict[str, Any] = {"enum": unlike}
    if choices.chance(0.3):
        out["type"] = choices.pick(["string", "integer", "number", ["string", "null"], "object"])
    return out


def make_size(choices: Choices) -> int | float:
    """Choose a length or a count."""
    return choices.pick([0, 1, 1, 2, 2, 3, 4, 2.0, 5])


def make_number(choices: Choices) -> dict[str, Any]:
    """Make the keywords of numbers."""
    bounds = ["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"]
    out: dict[str, Any] = {}
    if choices.chance(0.4):
        out |= {keyword: choices.pick(NUMBERS) for keyword in choices.some(bounds, 1, 2)}
    if choices.chance(0.15):
        out["multipleOf"] = choices.pick(STEPS)
    return out


def make_string(choices: Choices) -> dict[str, Any]:
    """Make the keywords of strings."""
    out: dict[str, Any] = {}
    for keyword, share, draw in (
        ("minLength", 0.2, lambda: make_size(choices)),
        ("maxLength", 0.2, lambda: make_size(choices)),
        ("pattern", 0.2, lambda: choices.pick(PATTERNS)),
        ("format", 0.15, lambda: choices.pick(FORMATS)),
        ("contentEncoding", 0.1, lambda: choices.pick(["base64", "base64", "base64url", "base32"])),
        ("contentMediaType", 0.05, lambda: choices.pick(["application/json", "image/png", "text/html; a=b"])),
    ):
        if choices.chance(share):
            out[keyword] = draw()
    if choices.chance(0.03):
        out["contentSchema"] = {"type": "object"}
    return out
