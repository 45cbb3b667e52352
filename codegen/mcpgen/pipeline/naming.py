"""Name what was lowered."""

from __future__ import annotations

from mcpgen.cache.memory import Memory
from mcpgen.config.models import PackageSettings
from mcpgen.diagnostics import Findings
from mcpgen.ir.package import ANY_ROOT, Package
from mcpgen.lower.shared_types import share_types
from mcpgen.names.allocator import PackageNames, allocate_names
from mcpgen.names.identifiers import make_class_stem, make_module_name
from mcpgen.pipeline.lowering import assemble_tool, lower_resource, lower_resources, lower_tools
from mcpgen.read.definitions import Definitions
from mcpgen.workers import Workers

MAX_NAME_LENGTH = 200
"""Characters in a module's name; file systems take 255 bytes in a file's name."""


def lower_and_name(
    definitions: Definitions, settings: PackageSettings, jobs_count: int
) -> tuple[Package, PackageNames]:
    """The IR of what would be generated and its names, for `diff`; what would be said about it is left unsaid."""
    unsaid, memory = Findings(), Memory()

    def unseen(name: str, done: int, total: int) -> None:
        pass

    with Workers(jobs_count) as workers:
        modules = lower_tools(definitions, settings, workers, unseen, unsaid, memory)
        payloads = lower_resources(definitions.resources, settings, workers, unseen, unsaid, memory)
    tools, resources, shared = share_types(modules, payloads)
    ir = Package(tuple(tools), tuple(resources), tuple(shared), settings.sdk, settings.protocol)
    return ir, allocate_names(ir)[0]


def check_names(definitions: Definitions, findings: Findings) -> None:
    """Report tools and resources whose names cannot become Python names."""
    for kind, entries in (("tool", definitions.tools), ("resource", definitions.resources)):
        for one in entries:
            help = 'choose a Python name: "x-mcpgen": {"name": "…"}, or `name` in the settings'
            module = make_module_name(one.name, one.choices.name)
            if not module or not make_class_stem(one.name, one.choices.name):
                findings.error("MG202", f'the {kind} name "{one.name}" holds no ASCII letter', one.span, help)
            elif len(module) > MAX_NAME_LENGTH:
                message = f'the {kind} name "{one.name[:40]}…" is too long for a file'
                findings.error("MG202", message, one.span, help)


def report_early_clashes(definitions: Definitions, findings: Findings) -> None:
    """Names that fall together, when other errors keep the schemas from being lowered."""
    tools = tuple(assemble_tool(one, ANY_ROOT, None) for one in definitions.tools)
    resources = tuple(lower_resource(one) for one in definitions.resources)
    for clash in allocate_names(Package(tools, resources, (), "none", None))[1]:
        report_clash(clash.first, clash.second, clash.python, definitions, findings)


def report_clash(first: str, second: str, python: str, definitions: Definitions, findings: Findings) -> None:
    """Report that two definitions get the same Python name."""
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


def count_classes(names: PackageNames) -> int:
    """Count the classes of a package."""
    tools = sum(len({*one.nested.values(), one.result, one.arguments}) for one in names.tools.values())
    resources = sum(len({*one.nested.values(), one.name}) for one in names.resources.values())
    return len(names.shared) + resources + tools
