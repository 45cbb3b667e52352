"""A named package to the text of all its files."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cache, partial
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from mcpgen import paths
from mcpgen.config import GENERATIONS
from mcpgen.ir import Node, ObjectClass, Package, ResourceModule, Root, ToolModule, holds_null
from mcpgen.literals import Literal, comment, docstring, scalar
from mcpgen.names import RESOURCE_METHODS, PackageNames, ResourceNames, root_class
from mcpgen.read.definitions import ResourceDefinition
from mcpgen.render import calls, handled, source, views
from mcpgen.render.expressions import Scope
from mcpgen.render.json_text import Text, array, members, written
from mcpgen.render.resources import values_of
from mcpgen.render.statements import text_method

ALL = "the definitions"
STATIC = (
    "answer applicators base blocks contents copies deep errors exact explain handled json_schema jsonable lazy "
    "lenient panics plain readers references resource_runtime runtime uris violations"
).split()
"""Modules that are the same in every package."""
GLUE = "binding calling contract".split()
"""Modules that are the same in every package for an SDK."""
_TEXTS = {"mcp1": "mcp"}
"""SDKs whose decorators write a value's text as another's do."""


@dataclass(frozen=True)
class Job:
    """A file to render: picklable, so that any worker process can do it."""

    path: str
    template: str
    origin: str
    values: dict[str, Any]
    dots: str = "."
    shared: frozenset[str] = frozenset()
    fills_imports: bool = False


@cache
def _environment() -> Environment:
    return Environment(
        loader=FileSystemLoader(paths.shipped("templates")),
        undefined=StrictUndefined,
        autoescape=False,
        keep_trailing_newline=True,
    )


def render(job: Job) -> str:
    """The text of one file."""
    if not job.template.endswith(".j2"):
        text = (paths.shipped("templates") / job.template).read_text("utf-8")
        return source.with_header(text, job.origin)  # kept in black's style as it is
    template = _environment().get_template(job.template)
    if job.fills_imports:
        bare = template.render(**job.values, imports="")
        text = template.render(**job.values, imports=source.imports(bare, job.dots, set(job.shared)))
    else:
        text = template.render(**job.values)
    return source.with_header(source.formatted(text), job.origin)


def jobs(
    package: Package, names: PackageNames, protocol: Callable[[], Job], contracts: Mapping[str, str]
) -> dict[str, Callable[[], Job]]:
    """How to make the job of every Python file of a package, by path; `contracts` are the hashes of its tools'."""
    shared = {node.id: node for node in package.shared}
    out = [*STATIC, *package.extras]
    if any(tool.template is not None for tool in package.tools):
        out.append("text")
    todo: dict[str, Callable[[], Job]] = {f"{name}.py": _static(name) for name in out}
    todo["protocol.py"] = protocol
    todo["limits.py"] = partial(Job, "limits.py", "limits.py.j2", "", asdict(package.limits))
    for tool in package.tools:
        todo[names.tools[tool.wire].path] = partial(_tool, tool, names, shared)
    for one in package.resources:
        own = names.resources[one.wire]
        todo[own.path] = partial(_resource, one, own, shared, names.shared)
    if shared:
        scope = Scope(names.shared, shared, names.shared_twins)
        todo["types.py"] = partial(_types, package.shared, scope)
    for folder, filled in (("tools", package.tools), ("resources", package.resources)):
        if filled:
            path = f"{folder}/__init__.py"
            todo[path] = partial(Job, path, "folder.py.j2", "", {"folder": folder})
    if package.sdk != "none":
        todo |= _glue(package, names, contracts)
    return todo | {"__init__.py": partial(_init, package, names)}


def _static(name: str, template: str | None = None) -> Callable[[], Job]:
    return partial(Job, f"{name}.py", f"{template or name}.py", "", {})


def _glue(package: Package, names: PackageNames, contracts: Mapping[str, str]) -> dict[str, Callable[[], Job]]:
    """The modules that bind handlers to the SDK's server, and call tools over its sessions."""
    generation = GENERATIONS[package.sdk]
    made = {name: _static(name) for name in GLUE}
    made |= {name: _static(name, f"{name}_{generation}") for name in ("requests", "session")}
    made["glue"] = _static("glue", f"glue_{package.sdk}")
    if any(tool.content == "sdk" and tool.output is not None for tool in package.tools):
        made["sdk_text"] = _static("sdk_text", f"sdk_text_{_TEXTS.get(package.sdk, package.sdk)}")
    made["server"] = lambda: _listing("server", calls.server_values(package, names))
    made["client"] = lambda: _listing("client", calls.client_values(package, names, contracts))
    return {f"{name}.py": make for name, make in made.items()}


def _listing(name: str, values: dict[str, Any]) -> Job:
    """A module that speaks of every tool."""
    return Job(f"{name}.py", f"{name}.py.j2", ALL, values, ".", frozenset(), True)


# --- tools -----------------------------------------------------------------------------------------------------------
def _tool(tool: ToolModule, package: PackageNames, shared: dict[str, Node]) -> Job:
    names = package.tools[tool.wire]
    roots = [root for root in (tool.output, tool.input) if root is not None]
    nodes = [node for root in roots for node in root.nodes]
    by_id = {**shared, **{node.id: node for node in nodes}}
    scope = Scope({**package.shared, **names.nested}, by_id, {**package.shared_twins, **names.twins})
    output = tool.output
    steps = None if output is None else handled.normalize(output, names.result, scope)
    own = None if output is None else root_class(output)
    checked = output is not None and bool(output.checks)
    bases = ("Checked",) if checked else ("ToolResult",)
    described = {
        node.id: node for node in (root_class(root) for root in roots) if node is not None and not node.description
    }
    text = {own.id: f"The result of the tool `{tool.wire}`."} if own is not None else {}
    arguments = root_class(tool.input)
    if arguments is not None:
        text[arguments.id] = f"The arguments of the tool `{tool.wire}`."
    filled = [_described(node, text[node.id]) if node.id in described else node for node in nodes]
    values: dict[str, Any] = {
        "doc": docstring(_headline(tool), 0),
        "module": views.body(_arguments_last(filled, arguments), scope, {} if own is None else {own.id: bases}),
        "result": names.result,
        "arguments": names.arguments,
        "info": _info(tool, steps, by_id),
        "content": _content(tool, scope),
        "normalize": steps,
        "twins": [] if output is None else handled.twins(output.nodes, scope),
        "root": None,
    }
    if own is None:
        values["root"] = _root(tool, output, scope, bases)
    imported = frozenset((*package.shared.values(), *package.shared_twins.values()))
    origin = tool.origin if tool.template is None else f"{tool.origin} and {tool.template.origin}"
    return Job(names.path, "tool.py.j2", origin, values, "..", imported, True)


def _headline(tool: ToolModule) -> str:
    first = tool.description.strip().split("\n")[0].strip()
    return f"Tool `{tool.wire}`: {first}" if first else f"Tool `{tool.wire}`."


def _described(node: Node, text: str) -> Node:
    return replace(node, description=text) if isinstance(node, ObjectClass) else node


def _arguments_last(nodes: Iterable[Node], arguments: ObjectClass | None) -> list[Node]:
    found = list(nodes)
    if arguments is None:
        return found
    return [n for n in found if n.id != arguments.id] + [n for n in found if n.id == arguments.id]


def _info(tool: ToolModule, steps: handled.NormalizeView | None, nodes: Mapping[str, Node]) -> dict[str, Any]:
    words = [str(scalar(tool.wire))]
    if tool.wrapped != "never":
        words.append(f"wrapped={scalar(tool.wrapped)}")
    if tool.output is not None:
        if views.is_string(tool.output.type):
            words.append("raw_text=True")
        if tool.content == "binary":
            words.append("binary=True")
        if holds_null(tool.output.type, nodes):
            words.append("nulls=True")
    if steps is not None:
        if not steps.pairs:
            words.append("pairs=False")
        if steps.wrapper:
            words.append("bare=True")
    if tool.template is not None and tool.wrapped == "legacy":
        words.append("beside=True")
    if tool.output is None or tool.content != "json" or tool.audience or tool.priority is not None:
        words.append("json_text=False")
    if tool.content == "sdk" and tool.output is None:
        words.append("as_sdk=True")
    if tool.input.checks:
        words.append("checks_input=True")
    checks = ", ".join(tool.output.checks) if tool.output is not None else ""
    return {"source": Literal(f"ToolInfo({', '.join(words)})"), "checks": comment(checks) if checks else None}


def _content(tool: ToolModule, scope: Scope) -> dict[str, Literal] | None:
    """The statements of `to_content` and the blocks that it returns."""
    if tool.output is None:
        return None
    statements, text = Literal(""), "self.root" if views.is_string(tool.output.type) else "self._json_text()"
    if tool.template is not None:
        statements, made = text_method(tool.template, scope)
        text = made.source
    match tool.content:
        case "none":
            blocks = "[]"
        case "items":
            blocks = f"item_blocks({_block_words(tool, handled.items_of(tool.output) or '')})"
        case "sdk":
            value = handled.inner_of(tool.output)
            blocks = f"sdk_blocks({_block_words(tool, value)})"
        case "binary":
            media_type = str(scalar(tool.output.media_type))
            blocks = f"[binary_block({_block_words(tool, 'self.to_structured_content()', media_type)})]"
        case _:
            blocks = f"[text_block({_block_words(tool, text)})]"
    return {"statements": statements, "blocks": Literal(blocks)}


def _block_words(tool: ToolModule, *words: str) -> str:
    """The arguments of a block's builder: `words`, then the annotations that were chosen."""
    annotations: list[str] = []
    if tool.audience or tool.priority is not None:
        audience = f"[{', '.join(str(scalar(one)) for one in tool.audience)}]" if tool.audience else "None"
        annotations = [audience, repr(tool.priority)]
    return ", ".join((*words, *annotations))


def _root(tool: ToolModule, output: Root | None, scope: Scope, bases: tuple[str, ...]) -> dict[str, Any]:
    if output is None:
        text = f"The result of the tool `{tool.wire}`, which declares no outputSchema."
        return {"bases": Literal("ContentResult"), "doc": docstring(text, 4), "returns": None, "value": None}
    text = output.description or f"The result of the tool `{tool.wire}`."
    leading = "".join(f"{base}, " for base in bases if base != "ToolResult")
    return {
        "bases": Literal(f"{leading}RootResult[{scope.annotation(output.type)}]"),
        "doc": docstring(text, 4),
        "returns": Literal(views.root_returns(output, scope)),
        "value": Literal(scope.dump(output.type, "self.root")),
    }


# --- the other modules -----------------------------------------------------------------------------------------------
def _types(nodes: tuple[Node, ...], scope: Scope) -> Job:
    values = {"module": views.body(nodes, scope, {}), "twins": handled.twins(nodes, scope)}
    return Job("types.py", "types.py.j2", ALL, values, ".", frozenset(), True)


def _resource(
    resource: ResourceModule, names: ResourceNames, shared: dict[str, Node], shared_names: Mapping[str, str]
) -> Job:
    nodes = () if resource.payload is None else resource.payload.nodes
    own = None if resource.payload is None else root_class(resource.payload)
    reserved = {} if own is None else {own.id: RESOURCE_METHODS}
    by_id = {**shared, **{node.id: node for node in nodes}}
    scope = Scope({**shared_names, **names.nested}, by_id, reserved=reserved)
    values = values_of(resource, names, scope)
    imported = frozenset(shared_names[key] for key in shared)
    return Job(names.path, "resource.py.j2", resource.origin, values, "..", imported, True)


def _init(package: Package, names: PackageNames) -> Job:
    results = [{"wire": scalar(tool.wire), "name": names.tools[tool.wire].result} for tool in package.tools]
    arguments = [{"wire": scalar(tool.wire), "name": names.tools[tool.wire].arguments} for tool in package.tools]
    resources = [{"wire": scalar(one.wire), "name": names.resources[one.wire].name} for one in package.resources]
    exports: dict[str, str] = {}
    for tool in package.tools:
        own = names.tools[tool.wire]
        exports[own.result] = exports[own.arguments] = f".tools.{own.module}"
        if tool.output is not None and (top := root_class(tool.output)) is not None:
            exports[own.twins[top.id]] = f".tools.{own.module}"
    for one in package.resources:
        held = names.resources[one.wire]
        for name in (held.name, held.parameters):
            if name is not None:
                exports[name] = f".resources.{held.module}"
    for node in package.shared:
        exports[names.shared[node.id]] = ".types"
        if isinstance(node, ObjectClass):
            exports[names.shared_twins[node.id]] = ".types"
    listed = [{"name": name, "module": module} for name, module in sorted(exports.items())]
    values: dict[str, Any] = {"results": results, "arguments": arguments, "resources": resources, "exports": listed}
    values["serves"] = package.sdk != "none"
    return Job("__init__.py", "init.py.j2", ALL, values)


def tools_json(tools: Iterable[Text], wrapped: Mapping[str, Text]) -> str:
    """`tools.json`: the Tools as declared, and the wrapped outputSchema of those that need one."""
    return source.json_with_header({"tools": array(tools), "wrapped": members(wrapped)}, ALL)


def resources_json(resources: Sequence[ResourceDefinition]) -> str:
    """`resources.json`: the Resources and ResourceTemplates as declared, and the schemas of their JSON texts."""
    fixed = [written(one.resource) for one in resources if "uri" in one.resource]
    templates = [written(one.resource) for one in resources if "uriTemplate" in one.resource]
    schemas = {one.name: written(one.payload.value) for one in resources if one.payload is not None}
    held = {"resources": array(fixed), "resourceTemplates": array(templates), "schemas": members(schemas)}
    return source.json_with_header(held, ALL)


def other_files() -> dict[str, str]:
    """The files that are neither Python nor JSON."""
    attributes = "* linguist-generated=true\n"
    return {
        "py.typed": source.plain_with_header("", ""),
        ".gitattributes": source.plain_with_header(attributes, ""),
    }
