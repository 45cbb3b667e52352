"""JSON pointers (RFC 6901)."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any, cast

_ARRAY_INDEX = re.compile("0|[1-9][0-9]{0,8}")


def format_pointer(tokens: Iterable[str | int]) -> str:
    """Return the JSON pointer of these members and indices; without any, the empty string, for the whole document."""
    return "".join("/" + str(token).replace("~", "~0").replace("/", "~1") for token in tokens)


def parse_pointer(pointer: str) -> list[str]:
    """Return the members and indices of a JSON pointer."""
    return [token.replace("~1", "/").replace("~0", "~") for token in pointer.split("/")[1:]]


def follow_pointer(document: Any, pointer: str) -> Any:
    """Return the value at a JSON pointer.

    Raises:
        KeyError: there is no value.
    """
    value = document
    for key in parse_pointer(pointer):
        if isinstance(value, dict):
            value = cast(Any, value)[key]
        elif isinstance(value, list) and _ARRAY_INDEX.fullmatch(key) and int(key) < len(cast(Any, value)):
            value = cast(Any, value)[int(key)]
        else:
            raise KeyError(key)
    return value


__all__ = ["follow_pointer", "format_pointer", "parse_pointer"]
