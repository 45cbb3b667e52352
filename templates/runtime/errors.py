"""What generated code raises, and what a model may be told of it."""

from __future__ import annotations

from collections.abc import Container, Iterable
from typing import Any, cast

from pydantic import ValidationError
from pydantic_core import InitErrorDetails, PydanticCustomError

from .jsonable import NoJsonForm
from .jsonable import pointer as json_pointer
from .violations import shortened_path


class UnsupportedProtocol(ValueError):
    """The SDK's types cannot say what a protocol version asks for."""


class ToolCallError(Exception):
    """A tool answered with `isError`; `text` is what it told the model, `result` the whole answer."""

    def __init__(self, tool: str, text: str, result: object) -> None:
        super().__init__(f"{tool}: {text}" if text else f"{tool} failed without a message")
        self.tool, self.text, self.result = tool, text, result

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.tool, self.text, self.result), self.__dict__


class ResultError(ValueError):
    """A handler's value does not fit its tool.

    `tool` is the tool's name, `problems` are pairs of a JSON pointer and what is wrong there. `public` says the same
    without any text of the value.
    """

    def __init__(
        self, tool: str, problems: list[tuple[str, str]], public: str | None = None
    ) -> None:
        said = "; ".join(
            f"{pointer}: {reason}" if pointer else reason for pointer, reason in problems
        )
        super().__init__(f"{tool}: {said}")
        self.tool, self.problems = tool, problems
        self.public = said if public is None else public

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.tool, self.problems, self.public), self.__dict__

    @classmethod
    def of(cls, tool: str, error: NoJsonForm, declared: Container[str]) -> ResultError:
        """The error of a value that holds what JSON cannot."""
        place = json_pointer(shortened_path(_known(error.path, declared), _MODEL // 2))
        reason = cut(error.reason, _MODEL // 2)
        public = f"{place}: {reason}" if place else reason
        return cls(tool, [(error.place(), reason)], public)


MOST_PROBLEMS = 5
"""So many violations are told at most."""
_LOG, _MODEL = 3_600, 900
"""Characters of all that is told in a log, and to a model; a few more name the tool."""


def brief(error: ValidationError) -> ValidationError:
    """Return an error of pydantic's with the first violations only, and with what is long in it shortened."""
    found = error.errors(include_url=False)
    if len(found) <= MOST_PROBLEMS and len(repr([one["loc"] for one in found])) <= _LOG // 2:
        return error
    most = _LOG // (2 * MOST_PROBLEMS)
    lines: list[InitErrorDetails] = []
    for one in found[:MOST_PROBLEMS]:
        kind = PydanticCustomError(
            cast(Any, one["type"]), "{message}", {"message": cut(one["msg"], most // 2)}
        )
        path = shortened_path(one["loc"], most)
        lines.append({"type": kind, "loc": path, "input": one["input"]})
    return ValidationError.from_exception_data(error.title, lines)


def problems_of(error: ValidationError) -> list[tuple[str, str]]:
    """Return the JSON pointer and the message of each of the first violations, in at most 3,600 characters."""
    found = error.errors(include_url=False, include_input=False)[:MOST_PROBLEMS]
    most = _LOG // (2 * len(found))
    return [
        (json_pointer(shortened_path(one["loc"], most)), cut(one["msg"], most)) for one in found
    ]


def cut(text: str, most: int) -> str:
    """Return a text in at most so many characters."""
    return text if len(text) <= most else f"{text[: most - 1]}…"


def public_text(error: ValidationError, declared: Container[str]) -> str:
    """What is wrong, in words that hold nothing of the value: of its keys those only that the schema declares."""
    found = error.errors(include_url=False, include_input=False)[:MOST_PROBLEMS]
    most = _MODEL // (2 * len(found)) - 2
    return "; ".join(dict.fromkeys(_public(one, declared, most) for one in found))


def _public(one: Any, declared: Container[str], most: int) -> str:
    exact = one["type"] in ("json_schema", "json_value")
    tokens = _known(one["loc"], declared)
    shown = tokens if exact else [token for token in tokens if token != "*"]
    pointer = json_pointer(shortened_path(shown, most))
    said = cut(_plain(one), most)
    return f"{pointer}: {said}" if pointer else said


def _known(path: Iterable[str | int], declared: Container[str]) -> list[str]:
    """Indices and names that the schema declares; `*` for what is the value's own."""
    return [
        str(one) if isinstance(one, int) or one in declared or one == "…" else "*" for one in path
    ]


_PLAIN = {
    "json_value": "is no JSON value",
    "union_tag_invalid": "has none of the known tags",
    "extra_forbidden": "has an undeclared property",
    "uuid_parsing": "is no UUID",
}


def _plain(one: Any) -> str:
    if one["type"] == "json_schema":
        return str(one["ctx"]["expected"])
    said = _PLAIN.get(one["type"], one["msg"])
    return str(said).replace("Input should", "should")


__all__ = [
    "ResultError",
    "ToolCallError",
    "UnsupportedProtocol",
    "brief",
    "cut",
    "problems_of",
    "public_text",
]
