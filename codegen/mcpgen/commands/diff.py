"""`mcpgen diff`: both sides read, from files or a git revision, and compared, package by package."""

from __future__ import annotations

import difflib
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from mcpgen.compat.acknowledgements import match_acknowledgements
from mcpgen.compat.compare import Change, PackageSnapshot, compare_definitions
from mcpgen.compat.git_revision import Revision, RevisionError, export_revision
from mcpgen.compat.python_names import PythonNames
from mcpgen.compat.registry import RULES, Category
from mcpgen.config.load import find_settings, load_packages, locate_setting
from mcpgen.config.models import ConfiguredPackage, PackageSettings
from mcpgen.config.overrides import override_settings
from mcpgen.diagnostics import Findings, Severity, Span
from mcpgen.files.project_paths import resolve_path
from mcpgen.ir.package import get_root_class
from mcpgen.ir.types import Node, ObjectClass
from mcpgen.names.identifiers import make_field_names
from mcpgen.names.reserved import RESOURCE_METHODS
from mcpgen.read.definitions import Definitions, ToolDefinition
from mcpgen.read.loader import read_definitions
from mcpgen.schema.values import canonicalize

if TYPE_CHECKING:
    from mcpgen.introspect.client import ServerQuery


@dataclass(frozen=True)
class DiffRequest:
    """What to compare with what, and which categories and rules to leave out, or to ask alone."""

    paths: tuple[Path, ...]
    against: str | None
    off: tuple[str, ...]
    only: tuple[str, ...]
    config: Path | None
    jobs: int
    server: ServerQuery | None = None
    """A running server, in the place of a revision."""
    exclude: tuple[str, ...] = ()
    """What to leave out of that server's answer: names, URIs, patterns."""
    root: Path | None = None
    """A folder outside of the project that input may come from as well."""


@dataclass
class DiffComparison:
    """What came of it: `findings` about the input, and the changes that nobody has acknowledged."""

    findings: Findings = field(default_factory=Findings)
    changes: list[Change] = field(default_factory=list[Change])
    acknowledged: int = 0
    tools: int = 0
    resources: int = 0

    def make_diagnostics(self) -> Findings:
        """Everything as diagnostics."""
        out = Findings()
        out.extend(self.findings)
        for change in self.changes:
            out.add(change.to_diagnostic())
        return out


def compare_requested(wanted: DiffRequest) -> DiffComparison:
    """Read both sides and compare them; what is wrong with the input is among the findings."""
    out = DiffComparison()
    with tempfile.TemporaryDirectory(prefix="mcpgen-") as folder:
        try:
            pairs = _pair_packages if wanted.server is None else _pair_with_server
            for old, new, shown in pairs(wanted, Path(folder), out.findings):
                _compare_packages(old, new, shown, wanted, out)
        except RevisionError as error:
            out.findings.error("MG810", str(error), None, error.help)
    return out


def _compare_packages(
    old: ConfiguredPackage, new: ConfiguredPackage, shown: _FileLabels, wanted: DiffRequest, out: DiffComparison
) -> None:
    off = _find_disabled_rules(new, wanted, out.findings)
    before, after = _read_package(old, shown, out.findings), _read_package(new, shown, out.findings)
    if before is None or after is None or out.findings.failed:
        return
    if shown.protocol:
        after = _advertise_definitions(after, shown.protocol)
        off |= {Category.CONTENT, Category.NAMES}  # of which a server says nothing
    concerned = _find_changed_tools(before, after) if Category.NAMES not in off else frozenset[str]()
    was = _make_side(before, old.settings, wanted.jobs, concerned)
    now = _make_side(after, new.settings, wanted.jobs, concerned)
    held = new.settings.diff.acknowledged
    left, counts, unused = match_acknowledgements(compare_definitions(was, now, off), held)
    out.changes += [replace(one, span=shown.relabel(one.span)) for one in left]
    out.acknowledged += sum(counts)
    out.tools += len(before.tools)
    out.resources += len(before.resources)
    for index in unused:
        rule = held[index].rule
        if rule in RULES and rule not in off and RULES[rule].category not in off:
            place = locate_setting(new, ("diff", "acknowledged", index))
            out.findings.warn("MG809", f"an acknowledged {rule} is not there", place, "take it out of the settings")


def _read_package(package: ConfiguredPackage, revision: _FileLabels, findings: Findings) -> Definitions | None:
    """What a package defines; only errors are passed on, since the rest is for `build` to say."""
    own = Findings()
    definitions = read_definitions([package.folder / path for path in package.settings.schemas], package, own)
    for one in own:
        if one.severity is Severity.ERROR:
            findings.add(replace(one, span=None if one.span is None else revision.relabel(one.span)))
    return None if own.failed else definitions


# --- what to compare -------------------------------------------------------------------------------------------------
@dataclass(frozen=True)
class _FileLabels:
    """How files of a revision or a server are called: `main:schemas/tools.json`."""

    name: str = ""
    folder: Path | None = None
    protocol: str = ""
    """The version under which a server was asked."""

    def relabel(self, span: Span) -> Span:
        """A place with its file's name for people."""
        if self.folder is None or not Path(span.file).is_absolute():
            return span
        path = resolve_path(span.file)
        if not path.is_relative_to(self.folder):
            return span
        return replace(span, file=f"{self.name}:{path.relative_to(self.folder).as_posix()}")


def _pair_packages(
    wanted: DiffRequest, folder: Path, findings: Findings
) -> Iterator[tuple[ConfiguredPackage, ConfiguredPackage, _FileLabels]]:
    """The packages before and after.

    Raises:
        NoRevision: the git revision cannot be read.
    """
    here = Path.cwd()
    packages = load_packages(wanted.config or find_settings(here), here, findings)
    if wanted.against is None:
        old, new = ([*override_settings(packages, [path], {}, findings, wanted.root)] for path in wanted.paths)
        if not findings.failed:
            yield from ((one, other, _FileLabels()) for one, other in zip(old, new, strict=True))
        return
    revision = export_revision(wanted.against, here, folder)
    shown = _FileLabels(wanted.against, revision.folder)
    for index, new_one in enumerate(override_settings(packages, [*wanted.paths], {}, findings, wanted.root)):
        yield _find_earlier_package(new_one, index, revision, shown, bool(wanted.paths), findings), new_one, shown


def _pair_with_server(
    wanted: DiffRequest, folder: Path, findings: Findings
) -> Iterator[tuple[ConfiguredPackage, ConfiguredPackage, _FileLabels]]:
    """What a running server advertises, and the one package that is compared with it."""
    from mcpgen.introspect.fetch import fetch_definitions
    from mcpgen.introspect.pulled_file import render_pulled_file
    from mcpgen.introspect.server_address import format_server_address as shown_source
    from mcpgen.introspect.server_address import make_server_name

    assert wanted.server is not None
    here = Path.cwd()
    packages = override_settings(
        load_packages(wanted.config or find_settings(here), here, findings), [*wanted.paths], {}, findings, wanted.root
    )
    if len(packages) > 1:
        help = "name its definitions, or a settings file with one package: --config"
        findings.error("MG302", "the settings hold several packages, and none is known to be this server's", None, help)
    if len(packages) != 1:
        return
    (new,) = packages
    advertised = fetch_definitions(wanted.server, wanted.exclude, new.settings.limits, findings)
    if advertised is None:
        return
    server = shown_source(wanted.server.source)
    (folder / f"{make_server_name(wanted.server.source)}.json").write_text(
        render_pulled_file(advertised, server), "utf-8"
    )
    settings = new.settings.model_copy(update={"schemas": [str(folder)], "tools": {}})
    roots = None if new.roots is None else (*new.roots, resolve_path(folder))
    old = ConfiguredPackage(settings=settings, folder=new.folder, roots=roots)
    yield old, new, _FileLabels(server, resolve_path(folder), advertised.protocol)


def _advertise_definitions(definitions: Definitions, protocol: str) -> Definitions:
    """Definitions with their results as a package advertises them under a version."""
    from mcpgen.introspect.drift import build_expected_tool

    tools: list[ToolDefinition] = []
    for one in definitions.tools:
        schema = build_expected_tool(one, protocol).get("outputSchema")
        output = None if one.output is None or schema is None else replace(one.output, value=schema)
        tools.append(replace(one, output=output))
    return replace(definitions, tools=tools)


def _find_earlier_package(
    new: ConfiguredPackage, index: int, revision: Revision, shown: _FileLabels, by_paths: bool, findings: Findings
) -> ConfiguredPackage:
    """A package as the revision has it, with its own settings where it has any."""
    folder = revision.locate(new.folder)
    settings = new.settings
    if new.file is not None and revision.locate(new.file).is_file():
        own = Findings()
        held = load_packages(revision.locate(new.file), folder, own)
        for one in own:
            findings.add(replace(one, span=None if one.span is None else shown.relabel(one.span)))
        same = [one for one in held if one.settings.out == settings.out] or held[index : index + 1]
        settings = same[0].settings if same else settings
    schemas = new.settings.schemas if by_paths else settings.schemas
    paths = [revision.locate(new.folder / path) for path in schemas]
    there = [str(path) for path in paths if path.exists()]
    settings = settings.model_copy(update={"schemas": there})
    return ConfiguredPackage(settings=settings, folder=folder, roots=(revision.folder,))


def _find_disabled_rules(package: ConfiguredPackage, wanted: DiffRequest, findings: Findings) -> frozenset[str]:
    """The categories and rules that are not asked; names that mean nothing go into `findings`."""
    known = [*Category, *RULES]

    def check(name: str, place: Span | None) -> None:
        if name not in known:
            close = difflib.get_close_matches(name, known, 1, 0.5)
            help = f'did you mean "{close[0]}"?' if close else f"categories are {', '.join(Category)}"
            findings.error("MG302", f'there is no category or rule "{name}"', place, help)

    settings = package.settings.diff
    for index, name in enumerate(settings.off):
        check(name, locate_setting(package, ("diff", "off", index)))
    for name in (*wanted.off, *wanted.only):
        check(name, None)
    for index, one in enumerate(settings.acknowledged):
        if one.rule not in RULES:
            check(one.rule, locate_setting(package, ("diff", "acknowledged", index, "rule")))
    off = {*settings.off, *wanted.off}
    if wanted.only:
        off |= {one.id for one in RULES.values() if one.id not in wanted.only and one.category not in wanted.only}
    if (wanted.off or wanted.only) and all(one.id in off or one.category in off for one in RULES.values()):
        findings.error("MG302", "no rule is left to ask", None, "take something out of --off, or the settings' `off`")
    return frozenset(off)


# --- names -----------------------------------------------------------------------------------------------------------
def _find_changed_tools(old: Definitions, new: Definitions) -> frozenset[str]:
    """The tools whose Python names may differ: those that changed, and who has a definition's name in common."""
    before, after = ({one.name: one for one in side.tools} for side in (old, new))
    changed = {
        name for name in before.keys() | after.keys() if not _is_unchanged_tool(before.get(name), after.get(name))
    }
    every = [*before.values(), *after.values()]
    held = {name for one in every if one.name in changed for name in _list_definition_names(one)}
    return frozenset(changed | {one.name for one in every if not held.isdisjoint(_list_definition_names(one))})


def _is_unchanged_tool(old: ToolDefinition | None, new: ToolDefinition | None) -> bool:
    return (
        old is not None
        and new is not None
        and old.choices.name == new.choices.name
        and old.class_names == new.class_names
        and canonicalize(old.tool) == canonicalize(new.tool)
    )


def _list_definition_names(tool: ToolDefinition) -> set[str]:
    found: set[str] = set()
    for schema in (tool.input, tool.output):
        value = None if schema is None else schema.value
        for word in ("$defs", "definitions"):
            held = value.get(word) if isinstance(value, dict) else None
            found |= held.keys() if isinstance(held, dict) else set()
    return found


def _make_side(
    definitions: Definitions, settings: PackageSettings, jobs: int, concerned: frozenset[str]
) -> PackageSnapshot:
    """One side with the Python names of the tools that are concerned, and of the resources beside them."""
    own_tools = [one for one in definitions.tools if one.name in concerned]
    if not own_tools and all(one.payload is None for one in definitions.resources):
        return PackageSnapshot(definitions, {}, {}, frozenset())
    from mcpgen.pipeline.naming import lower_and_name

    ir, names = lower_and_name(replace(definitions, tools=own_tools), settings, jobs)
    tools: dict[str, PythonNames] = {}
    for tool in ir.tools:
        own = names.tools[tool.wire]
        nodes = [node for root in (tool.output, tool.input) if root is not None for node in root.nodes]
        main = (own.result, own.arguments)
        tools[tool.wire] = _make_module_names(own.module, main, {**own.nested}, nodes, {})
    resources: dict[str, PythonNames] = {}
    for resource in ir.resources:
        held = names.resources[resource.wire]
        root = resource.payload
        own_class = None if root is None else get_root_class(root)
        reserved: dict[str, frozenset[str]] = {} if own_class is None else {own_class.id: RESOURCE_METHODS}
        nodes = [] if root is None else [*root.nodes]
        resources[resource.wire] = _make_module_names(held.module, (held.name,), {**held.nested}, nodes, reserved)
    everywhere = {*names.shared.values()}
    for surface in (*tools.values(), *resources.values()):
        everywhere |= surface.classes
    return PackageSnapshot(definitions, tools, resources, frozenset(everywhere))


def _make_module_names(
    module: str,
    main: tuple[str, ...],
    nested: dict[str, str],
    nodes: list[Node],
    reserved: dict[str, frozenset[str]],
) -> PythonNames:
    attributes: dict[tuple[str, str], str] = {}
    for node in nodes:
        if isinstance(node, ObjectClass):
            given = make_field_names(node.fields, reserved.get(node.id, frozenset()))
            attributes |= {(nested[node.id], wire): python for wire, python in given.items()}
    return PythonNames(module, main, frozenset({*main, *nested.values()}), attributes)
