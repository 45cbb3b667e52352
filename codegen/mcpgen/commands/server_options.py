"""Options of the command line about a running server, in groups."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from mcpgen.diagnostics import Findings
    from mcpgen.introspect.client import ServerQuery

ServerOption = Annotated[
    str | None,
    typer.Option(help="Hold the definitions against this server: a URL, package.module:server, or a command."),
]
ServerNameOption = Annotated[
    str | None, typer.Option(help="With --server: the server's name, if pulled under one.", show_default=False)
]
HeaderOption = Annotated[list[str] | None, typer.Option(help="'Name: value' for an HTTP server.", show_default=False)]
HeaderEnvOption = Annotated[
    list[str] | None, typer.Option(help="NAME=VARIABLE: a header from the environment.", show_default=False)
]
EnvOption = Annotated[
    list[str] | None, typer.Option(help="KEY=VALUE, or KEY to pass one on, for a command.", show_default=False)
]
TimeoutOption = Annotated[
    float | None,
    typer.Option(min=0.1, help="Seconds that asking a server may take.", show_default="`pull-seconds` of the limits"),
]
ExcludeOption = Annotated[
    list[str] | None, typer.Option(help="Name, URI or pattern of what to leave out.", show_default=False)
]


@dataclass(frozen=True, kw_only=True)
class QueryOptions:
    """Options of a query to a running server."""

    header: HeaderOption = None
    header_env: HeaderEnvOption = None
    env: EnvOption = None
    protocol: Annotated[str | None, typer.Option(help="Protocol version to ask under.", show_default="the newest")] = (
        None
    )
    timeout: TimeoutOption = None
    exclude: ExcludeOption = None

    def make_query(self, source: list[str], findings: Findings) -> ServerQuery | None:
        """Return the query to a server; None, with a finding, if an option is malformed."""
        from mcpgen.introspect.client import parse_server_query
        from mcpgen.introspect.errors import IntrospectionError

        headers, headers_env, env = self.header or (), self.header_env or (), self.env or ()
        try:
            return parse_server_query(source, headers, headers_env, env, self.timeout, self.protocol)
        except IntrospectionError as error:
            findings.error(error.code, error.message, None, error.help)
            return None


@dataclass(frozen=True, kw_only=True)
class DiffQueryOptions(QueryOptions):
    """Options of a query to a running server, as `diff` explains them."""

    protocol: Annotated[
        str | None, typer.Option(help="Protocol version to ask a server under.", show_default="the newest")
    ] = None


@dataclass(frozen=True, kw_only=True)
class ServerCheckOptions:
    """Options of `check --server`; all of them need --server."""

    server: ServerOption = None
    name: ServerNameOption = None
    header: HeaderOption = None
    header_env: HeaderEnvOption = None
    env: EnvOption = None
    timeout: TimeoutOption = None
    exclude: ExcludeOption = None
    strict: Annotated[
        bool, typer.Option("--strict", help="Other descriptions, titles, annotations and `_meta` are drift, too.")
    ] = False

    def make_query(self, source: str, protocol: str | None, findings: Findings) -> ServerQuery | None:
        """Return the query to a server; None, with a finding, if an option is malformed."""
        query = QueryOptions(
            header=self.header, header_env=self.header_env, env=self.env, protocol=protocol, timeout=self.timeout
        )
        return query.make_query([source], findings)


@dataclass(frozen=True, kw_only=True)
class CallOptions:
    """Options of `learn` that call the tools of a running server; all of them need --server."""

    server: Annotated[
        str | None,
        typer.Option(help="Call tools of this server, as recorded: a URL, package.module:server, or a command."),
    ] = None
    call: Annotated[
        list[str] | None,
        typer.Option(metavar="TOOL", help="A tool to call although it is not annotated as read-only and idempotent."),
    ] = None
    record: Annotated[
        Path | None, typer.Option(help="New file for the calls and their results.", show_default=False)
    ] = None
    header: HeaderOption = None
    header_env: HeaderEnvOption = None
    env: EnvOption = None
    timeout: TimeoutOption = None

    def make_query(self, findings: Findings) -> ServerQuery | None:
        """Return the query to the server; None without one, or with a finding, if an option is malformed.

        Raises:
            typer.BadParameter: there are options for a server, but none is named.
        """
        if self.server is None:
            if self.call or self.record or self.header or self.header_env or self.env or self.timeout:
                raise typer.BadParameter(
                    "--call, --record, --header, --header-env, --env and --timeout go with --server"
                )
            return None
        options = QueryOptions(header=self.header, header_env=self.header_env, env=self.env, timeout=self.timeout)
        return options.make_query([self.server], findings)
