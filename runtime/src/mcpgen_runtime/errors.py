"""Errors that callers catch, and texts about values that are wrong, in bounded length."""

from __future__ import annotations

import copyreg
import json
import re
from collections.abc import Callable, Container, Iterable, Sequence
from functools import partial
from typing import Any, NamedTuple, NoReturn, Self, TypeAlias, TypeVar, cast

from pydantic import BaseModel, ValidationError
from pydantic_core import InitErrorDetails, PydanticCustomError

_Path: TypeAlias = Sequence[str | int]
_Place: TypeAlias = tuple[str | int, ...]  # members and indices that lead to a place


# --- JSON pointers ---------------------------------------------------------------------------------------------------
_ARRAY_INDEX = re.compile("0|[1-9][0-9]{0,8}")


def format_pointer(tokens: Iterable[str | int]) -> str:
    """Return the JSON pointer of these members and indices; without any, the empty string, for the whole document."""
    texts = [*map(str, tokens)]
    pointer = "/".join(["", *texts])
    if "~" not in pointer and pointer.count("/") == len(texts):
        return pointer  # nothing to escape
    return "".join("/" + text.replace("~", "~0").replace("/", "~1") for text in texts)


def parse_pointer(pointer: str) -> list[str]:
    """Return the members and indices of a JSON pointer."""
    return [token.replace("~1", "/").replace("~0", "~") for token in pointer.split("/")[1:]]


def follow_pointer(document: Any, pointer: str) -> Any:
    """Return the value at a JSON pointer, or raise KeyError: there is none."""
    value = document
    for key in parse_pointer(pointer):
        if isinstance(value, dict):
            value = cast(Any, value)[key]
        elif isinstance(value, list) and _ARRAY_INDEX.fullmatch(key) and int(key) < len(cast(Any, value)):
            value = cast(Any, value)[int(key)]
        else:
            raise KeyError(key)
    return value


# --- problems --------------------------------------------------------------------------------------------------------
MOST_PROBLEMS = 5  # violations in an error


class Problem(NamedTuple):
    """One violation."""

    path: _Place
    """Members and indices that lead to the place in the value."""
    keyword: str
    """Violated keyword of the schema."""
    expected: str
    """What the schema requires, without any text of the value."""
    found: str = ""
    """What the value has instead, shortened."""

    @property
    def message(self) -> str:
        """Text of what is expected and what was found."""
        return f"{self.expected}, got {self.found}" if self.found else self.expected


def find_position(path: _Path, value: Any, numbers: dict[int, dict[str | int, int]]) -> tuple[int, ...]:
    """Return the position of a place in a value; an absent member comes after the others of its object."""
    position: list[int] = []
    for token in path:
        if isinstance(value, list | tuple) and isinstance(token, int):
            position.append(token)
            value = cast(Any, value)[token] if token < len(cast(Any, value)) else None
            continue
        members = cast(dict[str | int, Any], value) if isinstance(value, dict) else {}
        if id(members) not in numbers and members:
            numbers[id(members)] = dict(zip(members, range(len(members)), strict=True))
        position.append(numbers[id(members)][token] if token in members else len(members))
        value = members.get(token)
    return tuple(position)


def sort_by_place(problems: Iterable[Problem], value: Any) -> list[Problem]:
    """Return problems in the order of their places in a value; those of absent members come after those of others."""
    numbers: dict[int, dict[str | int, int]] = {}
    return sorted(problems, key=lambda problem: find_position(problem.path, value, numbers))


# --- texts -----------------------------------------------------------------------------------------------------------
_EXCERPT_LENGTH, _CUT_BYTES = 60, len("…".encode())
"""Maximum characters of a name or a value in a message; bytes of the mark where text was cut."""


def shorten_excerpt(text: str) -> str:
    """Cut a name or a value for a message."""
    return text if len(text) <= _EXCERPT_LENGTH else f"{text[: _EXCERPT_LENGTH - 1]}…"


def format_count(number: Any, noun: str) -> str:
    """Return a number with its noun."""
    return f"{format_short(number)} {noun}" if number == 1 else f"{format_short(number)} {noun}s"


def format_short(value: Any) -> str:
    """Return the JSON text of a value from the schema, shortened."""
    if isinstance(value, dict | list):
        return describe_value(cast(Any, value))
    return shorten_excerpt(json.dumps(value, ensure_ascii=False))


def describe_value(value: Any) -> str:
    """Describe a value in a few words."""
    match value:
        case str() if len(value) > _EXCERPT_LENGTH:
            start = json.dumps(value[: _EXCERPT_LENGTH // 2], ensure_ascii=False)
            return f"a string of {len(value)} characters that starts with {start}"
        case int() if not isinstance(value, bool) and abs(value) >= 10**40:
            return "a very large integer"
        case None | bool() | int() | float() | str():
            return json.dumps(value, ensure_ascii=False)
        case dict():
            return f"an object with {format_count(len(cast(Any, value)), 'member')}"
        case list() | tuple():
            return f"an array of {format_count(len(cast(Any, value)), 'item')}"
        case _:
            return f"a {type(value).__name__}"


def cut_text(text: str, most: int) -> str:
    """Cut visible text to at most `most` bytes of UTF-8, between two characters; keep its line breaks."""
    start = re.sub(_UNSAFE_IN_LINES, _escape, text[: most + 1])
    data = start.encode()
    return start if len(data) <= most else data[: most - _CUT_BYTES].decode("utf-8", "ignore") + "…"


def make_visible(text: str) -> str:
    """Make text safe for a terminal and a log: escape characters that move the cursor or end the line."""
    return re.sub(_UNSAFE, _escape, text)


def find_difference(old: str, new: str) -> int:
    """Return the index of the first character in which two strings differ."""
    pairs = enumerate(zip(old, new, strict=False))
    return next((index for index, (a, b) in pairs if a != b), min(len(old), len(new)))


def _escape(match: re.Match[str]) -> str:
    code = ord(match[0])
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


_UNSAFE = (
    r"[\x00-\x1f\x7f-\x9f\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2028-\u202e\u2060-\u2069"
    r"\u3164\ufeff\uffa0\U000e0000-\U000e0fff\ud800-\udfff]"
)
"""Control characters, characters that change the reading direction or are invisible, and lone surrogates, which UTF-8
cannot encode. `re` compiles it when it is first needed, which is not at import."""
_UNSAFE_IN_LINES = _UNSAFE.replace(r"\x00-\x1f", r"\x00-\x08\x0b-\x1f")  # without tabs and line feeds


def shorten_problem(path: _Path, message: str, most: int) -> tuple[_Place, str]:
    """Shorten a path and a message to about `most` bytes together, of which the path takes at most half."""
    text = "/".join([*map(str, path), message])
    if len(text) < most // 8 and text.isascii() and text.isprintable():
        return tuple(path), message  # the usual case
    short = shorten_path(path, most // 2)
    used = sum(len(str(token).encode()) + 1 for token in short)
    return short, cut_text(message, max(most - used, most // 2))


def shorten_path(path: _Path, most: int) -> _Place:
    """Shorten a path of visible tokens to about `most` bytes of UTF-8: keep its start and its end."""
    longest = max(most // 4, _CUT_BYTES)
    tokens = [
        token if isinstance(token, int) else cut_text(make_visible(token[: longest + 1]), longest) for token in path
    ]
    start, end, remaining = 0, len(tokens), most - 1
    while start < end:
        at_start = start <= len(tokens) - end
        token = tokens[start] if at_start else tokens[end - 1]
        remaining -= len(str(token).encode()) + 1
        if remaining < 0:
            return (*tokens[:start], "…", *tokens[end:])
        start, end = (start + 1, end) if at_start else (start, end - 1)
    return tuple(tokens)


def join_problems(problems: Iterable[tuple[str, str]]) -> str:
    """Return pairs of a JSON pointer and a message as one text."""
    texts = map(partial(cast(Any, filter), None), problems)  # without empty pointers
    return "; ".join(map(": ".join, texts))


def shorten_problems(problems: Sequence[tuple[_Path, str]], most: int) -> list[tuple[str, str]]:
    """Return the JSON pointer and the message of each path and message, in about `most` bytes each."""
    short: list[tuple[str, str]] = []
    for path, message in problems:
        short_path, short_message = shorten_problem(path, message, most)
        short.append((format_pointer(short_path), short_message))
    return short


def _join_public(problems: Sequence[tuple[_Path, str]]) -> str:
    return join_problems(dict.fromkeys(shorten_problems(problems, PUBLIC_BYTES // len(problems) - 4)))


def _mask_unknown(path: _Path, declared: Container[str]) -> list[str]:
    """Return a path's tokens with undeclared names replaced by `*`."""
    return [str(token) if isinstance(token, int) or token in declared or token == "…" else "*" for token in path]


# --- errors ----------------------------------------------------------------------------------------------------------
T = TypeVar("T")


class CopiedError(Exception):
    """Base of errors that keep their attributes when they are copied or pickled."""

    def __reduce__(self) -> tuple[Any, ...]:
        return cast(Any, copyreg).__newobj__, (type(self), *self.args), self.__dict__


class NoJsonForm(CopiedError, ValueError):
    """Raised for values that JSON cannot represent: NaN, infinities, lone surrogates, cycles, keys that become equal.

    `pointer` is the JSON pointer of the place, `reason` the problem; `subject` may name the owner of the value. The
    message shows a long pointer without its middle.
    """

    def __init__(self, reason: str, subject: str = "") -> None:
        super().__init__(reason)
        self.reason, self.subject = reason, subject
        self._path: list[str | int] = []

    @property
    def path(self) -> list[str | int]:
        """Members and indices that lead to the place."""
        return self._path[::-1]

    @property
    def pointer(self) -> str:
        """Return the JSON pointer of the place."""
        return format_pointer(self.path)

    def __str__(self) -> str:
        return ": ".join(filter(None, (self.subject, self.format_place(), self.reason)))

    def format_place(self) -> str:
        """Return the JSON pointer of the place, shortened to about 1,000 bytes of UTF-8."""
        return format_pointer(shorten_path(self.path, 1_000))

    def inside(self, token: str | int) -> Self:
        """Record that the place is inside this member or index; return the error."""
        self._path.append(token)
        return self


class NoJsonType(NoJsonForm, TypeError):
    """Raised for an object that has neither data nor attributes."""


def get_json_value(value: Any) -> Any:
    """Return the JSON value of a generated instance, or raise NoJsonForm: it was changed and cannot be written."""
    return write_instance(value, value.to_structured_content)


BEYOND_STACK = "nested too deeply, beyond the limit of Python's stack"
"""Message for values that cannot even be visited."""


def write_instance(instance: object, write: Callable[[], T]) -> T:
    """Call a method that writes a generated instance; it raises NoJsonForm if a changed one cannot be written."""
    try:
        return write()
    except Exception as error:  # a changed instance may cause any error
        raise make_write_error(instance, error) from error


def make_write_error(instance: object, error: Exception) -> NoJsonForm:
    """Return the error for an instance that cannot be written: the one that writing raised, or one that says so."""
    if isinstance(error, NoJsonForm | RecursionError):
        return error if isinstance(error, NoJsonForm) else NoJsonForm(BEYOND_STACK)
    return NoJsonForm(f"the {type(instance).__name__} cannot be written as it is now ({type(error).__name__})")


class MissingValue(CopiedError, AttributeError):
    """Raised when reading a member that an invalid result lacks; `pointer` is its JSON pointer in the result."""

    def __init__(self, pointer: str) -> None:
        super().__init__(f"the result has nothing at {pointer}, although its outputSchema requires it")
        self.pointer = pointer


class IncompleteMembers(dict[str, Any]):
    """The attributes of an instance that lacks some: reading a missing one raises `MissingValue`, never KeyError."""

    def __init__(self, values: dict[str, Any], wires: dict[str, str], path: _Place) -> None:
        super().__init__(values)
        self._wires, self._path = wires, path
        """The wire names of the missing ones by attribute; the path of the instance in the result."""

    def __missing__(self, name: str) -> NoReturn:
        if name not in self._wires:
            raise KeyError(name)
        raise MissingValue(format_pointer((*self._path, self._wires[name])))

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (dict(self), self._wires, self._path)

    def raise_missing(self, name: str) -> None:
        """Raise `MissingValue` if an attribute is missing."""
        if name in self._wires and name not in self:
            self.__missing__(name)


class UnsupportedProtocol(ValueError):
    """Raised when the SDK's types cannot express a result of the protocol version."""


class ToolCallError(CopiedError):
    """Raised when a tool answered with `isError`; `text` is its message to the model, `result` the whole answer.

    `data` is an instance of the class of the tool's errors; None if the tool declares none, or the answer has no data
    that fits.
    """

    def __init__(self, tool: str, text: str, result: object, data: BaseModel | None = None) -> None:
        message = f"{tool}: {text}" if text else f"{tool} failed without a message"
        super().__init__(cut_text(message, LOG_BYTES))
        self.tool, self.text, self.result, self.data = tool, text, result, data


class TaskFailedError(CopiedError):
    """Raised when a task has no result: it was cancelled, or has failed (`state`); `text` is what the server says."""

    def __init__(self, tool: str, state: str, text: str | None) -> None:
        message = f"{tool}: the task {'was' if state == 'cancelled' else 'has'} {state}"
        super().__init__(cut_text(f"{message}: {text}" if text else message, LOG_BYTES))
        self.tool, self.state, self.text = tool, state, text


class ToolChangedError(CopiedError):
    """Raised instead of calling a tool that does not match the pin; `changes` describes what has changed."""

    def __init__(self, tool: str, changes: str) -> None:
        super().__init__(cut_text(f"{tool} is not as pinned, so it was not called: {changes}", LOG_BYTES))
        self.tool, self.changes = tool, changes


class ResultError(CopiedError, ValueError):
    """Raised when a handler's value, or what a client received, does not fit its tool or its resource.

    `tool` is the name of the tool or resource, `problems` are pairs of a JSON pointer and a message. `public` has the
    same content without any text from the value. For a client, `result` is the whole answer.
    """

    def __init__(
        self, tool: str, problems: list[tuple[str, str]], public: str | None = None, result: object = None
    ) -> None:
        text = join_problems(problems)
        super().__init__(cut_text(f"{tool}: {text}", _PROBLEMS_BYTES))
        self.tool, self.problems, self.result = tool, problems, result
        self.public = text if public is None else public

    @classmethod
    def of_problems(cls, tool: str, problems: Sequence[Problem], declared: Container[str]) -> ResultError:
        """Make the error for a value that violates a schema; the public text has declared names alone."""
        most = divide_bytes(len(problems))
        shown: list[tuple[str, str]] = []
        public: list[tuple[_Path, str]] = []
        for problem in problems:
            path, message = shorten_problem(problem.path, problem.message, most)
            shown.append((format_pointer(path), message))
            public.append((_mask_unknown(path, declared), problem.expected))
        return cls(tool, shown, _join_public(public))

    @classmethod
    def of(cls, tool: str, error: NoJsonForm, declared: Container[str]) -> ResultError:
        """Make the error for a value that JSON cannot represent."""
        place = format_pointer(shorten_path(_mask_unknown(error.path, declared), PUBLIC_BYTES // 2))
        reason = cut_text(error.reason, PUBLIC_BYTES // 2)
        return cls(tool, [(error.format_place(), reason)], join_problems([(place, reason)]))


# --- pydantic's errors -----------------------------------------------------------------------------------------------
LOG_BYTES, MODEL_BYTES = 4_096, 1_024
"""Maximum bytes of UTF-8 of a message in a log, and to a model."""
_PROBLEMS_BYTES, PUBLIC_BYTES = 3_600, 900
"""The same, without the text around the violations."""


def divide_bytes(problems: int) -> int:
    """Return the maximum bytes of each violation's path and message in a pydantic error of `problems` violations."""
    return _PROBLEMS_BYTES // problems - 280  # for pydantic's own description of the input, with 50 characters of it


def make_line(kind: Any, path: _Place, value: object, **context: Any) -> InitErrorDetails:
    """Return one violation of a pydantic error: its type, place and input, and its context with the message."""
    return {"type": PydanticCustomError(kind, "{message}", context), "loc": path, "input": value}


def shorten_error(error: ValidationError) -> ValidationError:
    """Return a pydantic error with only the first violations, with long strings cut and every character visible."""
    errors = error.errors(include_url=False)
    if len(errors) <= MOST_PROBLEMS and cut_text(text := str(error), LOG_BYTES) == text:
        tokens = "".join(str(token) for detail in errors for token in detail["loc"])
        if make_visible(tokens) == tokens:
            return error
    most = divide_bytes(MOST_PROBLEMS)
    return _reword(error, lambda path, message: shorten_problem(path, message, most))


def move_error(error: ValidationError, place: _Place) -> ValidationError:
    """Return a pydantic error about a part of a value as one about the whole value; `place` leads to the part."""
    return _reword(error, lambda path, message: ((*place, *path), message))


def _reword(error: ValidationError, change: Callable[[_Place, str], tuple[_Place, str]]) -> ValidationError:
    lines: list[InitErrorDetails] = []
    for detail in error.errors(include_url=False)[:MOST_PROBLEMS]:
        path, message = change(detail["loc"], detail["msg"])
        context = {**detail.get("ctx", {}), "message": message}
        lines.append(make_line(detail["type"], path, detail["input"], **context))
    return ValidationError.from_exception_data(error.title, lines)


def list_problems(error: ValidationError) -> list[tuple[str, str]]:
    """Return the JSON pointer and the message of each of the first violations, in at most 3,600 bytes."""
    errors = error.errors(include_url=False, include_input=False)[:MOST_PROBLEMS]
    return shorten_problems([(detail["loc"], detail["msg"]) for detail in errors], _PROBLEMS_BYTES // len(errors))


_PLAIN_MESSAGES = {
    "json_value": "is not a JSON value",
    "union_tag_invalid": "has none of the known tags",
    "extra_forbidden": "has an undeclared property",
    "uuid_parsing": "is not a UUID",
}


def format_public(error: ValidationError, declared: Container[str]) -> str:
    """Describe an error without any text from the value, except for keys that the schema declares."""
    problems: list[tuple[list[str], str]] = []
    for detail in cast(Any, error.errors(include_url=False, include_input=False)[:MOST_PROBLEMS]):
        kind, path = str(detail["type"]), _mask_unknown(detail["loc"], declared)
        if kind not in ("json_schema", "json_value"):  # its `loc` also names alternatives
            path = [token for token in path if token != "*"]
        message = str(_PLAIN_MESSAGES.get(kind, detail["msg"])).replace("Input should", "should")
        problems.append((path, detail["ctx"]["expected"] if kind == "json_schema" else message))
    return _join_public(problems)
