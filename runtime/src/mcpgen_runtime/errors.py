"""Errors that generated code raises, and the part of their messages that a model may see."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Sequence
from typing import Any, NoReturn, TypeVar

from pydantic import ValidationError
from pydantic_core import InitErrorDetails, PydanticCustomError

from .violations import MOST_PROBLEMS, Problem, cut_text, format_pointer, make_visible, shorten_path, shorten_problem

T = TypeVar("T")


class NoJsonForm(ValueError):
    """Raised for values that JSON cannot represent: NaN, infinities, lone surrogates, cycles, keys that become equal.

    `pointer` is the JSON pointer of the place, `reason` the problem; `subject` may name the owner of the value. The
    message shows a long pointer without its middle.
    """

    def __init__(self, reason: str, subject: str = "") -> None:
        super().__init__(reason)
        self.reason, self.subject = reason, subject
        self._path: list[str | int] = []

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.reason, self.subject), self.__dict__

    @property
    def path(self) -> list[str | int]:
        """Members and indices that lead to the place."""
        return self._path[::-1]

    @property
    def pointer(self) -> str:
        """Return the JSON pointer of the place."""
        return format_pointer(self.path)

    def __str__(self) -> str:
        return ": ".join(part for part in (self.subject, self.format_place(), self.reason) if part)

    def format_place(self, most: int = 1_000) -> str:
        """Return the JSON pointer of the place, shortened to about `most` bytes of UTF-8."""
        return format_pointer(shorten_path(self.path, most))

    def inside(self, token: str | int) -> None:
        """Record that the place is inside this member or index."""
        self._path.append(token)


class NoJsonType(NoJsonForm, TypeError):
    """Raised for an object that has neither data nor attributes."""

    @classmethod
    def of_class(cls, name: str) -> NoJsonType:
        """Make the error for an object of a class."""
        return cls(f"a value of type {name} has no JSON form")


def get_json_value(value: Any) -> Any:
    """Return the JSON value of a generated instance.

    Raises:
        NoJsonForm: it was changed after construction, and its class cannot write it.
    """
    return write_instance(value, value.to_structured_content)


BEYOND_STACK = "nested too deeply, beyond the limit of Python's stack"
"""Message for values that cannot even be visited."""


def write_instance(instance: object, write: Callable[[], T]) -> T:
    """Call a method of a generated instance that writes it.

    Raises:
        NoJsonForm: the method failed, since the instance was changed after construction.
    """
    try:
        return write()
    except NoJsonForm:
        raise
    except RecursionError:
        raise NoJsonForm(BEYOND_STACK) from None
    except Exception as error:  # a changed instance may cause any error
        name, why = type(instance).__name__, type(error).__name__
        raise NoJsonForm(f"the {name} cannot be written as it is now ({why})") from error


class MissingValue(AttributeError):
    """Raised when reading a member that an invalid result lacks; `pointer` is its JSON pointer in the result."""

    def __init__(self, pointer: str) -> None:
        super().__init__(f"the result has nothing at {pointer}, although its outputSchema requires it")
        self.pointer = pointer

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.pointer,), self.__dict__


class IncompleteMembers(dict[str, Any]):
    """The attributes of an instance that lacks some: reading a missing one raises `MissingValue`, never KeyError."""

    def __init__(self, values: dict[str, Any], wires: dict[str, str], path: tuple[str | int, ...]) -> None:
        super().__init__(values)
        self._wires, self._path = wires, path
        """The wire names of the missing ones by attribute; the path of the instance in the result."""

    def __missing__(self, name: str) -> NoReturn:
        if name not in self._wires:
            raise KeyError(name)
        raise MissingValue(format_pointer((*self._path, self._wires[name])))

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (dict(self), self._wires, self._path)

    def __copy__(self) -> IncompleteMembers:
        return IncompleteMembers(self, self._wires, self._path)

    def raise_missing(self, name: str) -> None:
        """Raise `MissingValue` if an attribute is missing."""
        if name in self._wires and name not in self:
            self.__missing__(name)


class UnsupportedProtocol(ValueError):
    """Raised when the SDK's types cannot express a result of the protocol version."""


class ToolCallError(Exception):
    """Raised when a tool answered with `isError`; `text` is its message to the model, `result` the whole answer."""

    def __init__(self, tool: str, text: str, result: object) -> None:
        message = f"{tool}: {text}" if text else f"{tool} failed without a message"
        super().__init__(cut_text(message, LOG_BYTES))
        self.tool, self.text, self.result = tool, text, result

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.tool, self.text, self.result), self.__dict__


class ToolChangedError(Exception):
    """Raised instead of calling a tool that does not match the pin; `changes` describes what has changed."""

    def __init__(self, tool: str, changes: str) -> None:
        super().__init__(cut_text(f"{tool} is not as pinned, so it was not called: {changes}", LOG_BYTES))
        self.tool, self.changes = tool, changes

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.tool, self.changes), self.__dict__


class ResultError(ValueError):
    """Raised when a handler's value, or what a client received, does not fit its tool or its resource.

    `tool` is the name of the tool or resource, `problems` are pairs of a JSON pointer and a message. `public` has the
    same content without any text from the value. For a client, `result` is the whole answer.
    """

    def __init__(
        self, tool: str, problems: list[tuple[str, str]], public: str | None = None, result: object = None
    ) -> None:
        texts = [": ".join(filter(None, problem)) for problem in problems]
        text = "; ".join(texts)
        super().__init__(cut_text(f"{tool}: {text}", _PROBLEMS_BYTES))
        self.tool, self.problems, self.result = tool, problems, result
        self.public = text if public is None else public

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.tool, self.problems, self.public, self.result), self.__dict__

    @classmethod
    def of_problems(cls, tool: str, problems: Sequence[Problem], declared: Container[str]) -> ResultError:
        """Make the error for a value that violates a schema; the public text has declared names alone."""
        most, public_most = divide_bytes(len(problems)), PUBLIC_BYTES // len(problems) - 4
        listed: list[tuple[str, str]] = []
        public: dict[str, None] = {}
        for problem in problems:
            path, message = shorten_problem(problem.path, problem.message, most)
            pointer, masked = format_pointer(path), tuple(_mask_unknown(path, declared))
            listed.append((pointer, message))
            public_path, message = shorten_problem(masked, problem.expected, public_most)
            if public_path != path:
                pointer = format_pointer(public_path)
            public[f"{pointer}: {message}" if pointer else message] = None
        return cls(tool, listed, "; ".join(public))

    @classmethod
    def of(cls, tool: str, error: NoJsonForm, declared: Container[str]) -> ResultError:
        """Make the error for a value that JSON cannot represent."""
        place = format_pointer(shorten_path(_mask_unknown(error.path, declared), PUBLIC_BYTES // 2))
        reason = cut_text(error.reason, PUBLIC_BYTES // 2)
        public = f"{place}: {reason}" if place else reason
        return cls(tool, [(error.format_place(), reason)], public)


LOG_BYTES, MODEL_BYTES = 4_096, 1_024
"""Maximum bytes of UTF-8 of a message in a log, and to a model."""
_PROBLEMS_BYTES, PUBLIC_BYTES = 3_600, 900
"""The same, without the text around the violations."""


def shorten_error(error: ValidationError) -> ValidationError:
    """Return a pydantic error with only the first violations, with long strings cut and every character visible."""
    errors = error.errors(include_url=False)
    if len(errors) <= MOST_PROBLEMS and cut_text(text := str(error), LOG_BYTES) == text:
        tokens = [str(token) for detail in errors for token in detail["loc"]]
        if all(make_visible(token) == token for token in tokens):
            return error
    most = divide_bytes(MOST_PROBLEMS)
    lines: list[InitErrorDetails] = []
    for detail in errors[:MOST_PROBLEMS]:
        path, message = shorten_problem(detail["loc"], detail["msg"], most)
        lines.append(_reword(detail, path, message))
    return ValidationError.from_exception_data(error.title, lines)


def divide_bytes(problems: int) -> int:
    """Return the maximum bytes of each violation's path and message in a pydantic error of `problems` violations."""
    return _PROBLEMS_BYTES // problems - _INPUT_BYTES


_INPUT_BYTES = 280
"""Maximum bytes of pydantic's description of an input: its kind, its type and an excerpt of 50 characters."""


def move_error(error: ValidationError, place: tuple[str | int, ...]) -> ValidationError:
    """Return a pydantic error about a part of a value as one about the whole value; `place` leads to the part."""
    lines: list[InitErrorDetails] = []
    for detail in error.errors(include_url=False):
        lines.append(_reword(detail, (*place, *detail["loc"]), detail["msg"]))
    return ValidationError.from_exception_data(error.title, lines)


def _reword(detail: Any, path: tuple[str | int, ...], message: str) -> InitErrorDetails:
    """Return one of pydantic's errors with another path and message."""
    context = {**detail.get("ctx", {}), "message": message}
    kind = PydanticCustomError(detail["type"], "{message}", context)
    return {"type": kind, "loc": path, "input": detail["input"]}


def list_problems(error: ValidationError) -> list[tuple[str, str]]:
    """Return the JSON pointer and the message of each of the first violations, in at most 3,600 bytes."""
    errors = error.errors(include_url=False, include_input=False)[:MOST_PROBLEMS]
    most = _PROBLEMS_BYTES // len(errors)
    short = (shorten_problem(detail["loc"], detail["msg"], most) for detail in errors)
    return [(format_pointer(path), message) for path, message in short]


def format_public(error: ValidationError, declared: Container[str]) -> str:
    """Describe an error without any text from the value, except for keys that the schema declares."""
    errors = error.errors(include_url=False, include_input=False)[:MOST_PROBLEMS]
    most = PUBLIC_BYTES // len(errors) - 4
    return "; ".join(dict.fromkeys(_format_public_error(detail, declared, most) for detail in errors))


def _format_public_error(detail: Any, declared: Container[str], most: int) -> str:
    exact = detail["type"] in ("json_schema", "json_value")
    tokens = _mask_unknown(detail["loc"], declared)
    path = tokens if exact else [token for token in tokens if token != "*"]
    short, message = shorten_problem(path, _describe_error(detail), most)
    pointer = format_pointer(short)
    return f"{pointer}: {message}" if pointer else message


def _mask_unknown(path: Iterable[str | int], declared: Container[str]) -> list[str]:
    """Return a path's tokens with undeclared names replaced by `*`."""
    return [str(token) if isinstance(token, int) or token in declared or token == "…" else "*" for token in path]


_PLAIN_MESSAGES = {
    "json_value": "is not a JSON value",
    "union_tag_invalid": "has none of the known tags",
    "extra_forbidden": "has an undeclared property",
    "uuid_parsing": "is not a UUID",
}


def _describe_error(detail: Any) -> str:
    if detail["type"] == "json_schema":
        return str(detail["ctx"]["expected"])
    message = _PLAIN_MESSAGES.get(detail["type"], detail["msg"])
    return str(message).replace("Input should", "should")
