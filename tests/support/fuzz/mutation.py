"""Changes to fuzzed input: of JSON by its structure, of text by parts that mean something, and of bytes."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from random import Random
from typing import Any

from support.injection.payloads import PAYLOADS

MOST = 64 * 1024
"""Bytes of one input."""
NAMES: tuple[str, ...] = (
    *("", "$ref", "$defs", "$id", "$anchor", "$dynamicRef", "$schema", "__proto__", "__class__", "classmethod"),
    *("type", "properties", "items", "result", "content", "structuredContent", "isError", "_meta", "model_config"),
    *("List[Item]", "Response<User>", "Größe", "a%b", "%2F", "~1", "a/b", "..", "self", "None", "class", "\u200b"),
    *("\x00", "\x1b[31m", "\x9b31m", "\u202e", "::error::x", "\r\n", "\ud800", "a" * 300, "😀", "ﬁ", "x-mcpgen"),
)
KEYWORDS: dict[str, tuple[Any, ...]] = {
    "type": ("object", "array", "string", "integer", "number", "null", ["string", "null"], [], "text"),
    "$ref": ("#", "#/$defs/A", "#/properties/a", "#/", "#/%", "file:///etc/passwd", "https://example.com/x", "a.json"),
    "enum": ([], [1, 1.0], [None], ["a"] * 3, [{}, []], [True, 1]),
    "const": (None, 1, 1.0, {"a": []}),
    "pattern": ("(a+)+$", "(?=.*z)x", "[", "\\p{L}", "(a)\\1", "^" + "a?" * 30),
    "required": ([], ["a"], ["a", "a"], [""], "a"),
    "properties": ({}, {"a": {"$ref": "#"}}, {"": True}, {"classmethod": {"type": "string"}}),
    "additionalProperties": (False, True, {"$ref": "#"}),
    "items": (False, {"$ref": "#"}, [{}]),
    "prefixItems": ([], [{"$ref": "#"}]),
    "allOf": ([{"$ref": "#"}], [{}, False]),
    "anyOf": ([{"$ref": "#"}, {"type": "null"}], []),
    "oneOf": ([{"type": "string"}, {"$ref": "#"}],),
    "not": ({}, {"$ref": "#"}),
    "multipleOf": (0, 1e-300, 0.1, -1),
    "minimum": (1e308, -(10**400), "1"),
    "minLength": (-1, 2**64, 1.5, 2.0),
    "$schema": ("http://json-schema.org/draft-07/schema#", "https://json-schema.org/draft/2020-12/schema", "x", 1),
    "$id": ("", "#", "urn:a", "https://example.com/a", "a b"),
    "$defs": ({"A": {"$ref": "#/$defs/A"}}, {"A": {}}, []),
    "unevaluatedProperties": (False,),
    "format": ("date-time", "regex", "x"),
    "contentEncoding": ("base64",),
    "x-mcpgen": ({"content": "template"}, {"content": "items"}, {"name": "class"}, {"wrap": "x"}, []),
    "uriTemplate": ("a://{x}", "a://{+x}{?y,z}", "{", "a://{x*}"),
}
ATOMS: tuple[Any, ...] = (
    *(None, True, False, 0, 1, -1, 1.0, 0.1, -0.0, 1e308, 2**53, 2**63, 2**64, 10**400, 5e-324),
    *("", "a", "object", "2020-01-01", "=" * 5, [], {}, [[]], {"": {}}),
    *NAMES,
    *PAYLOADS,
)
PARTS: tuple[str, ...] = (
    *("{{ ", " }}", "{% for x in a %}", "{% endfor %}", "{% if a %}", "{% endif %}", "{#", "#}", "{%-", "|", "loop."),
    *("{", "}", "[", "]", '"', "'", ",", ":", "\n", "\t", "\\", "%", "&a ", "*a", "<<: ", "- ", "? ", "!!", "---\n"),
    *(
        '"""',
        "[[",
        "]]",
        "= ",
        "[tool.mcpgen]\n",
        "limits.seconds = 1e300\n",
        'out = "a\\u0000b"\n',
        "schemas = [",
        "{?",
        "{+",
        "{;",
        "%25",
    ),
    *(
        "(" * 40,
        "[" * 3000,
        "{" * 400,
        "{a=" * 1500,
        "a." * 200,
        "not " * 200,
        "\ufeff",
        "\x00",
        "\u2028",
        "\x85",
        "1e999",
        "-" * 50,
    ),
)


def parse(data: bytes) -> Any:
    """Return the JSON value of bytes.

    Raises:
        ValueError: they are none, or too deep for a parser that recurses.
    """
    try:
        return json.loads(data.decode("utf-8", "surrogatepass"))
    except RecursionError as error:
        raise ValueError("too deep") from error


def dumped(value: Any) -> bytes:
    """Return the JSON text of a value, empty where it is too deep to be written."""
    try:
        return json.dumps(value, ensure_ascii=False).encode("utf-8", "surrogatepass")
    except (RecursionError, ValueError):
        return b""


def mutated(data: bytes, random: Random, other_inputs: Sequence[bytes] = (), most: int = MOST) -> bytes:
    """Return a change of an input.

    Args:
        data: what is changed.
        random: what chooses.
        others: inputs of which parts may be taken.
        most: how many bytes may come out.
    """
    out = data
    for _ in range(random.choice((1, 1, 1, 2, 4))):
        out = _once(out, random, other_inputs)
    return out[:most]


def _once(data: bytes, random: Random, other_inputs: Sequence[bytes]) -> bytes:
    if random.random() < 0.85:
        try:
            value = parse(data)
        except ValueError:
            return changed_text(data.decode("utf-8", "replace"), random).encode("utf-8", "surrogatepass")
        return dumped(_changed(value, random, other_inputs)) or data
    return _changed_bytes(data, random, other_inputs)


# --- JSON ------------------------------------------------------------------------------------------------------------
def _places(value: Any) -> list[tuple[Any, Any]]:
    """Return every place in a value: the container and the key or index; the root is in a list of its own."""
    root = [value]
    out: list[tuple[Any, Any]] = [(root, 0)]
    for holder, key in out:  # grows meanwhile
        inner = holder[key]
        if isinstance(inner, dict):
            out.extend((inner, name) for name in inner)
        elif isinstance(inner, list):
            out.extend((inner, index) for index in range(len(inner)))
        if len(out) > 20_000:
            break
    return out


def _changed(value: Any, random: Random, other_inputs: Sequence[bytes]) -> Any:
    places = _places(value)
    root = places[0][0]
    holder, key = random.choice(places)
    random.choice(_CHANGES)(holder, key, random, lambda: _elsewhere(places, random, other_inputs))
    return root[0]


def _elsewhere(places: list[tuple[Any, Any]], random: Random, other_inputs: Sequence[bytes]) -> Any:
    """Return a copy of a part of this input, or of another."""
    if other_inputs and random.random() < 0.5:
        try:
            places = _places(parse(random.choice(other_inputs)))
        except ValueError:
            return random.choice(ATOMS)
    holder, key = random.choice(places)
    return _copy(holder[key])


Change = Callable[[Any, Any, Random, Callable[[], Any]], None]


def _atom(holder: Any, key: Any, random: Random, part: Callable[[], Any]) -> None:
    holder[key] = _copy(random.choice(ATOMS))


def _spliced(holder: Any, key: Any, random: Random, part: Callable[[], Any]) -> None:
    holder[key] = part()


def _nested(holder: Any, key: Any, random: Random, part: Callable[[], Any]) -> None:
    for _ in range(random.choice((1, 2, 8, 40, 250))):
        holder[key] = random.choice(([holder[key]], {"a": holder[key]}, {"next": holder[key]}))


def _repeated(holder: Any, key: Any, random: Random, part: Callable[[], Any]) -> None:
    inner, times = holder[key], random.choice((2, 3, 10, 100))
    size = len(dumped(inner))
    if isinstance(inner, str):
        holder[key] = inner * times
    elif size * times < MOST:
        holder[key] = [_copy(inner) for _ in range(times)]


def _renamed(holder: Any, key: Any, random: Random, part: Callable[[], Any]) -> None:
    if isinstance(holder, dict):
        name = random.choice((*NAMES, *KEYWORDS, *holder))
        renamed = {name if entry == key else entry: item for entry, item in holder.items()}
        holder.clear()
        holder.update(renamed)


def _removed(holder: Any, key: Any, random: Random, part: Callable[[], Any]) -> None:
    if isinstance(holder[key], dict | list) and holder[key]:
        inner = holder[key]
        del inner[random.choice([*inner]) if isinstance(inner, dict) else random.randrange(len(inner))]


def _keyword(holder: Any, key: Any, random: Random, part: Callable[[], Any]) -> None:
    if isinstance(holder[key], dict):
        name = random.choice([*KEYWORDS])
        holder[key][name] = _copy(random.choice(KEYWORDS[name])) if random.random() < 0.7 else part()


def _member(holder: Any, key: Any, random: Random, part: Callable[[], Any]) -> None:
    if isinstance(holder[key], dict):
        holder[key][random.choice(NAMES)] = part()
    elif isinstance(holder[key], list):
        holder[key].insert(random.randint(0, len(holder[key])), part())


def _text(holder: Any, key: Any, random: Random, part: Callable[[], Any]) -> None:
    if isinstance(holder[key], str):
        holder[key] = changed_text(holder[key], random)
    elif isinstance(holder[key], int | float) and not isinstance(holder[key], bool):
        holder[key] = random.choice((-holder[key], holder[key] + 1, str(holder[key]), [holder[key]]))


_CHANGES: tuple[Change, ...] = (
    *(_atom, _spliced, _nested, _repeated, _renamed, _removed, _keyword, _keyword, _member),
    *(_text, _text, _text),
)


def _copy(value: Any) -> Any:
    """Return a copy, without recursion: a value can be deeper than what is written of it."""
    root: list[Any] = [value]
    holders: list[Any] = [root]
    for holder in holders:  # grows meanwhile
        for key, item in holder.items() if isinstance(holder, dict) else enumerate(holder):
            if isinstance(item, dict | list):
                holder[key] = item.copy()
                holders.append(holder[key])
    return root[0]


# --- text and bytes --------------------------------------------------------------------------------------------------
def changed_text(text: str, random: Random) -> str:
    """Return a text with a part put in, taken out, doubled or moved."""
    at, end = sorted((random.randint(0, len(text)), random.randint(0, len(text))))
    end = min(end, at + random.choice((1, 5, 50)))
    match random.randrange(6):
        case 0 | 1:
            return text[:at] + random.choice((*PARTS, *NAMES)) + text[at:]
        case 2:
            return text[:at] + text[end:]
        case 3:
            return text[:end] + text[at:end] * random.choice((1, 3, 100)) + text[end:]
        case 4:
            return text[:at] + random.choice(PARTS) + text[end:]
        case _:
            lines = text.split("\n")
            random.shuffle(lines)
            return "\n".join(lines)


def _changed_bytes(data: bytes, random: Random, other_inputs: Sequence[bytes]) -> bytes:
    at = random.randint(0, len(data))
    match random.randrange(5):
        case 0:
            return data[:at] + random.randbytes(random.choice((1, 1, 4))) + data[at:]
        case 1:
            return data[:at] + data[at + random.choice((1, 4, 40)) :]
        case 2:
            return data[:at] + bytes([random.randrange(256)]) + data[at + 1 :]
        case 3:
            other_input = random.choice(other_inputs) if other_inputs else data
            return data[:at] + other_input[random.randint(0, len(other_input)) :]
        case _:
            return data[:at]


def stream(seeds: Sequence[bytes], random: Random, most: int = MOST) -> Iterator[bytes]:
    """Yield the seeds, and then changes of them and of their changes, without end."""
    pool = list(seeds)
    yield from pool
    while True:
        item = mutated(random.choice(pool), random, pool, most)
        yield item
        if random.random() < 0.1 and len(item) < most // 4:
            if len(pool) < 4 * len(seeds) + 50:
                pool.append(item)
            else:
                pool[random.randrange(len(seeds), len(pool))] = item
