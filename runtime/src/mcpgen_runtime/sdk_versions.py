"""Check that the SDK of the package is installed, in a supported version."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from importlib.metadata import PackageNotFoundError, version
from inspect import unwrap
from pathlib import PurePath
from typing import Any, NamedTuple


class WrongSdk(ImportError):
    """Raised when the installed SDK is not the one that the package was generated for."""


class SdkRequirement(NamedTuple):
    """The SDK that a package was generated for."""

    sdk: str
    """The value of `sdk` in the settings."""
    distributions: tuple[str, ...]
    """The distributions that provide it; any of them is enough."""
    oldest: str
    """The oldest supported version."""
    below: str
    """The first unsupported version."""

    def __str__(self) -> str:
        return f"{self.distributions[0]}>={self.oldest},<{self.below}"

    def check_version(self) -> None:
        """Check the version of the installed SDK.

        Raises:
            WrongSdk: it is not installed, or its version is not supported.
        """
        name, installed = self._find_installed()
        if _parse(self.oldest) <= _parse(installed) < _parse(self.below):
            return
        state = f"{name} {installed} is installed" if installed else f"{name} is not installed"
        raise WrongSdk(
            f'this package was generated for sdk = "{self.sdk}", which needs {self}, and {state}: '
            f"pip install '{self}', or set sdk to the SDK that you use and run mcpgen build"
        )

    def read_private(self, owner: object, name: str) -> Any:
        """Return a private attribute of one of the SDK's objects.

        Raises:
            WrongSdk: the installed version has no such attribute.
        """
        try:
            return getattr(owner, name)
        except AttributeError:
            distribution, installed = self._find_installed()
            text = f"{type(owner).__name__} of {distribution} {installed} has no {name}"
            help = f"install another version of {self}, or a newer mcpgen and build again"
            raise WrongSdk(f"{text}, which this package reads: {help}") from None

    def _find_installed(self) -> tuple[str, str]:
        """Return the installed distribution and its version; the version is empty if there is none."""
        for name in self.distributions:
            try:
                return name, version(name)
            except PackageNotFoundError:
                continue
        return self.distributions[0], ""


def _parse(text: str) -> tuple[int, ...]:
    """Return the numbers at the start of a version: (2, 0, 0) for 2.0.0rc1."""
    numbers: list[int] = []
    for part in text.split("."):
        digits = part[: len(part) - len(part.lstrip("0123456789"))]
        if not digits:
            break
        numbers.append(int(digits))
    return tuple(numbers)


# --- servers ---------------------------------------------------------------------------------------------------------
_APPS = ("starlette", "fastapi", "uvicorn")
"""Packages of web frameworks."""


def check_server(server: object, kinds: tuple[type[Any], ...], expected: str) -> None:
    """Check that an object is a server of the package's SDK.

    Args:
        server: the argument of `bind`.
        kinds: the classes of servers that `bind` accepts.
        expected: the same for messages.

    Raises:
        TypeError: it is something else; the message says what to do.
    """
    if not isinstance(server, kinds):
        raise _make_server_error(server, expected)


def _make_server_error(server: object, expected: str) -> TypeError:
    from .sdk_servers import SERVERS, SESSION_MODULES

    kind = server if isinstance(server, type) else type(server)
    error_name = f"{kind.__module__}.{kind.__qualname__}".removeprefix("builtins.")
    origins = {f"{base.__module__}." for base in kind.__mro__}  # a subclass by the user is a server, too
    text = f"bind takes {expected}, not "
    if isinstance(server, type):
        return TypeError(f"{text}the class {error_name}: pass the server, an instance")
    if _starts_with(origins, SESSION_MODULES):
        return TypeError(f"{text}a {error_name}, which is a session: pass the server itself")
    for module, sdks in SERVERS.items():
        if _starts_with(origins, [module]):
            return TypeError(f"{text}a {error_name}: set sdk = {sdks} in the settings and run mcpgen build")
    if _starts_with(origins, _APPS):
        return TypeError(f"{text}a {error_name}: pass the server that the app is made from")
    return TypeError(f"{text}an object of the type {error_name}: pass the server that offers the tools")


def _starts_with(origins: Iterable[str], modules: Iterable[str]) -> bool:
    prefixes = tuple(f"{module}." for module in modules)
    return any(origin.startswith(prefixes) for origin in origins)


def name_taken(tool: str) -> str:
    """Return the message for a tool that the server already has."""
    return f"the server has a tool {tool} already: remove it there, or bind no handler to {tool} here"


def find_taken(server_names: Iterable[str], bound: Iterable[str]) -> str | None:
    """Return the message for the first bound tool that the server's own handler also lists."""
    names = frozenset(server_names)
    return next((name_taken(tool) for tool in bound if tool in names), None)


def find_doubled(own_tools: Iterable[Any], handlers: Mapping[str, object]) -> Iterator[str]:
    """Yield a message for each handler that the SDK's own decorator has registered, too.

    Args:
        own_tools: the tools of the SDK's decorator, which have their function in `fn`.
        handlers: the handler of each bound tool, by the tool's name.
    """
    names = {id(handler): name for name, handler in handlers.items()}
    for tool in own_tools:
        if (name := names.get(id(tool.fn))) is not None:
            effect = "replaces it" if tool.name == name else "is a second tool"
            yield (
                f"the handler of {name}{_locate(tool.fn)} also has the SDK's decorator: "
                f"its tool {tool.name} {effect}, without the checks of mcpgen. Remove the SDK's decorator"
            )


def _locate(function: Any) -> str:
    """Return where a function is defined, as in ` (server.py, line 12)`; empty if that is not known."""
    code = getattr(unwrap(function), "__code__", None)
    if code is None:
        return ""
    return f" ({PurePath(code.co_filename).name}, line {code.co_firstlineno})"


__all__ = ["SdkRequirement", "WrongSdk", "check_server", "find_doubled", "find_taken", "name_taken"]
