"""What `mcpgen pull` does after it has written definitions: settings, a build, and the next command."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from mcpgen import write
from mcpgen.cache.store import Store
from mcpgen.commands.build import BuildRequest, BuildResult, write_packages
from mcpgen.commands.init import (
    DEFAULT_OUT,
    PackageChoices,
    inspect_project,
    list_table_lines,
    plan_settings,
    propose_choices,
    write_starter_files,
)
from mcpgen.commands.package_selection import LoadedPackages
from mcpgen.commands.project_requirements import declare_needs
from mcpgen.commands.sdk_choice import choose_sdk, is_sdk_importable
from mcpgen.config.load import locate_setting, make_importable
from mcpgen.config.models import ConfiguredPackage
from mcpgen.config.toml import add_setting, get_settings_path, read_settings_bytes
from mcpgen.diagnostics import Findings, join_words
from mcpgen.introspect.client_config import ConfiguredServer
from mcpgen.introspect.definition_drift import list_stale_definitions
from mcpgen.paths import format_path
from mcpgen.pipeline.package_kind import read_package_sdk
from mcpgen.read.loader import read_definitions
from mcpgen.report.exit_codes import INVALID_INPUT, SUCCESS
from mcpgen.report.output import CommandOutput
from mcpgen.report.text import format_count, format_next
from mcpgen.schema.values import Json
from mcpgen.targets import NO_SDK, SDK_NAMES

PackageLoader = Callable[[list[Path]], LoadedPackages]
"""Loads the settings again; the paths, if there are some, replace the input folders."""


@dataclass(frozen=True)
class FollowUp:
    """Options of what follows a pull."""

    build_with: tuple[PackageLoader, Store] | None = None
    """How packages are built at once; None: they are not."""
    sdk: str | None = None
    """SDK for the settings, if there are none yet; None: the one that the project uses."""
    config: Path | None = None


NO_FOLLOW_UP = FollowUp()


@dataclass
class PullEnd:
    """What follows a pull, and how the command ends."""

    loaded: LoadedPackages
    follow_up: FollowUp
    out: Path | None
    """Folder that the command line names; None: the one that the settings imply."""
    own_packages: Sequence[PackageChoices]
    """Packages of the servers, if each gets one of its own."""
    tool: str | None
    is_changed: bool
    clashes: Sequence[str]
    """Places of settings that have to be removed before a build."""
    steps: Sequence[str]
    """What else has to be done before, each a clause without a subject."""
    _built: BuildResult | None = None
    _sdk: str = NO_SDK

    @property
    def _packages(self) -> list[ConfiguredPackage]:
        return self.loaded.packages

    def run(self, output: CommandOutput, data: dict[str, Json]) -> int:
        """Write the first settings, build if that is asked for, add to the JSON document and return the exit code."""
        try:
            if self.out is None and self._packages and self._packages[0].file is None:
                self._create_settings(output, data)
            elif self._lacks_sdk():
                package = self._packages[0]
                self._add_sdk(output, data)
                output.print_remark(*declare_needs(package.out, package.folder, package.settings.runtime == "vendored"))
        except OSError as error:
            write.report_failure(error, Path(error.filename or self._packages[0].folder), self.loaded.findings)
            return INVALID_INPUT
        if self.follow_up.build_with is None:
            return SUCCESS
        load_packages, store = self.follow_up.build_with
        outside = self._find_outside_folder()
        loaded = load_packages([] if outside is None else [outside])
        self._built = write_packages(loaded, BuildRequest(), store, output)
        self.loaded.findings.extend(loaded.findings)
        self._sdk = loaded.packages[0].settings.sdk if loaded.packages else NO_SDK
        built = self._built.make_json()
        data |= built if isinstance(built, dict) else {}
        return self._built.exit_code

    def print_end(self, output: CommandOutput) -> None:
        """Print what was built, and the next command as the last line, unless something is wrong."""
        if self._built is not None:
            self._built.print_summaries(output)
        is_built = self._built is None or self._built.exit_code == SUCCESS
        if is_built and not self.loaded.findings.failed:
            first, command = format_next("mcpgen", *self._list_next_words())
            if self.steps:
                output.print_remark(f"next: {', and '.join(self.steps)}; then build:")
                first = ""
            if self.clashes:
                first = "next: remove these settings, since the server declares the schemas now; then build:"
            output.print_remark(*filter(None, [first]), *(f"  {place}" for place in self.clashes), command)

    def _lacks_sdk(self) -> bool:
        if len(self._packages) != 1 or self._packages[0].file is None:
            return False
        package = self._packages[0]
        return package.sdk_remarks is not None and read_package_sdk(package.out) is None

    def _add_sdk(self, output: CommandOutput, data: dict[str, Json]) -> None:
        package = self._packages[0]
        choice = choose_sdk(package.folder)
        sdk = self.follow_up.sdk or choice.sdk
        if package.file is None or sdk == NO_SDK:
            return
        text = read_settings_bytes(package.file).decode("utf-8")
        changed = add_setting(text, package.file.name == "pyproject.toml", "sdk", sdk)
        if self.follow_up.sdk is None:
            output.print_remark(*choice.describe())
        if changed is None:
            output.print_remark(f'add to {format_path(package.file)}: sdk = "{sdk}"')
            return
        write.replace_file(package.file, changed)
        output.print_remark(f'added to {format_path(package.file)}: sdk = "{sdk}"')
        data |= {"settings": format_path(package.file), "sdk": sdk}

    def _create_settings(self, output: CommandOutput, data: dict[str, Json]) -> None:
        project = inspect_project(self._packages[0].folder)
        choices = propose_choices(project)
        if self.follow_up.sdk is not None:
            choices = replace(choices, sdk=self.follow_up.sdk)
        settings = plan_settings(project, choices, self.own_packages)
        write_starter_files(project, settings)
        if self.follow_up.sdk is None:
            output.print_remark(*project.sdk.describe())
        added = f"added [tool.mcpgen] to {settings.settings}" if settings.appended else f"wrote {settings.settings}"
        outs = [choice.out for choice in self.own_packages]
        place = format_count(len(outs), "package") if outs else f'out = "{choices.out}"'
        output.print_remark(f'{added}: sdk = "{choices.sdk}", {place}')
        declared = [
            line for out in outs or [choices.out] for line in declare_needs(project.folder / out, project.folder)
        ]
        output.print_remark(*dict.fromkeys(declared))
        data |= {"settings": settings.settings, "sdk": choices.sdk}

    def _are_built(self) -> bool:
        if self._find_outside_folder() is not None:
            return False
        packages = self._packages
        if any(read_package_sdk(package.out) is None for package in packages):
            return False
        ignored = Findings()  # `build` and `check` report mistakes in definitions
        return not any(list_stale_definitions(package, read_definitions(package, ignored)) for package in packages)

    def _find_outside_folder(self) -> Path | None:
        out = self.out
        return None if out is None or any(package.reads(out) for package in self._packages) else out

    def _list_next_words(self) -> list[str]:
        config = [] if self.follow_up.config is None else ["--config", str(self.follow_up.config)]
        if self._built is None and not (self.is_changed or self.clashes) and self._are_built():
            return ["check", *config]
        if self._built is None:
            outside = self._find_outside_folder()
            return ["build", *([] if outside is None else [format_path(outside)]), *config]
        if self.tool is not None and is_sdk_importable(self._sdk):
            return ["show", self.tool, *config]
        return ["check", *config]


# --- packages of servers that each get one of their own --------------------------------------------------------------
def propose_packages(
    packages: Sequence[ConfiguredPackage], servers: Sequence[ConfiguredServer]
) -> list[PackageChoices]:
    """Return the packages of servers, where the settings have theirs, or the one of all servers, so far."""
    names = {f"schemas/{server.slug}": make_importable(server.prefix.rstrip("_").lower()) for server in servers}
    own = [package for package in packages if package.file is not None]
    if len(own) == 1 and not names.keys() & {*own[0].settings.schemas}:
        folder = Path(own[0].settings.out)
    else:
        folders = {Path(package.settings.out).parent for package in own}
        common = folders.pop() if len(folders) == 1 else Path()
        folder = common if common.name else Path(DEFAULT_OUT)
    return [PackageChoices(schemas, (folder / name).as_posix()) for schemas, name in names.items()]


def list_missing_packages(
    packages: Sequence[ConfiguredPackage], proposed: Sequence[PackageChoices]
) -> list[PackageChoices]:
    """Return the proposed packages that settings lack which are there already."""
    if not packages or packages[0].file is None:
        return []
    inputs = {Path(path).as_posix() for package in packages for path in package.settings.schemas}
    return [package for package in proposed if package.schemas not in inputs]


def add_tables(
    packages: Sequence[ConfiguredPackage],
    missing: Sequence[PackageChoices],
    proposed: Sequence[PackageChoices],
    findings: Findings,
    output: CommandOutput,
) -> Sequence[PackageChoices] | None:
    """Append or print missing tables; return those that the user has to add, None if the file cannot be written."""
    file = packages[0].file if packages else None
    if file is None or not missing:
        return []
    prefix = "".join(f"{key}." for key in get_settings_path(file))
    tables = [list_table_lines(package, prefix) for package in missing]
    found = [PackageChoices(",".join(package.settings.schemas), package.settings.out) for package in packages]
    is_own = all(package in proposed for package in found)
    if is_own:
        added = "".join("\n".join(["", *lines, ""]) for lines in tables)
        try:
            text = read_settings_bytes(file).decode("utf-8")
            added = added.replace("\n", "\r\n") if "\r\n" in text else added
            write.replace_file(file, text + ("" if text.endswith("\n") else "\n") + added)
        except OSError as error:
            write.report_failure(error, file, findings)
            return None
    lines = [f"  {line}" for table in tables for line in table]
    output.print_remark(f"{'added' if is_own else 'add'} to {format_path(file)}:", *lines)
    return [] if is_own else missing


def describe_replaced_package(
    packages: Sequence[ConfiguredPackage], missing: Sequence[PackageChoices]
) -> Iterator[str]:
    """Yield that the one package of all servers, if it was built, is obsolete when each gets one of its own."""
    if missing and len(packages) == 1 and packages[0].settings.out not in {package.out for package in missing}:
        out = packages[0].out
        if read_package_sdk(out) is not None:
            yield f"{format_path(out)} was built as one package: remove it before the next build"


def list_steps(
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


def check_sdk_option(sdk: str | None, packages: Sequence[ConfiguredPackage], findings: Findings) -> None:
    """Report an option `--sdk` that names no SDK, or another one than the settings do."""
    if sdk is not None and sdk not in SDK_NAMES:
        findings.error("MG302", f'--sdk is "{sdk}", which is not an SDK', None, f"there are {', '.join(SDK_NAMES)}")
    for package in packages:
        settings, file = package.settings, package.file
        if file is not None and sdk not in (None, settings.sdk) and package.is_in_file("sdk"):
            message = f'the settings say sdk = "{settings.sdk}", and --sdk is for settings that do not name one'
            findings.error("MG302", message, locate_setting(package, ("sdk",)), f'change it there: sdk = "{sdk}"')
            return
