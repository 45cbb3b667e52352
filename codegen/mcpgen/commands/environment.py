"""Facts about the environment that mcpgen runs in: its libraries and the SDKs that are installed."""

from __future__ import annotations

import importlib.metadata
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass

from mcpgen.commands.project_environment import get_own_environment
from mcpgen.libraries import is_release_between
from mcpgen.targets import SDKS


@dataclass(frozen=True)
class InstalledLibrary:
    """A library that mcpgen depends on."""

    name: str
    version: str
    """Empty if it is not installed."""
    required: str
    """The versions that mcpgen asks for, such as `>=2.12`; empty: any."""
    fits: bool


@dataclass(frozen=True)
class InstalledSdk:
    """An SDK that packages can be generated for, as far as it is installed."""

    distribution: str
    version: str
    """Empty if it is not installed."""
    sdk: str
    """The value of the setting `sdk` that supports this version; empty if none does."""
    supported: str
    """The values of `sdk` and the versions that each supports, for messages."""


def list_libraries() -> list[InstalledLibrary]:
    """Return the libraries that mcpgen and the run-time library depend on always, sorted by name."""
    from packaging.requirements import Requirement
    from packaging.version import InvalidVersion

    environment = get_own_environment()
    libraries: list[InstalledLibrary] = []
    for requirement in map(Requirement, _list_requirements()):
        if requirement.marker is not None and not requirement.marker.evaluate({"extra": ""}):
            continue
        version = environment.find_versions([requirement.name]).get(requirement.name, "")
        try:
            fits = bool(version) and requirement.specifier.contains(version, prereleases=True)
        except InvalidVersion:
            fits = False
        libraries.append(InstalledLibrary(requirement.name, version, str(requirement.specifier), fits))
    return sorted(libraries, key=lambda library: library.name.lower())


def _list_requirements() -> Iterator[str]:
    for distribution in ("mcpgen", "mcpgen-runtime"):
        with suppress(importlib.metadata.PackageNotFoundError):
            yield from importlib.metadata.requires(distribution) or ()


def list_sdks() -> list[InstalledSdk]:
    """Return the SDKs that packages can be generated for, by the distributions that they come in."""
    found: dict[str, InstalledSdk] = {}
    environment = get_own_environment()
    for distribution in dict.fromkeys(sdk.distributions[-1] for sdk in SDKS):
        rows = [sdk for sdk in SDKS if sdk.distributions[-1] == distribution]
        names = dict.fromkeys(name for sdk in rows for name in (*reversed(sdk.distributions), *sdk.installed_as))
        installed, version = next(iter(environment.find_versions(names).items()), (distribution, ""))
        fitting = [sdk.name for sdk in rows if is_release_between(version, sdk.oldest, sdk.below)]
        supported = ", ".join(f'sdk = "{sdk.name}" for >={sdk.oldest},<{sdk.below}' for sdk in rows)
        found[distribution] = InstalledSdk(installed, version, fitting[0] if fitting else "", supported)
    return list(found.values())
