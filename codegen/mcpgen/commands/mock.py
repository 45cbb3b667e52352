"""`mcpgen mock`: serve definitions without handlers, for tests of clients and agents."""

from __future__ import annotations

import glob
import os
import shutil
import signal
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import partial
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from mcpgen.cache.store import Store
from mcpgen.commands.generation import generate_packages
from mcpgen.commands.package_selection import LoadedPackages
from mcpgen.commands.watch import FileIdentity, WatchedInput, get_identity
from mcpgen.config.models import ConfiguredPackage, Limits, MockRule
from mcpgen.config.validation import explain_validation_error
from mcpgen.diagnostics import Findings, Severity, Span
from mcpgen.introspect.errors import IntrospectionError
from mcpgen.introspect.transports import select_transports
from mcpgen.learn.recordings import read_recordings
from mcpgen.mock.answers import Answers, RuleBook
from mcpgen.mock.server import HTTP_PATH, MockServer, open_socket, serve_http, serve_stdio
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
from mcpgen.schema.values import allow_deep_recursion, as_array, as_object, format_pointer
from mcpgen.targets import SDKS, SdkGeneration, get_default_wrap, get_sdk
from mcpgen.words import NameGuesser

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
    server: Any
    """What `MockServer.bind` returns."""
    rules: RuleBook
    watched: WatchedInput
    summary: str
    """The numbers of tools, resources and prompts."""


def run_mock(
    load_packages: Callable[[], LoadedPackages], request: MockRequest, store: Store, output: CommandOutput
) -> int:
    """Serve the packages until the client or the user ends it, and return the exit code."""
    with ExitStack() as stack:
        findings = Findings()
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="mcpgen-mock-")))
        if threading.current_thread() is threading.main_thread():
            previous = signal.signal(signal.SIGTERM, partial(_remove_and_exit, folder, os.getpid()))
            stack.callback(signal.signal, signal.SIGTERM, previous or signal.SIG_DFL)
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
        selected = load_packages()
        calls = read_recordings(request.recordings, selected.limits, findings)
        mock = MockServer(generation, Answers(calls, request.seed), _log_request, recording)
        loader = _Loader(mock, request, generation, folder, store, output)
        loaded = loader.load(selected, findings)
        if loaded is None or findings.failed:
            return output.finish(findings, INVALID_INPUT)
        mock.use(loaded.server, loaded.rules)
        output.finish(findings, SUCCESS)
        if opened is None:
            hint = "; it waits for a client, which starts it: use --http PORT for a URL" if sys.stdin.isatty() else ""
            output.print_remark(f"serving {loaded.summary} over stdio{hint}")
        else:  # programs read the address
            host = f"[{request.host}]" if ":" in request.host else request.host
            url = f"http://{host}:{opened.getsockname()[1]}{HTTP_PATH}"
            output.print_data([f"serving {loaded.summary} at {url}"])
        serve = partial(serve_stdio, mock) if opened is None else partial(serve_http, mock, request.host, opened)
        follow = partial(loader.follow, load_packages, loaded) if request.watch else None
        with suppress(KeyboardInterrupt):  # which ends it as the client may
            _run(serve, follow)
    return SUCCESS


def _remove_and_exit(folder: Path, owner: int, number: int, frame: object) -> None:
    """End as the signal does by itself, but leave no folder; clients end servers over stdio in this way."""
    if os.getpid() == owner:  # and not a copy of it that builds
        shutil.rmtree(folder, ignore_errors=True)
    signal.signal(number, signal.SIG_DFL)
    signal.raise_signal(number)


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
        mock: MockServer,
        request: MockRequest,
        generation: SdkGeneration,
        folder: Path,
        store: Store,
        output: CommandOutput,
    ) -> None:
        self._mock, self._request, self._folder = mock, request, folder
        self._sdk = next(sdk for sdk in SDKS if sdk.generation is generation and sdk.server_module.startswith("mcp."))
        self._store, self._output = store, output
        self._count = 0

    def load(self, selected: LoadedPackages, findings: Findings) -> _Loaded | None:
        """Build and import the packages, and read the rules; None, with findings, if something is wrong."""
        self._count += 1
        outs = [self._folder / f"package_{self._count}_{number}" for number in range(len(selected.packages))]
        configured = [self._adapt(package, out) for package, out in zip(selected.packages, outs, strict=True)]
        loaded = LoadedPackages(configured, selected.findings, selected.settings_file)
        outcomes = generate_packages(loaded, self._store, self._output, None)
        findings.extend(item for item in loaded.findings if item.severity is Severity.ERROR)  # `build` has the others
        rules = [rule for file in self._request.rules for rule in _read_rules(file, selected.limits, findings)]
        if findings.failed or not configured:
            return None
        packages: list[tuple[Any, Definitions]] = []
        everything = Definitions()
        for package, outcome in zip(configured, outcomes, strict=True):
            write_output(outcome, True)
            with allow_deep_recursion():
                definitions = read_definitions(package, Findings())
            packages.append((load_package(package.out), definitions))
            everything.extend(definitions)
            rules += _list_declared_rules(package, definitions)
        known = {form.name for form in everything.forms}
        for name in sorted({rule.form for rule in rules if rule.form is not None} - known):
            findings.error("MG302", f'a rule shows a form "{name}" that nothing defines', None, _list_forms(known))
        _warn_about_idle_rules(rules, everything, findings)
        if findings.failed:
            return None
        kinds = (("tool", everything.tools), ("resource", everything.resources), ("prompt", everything.prompts))
        summary = ", ".join(format_count(len(definitions), noun) for noun, definitions in kinds if definitions)
        try:
            book = RuleBook(rules)
        except ValueError as error:
            findings.error("MG302", f"a rule of the definitions or the settings: {error}")
            return None
        try:
            server = self._mock.bind(packages)
        except TypeError as error:
            help = "serve them one by one: name the files of one package"
            findings.error("MG203", f"the packages cannot be served together: {error}", None, help)
            return None
        return _Loaded(server, book, WatchedInput(selected.packages, outcomes), summary)

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

    async def follow(self, load_packages: Callable[[], LoadedPackages], loaded: _Loaded) -> None:
        """Build again whenever the definitions change; if they are wrong, what was served stays."""
        import anyio

        identities = self._identify(loaded)
        while True:
            await anyio.sleep(WATCH_SECONDS)
            now = await anyio.to_thread.run_sync(self._identify, loaded)
            if now == identities:
                continue
            findings = Findings()
            selected = await anyio.to_thread.run_sync(load_packages)
            changed = await anyio.to_thread.run_sync(self.load, selected, findings)
            if changed is not None:
                loaded = changed
                self._mock.use(loaded.server, loaded.rules)
                await self._mock.announce_change()
                _log_request(f"definitions changed: {loaded.summary}")
            self._output.finish(findings, INVALID_INPUT if findings.failed else SUCCESS)
            identities = now if changed is None else self._identify(loaded)

    def _identify(self, loaded: _Loaded) -> dict[str, FileIdentity]:
        rules = {str(file): get_identity(str(file)) for file in self._request.rules}
        return {**loaded.watched.get_identities(), **rules}


def _warn_about_idle_rules(rules: Iterable[MockRule], definitions: Definitions, findings: Findings) -> None:
    """Warn about rules for tools and prompts that nothing defines; URIs may be those of templates."""
    for kind, defined in (("tool", definitions.tools), ("prompt", definitions.prompts)):
        names = [definition.name for definition in defined]
        for pattern in dict.fromkeys(getattr(rule, kind) for rule in rules):
            if pattern is not None and not any(fnmatchcase(name, pattern) for name in names):
                close = NameGuesser().guess(pattern, names)
                help = f'did you mean "{close}"?' if close else ""
                findings.warn("MG308", f'a rule is for a {kind} "{pattern}" that nothing defines', None, help)


def _list_forms(names: set[str]) -> str:
    return f"the forms are {', '.join(sorted(names))}" if names else "there is no form"


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
                message, help = "must be an object" if one["type"] == "model_type" else one["msg"], ""
                if one["loc"]:
                    message, help = explain_validation_error(one, MockRule)
                *outer, name = (number, *one["loc"])
                is_unknown = one["type"] == "extra_forbidden"
                path, key = (outer, str(name)) if is_unknown else ([*outer, name], None)
                span = document.make_span(f"{pointer}{format_pointer(*path)}", key)
                findings.error("MG302", f"rule {number + 1}: {message}", span, help)
        except ValueError as error:
            place = f"{pointer}{format_pointer(number, 'schema')}"
            findings.error("MG302", f"rule {number + 1}: {error}", document.make_span(place))


def _list_declared_rules(package: ConfiguredPackage, definitions: Definitions) -> Iterator[MockRule]:
    """Yield the rules in `x-mcpgen` and in the settings, each for the definition in which it stands."""
    for tool in definitions.tools:
        table = package.settings.tools.get(tool.name)
        for rule in (*((table.mock or ()) if table else ()), *_list_own_rules(tool)):
            yield rule.model_copy(update={"tool": glob.escape(tool.name)})
    for resource in definitions.resources:
        parts = resource.template or (resource.uri,)
        pattern = "".join(glob.escape(part) if isinstance(part, str) else "*" for part in parts)
        for rule in _list_own_rules(resource):
            yield rule.model_copy(update={"resource": pattern})


def _list_own_rules(definition: ToolDefinition | ResourceDefinition) -> list[MockRule]:
    place = definition.find("/x-mcpgen/mock")
    return [] if place is None else [*map(MockRule.model_validate, as_array(place.document.find_value(place.pointer)))]
