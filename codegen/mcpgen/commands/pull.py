"""`mcpgen pull`: write the definitions of running servers to files, and report weaknesses of their schemas."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from mcpgen.commands.package_selection import LoadedPackages
from mcpgen.commands.pull_follow_up import (
    NO_FOLLOW_UP,
    FollowUp,
    PullEnd,
    add_tables,
    check_sdk_option,
    describe_replaced_package,
    list_missing_packages,
    list_steps,
    propose_packages,
)
from mcpgen.commands.pulled_files import (
    Agreement,
    PulledHeader,
    check_folder,
    choose_folder,
    compare_given_schemas,
    describe_leftovers,
    describe_new_file,
    find_folder_of_server,
    find_own_folder_of,
    leave_out_schemas,
    list_removed_names,
    locate_given_schemas,
    render_pulled_file,
    report_clash,
    report_moved_definitions,
    report_other_server,
    write_pulled_file,
)
from mcpgen.config.load import make_importable
from mcpgen.config.models import ConfiguredPackage
from mcpgen.config.toml import format_header, get_settings_path
from mcpgen.diagnostics import Span
from mcpgen.files import journal, private_folders
from mcpgen.files.project_paths import is_in_git_repository
from mcpgen.introspect.client import fetch_from_servers
from mcpgen.introspect.client_config import ConfiguredServer, ServerChoice, list_servers
from mcpgen.introspect.drift import describe_counts
from mcpgen.introspect.errors import IntrospectionError
from mcpgen.introspect.server_address import InProcess, format_server_address, identify_server
from mcpgen.introspect.server_query import ServerQuery
from mcpgen.introspect.validation import NAMED_LISTS, AdvertisedDefinitions
from mcpgen.lint.output_schemas import Remark, lint_output_schema
from mcpgen.names.identifiers import make_class_stem
from mcpgen.names.reserved import DEVICE_NAMES
from mcpgen.paths import format_path
from mcpgen.plan import Action
from mcpgen.report.exit_codes import INVALID_INPUT, SUCCESS, WRITE_REFUSED
from mcpgen.report.output import CommandOutput
from mcpgen.report.text import format_next
from mcpgen.schema.values import Json

MOST_TOOLS_WITH_OWN_REMARK = 3
"""Tools with the same problem that the report names one by one; for more tools there is one line."""
MOST_NAMED_TOOLS = 10
"""Tools without an outputSchema that the report on one of several servers names."""
NO_SCHEMA = "no outputSchema, so its results are not typed"
LEARN_ADVICE = "without an outputSchema: `mcpgen learn` proposes one from recorded results"
_AGREEMENT_REMARKS: dict[Agreement | None, str] = {
    None: "",
    "same": "the server declares the outputSchema of the settings, so it is not in the pulled file",
    "partly": "the server declares the outputSchema of the settings; remove it there, since another package needs it "
    "in the pulled file",
    "different": "the server's outputSchema differs from the one of the settings; remove the setting",
}
_CLASHES: tuple[Agreement, ...] = ("partly", "different")
"""Agreements with which a build fails until the setting is removed."""
_DIFFERENT_FROM_OWN = "the server's outputSchema differs from the one of the settings; remove one of the two"
"""The same remark if the server's code is in this project."""


@dataclass(frozen=True)
class PullRequest:
    """Servers to ask, and the files to write."""

    source: ServerQuery | ServerChoice
    name: str | None = None
    """Name of the one server's file without `.json`; None: made from the server's address."""
    out: Path | None = None
    """Folder of the files; None: the one that the settings imply."""
    exclude: tuple[str, ...] = ()
    """Names, URIs and patterns of definitions that are left out."""
    force: bool = False
    follow_up: FollowUp = NO_FOLLOW_UP
    each: bool = False
    prefix: bool = False
    """Whether the names of tools and prompts begin with that of their server."""


@dataclass(frozen=True)
class PulledTool:
    """Line of the report about a tool."""

    name: str
    result: str | None
    schema_remark: str
    """What to know of where its outputSchema is from; empty if the server declares it, and nothing else does."""
    remarks: tuple[Remark, ...] = ()

    def describe(self) -> str:
        """Return the line of the report."""
        line = f"{self.name} -> {self.result}" if self.result else self.name
        return f"{line}: {self.schema_remark}" if self.schema_remark else line


@dataclass(frozen=True)
class Pulled:
    """Definitions of a server that are in their file."""

    file: Path
    advertised: AdvertisedDefinitions
    is_changed: bool
    is_new: bool
    tools: tuple[PulledTool, ...]
    removed: tuple[str, ...]
    """Names of definitions that the file had before."""
    clashes: tuple[str, ...]
    """Places of settings with which the package cannot be built, since the file says something else."""

    def describe(self) -> dict[str, Json]:
        """Return what the JSON document says about the file."""
        tools: list[Json] = [
            {"name": tool.name, "class": tool.result, "remarks": [*map(str, tool.remarks)]} for tool in self.tools
        ]
        return {
            "file": format_path(self.file),
            "protocol": self.advertised.protocol,
            "written": self.is_changed,
            "tools": tools,
            "removed": [*self.removed],
        }


def run_pull(loaded: LoadedPackages, request: PullRequest, output: CommandOutput) -> int:
    """Write the definitions of each server that can be asked into a file of its own, and return the exit code."""
    findings = loaded.findings
    check_sdk_option(request.follow_up.sdk, loaded.packages, findings)
    pull = _Pull(loaded, request, output)
    servers = [] if findings.failed else pull.list_servers()
    answers = pull.ask_servers(servers)
    exit_code = pull.store_answers(servers, answers)
    succeeded = [server for server in servers if server.name in pull.pulled]
    failed = [server.name for server in servers if server.name not in pull.pulled]
    data = pull.describe(servers)
    if findings.failed or len(answers) < len(servers):
        exit_code = max(exit_code, INVALID_INPUT)
    elif not servers and isinstance(request.source, ServerChoice):
        output.print_remark(f"{format_path(request.source.file)} has no servers that are not disabled")
    if succeeded and (exit_code == SUCCESS or request.each):
        exit_code = pull.follow_up(servers, exit_code, data)
    else:
        output.finish(findings, exit_code, lambda: data or None)
    if failed and succeeded and request.follow_up.build_with is not None:
        unbuilt = f"not built, since this failed: {', '.join(failed)}"
        output.print_remark(unbuilt, *format_next("mcpgen", "build"))
    return exit_code


class _Pull:
    def __init__(self, loaded: LoadedPackages, request: PullRequest, output: CommandOutput) -> None:
        self._loaded, self._request, self._output = loaded, request, output
        self._packages, self._findings = loaded.packages, loaded.findings
        self._limits = loaded.limits
        self._is_alone = isinstance(request.source, ServerQuery)
        self.pulled: dict[str, Pulled] = {}

    # --- asking ------------------------------------------------------------------------------------------------------
    def list_servers(self) -> list[ConfiguredServer]:
        servers = list_servers(self._request.source, self._limits, self._findings)
        if not self._is_alone:
            return servers
        named = [replace(server, slug=self._request.name or server.slug) for server in servers]
        return [server for server in named if self._check_name(server.slug) and self._choose_folder(server)]

    def _check_name(self, name: str) -> bool:
        message = help = ""
        if not re.fullmatch(r"[A-Za-z0-9_][A-Za-z0-9._-]*", name) or name.endswith((".defs", ".json")):
            message = "the server's file cannot have this name"
            help = "letters, digits, dots, dashes and underscores; it becomes a file NAME.json"
        elif name.partition(".")[0].lower() in DEVICE_NAMES:
            message = f"Windows has a device called {name.partition('.')[0]}, so no file may be"
            help = "choose another name: --name"
        if message:
            self._findings.error("MG701", message, None, help)
        return not message

    def ask_servers(self, servers: Sequence[ConfiguredServer]) -> dict[str, AdvertisedDefinitions]:
        answers: dict[str, AdvertisedDefinitions] = {}
        for number, fetched in enumerate(fetch_from_servers(servers, self._request.exclude, self._limits), 1):
            self._findings.extend(fetched.findings)
            if fetched.definitions is not None:
                answers[fetched.server.name] = fetched.definitions
            if not self._is_alone:
                summary = "failed" if fetched.definitions is None else _describe_answer(fetched.definitions)
                self._output.print_remark(f"{number} of {len(servers)}: {fetched.server.name}: {summary}")
        return answers

    # --- storing -----------------------------------------------------------------------------------------------------
    def store_answers(self, servers: Sequence[ConfiguredServer], answers: Mapping[str, AdvertisedDefinitions]) -> int:
        exit_code = SUCCESS
        answered = [server for server in servers if server.name in answers]
        if not self._request.each and self._request.out is None and self._report_same_names(answered, answers):
            return exit_code
        companions = frozenset(server.slug for server in servers)
        for server in answered:
            stored = self._store(server, answers[server.name], companions)
            if isinstance(stored, int):
                exit_code = max(exit_code, stored)
                continue
            self.pulled[server.name] = stored
            self._output.print_remark(*(_format_report if self._is_alone else _format_short_report)(stored))
            if self._is_alone and stored.is_new and self._request.out is None:
                self._output.print_remark(*describe_new_file(stored.file))
        if not self._is_alone and any(_lacks_schemas(stored) for stored in self.pulled.values()):
            self._output.print_remark(LEARN_ADVICE)
        return exit_code

    def _report_same_names(
        self, servers: Sequence[ConfiguredServer], answers: Mapping[str, AdvertisedDefinitions]
    ) -> bool:
        owners: dict[tuple[Path | None, str, str], str] = {}
        for server in servers:
            folder = find_own_folder_of(self._packages, server.slug)
            advertised = self._add_prefix(server, answers[server.name])
            for member in NAMED_LISTS:
                for item in advertised.lists.get(member, ()):
                    first = owners.setdefault((folder, member, str(item["name"])), server.name)
                    if first != server.name:
                        kind = f'{member.removesuffix("s")} "{item["name"]}"'
                        message = f"{first} and {server.name} both have a {kind}, so one package cannot hold both"
                        help = (
                            "nothing was written; give each server a package of its own (--each), or let the names of "
                            "its tools begin with the server's (--prefix)"
                        )
                        self._findings.error("MG711", message, None, help)
                        return True
        return False

    def _add_prefix(self, server: ConfiguredServer, advertised: AdvertisedDefinitions) -> AdvertisedDefinitions:
        return advertised.add_prefix(server.prefix) if self._request.prefix else advertised

    def _choose_folder(self, server: ConfiguredServer) -> Path | None:
        packages, name = self._packages, server.slug
        if self._request.out is not None:
            return self._request.out
        help = "give each server a package of its own: --each; or name a folder: --out"
        if self._is_alone:
            help = advise_package(packages[0].file if packages else None, name)
        is_each = self._request.each
        folder = (
            find_folder_of_server(packages, name) if is_each else choose_folder(packages, name, help, self._findings)
        )
        return folder and check_folder(packages, folder, self._findings)

    def _store(
        self, server: ConfiguredServer, answer: AdvertisedDefinitions, companions: frozenset[str]
    ) -> Pulled | int:
        folder = self._choose_folder(server)
        if folder is None or isinstance(server.query, IntrospectionError):
            return INVALID_INPUT
        file, source = folder / f"{server.slug}.json", server.query.source
        declared = self._add_prefix(server, answer)
        removed = list_removed_names(file, declared)  # before the new text takes memory, too
        readers = [package for package in self._packages if package.reads(folder)]
        agreements = compare_given_schemas(readers, declared)
        advertised = leave_out_schemas(declared, [name for name, kind in agreements.items() if kind == "same"])
        address, identity = format_server_address(source), identify_server(source) if self._is_alone else ""
        text = self._render_file(server, advertised, "" if self._is_alone else address, identity)
        if text is None:
            return INVALID_INPUT
        may_replace, is_named = self._request.force or not self._is_alone, self._request.name is not None
        if not may_replace and report_other_server(file, address, identity, advertised, is_named, self._findings):
            return WRITE_REFUSED
        has_clash = bool(readers) and report_clash(file, address, advertised, companions, self._findings)
        if has_clash or report_moved_definitions(readers, file, advertised, self._findings):
            return INVALID_INPUT
        private_folders.warn_unused_folders(self._findings, [journal.describe_state_problem()])
        plan = write_pulled_file(folder, server.slug, text, self._request.force, self._findings)
        if plan is None or plan.refused:
            return INVALID_INPUT if plan is None else WRITE_REFUSED
        is_own = isinstance(source, InProcess)
        described = readers or self._packages
        return Pulled(
            file,
            advertised,
            bool(plan.changes),
            any(step.action is Action.CREATE for step in plan.steps),
            tuple(
                _describe_tool(tool, described, agreements.get(str(tool["name"])), is_own) for tool in declared.tools
            ),
            removed,
            locate_given_schemas(readers, [name for name, kind in agreements.items() if kind in _CLASHES]),
        )

    def _render_file(
        self, server: ConfiguredServer, advertised: AdvertisedDefinitions, address: str, identity: str
    ) -> str | None:
        most = min(self._limits.file_size, 2 * self._limits.response_size)
        prefix = server.prefix if self._request.prefix else ""
        header = PulledHeader(server.name, address, identity, prefix, self._request.exclude)
        try:
            return render_pulled_file(advertised, header, most)
        except IntrospectionError as error:
            self._findings.error(error.code, error.message, Span.of_server(server.name), error.help)
            return None

    # --- reporting ---------------------------------------------------------------------------------------------------
    def describe(self, servers: Sequence[ConfiguredServer]) -> dict[str, Json]:
        """Return what the JSON document says about the servers."""
        described = {name: stored.describe() for name, stored in self.pulled.items()}
        if self._is_alone:
            return next(iter(described.values()), dict[str, Json]())
        return {
            "servers": [{"server": server.name, **described.get(server.name, {"file": None})} for server in servers]
        }

    def follow_up(self, servers: Sequence[ConfiguredServer], exit_code: int, data: dict[str, Json]) -> int:
        request, packages, pulled = self._request, self._packages, self.pulled
        succeeded = [server for server in servers if server.name in pulled]
        proposed, of_all = [propose_packages(packages, some) if request.each else [] for some in (succeeded, servers)]
        lacking = list_missing_packages(packages, proposed) if request.out is None else []
        missing = add_tables(packages, lacking, of_all, self._findings, self._output)
        if missing is None:
            return self._output.finish(self._findings, INVALID_INPUT, lambda: data)
        leftovers = [*describe_replaced_package(packages, missing)]
        if isinstance(request.source, ServerChoice) and not request.source.names and request.out is None:
            files = {name: stored.file for name, stored in pulled.items()}
            leftovers += describe_leftovers(packages, files, {server.name for server in servers})
        self._output.print_remark(*leftovers)
        steps = list_steps(packages, missing, leftovers)
        build_with = request.follow_up.build_with if exit_code == SUCCESS else None
        if missing and build_with is not None:
            help = f"{', and '.join(steps)}; then `mcpgen build`"
            self._findings.error("MG302", "not built: the settings lack these packages", None, help)
            exit_code, build_with = INVALID_INPUT, None
        tools = [tool.name for stored in pulled.values() for tool in stored.tools] if self._is_alone else []
        is_changed = bool(lacking) or any(stored.is_changed for stored in pulled.values())
        clashes = [*dict.fromkeys(place for stored in pulled.values() for place in stored.clashes)]
        shown = tools[0] if tools else None
        follow_up = replace(request.follow_up, build_with=build_with)
        end = PullEnd(self._loaded, follow_up, request.out, proposed, shown, is_changed, clashes, steps)
        exit_code = max(exit_code, end.run(self._output, data))
        self._output.finish(self._findings, exit_code, lambda: data)
        end.print_end(self._output)
        return exit_code


def advise_package(settings: Path | None, name: str) -> str:
    """Return how a server gets a package of its own, with the table for a settings file."""
    header = format_header((*get_settings_path(settings), "package"), is_list=True)
    return (
        f"for a package of its own, name its folder, --out schemas/{name}/pulled, and give the settings a {header} "
        f'table with schemas = ["schemas/{name}"] and out = "generated/{make_importable(name)}"'
    )


def _describe_definitions(advertised: AdvertisedDefinitions) -> str:
    return f"{describe_counts(advertised)}, protocol {advertised.protocol}"


def _describe_answer(advertised: AdvertisedDefinitions) -> str:
    bare = sum("outputSchema" not in tool for tool in advertised.tools)
    untyped = f"; {bare} of the tools without an outputSchema" if bare else ""
    return _describe_definitions(advertised) + untyped


def _describe_tool(
    tool: dict[str, Json], packages: Sequence[ConfiguredPackage], agreement: Agreement | None, is_own: bool
) -> PulledTool:
    name = str(tool["name"])
    choices = [choice for package in packages if (choice := package.settings.tools.get(name)) is not None]
    stem = make_class_stem(name, next((choice.name for choice in choices if choice.name is not None), None), "Tool")
    result = f"{stem}Result" if stem else None
    if "outputSchema" in tool:
        is_from_own = is_own and agreement == "different"
        remark = _DIFFERENT_FROM_OWN if is_from_own else _AGREEMENT_REMARKS[agreement]
        return PulledTool(name, result, remark, tuple(lint_output_schema(tool)))
    if any(choice.output_schema is not None for choice in choices):
        return PulledTool(name, result, "the server declares no outputSchema, but the settings have one")
    return PulledTool(name, result, NO_SCHEMA)


def _lacks_schemas(pulled: Pulled) -> bool:
    return any(tool.schema_remark == NO_SCHEMA for tool in pulled.tools)


def _describe_removed(pulled: Pulled) -> list[str]:
    if not pulled.removed:
        return []
    has_history = is_in_git_repository(pulled.file.parent)
    advice = "; `mcpgen diff --against HEAD` says what that breaks" if has_history else ""
    return [f"  removed: {', '.join(pulled.removed)}{advice}"]


def _format_short_report(pulled: Pulled) -> Iterator[str]:
    """Yield what is said about one of several servers: only the tools whose outputSchema is missing, or given twice."""
    yield f"{format_path(pulled.file)}: {'written' if pulled.is_changed else 'unchanged'}"
    yield from _describe_removed(pulled)
    for tool in pulled.tools:
        if tool.schema_remark not in ("", NO_SCHEMA):
            yield f"  {tool.describe()}"
    if bare := [tool.name for tool in pulled.tools if tool.schema_remark == NO_SCHEMA]:
        more = ", …" if len(bare) > MOST_NAMED_TOOLS else ""
        yield f"  without an outputSchema: {', '.join(bare[:MOST_NAMED_TOOLS])}{more}"


def _format_report(pulled: Pulled) -> Iterator[str]:
    advertised, state = pulled.advertised, "written" if pulled.is_changed else "unchanged"
    yield f"{format_path(pulled.file)}: {_describe_definitions(advertised)}, {state}"
    yield from _describe_removed(pulled)
    remarked: defaultdict[str, list[tuple[PulledTool, Remark]]] = defaultdict(list)
    for tool in pulled.tools:
        for remark in tool.remarks:
            remarked[remark.problem].append((tool, remark))
    for tool in pulled.tools:
        yield f"  {tool.describe()}"
        for remark in tool.remarks:
            if len(remarked[remark.problem]) <= MOST_TOOLS_WITH_OWN_REMARK:
                yield f"    {remark}"
    if advertised.instructions:
        yield f"  the server's instructions: {len(advertised.instructions):,} characters"
    if advertised.left_out:
        yield f"  not pulled, since MCP has no definitions of these: {', '.join(advertised.left_out)}"
    for same in remarked.values():
        if len(same) > MOST_TOOLS_WITH_OWN_REMARK:
            yield _summarize_remarks(same)
    if pulled.tools:
        yield "after each arrow: the class of the tool's results, which handlers return and typed clients get"
    if _lacks_schemas(pulled):
        yield LEARN_ADVICE


def _summarize_remarks(remarks: list[tuple[PulledTool, Remark]]) -> str:
    names = ", ".join(tool.name for tool, _ in remarks[:MOST_TOOLS_WITH_OWN_REMARK])
    tool, remark = remarks[0]
    place = f" (for example {remark.pointers[0]} of {tool.name})" if remark.pointers else ""
    return f"{len(remarks)} tools ({names}, …): {remark.problem}{place}"
