"""The command line: options in, exit codes out; everything between is `app`."""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from mcpgen.report import output
from mcpgen.report.exit_codes import INVALID_INPUT

if TYPE_CHECKING:
    from mcpgen.cache.memory import Memory
    from mcpgen.config.load import LoadedPackages
    from mcpgen.diagnostics import Findings
    from mcpgen.introspect.client import ServerQuery

app = typer.Typer(
    name="mcpgen",
    help="Typed result classes for MCP servers, generated from their tool and resource definitions.",
    rich_markup_mode=None,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _complete_sdks(incomplete: str) -> list[str]:
    from typing import get_args

    from mcpgen.targets import SdkName

    return [one for one in get_args(SdkName) if one.startswith(incomplete)]


PathsArgument = Annotated[
    list[Path] | None, typer.Argument(help="Files and folders with definitions.", show_default=False)
]
OutOption = Annotated[Path | None, typer.Option(help="Folder of the generated package.", show_default="generated")]
SdkOption = Annotated[str | None, typer.Option(help="The SDK: none, mcp, mcp1, fastmcp, dedalus.", show_default="none")]
ProtocolOption = Annotated[
    str | None, typer.Option(help="Protocol version when a call names none.", show_default=False)
]
ConfigOption = Annotated[Path | None, typer.Option(help="Settings file.", show_default="the nearest")]
RootOption = Annotated[
    Path | None,
    typer.Option(help="A folder outside of the project that the settings may name files of.", show_default=False),
]
JobsOption = Annotated[int | None, typer.Option(min=1, help="Worker processes.", show_default="the machine's cores")]
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
CacheDirOption = Annotated[
    Path | None, typer.Option(help="Folder of the cache.", show_default="the user's, for caches", file_okay=False)
]
NoCacheOption = Annotated[bool, typer.Option("--no-cache", help="Neither read nor write a cache.")]
QuietOption = Annotated[bool, typer.Option("--quiet", "-q", help="Say nothing but errors.")]
FormatOption = Annotated[output.OutputFormat, typer.Option(help="How findings are written.")]
ColorOption = Annotated[output.ColorMode, typer.Option(help="Whether to colour; NO_COLOR and FORCE_COLOR count, too.")]


def _print_version(value: bool) -> None:
    if value:
        from mcpgen import __version__

        typer.echo(f"mcpgen {__version__}")
        raise typer.Exit


@app.callback()
def main(
    version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Show the version.")
    ] = False,
) -> None:
    """Typed result classes for MCP servers, generated from their tool and resource definitions."""


@app.command()
def build(
    paths: PathsArgument = None,
    out: OutOption = None,
    sdk: SdkOption = None,
    protocol: ProtocolOption = None,
    config: ConfigOption = None,
    root: RootOption = None,
    jobs: JobsOption = None,
    force: Annotated[bool, typer.Option("--force", help="Overwrite edited and foreign files in the way.")] = False,
    cache_dir: CacheDirOption = None,
    no_cache: NoCacheOption = False,
    depfile: Annotated[
        Path | None, typer.Option(help="Write there, as a Make rule, which files were read.", show_default=False)
    ] = None,
    quiet: QuietOption = False,
    format: FormatOption = "text",
    color: ColorOption = "auto",
) -> None:
    """Generate the package: read the definitions, write what changed."""
    from mcpgen.commands.build import BuildSession

    session = BuildSession(
        output.CommandOutput("build", format, color, quiet), _open_memory(cache_dir, no_cache), depfile
    )
    raise typer.Exit(session.build(_select_packages(paths, out, sdk, protocol, config, root), jobs, force))


@app.command()
def check(
    paths: PathsArgument = None,
    out: OutOption = None,
    sdk: SdkOption = None,
    protocol: ProtocolOption = None,
    config: ConfigOption = None,
    root: RootOption = None,
    jobs: JobsOption = None,
    server: Annotated[
        str | None,
        typer.Option(help="Hold the definitions against this server: a URL, package.module:server, or a command."),
    ] = None,
    name: Annotated[
        str | None, typer.Option(help="With --server: the server's name, if pulled under one.", show_default=False)
    ] = None,
    header: HeaderOption = None,
    header_env: HeaderEnvOption = None,
    env: EnvOption = None,
    timeout: TimeoutOption = None,
    exclude: ExcludeOption = None,
    cache_dir: CacheDirOption = None,
    no_cache: NoCacheOption = False,
    quiet: QuietOption = False,
    format: FormatOption = "text",
    color: ColorOption = "auto",
) -> None:
    """Say whether the generated package, or a running server, is what the definitions ask for; if not, exit code 4."""
    said = output.CommandOutput("check", format, color, quiet)
    if server is not None:
        from mcpgen.commands.check_server import ServerCheckRequest, check_server

        if out is not None or sdk is not None or jobs is not None:
            raise typer.BadParameter("--out, --sdk and --jobs are for generated packages, not for --server")
        packages = _select_packages(paths, None, None, None, config, root)
        question = _build_question([server], header, header_env, env, protocol, timeout, packages.findings)
        if question is None:
            raise typer.Exit(said.close(packages.findings, INVALID_INPUT))
        wanted = ServerCheckRequest(question, name, tuple(paths or ()), tuple(exclude or ()))
        raise typer.Exit(check_server(packages, wanted, said))
    if name or header or header_env or env or exclude:
        raise typer.BadParameter("--name, --header, --header-env, --env and --exclude go with --server")
    from mcpgen.commands.build import BuildSession

    session = BuildSession(said, _open_memory(cache_dir, no_cache))
    raise typer.Exit(session.check(_select_packages(paths, out, sdk, protocol, config, root), jobs))


@app.command()
def init(
    sdk: Annotated[
        str | None,
        typer.Option(
            help="Whose CallToolResult to return.", show_default="by the dependencies", autocompletion=_complete_sdks
        ),
    ] = None,
    out: Annotated[
        str | None, typer.Option(help="Folder of the generated package.", show_default="src/<package>/mcp_gen")
    ] = None,
    schemas: Annotated[str | None, typer.Option(help="Folder of the definitions.", show_default="schemas")] = None,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Ask nothing, take what is proposed.")] = False,
    quiet: QuietOption = False,
    format: FormatOption = "text",
    color: ColorOption = "auto",
) -> None:
    """Begin: settings, a first schema and a first template; nothing is overwritten."""
    from mcpgen.commands.init import init_project as run_init

    given = {"sdk": sdk, "out": out, "schemas": schemas}
    raise typer.Exit(run_init(Path.cwd(), given, yes, output.CommandOutput("init", format, color, quiet)))


@app.command()
def watch(
    paths: PathsArgument = None,
    out: OutOption = None,
    sdk: SdkOption = None,
    protocol: ProtocolOption = None,
    config: ConfigOption = None,
    root: RootOption = None,
    jobs: JobsOption = None,
    cache_dir: CacheDirOption = None,
    no_cache: NoCacheOption = False,
    quiet: QuietOption = False,
    format: FormatOption = "text",
    color: ColorOption = "auto",
) -> None:
    """Build, and again whenever a definition, a template or the settings change."""
    from mcpgen.commands.watch import Watcher

    def load() -> LoadedPackages:
        return _select_packages(paths, out, sdk, protocol, config, root)

    said = output.CommandOutput("watch", format, color, quiet)
    raise typer.Exit(Watcher(load, _open_memory(cache_dir, no_cache), jobs, said).run())


@app.command()
def show(
    tool: Annotated[str, typer.Argument(help="The tool's exact name.")],
    out: OutOption = None,
    config: ConfigOption = None,
    root: RootOption = None,
    protocol: ProtocolOption = None,
    code: Annotated[bool, typer.Option("--code", help="Only the generated module.")] = False,
    wire: Annotated[bool, typer.Option("--wire", help="Only the result on the wire.")] = False,
    schema: Annotated[bool, typer.Option("--schema", help="Only the outputSchema.")] = False,
    value: Annotated[str | None, typer.Option(help="The value, as JSON.", show_default="an example")] = None,
    format: FormatOption = "text",
    color: ColorOption = "auto",
) -> None:
    """Show a tool's generated class, its result for an example, and what its content costs a model."""
    from mcpgen.commands.show import ShowRequest
    from mcpgen.commands.show import show_tool as run_show

    parts = [name for name, chosen in (("code", code), ("wire", wire), ("schema", schema)) if chosen]
    if len(parts) > 1:
        raise typer.BadParameter("choose one of --code, --wire, --schema")
    wanted = ShowRequest(tool, parts[0] if parts else "", value, protocol)
    packages = _select_packages(None, out, None, protocol, config, root)
    raise typer.Exit(run_show(packages, wanted, output.CommandOutput("show", format, color)))


@app.command()
def prove(
    names: Annotated[list[str] | None, typer.Argument(help="Tools and resources to prove.", show_default="all")] = None,
    out: OutOption = None,
    config: ConfigOption = None,
    root: RootOption = None,
    max_examples: Annotated[int, typer.Option(min=1, help="Values that each class is held against.")] = 200,
    seed: Annotated[int, typer.Option(help="Which values are drawn.")] = 0,
    jobs: JobsOption = None,
    quiet: QuietOption = False,
    format: FormatOption = "text",
    color: ColorOption = "auto",
) -> None:
    """Hold the generated classes against their schemas, with drawn values; exit code 6 when a class is wrong."""
    from mcpgen.commands.prove import ProveRequest
    from mcpgen.commands.prove import prove_packages as run_proof

    wanted = ProveRequest(tuple(names or ()), max_examples, seed, jobs or os.cpu_count() or 1)
    packages = _select_packages(None, out, None, None, config, root)
    raise typer.Exit(run_proof(packages, wanted, output.CommandOutput("prove", format, color, quiet)))


def _complete_codes(incomplete: str) -> list[tuple[str, str]]:
    from mcpgen.diagnostics import CATALOGUE

    return [entry for entry in CATALOGUE.items() if entry[0].startswith(incomplete.upper())]


@app.command()
def explain(
    code: Annotated[
        str | None,
        typer.Argument(help="A diagnostic's code, such as MG101.", show_default="all", autocompletion=_complete_codes),
    ] = None,
    format: FormatOption = "text",
    color: ColorOption = "auto",
) -> None:
    """Say what a diagnostic means, with an example and the way to mend it; without a code, list all."""
    from mcpgen.commands.explain import explain_codes as run_explain

    raise typer.Exit(run_explain(code, output.CommandOutput("explain", format, color)))


@app.command()
def diff(
    paths: Annotated[
        list[Path] | None, typer.Argument(help="OLD and NEW; with --against, what is compared.", show_default=False)
    ] = None,
    against: Annotated[
        str | None, typer.Option(metavar="REVISION", help="Compare with the definitions of a git revision.")
    ] = None,
    against_server: Annotated[
        str | None,
        typer.Option(metavar="SERVER", help="Compare with a running server: a URL, package.module:server, a command."),
    ] = None,
    off: Annotated[
        list[str] | None, typer.Option(metavar="NAME", help="A category or rule not to ask; may be repeated.")
    ] = None,
    only: Annotated[list[str] | None, typer.Option(metavar="NAME", help="Ask only these categories and rules.")] = None,
    header: HeaderOption = None,
    header_env: HeaderEnvOption = None,
    env: EnvOption = None,
    protocol: Annotated[
        str | None, typer.Option(help="Protocol version to ask a server under.", show_default="the newest")
    ] = None,
    timeout: TimeoutOption = None,
    exclude: ExcludeOption = None,
    config: ConfigOption = None,
    root: RootOption = None,
    jobs: JobsOption = None,
    quiet: QuietOption = False,
    format: FormatOption = "text",
    color: ColorOption = "auto",
) -> None:
    """Say what in new definitions breaks those who rely on the old ones; exit code 5 when something does."""
    from mcpgen.commands.diff import DiffRequest
    from mcpgen.commands.diff_report import report_diff as run_diff

    said, given = output.CommandOutput("diff", format, color, quiet), tuple(paths or ())
    if (against is not None) + (against_server is not None) + (len(given) == 2) == 0 or (against and against_server):
        raise typer.BadParameter("name OLD and NEW, or one of --against and --against-server")
    wanted = DiffRequest(
        given, against, tuple(off or ()), tuple(only or ()), config, jobs or os.cpu_count() or 1, root=root
    )
    if against_server is not None:
        from mcpgen.diagnostics import Findings

        findings = Findings()
        question = _build_question([against_server], header, header_env, env, protocol, timeout, findings)
        if question is None:
            raise typer.Exit(said.close(findings, INVALID_INPUT))
        wanted = replace(wanted, server=question, exclude=tuple(exclude or ()))
    elif header or header_env or env or exclude or protocol:
        options = "--header, --header-env, --env, --exclude and --protocol"
        raise typer.BadParameter(f"{options} go with --against-server")
    raise typer.Exit(run_diff(wanted, said))


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
    header: HeaderOption = None,
    header_env: HeaderEnvOption = None,
    env: EnvOption = None,
    protocol: Annotated[
        str | None, typer.Option(help="Protocol version to ask under.", show_default="the newest")
    ] = None,
    timeout: TimeoutOption = None,
    exclude: ExcludeOption = None,
    config: ConfigOption = None,
    root: RootOption = None,
    force: Annotated[bool, typer.Option("--force", help="Overwrite an edited or foreign file.")] = False,
    quiet: QuietOption = False,
    format: FormatOption = "text",
    color: ColorOption = "auto",
) -> None:
    """Write the definitions of a running server to schemas/pulled/."""
    from mcpgen.commands.pull import PullRequest
    from mcpgen.commands.pull import pull_definitions as run_pull

    said = output.CommandOutput("pull", format, color, quiet)
    packages = _select_packages(None, None, None, None, config, root)
    question = _build_question(source or [], header, header_env, env, protocol, timeout, packages.findings)
    if question is None:
        raise typer.Exit(said.close(packages.findings, INVALID_INPUT))
    raise typer.Exit(run_pull(packages, PullRequest(question, name, out, tuple(exclude or ()), force), said))


def _build_question(
    source: list[str],
    header: list[str] | None,
    header_env: list[str] | None,
    env: list[str] | None,
    protocol: str | None,
    timeout: float | None,
    findings: Findings,
) -> ServerQuery | None:
    """Whom to ask, and with what; None with a finding."""
    from mcpgen.introspect.client import parse_server_query
    from mcpgen.introspect.errors import IntrospectionError

    try:
        return parse_server_query(source, header or (), header_env or (), env or (), timeout, protocol)
    except IntrospectionError as error:
        findings.error(error.code, error.message, None, error.help)
        return None


def _select_packages(
    paths: list[Path] | None,
    out: Path | None,
    sdk: str | None,
    protocol: str | None,
    config: Path | None,
    root: Path | None = None,
) -> LoadedPackages:
    """The packages to work on: the settings', with what the command line says in their place."""
    from mcpgen.config.load import LoadedPackages, find_settings, load_packages
    from mcpgen.config.overrides import override_settings
    from mcpgen.diagnostics import Findings

    findings = Findings()
    here = Path.cwd()
    packages = load_packages(config or find_settings(here), here, findings)
    given = {"out": out, "sdk": sdk, "protocol": protocol}
    return LoadedPackages(override_settings(packages, paths or [], given, findings, root), findings)


def _open_memory(cache_dir: Path | None, no_cache: bool) -> Memory:
    """The cache that the command line or the environment asks for."""
    from mcpgen.cache.memory import Memory
    from mcpgen.cache.store import choose_store

    return Memory(choose_store(cache_dir, no_cache))


def _is_folder_gone() -> bool:
    """Whether the working folder was removed, so that nothing can be found, or named, relative to it."""
    try:
        os.getcwd()
    except FileNotFoundError:
        return True
    return False


def run() -> None:
    """The console script."""
    code: str | int | None = 0
    try:
        app()
    except (KeyboardInterrupt, BrokenPipeError):
        code = 130
    except SystemExit as ended:  # Typer ends with 1, which is for bugs, where nobody reads on
        code = 130 if isinstance(ended.__context__, BrokenPipeError) else ended.code
    except FileNotFoundError:
        if not _is_folder_gone():
            raise
        code = INVALID_INPUT
        help = "go to a folder that is there, and run this again"
        sys.stderr.write(f"error[MG404]: the working folder is gone\n  help: {help}\n")
    with suppress(OSError):
        sys.stdout.flush()  # here, and not when Python ends: a reader may be gone
        sys.exit(code)
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # for what is left, which Python would complain of
    sys.exit(130)
