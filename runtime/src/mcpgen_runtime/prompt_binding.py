"""Bind handlers to prompts: the part that all SDKs share."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any

from .package import is_attribute, load_definition
from .handler_signature import (
    HandlerSignature,
    IncompleteServer,
    find_lacking,
    make_no_handler_error,
)
from .package import Package
from .descriptors import McpPrompt, PromptBinder
from .prompts import PromptBase
from .violations import cut_text

logger = logging.getLogger(__name__)

_NAME_BYTES = 200
"""Maximum bytes of a prompt's name from a client, in an error."""


@dataclass(frozen=True)
class BoundPrompt:
    """A prompt and its handler."""

    prompt: type[PromptBase]
    handler: Callable[..., Any]
    signature: HandlerSignature

    @property
    def name(self) -> str:
        """The prompt's exact name."""
        return self.prompt.prompt.name

    @cached_property
    def definition(self) -> dict[str, Any]:
        """The Prompt as declared."""
        definition: dict[str, Any] = load_definition(self.prompt.prompt.file)["prompt"]
        return definition

    def read(self, sent: Mapping[str, Any] | None) -> dict[str, Any]:
        """Return the handler's keyword arguments.

        Raises:
            PromptArgumentsError: the client's arguments do not fit the prompt.
        """
        return self.signature.select(self.prompt.prompt.read_arguments(sent))

    def write(self, value: Any, version: str) -> dict[str, Any]:
        """Convert a handler's value to a result in wire form.

        Raises:
            PromptFailed: the value is neither a result nor messages; its type is logged.
        """
        try:
            return self.prompt.to_wire(value, version)
        except (TypeError, ValueError) as error:
            logger.error("The handler of %r returned what does not fit: %s", self.name, error)
            raise PromptFailed(f"Error getting prompt {self.name}") from None

    def report_failure(self) -> PromptFailed:
        """Log an unexpected exception of the handler; return the error for the client, without its details."""
        logger.exception("The handler of the prompt %r failed", self.name)
        return PromptFailed(f"Error getting prompt {self.name}")


class PromptFailed(Exception):
    """Raised when a bound prompt fails; the text is for the client."""


class PromptBinding(PromptBinder):
    """Registers the handlers of a package's prompts on a server; base of the generated `Prompts`."""

    def __init__(self, package: Package) -> None:
        self._package = package
        self._bound: dict[str, BoundPrompt] = {}

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> Callable[..., Any]:
            if not is_attribute(name):
                raise AttributeError(name)
            return partial(self._bind, self._package.find_prompt(name))

        def __dir__(self) -> list[str]:
            return sorted({*super().__dir__(), *self._package.prompt_attributes.values()})

    def _bind(self, entry: McpPrompt[Any, Any], handler: Callable[..., Any] | None = None, /) -> Callable[..., Any]:
        info = entry.prompt.prompt
        subject = f"the prompt {info.name}"
        if handler is None:
            attribute = self._package.prompt_attributes[info.name]
            raise make_no_handler_error(subject, f"prompts.{attribute}")
        if info.name in self._bound:
            raise TypeError(f"{subject} has a handler already")
        declared = {argument.python: not argument.required for argument in info.arguments.values()}
        wires = {argument.python: wire for wire, argument in info.arguments.items()}
        signature = HandlerSignature.of(subject, handler, declared, self._find_sdk_parameters(handler), wires)
        self._bound[info.name] = BoundPrompt(entry.prompt, handler, signature)
        return handler

    def implement(self, handlers: object) -> None:
        """Bind each prompt that has no handler yet to the attribute of its name.

        Args:
            handlers: an object or a module with a function for each prompt.

        Raises:
            IncompleteServer: an attribute is missing.
            TypeError: a function cannot be called with the arguments of its prompt.
        """
        attributes = self._find_missing()
        if missing := find_lacking(handlers, attributes):
            raise IncompleteServer(missing)
        for attribute in attributes.values():
            getattr(self, attribute)(getattr(handlers, attribute))

    def complete(self) -> None:
        """Check that every prompt has a handler.

        Raises:
            IncompleteServer: some prompts have no handler.
        """
        if missing := self._find_missing():
            raise IncompleteServer({key: f"@prompts.{name}" for key, name in missing.items()})

    def _find_missing(self) -> dict[str, str]:
        """Return the attributes of the prompts that have no handler yet."""
        attributes = self._package.prompt_attributes
        return {key: attributes[key] for key in self._package.prompt_modules if key not in self._bound}

    def __contains__(self, prompt: object) -> bool:
        return prompt in self._bound

    def list_bound(self) -> list[dict[str, Any]]:
        """Return the bound prompts as declared, in the order of their binding."""
        return [bound.definition for bound in self._bound.values()]

    def find_bound(self, name: str) -> BoundPrompt | None:
        """Return the bound prompt with a name; None if there is none."""
        return self._bound.get(name)

    def complete_argument(self, name: str, argument: str, start: str) -> dict[str, Any] | None:
        """Return the completion of an argument, in wire form; None if the prompt is not bound or declares no values."""
        bound = self._bound.get(name)
        declared = None if bound is None else bound.prompt.prompt.arguments.get(argument)
        if bound is None or declared is None or not declared.values:
            return None
        values = bound.prompt.prompt.complete(argument, start)
        return {"values": values[:100], "total": len(values), "hasMore": len(values) > 100}

    def _find_sdk_parameters(self, handler: Callable[..., Any]) -> Iterable[str]:
        """Return the parameters of a handler that the SDK fills in."""
        raise NotImplementedError


def describe_missing(name: str) -> str:
    """Return the error message for the name of an unknown prompt."""
    return f"Unknown prompt: {cut_text(name, _NAME_BYTES)}"


__all__ = ["BoundPrompt", "PromptBinding", "PromptFailed", "describe_missing"]
