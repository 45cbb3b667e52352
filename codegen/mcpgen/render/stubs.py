"""Render `stubs/`: each tool as a function over plain JSON data, for code that a model writes, and an index of them."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain, count

from mcpgen.ir.package import Package, ToolModule
from mcpgen.ir.types import ANY, Field, Node, ObjectClass, Presence
from mcpgen.literals import Literal, make_docstring, make_text_comment
from mcpgen.lower.identity import list_place_pointers, split_node_id
from mcpgen.names.identifiers import add_number, is_parameter_name, make_function_name
from mcpgen.names.package_names import PackageNames, ToolNames
from mcpgen.names.reserved import STUB_HELPERS
from mcpgen.read.definitions import ToolDefinition
from mcpgen.render import header
from mcpgen.render.arguments import Arguments, collect_arguments
from mcpgen.render.facade import get_library
from mcpgen.render.jobs import Job, JobMaker
from mcpgen.render.scope import Scope
from mcpgen.render.stub_text import shorten, state_keywords
from mcpgen.render.stub_types import (
    StateMember,
    StubTypeView,
    list_reached_nodes,
    make_member_comment,
    make_stub_types,
    render_member_annotation,
    render_stub_annotation,
)
from mcpgen.render.types import make_tool_scope
from mcpgen.schema.document import Schema
from mcpgen.schema.values import follow_pointer, parse_pointer

STUBS_FOLDER = "stubs"
STUBS_INIT_PATH = f"{STUBS_FOLDER}/__init__.py"
INDEX_PATH = f"{STUBS_FOLDER}/index.txt"
MAX_DOC_LENGTH = 200
"""Characters of a function's docstring, apart from its first sentence."""
MAX_LINE_LENGTH = 100
"""Characters of a tool's description in the index, apart from its first sentence."""
MAX_SIGNATURE_LENGTH = 80
"""Characters of parameters that are written into one line."""
_TYPING_NAMES = ("Any", "Literal", "NotRequired", "Required", "TypeAlias", "TypedDict")
_INDEX_HEAD = """# The tools of this package as async functions. NAME.pyi has the arguments and the result of each.
# Text that ends in "..." was cut: read_definition("NAME") has all of it."""


@dataclass(frozen=True)
class StubParameterView:
    """A parameter of a function."""

    name: str
    annotation: str
    required: bool
    comment: Literal | None


@dataclass(frozen=True)
class StubView:
    """Variables of `package/stub.pyi.j2`."""

    typing: list[str]
    """The names that are imported from `typing`."""
    library: str
    """The run-time library."""
    returns_text: bool
    """The function returns text, for the tool declares no outputSchema."""
    types: list[StubTypeView]
    function: str
    parameters: list[StubParameterView]
    is_one_line: bool
    """The parameters fit into one line."""
    returns: str
    doc: Literal | None


@dataclass(frozen=True)
class StubsInitView:
    """Variables of `package/stubs_init.py.j2`."""

    library: str
    functions: list[str]
    helpers: tuple[str, ...] = STUB_HELPERS
    """Functions that are no tools."""


def get_stub_path(names: ToolNames) -> str:
    """Return the path of the stub of a tool."""
    return f"{STUBS_FOLDER}/{make_function_name(names.module)}.pyi"


def make_stub_jobs(package: Package, names: PackageNames, definitions: Iterable[ToolDefinition]) -> dict[str, JobMaker]:
    """Return a function for each Python file in `stubs/`, by path, that makes the job to render it.

    Args:
        package: the package.
        names: its Python names.
        definitions: the tools' definitions, whose schemas say what types leave out.
    """
    if not package.stubs:
        return {}
    own_ids: defaultdict[str, dict[str, str]] = defaultdict(dict)
    for shared_id, uses in package.shared_uses.items():
        for wire, node_id in uses:
            own_ids[wire][shared_id] = node_id
    definitions_by_name = {definition.name: definition for definition in definitions}
    jobs: dict[str, JobMaker] = {STUBS_INIT_PATH: partial(_make_init_job, package, names)}
    for tool in package.tools:
        path = get_stub_path(names.tools[tool.wire])
        definition = definitions_by_name[tool.wire]
        jobs[path] = partial(_make_stub_job, path, package, tool, names, definition, own_ids[tool.wire])
    return jobs


def _make_init_job(package: Package, names: PackageNames) -> Job:
    functions = sorted(make_function_name(tool.module) for tool in names.tools.values())
    return Job(STUBS_INIT_PATH, "package/stubs_init.py.j2", "", StubsInitView(get_library(package, 1), functions))


def _make_stub_job(
    path: str,
    package: Package,
    tool: ToolModule,
    names: PackageNames,
    definition: ToolDefinition,
    own_ids: Mapping[str, str],
) -> Job:
    """Make the job of a stub; `own_ids` has the id that each shared class has in the tool."""
    shared = {node.id: node for node in package.shared}
    scope = make_tool_scope(tool.nodes, names.tools[tool.wire], names, shared)
    state_member = partial(_state_member, definition, own_ids)
    view = _make_stub_view(tool, names.tools[tool.wire], scope, state_member, definition, get_library(package, 1))
    return Job(path, "package/stub.pyi.j2", "", view)


def _make_stub_view(
    tool: ToolModule,
    names: ToolNames,
    scope: Scope,
    state_member: StateMember,
    definition: ToolDefinition,
    library: str,
) -> StubView:
    arguments = collect_arguments(tool.input, scope)
    extra = arguments.extra if arguments.extra not in (None, ANY) else None
    starts = [field.type for field in arguments.fields]
    starts += [part for part in (extra, None if tool.output is None else tool.output.type) if part is not None]
    nodes = list_reached_nodes(starts, scope.nodes)
    scope = _name_types(nodes, scope, names)
    types = [*make_stub_types(nodes, scope, state_member)]
    parameters = [*_make_parameters(arguments, scope, definition)]
    if extra is not None:
        annotation = f"dict[str, {render_stub_annotation(extra, scope)}]"
        parameters.append(StubParameterView("extras", annotation, False, make_text_comment("Undeclared arguments.")))
    returns = "TextResult" if tool.output is None else render_stub_annotation(tool.output.type, scope)
    annotations = " ".join(
        [
            returns,
            *(parameter.annotation for parameter in parameters),
            *(member.annotation for type in types for member in type.members),
            *(type.type or type.base for type in types),
        ]
    )
    words = {*re.findall(r"\w+", re.sub(r'"(?:[^"\\]|\\.)*"', "", annotations))}
    words |= {"TypeAlias"} if any(type.type is not None for type in types) else set()
    return StubView(
        typing=[name for name in _TYPING_NAMES if name in words],
        library=library,
        returns_text=tool.output is None,
        types=types,
        function=make_function_name(names.module),
        parameters=parameters,
        is_one_line=_fit_into_line(parameters),
        returns=returns,
        doc=make_docstring(shorten(tool.description, MAX_DOC_LENGTH), 4) if tool.description.strip() else None,
    )


def _name_types(nodes: Iterable[Node], scope: Scope, names: ToolNames) -> Scope:
    """Return a scope with a different name for each class of a stub, the class of the result being `Result`.

    In the package, classes that no module has both of may have the same name.
    """
    used, chosen = {*_TYPING_NAMES, "Result", "TextResult"}, dict[str, str]()
    for node in nodes:
        name = scope.names[node.id]
        if name == names.result:
            chosen[node.id] = "Result"
            continue
        numbered = (add_number(name, number) for number in count(2))
        chosen[node.id] = next(candidate for candidate in chain([name], numbered) if candidate not in used)
        used.add(chosen[node.id])
    return replace(scope, names={**scope.names, **chosen})


def _make_parameters(arguments: Arguments, scope: Scope, definition: ToolDefinition) -> Iterable[StubParameterView]:
    for field in arguments.fields:
        yield StubParameterView(
            _name_parameter(field, arguments.names[field.wire]),
            render_member_annotation(field, scope),
            field.presence is Presence.REQUIRED,
            make_member_comment(field, _state_at(definition.input, [""], field.wire)),
        )


def _name_parameter(field: Field, python: str) -> str:
    """Return the wire name where a parameter can have it, else the Python name; constructors take both."""
    return field.wire if is_parameter_name(field.wire) and field.wire != "extras" else python


def _fit_into_line(parameters: Sequence[StubParameterView]) -> bool:
    width = sum(len(f"{parameter.name}: {parameter.annotation} = ..., ") for parameter in parameters)
    return width <= MAX_SIGNATURE_LENGTH and all(parameter.comment is None for parameter in parameters)


def _state_member(definition: ToolDefinition, own_ids: Mapping[str, str], node: ObjectClass, wire: str) -> str:
    """Return the keywords of a property of a class, empty if it is not at one of the places of the class."""
    side, _, places = split_node_id(own_ids.get(node.id, node.id))
    schema = definition.input if side == "input" else definition.output
    return "" if schema is None else _state_at(schema, list_place_pointers(places) or (), wire)


def _state_at(schema: Schema, pointers: Iterable[str], wire: str) -> str:
    for pointer in pointers:
        with suppress(KeyError):
            member = follow_pointer(schema.value, [*parse_pointer(pointer), "properties", wire])
            return state_keywords(member, schema.value)
    return ""


def render_stub_index(package: Package, names: PackageNames) -> dict[str, str]:
    """Return `stubs/index.txt` by its path, with one line for each function, if the package has stubs."""
    if not package.stubs:
        return {}
    lines = sorted(_describe_function(tool, names.tools[tool.wire]) for tool in package.tools)
    return {INDEX_PATH: header.add_stub_header("\n".join([_INDEX_HEAD, *lines, ""]), INDEX_PATH)}


def _describe_function(tool: ToolModule, names: ToolNames) -> str:
    summary = make_text_comment(shorten(tool.description, MAX_LINE_LENGTH)).source
    function = make_function_name(names.module)
    return f"{function}: {summary}" if summary else function
