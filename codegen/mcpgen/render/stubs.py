"""Render `stubs/`: each tool as a function over plain JSON data, for code that a model writes, and an index of them."""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain, count
from types import SimpleNamespace
from typing import NamedTuple

from mcpgen_runtime.schema_keywords import CUSTOM_KEYWORDS

from mcpgen.ir.package import Package, ToolModule
from mcpgen.ir.types import ANY, Alias, Field, Node, ObjectClass, Presence, Ref, Scalar, ScalarKind, Type
from mcpgen.ir.visitors import collect_refs, walk_reached
from mcpgen.literals import Literal, make_docstring, make_text_comment
from mcpgen.lower.identity import list_place_pointers, split_node_id
from mcpgen.names.identifiers import add_number, is_parameter_name, make_function_name
from mcpgen.names.package_names import PackageNames, ToolNames
from mcpgen.names.reserved import STUB_HELPERS
from mcpgen.read.definitions import ToolDefinition
from mcpgen.render import header
from mcpgen.render.annotations import (
    SCALAR_NAMES,
    MemberView,
    can_be_class_body,
    render_member_annotation,
    render_parts,
)
from mcpgen.render.arguments import Arguments, collect_arguments
from mcpgen.render.jobs import Job, JobMaker
from mcpgen.render.library import get_library
from mcpgen.render.scope import Scope
from mcpgen.render.serializers import PLAIN_KINDS
from mcpgen.render.types import make_tool_scope
from mcpgen.schema.document import Schema
from mcpgen.schema.values import Json, as_array, follow_pointer, parse_pointer
from mcpgen.words import split_words

# --- text ------------------------------------------------------------------------------------------------------------
CUT = "..."
_SENTENCE = re.compile(r".+?(?:[.!?](?=\s|$)|[。！？]|$)", re.DOTALL)
_PARAGRAPH_END = re.compile(r"\n\s*\n")
_STATED_KEYWORDS = (
    "default",
    "format",
    "pattern",
    "minimum",
    "maximum",
    "exclusiveMinimum",
    "exclusiveMaximum",
    "multipleOf",
    "minLength",
    "maxLength",
    "minItems",
    "maxItems",
    "uniqueItems",
    "minProperties",
    "maxProperties",
    *CUSTOM_KEYWORDS,
)
"""Keywords that a comment states as they are, for types say nothing of them."""
_LONGEST_STATEMENT = 80
MAX_REFERENCES = 8


_FILLERS = frozenset(
    (
        "a an and any array for if in indicates is it list object of or optional that the this to value was were "
        "whether which"
    ).split()
)
"""Words of a description that say nothing about a member of a known type."""
_LARGEST_EXACT_INTEGER = 2**53 - 1
"""The largest integer of which JavaScript knows the next one."""


def repeats_name(description: str, name: str) -> bool:
    """Check whether a description has no word that is not in the name: `The name of the branch` for `branchName`."""
    return _list_words(description) <= _list_words(name)


def _list_words(text: str) -> frozenset[str]:
    words = (word.lower() for word in split_words(text))
    return frozenset(word.removesuffix("s") for word in words) - _FILLERS


def shorten(text: str, length: int) -> str:
    """Return the first sentences of a text that fit on one line; `...` ends it if something was left out."""
    clean = text.strip()
    paragraph = " ".join(_PARAGRAPH_END.split(clean, maxsplit=1)[0].split())
    kept = ""
    for match in _SENTENCE.finditer(paragraph):
        if kept and match.end() > length:
            break
        kept = paragraph[: match.end()]
    if len(kept) > length:
        kept = kept[:length].rpartition(" ")[0] or kept[:length]
    return kept if kept == " ".join(clean.split()) else f"{kept.rstrip('.:;, ')}{CUT}"


def state_keywords(schema: Json, root: Json) -> str:
    """Return the constraints that a Python type does not express; references lead into `root`."""
    return ", ".join(dict.fromkeys(_iterate_statements(schema, root, MAX_REFERENCES)))


def _iterate_statements(schema: Json, root: Json, references: int) -> Iterator[str]:
    if not isinstance(schema, dict):
        return
    for name in _STATED_KEYWORDS:
        value = schema.get(name)
        if name not in schema or _says_nothing(name, value):
            continue
        if name == "uniqueItems":
            yield name
            continue
        text = value if isinstance(value, str) and name != "default" else json.dumps(value, ensure_ascii=False)
        if len(text) <= _LONGEST_STATEMENT:
            yield f"{name} {text}"
    yield from (f"items {statement}" for statement in _iterate_statements(schema.get("items"), root, references))
    branches = [
        branch
        for name in ("anyOf", "oneOf", "allOf")
        for branch in as_array(schema.get(name))
        if branch != {"type": "null"}
    ]
    if len(branches) == 1:
        yield from _iterate_statements(branches[0], root, references)
    reference = schema.get("$ref")
    if isinstance(reference, str) and reference.startswith("#/") and references:
        with suppress(KeyError):
            target = follow_pointer(root, parse_pointer(reference[1:]))
            yield from _iterate_statements(target, root, references - 1)


def _says_nothing(name: str, value: Json) -> bool:
    """Check whether a constraint is no constraint, or one that generators of schemas add to everything."""
    bounds: dict[str, tuple[Json, ...]] = {
        "minimum": (-_LARGEST_EXACT_INTEGER,),
        "maximum": (_LARGEST_EXACT_INTEGER,),
        "uniqueItems": (False,),
        "minLength": (0, 1),
        "minItems": (0,),
        "minProperties": (0,),
    }
    return value in bounds.get(name, ())


# --- types as plain JSON data ----------------------------------------------------------------------------------------
MAX_MEMBER_LENGTH = 80
"""Characters of the description of a member, apart from its first sentence."""
_SCALAR_NAMES = {
    **dict.fromkeys(ScalarKind, "str"),
    **{kind: SCALAR_NAMES[kind] for kind in PLAIN_KINDS},
    ScalarKind.ANY: "Any",
}

StateMember = Callable[[ObjectClass, str], str]
"""Returns the keywords that constrain a property, by its class and its wire name; empty where none is known."""


class StubTypeView(NamedTuple):
    """A TypedDict, or an alias."""

    name: str
    members: list[MemberView]
    is_class: bool = True
    """The members can be written as a class body."""
    base: str = "TypedDict"
    """The TypedDict that it inherits all its members from, or `TypedDict` itself."""
    is_total: bool = True
    """Its members are required unless they say otherwise; False: the other way round."""
    type: str | None = None
    """The type of an alias, None for a TypedDict."""
    others: str | None = None
    """The type of undeclared members where the schema gives one."""


def render_stub_annotation(node: Type, scope: Scope) -> str:
    """Return the annotation of a type as plain JSON data."""
    return scope.render_alias(node) or render_parts(node, scope, render_stub_annotation, _SCALAR_NAMES)


def make_stub_types(nodes: Sequence[Node], scope: Scope, state_member: StateMember) -> Iterator[StubTypeView]:
    """Yield the views of some classes and aliases."""
    for node in nodes:
        name = scope.names[node.id]
        match node:
            case Alias():
                yield StubTypeView(name, [], type=render_stub_annotation(node.type, scope))
            case ObjectClass(fields=(), extra=extra, base=None) if extra is not None:
                yield StubTypeView(name, [], type=f"dict[str, {render_stub_annotation(extra, scope)}]")
            case ObjectClass(fields=fields) if any(not field.wire for field in fields):  # type checkers refuse it
                yield StubTypeView(name, [], type="dict[str, Any]")
            case ObjectClass(base=Ref(id=base)):
                yield StubTypeView(name, [], base=scope.names[base])
            case ObjectClass():
                required_count = sum(field.presence is Presence.REQUIRED for field in node.fields)
                is_total = 2 * required_count >= len(node.fields)
                members = [_make_member(node, field, is_total, scope, state_member) for field in node.fields]
                is_any = node.extra is None or node.extra == Scalar(ScalarKind.ANY)
                others = None if is_any or node.extra is None else render_stub_annotation(node.extra, scope)
                yield StubTypeView(name, members, can_be_class_body(members), is_total=is_total, others=others)


def _make_member(
    node: ObjectClass, field: Field, is_total: bool, scope: Scope, state_member: StateMember
) -> MemberView:
    annotation = render_member_annotation(field, scope, render_stub_annotation)
    is_required = field.presence is Presence.REQUIRED
    if is_required != is_total:
        annotation = f"Required[{annotation}]" if is_required else f"NotRequired[{annotation}]"
    comment = _make_member_comment(field, state_member(node, field.wire))
    return MemberView(field.wire, annotation, comment)


def _make_member_comment(field: Field, stated: str) -> Literal | None:
    """Return what a comment says of a property: its description, shortened, and the keywords that types leave out."""
    says_more = not repeats_name(field.description, field.wire)
    description = shorten(field.description, MAX_MEMBER_LENGTH) if says_more else ""
    text = " ".join(part for part in (description, f"[{stated}]" if stated else "") if part)
    return make_text_comment(text) if text else None


# --- functions -------------------------------------------------------------------------------------------------------
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


class StubParameterView(NamedTuple):
    """A parameter of a function."""

    name: str
    annotation: str
    required: bool
    comment: Literal | None


@dataclass(frozen=True)
class StubView:
    """Variables of `package/stub.pyi.j2`."""

    typing: list[str]
    library: str
    returns_text: bool
    """The function returns text, for the tool declares no outputSchema."""
    types: list[StubTypeView]
    function: str
    parameters: list[StubParameterView]
    is_one_line: bool
    returns: str
    doc: Literal | None


def make_stub_jobs(package: Package, names: PackageNames, definitions: Iterable[ToolDefinition]) -> dict[str, JobMaker]:
    """Return a function for each Python file in `stubs/`, by path, that makes the job to render it."""
    if not package.stubs:
        return {}
    own_ids = map_own_ids(package)
    definitions_by_name = {definition.name: definition for definition in definitions}
    jobs: dict[str, JobMaker] = {STUBS_INIT_PATH: partial(_make_init_job, package, names)}
    for tool in (tool for tool in package.tools if tool.is_for_models):
        path = f"{STUBS_FOLDER}/{make_function_name(names.tools[tool.wire].module)}.pyi"
        definition = definitions_by_name[tool.wire]
        jobs[path] = partial(_make_stub_job, path, package, tool, names, definition, own_ids[tool.wire])
    return jobs


def map_own_ids(package: Package) -> Mapping[str, Mapping[str, str]]:
    """Return the ids that shared classes have in each tool, by its wire name and their shared ids."""
    own_ids: defaultdict[str, dict[str, str]] = defaultdict(dict)
    for shared_id, uses in package.shared_uses.items():
        for wire, node_id in uses:
            own_ids[wire][shared_id] = node_id
    return own_ids


def _make_init_job(package: Package, names: PackageNames) -> Job:
    tools = [names.tools[tool.wire] for tool in package.tools if tool.is_for_models]
    functions = sorted(make_function_name(tool.module) for tool in tools)
    view = SimpleNamespace(library=get_library(package, 1), functions=functions, helpers=STUB_HELPERS)
    return Job(STUBS_INIT_PATH, "package/stubs_init.py.j2", "", view)


def _make_stub_job(
    path: str,
    package: Package,
    tool: ToolModule,
    names: PackageNames,
    definition: ToolDefinition,
    own_ids: Mapping[str, str],
) -> Job:
    shared = {node.id: node for node in package.shared}
    scope = make_tool_scope(tool.nodes, names.tools[tool.wire], names, shared)
    state_member = partial(state_member_keywords, definition, own_ids)
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
    nodes = [scope.nodes[key] for key in walk_reached(collect_refs(*starts), scope.nodes)]
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
    """Name the classes of a stub apart, the result's `Result`: in the package, two modules may share a name."""
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
            render_member_annotation(field, scope, render_stub_annotation),
            field.presence is Presence.REQUIRED,
            _make_member_comment(field, _state_at(definition.input, [""], field.wire)),
        )


def _name_parameter(field: Field, python: str) -> str:
    """Return the wire name where a parameter can have it, else the Python name; constructors take both."""
    return field.wire if is_parameter_name(field.wire) and field.wire != "extras" else python


def _fit_into_line(parameters: Sequence[StubParameterView]) -> bool:
    width = sum(len(f"{parameter.name}: {parameter.annotation} = ..., ") for parameter in parameters)
    return width <= MAX_SIGNATURE_LENGTH and all(parameter.comment is None for parameter in parameters)


def state_member_keywords(definition: ToolDefinition, own_ids: Mapping[str, str], node: ObjectClass, wire: str) -> str:
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
    lines = sorted(_describe_function(tool, names.tools[tool.wire]) for tool in package.tools if tool.is_for_models)
    return {INDEX_PATH: header.add_stub_header("\n".join([_INDEX_HEAD, *lines, ""]), INDEX_PATH)}


def _describe_function(tool: ToolModule, names: ToolNames) -> str:
    summary = make_text_comment(shorten(tool.description, MAX_LINE_LENGTH)).source
    function = make_function_name(names.module)
    return f"{function}: {summary}" if summary else function
