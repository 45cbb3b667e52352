"""Options of the command line: each is declared once, and those that several commands share are grouped."""

from __future__ import annotations

import dataclasses
import functools
import inspect
import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, get_type_hints

import typer

from mcpgen.report.output import ColorMode, CommandOutput, OutputFormat
from mcpgen.targets import SDK_NAMES
from mcpgen.vocabularies import VOCABULARY_NAMES, VocabularyName

if TYPE_CHECKING:
    from mcpgen.cache.store import Store
    from mcpgen.commands.diff_comparison import DiffRequest
    from mcpgen.commands.docs import DocsRequest
    from mcpgen.commands.host_readings import HostRequest
    from mcpgen.commands.package_selection import LoadedPackages
    from mcpgen.commands.token_counts import ShowTokensRequest


def complete_sdks(incomplete: str) -> list[str]:
    """Return the SDKs whose names begin so."""
    return [sdk for sdk in SDK_NAMES if sdk.startswith(incomplete)]


def _complete_vocabularies(incomplete: str) -> list[str]:
    return [name for name in VOCABULARY_NAMES if name.startswith(incomplete)]


def complete_clients(incomplete: str) -> list[str]:
    """Return the clients of lint rules whose names begin so."""
    from mcpgen.lint.clients import CLIENTS

    return [client.name for client in CLIENTS if client.name.startswith(incomplete)]


def complete_codes(incomplete: str) -> list[tuple[str, str]]:
    """Return the diagnostics whose codes begin so, with their titles."""
    from mcpgen.diagnostics import CATALOGUE

    return [entry for entry in CATALOGUE.items() if entry[0].startswith(incomplete.upper())]


PathsArgument = Annotated[
    list[Path] | None,
    typer.Argument(help="Files and folders with definitions.", show_default="by the settings, or schemas"),
]
OutOption = Annotated[Path | None, typer.Option(help="Folder of the generated package.", show_default="generated")]
SdkOption = Annotated[
    str | None, typer.Option(help=f"The SDK: {', '.join(SDK_NAMES)}.", show_default="the package's or the project's")
]
ProtocolOption = Annotated[str | None, typer.Option(help="Default protocol version of calls.", show_default=False)]
ConfigOption = Annotated[Path | None, typer.Option(help="Settings file.", show_default="the nearest")]
RootOption = Annotated[
    Path | None,
    typer.Option(help="A folder outside the project that the settings may use.", show_default=False),
]
RuntimeOption = Annotated[
    Literal["installed", "vendored"] | None,
    typer.Option(help="Where the run-time code is: in the library, or copied.", show_default="installed"),
]
JobsOption = Annotated[int | None, typer.Option(min=1, help="Worker processes.", show_default="the machine's cores")]
FailOnOption = Annotated[
    Literal["error", "warning"] | None,
    typer.Option(help="What makes the command fail: errors only, or warnings, too.", show_default="by the settings"),
]
FormatOption = Annotated[OutputFormat, typer.Option(help="Output format.")]
ColorOption = Annotated[
    ColorMode, typer.Option(help="When to use colours; auto respects NO_COLOR, FORCE_COLOR and CLICOLOR.")
]


@dataclass(frozen=True, kw_only=True)
class TokenOptions:
    """Options that count tokens."""

    tokens: Annotated[bool, typer.Option("--tokens", help="Show only token counts, for one tool or for all.")] = False
    vocabulary: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME",
            help="With --tokens: the vocabulary to count with; may be repeated.",
            show_default="the budget's",
            autocompletion=_complete_vocabularies,
        ),
    ] = None
    jobs: JobsOption = None

    def make_request(self, tool: str | None, protocol: str | None) -> ShowTokensRequest:
        """Return what is to be counted.

        Raises:
            typer.BadParameter: there is no such vocabulary.
        """
        from mcpgen.commands.token_counts import ShowTokensRequest

        names = self.vocabulary or []
        if unknown := set(names).difference(VOCABULARY_NAMES):
            message = f'no vocabulary is called "{min(unknown)}": there are {", ".join(VOCABULARY_NAMES)}'
            raise typer.BadParameter(message, param_hint="--vocabulary")
        vocabularies: tuple[VocabularyName, ...] = tuple(name for name in VOCABULARY_NAMES if name in names)
        return ShowTokensRequest(tool, vocabularies, protocol, self.jobs or os.cpu_count() or 1)


def _complete_hosts(incomplete: str) -> list[str]:
    from mcpgen.hosts.table import HOSTS

    return [host.name for host in HOSTS if host.name.startswith(incomplete)]


@dataclass(frozen=True, kw_only=True)
class HostOptions:
    """Options that say which hosts read a result."""

    host: Annotated[
        str | None,
        typer.Option(
            metavar="NAME", help="Show what the model of this host reads of the result.", autocompletion=_complete_hosts
        ),
    ] = None
    hosts: Annotated[bool, typer.Option("--hosts", help="Compare what hosts read, for one tool or for all.")] = False

    def make_request(self, tool: str | None, value: str | None, protocol: str | None, jobs: int | None) -> HostRequest:
        """Return what is to be read.

        Raises:
            typer.BadParameter: there is no such host, or no tool for it.
        """
        from mcpgen.commands.host_readings import HostRequest
        from mcpgen.hosts.table import HOSTS_BY_NAME

        if self.host is not None and self.host not in HOSTS_BY_NAME:
            message = f'no host is called "{self.host}": there are {", ".join(HOSTS_BY_NAME)}'
            raise typer.BadParameter(message, param_hint="--host")
        if self.host is not None and self.hosts:
            raise typer.BadParameter("choose one of --host and --hosts")
        if tool is None and (self.host is not None or value is not None):
            raise typer.BadParameter("name a tool; only --hosts alone is for all of them")
        host = None if self.host is None else HOSTS_BY_NAME[self.host]
        return HostRequest(tool, host, value, protocol, jobs or os.cpu_count() or 1)


@dataclass(frozen=True, kw_only=True)
class SettingsOptions:
    """Options that say where settings are."""

    config: ConfigOption = None
    root: RootOption = None

    def load_packages(self, paths: list[Path] | None = None, **overrides: Any) -> LoadedPackages:
        """Load the packages; `paths` and the overrides, such as `out` and `sdk`, replace settings."""
        from mcpgen.commands.package_selection import select_packages

        return select_packages(self.config, self.root, paths or (), **overrides)


@dataclass(frozen=True, kw_only=True)
class PackageOptions:
    """Options that select packages and override their settings."""

    paths: PathsArgument = None
    out: OutOption = None
    sdk: SdkOption = None
    protocol: ProtocolOption = None
    runtime: RuntimeOption = None
    config: ConfigOption = None
    root: RootOption = None

    def load_packages(self) -> LoadedPackages:
        """Load the packages."""
        from mcpgen.commands.package_selection import select_packages

        overrides = self.out, self.sdk, self.protocol, self.runtime
        return select_packages(self.config, self.root, self.paths or (), *overrides)


@dataclass(frozen=True, kw_only=True)
class CacheOptions:
    """Options of the cache on disk."""

    cache_dir: Annotated[
        Path | None,
        typer.Option(help="Folder of the cache.", show_default="in the user's cache folder", file_okay=False),
    ] = None
    no_cache: Annotated[bool, typer.Option("--no-cache", help="Do not use a cache.")] = False

    def open_store(self) -> Store:
        """Open the cache that the options or the environment name."""
        from mcpgen.cache.store import Store, choose_folder

        return Store(choose_folder(self.cache_dir, self.no_cache))


@dataclass(frozen=True, kw_only=True)
class ReferenceOptions:
    """Options that say what a reference shows, and where it is written."""

    out: Annotated[Path | None, typer.Option(help="Folder of the reference.", show_default="site")] = None
    title: Annotated[str, typer.Option(help="Title of the reference.")] = "Server reference"
    since: Annotated[
        str | None, typer.Option(metavar="REVISION", help="Show the changes since a git revision.", show_default=False)
    ] = None
    force: Annotated[bool, typer.Option("--force", help="Overwrite files that are edited or not mcpgen's.")] = False

    def make_request(self, paths: list[Path], settings: SettingsOptions, jobs: int, cache: CacheOptions) -> DocsRequest:
        """Return what is to be written."""
        from mcpgen.commands.diff_comparison import DiffRequest
        from mcpgen.commands.docs import DocsRequest

        since: DiffRequest | None = None
        if self.since is not None:
            since = DiffRequest(
                (*paths,),
                self.since,
                ("names",),
                (),
                settings.config,
                jobs,
                root=settings.root,
                store=cache.open_store(),
            )
        return DocsRequest(self.out, self.title, since, self.force, jobs)


@dataclass(frozen=True, kw_only=True)
class FormatOptions:
    """Options of the output of a command that has no remarks."""

    format: FormatOption = "text"
    color: ColorOption = "auto"

    def open(self, command: str) -> CommandOutput:
        """Return the output channels of a command."""
        return CommandOutput(command, self.format, self.color)


@dataclass(frozen=True, kw_only=True)
class MessageOptions:
    """Options of the messages of a command whose standard output is for something else."""

    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Print only errors.")] = False
    color: ColorOption = "auto"

    def open(self, command: str) -> CommandOutput:
        """Return the output channels of a command."""
        return CommandOutput(command, "text", self.color, self.quiet)


@dataclass(frozen=True, kw_only=True)
class OutputOptions:
    """Options of a command's output."""

    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Print only errors.")] = False
    verbose: Annotated[
        bool, typer.Option("--verbose", "-v", help="Also print what was read, what was changed, and how long it took.")
    ] = False
    format: FormatOption = "text"
    color: ColorOption = "auto"

    def open(self, command: str) -> CommandOutput:
        """Return the output channels of a command.

        Raises:
            typer.BadParameter: it is to be quiet and verbose.
        """
        if self.quiet and self.verbose:
            raise typer.BadParameter("choose one of --quiet and --verbose")
        return CommandOutput(command, self.format, self.color, self.quiet, self.verbose)


def expand_groups(command: Callable[..., None]) -> Callable[..., None]:
    """Replace each parameter of a command whose type is a group of options by the fields of the group.

    Typer reads a flat list of parameters. The command itself is called with the groups.
    """
    hints = get_type_hints(command, include_extras=True)
    classes = {name: hint for name, hint in hints.items() if isinstance(hint, type)}
    groups: dict[str, type[Any]] = {name: hint for name, hint in classes.items() if dataclasses.is_dataclass(hint)}
    parameters: list[inspect.Parameter] = []
    for parameter in inspect.signature(command).parameters.values():
        group = groups.get(parameter.name)
        parts = [parameter] if group is None else inspect.signature(group).parameters.values()
        annotations = hints if group is None else get_type_hints(group, include_extras=True)
        parameters += [part.replace(annotation=annotations[part.name]) for part in parts]

    @functools.wraps(command)
    def call_with_groups(**values: Any) -> None:
        for name, group in groups.items():
            values[name] = group(**{field.name: values.pop(field.name) for field in dataclasses.fields(group)})
        command(**values)

    call_with_groups.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    setattr(call_with_groups, "__signature__", inspect.Signature(parameters))  # noqa: B010
    return call_with_groups
