"""`mcpgen pull`: write the definitions of a running server to a file, and report weaknesses of their schemas."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from mcpgen.commands.package_selection import LoadedPackages
from mcpgen.commands.pull_follow_up import NO_FOLLOW_UP, FollowUp, PulledFiles, PullEnd, check_sdk_option
from mcpgen.commands.pull_neighbours import (
    choose_folder,
    describe_new_file,
    list_removed_names,
    report_clash,
    report_moved_definitions,
    report_other_server,
    report_replaced_server,
)
from mcpgen.commands.pull_settings import Agreement, compare_given_schemas, leave_out_schemas, locate_given_schemas
from mcpgen.config.models import ConfiguredPackage, Limits
from mcpgen.config.module_names import make_importable
from mcpgen.config.toml_positions import format_header, get_settings_path
from mcpgen.diagnostics import Findings, Span
from mcpgen.files import journal, private_folders
from mcpgen.files.project_paths import find_project, is_in_git_repository, is_within
from mcpgen.introspect.client import ServerQuery
from mcpgen.introspect.drift import describe_counts
from mcpgen.introspect.errors import IntrospectionError
from mcpgen.introspect.fetch import fetch_definitions
from mcpgen.introspect.pulled_file import render_pulled_file, write_pulled_file
from mcpgen.introspect.server_address import InProcess, format_server_address, make_server_name
from mcpgen.introspect.server_identity import identify_server
from mcpgen.introspect.validation import AdvertisedDefinitions
from mcpgen.lint.output_schemas import Remark, lint_output_schema
from mcpgen.names.identifiers import make_class_stem
from mcpgen.names.reserved import DEVICE_NAMES
from mcpgen.paths import format_path
from mcpgen.plan import Action
from mcpgen.report.exit_codes import INVALID_INPUT, WRITE_REFUSED
from mcpgen.report.output import CommandOutput
from mcpgen.schema.values import Json

MOST_TOOLS_WITH_OWN_REMARK = 3
"""Tools with the same problem that the report names one by one; for more tools there is one line."""
MOST_NAMED_TOOLS = 10
"""Tools without an outputSchema that the report on one of several servers names."""
NO_SCHEMA = "no outputSchema, so its results are not typed"
LEARN_ADVICE = "without an outputSchema: `mcpgen learn` proposes one from recorded results"


@dataclass(frozen=True)
class PullRequest:
    """Server to ask, and the file to write."""

    query: ServerQuery
    name: str | None
    """Name of the file without `.json`, None for one made from the server's address."""
    out: Path | None
    """Folder of the file, None for the one that the settings imply."""
    exclude: tuple[str, ...]
    """Names, URIs and patterns of definitions that are left out."""
    force: bool
    follow_up: FollowUp = NO_FOLLOW_UP


def run_pull(loaded: LoadedPackages, request: PullRequest, output: CommandOutput) -> int:
    """Write the definitions of a server into its file, report on them and return the exit code."""
    findings = loaded.findings
    data: dict[str, Json] = {}
    check_sdk_option(request.follow_up.sdk, loaded.packages, findings)
    pulled = INVALID_INPUT if findings.failed else _pull_server(loaded.packages, request, findings)
    if isinstance(pulled, int):
        return output.finish(findings, pulled)
    output.print_remark(*_format_report(pulled))
    if pulled.is_new and request.out is None:
        output.print_remark(*describe_new_file(pulled.file))
    data |= pulled.describe()
    tool = pulled.tools[0].name if pulled.tools else None
    files = PulledFiles(request.out, tool=tool, is_changed=pulled.is_changed, clashes=pulled.clashes)
    end = PullEnd(loaded, request.follow_up, files)
    exit_code = end.run(output, data)
    output.finish(findings, exit_code, lambda: data)
    end.print_end(output)
    return exit_code


def _pull_server(packages: Sequence[ConfiguredPackage], request: PullRequest, findings: Findings) -> Pulled | int:
    """Fetch definitions and write them; return the exit code if that is not possible."""
    name = request.name or make_server_name(request.query.source)
    if not re.fullmatch(r"[A-Za-z0-9_][A-Za-z0-9._-]*", name) or name.endswith((".defs", ".json")):
        help = "letters, digits, dots, dashes and underscores; it becomes a file NAME.json"
        findings.error("MG701", "the server's file cannot have this name", None, help)
        return INVALID_INPUT
    if name.partition(".")[0].lower() in DEVICE_NAMES:
        help = "choose another name: --name"
        findings.error("MG701", f"Windows has a device called {name.partition('.')[0]}, so no file may be", None, help)
        return INVALID_INPUT
    limits = packages[0].settings.limits if packages else Limits.model_validate({})
    help = advise_package(packages[0].file if packages else None, name)
    implied = request.out or choose_folder(packages, name, help, findings)
    folder = implied and (request.out or check_folder(packages, implied, findings))
    if folder is None:
        return INVALID_INPUT
    advertised = fetch_definitions(request.query, request.exclude, limits, findings)
    if advertised is None:
        return INVALID_INPUT
    server = format_server_address(request.query.source)
    identity = identify_server(request.query.source)
    is_named = request.name is not None
    target = PulledTarget(
        folder,
        name,
        server,
        request.force,
        exclude=request.exclude,
        identity=identity,
        is_named=is_named,
        is_own=isinstance(request.query.source, InProcess),
    )
    return store_definitions(packages, target, advertised, limits, findings)


def advise_package(settings: Path | None, name: str) -> str:
    """Return how a server gets a package of its own, with the table for a settings file."""
    header = format_header((*get_settings_path(settings), "package"), is_list=True)
    return (
        f"for a package of its own, name its folder, --out schemas/{name}/pulled, and give the settings a {header} "
        f'table with schemas = ["schemas/{name}"] and out = "generated/{make_importable(name)}"'
    )


def check_folder(packages: Sequence[ConfiguredPackage], folder: Path, findings: Findings) -> Path | None:
    """Return a folder that the settings imply; None, with an error, if they lead out of the project."""
    roots = (packages[0].roots if packages else None) or (find_project(Path.cwd()),)
    if is_within(folder, roots):
        return folder
    help = "name it on the command line if that is intended: --out"
    findings.error("MG304", f"is outside the project {format_path(roots[0])}", Span(format_path(folder)), help)
    return None


@dataclass(frozen=True)
class PulledTarget:
    """Where the definitions of a server are written."""

    folder: Path
    name: str
    """Name of the file without `.json`."""
    server: str
    """The server, for people."""
    force: bool
    prefix: str = ""
    """Text before the names of tools and prompts."""
    address: str = ""
    """The server's address for people, if it is known by another name."""
    exclude: tuple[str, ...] = ()
    """Names, URIs and patterns of definitions that were left out."""
    companions: frozenset[str] = frozenset()
    """Names of the files that the same command pulls."""
    identity: str = ""
    """The digest of the server's address, see `identify_server`."""
    is_named: bool = True
    """Whether the user chose the name, so that it means the same server, wherever it is, unless nothing is the same."""
    is_own: bool = False
    """Whether the server's code is in this project."""

    @property
    def path(self) -> Path:
        """The file."""
        return self.folder / f"{self.name}.json"


@dataclass(frozen=True)
class Pulled:
    """Definitions of a server that are in their file."""

    file: Path
    advertised: AdvertisedDefinitions
    is_changed: bool
    is_new: bool
    """Whether the file was not there before."""
    tools: tuple[PulledTool, ...]
    removed: tuple[str, ...] = ()
    """Names of definitions that the file had before."""
    clashes: tuple[str, ...] = ()
    """Places of settings with which the package cannot be built, since the file says something else."""

    @property
    def path(self) -> str:
        """The file, for messages."""
        return format_path(self.file)

    def describe(self) -> dict[str, Json]:
        """Return what the JSON document says about the file."""
        tools: list[Json] = [
            {"name": tool.name, "class": tool.result, "remarks": [*map(str, tool.remarks)]} for tool in self.tools
        ]
        return {
            "file": self.path,
            "protocol": self.advertised.protocol,
            "written": self.is_changed,
            "tools": tools,
            "removed": [*self.removed],
        }

    @property
    def state(self) -> str:
        """What became of the file."""
        return "written" if self.is_changed else "unchanged"

    def summarize_file(self) -> str:
        """Return a line about the file alone."""
        return f"{self.path}: {self.state}"

    def describe_removed(self) -> list[str]:
        """Return a line about what is no longer in the file; none if everything still is."""
        if not self.removed:
            return []
        has_history = is_in_git_repository(self.file.parent)
        advice = "; `mcpgen diff --against HEAD` says what that breaks" if has_history else ""
        return [f"  removed: {', '.join(self.removed)}{advice}"]

    def describe_schemas(self) -> list[str]:
        """Return lines about the tools whose outputSchema is missing, or also in the settings."""
        given = [tool for tool in self.tools if tool.schema_remark not in ("", NO_SCHEMA)]
        lines = [f"  {tool.describe()}" for tool in given]
        if bare := [tool.name for tool in self.tools if tool.schema_remark == NO_SCHEMA]:
            more = ", …" if len(bare) > MOST_NAMED_TOOLS else ""
            lines.append(f"  without an outputSchema: {', '.join(bare[:MOST_NAMED_TOOLS])}{more}")
        return lines

    def summarize(self) -> str:
        """Return a line about the file and its definitions."""
        return f"{self.path}: {describe_definitions(self.advertised)}, {self.state}"


def describe_definitions(advertised: AdvertisedDefinitions) -> str:
    """Return how many definitions a server has, and under which protocol version."""
    return f"{describe_counts(advertised)}, protocol {advertised.protocol}"


def store_definitions(
    packages: Sequence[ConfiguredPackage],
    target: PulledTarget,
    advertised: AdvertisedDefinitions,
    limits: Limits,
    findings: Findings,
) -> Pulled | int:
    """Write the definitions of a server into its file; return the exit code if that is not possible."""
    most = min(limits.file_size, 2 * limits.response_size)
    advertised = advertised.add_prefix(target.prefix)
    removed = list_removed_names(target.path, advertised)  # before the new text takes memory, too
    readers = [package for package in packages if package.reads(target.folder)]
    agreements = compare_given_schemas(readers, advertised)
    declared = advertised.tools
    advertised = leave_out_schemas(advertised, [name for name, kind in agreements.items() if kind == "same"])
    try:
        text = render_pulled_file(
            advertised,
            target.server,
            most,
            target.prefix,
            address=target.address,
            identity=target.identity,
            exclude=target.exclude,
        )
    except IntrospectionError as error:
        findings.error(error.code, error.message, Span.of_server(target.server), error.help)
        return INVALID_INPUT
    server = target.address or target.server
    if not (target.force or target.address) and (
        report_replaced_server(target.path, server, target.identity, advertised, findings)
        if target.is_named
        else report_other_server(target.path, server, target.identity, findings)
    ):
        return WRITE_REFUSED
    if readers and report_clash(target.path, server, advertised, target.companions, findings):
        return INVALID_INPUT
    if report_moved_definitions(readers, target.path, advertised, findings):
        return INVALID_INPUT
    private_folders.warn_unused_folders(findings, [journal.describe_state_problem()])
    plan = write_pulled_file(target.folder, target.name, text, target.force, findings)
    if plan is None:
        return INVALID_INPUT
    if plan.refused:
        return WRITE_REFUSED
    tools = [
        _describe_tool(tool, readers or packages, agreements.get(str(tool["name"])), target.is_own) for tool in declared
    ]
    is_new = any(step.action is Action.CREATE for step in plan.steps)
    clashing = [name for name, agreement in agreements.items() if agreement in _CLASHES]
    clashes = locate_given_schemas(readers, clashing)
    return Pulled(target.path, advertised, bool(plan.changes), is_new, tuple(tools), removed, clashes)


@dataclass(frozen=True)
class PulledTool:
    """Line of the report about a tool."""

    name: str
    result: str | None
    """Class that the tool's handler returns."""
    schema_remark: str
    """What to know of where its outputSchema is from; empty if the server declares it, and nothing else does."""
    remarks: tuple[Remark, ...] = ()
    """Weaknesses of the outputSchema."""

    def describe(self) -> str:
        """Return the line of the report."""
        line = f"{self.name} -> {self.result}" if self.result else self.name
        return f"{line}: {self.schema_remark}" if self.schema_remark else line


_AGREEMENT_REMARKS: dict[Agreement, str] = {
    "same": "the server declares the outputSchema of the settings, so it is not in the pulled file",
    "partly": "the server declares the outputSchema of the settings; remove it there, since another package needs it "
    "in the pulled file",
    "different": "the server's outputSchema differs from the one of the settings; remove the setting",
}
_CLASHES: tuple[Agreement, ...] = ("partly", "different")
"""Agreements with which a build fails until the setting is removed."""
_DIFFERENT_FROM_OWN = "the server's outputSchema differs from the one of the settings; remove one of the two"


def _describe_tool(
    tool: dict[str, Json], packages: Sequence[ConfiguredPackage], agreement: Agreement | None, is_own: bool
) -> PulledTool:
    name = str(tool["name"])
    choices = [choice for package in packages if (choice := package.settings.tools.get(name)) is not None]
    stem = make_class_stem(name, next((choice.name for choice in choices if choice.name is not None), None), "Tool")
    result = f"{stem}Result" if stem else None
    if "outputSchema" in tool:
        remark = "" if agreement is None else _AGREEMENT_REMARKS[agreement]
        remark = _DIFFERENT_FROM_OWN if is_own and agreement == "different" else remark
        return PulledTool(name, result, remark, tuple(lint_output_schema(tool)))
    if any(choice.output_schema is not None for choice in choices):
        return PulledTool(name, result, "the server declares no outputSchema, but the settings have one")
    return PulledTool(name, result, NO_SCHEMA)


def _format_report(pulled: Pulled) -> list[str]:
    advertised, tools = pulled.advertised, pulled.tools
    lines = [pulled.summarize(), *pulled.describe_removed()]
    remarked: defaultdict[str, list[tuple[PulledTool, Remark]]] = defaultdict(list)
    for tool in tools:
        for remark in tool.remarks:
            remarked[remark.problem].append((tool, remark))
    for tool in tools:
        lines.append(f"  {tool.describe()}")
        lines += [
            f"    {remark}" for remark in tool.remarks if len(remarked[remark.problem]) <= MOST_TOOLS_WITH_OWN_REMARK
        ]
    if advertised.instructions:
        lines.append(f"  the server's instructions: {len(advertised.instructions):,} characters")
    if advertised.left_out:
        lines.append(f"  not pulled, since MCP has no definitions of these: {', '.join(advertised.left_out)}")
    lines += [_summarize_remarks(same) for same in remarked.values() if len(same) > MOST_TOOLS_WITH_OWN_REMARK]
    if tools:
        lines.append("after each arrow: the class of the tool's results, which handlers return and typed clients get")
    if any(tool.schema_remark == NO_SCHEMA for tool in tools):
        lines.append(LEARN_ADVICE)
    return lines


def _summarize_remarks(remarks: list[tuple[PulledTool, Remark]]) -> str:
    """Return one line about a problem that many tools have, with the place in the first of them."""
    names = ", ".join(tool.name for tool, _ in remarks[:MOST_TOOLS_WITH_OWN_REMARK])
    tool, remark = remarks[0]
    place = f" (for example {remark.pointers[0]} of {tool.name})" if remark.pointers else ""
    return f"{len(remarks)} tools ({names}, …): {remark.problem}{place}"
