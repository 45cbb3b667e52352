"""A package for each SDK, whose modules generated code imports, and what code for every SDK imports.

Each module for an SDK first checks which version is installed; its package does not, so that a generated package can be
imported without the SDK.
"""

from __future__ import annotations

import re
from typing import Any, NamedTuple


class WrongSdk(ImportError):
    """Raised when the installed SDK is not one that the package works with: another one, or another version."""


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
        """Raise WrongSdk if the SDK is not installed, or its version is not supported."""
        name, installed = self._find_installed()
        if _parse(self.oldest) <= _parse(installed) < _parse(self.below):
            return
        state = f"{name} {installed} is installed" if installed else f"{name} is not installed"
        raise WrongSdk(
            f'this package was generated for sdk = "{self.sdk}", which needs {self}, and {state}: '
            f"pip install '{self}', or set sdk to the SDK that you use and run mcpgen build"
        )

    def read_private(self, owner: object, name: str) -> Any:
        """Return a private attribute of one of the SDK's objects, or raise WrongSdk: the installed version has none."""
        try:
            return getattr(owner, name)
        except AttributeError:
            distribution, installed = self._find_installed()
            kind = owner if isinstance(owner, type) else type(owner)
            raise WrongSdk(
                f"{kind.__name__} of {distribution} {installed} has no {name}, which mcpgen-runtime reads: install "
                f"another version of {distribution} (mcpgen-runtime was tested with {self}), or a newer mcpgen-runtime"
            ) from None

    def _find_installed(self) -> tuple[str, str]:
        """Return the installed distribution and its version; the version is empty if there is none."""
        from importlib import metadata  # here, since it is slow to import, and a package's import needs none

        for name in self.distributions:
            try:
                return name, metadata.version(name)
            except metadata.PackageNotFoundError:
                continue
        return self.distributions[0], ""


def _parse(version: str) -> tuple[int, ...]:
    """Return the numbers at the start of a version: (2, 0, 0) for 2.0.0rc1."""
    match = re.match(r"\d+(\.\d+)*", version)
    return tuple(map(int, match[0].split("."))) if match else ()
