"""Options of the command line about a running server, in groups, and advice if its command is read as mcpgen's own."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from mcpgen.commands.options import CacheOptions, SettingsOptions, complete_sdks
from mcpgen.words import NameGuesser

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from mcpgen.cache.store import Store
    from mcpgen.commands.check_servers import ServerCheckRequest
    from mcpgen.commands.diff_comparison import DiffRequest
    from mcpgen.commands.learn import LearnRequest
    from mcpgen.commands.pull import PullRequest
    from mcpgen.commands.pull_follow_up import FollowUp, PackageLoader
    from mcpgen.diagnostics import Findings
    from mcpgen.introspect.server_query import ServerQuery
    from mcpgen.schema.values import Json
    from mcpgen.verify.subjects import VerifyRequest

SERVER_OPTIONS = ("--server", "--against-server")
_LEAST_SIMILARITY = 0.8
"""Similarity of two options from which one is taken for a slip in the other; many servers have options of their own."""


# --- words of a server's command -------------------------------------------------------------------------------------
def advise_about_option(command: str, arguments: Sequence[str], option: str, options: Sequence[str] = ()) -> str:
    """Return what to do about an unknown option, without quoting secrets; empty if it is not about a server."""
    if command == "pull":
        if option == "--server":
            return "pull takes the server without an option: mcpgen pull URL, or mcpgen pull -- COMMAND"
        if similar := NameGuesser().guess(option, options, _LEAST_SIMILARITY):
            help = "If it is an option of the server's command, write -- before that command"
            return f"did you mean {similar}? {help}"
        place = next((number for number, word in enumerate(arguments) if word.partition("=")[0] == option), 0)
        help = "write -- before the server's command: mcpgen pull -- npx -y some-server"
        return help if any(not word.startswith("-") for word in arguments[:place]) else ""
    used = next((word for word in arguments if word in SERVER_OPTIONS), "")
    return _format_quote_help(used) if used else ""


def check_is_quoted(option: str, server: str | None, paths: Sequence[Path]) -> None:
    """Raise `typer.BadParameter` if a word of a server's command is read as a file."""
    if server is None or not paths or re.search(r"\s|://|^[\w.]+:[\w.]+$", server):
        return
    from mcpgen.introspect.server_address import SCRIPT_SUFFIXES

    if server == "--" or any(path.suffix in SCRIPT_SUFFIXES or not path.exists() for path in paths):
        raise typer.BadParameter(_format_quote_help(option), param_hint=option)


def _format_quote_help(option: str) -> str:
    return f'put the whole command in quotes: {option} "npx -y some-server"'


# --- queries ---------------------------------------------------------------------------------------------------------
HeaderOption = Annotated[list[str] | None, typer.Option(help="'Name: value' for an HTTP server.", show_default=False)]
HeaderEnvOption = Annotated[
    list[str] | None, typer.Option(help="NAME=VARIABLE: a header from the environment.", show_default=False)
]
EnvOption = Annotated[
    list[str] | None,
    typer.Option(help="Environment of a command: KEY=VALUE, or KEY to pass on its value.", show_default=False),
]
TimeoutOption = Annotated[
    float | None,
    typer.Option(
        min=0.1, help="Seconds after which to give up on a server.", show_default="`pull-seconds` of the limits"
    ),
]
ExcludeOption = Annotated[
    list[str] | None, typer.Option(help="Name, URI or pattern of definitions to leave out.", show_default=False)
]
OAuthOption = Annotated[bool, typer.Option("--oauth", help="Log in with the browser if an HTTP server requires it.")]
FromOption = Annotated[
    Path | None,
    typer.Option("--from", metavar="FILE", help="Use all servers in a client's mcp.json.", show_default=False),
]
OnlyOption = Annotated[
    list[str] | None,
    typer.Option(metavar="NAME", help="With --from: use only this server; may be repeated.", show_default="all"),
]


class _ConnectionOptions:
    """Options of a connection to a server, which each group declares at their place in its help."""

    header: HeaderOption
    header_env: HeaderEnvOption
    env: EnvOption
    oauth: OAuthOption
    timeout: TimeoutOption
    protocol: str | None = None

    def make_query(self, source: list[str], findings: Findings, protocol: str | None = None) -> ServerQuery | None:
        from mcpgen.introspect.errors import IntrospectionError
        from mcpgen.introspect.server_query import parse_server_query

        headers, headers_env, env = self.header or (), self.header_env or (), self.env or ()
        protocol = protocol or self.protocol
        try:
            return parse_server_query(source, headers, headers_env, env, self.timeout, protocol, self.oauth)
        except IntrospectionError as error:
            findings.error(error.code, error.message, None, error.help)
            return None


@dataclass(frozen=True, kw_only=True)
class QueryOptions(_ConnectionOptions):
    """Options of a query to a running server."""

    header: HeaderOption = None
    header_env: HeaderEnvOption = None
    env: EnvOption = None
    protocol: Annotated[str | None, typer.Option(help="Protocol version to use.", show_default="the newest")] = None
    oauth: OAuthOption = False
    timeout: TimeoutOption = None
    exclude: ExcludeOption = None


# --- pull ------------------------------------------------------------------------------------------------------------
@dataclass(frozen=True, kw_only=True)
class PullOptions:
    """Options that say which servers are pulled, and into which files."""

    name: Annotated[
        str | None, typer.Option(help="Name for the server and its file.", show_default="made from the source")
    ] = None
    from_file: FromOption = None
    only: OnlyOption = None
    each: Annotated[bool, typer.Option("--each", help="With --from: write a package for each server.")] = False
    prefix: Annotated[
        bool,
        typer.Option("--prefix", help="With --from: put the server's name before the names of its tools and prompts."),
    ] = False
    out: Annotated[Path | None, typer.Option(help="Folder for the file.", show_default="schemas/pulled")] = None
    force: Annotated[bool, typer.Option("--force", help="Overwrite a file that is edited or not mcpgen's.")] = False
    build: Annotated[bool, typer.Option("--build", help="Build the package at once.")] = False
    sdk: Annotated[
        str | None,
        typer.Option(
            help="The SDK, for settings that do not name one.",
            show_default="that of the project",
            autocompletion=complete_sdks,
        ),
    ] = None

    def make_follow_up(
        self, load_packages: PackageLoader, open_store: Callable[[], Store], config: Path | None
    ) -> FollowUp:
        """Return what follows the pull."""
        from mcpgen.commands.pull_follow_up import FollowUp

        return FollowUp((load_packages, open_store()) if self.build else None, self.sdk, config)

    def make_request(
        self, source: list[str], server: QueryOptions, follow_up: FollowUp, findings: Findings
    ) -> PullRequest | None:
        """Return the request, None with a finding; raise `typer.BadParameter` if options do not go together."""
        from mcpgen.commands.pull import PullRequest, advise_package
        from mcpgen.config.load import find_settings
        from mcpgen.introspect.client_config import ServerChoice

        exclude = tuple(server.exclude or ())
        if self.from_file is None:
            if self.only or self.each or self.prefix:
                message = "--only, --each and --prefix go with --from"
                if self.each:
                    message += f"; {advise_package(follow_up.config or find_settings(Path.cwd()), 'NAME')}"
                raise typer.BadParameter(message)
            query = server.make_query(source, findings)
            return (
                PullRequest(query, self.name, self.out, exclude, self.force, follow_up) if query is not None else None
            )
        if source or self.name or server.header or server.header_env or server.env:
            raise typer.BadParameter("--from excludes a server, --name, --header, --header-env and --env")
        if self.each and self.prefix:
            raise typer.BadParameter("choose one of --each and --prefix")
        choice = ServerChoice(self.from_file, tuple(self.only or ()), server.timeout, server.protocol, server.oauth)
        return PullRequest(choice, None, self.out, exclude, self.force, follow_up, self.each, self.prefix)


# --- check -----------------------------------------------------------------------------------------------------------
@dataclass(frozen=True, kw_only=True)
class ServerCheckOptions(_ConnectionOptions):
    """Options of `check` for running servers; all of them need --server or --from."""

    server: Annotated[
        str | None,
        typer.Option(help="Compare the definitions with this server: a URL, package.module:server, or a command."),
    ] = None
    from_file: FromOption = None
    only: OnlyOption = None
    name: Annotated[
        str | None, typer.Option(help="With --server: the name that you gave to pull, if any.", show_default=False)
    ] = None
    header: HeaderOption = None
    header_env: HeaderEnvOption = None
    env: EnvOption = None
    oauth: OAuthOption = False
    timeout: TimeoutOption = None
    exclude: ExcludeOption = None
    strict: Annotated[
        bool, typer.Option("--strict", help="Also report different descriptions, titles, annotations and `_meta`.")
    ] = False

    def is_for_servers(self, has_build_options: bool, paths: Sequence[Path] = ()) -> bool:
        """Return whether a server is to be asked; raise `typer.BadParameter` if options do not go together."""
        if self.only and self.from_file is None:
            raise typer.BadParameter("--only goes with --from")
        if self.server is None and (self.name or self.header or self.header_env or self.env):
            raise typer.BadParameter("--name, --header, --header-env and --env go with --server")
        is_for_servers = self.server is not None or self.from_file is not None
        if not is_for_servers and (self.exclude or self.strict):
            raise typer.BadParameter("--exclude and --strict go with --server or --from")
        if self.server is not None and self.from_file is not None:
            raise typer.BadParameter("choose one of --server and --from")
        check_is_quoted("--server", self.server, paths)
        if is_for_servers and has_build_options:
            raise typer.BadParameter(
                "--out, --sdk, --runtime, --jobs and --fail-on are for generated packages, not for servers"
            )
        return is_for_servers

    def make_request(
        self, protocol: str | None, paths: Sequence[Path], findings: Findings
    ) -> ServerCheckRequest | None:
        """Return the request for a server, or those of a file; None, with a finding, if an option is malformed."""
        from mcpgen.commands.check_servers import ServerCheckRequest
        from mcpgen.introspect.client_config import ServerChoice

        exclude = tuple(self.exclude or ())
        if self.from_file is not None:
            choice = ServerChoice(self.from_file, tuple(self.only or ()), self.timeout, protocol, self.oauth)
            return ServerCheckRequest(choice, None, (), exclude, self.strict)
        query = self.make_query([self.server or ""], findings, protocol)
        return ServerCheckRequest(query, self.name, (*paths,), exclude, self.strict) if query is not None else None


# --- verify ----------------------------------------------------------------------------------------------------------
@dataclass(frozen=True, kw_only=True)
class VerifyOptions(QueryOptions):
    """Options that say which server is tested, and how."""

    server: Annotated[str, typer.Option(help="The server: a URL, package.module:server, or a command.")]
    call: Annotated[
        list[str] | None,
        typer.Option(
            metavar="TOOL", help="Also call this tool, even if it is not annotated as read-only; may be repeated."
        ),
    ] = None
    only: Annotated[
        list[str] | None, typer.Option(metavar="NAME", help="Test only this tool, resource or prompt; may be repeated.")
    ] = None
    arguments: Annotated[
        str | None, typer.Option(metavar="JSON", help="With one --only: the arguments of the only call.")
    ] = None
    seed: Annotated[int, typer.Option(help="Seed of the drawn arguments.")] = 0
    max_calls: Annotated[int, typer.Option(min=1, help="Calls of each definition.")] = 40
    seconds: Annotated[float, typer.Option(min=1, help="Seconds for all calls.")] = 300
    call_seconds: Annotated[float, typer.Option(min=0.1, help="Seconds after which a call hangs.")] = 10
    slow: Annotated[float, typer.Option(min=0.001, help="Median seconds from which on a tool is slow.")] = 3
    connections: Annotated[int, typer.Option(min=1, max=64, help="Connections that call at the same time.")] = 1
    junit: Annotated[Path | None, typer.Option(metavar="FILE", help="Write JUnit's XML to this file, too.")] = None

    def make_request(self, paths: Sequence[Path], findings: Findings) -> VerifyRequest | None:
        """Return the request, None with a finding; raise `typer.BadParameter` if an option is malformed."""
        from mcpgen.verify.subjects import VerifyRequest

        check_is_quoted("--server", self.server, paths)
        arguments: dict[str, Json] | None = None
        if self.arguments is not None:
            if len(self.only or ()) != 1:
                raise typer.BadParameter("--arguments goes with one --only")
            try:
                arguments = json.loads(self.arguments)
            except ValueError as error:
                raise typer.BadParameter(f"it is not JSON: {error}", param_hint="--arguments") from None
            if not isinstance(arguments, dict):
                raise typer.BadParameter("it is not a JSON object", param_hint="--arguments")
        query = self.make_query([self.server], findings)
        if query is None:
            return None
        exclude, allowed, only = tuple(self.exclude or ()), frozenset(self.call or ()), frozenset(self.only or ())
        budgets = self.max_calls, self.seconds, self.call_seconds, self.slow, self.connections
        return VerifyRequest(query, (*paths,), exclude, allowed, only, arguments, self.seed, *budgets, self.junit)


# --- learn -----------------------------------------------------------------------------------------------------------
@dataclass(frozen=True, kw_only=True)
class CallOptions(_ConnectionOptions):
    """Options of `learn` that call the tools of a running server; all of them need --server."""

    server: Annotated[
        str | None,
        typer.Option(help="Repeat the recorded calls on this server: a URL, package.module:server, or a command."),
    ] = None
    call: Annotated[
        list[str] | None,
        typer.Option(
            metavar="TOOL",
            help="Also call this tool, even if it is not annotated as read-only and idempotent; may be repeated.",
        ),
    ] = None
    record: Annotated[
        Path | None, typer.Option(help="New file for the calls and their results.", show_default=False)
    ] = None
    header: HeaderOption = None
    header_env: HeaderEnvOption = None
    env: EnvOption = None
    oauth: OAuthOption = False
    timeout: TimeoutOption = None

    def make_call_query(self, findings: Findings) -> ServerQuery | None:
        """Return the query, None without a server or with a finding; raise `typer.BadParameter` without a server."""
        if self.server is not None:
            return self.make_query([self.server], findings)
        if any((self.call, self.record, self.header, self.header_env, self.env, self.oauth, self.timeout)):
            raise typer.BadParameter("--call, --record and the options of a query go with --server")
        return None


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
        """Return what is to be learned; raise `typer.BadParameter` if the server's command is not quoted."""
        from mcpgen.commands.learn import LearnRequest

        check_is_quoted("--server", calls.server, self.files)
        query, allowed = calls.make_call_query(findings), frozenset(calls.call or ())
        return LearnRequest(tuple(self.files), self.out, frozenset(self.enum or ()), query, allowed, calls.record)


# --- diff ------------------------------------------------------------------------------------------------------------
@dataclass(frozen=True, kw_only=True)
class DiffQueryOptions(QueryOptions):
    """Options of a query to a running server, as `diff` explains them."""

    protocol: Annotated[
        str | None, typer.Option(help="Protocol version to use with a server.", show_default="the newest")
    ] = None


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
        """Raise `typer.BadParameter` unless the options name exactly two sides."""
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
        from mcpgen.commands.diff_comparison import DiffRequest

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
            store=cache.open_store(),
        )
