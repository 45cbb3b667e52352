"""JSON as files of a package hold it, put together from parts that may have been written before."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from mcpgen.schema.values import Json


@dataclass(frozen=True)
class JsonText:
    """A value as JSON, in two forms."""

    canonical: str
    """On one line, names sorted: what a hash is made of."""
    shown: str
    """For people: an entry a line, one space a level, in ASCII."""


def render_json_value(value: Json) -> JsonText:
    """A value's text."""
    canonical = json.dumps(value, sort_keys=True, separators=(",", ":"))
    return JsonText(canonical, json.dumps(value, indent=1))


def render_json_array(items: Iterable[JsonText]) -> JsonText:
    """The text of an array."""
    held = [*items]
    return JsonText(
        f"[{','.join(one.canonical for one in held)}]", _render_entries("[", [one.shown for one in held], "]")
    )


def render_json_object(values: Mapping[str, JsonText]) -> JsonText:
    """The text of an object."""
    canonical = ",".join(f"{json.dumps(name)}:{values[name].canonical}" for name in sorted(values))
    shown = [f"{json.dumps(name)}: {one.shown}" for name, one in values.items()]
    return JsonText(f"{{{canonical}}}", _render_entries("{", shown, "}"))


def _render_entries(opening: str, entries: list[str], closing: str) -> str:
    if not entries:
        return opening + closing
    inner = ",\n".join(entries).replace("\n", "\n ")  # no string holds a line break: JSON writes it as two characters
    return f"{opening}\n {inner}\n{closing}"
