"""`mcpgen diff`: both sides read, from files or a git revision, and compared, package by package."""

from __future__ import annotations

import difflib
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from mcpgen.compat.acknowledgements import sorted_out
from mcpgen.compat.compare import Change, Side, compare
from mcpgen.compat.git_revision import NoRevision, Revision, checked_out
from mcpgen.compat.python_names import Surface
from mcpgen.compat.registry import RULES, Category
from mcpgen.config.load import find, load, overridden, place_of
from mcpgen.config.models import Package, PackageSettings
from mcpgen.diagnostics import Findings, Severity, Span
from mcpgen.files.input_files import real
from mcpgen.ir.package import root_class
from mcpgen.ir.types import Node, ObjectClass
from mcpgen.names.identifiers import field_names
from mcpgen.names.reserved import RESOURCE_METHODS
from mcpgen.read.definitions import Definitions, ToolDefinition
from mcpgen.read.loader import read
from mcpgen.schema.values import canonical

if TYPE_CHECKING:
    from mcpgen.introspect.client import Question


@dataclass(frozen=True)
class Wanted:
    """What to compare with what, and which categories and rules to leave out, or to ask alone."""

    paths: tuple[Path, ...]
    against: str | None
    off: tuple[str, ...]
    only: tuple[str, ...]
    config: Path | None
    jobs: int
    server: Question | None = None
    """A running server, in the place of a revision."""
    exclude: tuple[str, ...] = ()
    """What to leave out of that server's answer: names, URIs, patterns."""
    root: Path | None = None
    """A folder outside of the project that input may come from as well."""


@dataclass
class Comparison:
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


def compared(wanted: Wanted) -> Comparison:
    """Read both sides and compare them; what is wrong with the input is among the findings."""
    out = Comparison()
    with tempfile.TemporaryDirectory(prefix="mcpgen-") as folder:
        try:
            pairs = _pairs if wanted.server is None else _of_server
            for old, new, shown in pairs(wanted, Path(folder), out.findings):
                _compare(old, new, shown, wanted, out)
        except NoRevision as error:
            out.findings.error("MG810", str(error), None, error.help)
    return out


def _compare(old: Package, new: Package, shown: _Shown, wanted: Wanted, out: Comparison) -> None:
    off = _off(new, wanted, out.findings)
    before, after = _read(old, shown, out.findings), _read(new, shown, out.findings)
    if before is None or after is None or out.findings.failed:
        return
    if shown.protocol:
        after = _advertised(after, shown.protocol)
        off |= {Category.CONTENT, Category.NAMES}  # of which a server says nothing
    concerned = _concerned(before, after) if Category.NAMES not in off else frozenset[str]()
    was = _side(before, old.settings, wanted.jobs, concerned)
    now = _side(after, new.settings, wanted.jobs, concerned)
    held = new.settings.diff.acknowledged
    left, counts, unused = sorted_out(compare(was, now, off), held)
    out.changes += [replace(one, span=shown.relabel(one.span)) for one in left]
    out.acknowledged += sum(counts)
    out.tools += len(before.tools)
    out.resources += len(before.resources)
    for index in unused:
        rule = held[index].rule
        if rule in RULES and rule not in off and RULES[rule].category not in off:
            place = place_of(new, ("diff", "acknowledged", index))
            out.findings.warn("MG809", f"an acknowledged {rule} is not there", place, "take it out of the settings")


def _read(package: Package, revision: _Shown, findings: Findings) -> Definitions | None:
    """What a package defines; only errors are passed on, since the rest is for `build` to say."""
    own = Findings()
    definitions = read([package.folder / path for path in package.settings.schemas], package, own)
    for one in own:
        if one.severity is Severity.ERROR:
            findings.add(replace(one, span=None if one.span is None else revision.relabel(one.span)))
    return None if own.failed else definitions


# --- what to compare -------------------------------------------------------------------------------------------------
@dataclass(frozen=True)
class _Shown:
    """How files of a revision or a server are called: `main:schemas/tools.json`."""

    name: str = ""
    folder: Path | None = None
    protocol: str = ""
    """The version under which a server was asked."""

    def relabel(self, span: Span) -> Span:
        """A place with its file's name for people."""
        if self.folder is None or not Path(span.file).is_absolute():
            return span
        path = real(span.file)
        if not path.is_relative_to(self.folder):
            return span
        return replace(span, file=f"{self.name}:{path.relative_to(self.folder).as_posix()}")


def _pairs(wanted: Wanted, folder: Path, findings: Findings) -> Iterator[tuple[Package, Package, _Shown]]:
    """The packages before and after.

    Raises:
        NoRevision: the git revision cannot be read.
    """
    here = Path.cwd()
    packages = load(wanted.config or find(here), here, findings)
    if wanted.against is None:
        old, new = ([*overridden(packages, [path], {}, findings, wanted.root)] for path in wanted.paths)
        if not findings.failed:
            yield from ((one, other, _Shown()) for one, other in zip(old, new, strict=True))
        return
    revision = checked_out(wanted.against, here, folder)
    shown = _Shown(wanted.against, revision.folder)
    for index, new_one in enumerate(overridden(packages, [*wanted.paths], {}, findings, wanted.root)):
        yield _earlier(new_one, index, revision, shown, bool(wanted.paths), findings), new_one, shown


def _of_server(wanted: Wanted, folder: Path, findings: Findings) -> Iterator[tuple[Package, Package, _Shown]]:
    """What a running server advertises, and the one package that is compared with it."""
    from mcpgen.introspect.fetch import asked
    from mcpgen.introspect.pulled_file import file_text
    from mcpgen.introspect.server_address import name_of
    from mcpgen.introspect.server_address import shown as shown_source

    assert wanted.server is not None
    here = Path.cwd()
    packages = overridden(load(wanted.config or find(here), here, findings), [*wanted.paths], {}, findings, wanted.root)
    if len(packages) > 1:
        help = "name its definitions, or a settings file with one package: --config"
        findings.error("MG302", "the settings hold several packages, and none is known to be this server's", None, help)
    if len(packages) != 1:
        return
    (new,) = packages
    advertised = asked(wanted.server, wanted.exclude, new.settings.limits, findings)
    if advertised is None:
        return
    server = shown_source(wanted.server.source)
    (folder / f"{name_of(wanted.server.source)}.json").write_text(file_text(advertised, server), "utf-8")
    settings = new.settings.model_copy(update={"schemas": [str(folder)], "tools": {}})
    roots = None if new.roots is None else (*new.roots, real(folder))
    old = Package(settings=settings, folder=new.folder, roots=roots)
    yield old, new, _Shown(server, real(folder), advertised.protocol)


def _advertised(definitions: Definitions, protocol: str) -> Definitions:
    """Definitions with their results as a package advertises them under a version."""
    from mcpgen.introspect.drift import expected

    tools: list[ToolDefinition] = []
    for one in definitions.tools:
        schema = expected(one, protocol).get("outputSchema")
        output = None if one.output is None or schema is None else replace(one.output, value=schema)
        tools.append(replace(one, output=output))
    return replace(definitions, tools=tools)


def _earlier(
    new: Package, index: int, revision: Revision, shown: _Shown, by_paths: bool, findings: Findings
) -> Package:
    """A package as the revision has it, with its own settings where it has any."""
    folder = revision.locate(new.folder)
    settings = new.settings
    if new.file is not None and revision.locate(new.file).is_file():
        own = Findings()
        held = load(revision.locate(new.file), folder, own)
        for one in own:
            findings.add(replace(one, span=None if one.span is None else shown.relabel(one.span)))
        same = [one for one in held if one.settings.out == settings.out] or held[index : index + 1]
        settings = same[0].settings if same else settings
    schemas = new.settings.schemas if by_paths else settings.schemas
    paths = [revision.locate(new.folder / path) for path in schemas]
    there = [str(path) for path in paths if path.exists()]
    settings = settings.model_copy(update={"schemas": there})
    return Package(settings=settings, folder=folder, roots=(revision.folder,))


def _off(package: Package, wanted: Wanted, findings: Findings) -> frozenset[str]:
    """The categories and rules that are not asked; names that mean nothing go into `findings`."""
    known = [*Category, *RULES]

    def check(name: str, place: Span | None) -> None:
        if name not in known:
            close = difflib.get_close_matches(name, known, 1, 0.5)
            help = f'did you mean "{close[0]}"?' if close else f"categories are {', '.join(Category)}"
            findings.error("MG302", f'there is no category or rule "{name}"', place, help)

    settings = package.settings.diff
    for index, name in enumerate(settings.off):
        check(name, place_of(package, ("diff", "off", index)))
    for name in (*wanted.off, *wanted.only):
        check(name, None)
    for index, one in enumerate(settings.acknowledged):
        if one.rule not in RULES:
            check(one.rule, place_of(package, ("diff", "acknowledged", index, "rule")))
    off = {*settings.off, *wanted.off}
    if wanted.only:
        off |= {one.id for one in RULES.values() if one.id not in wanted.only and one.category not in wanted.only}
    if (wanted.off or wanted.only) and all(one.id in off or one.category in off for one in RULES.values()):
        findings.error("MG302", "no rule is left to ask", None, "take something out of --off, or the settings' `off`")
    return frozenset(off)


# --- names -----------------------------------------------------------------------------------------------------------
def _concerned(old: Definitions, new: Definitions) -> frozenset[str]:
    """The tools whose Python names may differ: those that changed, and who has a definition's name in common."""
    before, after = ({one.name: one for one in side.tools} for side in (old, new))
    changed = {name for name in before.keys() | after.keys() if not _alike(before.get(name), after.get(name))}
    every = [*before.values(), *after.values()]
    held = {name for one in every if one.name in changed for name in _definitions(one)}
    return frozenset(changed | {one.name for one in every if not held.isdisjoint(_definitions(one))})


def _alike(old: ToolDefinition | None, new: ToolDefinition | None) -> bool:
    return (
        old is not None
        and new is not None
        and old.choices.name == new.choices.name
        and old.class_names == new.class_names
        and canonical(old.tool) == canonical(new.tool)
    )


def _definitions(tool: ToolDefinition) -> set[str]:
    found: set[str] = set()
    for schema in (tool.input, tool.output):
        value = None if schema is None else schema.value
        for word in ("$defs", "definitions"):
            held = value.get(word) if isinstance(value, dict) else None
            found |= held.keys() if isinstance(held, dict) else set()
    return found


def _side(definitions: Definitions, settings: PackageSettings, jobs: int, concerned: frozenset[str]) -> Side:
    """One side with the Python names of the tools that are concerned, and of the resources beside them."""
    own_tools = [one for one in definitions.tools if one.name in concerned]
    if not own_tools and all(one.payload is None for one in definitions.resources):
        return Side(definitions, {}, {}, frozenset())
    from mcpgen.pipeline.naming import lower_and_name

    ir, names = lower_and_name(replace(definitions, tools=own_tools), settings, jobs)
    tools: dict[str, Surface] = {}
    for tool in ir.tools:
        own = names.tools[tool.wire]
        nodes = [node for root in (tool.output, tool.input) if root is not None for node in root.nodes]
        main = (own.result, own.arguments)
        tools[tool.wire] = _surface(own.module, main, {**own.nested}, nodes, {})
    resources: dict[str, Surface] = {}
    for resource in ir.resources:
        held = names.resources[resource.wire]
        root = resource.payload
        own_class = None if root is None else root_class(root)
        reserved: dict[str, frozenset[str]] = {} if own_class is None else {own_class.id: RESOURCE_METHODS}
        nodes = [] if root is None else [*root.nodes]
        resources[resource.wire] = _surface(held.module, (held.name,), {**held.nested}, nodes, reserved)
    everywhere = {*names.shared.values()}
    for surface in (*tools.values(), *resources.values()):
        everywhere |= surface.classes
    return Side(definitions, tools, resources, frozenset(everywhere))


def _surface(
    module: str,
    main: tuple[str, ...],
    nested: dict[str, str],
    nodes: list[Node],
    reserved: dict[str, frozenset[str]],
) -> Surface:
    attributes: dict[tuple[str, str], str] = {}
    for node in nodes:
        if isinstance(node, ObjectClass):
            given = field_names(node.fields, reserved.get(node.id, frozenset()))
            attributes |= {(nested[node.id], wire): python for wire, python in given.items()}
    return Surface(module, main, frozenset({*main, *nested.values()}), attributes)
