"""Forms (elicitation): what generated modules of forms import, the same for every SDK."""

from __future__ import annotations

import hashlib
import json
import re
import sys
from collections.abc import Awaitable, Callable, Mapping
from copy import copy
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from inspect import isawaitable, signature
from types import NoneType, UnionType
from typing import (
    TYPE_CHECKING,
    Any,
    ClassVar,
    Generic,
    Literal,
    Protocol,
    TypeAlias,
    TypeVar,
    cast,
    get_args,
    get_origin,
)
from typing import Union as TypingUnion

from pydantic import BaseModel, ValidationError

from ..content import RESULT_TYPE_SINCE
from ..errors import MODEL_BYTES, cut_text, join_problems, list_problems
from ..package import Package, find_package, load_definition
from ..schema_check import SchemaCheck
from ..server_binding import request_params, session_version
from ..wire_forms import CheckedValue, DeclaredValue

_PRIMITIVES = (str, int, float, bool)


@cache
def _get_check(file: str) -> SchemaCheck:
    """Return the check of a form's values by the path of its module; undeclared properties are refused."""
    return SchemaCheck({**get_form(file)["requestedSchema"], "additionalProperties": False}, find_package(file).limits)


# --- the class of an answer ------------------------------------------------------------------------------------------
class Form(DeclaredValue):
    """Base of the classes of forms: an instance is what a user entered. Its JSON schema is the declared one."""

    _get_check: ClassVar[Callable[[str], SchemaCheck]] = _get_check
    if not TYPE_CHECKING:

        class _Fields:
            """The fields, whose annotations mcp 1.x looks at: it knows no `Literal`, though MCP's forms have enums."""

            def __get__(self, instance: object, owner: type[BaseModel]) -> dict[str, Any]:
                return _describe_fields(owner)

        model_fields: ClassVar[Any] = _Fields()


class CheckedForm(CheckedValue, Form):
    """Base of forms whose schema is stricter than their types: construction also checks the schema."""


@cache
def _describe_fields(cls: type[BaseModel]) -> dict[str, Any]:
    """Return copies of the fields of a class, each annotated with the primitive types of its values."""
    fields: dict[str, Any] = {}
    for name, described in cls.__pydantic_fields__.items():
        fields[name] = copy(described)
        fields[name].annotation = _widen(described.annotation)
    return fields


def _widen(annotation: Any) -> Any:
    origin, arguments = get_origin(annotation), get_args(annotation)
    if annotation in _PRIMITIVES or annotation in (None, NoneType):
        return annotation
    if origin in (TypingUnion, UnionType):
        return TypingUnion[tuple(map(_widen, arguments))]  # noqa: UP007
    return list[str] if origin is list else str


def get_form(file: str) -> dict[str, Any]:
    """Return the declared form by the path of its module."""
    return cast(dict[str, Any], load_definition(file)["form"])


# --- answers ---------------------------------------------------------------------------------------------------------
FormT = TypeVar("FormT", bound=Form)
FormT_co = TypeVar("FormT_co", bound=Form, covariant=True)


@dataclass(frozen=True)
class Accepted(Generic[FormT_co]):
    """The user has filled in the form."""

    data: FormT_co
    """What they entered."""
    action: Literal["accept"] = "accept"


@dataclass(frozen=True)
class Declined:
    """The user has refused to answer."""

    action: Literal["decline"] = "decline"


@dataclass(frozen=True)
class Cancelled:
    """The user has closed the form without a choice."""

    action: Literal["cancel"] = "cancel"


FormAnswer: TypeAlias = Accepted[FormT] | Declined | Cancelled
"""What comes of a form."""


class FormError(ValueError):
    """Raised when a client does not answer a form as the protocol asks; the text says what is wrong."""


def read_answer(form: type[FormT], answer: BaseModel | Mapping[str, Any]) -> FormAnswer[FormT]:
    """Read a client's ElicitResult.

    Args:
        form: the class of the form.
        answer: an SDK's ElicitResult, or the JSON object.

    Raises:
        FormError: it is not one, or its content violates the form's schema.
    """
    wire: Any = _to_wire(answer)
    match wire.get("action"):
        case "decline":
            return Declined()
        case "cancel":
            return Cancelled()
        case "accept":
            try:
                return Accepted(form.from_structured_content(wire.get("content", {})))
            except ValidationError as error:
                problem = join_problems(list_problems(error))
        case action:
            problem = f"the action {action!r} is none of accept, decline, cancel"
    text = f"the client's answer to the form {get_form(form._schema[0])['name']} is not valid: {problem}"  # pyright: ignore[reportPrivateUsage]
    raise FormError(cut_text(text, MODEL_BYTES))


# --- a client's answers ----------------------------------------------------------------------------------------------
Answer: TypeAlias = FormT | Declined | Cancelled
"""What a client's handler returns for a form."""


@dataclass(frozen=True)
class FormRequest:
    """A form that a server wants to be filled in."""

    message: str
    """The text above it."""
    requested_schema: dict[str, Any]
    """Its schema, as the server sent it."""


FormHandler: TypeAlias = Callable[[FormRequest], Answer[FormT] | Awaitable[Answer[FormT]]]
"""Fills in a form: returns an instance of its class, `Declined` or `Cancelled`, perhaps as an awaitable."""


class AnswerDecorator(Generic[FormT]):
    """Attribute of a client's answers: binds a handler to a form."""

    def __init__(self, form: type[FormT]) -> None:
        self._form = form

    def __get__(
        self, instance: FormAnswers, owner: type[FormAnswers]
    ) -> Callable[[FormHandler[FormT]], FormHandler[FormT]]:
        def bind(handler: FormHandler[FormT]) -> FormHandler[FormT]:
            instance._handlers[self._form] = handler  # pyright: ignore[reportPrivateUsage]
            return handler

        return bind


class FormAnswers:
    """Base of a client's answers to the forms of a package, which are known by their schemas.

    If several have the same schema, the message says which one it is. An object is the callback of the SDK's client,
    such as `elicitation_callback` of mcp and `elicitation_handler` of fastmcp. A form without a handler goes to
    `others`, the next such callback, or else is cancelled.
    """

    _package: ClassVar[Package]

    def __init__(self, others: Callable[..., Awaitable[Any]] | None = None) -> None:
        self._others = others
        self._handlers: dict[type[Form], FormHandler[Any]] = {}

    async def __call__(self, *arguments: Any, **keywords: Any) -> Any:
        """Answer a request; the arguments are those with which the SDK's client calls such a callback."""
        given = (*arguments, *keywords.values())
        params = next((it for it in given if hasattr(it, "message") and not isinstance(it, type)), None)
        wire: dict[str, Any] = {} if params is None else params.model_dump(mode="json", by_alias=True)
        request = FormRequest(wire.get("message", ""), wire.get("requestedSchema", {}))
        form = self._find_form(request)
        if form is None and self._others is not None:
            return await self._others(*arguments, **keywords)
        answer: Any = Cancelled()
        if form is not None:
            answer = self._handlers[form](request)
            answer = await answer if isawaitable(answer) else answer
        fields: dict[str, Any] = {"action": getattr(answer, "action", "accept")}
        if form is not None and isinstance(answer, form):
            content = answer.to_structured_content()
            form._check(content)  # pyright: ignore[reportPrivateUsage]
            fields = {"action": "accept", "content": content}
        elif not isinstance(answer, Declined | Cancelled):
            raise TypeError(f"a handler of a form returned a {type(answer).__name__}, which does not answer it")
        return import_module(f"{self._package.facade}.client").ElicitResult(**fields)

    def _find_form(self, request: FormRequest) -> type[Form] | None:
        """Return the form with a handler that a request is about; None if there is none."""
        forms = [form for form in self._handlers if _get_schema(form) == request.requested_schema]
        return next((form for form in forms if _has_message(form, request.message)), forms[0] if forms else None)


def _get_schema(form: type[Form]) -> dict[str, Any]:
    return cast(dict[str, Any], get_form(form._schema[0])["requestedSchema"])  # pyright: ignore[reportPrivateUsage]


def _has_message(form: type[Form], message: str) -> bool:
    """Return whether a message is that of a form, with whatever values."""
    write: Callable[..., str] = sys.modules[form.__module__].message
    mark = "\0"
    parts = write(**dict.fromkeys(signature(write).parameters, mark)).split(mark)
    return re.fullmatch(".*".join(map(re.escape, parts)), message, re.DOTALL) is not None


# --- questions -------------------------------------------------------------------------------------------------------
class HasSession(Protocol):
    """The context of a request, as each SDK gives it to handlers."""

    @property
    def session(self) -> Any:
        """The SDK's session, which sends requests to the client."""
        ...


class InputRequired(BaseException):
    """Ends a call whose client has to show a form first, and to call again with the answer.

    No Exception, so that a handler does not catch it by mistake.
    """

    def __init__(self, wire: dict[str, Any]) -> None:
        super().__init__("the client has to show a form and to call again")
        self.input_required = wire
        """The InputRequiredResult (2026-07-28) to send."""


_STATE_KEY = "mcpgen.forms"


def _collect_answers(ctx: object) -> dict[str, Any]:
    """Return the answers that a call brings under 2026-07-28, by key: of this round, and of rounds before it."""
    sources = (ctx, request_params.get())
    responses: Any = next((found for it in sources if (found := getattr(it, "input_responses", None))), None)
    state: Any = next((found for it in sources if (found := getattr(it, "request_state", None))), None)
    given: dict[str, Any] = {**(responses or {})}
    return _read_state(state) | {key: _to_wire(answer) for key, answer in given.items()}


def _read_state(state: str | None) -> dict[str, Any]:
    try:
        answers: Any = json.loads(state or "{}").get(_STATE_KEY, {})
        return {key: answer for key, answer in answers.items() if isinstance(answer, dict)}
    except (ValueError, AttributeError, RecursionError):  # a client may send anything
        return {}


def _to_wire(answer: Any) -> Any:
    is_model = isinstance(answer, BaseModel)
    return answer.model_dump(mode="json", by_alias=True, exclude_none=True) if is_model else answer


async def ask_form(form: type[FormT], ctx: HasSession, message: str) -> FormAnswer[FormT]:
    """Have the client show a form, and return what the user answered.

    Up to 2025-11-25 this sends `elicitation/create` and waits. Since 2026-07-28 a server cannot send requests: the
    call ends with an InputRequiredResult, and the client calls again with the answer. The handler then runs from the
    start, and gets the answer here. So do nothing before it that must not happen twice.

    Args:
        form: the class of the form.
        ctx: the SDK's context of the request.
        message: the text above the form.

    Raises:
        FormError: the client's answer does not fit the form. It is the SDK's `ToolError`, too, whose text models read.
    """
    try:
        return read_answer(form, await _find_answer(form, ctx, message))
    except FormError as error:
        raise _find_error_class(find_package(form._schema[0]).facade)(str(error)) from None  # pyright: ignore[reportPrivateUsage]


@cache
def _find_error_class(facade: str) -> type[FormError]:
    return type("FormError", (import_module(f"{facade}.server").ToolError, FormError), {})


async def _find_answer(form: type[Form], ctx: HasSession, message: str) -> Any:
    """Return the client's ElicitResult, or raise InputRequired."""
    name, schema = get_form(form._schema[0])["name"], _get_schema(form)  # pyright: ignore[reportPrivateUsage]
    version = session_version.get()
    if version is not None and version >= RESULT_TYPE_SINCE:
        answers = _collect_answers(ctx)
        key = f"{name}-{hashlib.sha256(message.encode('utf-8', 'surrogatepass')).hexdigest()[:12]}"
        if key in answers:
            return answers[key]
        params = {"mode": "form", "message": message, "requestedSchema": schema}
        wire: dict[str, Any] = {"resultType": "input_required"}
        wire["inputRequests"] = {key: {"method": "elicitation/create", "params": params}}
        if answers:
            wire["requestState"] = json.dumps({_STATE_KEY: answers}, separators=(",", ":"))
        raise InputRequired(wire)
    session = ctx.session
    send = getattr(session, "elicit_form", None) or session.elicit
    return await send(message, schema, getattr(ctx, "request_id", None))
