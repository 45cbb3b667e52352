"""Typed requests for prompts over a session: the base of a client's `prompts`."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

from .call_options import CallOptions, make_unnamed_error
from .client_session import Session
from .descriptors import McpPromptOf, PromptReader
from .package import Package, is_attribute


class PromptClient(PromptReader):
    """Gets prompts by name over a session: each attribute is a method. Base of the generated class."""

    def __init__(self, package: Package, session: Session[Any], options: CallOptions) -> None:
        self._package, self._session, self._options = package, session, options

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> Callable[..., Any]:
            if not is_attribute(name):
                raise AttributeError(name)
            return partial(self._get, self._package.find_prompt(name))

        def __dir__(self) -> list[str]:
            return sorted({*super().__dir__(), *self._package.prompt_attributes.values()})

    async def _get(self, entry: McpPromptOf[Any, Any, Any], /, *unnamed: object, **values: Any) -> Any:
        """Get a prompt, and return the SDK's GetPromptResult.

        Raises:
            TypeError: an argument has no name, or is missing or unknown; nothing was sent.
            PromptArgumentsError: an argument is not a string, or not one of the declared values; nothing was sent.
        """
        if unnamed:
            raise make_unnamed_error(entry.name, inspect.signature(entry.arguments).parameters)
        arguments = entry.arguments(**values)
        entry.prompt.prompt.read_arguments(arguments)
        return await self._session.get_prompt(entry.name, arguments, self._options)


__all__ = ["PromptClient"]
