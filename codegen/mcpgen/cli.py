"""The command line: options in, exit codes out; everything between is `app`."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from mcpgen.config import Package
    from mcpgen.diagnostics import Findings
    from mcpgen.live.ask import Question

app = typer.Typer(
    name="mcpgen",
    help="Typed result classes for MCP servers, generated from their tool and resource definitions.",
    rich_markup_mode=None,
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)

Paths = Annotated[list[Path] | None, typer.Argument(help="Files and folders with definitions.", show_default=False)]
Out = Annotated[Path | None, typer.Option(help="Folder of the generated package.", show_default="generated")]
Sdk = Annotated[str | None, typer.Option(help="The SDK: none, mcp, mcp1, fastmcp, dedalus.", show_default="none")]
Protocol = Annotated[str | None, typer.Option(help="Protocol version when a call names none.", show_default=False)]
Config = Annotated[Path | None, typer.Option(help="Settings file.", show_default="the nearest")]
Jobs = Annotated[int | None, typer.Option(min=1, help="Worker processes.", show_default="the machine's cores")]
Header = Annotated[list[str] | None, typer.Option(help="'Name: value' for an HTTP server.", show_default=False)]
HeaderEnv = Annotated[
    list[str] | None, typer.Option(help="NAME=VARIABLE: a header from the environment.", show_default=False)
]
Env = Annotated[
    list[str] | None, typer.Option(help="KEY=VALUE, or KEY to pass one on, for a command.", show_default=False)
]
Timeout = Annotated[float, typer.Option(min=0.1, help="Seconds that asking a server may take.")]
Exclude = Annotated[
    list[str] | None, typer.Option(help="Name, URI or pattern of what to leave out.", show_default=False)
]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Say nothing but errors.")]


def _version(value: bool) -> None:
    if value:
        from mcpgen import __version__

        typer.echo(f"mcpgen {__version__}")
        raise typer.Exit


@app.callback()
def main(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the version.")
    ] = False,
) -> None:
    """Typed result classes for MCP servers, generated from their tool and resource definitions."""


@app.command()
def build(
    paths: Paths = None,
    out: Out = None,
    sdk: Sdk = None,
    protocol: Protocol = None,
    config: Config = None,
    jobs: Jobs = None,
    force: Annotated[bool, typer.Option("--force", help="Overwrite edited and foreign files in the way.")] = False,
    quiet: Quiet = False,
) -> None:
    """Generate the package: read the definitions, write what changed."""
    from mcpgen.report.session import Session

    raise typer.Exit(Session(quiet).build(_packages(paths, out, sdk, protocol, config), jobs, force))


@app.command()
def check(
    paths: Paths = None,
    out: Out = None,
    sdk: Sdk = None,
    protocol: Protocol = None,
    config: Config = None,
    jobs: Jobs = None,
    server: Annotated[
        str | None,
        typer.Option(help="Hold the definitions against this server: a URL, package.module:server, or a command."),
    ] = None,
    name: Annotated[
        str | None, typer.Option(help="With --server: the server's name, if pulled under one.", show_default=False)
    ] = None,
    header: Header = None,
    header_env: HeaderEnv = None,
    env: Env = None,
    timeout: Timeout = 120,
    exclude: Exclude = None,
    quiet: Quiet = False,
) -> None:
    """Say whether the generated package, or a running server, is what the definitions ask for; if not, exit code 4."""
    if server is not None:
        from mcpgen.report.server import Wanted, check_server

        packages = _packages(paths, None, None, None, config)
        question = _question([server], header, header_env, env, protocol, timeout, packages[1])
        if question is None:
            raise typer.Exit(_said(packages[1]))
        wanted = Wanted(question, name, tuple(paths or ()), tuple(exclude or ()), quiet)
        raise typer.Exit(check_server(packages, wanted))
    from mcpgen.report.session import Session

    raise typer.Exit(Session(quiet).check(_packages(paths, out, sdk, protocol, config), jobs))


@app.command()
def show(
    tool: Annotated[str, typer.Argument(help="The tool's exact name.")],
    out: Out = None,
    config: Config = None,
    protocol: Protocol = None,
    code: Annotated[bool, typer.Option("--code", help="Only the generated module.")] = False,
    wire: Annotated[bool, typer.Option("--wire", help="Only the result on the wire.")] = False,
    schema: Annotated[bool, typer.Option("--schema", help="Only the outputSchema.")] = False,
    value: Annotated[str | None, typer.Option(help="The value, as JSON.", show_default="an example")] = None,
) -> None:
    """Show a tool's generated class, its result for an example, and what its content costs a model."""
    from mcpgen.report.show import Wanted
    from mcpgen.report.show import show as run_show

    parts = [name for name, chosen in (("code", code), ("wire", wire), ("schema", schema)) if chosen]
    if len(parts) > 1:
        raise typer.BadParameter("choose one of --code, --wire, --schema")
    wanted = Wanted(tool, parts[0] if parts else "", value, protocol)
    raise typer.Exit(run_show(_packages(None, out, None, protocol, config), wanted))


@app.command()
def prove(
    names: Annotated[list[str] | None, typer.Argument(help="Tools and resources to prove.", show_default="all")] = None,
    out: Out = None,
    config: Config = None,
    max_examples: Annotated[int, typer.Option(min=1, help="Values that each class is held against.")] = 200,
    seed: Annotated[int, typer.Option(help="Which values are drawn.")] = 0,
    jobs: Jobs = None,
    quiet: Quiet = False,
) -> None:
    """Hold the generated classes against their schemas, with drawn values; exit code 6 when a class is wrong."""
    from mcpgen.report.proof import Wanted
    from mcpgen.report.proof import prove as run_proof

    wanted = Wanted(tuple(names or ()), max_examples, seed, jobs or os.cpu_count() or 1, quiet)
    raise typer.Exit(run_proof(_packages(None, out, None, None, config), wanted))


@app.command()
def pull(
    source: Annotated[
        list[str] | None,
        typer.Argument(help="A URL, package.module:server, or -- and a command.", show_default=False),
    ] = None,
    name: Annotated[
        str | None, typer.Option(help="The server's name, and its file's.", show_default="made from the source")
    ] = None,
    out: Annotated[Path | None, typer.Option(help="Folder for the file.", show_default="schemas/pulled")] = None,
    header: Header = None,
    header_env: HeaderEnv = None,
    env: Env = None,
    protocol: Annotated[
        str | None, typer.Option(help="Protocol version to ask under.", show_default="the newest")
    ] = None,
    timeout: Timeout = 120,
    exclude: Exclude = None,
    config: Config = None,
    force: Annotated[bool, typer.Option("--force", help="Overwrite an edited or foreign file.")] = False,
    quiet: Quiet = False,
) -> None:
    """Write the definitions of a running server to schemas/pulled/."""
    from mcpgen.report.pulled import Wanted
    from mcpgen.report.pulled import pull as run_pull

    packages = _packages(None, None, None, None, config)
    question = _question(source or [], header, header_env, env, protocol, timeout, packages[1])
    if question is None:
        raise typer.Exit(_said(packages[1]))
    raise typer.Exit(run_pull(packages, Wanted(question, name, out, tuple(exclude or ()), force, quiet)))


def _question(
    source: list[str],
    header: list[str] | None,
    header_env: list[str] | None,
    env: list[str] | None,
    protocol: str | None,
    timeout: float,
    findings: Findings,
) -> Question | None:
    """Whom to ask, and with what; None with a finding."""
    from mcpgen.live.ask import question
    from mcpgen.live.errors import CannotAsk

    try:
        return question(source, header or (), header_env or (), env or (), timeout, protocol)
    except CannotAsk as error:
        findings.error(error.code, error.message, None, error.help)
        return None


def _said(findings: Findings) -> int:
    """The exit code of a run that ends with its findings."""
    from mcpgen.report import text
    from mcpgen.report.exit_codes import INPUT

    sys.stderr.write(text.diagnostics(findings.sorted()))
    return INPUT


def _packages(
    paths: list[Path] | None, out: Path | None, sdk: str | None, protocol: str | None, config: Path | None
) -> tuple[list[Package], Findings]:
    """The packages to work on: the settings', with what the command line says in their place."""
    from mcpgen.config import find, load, overridden
    from mcpgen.diagnostics import Findings

    findings = Findings()
    here = Path.cwd()
    packages = load(config or find(here), here, findings)
    given = {"out": out, "sdk": sdk, "protocol": protocol}
    return overridden(packages, paths or [], given, findings), findings


def run() -> None:
    """The console script."""
    try:
        app()
    except (KeyboardInterrupt, BrokenPipeError):
        sys.exit(130)
