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

from mcpgen.commands.server_words import check_is_quoted
from mcpgen.report import output
from mcpgen.report.output import CommandOutput
from mcpgen.targets import SDK_NAMES
from mcpgen.vocabularies import VOCABULARY_NAMES, VocabularyName

if TYPE_CHECKING:
    from mcpgen.cache.memory import Memory
    from mcpgen.commands.diff_inputs import DiffRequest
    from mcpgen.commands.docs import DocsRequest
    from mcpgen.commands.learn import LearnRequest
    from mcpgen.commands.package_selection import LoadedPackages
    from mcpgen.commands.server_options import CallOptions
    from mcpgen.commands.show_tokens import ShowTokensRequest
    from mcpgen.diagnostics import Findings
    from mcpgen.introspect.server_query import ServerQuery

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
CacheDirOption = Annotated[
    Path | None, typer.Option(help="Folder of the cache.", show_default="in the user's cache folder", file_okay=False)
]
NoCacheOption = Annotated[bool, typer.Option("--no-cache", help="Do not use a cache.")]


def _complete_vocabularies(incomplete: str) -> list[str]:
    return [name for name in VOCABULARY_NAMES if name.startswith(incomplete)]


VocabularyOption = Annotated[
    list[str] | None,
    typer.Option(
        metavar="NAME",
        help="With --tokens: the vocabulary to count with; may be repeated.",
        show_default="the budget's",
        autocompletion=_complete_vocabularies,
    ),
]
FailOnOption = Annotated[
    Literal["error", "warning"] | None,
    typer.Option(help="What makes the command fail: errors only, or warnings, too.", show_default="by the settings"),
]
QuietOption = Annotated[bool, typer.Option("--quiet", "-q", help="Print only errors.")]
VerboseOption = Annotated[
    bool, typer.Option("--verbose", "-v", help="Also print what was read, what was changed, and how long it took.")
]
FormatOption = Annotated[output.OutputFormat, typer.Option(help="Output format.")]
ColorOption = Annotated[
    output.ColorMode, typer.Option(help="When to use colours; auto respects NO_COLOR, FORCE_COLOR and CLICOLOR.")
]


@dataclass(frozen=True, kw_only=True)
class TokenOptions:
    """Options that count tokens."""

    tokens: Annotated[bool, typer.Option("--tokens", help="Show only token counts, for one tool or for all.")] = False
    vocabulary: VocabularyOption = None
    jobs: JobsOption = None

    def check_unused(self) -> None:
        """Refuse the options that nothing is counted with.

        Raises:
            typer.BadParameter: there is one.
        """
        if self.vocabulary or self.jobs:
            raise typer.BadParameter("--vocabulary and --jobs go with --tokens")

    def make_request(self, tool: str | None, protocol: str | None) -> ShowTokensRequest:
        """Return what is to be counted.

        Raises:
            typer.BadParameter: there is no such vocabulary.
        """
        from mcpgen.commands.show_tokens import ShowTokensRequest

        names = self.vocabulary or []
        if unknown := set(names).difference(VOCABULARY_NAMES):
            message = f'no vocabulary is called "{min(unknown)}": there are {", ".join(VOCABULARY_NAMES)}'
            raise typer.BadParameter(message, param_hint="--vocabulary")
        vocabularies: tuple[VocabularyName, ...] = tuple(name for name in VOCABULARY_NAMES if name in names)
        return ShowTokensRequest(tool, vocabularies, protocol, self.jobs or os.cpu_count() or 1)


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
        settings = SettingsOptions(config=self.config, root=self.root)
        overrides = {"out": self.out, "sdk": self.sdk, "protocol": self.protocol, "runtime": self.runtime}
        return settings.load_packages(self.paths, **overrides)


@dataclass(frozen=True, kw_only=True)
class DiffOptions:
    """Options that say what `diff` compares, and by which rules."""

    paths: Annotated[
        list[Path] | None,
        typer.Argument(help="OLD and NEW; with --against, the definitions to compare.", show_default=False),
    ] = None
    against: Annotated[
        str | None, typer.Option(metavar="REVISION", help="Compare with the definitions of a git revision.")
    ] = None
    against_server: Annotated[
        str | None,
        typer.Option(metavar="SERVER", help="Compare with a running server: a URL, package.module:server, a command."),
    ] = None
    off: Annotated[
        list[str] | None, typer.Option(metavar="NAME", help="Skip this category or rule; may be repeated.")
    ] = None
    only: Annotated[
        list[str] | None, typer.Option(metavar="NAME", help="Run only this category or rule; may be repeated.")
    ] = None
    fail_on: Annotated[
        list[str] | None, typer.Option(metavar="NAME", help="Report changes of this category or rule as errors, too.")
    ] = None

    def check_sides(self) -> None:
        """Check that the options name exactly two sides.

        Raises:
            typer.BadParameter: they do not.
        """
        from mcpgen.files.project_paths import is_in_git_repository

        names_side = self.against is not None or self.against_server is not None or len(self.paths or ()) == 2
        if not names_side or (self.against and self.against_server):
            message = "name OLD and NEW, or one of --against and --against-server"
            if not self.paths and not names_side and is_in_git_repository(Path.cwd()):
                message += "; for the changes since the last commit: mcpgen diff --against HEAD"
            raise typer.BadParameter(message)
        check_is_quoted("--against-server", self.against_server, self.paths or ())

    def make_request(
        self,
        settings: SettingsOptions,
        jobs: int,
        server: ServerQuery | None,
        exclude: tuple[str, ...],
        cache: CacheOptions,
    ) -> DiffRequest:
        """Return what is to be compared."""
        from mcpgen.commands.diff_inputs import DiffRequest

        return DiffRequest(
            paths=tuple(self.paths or ()),
            against=self.against,
            off=tuple(self.off or ()),
            only=tuple(self.only or ()),
            fail_on=tuple(self.fail_on or ()),
            config=settings.config,
            jobs=jobs,
            server=server,
            exclude=exclude,
            root=settings.root,
            memory=cache.open_memory(),
        )


@dataclass(frozen=True, kw_only=True)
class LearnOptions:
    """Options that say what is learned, from which files."""

    files: Annotated[
        list[Path], typer.Argument(metavar="RESULTS...", help="Recorded calls, or saved traffic: JSON or JSON Lines.")
    ]
    out: Annotated[
        Path | None, typer.Option(help="Folder for the schemas.", show_default="learned, next to the definitions")
    ] = None
    enum: Annotated[
        list[str] | None,
        typer.Option(
            metavar="PROPERTY", help="A property whose recorded strings are all of its values; may be repeated."
        ),
    ] = None

    def make_request(self, calls: CallOptions, findings: Findings) -> LearnRequest:
        """Return what is to be learned; options of a server that are malformed become findings.

        Raises:
            typer.BadParameter: the server's command is not quoted.
        """
        from mcpgen.commands.learn import LearnRequest

        check_is_quoted("--server", calls.server, self.files)
        allowed = frozenset(calls.call or ())
        query = calls.make_query(findings)
        return LearnRequest(tuple(self.files), self.out, frozenset(self.enum or ()), query, allowed, calls.record)


@dataclass(frozen=True, kw_only=True)
class CacheOptions:
    """Options of the cache on disk."""

    cache_dir: CacheDirOption = None
    no_cache: NoCacheOption = False

    def open_memory(self) -> Memory:
        """Open the cache that the options or the environment name."""
        from mcpgen.cache.memory import Memory
        from mcpgen.cache.store import choose_store

        return Memory(choose_store(self.cache_dir, self.no_cache))


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
        from mcpgen.commands.diff_inputs import DiffRequest
        from mcpgen.commands.docs import DocsRequest

        since: DiffRequest | None = None
        if self.since is not None:
            since = DiffRequest(
                paths=tuple(paths),
                against=self.since,
                off=("names",),
                only=(),
                config=settings.config,
                jobs=jobs,
                root=settings.root,
                memory=cache.open_memory(),
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
class OutputOptions:
    """Options of a command's output."""

    quiet: QuietOption = False
    verbose: VerboseOption = False
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
    groups: dict[str, type[Any]] = {name: hint for name, hint in hints.items() if _is_group(hint)}
    parameters: list[inspect.Parameter] = []
    for parameter in inspect.signature(command).parameters.values():
        if parameter.name in groups:
            parameters += _list_group_parameters(groups[parameter.name])
        else:
            annotated = parameter.replace(kind=inspect.Parameter.KEYWORD_ONLY, annotation=hints[parameter.name])
            parameters.append(annotated)

    @functools.wraps(command)
    def call_with_groups(**values: Any) -> None:
        for name, group in groups.items():
            values[name] = group(**{field.name: values.pop(field.name) for field in dataclasses.fields(group)})
        command(**values)

    call_with_groups.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    setattr(call_with_groups, "__signature__", inspect.Signature(parameters))  # noqa: B010
    return call_with_groups


def _is_group(hint: object) -> bool:
    return isinstance(hint, type) and dataclasses.is_dataclass(hint)


def _list_group_parameters(group: type[Any]) -> list[inspect.Parameter]:
    hints, keyword = get_type_hints(group, include_extras=True), inspect.Parameter.KEYWORD_ONLY
    return [
        inspect.Parameter(field.name, keyword, default=_find_default(field), annotation=hints[field.name])
        for field in dataclasses.fields(group)
    ]


def _find_default(field: dataclasses.Field[Any]) -> Any:
    return inspect.Parameter.empty if field.default is dataclasses.MISSING else field.default
