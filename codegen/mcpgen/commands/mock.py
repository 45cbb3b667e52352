"""`mcpgen mock`: serve definitions without handlers, for tests of clients and agents."""

from __future__ import annotations

import glob
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from mcpgen.cache.store import Store
from mcpgen.commands.generation import generate_packages
from mcpgen.commands.package_selection import LoadedPackages
from mcpgen.commands.watch import WatchedInput
from mcpgen.config.models import ConfiguredPackage, Limits, MockRule
from mcpgen.config.validation import explain_validation_error
from mcpgen.diagnostics import Findings, Severity, Span
from mcpgen.introspect.errors import IntrospectionError
from mcpgen.introspect.transports import select_transports
from mcpgen.learn.recordings import read_recordings
from mcpgen.mock.answers import Answers, RuleBook
from mcpgen.mock.server import HTTP_PATH, MockedPackage, MockServer, open_socket, serve_http, serve_stdio
from mcpgen.paths import format_path
from mcpgen.pipeline.outcome import write_output
from mcpgen.prove.package_loader import load_package
from mcpgen.read.definitions import Definitions, ResourceDefinition, ToolDefinition
from mcpgen.read.loader import read_definitions
from mcpgen.read.parse import load_document
from mcpgen.report.exit_codes import INVALID_INPUT, SUCCESS
from mcpgen.report.output import CommandOutput
from mcpgen.report.text import format_count
from mcpgen.report.visible import format_lines
from mcpgen.schema.values import Json, allow_deep_recursion, as_object, format_pointer
from mcpgen.targets import SDKS, SdkGeneration, get_default_wrap, get_sdk

WATCH_SECONDS = 0.3
"""Seconds between two looks at the definitions."""


@dataclass(frozen=True)
class MockRequest:
    """How definitions are served."""

    port: int | None = None
    """Port for HTTP, 0 for a free one; None: over stdio."""
    host: str = "127.0.0.1"
    rules: tuple[Path, ...] = ()
    recordings: tuple[Path, ...] = ()
    seed: int = 0
    record: Path | None = None
    """File that gets the calls of tools and their results."""
    watch: bool = False
    """Whether the server follows the definitions."""


@dataclass(frozen=True)
class _Loaded:
    packages: list[MockedPackage]
    rules: RuleBook
    watched: WatchedInput


def run_mock(
    load_packages: Callable[[], LoadedPackages], request: MockRequest, store: Store, output: CommandOutput
) -> int:
    """Serve the packages until the client or the user ends it, and return the exit code."""
    with ExitStack() as stack:
        findings = Findings()
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="mcpgen-mock-")))
        try:
            generation = select_transports().generation
            opened = None if request.port is None else stack.enter_context(open_socket(request.host, request.port))
            recording = (
                None if request.record is None else stack.enter_context(request.record.open("a", encoding="utf-8"))
            )
        except IntrospectionError as error:
            message = "no MCP SDK is installed, and serving takes one"
            findings.error(error.code, message, None, error.help)
            return output.finish(findings, INVALID_INPUT)
        except OSError as error:
            place = Span(format_path(request.record)) if error.filename and request.record else None
            what = f"{request.host}:{request.port}: " if place is None else ""
            findings.error("MG404" if place else "MG704", f"{what}cannot be opened: {error.strerror or error}", place)
            return output.finish(findings, INVALID_INPUT)
        loader = _Loader(load_packages, request, generation, folder, store, output)
        loaded = loader.load(findings)
        calls = read_recordings(request.recordings, loader.limits, findings)
        mock = MockServer(generation, Answers(calls, request.seed), _log_request, recording)
        if loaded is None or findings.failed or not loader.use(mock, loaded, findings):
            return output.finish(findings, INVALID_INPUT)
        output.finish(findings, SUCCESS)
        if opened is None:
            output.print_remark(loader.describe(loaded, None))
        else:  # programs read the address
            output.print_data([loader.describe(loaded, opened.getsockname()[1])])
        serve = partial(serve_stdio, mock) if opened is None else partial(serve_http, mock, request.host, opened)
        follow = partial(loader.follow, mock, loaded) if request.watch else None
        with suppress(KeyboardInterrupt):  # which ends it as the client may
            _run(serve, follow)
    return SUCCESS


def _run(serve: Callable[[], Any], follow: Callable[[], Any] | None) -> None:
    import anyio

    async def serve_and_follow() -> None:
        async with anyio.create_task_group() as group:
            if follow is not None:
                group.start_soon(follow)
            await serve()
            group.cancel_scope.cancel()

    anyio.run(serve_and_follow)


def _log_request(line: str) -> None:
    sys.stderr.write(format_lines([f"{time.strftime('%H:%M:%S')} {line}"]))
    sys.stderr.flush()


class _Loader:
    """Builds the definitions, and does so again when they change."""

    def __init__(
        self,
        load_packages: Callable[[], LoadedPackages],
        request: MockRequest,
        generation: SdkGeneration,
        folder: Path,
        store: Store,
        output: CommandOutput,
    ) -> None:
        self._load_packages, self._request, self._folder = load_packages, request, folder
        self._sdk = next(sdk for sdk in SDKS if sdk.generation is generation and sdk.server_module.startswith("mcp."))
        self._store, self._output = store, output
        self._count = 0
        self.limits = Limits.model_validate({})

    def load(self, findings: Findings) -> _Loaded | None:
        """Build and import the packages, and read the rules; None, with findings, if something is wrong."""
        selected = self._load_packages()
        self.limits = selected.limits
        self._count += 1
        outs = [self._folder / f"package_{self._count}_{number}" for number in range(len(selected.packages))]
        configured = [self._adapt(package, out) for package, out in zip(selected.packages, outs, strict=True)]
        loaded = LoadedPackages(configured, selected.findings, selected.settings_file)
        outcomes = generate_packages(loaded, self._store, self._output, None)
        findings.extend(item for item in loaded.findings if item.severity is Severity.ERROR)  # `build` has the others
        rules = [rule for file in self._request.rules for rule in _read_rules(file, self.limits, findings)]
        if findings.failed or not configured:
            return None
        packages: list[MockedPackage] = []
        for package, outcome in zip(configured, outcomes, strict=True):
            write_output(outcome, True)
            with allow_deep_recursion():
                definitions = read_definitions(package, Findings())
            packages.append(MockedPackage(load_package(package.out), definitions))
            rules += _list_declared_rules(package, definitions)
        try:
            book = RuleBook(rules)
        except ValueError as error:
            findings.error("MG302", f"a rule of the definitions or the settings: {error}")
            return None
        return _Loaded(packages, book, WatchedInput(selected.packages, outcomes))

    def _adapt(self, package: ConfiguredPackage, out: Path) -> ConfiguredPackage:
        """Return a package for the installed SDK, in a folder of its own, that answers as the user's one does."""
        settings = package.settings
        changes: dict[str, object] = {
            "sdk": self._sdk.name,
            "out": str(out),
            "wrap": settings.wrap or get_default_wrap(get_sdk(settings.sdk)),
            "runtime": "installed",
            **dict.fromkeys(("client", "testing", "stubs", "azure"), False),
        }
        return package.model_copy(update={"settings": settings.model_copy(update=changes)})

    def use(self, mock: MockServer, loaded: _Loaded, findings: Findings) -> bool:
        """Let the server answer for the packages; return whether it can."""
        try:
            mock.use(loaded.packages, loaded.rules)
        except TypeError as error:
            help = "serve them one by one: name the files of one package"
            findings.error("MG203", f"the packages cannot be served together: {error}", None, help)
            return False
        return True

    async def follow(self, mock: MockServer, loaded: _Loaded) -> None:
        """Build again whenever the definitions change; if they are wrong, what was served stays."""
        import anyio

        identities = self._identify(loaded)
        while True:
            await anyio.sleep(WATCH_SECONDS)
            now = await anyio.to_thread.run_sync(self._identify, loaded)
            if now == identities:
                continue
            findings = Findings()
            changed = await anyio.to_thread.run_sync(self.load, findings)
            if changed is not None and self.use(mock, changed, findings):
                loaded = changed
                await mock.announce_change()
                _log_request(f"definitions changed: {self.describe(loaded, None, is_short=True)}")
            self._output.finish(findings, INVALID_INPUT if findings.failed else SUCCESS)
            identities = now if changed is None else self._identify(loaded)

    def _identify(self, loaded: _Loaded) -> dict[str, str | None]:
        rules = {str(file): _stamp(file) for file in self._request.rules}
        return {**loaded.watched.get_identities(), **rules}

    def describe(self, loaded: _Loaded, port: int | None, is_short: bool = False) -> str:
        """Return what is served, and where."""
        everything = [package.definitions for package in loaded.packages]
        counts = [
            format_count(count, noun)
            for noun, count in (
                ("tool", sum(len(one.tools) for one in everything)),
                ("resource", sum(len(one.resources) for one in everything)),
                ("prompt", sum(len(one.prompts) for one in everything)),
            )
            if count
        ]
        served = ", ".join(counts)
        if is_short:
            return served
        if port is None:
            hint = "; it waits for a client, which starts it: use --http PORT for a URL" if sys.stdin.isatty() else ""
            return f"serving {served} over stdio{hint}"
        host = f"[{self._request.host}]" if ":" in self._request.host else self._request.host
        return f"serving {served} at http://{host}:{port}{HTTP_PATH}"


def _stamp(file: Path) -> str | None:
    try:
        status = file.stat()
    except OSError:
        return None
    return f"{status.st_ino} {status.st_size} {status.st_mtime_ns}"


# --- rules -----------------------------------------------------------------------------------------------------------
def _read_rules(file: Path, limits: Limits, findings: Findings) -> Iterator[MockRule]:
    """Yield the rules of a file: a list, or the member `rules` of an object."""
    document = load_document(file, format_path(file), findings, limits)
    if document is None:
        return
    pointer = "/rules" if isinstance(document.value, dict) else ""
    rules = as_object(document.value).get("rules") if pointer else document.value
    if not isinstance(rules, list):
        help = 'write [{"tool": "get_weather", "error": "no such city"}]'
        findings.error(
            "MG302", "a file of rules is a list of them, or has the member `rules`", document.make_span(), help
        )
        return
    for number, value in enumerate(rules):
        try:
            rule = MockRule.model_validate(value)
            RuleBook([rule])
            yield rule
        except ValidationError as error:
            for one in error.errors():
                message, help = explain_validation_error(one, MockRule) if one["loc"] else (_strip(one["msg"]), "")
                *outer, name = (number, *one["loc"])
                is_unknown = one["type"] == "extra_forbidden"
                path, key = (outer, str(name)) if is_unknown else ([*outer, name], None)
                span = document.make_span(f"{pointer}{format_pointer(*path)}", key)
                findings.error("MG302", f"rule {number + 1}: {message}", span, help)
        except ValueError as error:
            place = f"{pointer}{format_pointer(number, 'schema')}"
            findings.error("MG302", f"rule {number + 1}: {error}", document.make_span(place))


def _strip(message: str) -> str:
    return "must be an object" if message.startswith("Input should be") else message


def _list_declared_rules(package: ConfiguredPackage, definitions: Definitions) -> Iterator[MockRule]:
    """Yield the rules in `x-mcpgen` and in the settings, each for the definition in which it stands."""
    typed: list[ToolDefinition | ResourceDefinition] = [*definitions.tools, *definitions.resources]
    for definition in typed:
        is_tool = isinstance(definition, ToolDefinition)
        table = package.settings.tools.get(definition.name) if is_tool else None
        subject = {"tool": _escape(definition.name)} if is_tool else {"resource": _make_uri_pattern(definition)}
        for rule in (*((table.mock or ()) if table else ()), *_list_own_rules(definition)):
            yield rule.model_copy(update=subject)


def _list_own_rules(definition: ToolDefinition | ResourceDefinition) -> Sequence[MockRule]:
    place = definition.find("/x-mcpgen/mock")
    value: Json = place.document.find_value(place.pointer) if place is not None and place.exists() else None
    return [MockRule.model_validate(rule) for rule in value] if isinstance(value, list) else []


def _make_uri_pattern(definition: Any) -> str:
    if not definition.template:
        return _escape(definition.uri)
    return "".join(_escape(part) if isinstance(part, str) else "*" for part in definition.template)


def _escape(text: str) -> str:
    """Return a pattern that fits a text alone."""
    return glob.escape(text)
