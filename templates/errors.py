"""What generated code raises, and what a model may be told of it."""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator
from typing import Any

from pydantic import ValidationError

from .jsonable import NoJsonForm
from .jsonable import pointer as json_pointer


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
        place = json_pointer(_known(error.path, declared))
        public = f"{place}: {error.reason}" if place else error.reason
        return cls(tool, [(error.pointer, error.reason)], public)


def problems_of(error: ValidationError) -> list[tuple[str, str]]:
    """The JSON pointer and the message of each violation."""
    return [(json_pointer(one["loc"]), one["msg"]) for one in error.errors(include_url=False)]


def public_text(error: ValidationError, declared: Container[str]) -> str:
    """What is wrong, in words that hold nothing of the value: of its keys those only that the schema declares."""
    return "; ".join(dict.fromkeys(_public(error, declared)))


def _public(error: ValidationError, declared: Container[str]) -> Iterator[str]:
    for one in error.errors(include_url=False, include_input=False):
        exact = one["type"] in ("json_schema", "json_value")
        tokens = _known(one["loc"], declared)
        pointer = json_pointer(tokens if exact else [token for token in tokens if token != "*"])
        yield f"{pointer}: {_plain(one)}" if pointer else _plain(one)


def _known(path: Iterable[str | int], declared: Container[str]) -> list[str]:
    """Indices and names that the schema declares; `*` for what is the value's own."""
    return [str(one) if isinstance(one, int) or one in declared else "*" for one in path]


_PLAIN = {
    "json_value": "is no JSON value",
    "union_tag_invalid": "has none of the known tags",
    "extra_forbidden": "has an undeclared property",
    "uuid_parsing": "is no UUID",
}


def _plain(one: Any) -> str:
    if one["type"] == "json_schema":
        return f"violates `{one['ctx']['keyword']}`"
    said = _PLAIN.get(one["type"], one["msg"])
    return str(said).replace("Input should", "should")


__all__ = ["ResultError", "ToolCallError", "UnsupportedProtocol", "problems_of", "public_text"]
