"""Compare the parameters of a handler with the arguments of its calls, and find those that are not arguments."""

from __future__ import annotations

import difflib
import inspect
import types
import typing
from collections.abc import Callable, Container, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any


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
        problems = [*_find_problems(subject, parameters, expected, frozenset(injected))]
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


def _find_problems(
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
