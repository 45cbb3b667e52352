"""Errors that callers catch, and how a violation of a schema is described."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Container, Iterable, Sequence
from typing import Any, NamedTuple, NoReturn, TypeVar, cast

from pydantic import ValidationError
from pydantic_core import InitErrorDetails, PydanticCustomError

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


MOST_PROBLEMS = 5
"""Maximum number of violations in an error."""
_EXCERPT_LENGTH = 60
"""Maximum characters of a name or a value in a message."""


class Problem(NamedTuple):
    """One violation."""

    path: tuple[str | int, ...]
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


def sort_by_place(problems: Iterable[Problem], value: Any) -> list[Problem]:
    """Return problems in the order of their places in a value; those of absent members come after those of others."""
    positions = Positions(value)
    return sorted(problems, key=lambda problem: positions.find(problem.path))


class Positions:
    """Positions of places in a value, which are in the order of the value."""

    def __init__(self, value: Any) -> None:
        self._value = value
        self._members: dict[int, dict[str, int]] = {}
        """The number of each member of an object, by the object's id."""

    def find(self, path: Sequence[str | int]) -> tuple[int, ...]:
        """Return the position of a place; an absent member comes after the others of its object."""
        position: list[int] = []
        value = self._value
        for token in path:
            if isinstance(value, list | tuple) and isinstance(token, int):
                position.append(token)
                value = cast(Any, value)[token] if token < len(cast(Any, value)) else None
                continue
            members = self._number_members(cast(object, value))
            if token not in members:
                position.append(len(members))
                break
            position.append(members[str(token)])
            value = cast(dict[str, Any], value)[str(token)]
        return tuple(position)

    def _number_members(self, value: object) -> dict[str, int]:
        if not isinstance(value, dict):
            return {}
        members = self._members.get(id(cast(object, value)))
        if members is None:
            names = cast(dict[str, Any], value)
            members = self._members[id(cast(object, value))] = dict(zip(names, range(len(names)), strict=True))
        return members


# --- words -----------------------------------------------------------------------------------------------------------
_TYPES = {
    "string": "a string",
    "integer": "an integer",
    "number": "a number",
    "boolean": "true or false",
    "null": "null",
    "object": "an object",
    "array": "an array",
}


def _expect_type(types: Any) -> str:
    names = [types] if isinstance(types, str) else cast(list[str], types)
    return f"should be {' or '.join(map(_TYPES.get, names, names))}"


def _expect_enum(values: list[Any]) -> str:
    listed = ", ".join(format_short(value) for value in values[:5])
    more = f" or one of {len(values) - 5} more values" if len(values) > 5 else ""
    return f"should be one of {listed}{more}" if len(values) != 1 else f"should be {listed}"


EXPECTED: dict[str, Callable[[Any], str]] = {
    "type": _expect_type,
    "enum": _expect_enum,
    "const": lambda value: f"should be {format_short(value)}",
    "minimum": lambda bound: f"should be at least {format_short(bound)}",
    "maximum": lambda bound: f"should be at most {format_short(bound)}",
    "exclusiveMinimum": lambda bound: f"should be greater than {format_short(bound)}",
    "exclusiveMaximum": lambda bound: f"should be less than {format_short(bound)}",
    "multipleOf": lambda divisor: f"should be a multiple of {format_short(divisor)}",
    "minLength": lambda count: f"should have at least {format_count(count, 'character')}",
    "maxLength": lambda count: f"should have at most {format_count(count, 'character')}",
    "minItems": lambda count: f"should have at least {format_count(count, 'item')}",
    "maxItems": lambda count: f"should have at most {format_count(count, 'item')}",
    "minProperties": lambda count: f"should have at least {format_count(count, 'member')}",
    "maxProperties": lambda count: f"should have at most {format_count(count, 'member')}",
    "uniqueItems": lambda _: "should have no two equal items",
    "pattern": lambda pattern: f"should match the pattern {format_short(pattern)}",
}
"""Keywords without subschemas, and what they require."""


def format_count(number: Any, noun: str) -> str:
    """Return a number with its noun."""
    return f"{format_short(number)} {noun}" if number == 1 else f"{format_short(number)} {noun}s"


def format_short(value: Any) -> str:
    """Return the JSON text of a value from the schema, shortened."""
    if isinstance(value, dict | list):
        return describe_value(cast(Any, value))
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= _EXCERPT_LENGTH else f"{text[: _EXCERPT_LENGTH - 1]}…"


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
    if len(data) <= most:
        return start
    return data[: most - len(_CUT)].decode("utf-8", "ignore") + "…"


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


_REORDERING = r"\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069"
_INVISIBLE = (
    r"\xad\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2060-\u2065\u3164\ufeff\uffa0\U000e0000-\U000e0fff"
)
"""Characters that are invisible to people, but that a model reads."""
_UNSAFE = rf"[\x00-\x1f\x7f-\x9f{_REORDERING}{_INVISIBLE}\ud800-\udfff]"
"""Control characters, characters that change the reading direction or are invisible, and lone surrogates, which UTF-8
cannot encode. `re` compiles it when it is first needed, which is not at import."""
_UNSAFE_IN_LINES = _UNSAFE.replace(r"\x00-\x1f", r"\x00-\x08\x0b-\x1f")
"""The same without tabs and line feeds."""
_CUT = "…".encode()


def shorten_problem(path: Sequence[str | int], message: str, most: int) -> tuple[tuple[str | int, ...], str]:
    """Shorten a path and a message to about `most` bytes together, of which the path takes at most half."""
    text = "/".join([*map(str, path), message])
    if len(text) < most // 8 and text.isascii() and text.isprintable():
        return tuple(path), message  # the usual case
    short = shorten_path(path, most // 2)
    used = sum(len(str(token).encode()) + 1 for token in short)
    return short, cut_text(message, max(most - used, most // 2))


def shorten_path(path: Sequence[str | int], most: int) -> tuple[str | int, ...]:
    """Shorten a path of visible tokens to about `most` bytes of UTF-8: keep its start and its end."""
    longest = max(most // 4, len(_CUT))
    tokens = [
        token if isinstance(token, int) else cut_text(make_visible(token[: longest + 1]), longest) for token in path
    ]
    start, end = 0, len(tokens)
    remaining = most - 1
    while start < end:
        at_start = start <= len(tokens) - end
        token = tokens[start] if at_start else tokens[end - 1]
        remaining -= len(str(token).encode()) + 1
        if remaining < 0:
            break
        start, end = (start + 1, end) if at_start else (start, end - 1)
    return tuple(tokens) if start >= end else (*tokens[:start], "…", *tokens[end:])


# --- which alternative was meant -------------------------------------------------------------------------------------
def fits(schema: Any, value: Any) -> bool:
    """Return whether the types and constants of a schema, including its properties' constants, allow a value."""
    if not isinstance(schema, dict):
        return schema is True
    members = cast(dict[str, Any], schema)
    types = members.get("type", ())
    names = cast(list[str], [types] if isinstance(types, str) else types)
    kind = _get_type(value)
    if names and kind not in names and not (kind == "integer" and "number" in names):
        return False
    if "const" in members and not _is_same(members["const"], value):
        return False
    if not isinstance(value, dict):
        return True
    for name, inner in cast(dict[str, Any], members.get("properties", {})).items():
        is_constant = isinstance(inner, dict) and "const" in inner and name in value
        if is_constant and not _is_same(cast(Any, inner)["const"], value[name]):
            return False
    return True


def _is_same(constant: Any, value: Any) -> bool:
    """Return whether a scalar constant equals a value."""
    return _get_type(constant) == _get_type(value) and bool(constant == value)


def _get_type(value: Any) -> str:
    match value:
        case None:
            return "null"
        case bool():
            return "boolean"
        case int():
            return "integer"
        case float():
            return "integer" if value.is_integer() else "number"
        case str():
            return "string"
        case dict():
            return "object"
        case _:
            return "array"


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
