"""Limits for untrusted values, which each package may choose: `limits` in the settings of mcpgen."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import NamedTuple


class Limits(NamedTuple):
    """Limits for the values that a package reads."""

    value_depth: int = 400
    """Maximum levels of arrays and objects in a value."""
    pattern_length: int = 2_000
    """Maximum characters of a string that is matched against a pattern which needs backtracking."""
    pattern_steps: int = 20_000
    """Maximum steps back of such a match."""

    @property
    def depth_message(self) -> str:
        """The message for values that are nested too deeply."""
        return f"should be nested at most {self.value_depth} levels deep, the limit `value-depth`"


DEFAULT_LIMITS = Limits()
_limits: ContextVar[Limits] = ContextVar(f"{__name__}.limits", default=DEFAULT_LIMITS)
_limits_by_package: dict[str, Limits] = {}
"""The limits of packages that chose other than the default ones, by name."""


def get_limits() -> Limits:
    """Return the limits of the package whose value is being read."""
    return _limits.get()


@contextmanager
def use_limits(limits: Limits) -> Generator[None]:
    """Read values with these limits."""
    token = _limits.set(limits)
    try:
        yield
    finally:
        _limits.reset(token)


def set_limits(package: str, limits: Limits) -> None:
    """Set the limits of a package."""
    if limits == DEFAULT_LIMITS:
        _limits_by_package.pop(package, None)
    else:
        _limits_by_package[package] = limits


def find_limits(module: str) -> Limits:
    """Return the limits of the package that a module belongs to, by the module's name."""
    if not _limits_by_package:
        return DEFAULT_LIMITS
    while module:
        if module in _limits_by_package:
            return _limits_by_package[module]
        module = module.rpartition(".")[0]
    return DEFAULT_LIMITS


__all__ = ["DEFAULT_LIMITS", "Limits", "find_limits", "get_limits", "set_limits", "use_limits"]
