"""Parse TOML text in bounded time, with the position of a syntax error."""

from __future__ import annotations

import re
import tomllib
from typing import Any

MAX_KEY_PARTS = 100
"""Parts of one dotted key. The time that `tomllib` takes is quadratic in them."""
_QUOTED_STRING = re.compile(r"\"(?:[^\"\\\n]|\\.)*\"|'[^'\n]*'")
_DOTTED_KEY = re.compile(r"[\w. \t-]+")
_POSITION = re.compile(r" \(at line (\d+), column (\d+)\)")


class InvalidToml(ValueError):
    """Text that is not valid TOML, or nested more deeply than is sensible. `line` and `column` count from 1."""

    def __init__(self, message: str, line: int, column: int) -> None:
        super().__init__(message)
        self.message, self.line, self.column = message, line, column

    def __reduce__(self) -> tuple[object, ...]:
        return type(self), (self.message, self.line, self.column), self.__dict__


def parse_toml(text: str) -> dict[str, Any]:
    """Return the table that TOML text describes.

    Raises:
        InvalidToml: The text is not valid TOML, or nested too deeply.
    """
    for number, line in enumerate(text.split("\n"), 1):
        if line.count(".") > MAX_KEY_PARTS:
            for key in _DOTTED_KEY.finditer(_QUOTED_STRING.sub("s", line)):
                if key[0].count(".") > MAX_KEY_PARTS:
                    raise InvalidToml(f"a key of more than {MAX_KEY_PARTS} parts", number, 1)
    try:
        return tomllib.loads(text)
    except RecursionError:
        raise InvalidToml("nested too deeply", 1, 1) from None
    except tomllib.TOMLDecodeError as error:
        message = str(error)
        position = _POSITION.search(message)
        if position is None:  # at the end of the text
            lines = text.rstrip("\n").split("\n")
            raise InvalidToml(message.split(" (at")[0], len(lines), len(lines[-1]) + 1) from None
        raise InvalidToml(message.split(" (at")[0], int(position[1]), int(position[2])) from None
    except ValueError as error:  # a number of more digits than Python reads
        lines = text.rstrip("\n").split("\n")
        raise InvalidToml(str(error), len(lines), len(lines[-1]) + 1) from None
