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
Sdk = Annotated[str | None, typer.Option(help="Whose CallToolResult to return: none, mcp.", show_default="none")]
Protocol = Annotated[str | None, typer.Option(help="Protocol version when a call names none.", show_default=False)]
Config = Annotated[Path | None, typer.Option(help="Settings file.", show_default="the nearest")]
Jobs = Annotated[int | None, typer.Option(min=1, help="Worker processes.", show_default="the machine's cores")]
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
    quiet: Quiet = False,
) -> None:
    """Say whether the generated package is what the definitions ask for; exit code 4 when it is not."""
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
def diff(
    paths: Annotated[
        list[Path] | None, typer.Argument(help="OLD and NEW; with --against, what is compared.", show_default=False)
    ] = None,
    against: Annotated[
        str | None, typer.Option(metavar="REVISION", help="Compare with the definitions of a git revision.")
    ] = None,
    off: Annotated[
        list[str] | None, typer.Option(metavar="NAME", help="A category or rule not to ask; may be repeated.")
    ] = None,
    only: Annotated[list[str] | None, typer.Option(metavar="NAME", help="Ask only these categories and rules.")] = None,
    config: Config = None,
    jobs: Jobs = None,
    quiet: Quiet = False,
) -> None:
    """Say what in new definitions breaks those who rely on the old ones; exit code 5 when something does."""
    from mcpgen.diff import Wanted
    from mcpgen.report.changes import diff as run_diff

    given = tuple(paths or ())
    if against is None and len(given) != 2:
        raise typer.BadParameter("name OLD and NEW, or a revision by --against")
    wanted = Wanted(given, against, tuple(off or ()), tuple(only or ()), config, jobs or os.cpu_count() or 1)
    raise typer.Exit(run_diff(wanted, quiet))


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
