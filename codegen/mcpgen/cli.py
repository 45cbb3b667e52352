"""Command line: parses options and calls the commands."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from mcpgen.commands.help_pages import CommandWithExamples, GroupOfCommands
from mcpgen.commands.options import (
    CacheOptions,
    FailOnOption,
    FormatOptions,
    HostOptions,
    JobsOption,
    MessageOptions,
    OutOption,
    OutputOptions,
    PackageOptions,
    PathsArgument,
    ProtocolOption,
    ReferenceOptions,
    SettingsOptions,
    TokenOptions,
    complete_clients,
    complete_codes,
    complete_sdks,
    expand_groups,
)
from mcpgen.commands.server_options import (
    CallOptions,
    DiffOptions,
    DiffQueryOptions,
    LearnOptions,
    PullOptions,
    QueryOptions,
    ServerCheckOptions,
    VerifyOptions,
)
from mcpgen.files.project_paths import is_working_folder_gone
from mcpgen.report.exit_codes import INVALID_INPUT

INTERRUPTED = 130
"""Exit code of a command that was interrupted, or whose output nobody reads any more."""

app = typer.Typer(
    name="mcpgen",
    help="Typed result classes for MCP servers, generated from their tool and resource definitions.",
    cls=GroupOfCommands,
    rich_markup_mode=None,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def command(function: Callable[..., None]) -> Callable[..., None]:
    """Add a function to the command line, whose parameters may be groups of options."""
    return app.command(cls=CommandWithExamples)(expand_groups(function))


def _print_version(value: bool) -> None:
    if value:
        from mcpgen import __version__

        typer.echo(f"mcpgen {__version__}")
        raise typer.Exit


@app.callback()
def main(
    version: Annotated[
        bool, typer.Option("--version", "-V", callback=_print_version, is_eager=True, help="Show the version.")
    ] = False,
) -> None:
    """Typed result classes for MCP servers, generated from their tool and resource definitions."""


@command
def build(
    *,
    package: PackageOptions,
    jobs: JobsOption = None,
    force: Annotated[
        bool, typer.Option("--force", help="Overwrite edited files, and allow another kind of package.")
    ] = False,
    cache: CacheOptions,
    depfile: Annotated[
        Path | None, typer.Option(help="Write a Make rule with all input files to this file.", show_default=False)
    ] = None,
    fail_on: FailOnOption = None,
    output: OutputOptions,
) -> None:
    """Generate the package: read the definitions, and write the files that changed."""
    from mcpgen.cache.recorded_runs import record_run
    from mcpgen.commands.build import BuildRequest, run_build

    with record_run(sys.argv[1:]) as record:
        request = BuildRequest(jobs, record, fail_on, force, depfile)
        raise typer.Exit(run_build(package.load_packages(), request, cache.open_store(), output.open("build")))


@command
def check(
    *,
    package: PackageOptions,
    jobs: JobsOption = None,
    server: ServerCheckOptions,
    cache: CacheOptions,
    fail_on: FailOnOption = None,
    output: OutputOptions,
) -> None:
    """Check that the generated package, or a running server, matches the definitions; exit code 4 if not."""
    builds = package.out or package.sdk or package.runtime or jobs or fail_on
    if server.is_for_servers(bool(builds), package.paths or ()):
        raise typer.Exit(_check_servers(package, server, output))
    from mcpgen.cache.recorded_runs import record_run
    from mcpgen.commands.check import run_check
    from mcpgen.commands.generation import RunRequest

    with record_run(sys.argv[1:]) as record:
        request = RunRequest(jobs, record, fail_on)
        raise typer.Exit(run_check(package.load_packages(), request, cache.open_store(), output.open("check")))


def _check_servers(package: PackageOptions, server: ServerCheckOptions, output: OutputOptions) -> int:
    from mcpgen.commands.check_servers import run_server_check

    settings = SettingsOptions(config=package.config, root=package.root)
    loaded, channels = settings.load_packages(package.paths), output.open("check")
    request = server.make_request(package.protocol, package.paths or (), loaded.findings)
    if request is None:
        return channels.finish(loaded.findings, INVALID_INPUT)
    return run_server_check(loaded, request, channels)


@command
def init(
    *,
    sdk: Annotated[
        str | None,
        typer.Option(help="The SDK to build for.", show_default="by the dependencies", autocompletion=complete_sdks),
    ] = None,
    out: Annotated[
        str | None, typer.Option(help="Folder of the generated package.", show_default="src/<package>/mcp_gen")
    ] = None,
    schemas: Annotated[str | None, typer.Option(help="Folder of the definitions.", show_default="schemas")] = None,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Ask no questions, and use the defaults.")] = False,
    handlers: Annotated[bool, typer.Option("--handlers", help="Also write a first version of the handlers.")] = False,
    output: OutputOptions,
) -> None:
    """Create settings, a first schema and a first template; never overwrite a file."""
    from mcpgen.commands.init import run_init

    options = {"sdk": sdk, "out": out, "schemas": schemas}
    raise typer.Exit(run_init(Path.cwd(), options, yes, output.open("init"), handlers))


@command
def handlers(
    *,
    names: Annotated[list[str] | None, typer.Argument(help="The tools' exact names.", show_default="all")] = None,
    to: Annotated[
        Path | None, typer.Option(help="File to create.", show_default="handlers.py next to the package")
    ] = None,
    prints: Annotated[bool, typer.Option("--print", help="Print the handlers instead of writing a file.")] = False,
    settings: SettingsOptions,
    output: OutputOptions,
) -> None:
    """Write a first version of typed handlers, to be filled in; never overwrite a file."""
    from mcpgen.commands.handlers import HandlersRequest, run_handlers

    if to is not None and prints:
        raise typer.BadParameter("choose one of --to and --print")
    request = HandlersRequest(tuple(names or ()), to, prints)
    raise typer.Exit(run_handlers(settings.load_packages(), request, output.open("handlers")))


@command
def watch(*, package: PackageOptions, jobs: JobsOption = None, cache: CacheOptions, output: OutputOptions) -> None:
    """Build, and rebuild whenever a definition, a template or the settings change."""
    from mcpgen.commands.watch import run_watch

    raise typer.Exit(run_watch(package.load_packages, cache.open_store(), output.open("watch"), jobs))


@command
def show(
    *,
    tool: Annotated[str | None, typer.Argument(help="The tool's exact name.", show_default=False)] = None,
    out: OutOption = None,
    settings: SettingsOptions,
    protocol: ProtocolOption = None,
    code: Annotated[bool, typer.Option("--code", help="Show only the generated module.")] = False,
    wire: Annotated[bool, typer.Option("--wire", help="Show only the result on the wire.")] = False,
    schema: Annotated[bool, typer.Option("--schema", help="Show only the outputSchema.")] = False,
    value: Annotated[str | None, typer.Option(help="The result to show, as JSON.", show_default="an example")] = None,
    hosts: HostOptions,
    tokens: TokenOptions,
    output: FormatOptions,
) -> None:
    """Show a tool's generated class, its result for an example, and what its content costs a model."""
    sections = [name for name, chosen in (("code", code), ("wire", wire), ("schema", schema)) if chosen]
    if hosts.host is not None or hosts.hosts:
        if sections or tokens.tokens or tokens.vocabulary:
            raise typer.BadParameter("--host and --hosts go with --value, --protocol and --jobs alone")
        from mcpgen.commands.host_readings import run_show_hosts

        host_request = hosts.make_request(tool, value, protocol, tokens.jobs)
        loaded = settings.load_packages(out=out, protocol=protocol)
        raise typer.Exit(run_show_hosts(loaded, host_request, output.open("show")))
    if tokens.tokens:
        if sections or value is not None:
            raise typer.BadParameter("use --tokens alone: leave out --code, --wire, --schema and --value")
        from mcpgen.commands.token_counts import run_show_tokens

        loaded = settings.load_packages(out=out, protocol=protocol)
        raise typer.Exit(run_show_tokens(loaded, tokens.make_request(tool, protocol), output.open("show")))
    from mcpgen.commands.show import ShowRequest, run_show

    if tokens.vocabulary or tokens.jobs:
        raise typer.BadParameter("--vocabulary and --jobs go with --tokens, --jobs with --hosts, too")
    if len(sections) > 1:
        raise typer.BadParameter("choose one of --code, --wire, --schema")
    if tool is None:
        raise typer.BadParameter("name a tool; only --tokens and --hosts show all of them")
    request = ShowRequest(tool, sections[0] if sections else "", value, protocol)
    raise typer.Exit(run_show(settings.load_packages(out=out, protocol=protocol), request, output.open("show")))


@command
def prove(
    *,
    names: Annotated[list[str] | None, typer.Argument(help="Tools and resources to test.", show_default="all")] = None,
    out: OutOption = None,
    settings: SettingsOptions,
    max_examples: Annotated[int, typer.Option(min=1, help="How many values to test each class with.")] = 200,
    seed: Annotated[int, typer.Option(help="Seed of the random values.")] = 0,
    jobs: JobsOption = None,
    output: OutputOptions,
) -> None:
    """Test the generated classes against their schemas with random values; exit code 6 if a class is wrong."""
    from mcpgen.commands.prove import ProveRequest, run_prove

    request = ProveRequest(tuple(names or ()), max_examples, seed, jobs or os.cpu_count() or 1)
    raise typer.Exit(run_prove(settings.load_packages(out=out), request, output.open("prove")))


@command
def mock(
    *,
    paths: PathsArgument = None,
    http: Annotated[
        int | None,
        typer.Option(
            min=0, max=65535, metavar="PORT", help="Serve over HTTP; 0 takes a free port.", show_default="stdio"
        ),
    ] = None,
    host: Annotated[str, typer.Option(help="With --http: the address to listen at.")] = "127.0.0.1",
    rules: Annotated[list[Path] | None, typer.Option(help="File of rules for calls; may be repeated.")] = None,
    recorded: Annotated[list[Path] | None, typer.Option(help="Recorded calls to answer with; may be repeated.")] = None,
    seed: Annotated[int, typer.Option(help="Seed of the drawn values.")] = 0,
    record: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Add the calls and their results to this file.")
    ] = None,
    watch: Annotated[bool, typer.Option("--watch", help="Follow the definitions.")] = False,
    settings: SettingsOptions,
    cache: CacheOptions,
    output: MessageOptions,
) -> None:
    """Serve the definitions without handlers, for tests of clients and agents."""
    from mcpgen.commands.mock import MockRequest, run_mock

    request = MockRequest(http, host, (*(rules or ()),), (*(recorded or ()),), seed, record, watch)
    load = partial(settings.load_packages, paths)
    raise typer.Exit(run_mock(load, request, cache.open_store(), output.open("mock")))


@command
def verify(
    *, paths: PathsArgument = None, server: VerifyOptions, settings: SettingsOptions, output: OutputOptions
) -> None:
    """Call a live server, and report where its answers break what it promises; exit code 9 if one does."""
    from mcpgen.commands.verify import run_verify

    loaded, channels = settings.load_packages(paths), output.open("verify")
    request = server.make_request(paths or (), loaded.findings)
    if request is None:
        raise typer.Exit(channels.finish(loaded.findings, INVALID_INPUT))
    raise typer.Exit(run_verify(loaded, request, channels))


@command
def explain(
    *,
    code: Annotated[
        str | None,
        typer.Argument(help="A code (MG101), or a rule of diff.", show_default="all", autocompletion=complete_codes),
    ] = None,
    output: FormatOptions,
) -> None:
    """Explain a diagnostic, with an example and how to fix it; without a code, list all."""
    from mcpgen.commands.explain import run_explain

    raise typer.Exit(run_explain(code, output.open("explain")))


@command
def doctor(*, settings: SettingsOptions, jobs: JobsOption = None, cache: CacheOptions, output: FormatOptions) -> None:
    """Say what mcpgen works with here: versions, SDKs, settings and where each is from, the cache, the package."""
    from mcpgen.commands.doctor import run_doctor

    raise typer.Exit(run_doctor(settings.load_packages(), cache.open_store(), output.open("doctor"), jobs))


@command
def lint(
    *,
    paths: PathsArgument = None,
    select: Annotated[
        list[str] | None,
        typer.Option(metavar="CODE", help="Run rules with this code or prefix; may be repeated.", show_default=False),
    ] = None,
    ignore: Annotated[
        list[str] | None,
        typer.Option(metavar="CODE", help="Skip rules with this code or prefix; may be repeated.", show_default=False),
    ] = None,
    client: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME", help="Run this client's rules; may be repeated.", autocompletion=complete_clients),
    ] = None,
    fix: Annotated[bool, typer.Option("--fix", help="Fix the definitions if there is one safe fix.")] = False,
    fail_on: FailOnOption = None,
    settings: SettingsOptions,
    output: OutputOptions,
) -> None:
    """Report definitions that clients reject or models misread; exit code 7 if there are any."""
    from mcpgen.commands.lint import LintRequest, run_lint

    request = LintRequest(select, ignore, client, fix, fail_on)
    raise typer.Exit(run_lint(settings.load_packages(paths), request, output.open("lint")))


@command
def docs(
    *,
    paths: PathsArgument = None,
    reference: ReferenceOptions,
    settings: SettingsOptions,
    jobs: JobsOption = None,
    cache: CacheOptions,
    output: OutputOptions,
) -> None:
    """Write a reference of the server for people: Markdown pages, and one self-contained HTML page."""
    from mcpgen.commands.docs import run_docs

    loaded = settings.load_packages(paths)
    request = reference.make_request(paths or [], settings, jobs or os.cpu_count() or 1, cache)
    raise typer.Exit(run_docs(loaded, request, output.open("docs")))


@command
def diff(
    *,
    sides: DiffOptions,
    server: DiffQueryOptions,
    settings: SettingsOptions,
    jobs: JobsOption = None,
    cache: CacheOptions,
    output: OutputOptions,
) -> None:
    """Report changes of definitions that break clients or programs; exit code 5 if there are any."""
    from mcpgen.commands.diff import run_diff
    from mcpgen.diagnostics import Findings

    sides.check_sides()
    query, findings, channels = None, Findings(), output.open("diff")
    if sides.against_server is not None:
        query = server.make_query([sides.against_server], findings)
        if query is None:
            raise typer.Exit(channels.finish(findings, INVALID_INPUT))
    elif server.header or server.header_env or server.env or server.exclude or server.protocol:
        options = "--header, --header-env, --env, --exclude and --protocol"
        raise typer.BadParameter(f"{options} go with --against-server")
    request = sides.make_request(settings, jobs or os.cpu_count() or 1, query, tuple(server.exclude or ()), cache)
    raise typer.Exit(run_diff(request, channels))


@command
def pull(
    *,
    source: Annotated[
        list[str] | None,
        typer.Argument(help="A URL, package.module:server, or -- and a command.", show_default=False),
    ] = None,
    target: PullOptions,
    server: QueryOptions,
    settings: SettingsOptions,
    output: OutputOptions,
) -> None:
    """Write the definitions of a running server, or of all servers of a client, to schemas/pulled/."""
    from mcpgen.commands.pull import run_pull

    loaded, channels = settings.load_packages(), output.open("pull")
    follow_up = target.make_follow_up(settings.load_packages, CacheOptions().open_store, settings.config)
    request = target.make_request(source or [], server, follow_up, loaded.findings)
    if request is None:
        raise typer.Exit(channels.finish(loaded.findings, INVALID_INPUT))
    raise typer.Exit(run_pull(loaded, request, channels))


@command
def learn(*, recorded: LearnOptions, calls: CallOptions, settings: SettingsOptions, output: OutputOptions) -> None:
    """Propose output schemas from recorded calls, in schemas/learned/ by default; never overwrite a file."""
    from mcpgen.commands.learn import run_learn

    loaded = settings.load_packages()
    raise typer.Exit(run_learn(loaded, recorded.make_request(calls, loaded.findings), output.open("learn")))


def run(command_line: Callable[[], object] | None = None) -> None:
    """Call a command line, `app` by default, and exit with its code; Ctrl-C and a closed pipe print no traceback."""
    code: str | int | None = 0
    try:
        (command_line or app)()
    except (KeyboardInterrupt, BrokenPipeError):
        code = INTERRUPTED
    except SystemExit as exit:  # if nobody reads its output any more, Typer exits with 1, which means a bug here
        code = INTERRUPTED if isinstance(exit.__context__, BrokenPipeError) else exit.code
    except FileNotFoundError:
        if not is_working_folder_gone():
            raise
        code = INVALID_INPUT
        help = "go to a folder that exists, and run this again"
        sys.stderr.write(f"error[MG404]: the working folder is gone\n  help: {help}\n")
    with suppress(OSError):
        sys.stdout.flush()  # here, not at Python's exit, since the reader may be gone
        sys.exit(code)
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # Python would complain about unwritten output
