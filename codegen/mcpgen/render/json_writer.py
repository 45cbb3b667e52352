"""Write JSON as a package's files contain it, from parts that may come from the cache."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass

from mcpgen.schema.values import Json


@dataclass(frozen=True)
class JsonText:
    """A JSON value in two notations."""

    canonical: str
    """On one line with sorted names, for hashes."""
    readable: str
    """One entry a line, indented by one space a level, in ASCII."""


def render_json_value(value: Json) -> JsonText:
    """Return the text of a value."""
    canonical = json.dumps(value, sort_keys=True, separators=(",", ":"))
    return JsonText(canonical, json.dumps(value, indent=1))


def render_json_object(values: Mapping[str, JsonText]) -> JsonText:
    """Return the text of an object."""
    canonical = ",".join(f"{json.dumps(name)}:{values[name].canonical}" for name in sorted(values))
    entries = [f"{json.dumps(name)}: {value.readable}" for name, value in values.items()]
    if not entries:
        return JsonText("{}", "{}")
    body = ",\n".join(entries).replace("\n", "\n ")  # strings contain no line break: JSON escapes it
    return JsonText(f"{{{canonical}}}", f"{{\n {body}\n}}")
