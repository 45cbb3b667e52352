"""Prompts: from a client's arguments to a handler's, and from a handler's value to a GetPromptResult."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Generic, TypeVar, cast

from pydantic import BaseModel

from .content import RESULT_TYPE_SINCE, adapt_block, block_to_wire, find_block, version_of
from .errors import MODEL_BYTES, cut_text
from .package import find_package

PromptResultT = TypeVar("PromptResultT", bound=BaseModel)
MessageT = TypeVar("MessageT", bound=BaseModel)


class PromptArgumentsError(ValueError):
    """Raised when a client's arguments do not fit the prompt; the text is for the client."""


@dataclass(frozen=True)
class PromptArgument:
    """An argument of a prompt."""

    python: str
    """The name of the handler's parameter."""
    required: bool = False
    values: tuple[str, ...] = ()
    """The allowed values; empty: any."""


@dataclass(frozen=True)
class PromptInfo:
    """Description of a prompt: its exact name, and its arguments by their exact names."""

    file: str
    """The path of the prompt's module; the JSON file of its definition is next to it."""
    name: str
    description: str | None = None
    arguments: Mapping[str, PromptArgument] = field(default_factory=dict[str, PromptArgument])

    def read_arguments(self, sent: Mapping[str, Any] | None) -> dict[str, str]:
        """Return the handler's keyword arguments: the client's arguments by Python names.

        Raises:
            PromptArgumentsError: an argument is missing, unknown, not a string or not a declared value.
        """
        problems = [*self._find_problems(sent or {})]
        if problems:
            text = f"Invalid arguments for {self.name}: {'; '.join(problems)}"
            raise PromptArgumentsError(cut_text(text, MODEL_BYTES))
        return {self.arguments[name].python: value for name, value in (sent or {}).items()}

    def _find_problems(self, sent: Mapping[str, Any]) -> list[str]:
        missing = [
            f"{name} is missing" for name, argument in self.arguments.items() if argument.required and name not in sent
        ]
        unknown = [f"there is no argument {name[:40]!r}" for name in sent if name not in self.arguments]
        return (
            missing
            + unknown[:3]
            + [
                problem
                for name, argument in self.arguments.items()
                if name in sent and (problem := _describe_problem(name, argument, sent[name]))
            ]
        )

    def complete(self, argument: str, start: str) -> list[str]:
        """Return the declared values of an argument that begin with a client's input, ignoring case."""
        declared = self.arguments.get(argument)
        values = () if declared is None else declared.values
        folded = start.lower()
        return [value for value in values if value.lower().startswith(folded)]


def _describe_problem(name: str, argument: PromptArgument, value: object) -> str:
    if not isinstance(value, str):
        return f"{name} should be a string"
    if argument.values and value not in argument.values:
        return f"{name} should be one of {', '.join(argument.values)}"
    return ""


class PromptOf(Generic[PromptResultT, MessageT]):
    """Base of all prompt classes, for the GetPromptResult and the PromptMessage of an SDK."""

    _result: ClassVar[type[BaseModel]]
    """The SDK's GetPromptResult."""
    prompt: ClassVar[PromptInfo]
    arguments: ClassVar[Callable[..., dict[str, str]]]
    """Returns the arguments of a request; each class declares its own."""

    @classmethod
    def normalize(
        cls, value: PromptResultT | MessageT | str | Sequence[MessageT | str], protocol: str | None = None
    ) -> PromptResultT:
        """Convert what a handler returned to a GetPromptResult.

        - GetPromptResult: the same, with blocks that the protocol version has.
        - A message, or a list of messages: these. A str, alone or in a list: a user's message.

        Args:
            value: what the handler returned.
            protocol: the session's protocol version; None: the package's default.

        Raises:
            ValueError: unknown protocol version.
            TypeError: something else.
        """
        result: Any = cls._result.model_validate(cls.to_wire(value, protocol))
        return cast(PromptResultT, result)

    @classmethod
    def to_wire(
        cls, value: PromptResultT | MessageT | str | Sequence[MessageT | str], protocol: str | None = None
    ) -> dict[str, Any]:
        """Convert what a handler returned to a JSON-ready dict with wire names; parameters as in `normalize`."""
        version = version_of(protocol, find_package(cls.prompt.file).default_protocol)
        out: dict[str, Any] = {}
        if isinstance(value, BaseModel) and _is_named(value, "GetPromptResult"):
            out = value.model_dump(mode="json", by_alias=True, exclude_none=True)
            messages: list[object] = [*cast(Any, value).messages]
        else:
            messages = [value] if isinstance(value, str | BaseModel) else _list_messages(cls, value)
            if cls.prompt.description is not None:
                out["description"] = cls.prompt.description
        out["messages"] = [_message_to_wire(cls, message, version) for message in messages]
        if version >= RESULT_TYPE_SINCE:
            out["resultType"] = "complete"
        else:
            out.pop("resultType", None)
        return out


def _list_messages(cls: type[PromptOf[Any, Any]], value: object) -> list[object]:
    if isinstance(value, list | tuple):
        return [*cast(Sequence[object], value)]
    raise _make_type_error(cls, value)


def _make_type_error(cls: type[PromptOf[Any, Any]], value: object) -> TypeError:
    kind = type(value).__name__
    return TypeError(f'prompt "{cls.prompt.name}": a handler returned a {kind}, which is not a message')


def _message_to_wire(cls: type[PromptOf[Any, Any]], value: object, version: str) -> dict[str, Any]:
    """Return the wire form of a message from any SDK; a str is a user's message."""
    if isinstance(value, str):
        return {"role": "user", "content": {"type": "text", "text": value}}
    if not isinstance(value, BaseModel) or not _is_named(value, "PromptMessage"):
        raise _make_type_error(cls, value)
    message = cast(Any, value)
    block = find_block(message.content)
    if block is None:
        raise _make_type_error(cls, message.content)
    content = adapt_block(block_to_wire(block), version)
    return {"role": message.role, "content": content}


def _is_named(value: BaseModel, name: str) -> bool:
    """Return whether an object is of this protocol type, from any SDK."""
    return any(cls.__name__ == name for cls in type(value).__mro__)


def present_arguments(arguments: Mapping[str, str | None]) -> dict[str, str]:
    """Return the arguments of a request without those that are absent."""
    return {name: value for name, value in arguments.items() if value is not None}
