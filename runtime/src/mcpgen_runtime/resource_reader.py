"""Typed reads of resources over a session: the base of a client's `resources`."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any

from pydantic import ValidationError

from .call_options import CallOptions, make_unnamed_error
from .client_session import Session
from .descriptors import McpResourceOf, RawRead, RawResourceReader, ResourceReader
from .errors import ResultError, list_problems
from .package import Package, is_attribute


class ResourceClient(ResourceReader):
    """Reads resources by name over a session: each attribute is a method. Base of the generated class."""

    def __init__(self, package: Package, session: Session[Any], options: CallOptions) -> None:
        self._package, self._session, self._options = package, session, options

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> Callable[..., Any]:
            if not is_attribute(name):
                raise AttributeError(name)
            return partial(self._read, self._package.find_resource(name)[1])

        def __dir__(self) -> list[str]:
            return sorted({*super().__dir__(), *self._package.resource_attributes.values()})

    async def _read(self, entry: McpResourceOf[Any, Any, Any, Any], /, *unnamed: object, **variables: Any) -> Any:
        """Read a resource.

        Raises:
            TypeError: a variable has no name, is missing or unknown, or is not a string; nothing was sent.
            ValueError: the URI template does not take the variables; nothing was sent.
            ResultError: a ValueError; the text is not JSON, or violates the resource's schema.
        """
        parameters = inspect.signature(entry.uri).parameters
        if unnamed:
            raise make_unnamed_error(entry.name, parameters)
        for name, value in variables.items():
            if not (isinstance(value, str) or (value is None and _is_optional(parameters, name))):
                kind = type(value).__name__
                raise TypeError(f"{entry.name}: {name} should be a string, not {kind}")
        result = await self._session.read(entry.uri(**variables), self._options)
        parse = partial(self._parse, entry, result)
        return RawRead(result, parse) if isinstance(self, RawResourceReader) else parse()

    def _parse(self, entry: McpResourceOf[Any, Any, Any, Any], result: Any) -> Any:
        try:
            return entry.resource.from_read_resource_result(result, on_invalid=self._options.on_invalid)
        except ValidationError as error:
            raise ResultError(entry.name, list_problems(error), result=result) from error


def _is_optional(parameters: Mapping[str, inspect.Parameter], name: str) -> bool:
    return name in parameters and parameters[name].default is None


__all__ = ["ResourceClient"]
