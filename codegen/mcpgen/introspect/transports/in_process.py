"""A server object of a Python module: imported, found, made."""

from __future__ import annotations

import contextlib
import difflib
import importlib
import inspect
import sys
from collections.abc import Generator
from pathlib import Path
from typing import Any

from mcpgen.introspect.errors import IntrospectionError
from mcpgen.introspect.server_address import InProcess
from mcpgen.introspect.transports.base import find_low_level_server


def load_server(place: InProcess) -> Any:
    """The server at a place, made by calling what stands there if that is a function.

    The working folder can be imported from, as with `python -m`. What the module prints goes to standard error.

    Raises:
        CannotAsk: there is none.
    """
    here = str(Path.cwd())
    if here not in sys.path:
        sys.path.insert(0, here)
    with contextlib.redirect_stdout(sys.stderr), _suppress_bytecode():
        value = _get_attribute(_load_module(place), place)
        if not hasattr(value, "create_initialization_options") and inspect.isroutine(value):
            value = _call_factory(value, place)
    find_low_level_server(value)
    return value


@contextlib.contextmanager
def _suppress_bytecode() -> Generator[None]:
    """Import without writing `__pycache__`: asking leaves nothing behind."""
    before, sys.dont_write_bytecode = sys.dont_write_bytecode, True
    try:
        yield
    finally:
        sys.dont_write_bytecode = before


def _load_module(place: InProcess) -> Any:
    try:
        return importlib.import_module(place.module)
    except ModuleNotFoundError as error:
        if error.name is not None and f"{place.module}.".startswith(f"{error.name}."):
            help = f'write "{place.module[:-3]}:{place.attribute}"' if place.module.endswith(".py") else ""
            help = help or "modules are looked for in the working folder and where Python finds them"
            raise IntrospectionError("MG703", f'there is no module "{error.name}"', help) from None
        raise _make_error(f'the module "{place.module}" cannot be imported', error) from None
    except (Exception, SystemExit) as error:  # a module may raise anything
        raise _make_error(f'the module "{place.module}" cannot be imported', error) from None


def _get_attribute(module: Any, place: InProcess) -> Any:
    value = module
    for name in place.attribute.split("."):
        try:
            value = getattr(value, name)
        except AttributeError:
            close = difflib.get_close_matches(name, dir(value), 1)
            help = f'did you mean "{close[0]}"?' if close else ""
            raise IntrospectionError("MG703", f'"{place.module}" has no "{place.attribute}"', help) from None
    return value


def _call_factory(factory: Any, place: InProcess) -> Any:
    try:
        value = factory()
        if inspect.iscoroutine(value):
            anyio: Any = importlib.import_module("anyio")
            return anyio.run(_await_value, value)
        return value
    except (Exception, SystemExit) as error:  # a factory may raise anything
        raise _make_error(f'"{place.module}:{place.attribute}" fails when it is called', error) from None


async def _await_value(value: Any) -> Any:
    return await value


def _make_error(what: str, error: BaseException) -> IntrospectionError:
    return IntrospectionError("MG703", f"{what}: {type(error).__name__}: {error}")
