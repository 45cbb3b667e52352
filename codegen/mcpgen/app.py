"""The pipeline, flat: read → lower → share → name → render → plan; `build` writes the plan, `check` reports it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import islice
from pathlib import Path
from typing import TypeVar

from mcpgen import config
from mcpgen.content.tools import with_templates
from mcpgen.contract import contract_hash
from mcpgen.diagnostics import Findings, Span
from mcpgen.ir import NOTHING, Package, ResourceModule, Root, ToolModule, ValueLimits
from mcpgen.literals import scalar
from mcpgen.lower.bounds import Bounds
from mcpgen.lower.protocol import ROOTS, lower_protocol, members
from mcpgen.lower.schema import Request, lower
from mcpgen.lower.share import share
from mcpgen.memory import Memory, job_key, known, known_tools, protocol_key, schemas_key, tool_keys
from mcpgen.names import RESERVED, PackageNames, allocate, class_names, class_stem, tool_module
from mcpgen.outcome import Outcome, compare, finish
from mcpgen.paths import relative
from mcpgen.read.definitions import Definitions, ProtocolSchema, ResourceDefinition, Schema, ToolDefinition
from mcpgen.read.disk import Disk, candidates
from mcpgen.read.reader import read
from mcpgen.read.wrap import says_object, wrapped_schema
from mcpgen.render import views
from mcpgen.render.expressions import Scope
from mcpgen.render.handled import items_of
from mcpgen.render.json_text import Text, written
from mcpgen.render.package import Job, jobs, other_files, render, resources_json, tools_json
from mcpgen.workers import Workers

__all__ = ["Outcome", "compare", "finish", "generate"]

A = TypeVar("A")
B = TypeVar("B")
Progress = Callable[[str, int, int], None]
"""Called with a pass's name, how much of it is done, and how much there is."""
LARGE = 100
"""Files."""
NEWEST = config.PROTOCOLS[-1]
LONGEST = 200
"""Characters in a module's name; file systems take 255 bytes in a file's name."""


def generate(package: config.Package, jobs_count: int, progress: Progress, memory: Memory | None = None) -> Outcome:
    """Everything up to the text of a package's files; nothing on disk is looked at but the input and the memory."""
    outcome = Outcome(package.folder / package.settings.out, Findings())
    disk = Disk(package.roots, package.settings.limits.file_size)
    outcome.seen = disk.seen
    try:
        with Workers(jobs_count) as workers:
            if not (memory and memory.warm) and _is_large(package):
                workers.start()
            outcome.wanted = _wanted(package, workers, progress, outcome, memory or Memory(), disk)
    except OSError as error:
        where = Span(relative(Path(error.filename or package.folder)))
        outcome.findings.error("MG001", f"cannot be read: {error.strerror or error}", where)
    return outcome


def _is_large(package: config.Package) -> bool:
    """Whether there are so many definitions that most likely several processes have to do with them."""
    roots, out = [package.folder / path for path in package.settings.schemas], package.folder / package.settings.out
    return len([*islice((path for root in roots for path in candidates(root, out)), LARGE)]) == LARGE


def named(definitions: Definitions, settings: config.PackageSettings, jobs_count: int) -> tuple[Package, PackageNames]:
    """The IR of what would be generated and its names, for `diff`; what would be said about it is left unsaid."""
    unsaid, memory = Findings(), Memory()

    def unseen(name: str, done: int, total: int) -> None:
        pass

    with Workers(jobs_count) as workers:
        modules = _lowered(definitions, settings, workers, unseen, unsaid, memory)
        payloads = _payloads(definitions.resources, settings, workers, unseen, unsaid, memory)
    tools, resources, shared = share(modules, payloads)
    ir = Package(tuple(tools), tuple(resources), tuple(shared), settings.sdk, settings.protocol)
    return ir, allocate(ir)[0]


def _wanted(
    package: config.Package, workers: Workers, progress: Progress, outcome: Outcome, memory: Memory, disk: Disk
) -> dict[str, str] | None:
    """The text of every file, by its path in the output folder; None: the input is wrong."""
    findings, settings = outcome.findings, package.settings
    progress("reading", 0, 1)
    definitions = read(
        [package.folder / path for path in settings.schemas], package, findings, disk, memory.earlier(outcome.out)
    )
    _checked_names(definitions, findings)
    if not findings.failed and not definitions.tools and not definitions.resources:
        for path in settings.schemas:
            where = Span(relative(package.folder / path))
            findings.error("MG007", "no tool or resource is defined here", where, "see the README for a first schema")
    if findings.failed:
        _early_clashes(definitions, findings)
        return None
    modules = _lowered(definitions, settings, workers, progress, findings, memory)
    payloads = _payloads(definitions.resources, settings, workers, progress, findings, memory)
    tools, resources, shared = share(modules, payloads)
    extras = ("azure",) if settings.azure else ()
    limits = ValueLimits(settings.limits.value_depth, settings.limits.pattern_length, settings.limits.pattern_steps)
    ir = Package(tuple(tools), tuple(resources), tuple(shared), settings.sdk, settings.protocol, extras, limits)
    names, clashes = allocate(ir, memory)
    for clash in clashes:
        _report_clash(clash.first, clash.second, clash.python, definitions, findings)
    keys = outcome.keys
    if memory.on:
        keys |= tool_keys(ir, names, definitions.tools, memory) | {
            "protocol.py": protocol_key(ir, definitions.protocols)
        }
    texts = known(memory, keys)
    ir = replace(ir, tools=tuple(with_templates(tools, definitions.tools, shared, findings, known_tools(names, texts))))
    if findings.failed:
        return None
    contracts = {one.name: memory.once("contract", contract_hash, one.tool) for one in definitions.tools}
    made = jobs(ir, names, partial(_protocol_job, ir, definitions.protocols), contracts)
    todo = {path: make for path, make in made.items() if path not in texts}
    wanted = texts | _rendered(todo, keys, workers, progress, memory)
    declared = [memory.once("tool", written, one.tool) for one in definitions.tools]
    wanted["tools.json"] = tools_json(declared, _wrapped(definitions.tools, memory))
    wanted["resources.json"] = resources_json(definitions.resources)
    wanted |= other_files()
    outcome.tools, outcome.classes = len(tools), _count(names)
    outcome.unchosen = sum(
        one.content == "json" and not chosen.choices.content_chosen and one.output is not None
        for one, chosen in zip(tools, definitions.tools, strict=True)
    )
    return wanted


# --- lower -----------------------------------------------------------------------------------------------------------
def _lowered(
    definitions: Definitions,
    settings: config.PackageSettings,
    workers: Workers,
    progress: Progress,
    findings: Findings,
    memory: Memory,
) -> list[ToolModule]:
    roots = _roots([_requests(tool, settings) for tool in definitions.tools], workers, progress, memory)
    modules: list[ToolModule] = []
    for tool, lowered in zip(definitions.tools, roots, strict=True):
        output = lowered[1] if tool.output is not None else None
        for side, root in (("inputSchema", lowered[0]), ("outputSchema", output)):
            for at, note in root.notes if root is not None else ():
                findings.note("MG107", f'tool "{tool.name}": {note}', tool.place(side, at))
        module = memory.once("module", _tool, tool, lowered[0], output)
        if tool.choices.content_chosen:
            _check_content(module, tool, settings.sdk, findings)
        modules.append(module)
    return modules


def _roots(requests: list[list[Request]], workers: Workers, progress: Progress, memory: Memory) -> list[list[Root]]:
    """The IR of each module's schemas, lowered where it is not remembered."""
    keys = [schemas_key(one, memory) for one in requests] if memory.on else []
    found: list[list[Root] | None] = [memory.roots(key) for key in keys] or [None] * len(requests)
    missing = [index for index, roots in enumerate(found) if roots is None]
    lowered = workers.map(lower, [requests[index] for index in missing])
    for done, (index, roots) in enumerate(zip(missing, lowered, strict=True), 1):
        found[index] = roots
        if memory.on:
            memory.keep_roots(keys[index], roots)
        progress("lowering", done, len(missing))
    return [roots for roots in found if roots is not None]


def _check_content(module: ToolModule, tool: ToolDefinition, sdk: str, findings: Findings) -> None:
    """Content as items needs an array, as binary data the data's type, as an SDK's decorators have it an SDK."""
    if module.content == "items" and (module.output is None or items_of(module.output) is None):
        message = f'the content of tool "{tool.name}" is "items", but its result is no array'
        findings.error("MG509", message, tool.span, 'the outputSchema\'s root has to say `"type": "array"`')
    if module.content == "sdk" and sdk == "none":
        message = f'the content of tool "{tool.name}" is "sdk", but the package is for none'
        findings.error("MG509", message, tool.span, 'say which in the settings, such as `sdk = "mcp"`, or with --sdk')
    if module.content == "binary" and (module.output is None or module.output.media_type is None):
        message = f'the content of tool "{tool.name}" is "binary", but its result is no binary data'
        help = 'the outputSchema\'s root has to be a string with `"contentEncoding": "base64"` and a `contentMediaType`'
        findings.error("MG509", message, tool.span, help)


def _requests(tool: ToolDefinition, settings: config.PackageSettings) -> list[Request]:
    out = [_request("input", tool.input, tool.class_names, settings)]
    if tool.output is not None:
        out.append(_request("output", tool.output, tool.class_names, settings))
    return out


def _request(side: str, schema: Schema, names: dict[str, str], settings: config.PackageSettings) -> Request:
    start = f"#{side}"
    chosen = tuple((key.removeprefix(start), name) for key, name in names.items() if key.startswith(start))
    limits = settings.limits
    bounds = Bounds(limits.classes, limits.members, limits.unfolding)
    return Request(side, schema, chosen, settings.formats == "native", bounds, limits.seconds)


def _payloads(
    resources: Sequence[ResourceDefinition],
    settings: config.PackageSettings,
    workers: Workers,
    progress: Progress,
    findings: Findings,
    memory: Memory,
) -> list[ResourceModule]:
    typed = [(one, one.payload) for one in resources if one.payload is not None]
    requests = [[_request("resource", schema, one.class_names, settings)] for one, schema in typed]
    lowered = _roots(requests, workers, progress, memory)
    roots = {one.name: root for (one, _), (root,) in zip(typed, lowered, strict=True)}
    for one, _ in typed:
        for at, note in roots[one.name].notes:
            findings.note("MG107", f'resource "{one.name}": {note}', one.place(at))
    return [_resource(one, roots.get(one.name)) for one in resources]


def _tool(tool: ToolDefinition, given: Root, output: Root | None) -> ToolModule:
    wrapped = "never"
    if tool.output is not None and not says_object(tool.output.value):
        wrapped = tool.choices.wrap or "legacy"
    description = tool.tool.get("description")
    return ToolModule(
        wire=tool.name,
        origin=tool.origin,
        description=description if isinstance(description, str) else "",
        output=output,
        input=given,
        content=_content(tool, output),
        audience=tool.choices.audience,
        priority=tool.choices.priority,
        wrapped=wrapped,
        python=tool.choices.name,
    )


def _content(tool: ToolDefinition, output: Root | None) -> str:
    """The content strategy: the chosen one, else an image or audio block for a root that is one, else JSON."""
    media_type = None if output is None else output.media_type
    if not tool.choices.content_chosen and media_type is not None and media_type.startswith(("image/", "audio/")):
        return "binary"
    return tool.choices.content


def _wrapped(tools: Sequence[ToolDefinition], memory: Memory) -> dict[str, Text]:
    wrapped = {one.name: memory.once("wrapped", _wrapped_tool, one) for one in tools}
    return {name: text for name, text in wrapped.items() if text is not None}


def _wrapped_tool(tool: ToolDefinition) -> Text | None:
    """When a result is wrapped, and the outputSchema that it has then; None: it need never be."""
    if tool.output is None or says_object(tool.output.value):
        return None
    schema = wrapped_schema(tool.output.value, tool.output.dialect)
    return written({"when": tool.choices.wrap or "legacy", "outputSchema": schema})


def _resource(one: ResourceDefinition, payload: Root | None = None) -> ResourceModule:
    def text(key: str) -> str | None:
        value = one.resource.get(key)
        return value if isinstance(value, str) else None

    return ResourceModule(
        wire=one.name,
        origin=one.origin,
        description=text("description") or "",
        uri=text("uri"),
        uri_template=text("uriTemplate"),
        template=one.template,
        mime_type=text("mimeType"),
        payload=payload,
        ttl_ms=one.choices.ttl_ms,
        cache_scope=one.choices.cache_scope,
        python=one.choices.name,
    )


# --- name ------------------------------------------------------------------------------------------------------------
def _checked_names(definitions: Definitions, findings: Findings) -> None:
    for kind, entries in (("tool", definitions.tools), ("resource", definitions.resources)):
        for one in entries:
            help = 'choose a Python name: "x-mcpgen": {"name": "…"}, or `name` in the settings'
            module = tool_module(one.name, one.choices.name)
            if not module or not class_stem(one.name, one.choices.name):
                findings.error("MG202", f'the {kind} name "{one.name}" holds no ASCII letter', one.span, help)
            elif len(module) > LONGEST:
                message = f'the {kind} name "{one.name[:40]}…" is too long for a file'
                findings.error("MG202", message, one.span, help)


def _early_clashes(definitions: Definitions, findings: Findings) -> None:
    """Names that fall together, when other errors keep the schemas from being lowered."""
    tools = tuple(_tool(one, NOTHING, None) for one in definitions.tools)
    resources = tuple(_resource(one) for one in definitions.resources)
    for clash in allocate(Package(tools, resources, (), "none", None))[1]:
        _report_clash(clash.first, clash.second, clash.python, definitions, findings)


def _report_clash(first: str, second: str, python: str, definitions: Definitions, findings: Findings) -> None:
    spans = {f'tool "{one.name}"': one.span for one in definitions.tools}
    spans |= {f'resource "{one.name}"': one.span for one in definitions.resources}
    other = spans.get(first)
    where = f" ({other.file}:{other.line})" if other is not None else ""
    findings.error(
        "MG201",
        f"{second} and {first}{where} are both {python} in Python",
        spans.get(second),
        'give one of them another Python name: "x-mcpgen": {"name": "…"}, or `name` in the settings',
    )


def _count(names: PackageNames) -> int:
    tools = sum(len({*one.nested.values(), one.result, one.arguments}) for one in names.tools.values())
    resources = sum(len({*one.nested.values(), one.name}) for one in names.resources.values())
    return len(names.shared) + resources + tools


# --- render ----------------------------------------------------------------------------------------------------------
def _rendered(
    todo: Mapping[str, Callable[[], Job]], keys: dict[str, str], workers: Workers, progress: Progress, memory: Memory
) -> dict[str, str]:
    """The text of each file, rendered where it is not remembered; `keys` are those of files that have one already."""
    texts: dict[str, str] = {}

    def missing() -> Iterator[Job]:
        """One job after the other, as what each needs is much."""
        for path, make in todo.items():
            job = make()
            if memory.on and path not in keys:
                keys[path] = job_key(job)
                if (text := memory.text(keys[path])) is not None:
                    texts[path] = text
                    continue
            yield job

    for path, text in workers.map(_path_and_text, missing()):
        texts[path] = text
        if memory.on:
            memory.keep_text(keys[path], text)
        progress("rendering", len(texts), len(todo))
    return texts


def _path_and_text(job: Job) -> tuple[str, str]:
    return job.path, render(job)


def _protocol_job(package: Package, protocols: dict[str, ProtocolSchema]) -> Job:
    generation = config.GENERATIONS[package.sdk]
    default = scalar(package.protocol or ("2025-11-25" if generation == "mcp1" else NEWEST))
    if generation is not None:
        return Job("protocol.py", f"protocol_{generation}.py.j2", "", {"default": default})
    root = lower_protocol(protocols)
    types = members(root)
    nodes = [node for node in root.nodes if node.pointer != ""]
    names = class_names(nodes, {}, (), RESERVED - set(ROOTS))
    scope = Scope(names, {node.id: node for node in nodes})
    unions = [{"name": name, "type": scope.annotation(types[name])} for name in ROOTS if name not in names.values()]
    values = {"default": default, "module": views.body(nodes, scope, {}), "unions": unions}
    return Job("protocol.py", "protocol_none.py.j2", "the MCP schemas", values, ".", frozenset(), True)
