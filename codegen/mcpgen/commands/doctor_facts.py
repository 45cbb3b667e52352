"""What `mcpgen doctor` finds out."""

from __future__ import annotations

from dataclasses import dataclass, field

from mcpgen.commands.environment import InstalledLibrary, InstalledSdk
from mcpgen.schema.values import Json

DEFAULT = "default"
"""Origin of a setting that nobody has chosen."""


@dataclass(frozen=True)
class SettingInForce:
    """A setting of a package."""

    key: str
    value: Json
    origin: str
    """Where it comes from: `mcpgen.toml:3`, or `default`."""


@dataclass(frozen=True)
class PackageState:
    """A package of the settings, and what is on disk."""

    out: str
    settings: list[SettingInForce]
    exists: bool
    built_for: str
    """The SDK that the files on disk were generated for; empty if that is not known."""
    state: str
    """`up to date`, `not built`, or what differs."""
    dependencies: str = ""
    """Whether its project lists what it imports at run time; empty if nothing says what that project depends on."""
    missing_dependencies: list[str] = field(default_factory=list[str])
    """What its project should list."""


@dataclass(frozen=True)
class CacheState:
    """The folder of the cache."""

    folder: str
    """Empty if no cache is used."""
    entries: int = 0
    size: int = 0
    flaw: str = ""
    """Why the folder is not used; empty if it is trusted."""


@dataclass
class DoctorReport:
    """Everything that `doctor` has found out."""

    mcpgen: str
    installed_in: str
    python: str
    executable: str
    system: str
    libraries: list[InstalledLibrary]
    sdks: list[InstalledSdk]
    settings_file: str
    """Empty if there is none, so that the defaults apply."""
    packages: list[PackageState]
    cache: CacheState
    state_folder: str
    settings_flaws: list[str] = field(default_factory=list[str])
    """Errors of the settings, one a line."""
    problems: list[str] = field(default_factory=list[str])
