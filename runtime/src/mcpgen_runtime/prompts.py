"""Prompts: from a client's arguments to a handler's, and from a handler's value to a GetPromptResult."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Generic, TypeVar, cast

from pydantic import BaseModel

from .content import RESULT_TYPE_SINCE, adapt_block, block_to_wire, find_block, is_named, version_of
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
        """Return the client's arguments by Python names, or raise PromptArgumentsError if they do not fit."""
        values, declared = sent or {}, self.arguments.items()
        problems = [f"{name} is missing" for name, argument in declared if argument.required and name not in values]
        problems += [f"there is no argument {name[:40]!r}" for name in values if name not in self.arguments][:3]
        for name, argument in declared:
            if name in values and not isinstance(values[name], str):
                problems.append(f"{name} should be a string")
            elif name in values and argument.values and values[name] not in argument.values:
                problems.append(f"{name} should be one of {', '.join(argument.values)}")
        if problems:
            text = f"Invalid arguments for {self.name}: {'; '.join(problems)}"
            raise PromptArgumentsError(cut_text(text, MODEL_BYTES))
        return {self.arguments[name].python: value for name, value in values.items()}

    def complete(self, argument: str, start: str) -> list[str]:
        """Return the declared values of an argument that begin with a client's input, ignoring case."""
        values = self.arguments[argument].values if argument in self.arguments else ()
        return [value for value in values if value.lower().startswith(start.lower())]


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

        `protocol` is the session's protocol version; None: the package's default.

        Raises:
            ValueError: unknown protocol version.
            TypeError: the value is something else.
        """
        return cast(PromptResultT, cls._result.model_validate(cls.to_wire(value, protocol)))

    @classmethod
    def to_wire(
        cls, value: PromptResultT | MessageT | str | Sequence[MessageT | str], protocol: str | None = None
    ) -> dict[str, Any]:
        """Convert what a handler returned to a JSON-ready dict with wire names; parameters as in `normalize`."""
        version = version_of(protocol, find_package(cls.prompt.file).default_protocol)
        out: dict[str, Any] = {}
        messages: Any = [value] if isinstance(value, str | BaseModel) else value
        if is_named(value, "GetPromptResult"):
            out = cast(BaseModel, value).model_dump(mode="json", by_alias=True, exclude_none=True)
            messages = cast(Any, value).messages
        elif cls.prompt.description is not None:
            out["description"] = cls.prompt.description
        if not isinstance(messages, list | tuple):
            raise cls._make_type_error(cast(object, messages))
        out["messages"] = [cls._message_to_wire(message, version) for message in cast(list[object], messages)]
        if version >= RESULT_TYPE_SINCE:
            out["resultType"] = "complete"
        else:
            out.pop("resultType", None)
        return out

    @classmethod
    def _message_to_wire(cls, value: object, version: str) -> dict[str, Any]:
        if isinstance(value, str):
            return {"role": "user", "content": {"type": "text", "text": value}}
        if not is_named(value, "PromptMessage"):
            raise cls._make_type_error(value)
        message = cast(Any, value)
        if (block := find_block(message.content)) is None:
            raise cls._make_type_error(message.content)
        return {"role": message.role, "content": adapt_block(block_to_wire(block), version)}

    @classmethod
    def _make_type_error(cls, value: object) -> TypeError:
        kind = type(value).__name__
        return TypeError(f'prompt "{cls.prompt.name}": a handler returned a {kind}, which is not a message')


def present_arguments(arguments: Mapping[str, str | None]) -> dict[str, str]:
    """Return the arguments of a request without those that are absent."""
    return {name: value for name, value in arguments.items() if value is not None}
