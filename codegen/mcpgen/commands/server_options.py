"""Options of the command line about a running server, in groups."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from mcpgen.commands.completion import complete_sdks
from mcpgen.commands.server_words import check_is_quoted

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from mcpgen.cache.memory import Memory
    from mcpgen.commands.check_servers import ServerCheckRequest
    from mcpgen.commands.pull import PullRequest
    from mcpgen.commands.pull_follow_up import FollowUp, PackageLoader
    from mcpgen.diagnostics import Findings
    from mcpgen.introspect.server_query import ServerQuery

ServerOption = Annotated[
    str | None,
    typer.Option(help="Compare the definitions with this server: a URL, package.module:server, or a command."),
]
ServerNameOption = Annotated[
    str | None, typer.Option(help="With --server: the name that you gave to pull, if any.", show_default=False)
]
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


@dataclass(frozen=True, kw_only=True)
class QueryOptions:
    """Options of a query to a running server."""

    header: HeaderOption = None
    header_env: HeaderEnvOption = None
    env: EnvOption = None
    protocol: Annotated[str | None, typer.Option(help="Protocol version to use.", show_default="the newest")] = None
    oauth: OAuthOption = False
    timeout: TimeoutOption = None
    exclude: ExcludeOption = None

    def make_query(self, source: list[str], findings: Findings) -> ServerQuery | None:
        """Return the query to a server; None, with a finding, if an option is malformed."""
        from mcpgen.introspect.errors import IntrospectionError
        from mcpgen.introspect.server_query import parse_server_query

        headers, headers_env, env = self.header or (), self.header_env or (), self.env or ()
        try:
            return parse_server_query(source, headers, headers_env, env, self.timeout, self.protocol, self.oauth)
        except IntrospectionError as error:
            findings.error(error.code, error.message, None, error.help)
            return None


@dataclass(frozen=True, kw_only=True)
class DiffQueryOptions(QueryOptions):
    """Options of a query to a running server, as `diff` explains them."""

    protocol: Annotated[
        str | None, typer.Option(help="Protocol version to use with a server.", show_default="the newest")
    ] = None


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
        self, load_packages: PackageLoader, open_memory: Callable[[], Memory], config: Path | None
    ) -> FollowUp:
        """Return what follows the pull."""
        from mcpgen.commands.pull_follow_up import FollowUp

        return FollowUp((load_packages, open_memory()) if self.build else None, self.sdk, config)

    def make_request(
        self, source: list[str], server: QueryOptions, follow_up: FollowUp, findings: Findings
    ) -> PullRequest | None:
        """Return the request for a server, or all servers of a file; None, with a finding, if an option is malformed.

        Raises:
            typer.BadParameter: there are options that do not go together.
        """
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


@dataclass(frozen=True, kw_only=True)
class ServerCheckOptions:
    """Options of `check` for running servers; all of them need --server or --from."""

    server: ServerOption = None
    from_file: FromOption = None
    only: OnlyOption = None
    name: ServerNameOption = None
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
        """Return whether a server is to be asked, not a package compared.

        Args:
            has_build_options: whether there are options of a build.
            paths: the files and folders of the command line.

        Raises:
            typer.BadParameter: there are options that do not go together.
        """
        if self.only and self.from_file is None:
            raise typer.BadParameter("--only goes with --from")
        if self.server is None and (self.name or self.header or self.header_env or self.env):
            raise typer.BadParameter("--name, --header, --header-env and --env go with --server")
        if self.server is None and self.from_file is None and (self.exclude or self.strict):
            raise typer.BadParameter("--exclude and --strict go with --server or --from")
        if self.server is not None and self.from_file is not None:
            raise typer.BadParameter("choose one of --server and --from")
        check_is_quoted("--server", self.server, paths)
        is_for_servers = self.server is not None or self.from_file is not None
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
        query = self.make_query(self.server or "", protocol, findings)
        return ServerCheckRequest(query, self.name, (*paths,), exclude, self.strict) if query is not None else None

    def make_query(self, source: str, protocol: str | None, findings: Findings) -> ServerQuery | None:
        """Return the query to a server; None, with a finding, if an option is malformed."""
        query = QueryOptions(
            header=self.header,
            header_env=self.header_env,
            env=self.env,
            oauth=self.oauth,
            protocol=protocol,
            timeout=self.timeout,
        )
        return query.make_query([source], findings)


@dataclass(frozen=True, kw_only=True)
class CallOptions:
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

    def make_query(self, findings: Findings) -> ServerQuery | None:
        """Return the query to the server; None without one, or with a finding, if an option is malformed.

        Raises:
            typer.BadParameter: there are options for a server, but none is named.
        """
        if self.server is None:
            if any((self.call, self.record, self.header, self.header_env, self.env, self.oauth, self.timeout)):
                raise typer.BadParameter("--call, --record and the options of a query go with --server")
            return None
        options = QueryOptions(
            header=self.header, header_env=self.header_env, env=self.env, oauth=self.oauth, timeout=self.timeout
        )
        return options.make_query([self.server], findings)
