"""Results as they go over the wire."""

from __future__ import annotations

import json
from typing import Any


def wire(result: Any) -> Any:
    """Return a result as it goes over the wire: what was set, under the wire's names."""
    return result.model_dump(mode="json", by_alias=True, exclude_unset=True)


def parse_texts(value: Any) -> Any:
    """Return a result in which texts that hold JSON are its values, so that they compare as JSON."""
    if isinstance(value, dict):
        return {key: _parse_text(item) if key == "text" else parse_texts(item) for key, item in value.items()}
    return [parse_texts(item) for item in value] if isinstance(value, list) else value


def _parse_text(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return text
