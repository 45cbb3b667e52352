"""`mcpgen pull --from mcp.json`: write the definitions of all servers that a client is configured for."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from pathlib import Path

from mcpgen import write
from mcpgen.commands.next_command import format_next
from mcpgen.commands.package_selection import LoadedPackages
from mcpgen.commands.pull import (
    LEARN_ADVICE,
    NO_SCHEMA,
    Pulled,
    PulledTarget,
    check_folder,
    describe_definitions,
    store_definitions,
)
from mcpgen.commands.pull_follow_up import NO_FOLLOW_UP, FollowUp, PulledFiles, PullEnd, check_sdk_option
from mcpgen.commands.pull_neighbours import (
    choose_folder,
    describe_leftovers,
    describe_old_package,
    find_folder_of_file,
    find_folder_of_name,
)
from mcpgen.commands.scaffold import DEFAULT_OUT, PackageChoices, list_table_lines
from mcpgen.config.models import ConfiguredPackage, Limits
from mcpgen.config.module_names import make_importable
from mcpgen.config.toml_positions import get_settings_path, read_settings_bytes
from mcpgen.diagnostics import Findings, Span, join_words
from mcpgen.files.definition_files import PULLED_FOLDER
from mcpgen.introspect.client_config import ConfiguredServer, ServerChoice, read_client_config
from mcpgen.introspect.errors import IntrospectionError
from mcpgen.introspect.fetch import fetch_from_servers
from mcpgen.introspect.server_address import format_server_address
from mcpgen.introspect.validation import AdvertisedDefinitions
from mcpgen.paths import format_path
from mcpgen.report.exit_codes import INVALID_INPUT, SUCCESS
from mcpgen.report.output import CommandOutput
from mcpgen.schema.values import Json


@dataclass(frozen=True)
class PullManyRequest:
    """Servers to ask, and where their files go."""

    choice: ServerChoice
    each: bool
    """Whether each server gets a package of its own."""
    prefix: bool
    """Whether the names of tools and prompts begin with that of their server."""
    out: Path | None
    """Folder of the files, None for the one that the settings imply."""
    exclude: tuple[str, ...]
    force: bool
    follow_up: FollowUp = NO_FOLLOW_UP


def run_pull_many(loaded: LoadedPackages, request: PullManyRequest, output: CommandOutput) -> int:
    """Write the definitions of each server into a file of its own, report on them and return the exit code.

    A server that cannot be asked does not keep the others from being pulled.
    """
    findings, packages = loaded.findings, loaded.packages
    check_sdk_option(request.follow_up.sdk, packages, findings)
    limits = packages[0].settings.limits if packages else Limits.model_validate({})
    servers = [] if findings.failed else read_client_config(request.choice, limits, findings)
    answers = _ask_servers(servers, request, limits, findings, output)
    pulled, exit_code = _store_answers(packages, request, servers, answers, findings, output)
    succeeded = [server for server in servers if server.name in pulled]
    data: dict[str, Json] = {"servers": _describe_servers(servers, pulled)}
    if findings.failed or len(answers) < len(servers):
        exit_code = max(exit_code, INVALID_INPUT)
    elif not servers:
        output.print_remark(f"{format_path(request.choice.file)} has no servers that are not disabled")
    has_failed = exit_code != SUCCESS
    failed = [server.name for server in servers if server.name not in pulled]
    is_left_unbuilt = bool(failed and succeeded) and request.follow_up.build_with is not None
    if not succeeded or (has_failed and not request.each):
        output.finish(findings, exit_code, lambda: data)
        output.print_remark(*_describe_missing_build(failed) if is_left_unbuilt else ())
        return exit_code
    missing = _list_missing_packages(packages, request, succeeded)
    new_tables = [*_format_new_tables(packages, missing)]
    is_changed = bool(missing) or any(stored.is_changed for stored in pulled.values())
    if missing and _are_of_pull(packages, _list_new_packages(packages, request, servers)):
        if not _add_tables(packages, missing, findings):
            return output.finish(findings, INVALID_INPUT, lambda: data)
        new_tables[0] = new_tables[0].replace("add to", "added to", 1)
        missing = []
    output.print_remark(*new_tables)
    leftovers = [*_describe_replaced_package(packages, missing)]
    if not request.choice.names and request.out is None:
        paths = {name: stored.file for name, stored in pulled.items()}
        leftovers += describe_leftovers(packages, paths, frozenset(server.name for server in servers))
    output.print_remark(*leftovers)
    steps = _list_steps(packages, missing, leftovers)
    if missing and request.follow_up.build_with is not None and not has_failed:
        help = f"{', and '.join(steps)}; then `mcpgen build`"
        findings.error("MG302", "not built: the settings lack these packages", None, help)
        exit_code, has_failed = INVALID_INPUT, True
    follow_up = replace(request.follow_up, build_with=None) if has_failed else request.follow_up
    new_packages = _list_new_packages(packages, request, succeeded)
    files = PulledFiles(
        request.out, new_packages, is_changed=is_changed, clashes=_list_clashes(pulled), steps=tuple(steps)
    )
    end = PullEnd(loaded, follow_up, files)
    exit_code = max(exit_code, end.run(output, data))
    output.finish(findings, exit_code, lambda: data)
    end.print_end(output)
    output.print_remark(*_describe_missing_build(failed) if is_left_unbuilt else ())
    return exit_code


def _ask_servers(
    servers: Sequence[ConfiguredServer],
    request: PullManyRequest,
    limits: Limits,
    findings: Findings,
    output: CommandOutput,
) -> dict[str, AdvertisedDefinitions]:
    """Return the definitions of each server that can be asked, by its name, and print a line about every server."""
    answers: dict[str, AdvertisedDefinitions] = {}
    for number, fetched in enumerate(fetch_from_servers(servers, request.exclude, limits), 1):
        findings.extend(fetched.findings)
        if fetched.definitions is not None:
            answers[fetched.server.name] = fetched.definitions
        summary = "failed" if fetched.definitions is None else _describe_answer(fetched.definitions)
        output.print_remark(f"{number} of {len(servers)}: {fetched.server.name}: {summary}")
    return answers


def _store_answers(
    packages: Sequence[ConfiguredPackage],
    request: PullManyRequest,
    servers: Sequence[ConfiguredServer],
    answers: Mapping[str, AdvertisedDefinitions],
    findings: Findings,
    output: CommandOutput,
) -> tuple[dict[str, Pulled], int]:
    """Write the file of each server that has answered; return what was written, by server, and the exit code so far."""
    answered = [server for server in servers if server.name in answers]
    pulled: dict[str, Pulled] = {}
    exit_code = SUCCESS
    if (
        not request.each
        and request.out is None
        and _report_same_names(packages, answered, answers, request.prefix, findings)
    ):
        return pulled, exit_code
    names = frozenset(server.slug for server in servers)
    for server in answered:
        stored = _store_definitions(packages, request, server, answers[server.name], names, findings)
        if isinstance(stored, int):
            exit_code = max(exit_code, stored)
        else:
            pulled[server.name] = stored
            output.print_remark(stored.summarize_file(), *stored.describe_removed(), *stored.describe_schemas())
    if any(tool.schema_remark == NO_SCHEMA for stored in pulled.values() for tool in stored.tools):
        output.print_remark(LEARN_ADVICE)
    return pulled, exit_code


def _list_clashes(pulled: Mapping[str, Pulled]) -> tuple[str, ...]:
    """Return the places of settings that clash with what was pulled from any of the servers."""
    return tuple(dict.fromkeys(place for stored in pulled.values() for place in stored.clashes))


def _describe_servers(servers: Sequence[ConfiguredServer], pulled: Mapping[str, Pulled]) -> list[Json]:
    """Return what the JSON document says about each server."""
    return [
        {"server": server.name, **(pulled[server.name].describe() if server.name in pulled else {"file": None})}
        for server in servers
    ]


def _describe_answer(advertised: AdvertisedDefinitions) -> str:
    """Return what a server has, and how many of its tools have results that are not typed."""
    bare = sum("outputSchema" not in tool for tool in advertised.tools)
    untyped = f"; {bare} of the tools without an outputSchema" if bare else ""
    return describe_definitions(advertised) + untyped


def _describe_missing_build(failed: Sequence[str]) -> list[str]:
    """Return lines that say why nothing was built, and how to build what was pulled."""
    return [f"not built, since this failed: {', '.join(failed)}", *format_next("mcpgen", "build")]


def _store_definitions(
    packages: Sequence[ConfiguredPackage],
    request: PullManyRequest,
    server: ConfiguredServer,
    advertised: AdvertisedDefinitions,
    names: frozenset[str],
    findings: Findings,
) -> Pulled | int:
    """Write the file of a server; return the exit code if that is not possible. `names` are those of all files."""
    limits = packages[0].settings.limits if packages else Limits.model_validate({})
    folder = request.out
    if folder is None:
        help = "give each server a package of its own: --each; or name a folder: --out"
        is_each, slug = request.each, server.slug
        implied = find_folder_of_server(packages, slug) if is_each else choose_folder(packages, slug, help, findings)
        folder = implied and check_folder(packages, implied, findings)
    if folder is None:
        return INVALID_INPUT
    prefix = server.prefix if request.prefix else ""
    address = "" if isinstance(server.query, IntrospectionError) else format_server_address(server.query.source)
    target = PulledTarget(folder, server.slug, server.name, request.force, prefix, address, request.exclude, names)
    return store_definitions(packages, target, advertised, limits, findings)


def find_folder_of_server(packages: Sequence[ConfiguredPackage], slug: str) -> Path:
    """Return the folder for the file of a server that has a package of its own.

    That is the one of the package with its name or, if there are several packages, with its file.
    """
    known = find_folder_of_name(packages, slug)
    if known is None and len(packages) > 1:
        known = find_folder_of_file(packages, slug)
    base = packages[0].folder if packages else Path()
    return known or base / "schemas" / slug / PULLED_FOLDER


def _report_same_names(
    packages: Sequence[ConfiguredPackage],
    servers: Sequence[ConfiguredServer],
    answers: Mapping[str, AdvertisedDefinitions],
    has_prefix: bool,
    findings: Findings,
) -> bool:
    """Report a name of tools or prompts that several servers of one package have; return whether there is one."""
    owners: dict[tuple[Path | None, str, str], str] = {}
    for server in servers:
        folder = _find_own_folder(packages, server.slug)
        advertised = answers[server.name].add_prefix(server.prefix if has_prefix else "")
        for member in ("tools", "prompts"):
            for item in advertised.lists.get(member, ()):
                first = owners.setdefault((folder, member, str(item["name"])), server.name)
                if first != server.name:
                    kind = member.removesuffix("s")
                    message = (
                        f'{first} and {server.name} both have a {kind} "{item["name"]}", '
                        "so one package cannot hold both"
                    )
                    help = (
                        "nothing was written; give each server a package of its own (--each), or let the names of its "
                        "tools begin with the server's (--prefix)"
                    )
                    findings.error("MG711", message, None, help)
                    return True
    return False


def _find_own_folder(packages: Sequence[ConfiguredPackage], slug: str) -> Path | None:
    """Return the folder for a server's file if one of several packages is known to be that of the server."""
    if len(packages) <= 1:
        return None
    return find_folder_of_file(packages, slug) or find_folder_of_name(packages, slug)


def _list_new_packages(
    packages: Sequence[ConfiguredPackage], request: PullManyRequest, servers: Sequence[ConfiguredServer]
) -> list[PackageChoices]:
    """Return the packages of the servers if each gets one of its own."""
    if not request.each:
        return []
    names = {f"schemas/{server.slug}": make_importable(server.prefix.rstrip("_").lower()) for server in servers}
    folder = _choose_out_folder(packages, names.keys())
    return [PackageChoices(schemas, (folder / name).as_posix()) for schemas, name in names.items()]


def _choose_out_folder(packages: Sequence[ConfiguredPackage], schemas: Set[str]) -> Path:
    """Return the folder for the packages of servers: where the settings have the one package of all servers so far.

    If they have packages of these servers, it is the folder that these are in.
    """
    own = [package for package in packages if package.file is not None]
    if len(own) == 1 and not schemas & {*own[0].settings.schemas}:
        return Path(own[0].settings.out)
    folders = {Path(package.settings.out).parent for package in own}
    folder = folders.pop() if len(folders) == 1 else Path()
    return folder if folder.name else Path(DEFAULT_OUT)


def _list_missing_packages(
    packages: Sequence[ConfiguredPackage], request: PullManyRequest, servers: Sequence[ConfiguredServer]
) -> list[PackageChoices]:
    """Return the packages of the servers that settings lack which are there already."""
    if not packages or packages[0].file is None or request.out is not None:
        return []
    inputs = {Path(path).as_posix() for package in packages for path in package.settings.schemas}
    return [package for package in _list_new_packages(packages, request, servers) if package.schemas not in inputs]


def _are_of_pull(packages: Sequence[ConfiguredPackage], proposed: Sequence[PackageChoices]) -> bool:
    """Check whether the settings have nothing but packages as `pull --each` writes them."""
    found = [PackageChoices(",".join(package.settings.schemas), package.settings.out) for package in packages]
    return all(package in proposed for package in found)


def _add_tables(packages: Sequence[ConfiguredPackage], missing: Sequence[PackageChoices], findings: Findings) -> bool:
    """Append the tables of packages to the settings; return False, with an error, if that is not possible."""
    file = packages[0].file
    assert file is not None
    added = "".join("\n".join(["", *list_table_lines(package, _make_prefix(file)), ""]) for package in missing)
    try:
        text = read_settings_bytes(file).decode("utf-8")
        added = added.replace("\n", "\r\n") if "\r\n" in text else added
        write.replace_file(file, text + ("" if text.endswith("\n") else "\n") + added)
    except OSError as error:
        findings.error("MG404", f"cannot be written: {error.strerror or error}", Span(format_path(file)))
        return False
    return True


def _make_prefix(file: Path) -> str:
    return "".join(f"{key}." for key in get_settings_path(file))


def _format_new_tables(packages: Sequence[ConfiguredPackage], missing: Sequence[PackageChoices]) -> Iterator[str]:
    """Yield the packages that have to be added to settings that are there already."""
    file = packages[0].file if packages else None
    if file is None or not missing:
        return
    yield f"add to {format_path(file)}:"
    for package in missing:
        yield from (f"  {line}" for line in list_table_lines(package, _make_prefix(file)))


def _describe_replaced_package(
    packages: Sequence[ConfiguredPackage], missing: Sequence[PackageChoices]
) -> Iterator[str]:
    """Yield that the one package of all servers is obsolete when each gets one of its own."""
    if missing and len(packages) == 1 and packages[0].settings.out not in {package.out for package in missing}:
        yield from describe_old_package(packages[0])


def _list_steps(
    packages: Sequence[ConfiguredPackage], missing: Sequence[PackageChoices], leftovers: Sequence[str]
) -> list[str]:
    """Return what to do before a build if the settings lack packages: each a clause without a subject."""
    file = packages[0].file if packages else None
    if file is None or not missing:
        return []
    replaced = packages[0].settings.model_fields_set & {"schemas", "out"} if not packages[0].table else ()
    keys = join_words([f"`{key}`" for key in ("schemas", "out") if key in replaced])
    tables = f"add the tables to {format_path(file)}" + (f" instead of its {keys}" if keys else "")
    return [tables, *(["remove the files and folders named above"] if leftovers else [])]
