"""Errors that generated code raises, and the texts that a model may see of them."""

from __future__ import annotations

from collections.abc import Container, Iterable
from typing import Any, cast

from pydantic import ValidationError
from pydantic_core import InitErrorDetails, PydanticCustomError

from .json_errors import NoJsonForm
from .json_errors import pointer as json_pointer
from .violations import shorten_path


class UnsupportedProtocol(ValueError):
    """Raised when the SDK's types cannot express a result of the protocol version."""


class ToolCallError(Exception):
    """Raised when a tool answered with `isError`; `text` is its message to the model, `result` the whole answer."""

    def __init__(self, tool: str, text: str, result: object) -> None:
        super().__init__(f"{tool}: {text}" if text else f"{tool} failed without a message")
        self.tool, self.text, self.result = tool, text, result

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.tool, self.text, self.result), self.__dict__


class ResultError(ValueError):
    """Raised when a handler's value does not fit its tool.

    `tool` is the tool's name, `problems` are pairs of a JSON pointer and a message. `public` says the same without any
    text of the value.
    """

    def __init__(
        self, tool: str, problems: list[tuple[str, str]], public: str | None = None
    ) -> None:
        text = "; ".join(
            f"{pointer}: {reason}" if pointer else reason for pointer, reason in problems
        )
        super().__init__(f"{tool}: {text}")
        self.tool, self.problems = tool, problems
        self.public = text if public is None else public

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.tool, self.problems, self.public), self.__dict__

    @classmethod
    def of(cls, tool: str, error: NoJsonForm, declared: Container[str]) -> ResultError:
        """Make the error of a value that JSON cannot hold."""
        place = json_pointer(shorten_path(_mask_unknown(error.path, declared), _MODEL_LENGTH // 2))
        reason = cut_text(error.reason, _MODEL_LENGTH // 2)
        public = f"{place}: {reason}" if place else reason
        return cls(tool, [(error.format_place(), reason)], public)


MOST_PROBLEMS = 5
"""Maximum number of violations in an error."""
_LOG_LENGTH, _MODEL_LENGTH = 3_600, 900
"""Maximum characters of a message in a log, and to a model, without the tool's name."""


def shorten_error(error: ValidationError) -> ValidationError:
    """Return a pydantic error with the first violations only, and with long texts cut."""
    errors = error.errors(include_url=False)
    if (
        len(errors) <= MOST_PROBLEMS
        and len(repr([detail["loc"] for detail in errors])) <= _LOG_LENGTH // 2
    ):
        return error
    most = _LOG_LENGTH // (2 * MOST_PROBLEMS)
    lines: list[InitErrorDetails] = []
    for detail in errors[:MOST_PROBLEMS]:
        kind = PydanticCustomError(
            cast(Any, detail["type"]), "{message}", {"message": cut_text(detail["msg"], most // 2)}
        )
        path = shorten_path(detail["loc"], most)
        lines.append({"type": kind, "loc": path, "input": detail["input"]})
    return ValidationError.from_exception_data(error.title, lines)


def list_problems(error: ValidationError) -> list[tuple[str, str]]:
    """Return the JSON pointer and the message of each of the first violations, in at most 3,600 characters."""
    errors = error.errors(include_url=False, include_input=False)[:MOST_PROBLEMS]
    most = _LOG_LENGTH // (2 * len(errors))
    return [
        (json_pointer(shorten_path(detail["loc"], most)), cut_text(detail["msg"], most))
        for detail in errors
    ]


def cut_text(text: str, most: int) -> str:
    """Cut a text to at most so many characters."""
    return text if len(text) <= most else f"{text[: most - 1]}…"


def format_public(error: ValidationError, declared: Container[str]) -> str:
    """Describe an error without any text of the value: of its keys only those that the schema declares."""
    errors = error.errors(include_url=False, include_input=False)[:MOST_PROBLEMS]
    most = _MODEL_LENGTH // (2 * len(errors)) - 2
    return "; ".join(
        dict.fromkeys(_format_public_error(detail, declared, most) for detail in errors)
    )


def _format_public_error(detail: Any, declared: Container[str], most: int) -> str:
    exact = detail["type"] in ("json_schema", "json_value")
    tokens = _mask_unknown(detail["loc"], declared)
    path = tokens if exact else [token for token in tokens if token != "*"]
    pointer = json_pointer(shorten_path(path, most))
    message = cut_text(_describe_error(detail), most)
    return f"{pointer}: {message}" if pointer else message


def _mask_unknown(path: Iterable[str | int], declared: Container[str]) -> list[str]:
    """Return a path's tokens with undeclared names replaced by `*`."""
    return [
        str(token) if isinstance(token, int) or token in declared or token == "…" else "*"
        for token in path
    ]


_PLAIN_MESSAGES = {
    "json_value": "is no JSON value",
    "union_tag_invalid": "has none of the known tags",
    "extra_forbidden": "has an undeclared property",
    "uuid_parsing": "is no UUID",
}


def _describe_error(detail: Any) -> str:
    if detail["type"] == "json_schema":
        return str(detail["ctx"]["expected"])
    message = _PLAIN_MESSAGES.get(detail["type"], detail["msg"])
    return str(message).replace("Input should", "should")


__all__ = [
    "ResultError",
    "ToolCallError",
    "UnsupportedProtocol",
    "shorten_error",
    "cut_text",
    "list_problems",
    "format_public",
]
