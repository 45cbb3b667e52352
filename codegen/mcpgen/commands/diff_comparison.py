"""Comparison of two versions of packages under the configured rules: from files, a git revision or a running server."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import takewhile
from pathlib import Path
from typing import TYPE_CHECKING

from mcpgen.commands.package_selection import SEVERAL_PACKAGES_MESSAGE
from mcpgen.compat.change import Change, format_acknowledgement, match_acknowledgements, merge_shared
from mcpgen.compat.compare import PackageSnapshot, compare_definitions
from mcpgen.compat.git_revision import Revision, RevisionError, export_revision
from mcpgen.compat.registry import RULES, are_akin
from mcpgen.compat.rules.python_names import ROOT_PLACE, PythonNames, ValuePlace
from mcpgen.compat.rules.rule import Category
from mcpgen.config.load import find_settings, load_packages, locate_setting, override_settings
from mcpgen.config.models import Acknowledged, ConfiguredPackage, PackageSettings
from mcpgen.diagnostics import Diagnostic, Findings, Severity, Span, join_words
from mcpgen.files.project_paths import resolve_path
from mcpgen.ir.package import get_root_class
from mcpgen.ir.types import (
    Array,
    Choice,
    FixedArray,
    Map,
    Node,
    ObjectClass,
    Presence,
    Ref,
    Scalar,
    ScalarKind,
    Type,
    Union,
)
from mcpgen.names.identifiers import make_field_names
from mcpgen.names.reserved import RESOURCE_METHODS
from mcpgen.paths import format_path
from mcpgen.read.definitions import Definitions, ResourceDefinition, ToolDefinition
from mcpgen.read.linting import list_linted
from mcpgen.read.loader import read_definitions
from mcpgen.schema.document import Schema
from mcpgen.schema.formats import list_string_types
from mcpgen.schema.keywords import DEFINITION_KEYWORDS, iterate_subschemas
from mcpgen.schema.values import canonicalize
from mcpgen.words import NameGuesser

if TYPE_CHECKING:
    from mcpgen.cache.store import Store
    from mcpgen.introspect.server_query import ServerQuery
    from mcpgen.lower.shared_types import ModuleKey
    from mcpgen.names.package_names import ResourceNames, ToolNames
    from mcpgen.pipeline.preview import Preview


@dataclass(frozen=True)
class DiffRequest:
    """Two versions to compare, and the rules to apply."""

    paths: tuple[Path, ...]
    """The old and the new definitions; with a revision or a server, those to compare with it, by default all."""
    against: str | None
    """A git revision with the old definitions."""
    off: tuple[str, ...]
    only: tuple[str, ...]
    """The only categories and rules that are applied; empty for all."""
    config: Path | None
    jobs: int
    server: ServerQuery | None = None
    """A running server with the old definitions."""
    exclude: tuple[str, ...] = ()
    """Names, URIs and patterns of that server's definitions that are left out."""
    root: Path | None = None
    """A folder outside of the project that input may come from, too."""
    fail_on: tuple[str, ...] = ()
    """Categories and rules whose changes are errors, whatever the rule's own severity."""
    store: Store | None = None
    """Lowered schemas of earlier runs; None: everything is lowered."""


@dataclass(frozen=True)
class FileLabels:
    """What files of a revision or a server are called, which were written to a temporary folder."""

    source: str = ""
    folder: Path | None = None
    top: Path = Path()
    """The folder of the working tree that the temporary folder stands for."""
    protocol: str = ""
    """Protocol version of the server's answer; empty for files and revisions."""

    def relabel(self, span: Span) -> Span:
        """Return the place that people know a span by: a file of the revision, the server, or itself."""
        if self.folder is None or not Path(span.file).is_absolute():
            return span
        path = resolve_path(span.file)
        if not path.is_relative_to(self.folder):
            return span
        if self.protocol:
            return replace(Span.of_server(self.source), pointer=span.pointer)
        return replace(span, file=format_path(self.top / path.relative_to(self.folder)), revision=self.source)

    def relabel_all(self, items: Iterable[Diagnostic]) -> Iterator[Diagnostic]:
        """Yield diagnostics with the places that people know."""
        return (replace(item, span=item.span and self.relabel(item.span)) for item in items)


@dataclass(frozen=True)
class PackagePair:
    """Two versions of one package, and the labels of their files."""

    old: ConfiguredPackage
    new: ConfiguredPackage
    labels: FileLabels


def pair_packages(request: DiffRequest, folder: Path, findings: Findings) -> Iterator[PackagePair]:
    """Yield the versions of each package, old ones perhaps in `folder`; raise `RevisionError` for a git revision."""
    if request.server is not None:
        yield from _pair_with_server(request, request.server, folder, findings)
    elif request.against is not None:
        yield from _pair_with_revision(request, request.against, folder, findings)
    else:
        packages = _load_packages(request, findings)
        old, new = ([*override_settings(packages, [path], {}, findings, request.root)] for path in request.paths)
        if not findings.failed:
            yield from (PackagePair(*versions, FileLabels()) for versions in zip(old, new, strict=True))


def _load_packages(request: DiffRequest, findings: Findings) -> list[ConfiguredPackage]:
    folder = Path.cwd()
    return load_packages(request.config or find_settings(folder), folder, findings)


def _pair_with_revision(
    request: DiffRequest, revision_name: str, folder: Path, findings: Findings
) -> Iterator[PackagePair]:
    packages = _load_packages(request, findings)
    revision = export_revision(revision_name, Path.cwd(), folder)
    labels = FileLabels(revision_name, revision.folder, revision.top)
    for index, new in enumerate(override_settings(packages, [*request.paths], {}, findings, request.root)):
        old = _find_old_package(new, index, revision, labels, bool(request.paths), findings)
        yield PackagePair(old, new, labels)


def _find_old_package(
    new: ConfiguredPackage, index: int, revision: Revision, labels: FileLabels, by_paths: bool, findings: Findings
) -> ConfiguredPackage:
    """Return a package with its settings of then: those of the same output folder, or else of the same index."""
    folder = revision.locate(new.folder)
    settings = new.settings
    if new.file is not None and revision.locate(new.file).is_file():
        revision_findings = Findings()
        old_packages = load_packages(revision.locate(new.file), folder, revision_findings)
        findings.extend(labels.relabel_all(revision_findings))
        same_out = [package for package in old_packages if package.settings.out == settings.out]
        matching = same_out or old_packages[index : index + 1]
        settings = matching[0].settings if matching else settings
    schemas = new.settings.schemas if by_paths else settings.schemas
    paths = [revision.locate(new.folder / path) for path in schemas]
    existing = [str(path) for path in paths if path.exists()]
    settings = settings.model_copy(update={"schemas": existing})
    return ConfiguredPackage(settings=settings, folder=folder, roots=(revision.folder,))


def _pair_with_server(
    request: DiffRequest, query: ServerQuery, folder: Path, findings: Findings
) -> Iterator[PackagePair]:
    from mcpgen.commands.pulled_files import (
        PulledHeader,
        find_files_pulled_from,
        find_pulled_folder,
        read_pulled_header,
        render_pulled_file,
    )
    from mcpgen.introspect.client import fetch_definitions
    from mcpgen.introspect.server_address import format_server_address, make_server_name

    configured = _choose_package_of_server(_load_packages(request, findings), request.paths, query, findings)
    packages = override_settings(configured, [*request.paths], {}, findings, request.root)
    if len(packages) != 1:
        return
    (new,) = packages
    server = format_server_address(query.source)
    pulled = find_files_pulled_from(server, find_pulled_folder(packages))
    exclude = (*request.exclude, *(pattern for file in pulled for pattern in read_pulled_header(file).exclude))
    advertised = fetch_definitions(query, exclude, new.settings.limits, findings)
    if advertised is None:
        return
    file = folder / f"{make_server_name(query.source)}.json"
    file.write_text(render_pulled_file(advertised, PulledHeader(server)), "utf-8")
    settings = new.settings.model_copy(update={"schemas": [str(folder)], "tools": {}})
    roots = None if new.roots is None else (*new.roots, resolve_path(folder))
    old = ConfiguredPackage(settings=settings, folder=new.folder, roots=roots)
    yield PackagePair(old, new, FileLabels(server, resolve_path(folder), protocol=advertised.protocol))


def _choose_package_of_server(
    packages: list[ConfiguredPackage], paths: tuple[Path, ...], query: ServerQuery, findings: Findings
) -> list[ConfiguredPackage]:
    """Return the only package, or the one that reads the paths, or the file pulled from the server; else a finding."""
    from mcpgen.commands.pulled_files import find_pulled_files
    from mcpgen.introspect.server_address import make_server_name

    if len(packages) <= 1:
        return packages
    files = paths or (*find_pulled_files(packages, make_server_name(query.source), query),)
    chosen = [package for package in packages if any(package.reads(file) for file in files)]
    if len(chosen) == 1:
        return chosen
    known = ", ".join(format_path(path) for package in packages for path in package.inputs)
    findings.error("MG302", SEVERAL_PACKAGES_MESSAGE, None, f"name the definitions of one package: {known}")
    return []


@dataclass
class DiffComparison:
    """Changes between two versions that nobody has acknowledged, and findings about the input."""

    findings: Findings = field(default_factory=Findings)
    changes: list[Change] = field(default_factory=list[Change])
    acknowledged: list[Change] = field(default_factory=list[Change])
    tools: int = 0
    """Number of tools of the new version; of the old one if the new one has none."""
    resources: int = 0
    prompts: int = 0
    forms: int = 0
    headers: list[str] = field(default_factory=list[str])
    """Headers of the entries in the settings that would acknowledge breaking changes."""


def compare_requested(request: DiffRequest) -> DiffComparison:
    """Read and compare both versions of every package; errors in the input are among the findings."""
    comparison = DiffComparison()
    with tempfile.TemporaryDirectory(prefix="mcpgen-") as folder:
        try:
            for pair in pair_packages(request, Path(folder), comparison.findings):
                _compare_pair(pair, request, comparison)
        except RevisionError as error:
            comparison.findings.error("MG810", str(error), None, error.help)
    return comparison


def _compare_pair(pair: PackagePair, request: DiffRequest, comparison: DiffComparison) -> None:
    findings, labels, settings = comparison.findings, pair.labels, pair.new.settings.diff
    off = find_disabled_rules(pair.new, request, findings)
    old, new = (_read_package(package, labels, findings) for package in (pair.old, pair.new))
    if old is None or new is None or findings.failed:
        return
    if labels.protocol:
        declaring = {tool.name for tool in old.tools if tool.output is not None}
        new = _advertise_definitions(new, labels.protocol, declaring)
        off |= {Category.CONTENT, Category.NAMES}  # a server advertises neither
    changes = _list_changes(pair, old, new, off, request)
    remaining, covered, unused = match_acknowledgements(changes, settings.acknowledged)
    comparison.changes += [replace(change, span=labels.relabel(change.span)) for change in remaining]
    comparison.acknowledged += [replace(change, span=labels.relabel(change.span)) for change in covered]
    header = pair.new.format_header("diff", "acknowledged", is_list=True)
    if header not in comparison.headers and any(change.breaking for change in remaining):
        comparison.headers.append(header)
    comparison.tools += len(new.tools or old.tools)
    comparison.resources += len(new.resources or old.resources)
    comparison.prompts += len(new.prompts or old.prompts)
    comparison.forms += len(new.forms or old.forms)
    for index in unused:
        acknowledged = settings.acknowledged[index]
        if acknowledged.rule in RULES and off.isdisjoint((acknowledged.rule, RULES[acknowledged.rule].category)):
            place = locate_setting(pair.new, ("diff", "acknowledged", index))
            message, help = _describe_unused(acknowledged, changes, old, new)
            findings.warn("MG809", message, place, help)


def _list_changes(
    pair: PackagePair, old: Definitions, new: Definitions, off: frozenset[str], request: DiffRequest
) -> list[Change]:
    renamed = find_renamed_tools(old, new) if Category.NAMES not in off else frozenset[str]()
    old_snapshot = make_snapshot(old, pair.old.settings, request.jobs, renamed, request.store)
    new_snapshot = make_snapshot(new, pair.new.settings, request.jobs, renamed, request.store)
    fatal = {*pair.new.settings.diff.fail_on, *request.fail_on}
    pulled = _list_pulled(new) if pair.labels.protocol else _list_pulled(old) | _list_pulled(new)
    changes: list[Change] = []
    for change in compare_definitions(old_snapshot, new_snapshot, off):
        help = change.client_help if change.subject in pulled else change.help
        severity = Severity.ERROR if fatal & {change.rule.id, change.rule.category} else change.severity
        changes.append(replace(change, help=help, severity=severity))
    return changes


def _list_pulled(definitions: Definitions) -> set[str]:
    sites = (site for site in list_linted(definitions) if site.is_pulled())
    return {f'{site.definition.kind} "{site.definition.name}"' for site in sites}


def _describe_unused(
    acknowledged: Acknowledged, changes: Sequence[Change], old: Definitions, new: Definitions
) -> tuple[str, str]:
    rule, place = acknowledged.rule, "" if acknowledged.pointer is None else f" at {acknowledged.pointer}"
    similar = _find_similar(acknowledged, changes)
    found = f"there is {join_words(similar)}" if similar else ""
    if acknowledged.tool is not None:
        kind, name, defined = "tool", acknowledged.tool, [tool.name for side in (old, new) for tool in side.tools]
    elif acknowledged.resource is not None:
        kind, name = "resource", acknowledged.resource
        defined = [resource.name for side in (old, new) for resource in side.resources]
    else:
        return f"no {rule}{place} was found", found or "take it out of the settings"
    message = f'no {rule} of the {kind} "{name}"{place} was found'
    if name in defined:
        return message, found or "take it out of the settings"
    close, missing = NameGuesser().guess(name, defined), f"there is no such {kind}"
    return message, f'{missing}, did you mean "{close}"?' if close else found or missing


MOST_SIMILAR = 3
"""Changes that are named for an acknowledgement that fits none."""


def _find_similar(acknowledged: Acknowledged, changes: Sequence[Change]) -> list[str]:
    """Return how to acknowledge the reported changes, or one of the same kind: first the named tool's, the closest."""
    named = (acknowledged.tool, acknowledged.resource)
    akin = [change for change in changes if are_akin(change.rule, RULES[acknowledged.rule])]
    found = merge_shared([change for change in akin if change.name in named] or akin)
    pointer = acknowledged.pointer or ""
    found.sort(
        key=lambda change: -max(_count_common_tokens(pointer, at) for at in (change.pointer, change.span.pointer))
    )
    texts = [*dict.fromkeys(map(format_acknowledgement, found))]
    left = len(texts) - MOST_SIMILAR
    return [*texts[:MOST_SIMILAR], *([f"{left} more"] if left > 0 else [])]


def _count_common_tokens(*pointers: str) -> int:
    tokens = zip(*(pointer.split("/") for pointer in pointers), strict=False)
    return len([*takewhile(lambda column: len({*column}) == 1, tokens)])


def _read_package(package: ConfiguredPackage, labels: FileLabels, findings: Findings) -> Definitions | None:
    """Read the definitions of a package, None if they are wrong; only errors are reported, `build` reports the rest."""
    package_findings = Findings()
    definitions = read_definitions(package, package_findings)
    findings.extend(labels.relabel_all(package_findings.errors))
    return None if package_findings.failed else definitions


def _advertise_definitions(definitions: Definitions, protocol: str, declaring: set[str]) -> Definitions:
    """Return what a package advertises under a version; only `declaring` tools keep an outputSchema of the settings."""
    from mcpgen.introspect.definition_drift import build_expected_tool

    tools: list[ToolDefinition] = []
    for tool in definitions.tools:
        expected = build_expected_tool(tool, protocol)
        if tool.is_output_from_settings and tool.name not in declaring:
            expected.pop("outputSchema", None)
        schema = expected.get("outputSchema")
        output = None if tool.output is None or schema is None else replace(tool.output, value=schema)
        tools.append(replace(tool, tool=expected, output=output))
    return replace(definitions, tools=tools)


def find_disabled_rules(package: ConfiguredPackage, request: DiffRequest, findings: Findings) -> frozenset[str]:
    """Return the categories and rules that are not applied; unknown names are reported."""
    settings = package.settings.diff
    named: list[tuple[str, Span | None]] = []
    for key, names in (("off", settings.off), ("fail-on", settings.fail_on)):
        named += [(name, locate_setting(package, ("diff", key, index))) for index, name in enumerate(names)]
    named += [(name, None) for name in (*request.off, *request.only, *request.fail_on)]
    for index, acknowledged in enumerate(settings.acknowledged):
        if acknowledged.rule not in RULES:
            named.append((acknowledged.rule, locate_setting(package, ("diff", "acknowledged", index, "rule"))))
    known_names = [*Category, *RULES]
    for name, place in named:
        if name not in known_names:
            is_severity = name in list(Severity)  # as other commands take it for `--fail-on`
            similar = "" if is_severity else NameGuesser().guess(name, known_names, 0.5)
            help = f'did you mean "{similar}"?' if similar else f"categories are {', '.join(Category)}"
            findings.error("MG302", f'there is no category or rule "{name}"', place, help)
    off = {*settings.off, *request.off}
    if request.only:
        off |= {rule.id for rule in RULES.values() if rule.id not in request.only and rule.category not in request.only}
    if (request.off or request.only) and all(rule.id in off or rule.category in off for rule in RULES.values()):
        findings.error("MG302", "no rule is left to ask", None, "take something out of --off, or the settings' `off`")
    return frozenset(off)


# --- Python names -----------------------------------------------------------------------------------------------------
_NAMED_KEYWORDS = DEFINITION_KEYWORDS | {"properties", "required", "$ref"}
"""Keywords of subschemas that become classes or aliases."""


def find_renamed_tools(old: Definitions, new: Definitions) -> frozenset[str]:
    """Return the tools whose Python names may differ: changed ones, and those that may share classes with them."""
    old_tools, new_tools = ({tool.name: tool for tool in side.tools} for side in (old, new))
    changed = {
        name
        for name in old_tools.keys() | new_tools.keys()
        if not _is_unchanged_tool(old_tools.get(name), new_tools.get(name))
    }
    if not changed:
        return frozenset()
    tools = [*old_tools.values(), *new_tools.values()]
    return frozenset(changed.union(tool.name for tool in tools if _has_parts(tool)))


def _is_unchanged_tool(old: ToolDefinition | None, new: ToolDefinition | None) -> bool:
    return (
        old is not None
        and new is not None
        and old.choices.name == new.choices.name
        and old.class_names == new.class_names
        and (old.formats, old.choices.formats) == (new.formats, new.choices.formats)
        and old.error == new.error
        and canonicalize(old.tool) == canonicalize(new.tool)
    )


def _has_parts(tool: ToolDefinition) -> bool:
    return any(map(_has_objects_inside, tool.schemas.values()))


def _has_objects_inside(schema: Schema) -> bool:
    stack, is_root = [schema.value], True
    while stack:
        value = stack.pop()
        if isinstance(value, dict):
            if not (DEFINITION_KEYWORDS if is_root else _NAMED_KEYWORDS).isdisjoint(value):
                return True
            stack.extend(child for _, child in iterate_subschemas(value, schema.dialect))
        is_root = False
    return False


def make_snapshot(
    definitions: Definitions, settings: PackageSettings, jobs: int, renamed: frozenset[str], store: Store | None = None
) -> PackageSnapshot:
    """Return one side of a comparison with the Python names of the tools in `renamed`, lowered once with a store."""
    tools = [tool for tool in definitions.tools if tool.name in renamed]
    if not tools and all(resource.payload is None for resource in definitions.resources):
        return PackageSnapshot(definitions, {}, {}, frozenset())
    from mcpgen.pipeline.preview import lower_and_name

    preview = lower_and_name(replace(definitions, tools=tools), settings, jobs, store)
    tool_names = _collect_tool_names(preview)
    resource_names = _collect_resource_names(preview)
    _add_string_types(tool_names, tools)
    _add_string_types(resource_names, definitions.resources)
    modules = (*tool_names.values(), *resource_names.values())
    classes = frozenset(preview.names.shared.values()).union(*(names.classes for names in modules))
    return PackageSnapshot(definitions, tool_names, resource_names, classes)


def _collect_tool_names(preview: Preview) -> dict[str, PythonNames]:
    collected: dict[str, PythonNames] = {}
    for tool in preview.package.tools:
        names = preview.names.tools[tool.wire]
        main = (names.result, names.arguments)
        collected[tool.wire] = _make_names(preview, ("tool", tool.wire), names, main, tool.nodes, {}, names.error)
    return collected


def _collect_resource_names(preview: Preview) -> dict[str, PythonNames]:
    collected: dict[str, PythonNames] = {}
    for resource in preview.package.resources:
        names, root = preview.names.resources[resource.id], resource.payload
        root_class = None if root is None else get_root_class(root)
        reserved = {} if root_class is None else {root_class.id: RESOURCE_METHODS}
        nodes = () if root is None else root.nodes
        key: ModuleKey = ("resource", resource.id)
        collected[resource.id] = _make_names(preview, key, names, (names.name,), nodes, reserved)
    return collected


def _make_names(
    preview: Preview,
    key: ModuleKey,
    module_names: ToolNames | ResourceNames,
    main: tuple[str, ...],
    nodes: Sequence[Node],
    reserved: Mapping[str, frozenset[str]],
    error: str | None = None,
) -> PythonNames:
    nested, places = module_names.nested, preview.places[key]
    attributes: dict[tuple[str, str], str] = {}
    for node in nodes:
        if isinstance(node, ObjectClass):
            field_names = make_field_names(node.fields, reserved.get(node.id, frozenset()))
            attributes |= {(nested[node.id], wire): python for wire, python in field_names.items()}
    fields: dict[str, Mapping[str, str]] = {}
    values: dict[ValuePlace, frozenset[str]] = {}
    class_names: dict[str, str] = {}
    bases: dict[str, str] = {}
    required: set[tuple[str, str]] = set()
    closed: set[str] = set()
    roots = preview.roots[key]
    all_main = main if error is None else (*main, error)
    main_of_roots = all_main[len(all_main) - len(roots) :]  # a tool without an outputSchema has no root for its result
    for root, main_class in zip(roots, main_of_roots, strict=True):
        classes = {node.id: node for node in root.nodes if isinstance(node, ObjectClass)}
        if main_class == main[0]:
            class_names[ROOT_PLACE] = main_class
            values |= _group_values(ROOT_PLACE, "", _list_values(root.type, classes))
        for node in classes.values():
            place = f"#{node.id}"
            class_names[place] = places[place][1] if place in places else main_class
            declaring = node
            if node.base is not None and node.base.id in classes:
                declaring = classes[node.base.id]
                bases[place] = f"#{node.base.id}"
            fields[place] = make_field_names(declaring.fields, reserved.get(node.id, frozenset()))
            if declaring.extra is None:
                closed.add(place)
            for declared in declaring.fields:
                if declared.presence is Presence.REQUIRED:
                    required.add((place, declared.wire))
                found = [*_list_values(declared.type, classes)]
                found += [(0, "null")] if declared.presence is Presence.OPTIONAL_NULLABLE else []
                values |= _group_values(place, declared.wire, found)
    return PythonNames(
        module_names.module,
        main,
        frozenset({*all_main, *nested.values()}),
        attributes,
        places,
        fields=fields,
        values=values,
        required=frozenset(required),
        closed=frozenset(closed),
        bases=bases,
        class_names=class_names,
    )


def _group_values(place: str, wire: str, found: Iterable[tuple[int, str]]) -> dict[ValuePlace, frozenset[str]]:
    grouped: dict[ValuePlace, frozenset[str]] = {}
    for depth, value in found:
        key = ValuePlace(place, wire, depth)
        grouped[key] = grouped.get(key, frozenset[str]()) | {value}
    return grouped


_JSON_KINDS = frozenset({ScalarKind.INTEGER, ScalarKind.NUMBER, ScalarKind.BOOLEAN, ScalarKind.NULL, ScalarKind.ANY})


def _list_values(declared: Type, classes: Mapping[str, ObjectClass], depth: int = 0) -> Iterator[tuple[int, str]]:
    """Yield what values of a type can be, each with its depth in arrays and maps; see `PythonNames.values`."""
    match declared:
        case Choice(values=values):
            yield from ((depth, json.dumps(value, ensure_ascii=False)) for value in values)
        case Array(item=item):
            yield depth, "array"
            yield from _list_values(item, classes, depth + 1)
        case Map(value=value):
            yield depth, "object"
            yield from _list_values(value, classes, depth + 1)
        case FixedArray(items=items):
            yield depth, "array"
            for item in items:
                yield from _list_values(item, classes, depth + 1)
        case Union(members=members):
            for member in members:
                yield from _list_values(member, classes, depth)
        case Scalar(kind=kind):
            yield depth, kind.value if kind in _JSON_KINDS else "string"
        case Ref(id=key):
            yield depth, "object" if key in classes else "any"


def _add_string_types(
    names: dict[str, PythonNames], definitions: Sequence[ToolDefinition | ResourceDefinition]
) -> None:
    from mcpgen.pipeline.lowering import select_formats

    for definition in definitions:
        schemas: Mapping[str, Schema | None]
        match definition:
            case ToolDefinition():
                schemas = definition.schemas
            case ResourceDefinition(payload=payload):
                schemas = {"resource": payload}
        string_types = {
            f"#{side}{pointer}": python
            for side, schema in schemas.items()
            if schema is not None
            for pointer, python in list_string_types(schema, select_formats(definition, side)).items()
        }
        names[definition.name] = replace(names[definition.name], string_types=string_types)
