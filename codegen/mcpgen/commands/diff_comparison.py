"""Comparison of two versions of packages under the configured rules, with acknowledged changes taken out."""

from __future__ import annotations

import difflib
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import takewhile
from pathlib import Path

from mcpgen.commands.diff_inputs import DiffRequest, FileLabels, PackagePair, pair_packages
from mcpgen.commands.diff_names import find_renamed_tools, make_snapshot
from mcpgen.compat.acknowledgements import format_acknowledgement, match_acknowledgements
from mcpgen.compat.change import Change, merge_shared
from mcpgen.compat.compare import compare_definitions
from mcpgen.compat.git_revision import RevisionError
from mcpgen.compat.registry import RULES
from mcpgen.compat.rules.rule import Category, are_akin
from mcpgen.config.load import locate_setting
from mcpgen.config.models import Acknowledged, ConfiguredPackage
from mcpgen.diagnostics import Findings, Severity, Span, join_words
from mcpgen.lint.misspelt_names import NameGuesser
from mcpgen.read.definitions import Definitions, ResourceDefinition, ToolDefinition
from mcpgen.read.linting import list_linted
from mcpgen.read.loader import read_definitions


@dataclass
class DiffComparison:
    """Changes between two versions that nobody has acknowledged, and findings about the input."""

    findings: Findings = field(default_factory=Findings)
    changes: list[Change] = field(default_factory=list[Change])
    acknowledged: list[Change] = field(default_factory=list[Change])
    """The acknowledged changes."""
    tools: int = 0
    """Number of tools of the new version; of the old one if the new one has none."""
    resources: int = 0
    """Number of resources, likewise."""
    prompts: int = 0
    """Number of prompts, likewise."""
    headers: list[str] = field(default_factory=list[str])
    """Headers of the entries in the settings that would acknowledge breaking changes."""

    def make_diagnostics(self) -> Findings:
        """Return the findings, and each change as a diagnostic."""
        diagnostics = Findings()
        diagnostics.extend(self.findings)
        for change in self.changes:
            diagnostics.add(change.to_diagnostic())
        return diagnostics


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
    """Compare the versions of one package and add the result to the comparison."""
    findings, labels = comparison.findings, pair.labels
    off = find_disabled_rules(pair.new, request, findings)
    old, new = (_read_package(package, labels, findings) for package in (pair.old, pair.new))
    if old is None or new is None or findings.failed:
        return
    if labels.protocol:
        declaring = {tool.name for tool in old.tools if tool.output is not None}
        new = _advertise_definitions(new, labels.protocol, declaring)
        off |= {Category.CONTENT, Category.NAMES}  # a server advertises neither
    renamed = find_renamed_tools(old, new) if Category.NAMES not in off else frozenset[str]()
    old_snapshot = make_snapshot(old, pair.old.settings, request.jobs, renamed, request.memory)
    new_snapshot = make_snapshot(new, pair.new.settings, request.jobs, renamed, request.memory)
    acknowledgements = pair.new.settings.diff.acknowledged
    changes = compare_definitions(old_snapshot, new_snapshot, off)
    fatal = {*pair.new.settings.diff.fail_on, *request.fail_on}
    pulled = _list_pulled(new) if labels.protocol else _list_pulled(old) | _list_pulled(new)
    changes = [replace(change, help=change.client_help) if change.subject in pulled else change for change in changes]
    changes = [
        replace(change, severity=Severity.ERROR) if fatal & {change.rule.id, change.rule.category} else change
        for change in changes
    ]
    remaining, covered, unused = match_acknowledgements(changes, acknowledgements)
    comparison.changes += [replace(change, span=labels.relabel(change.span)) for change in remaining]
    if any(change.breaking for change in remaining):
        header = pair.new.format_header("diff", "acknowledged", is_list=True)
        comparison.headers += [header] if header not in comparison.headers else []
    comparison.acknowledged += [replace(change, span=labels.relabel(change.span)) for change in covered]
    comparison.tools += len(new.tools or old.tools)
    comparison.resources += len(new.resources or old.resources)
    comparison.prompts += len(new.prompts or old.prompts)
    for index in unused:
        rule = acknowledgements[index].rule
        if rule in RULES and rule not in off and RULES[rule].category not in off:
            place = locate_setting(pair.new, ("diff", "acknowledged", index))
            message, help = _describe_unused(
                acknowledgements[index], changes, [*old.tools, *new.tools], [*old.resources, *new.resources]
            )
            findings.warn("MG809", message, place, help)


def _list_pulled(definitions: Definitions) -> set[str]:
    """Return the titles of the definitions that are in files of `pull`: somebody else decides about them."""
    sites = (site for site in list_linted(definitions) if site.is_pulled())
    return {f'{site.definition.kind} "{site.definition.name}"' for site in sites}


def _describe_unused(
    acknowledged: Acknowledged,
    changes: Sequence[Change],
    tools: Sequence[ToolDefinition],
    resources: Sequence[ResourceDefinition],
) -> tuple[str, str]:
    """Return a message and a help about an acknowledgement that fits no change."""
    rule, place = acknowledged.rule, "" if acknowledged.pointer is None else f" at {acknowledged.pointer}"
    similar = _find_similar(acknowledged, changes)
    found = f"there is {join_words(similar)}" if similar else ""
    for kind, name, defined in (
        ("tool", acknowledged.tool, [tool.name for tool in tools]),
        ("resource", acknowledged.resource, [resource.name for resource in resources]),
    ):
        if name is None:
            continue
        message = f'no {rule} of the {kind} "{name}"{place} was found'
        if name in defined:
            return message, found or "take it out of the settings"
        close = NameGuesser().guess(name, defined)
        missing = f"there is no such {kind}"
        return message, f'{missing}, did you mean "{close}"?' if close else found or missing
    return f"no {rule}{place} was found", found or "take it out of the settings"


MOST_SIMILAR = 3
"""Changes that are named for an acknowledgement that fits none."""


def _find_similar(acknowledged: Acknowledged, changes: Sequence[Change]) -> list[str]:
    """Return how to acknowledge the changes that the rule did report, or one for changes of the same kind.

    Those of the named tool or resource are preferred; the first ones are closest to the pointer.
    """
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
    """Return how many tokens the pointers have in common at their beginning."""
    tokens = zip(*(pointer.split("/") for pointer in pointers), strict=False)
    return len([*takewhile(lambda column: len({*column}) == 1, tokens)])


def _read_package(package: ConfiguredPackage, labels: FileLabels, findings: Findings) -> Definitions | None:
    """Read the definitions of a package, None if they are wrong; only errors are reported, `build` reports the rest."""
    package_findings = Findings()
    definitions = read_definitions(package, package_findings)
    for finding in package_findings:
        if finding.severity is Severity.ERROR:
            findings.add(replace(finding, span=None if finding.span is None else labels.relabel(finding.span)))
    return None if package_findings.failed else definitions


def _advertise_definitions(definitions: Definitions, protocol: str, declaring: set[str]) -> Definitions:
    """Return the definitions with the outputSchemas that a generated package advertises under a protocol version.

    Args:
        definitions: the definitions.
        protocol: the protocol version.
        declaring: the tools for which the server declares an outputSchema; the others keep none from the settings.
    """
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
    for name, place in _list_rule_names(package, request):
        _check_rule_name(name, place, [*Category, *RULES], findings)
    for index, acknowledged in enumerate(package.settings.diff.acknowledged):
        if acknowledged.rule not in RULES:
            place = locate_setting(package, ("diff", "acknowledged", index, "rule"))
            _check_rule_name(acknowledged.rule, place, [*Category, *RULES], findings)
    off = {*package.settings.diff.off, *request.off}
    if request.only:
        off |= {rule.id for rule in RULES.values() if rule.id not in request.only and rule.category not in request.only}
    if (request.off or request.only) and all(rule.id in off or rule.category in off for rule in RULES.values()):
        findings.error("MG302", "no rule is left to ask", None, "take something out of --off, or the settings' `off`")
    return frozenset(off)


def _list_rule_names(package: ConfiguredPackage, request: DiffRequest) -> Iterator[tuple[str, Span | None]]:
    """Yield the categories and rules that the settings and the command line name, with their places."""
    for index, name in enumerate(package.settings.diff.off):
        yield name, locate_setting(package, ("diff", "off", index))
    for index, name in enumerate(package.settings.diff.fail_on):
        yield name, locate_setting(package, ("diff", "fail-on", index))
    for name in (*request.off, *request.only, *request.fail_on):
        yield name, None


def _check_rule_name(name: str, place: Span | None, known_names: list[str], findings: Findings) -> None:
    if name in known_names:
        return
    is_severity = name in list(Severity)  # as other commands take it for `--fail-on`
    similar = [] if is_severity else difflib.get_close_matches(name, known_names, 1, 0.5)
    help = f'did you mean "{similar[0]}"?' if similar else f"categories are {', '.join(Category)}"
    findings.error("MG302", f'there is no category or rule "{name}"', place, help)
