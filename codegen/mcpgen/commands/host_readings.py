"""`mcpgen show --host` and `--hosts`: what the models of hosts read of example results."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from pathlib import Path
from typing import Any

from mcpgen.commands.generated_package import (
    NoExampleResult,
    explain_unknown_tool,
    make_example_result,
    report_missing_package,
    write_result,
)
from mcpgen.commands.package_selection import LoadedPackages
from mcpgen.config.models import ConfiguredPackage
from mcpgen.diagnostics import Span
from mcpgen.hosts.conversions import read_as
from mcpgen.hosts.reading import Reading
from mcpgen.hosts.table import HOSTS, Host
from mcpgen.paths import format_path
from mcpgen.prove.package_loader import PackageNotImportable, load_package
from mcpgen.report.exit_codes import INVALID_INPUT, SUCCESS
from mcpgen.report.output import CommandOutput
from mcpgen.report.text import format_count, format_table
from mcpgen.report.visible import split_text_lines
from mcpgen.schema.values import Json, allow_deep_recursion
from mcpgen.targets import OBJECT_RESULT_PROTOCOLS
from mcpgen.vocabularies import VocabularyMissing, VocabularyName, make_counter
from mcpgen.workers import Workers, pause_garbage_collection

PROTOCOL = OBJECT_RESULT_PROTOCOLS[-1]
"""The protocol version that the hosts of the table ask for."""
_NAMES = {"text": "text", "value": "structured content"}
"""Words for what a reading leaves out; blocks have their type's name."""


@dataclass(frozen=True)
class HostRequest:
    """Which results are read, and by whom."""

    tool: str | None
    """None: all tools."""
    host: Host | None
    """None: all hosts, in a table."""
    value: str | None
    """JSON of the value whose result is read, None for an example."""
    protocol: str | None
    jobs: int


@dataclass(frozen=True)
class HostReading:
    """What the model of a host reads of a tool's example result."""

    tool: str
    reading: Reading
    tokens: int | None
    """None: the package of the host's vocabulary is not installed."""
    is_content_only: bool
    """Whether the settings have the host get the content alone."""

    @property
    def size(self) -> int:
        """The tokens of its texts, or else their characters."""
        return len(self.reading.text) if self.tokens is None else self.tokens

    @property
    def shown(self) -> tuple[str, ...]:
        """What of the result the model reads, in words."""
        return tuple(_NAMES.get(part, part) for part in self.reading.shown)

    @property
    def omitted(self) -> tuple[str, ...]:
        """What of the result the model does not read, in words."""
        return tuple(_NAMES.get(part, part) for part in self.reading.lost)


def read_example(result: Any, host: Host, protocol: str | None = None) -> HostReading:
    """Return what the model of a host reads of a result, as a server with the bound tool sends it."""
    wire = write_result(result, protocol or PROTOCOL, host.client_names)
    reading = read_as(host.name, wire, result._tool.name)
    is_content_only = not {*host.client_names}.isdisjoint(result._tool.content_only)
    return HostReading(result._tool.name, reading, _count_tokens(host.vocabulary, reading.text), is_content_only)


@lru_cache(maxsize=len(HOSTS))
def _count_tokens(vocabulary: VocabularyName, text: str) -> int | None:
    """Return how many tokens a text has, which several hosts may show; None: the vocabulary is not installed."""
    try:
        return make_counter(vocabulary)(text)
    except VocabularyMissing:
        return None


# --- the command -----------------------------------------------------------------------------------------------------
def run_show_hosts(loaded: LoadedPackages, request: HostRequest, output: CommandOutput) -> int:
    """Print what a host reads of a tool's result, or a table of all hosts, and return the exit code."""
    findings, data = loaded.findings, list[Json]()
    kinds: dict[str, str] = {}
    for package in loaded.packages:
        try:
            generated = load_package(package.out)
            kinds |= dict.fromkeys(generated.PROMPTS, "prompt") | dict.fromkeys(generated.RESOURCES, "resource")
            kinds |= dict.fromkeys(generated.TOOLS, "tool")
            names = [name for name in generated.TOOLS if request.tool in (None, name)]
            if names:
                lines, found = _show_package(package, names, request)
                output.print_data([""] * bool(data) + lines)
                data.append({"out": format_path(package.out), "hosts": found})
        except PackageNotImportable as error:
            report_missing_package(package, error, findings)
        except NoExampleResult as error:
            findings.error("MG604", str(error), Span(format_path(package.out)), error.help)
    if request.tool is not None and loaded.packages and not data and not findings.failed:
        message = f'no generated package has a tool "{request.tool}"'
        findings.error("MG602", message, None, explain_unknown_tool(request.tool, kinds))
    exit_code = INVALID_INPUT if findings.failed else SUCCESS
    return output.finish(findings, exit_code, lambda: {"tool": request.tool, "packages": data} if data else None)


def _show_package(package: ConfiguredPackage, names: Sequence[str], request: HostRequest) -> tuple[list[str], Json]:
    """Return the lines about a package and their data."""
    if request.host is not None:
        (reading,) = _read_tool(package.out, request, names[0])
        return _format_reading(request.host, reading), [_build_json(request.host, [reading])]
    with pause_garbage_collection(), Workers(request.jobs if request.tool is None else 1) as workers:
        readings = [*workers.map(partial(_read_tool, package.out, request), names)]
    by_host = {host.name: [tool[number] for tool in readings if tool] for number, host in enumerate(HOSTS)}
    lines = [*_format_table(by_host, request.tool is not None)]
    if request.tool is None:
        found = len(by_host[HOSTS[0].name])
        without = f"; {len(names) - found} more without an example" if found < len(names) else ""
        lines.insert(0, f"what hosts read of the results of {format_count(found, 'tool')}, together{without}")
    return lines, [_build_json(host, by_host[host.name]) for host in HOSTS]


@allow_deep_recursion()
def _read_tool(out: Path, request: HostRequest, name: str) -> list[HostReading]:
    """Return what the host, or each host, reads of a tool's result; nothing if all tools are, and it has no example."""
    generated: Any = load_package(out)
    try:
        result = make_example_result(generated.RESULT_TYPES[name], generated.TOOLS[name], request.value)
    except NoExampleResult:
        if request.tool is None:
            return []
        raise
    hosts = HOSTS if request.host is None else (request.host,)
    return [read_example(result, host, request.protocol) for host in hosts]


def _format_reading(host: Host, read: HostReading) -> list[str]:
    lines = [line for item in read.reading.items for line in split_text_lines(item.text)]
    is_own = "" if host.has_own_vocabulary else "; its models' own is not public"
    counted = "characters" if read.tokens is None else f"tokens ({host.vocabulary}{is_own})"
    notes = [f"what the model reads in {host.title} {host.version}: {read.size:,} {counted}"]
    if read.is_content_only:
        notes.append("`content-only` in the settings has this host get the content alone, without an outputSchema")
    if read.omitted and host.structured_rule is not None:
        notes.append(f"not shown: {', '.join(read.omitted)}")
    if read.reading.is_doubled:
        notes.append("read twice: the text, and the structured content")
    if read.reading.is_cut:
        notes.append(f"cut: {host.results.words}")
    if host.structured_rule is None:
        notes.append(f"as far as is known; structured content: {host.structured.words}")
    return [*(lines or ["(nothing)"]), "", *notes]


def _format_table(by_host: dict[Any, list[HostReading]], is_one: bool) -> Iterator[str]:
    """Yield a table with a row for each host, about one tool, or about several together."""
    has_tokens = all(read.tokens is not None for readings in by_host.values() for read in readings)
    rows = [("host", "version", "tokens" if has_tokens else "characters", "not shown", "read twice", "cut")]
    for host in HOSTS:
        readings = by_host[host.name]
        omitted = dict.fromkeys(part for read in readings for part in read.omitted)
        parts = [part if is_one else f"{part} ({sum(part in read.omitted for read in readings)})" for part in omitted]
        parts = ["unknown"] if host.structured_rule is None else parts
        size = sum(read.size if has_tokens else len(read.reading.text) for read in readings)
        doubled, cut = sum(read.reading.is_doubled for read in readings), sum(read.reading.is_cut for read in readings)
        yes = ["-" if not count else "yes" if is_one else f"{count}" for count in (doubled, cut)]
        rows.append((host.name, host.version, f"{size:,}", ", ".join(parts) or "-", yes[0], yes[1]))
    yield from format_table(rows, (2, 4, 5))


def _build_json(host: Host, readings: Sequence[HostReading]) -> Json:
    tools: list[Json] = [
        {
            "tool": read.tool,
            "items": [{"text": item.text, "media": item.is_media} for item in read.reading.items],
            "tokens": read.tokens,
            "notShown": [*read.reading.lost],
            "readTwice": read.reading.is_doubled,
            "cut": read.reading.is_cut,
            "contentOnly": read.is_content_only,
        }
        for read in readings
    ]
    return {"host": host.name, "version": host.version, "vocabulary": host.vocabulary, "results": tools}
