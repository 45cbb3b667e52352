"""Find the SDK that a project uses: by its dependencies, its lock files and its environment."""

from __future__ import annotations

import importlib.metadata
import os
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import chain
from pathlib import Path

from packaging.specifiers import SpecifierSet
from packaging.version import InvalidVersion, Version

from mcpgen.commands.project_requirements import (
    DeclaredRequirement,
    find_locked_versions,
    list_project_folders,
    list_requirements,
)
from mcpgen.files import looks
from mcpgen.libraries import is_release_between
from mcpgen.targets import NO_SDK, SDK_DISTRIBUTION, SDKS, Sdk, get_sdk

ENVIRONMENT_FOLDERS = (".venv", "venv")


@dataclass(frozen=True)
class Environment:
    """An environment of Python."""

    title: str
    paths: tuple[str, ...]
    """Folders with its distributions."""

    def find_versions(self, names: Iterable[str]) -> dict[str, str]:
        """Return the versions of some distributions, by their normalized names."""
        return {name: version for name in names if (version := self._find_version(name)) is not None}

    def _find_version(self, name: str) -> str | None:
        for path in self.paths:
            with suppress(OSError):
                looks.list_folder(path)  # which shows that a distribution is added or removed
        context = importlib.metadata.DistributionFinder.Context(name=name, path=[*self.paths])
        for distribution in importlib.metadata.Distribution.discover(context=context):
            with suppress(KeyError):  # what is left of an installation that was broken off
                return distribution.version
        return None


def find_environment(folders: Iterable[Path]) -> Environment:
    """Return the environment of a project: its own, else the active one, else the one that runs mcpgen."""
    for folder in folders:
        for name in ENVIRONMENT_FOLDERS:
            if looks.is_file(folder / name / "pyvenv.cfg"):
                return Environment(name, _list_site_packages(folder / name))
    for variable in ("VIRTUAL_ENV", "CONDA_PREFIX"):
        prefix = os.environ.get(variable, "")
        if prefix and looks.is_folder(prefix):
            return Environment("the active environment", _list_site_packages(Path(prefix)))
    return get_own_environment()


def get_own_environment() -> Environment:
    """Return the environment that runs mcpgen."""
    return Environment("the environment that runs mcpgen", tuple(sys.path))


def _list_site_packages(prefix: Path) -> tuple[str, ...]:
    patterns = ("lib/python*/site-packages", "lib64/python*/site-packages", "Lib/site-packages")
    return tuple(str(path) for pattern in patterns for path in sorted(prefix.glob(pattern)))


_LARGE = "99999"
"""More minor versions than any major version has."""


@dataclass(frozen=True)
class SdkChoice:
    """The SDK that suits a project, and why."""

    sdk: str
    reason: str
    remarks: tuple[str, ...] = ()
    """What else was found, and what does not fit."""

    def describe(self) -> list[str]:
        """Return lines for people."""
        return [f'chose sdk = "{self.sdk}": {self.reason}', *self.remarks]


@dataclass(frozen=True)
class _Candidate:
    name: str
    reason: str
    specifier: SpecifierSet | None = None
    """None: the reason is a version."""

    def allows(self, version: Version) -> bool:
        """Tell whether the project can run with a version."""
        return self.specifier is None or self.specifier.contains(version, prereleases=True)


_KnownVersion = tuple[Version, str]
"""The version of a distribution that a project runs with, and what says so."""


def choose_sdk(folder: Path, only_required: bool = False) -> SdkChoice:
    """Return the SDK of the project in a folder. No SDK is imported.

    What the project requires itself comes before its extras and groups, these before what is only locked, and that
    before what is only installed. Of several SDKs the official one counts last, since the others bring it along. With
    `only_required`, only what the project requires counts, itself or in its extras and groups.
    """
    folders = list_project_folders(folder)
    names = frozenset(name for sdk in SDKS for name in _list_distributions(sdk))
    requirements = [
        [item for item in list_requirements(each) if item.name in names and item.specifier is not None]
        for each in folders
    ]
    if only_required and not any(requirements):
        return SdkChoice(NO_SDK, "no SDK is among the dependencies")
    locked = next(filter(None, (find_locked_versions(each, names) for each in folders)), dict[str, tuple[str, str]]())
    environment = find_environment(folders)
    found = [[(name, version, f"{file} has {name} {version}") for name, (version, file) in locked.items()]]
    installed = environment.find_versions(sorted(names)).items()
    found.append([(name, version, f"{environment.title} has {name} {version}") for name, version in installed])
    for candidates in _list_candidates(requirements, found):
        if candidates:
            official_last = sorted(candidates, key=lambda candidate: candidate.name == SDK_DISTRIBUTION)
            return _choose(official_last, _list_known_versions(found))
    reason = f"no SDK is among the dependencies, and none is installed in {environment.title}"
    return SdkChoice(NO_SDK, reason, ("without an SDK there are no server.py and client.py; --sdk names one",))


def is_sdk_importable(name: str) -> bool:
    """Tell whether commands such as `show` can import a package for an SDK here. The SDK is not imported."""
    sdk = get_sdk(name)
    if sdk is None:
        return True
    installed = get_own_environment().find_versions(_list_distributions(sdk))
    return any(is_release_between(version, sdk.oldest, sdk.below) for version in installed.values())


def _list_distributions(sdk: Sdk) -> tuple[str, ...]:
    return (*sdk.distributions, *sdk.installed_as)


_FoundVersion = tuple[str, str, str]
"""A distribution that is locked or installed, its version, and both in words."""


def _list_candidates(
    requirements: Sequence[Sequence[DeclaredRequirement]], found: Sequence[Sequence[_FoundVersion]]
) -> Iterator[list[_Candidate]]:
    for of_folder in requirements:
        for is_own in (True, False):
            of_part = [item for item in of_folder if (item.part == "dependencies") is is_own]
            yield [_Candidate(item.name, f'{item.file} requires "{item.text}"', item.specifier) for item in of_part]
    yield from ([_Candidate(name, reason) for name, _, reason in of_source] for of_source in found)


def _list_known_versions(found: Sequence[Sequence[_FoundVersion]]) -> dict[str, list[_KnownVersion]]:
    """Return the versions of each distribution that the project runs with, the most certain first."""
    known: dict[str, list[_KnownVersion]] = {}
    for name, text, source in chain.from_iterable(found):
        with suppress(InvalidVersion):
            known.setdefault(name, []).append((Version(text), source))
    return known


def _choose(candidates: Sequence[_Candidate], known: Mapping[str, list[_KnownVersion]]) -> SdkChoice:
    first = candidates[0]
    sdk, reason, remarks = _choose_version(first, known.get(first.name, []))
    others: dict[str, str] = {}
    for other in candidates[1:]:
        name: str = _choose_version(other, known.get(other.name, []))[0].name
        if name != sdk.name and other.name not in _list_distributions(sdk):
            others.setdefault(name, other.name)
    for name, distribution in others.items():
        why = f", which {first.name} builds on" if distribution == SDK_DISTRIBUTION else ""
        remarks = (*remarks, f"{distribution} is there, too{why}: --sdk {name} chooses it")
    return SdkChoice(sdk.name, reason, remarks)


def _choose_version(candidate: _Candidate, known: Sequence[_KnownVersion]) -> tuple[Sdk, str, tuple[str, ...]]:
    """Return the SDK of a candidate by its version, with the reason, and a remark if the version is not supported."""
    rows = [sdk for sdk in SDKS if candidate.name in _list_distributions(sdk)]
    for version, source in known:
        row = next((sdk for sdk in rows if _has_major(sdk, version)), None)
        if row is not None and candidate.allows(version):
            is_told = candidate.specifier is None or len(rows) == 1
            reason = candidate.reason if is_told else f"{candidate.reason}, and {source}"
            is_supported = is_release_between(str(version), row.oldest, row.below)
            return row, reason, () if is_supported else (_describe_support(row, candidate.name),)
    for row in rows:
        if any(map(candidate.allows, _list_samples(row, candidate))):
            return row, candidate.reason, ()
    mentioned = _list_mentioned(candidate)
    row = next((sdk for sdk in rows if any(_has_major(sdk, version) for version in mentioned)), rows[0])
    return row, candidate.reason, (_describe_support(row, candidate.name),)


def _describe_support(sdk: Sdk, distribution: str) -> str:
    return f"generated code for {sdk.name} needs {distribution} {sdk.oldest} or newer, below {sdk.below}"


def _has_major(sdk: Sdk, version: Version) -> bool:
    return Version(sdk.oldest).major <= version.major < Version(sdk.below).major


def _list_samples(sdk: Sdk, candidate: _Candidate) -> Iterator[Version]:
    """Yield supported versions of an SDK, such that a specifier that allows any of them allows one of these."""
    oldest, below = Version(sdk.oldest), Version(sdk.below)
    yield oldest
    for major in range(oldest.major, below.major):
        yield Version(f"{major}.{_LARGE}")
    for version in _list_mentioned(candidate):
        for sample in (version, Version(f"{version.base_version}.1")):
            if is_release_between(str(sample), sdk.oldest, sdk.below):
                yield sample


def _list_mentioned(candidate: _Candidate) -> list[Version]:
    versions: list[Version] = []
    for specifier in candidate.specifier or ():
        with suppress(InvalidVersion):
            versions.append(Version(specifier.version.removesuffix(".*")))
    return versions
