"""Bind handlers to prompts: the part that all SDKs share."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, Generic, NoReturn, TypeAlias

from .descriptors import McpPromptOf, PromptBinder
from .handler_binding import HandlerBinding, add_definitions
from .handler_seam import INTERNAL_ERROR, INVALID_PARAMS, HandlerSeam, Request, ServerT, set_instructions
from .handler_signature import HandlerSignature
from .package import Package, load_definition
from .prompts import PromptArgumentsError, PromptOf
from .violations import cut_text

_Prompt: TypeAlias = McpPromptOf[Any, Any, Any]
logger = logging.getLogger(__name__)

_NAME_BYTES = 200
"""Maximum bytes of a prompt's name from a client, in an error."""


@dataclass(frozen=True)
class BoundPrompt:
    """A prompt and its handler."""

    prompt: type[PromptOf[Any, Any]]
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


class PromptBinding(PromptBinder, HandlerBinding[_Prompt, BoundPrompt], Generic[ServerT]):
    """Registers the handlers of a package's prompts on a server, whose other answers do not change.

    Base of the generated `Prompts`. Each attribute is a decorator for the handler of a prompt:

        prompts = bind_prompts(server)

        @prompts.plan_trip
        def plan_trip(city: str) -> str: ...

    A decorator raises `TypeError` if the handler cannot be called with the arguments of the prompt.

    Args:
        server: a server of the SDK. If it has no instructions, it gets those of the package.
        package: the package.

    Raises:
        TypeError: the server is not one of the SDK.
    """

    _kind = "prompts"
    _seam: ClassVar[HandlerSeam[Any, Any]]

    def __init__(self, server: ServerT, package: Package) -> None:
        super().__init__(package)
        self._server = server
        seam, lowlevel = self._seam, self._seam.get_lowlevel_server(server)
        set_instructions(lowlevel, package)
        seam.extend_list(lowlevel, "prompts/list", self._add_bound)
        seam.answer(lowlevel, "prompts/get", self._answer, self._raise_missing)
        if any("completions" in content for content in package.load_prompt_files()):
            seam.answer(lowlevel, "completion/complete", self._complete, lambda _: {"completion": {"values": []}})

    def _get_attributes(self) -> Mapping[str, str]:
        return self._package.prompt_attributes

    def _find(self, attribute: str) -> tuple[str, _Prompt]:
        entry: _Prompt = self._package.find_prompt(attribute)
        return entry.name, entry

    def _add(self, key: str, entry: _Prompt, handler: Callable[..., Any]) -> BoundPrompt:
        arguments = entry.prompt.prompt.arguments
        declared = {argument.python: not argument.required for argument in arguments.values()}
        wires = {argument.python: wire for wire, argument in arguments.items()}
        injected = self._seam.find_parameters(handler)
        signature = HandlerSignature.of(self._describe(key), handler, declared, injected, wires)
        return BoundPrompt(entry.prompt, handler, signature)

    # --- answers -----------------------------------------------------------------------------------------------------
    def _add_bound(self, listed: list[dict[str, Any]]) -> list[dict[str, Any]]:
        return add_definitions(listed, self._list_bound(), "name")

    async def _answer(self, request: Request) -> dict[str, Any] | None:
        seam, bound = self._seam, self._find_bound(request.params.name)
        if bound is None:
            return None
        try:
            values = bound.read(request.params.arguments)
            value = await seam.call_handler(self._server, bound.handler, values, request)
        except PromptArgumentsError as error:
            raise seam.make_error(INVALID_PARAMS, str(error)) from None
        except Exception as error:  # handlers may raise anything
            public = seam.find_public_error(error)
            raise public or seam.make_error(INTERNAL_ERROR, str(bound.report_failure())) from None
        try:
            return bound.write(value, request.version)
        except PromptFailed as error:
            raise seam.make_error(INTERNAL_ERROR, str(error)) from None

    def _raise_missing(self, request: Request) -> NoReturn:
        name = cut_text(request.params.name, _NAME_BYTES)
        raise self._seam.make_error(INVALID_PARAMS, f"Unknown prompt: {name}")

    async def _complete(self, request: Request) -> dict[str, Any] | None:
        ref, argument = request.params.ref, request.params.argument
        if ref.type != "ref/prompt":
            return None
        completion = self._complete_argument(ref.name, argument.name, argument.value)
        return None if completion is None else {"completion": completion}

    def _list_bound(self) -> list[dict[str, Any]]:
        """Return the bound prompts as declared, in the order of their binding."""
        return [bound.definition for bound in self._bound.values()]

    def _find_bound(self, name: str) -> BoundPrompt | None:
        """Return the bound prompt with a name; None if there is none."""
        return self._bound.get(name)

    def _complete_argument(self, name: str, argument: str, start: str) -> dict[str, Any] | None:
        """Return the completion of an argument, in wire form; None if the prompt is not bound or declares no values."""
        bound = self._bound.get(name)
        declared = None if bound is None else bound.prompt.prompt.arguments.get(argument)
        if bound is None or declared is None or not declared.values:
            return None
        values = bound.prompt.prompt.complete(argument, start)
        return {"values": values[:100], "total": len(values), "hasMore": len(values) > 100}
