"""Compare the signature of a handler with what it will be called with: resources and prompts."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class HandlerSignature:
    """The parameters of a handler, by who fills them in."""

    taken: frozenset[str]
    """Declared parameters that the handler takes."""

    @classmethod
    def of(
        cls,
        subject: str,
        handler: Callable[..., Any],
        declared: Mapping[str, bool],
        injected: Iterable[str],
    ) -> HandlerSignature:
        """Check a handler.

        Args:
            subject: what it answers, for messages.
            handler: takes keyword parameters.
            declared: the parameters that it is called with, each with whether it may be absent.
            injected: the parameters that the SDK fills in.

        Raises:
            TypeError: the handler cannot be called with these parameters.
        """
        parameters = inspect.signature(handler).parameters
        problems = [*_find_problems(parameters, declared, frozenset(injected))]
        if problems:
            raise TypeError(f"the handler of {subject} does not fit: {'; '.join(problems)}")
        kinds = {parameter.kind for parameter in parameters.values()}
        takes_all = inspect.Parameter.VAR_KEYWORD in kinds
        return cls(frozenset(name for name in declared if takes_all or name in parameters))

    def select(self, values: Mapping[str, object]) -> dict[str, Any]:
        """Return the values that the handler takes; those that are absent keep its defaults."""
        return {
            name: value
            for name, value in values.items()
            if name in self.taken and value is not None
        }


def _find_problems(
    parameters: Mapping[str, inspect.Parameter],
    declared: Mapping[str, bool],
    injected: frozenset[str],
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
            yield f"{name!r} is none of its parameters, and the SDK does not fill it in"
    if all(
        parameter.kind is not inspect.Parameter.VAR_KEYWORD for parameter in parameters.values()
    ):
        for name in declared:
            if name not in parameters:
                yield f"it takes no {name!r}"


__all__ = ["HandlerSignature"]
