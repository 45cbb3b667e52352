"""Call a tool's handler with the arguments that it takes."""

from __future__ import annotations

import difflib
import functools
import inspect
import logging
import re
import types
import typing
from collections.abc import Callable, Container, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Annotated, Any, Unpack, cast, get_args, get_origin, get_type_hints

from pydantic import BaseModel
from pydantic.fields import FieldInfo

from .arguments import Parameter, list_parameters, select_arguments
from .conversion import kinds_of
from .models import to_json_value


@dataclass(frozen=True)
class HandlerSignature:
    """The parameters of a handler, by who fills them in."""

    taken: Mapping[str, str]
    """Declared parameters that the handler takes, each with its name in the handler."""

    @classmethod
    def of(
        cls,
        subject: str,
        handler: Callable[..., Any],
        declared: Mapping[str, bool],
        injected: Iterable[str],
        wires: Mapping[str, str],
    ) -> HandlerSignature:
        """Check a handler.

        Args:
            subject: the resource or prompt that it answers, for messages: `the prompt plan-voyage`.
            handler: takes keyword parameters.
            declared: the parameters of a call, and whether each may be absent.
            injected: the parameters that the SDK fills in.
            wires: the names on the wire, by the declared ones: a handler's parameter may have either.

        Raises:
            TypeError: the handler cannot be called with these parameters.
        """
        parameters = inspect.signature(handler).parameters
        renamed = find_renamed(wires, parameters)
        names = {name: renamed.get(name, name) for name in declared}
        expected = {names[name]: may_be_absent for name, may_be_absent in declared.items()}
        problems = [*_find_signature_problems(subject, parameters, expected, frozenset(injected))]
        if problems:
            raise TypeError(f"the handler of {subject} does not fit: {'; '.join(problems)}")
        kinds = {parameter.kind for parameter in parameters.values()}
        takes_all = inspect.Parameter.VAR_KEYWORD in kinds
        return cls({name: own for name, own in names.items() if takes_all or own in parameters})

    def select(self, values: Mapping[str, object]) -> dict[str, Any]:
        """Return the values that the handler takes; absent ones keep its defaults."""
        return {self.taken[name]: value for name, value in values.items() if name in self.taken and value is not None}


def find_renamed(names: Mapping[str, str], parameters: Container[str]) -> Mapping[str, str]:
    """Return the parameters of a handler that have a name on the wire, by their Python names.

    Args:
        names: the names on the wire by Python names.
        parameters: the names of the handler's parameters.
    """
    return {
        name: wire
        for name, wire in names.items()
        if name not in parameters and wire in parameters and wire not in names
    }


def find_missing(
    parameters: Mapping[str, inspect.Parameter], declared: Iterable[str], known: Container[str]
) -> Iterator[str]:
    """Say which declared parameters a handler does not take.

    Args:
        parameters: the handler's parameters.
        declared: the parameters of a call.
        known: further names that a parameter of the handler may have.
    """
    kinds = {parameter.kind for parameter in parameters.values()}
    if inspect.Parameter.VAR_KEYWORD in kinds:
        return
    names = [*declared]
    unknown = [name for name in parameters if name not in names and name not in known]
    for name in names:
        if name not in parameters:
            close = difflib.get_close_matches(name, unknown, 1)
            yield f"it takes no {name!r}" + (f" (did you mean that by {close[0]!r}?)" if close else "")


def _find_signature_problems(
    subject: str, parameters: Mapping[str, inspect.Parameter], declared: Mapping[str, bool], injected: frozenset[str]
) -> Iterator[str]:
    for name, parameter in parameters.items():
        has_default = parameter.default is not inspect.Parameter.empty
        if parameter.kind is inspect.Parameter.POSITIONAL_ONLY:
            yield f"{name!r} can only be passed by position"
        elif parameter.kind in (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD):
            continue
        elif name in declared:
            if declared[name] and not has_default:
                yield f"{name!r} may be absent, so the parameter needs a default"
        elif name not in injected and not has_default:
            kind = subject.split()[1]
            yield f"{name!r} is not an argument of the {kind}, and the SDK does not fill it in"
    yield from find_missing(parameters, declared, injected)


def find_annotated_parameter(handler: Callable[..., Any], context: type) -> str | None:
    """Return the parameter that is annotated with a class, a subclass, or a union with one.

    Args:
        handler: a function, a method or an object that can be called.
        context: the class.
    """
    function: Any = handler
    while hasattr(function, "func"):  # functools.partial
        function = function.func
    if not inspect.isroutine(function):
        function = type(function).__call__
    try:
        hints = typing.get_type_hints(function)
    except Exception:
        return None
    names = (name for name in hints if name != "return")
    return next((name for name in names if _mentions(hints[name], context)), None)


def _mentions(hint: Any, context: type) -> bool:
    return any(inspect.isclass(part) and issubclass(part, context) for part in _list_parts(hint))


def _list_parts(hint: Any) -> Iterator[Any]:
    """Yield the classes of a type: those of a union's members, the origin of a generic."""
    origin = typing.get_origin(hint)
    if origin in (typing.Union, types.UnionType, typing.Annotated):
        for part in typing.get_args(hint):
            yield from _list_parts(part)
    else:
        yield hint if origin is None else origin


INJECTED: Any = object()
"""Default of a parameter that the SDK fills in, if it needs one: `ctx: Context = INJECTED`."""

_CALL = "__call__"

logger = logging.getLogger(__name__)
_OTHER_DEFAULT = (
    "The handler of the tool %r gets %s=%r if a client leaves it out, but the inputSchema says %r: "
    "write the same default in both"
)


@dataclass(frozen=True)
class HandlerFunction:
    """A handler as a function whose signature SDKs can read."""

    function: Callable[..., Any]
    parameters: Mapping[str, inspect.Parameter]
    annotations: Mapping[str, Any]
    """Annotations by parameter; a string is one whose names do not exist at run time."""
    is_generator: bool
    """Whether a call returns an asynchronous generator."""

    @classmethod
    def of(cls, handler: Any) -> HandlerFunction:
        """Describe a handler: a function, a method, a static method, a partial or another callable object.

        Raises:
            TypeError: it cannot be called.
        """
        if isinstance(handler, staticmethod):
            return cls.of(cast(Any, handler).__func__)
        if not callable(handler):
            raise TypeError(f"it is not a function but {type(handler).__name__}")
        if issubclass(type(handler), functools.partial):
            return _describe_partial(cast(Any, handler))
        method = getattr(handler, _CALL, None)
        is_object = inspect.ismethod(method) and not inspect.isclass(handler) and not inspect.ismethod(handler)
        if is_object and not hasattr(handler, "__wrapped__"):  # a decorated function names the function that it wraps
            return cls.of(method)
        parameters = inspect.signature(handler).parameters
        is_generator = inspect.isasyncgenfunction(handler)
        return cls(handler, parameters, _read_annotations(handler), is_generator)

    def get_annotation(self, parameter: inspect.Parameter) -> Any:
        """Return the annotation of a parameter, evaluated if that is possible."""
        return self.annotations.get(parameter.name, parameter.annotation)

    def list_annotations(self, names: Iterable[str]) -> dict[str, Any]:
        """Return the annotations of arguments by name; those without a parameter have that of the `**` parameter."""
        kinds = {parameter.kind: parameter for parameter in self.parameters.values()}
        others = kinds.get(inspect.Parameter.VAR_KEYWORD)
        other = inspect.Parameter.empty if others is None else self.get_annotation(others)
        members: dict[str, Any] = {}
        if get_origin(other) is Unpack:
            members, other = get_type_hints(get_args(other)[0]), inspect.Parameter.empty
        return {
            name: (self.get_annotation(self.parameters[name]) if name in self.parameters else members.get(name, other))
            for name in names
        }


def _read_annotations(function: Callable[..., Any]) -> dict[str, Any]:
    """Return the annotations of a function, each evaluated if its names exist at run time."""
    try:
        return get_type_hints(function, include_extras=True)
    except Exception:
        pass
    inner = inspect.unwrap(function)
    inner = getattr(inner, "__func__", inner)
    scope = getattr(inner, "__globals__", {})
    texts: dict[str, Any] = getattr(inner, "__annotations__", {})
    return {name: _evaluate(text, scope) for name, text in texts.items()}


def _evaluate(annotation: Any, scope: dict[str, Any]) -> Any:
    holder = type("_", (), {"__annotations__": {"it": annotation}})
    try:
        return get_type_hints(holder, scope, include_extras=True)["it"]
    except Exception:
        return annotation


def _describe_partial(handler: functools.partial[Any]) -> HandlerFunction:
    """Describe a partial by a function with the same parameters, because SDKs find no annotations in a partial."""
    inner = HandlerFunction.of(handler.func)
    if inspect.iscoroutinefunction(inner.function):

        async def call_coroutine(*args: Any, **arguments: Any) -> Any:
            return await handler(*args, **arguments)

        function: Any = call_coroutine
    else:

        def call(*args: Any, **arguments: Any) -> Any:
            return handler(*args, **arguments)

        function = call
    signature = inspect.signature(handler)
    functools.update_wrapper(function, inner.function, updated=())
    del function.__wrapped__
    annotations = {name: inner.annotations[name] for name in signature.parameters if name in inner.annotations}
    function.__signature__ = signature
    function.__annotations__ = {
        name: annotation for name, annotation in annotations.items() if not isinstance(annotation, str)
    }
    return HandlerFunction(function, signature.parameters, annotations, inner.is_generator)


@dataclass(frozen=True)
class HandlerCall:
    """How a handler takes the arguments of its tool."""

    names: Mapping[str, str]
    """Wire names of the tool's arguments by Python names."""
    renamed: Mapping[str, str]
    """Parameters with a wire name, by Python names: `maxResults` instead of `max_results`."""
    parameters: frozenset[str]
    takes_extras: bool
    """Whether the handler has a `**` parameter for undeclared arguments."""
    whole: str | None
    """The parameter that takes all arguments as one object; None if each has its own."""
    fields: Mapping[str, FieldInfo]
    """Parameters whose default is in pydantic's `Field(…)`."""
    as_json: frozenset[str] = frozenset()
    """Parameters that receive JSON instead of instances of generated classes."""

    @classmethod
    def of(cls, handler: HandlerFunction, arguments: type[BaseModel], injected: Iterable[str]) -> HandlerCall:
        """Check a handler's signature against the arguments of its tool.

        Raises:
            TypeError: the handler cannot be called with the tool's arguments.
        """
        filled = frozenset(injected)
        whole = _find_whole(handler, arguments, filled)
        as_json: frozenset[str] = frozenset()
        fields = {
            name: field
            for name, parameter in handler.parameters.items()
            if name not in filled and (field := _find_field(handler, parameter)) is not None
        }
        declared = list_parameters(arguments)
        names = {name: parameter.wire for name, parameter in declared.items()}
        renamed = find_renamed(names, handler.parameters)
        expected = {renamed.get(name, name): parameter for name, parameter in declared.items()}
        if whole is None and (whole := _find_whole_json(handler, expected, filled)) is not None:
            as_json = frozenset((whole,))
        problems = [*_find_problems(handler, arguments, filled, fields, whole, {} if whole else expected)]
        if problems:
            raise TypeError("; ".join(problems))
        kinds = {parameter.kind for parameter in handler.parameters.values()}
        return cls(
            names,
            renamed,
            frozenset(handler.parameters),
            inspect.Parameter.VAR_KEYWORD in kinds,
            whole,
            {name: field for name, field in fields.items() if not field.is_required()},
            as_json,
        )

    @property
    def given(self) -> frozenset[str]:
        """The parameters that receive a client's arguments."""
        return frozenset(self.wires if self.whole is None else (self.whole,))

    @cached_property
    def wires(self) -> Mapping[str, str]:
        """Wire names of the tool's arguments by the handler's parameters."""
        return {self.renamed.get(name, name): wire for name, wire in self.names.items()}

    def warn_about_defaults(self, tool: str, handler: HandlerFunction, schema: Mapping[str, Any]) -> None:
        """Log a warning for each parameter whose default differs from that of the inputSchema.

        A default of None is left out: it says that the argument is absent.
        """
        properties = cast(dict[str, Any], schema.get("properties", {}))
        for name, wire in self.wires.items() if self.whole is None else ():
            declared: Any = properties.get(wire)
            if name not in handler.parameters or not isinstance(declared, dict):
                continue
            field = self.fields.get(name)
            own: Any = handler.parameters[name].default if field is None else field.default
            default: Any = cast(Any, declared).get("default", own)
            if type(own) not in (str, int, float, bool):
                continue
            if own != default or isinstance(own, bool) is not isinstance(default, bool):
                logger.warning(_OTHER_DEFAULT, tool, name, own, default)

    def select(self, instance: BaseModel, sent: Mapping[str, Any]) -> dict[str, Any]:
        """Return the keyword arguments of a call.

        Args:
            instance: the client's arguments.
            sent: the same arguments, as the client sent them.
        """
        if self.whole is not None:
            is_json = self.whole in self.as_json
            out: dict[str, Any] = {self.whole: cast(Any, instance).to_structured_content() if is_json else instance}
        else:
            selected, extras = select_arguments(instance, sent, self.names)
            out = {self.renamed.get(name, name): value for name, value in selected.items()}
            for name in self.as_json & out.keys():
                out[name] = to_json_value(out[name])
            if self.takes_extras and extras:
                named = self.parameters | self.given
                out.update({key: item for key, item in extras.items() if key not in named})
        for name, field in self.fields.items():
            if name not in out:
                out[name] = field.get_default(call_default_factory=True, validated_data=dict(out))
        return out


def _find_field(handler: HandlerFunction, parameter: inspect.Parameter) -> FieldInfo | None:
    """Return the `Field(…)` of pydantic that has the default of a parameter."""
    if parameter.default is not inspect.Parameter.empty:
        return parameter.default if isinstance(parameter.default, FieldInfo) else None
    annotation = handler.get_annotation(parameter)
    if get_origin(annotation) is not Annotated:
        return None
    fields = [item for item in get_args(annotation)[1:] if isinstance(item, FieldInfo)]
    return next((field for field in reversed(fields) if not field.is_required()), None)


def _find_whole(handler: HandlerFunction, arguments: type[BaseModel], injected: frozenset[str]) -> str | None:
    """Return the parameter whose annotation is the class of the tool's arguments."""
    for name, parameter in handler.parameters.items():
        annotation = handler.get_annotation(parameter)
        if get_origin(annotation) is Annotated:
            annotation = get_args(annotation)[0]
        if name in injected or not _names_class(annotation, arguments):
            continue
        field = arguments.model_fields.get(name)
        if field is None or arguments not in kinds_of(field.annotation):  # an argument of its own
            return name
    return None


def _find_whole_json(
    handler: HandlerFunction, declared: Mapping[str, Parameter], injected: frozenset[str]
) -> str | None:
    """Return the parameter that is a `dict` or a `Mapping` for all arguments, if no other one is an argument."""
    if not declared.keys().isdisjoint(handler.parameters):
        return None
    names = [
        name
        for name, parameter in handler.parameters.items()
        if name not in injected
        and parameter.default is parameter.empty
        and parameter.kind in (parameter.POSITIONAL_OR_KEYWORD, parameter.KEYWORD_ONLY)
        and _is_mapping(handler.get_annotation(parameter))
    ]
    is_mistake = len(names) != 1 or difflib.get_close_matches(names[0], declared, 1)
    return None if is_mistake else names[0]


def _is_mapping(annotation: Any) -> bool:
    kinds = kinds_of(annotation)
    if isinstance(kinds[0], str):
        return re.match(r"([\w.]*\.)?([Dd]ict|(Mutable)?Mapping)\b", kinds[0]) is not None
    origins = [get_origin(kind) or kind for kind in kinds]
    return any(isinstance(origin, type) and issubclass(origin, Mapping) for origin in origins)


def _names_class(annotation: Any, cls: type[BaseModel]) -> bool:
    if isinstance(annotation, str):
        return annotation.strip("'\"").rpartition(".")[2] == cls.__name__
    return annotation is cls


def _find_problems(
    handler: HandlerFunction,
    arguments: type[BaseModel],
    injected: frozenset[str],
    fields: Mapping[str, FieldInfo],
    whole: str | None,
    declared: Mapping[str, Parameter],
) -> Iterator[str]:
    known = injected if whole is None else {*injected, whole}
    advice = ""
    if whole is not None:
        advice = ": bind a `functools.partial` of the handler that gives it, or write a default"
    elif len(handler.parameters.keys() - injected) == 1 and declared:
        advice = f": annotate it with `dict[str, Any]` or `{arguments.__name__}` if it is for all arguments"
    for name, parameter in handler.parameters.items():
        field = fields.get(name)
        has_default = not (field.is_required() if field is not None else parameter.default is inspect.Parameter.empty)
        if parameter.kind is inspect.Parameter.POSITIONAL_ONLY:
            yield f"{name!r} can only be passed by position"
        elif parameter.kind in (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD) or name == whole:
            continue
        elif name in declared:
            if not declared[name].required and not has_default:
                yield f"{name!r} may be absent, so the parameter needs a default"
        elif name not in injected and (not has_default or parameter.default is INJECTED):
            addition = f" beside {whole!r}" if whole is not None and name in arguments.model_fields else ""
            yield f"{name!r} is not an argument of the tool{addition}, and the SDK does not fill it in{advice}"
    yield from find_missing(handler.parameters, declared, known)
