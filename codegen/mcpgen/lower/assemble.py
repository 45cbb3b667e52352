"""A tool's or resource's schema to its IR: what the class looks like and whether its types say it all."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from mcpgen.ir.package import SchemaRoot
from mcpgen.ir.types import ANY, Alias, Choice, Field, Node, ObjectClass, Presence, Ref, Scalar, ScalarKind, Type, Union
from mcpgen.ir.visitors import rebuild_node, rebuild_type
from mcpgen.lower.name_candidates import list_word_candidates
from mcpgen.lower.normalize.bounds import Core, LoweringLimits, SchemaTooLarge
from mcpgen.lower.normalize.core import NormalizedSchema, SchemaPlace
from mcpgen.lower.normalize.normalizer import normalize_schema
from mcpgen.lower.shareable_types import find_shareable
from mcpgen.lower.type_cache import find_types
from mcpgen.lower.type_generator import TypeGeneratorFailed, TypeGeneratorTimeout, compute_deadline
from mcpgen.lower.type_parser import UnreadableAnnotation
from mcpgen.schema.document import Schema
from mcpgen.schema.index import SchemaIndex
from mcpgen.schema.values import Json, are_equal
from mcpgen.targets import SDKS

RECURSION_LIMIT = 10_000
"""Room for schemas as deep as `limits.depth` allows: some ten frames a level."""


_CONVERTED_KINDS = frozenset(
    {ScalarKind.BASE64, ScalarKind.DATE_TIME, ScalarKind.DATE, ScalarKind.TIME, ScalarKind.UUID}
)
"""The strings that are something else in Python."""


@dataclass(frozen=True)
class LoweringRequest:
    """A schema to lower: `side` keeps the ids of one module's schemas apart (`output`, `input`)."""

    side: str
    schema: Schema
    class_names: tuple[tuple[str, str], ...] = ()
    """JSON pointer → class name chosen by the user."""
    native: bool = False
    """Whether known formats become Python types."""
    bounds: LoweringLimits = field(default_factory=LoweringLimits)
    """How much it may unfold into."""
    seconds: float = 120
    """How long the type generator may take."""


def lower_schemas(requests: list[LoweringRequest]) -> list[SchemaRoot]:
    """The IR of each schema.

    A schema whose types cannot be had becomes the JSON value, with the exact check and a note that says so.
    """
    sys.setrecursionlimit(max(sys.getrecursionlimit(), RECURSION_LIMIT))
    normalized: list[NormalizedSchema | str] = []
    for index, request in enumerate(requests):
        try:
            schema = request.schema
            prefix = chr(ord("A") + index)
            normalized.append(normalize_schema(schema.value, schema.dialect, prefix, request.native, request.bounds))
        except SchemaTooLarge as error:
            normalized.append(str(error))
    seconds = max(request.seconds for request in requests)
    answers = _collect_types([one for one in normalized if isinstance(one, NormalizedSchema)], seconds)
    roots: list[SchemaRoot] = []
    for request, one in zip(requests, normalized, strict=True):
        if isinstance(one, str):
            roots.append(_make_fallback_root(request, one))
        elif isinstance(answer := answers[id(one)], str):
            roots.append(_make_fallback_root(request, answer))
        else:
            roots.append(_Assembler(request, one, answer).root())
    return roots


def _make_fallback_root(request: LoweringRequest, why: str) -> SchemaRoot:
    schema = request.schema.value
    description = schema.get("description") if isinstance(schema, dict) else None
    said = f": {why}" if why else ""
    note = ("", f"no types could be generated for this schema, so its result is a JSON value{said}")
    text = description if isinstance(description, str) else ""
    if isinstance(schema, dict) and schema.get("type") == "object":
        node = ObjectClass(f"{request.side}:", "", ((),), (), ANY, text)
        return SchemaRoot(Ref(node.id), (node,), ("$schema",), (note,), text)
    return SchemaRoot(ANY, (), ("$schema",), (note,), text)


def _collect_types(schemas: list[NormalizedSchema], seconds: float) -> dict[int, GeneratedTypes | str]:
    """The types of each schema, asked for together and, should that fail, one by one; else why there are none."""
    until = compute_deadline(seconds)
    late = f"the type generator took longer than {seconds:g} s (`limits.seconds`)"
    try:
        answer = _generate_types_together(schemas, until)
        return {id(one): answer for one in schemas}
    except TypeGeneratorTimeout:
        return {id(one): late for one in schemas}
    except (TypeGeneratorFailed, UnreadableAnnotation):
        pass
    found: dict[int, GeneratedTypes | str] = {}
    for one in schemas:
        try:
            found[id(one)] = _generate_types_together([one], until)
        except TypeGeneratorTimeout:
            found[id(one)] = late
        except (TypeGeneratorFailed, UnreadableAnnotation):
            found[id(one)] = ""
    return found


@dataclass(frozen=True)
class GeneratedTypes:
    """The types of each class's properties, and of each alias, under the keys that were asked for."""

    classes: dict[str, dict[str, Type]]
    aliases: dict[str, Type]


def _generate_types_together(schemas: list[NormalizedSchema], until: float) -> GeneratedTypes:
    cores: dict[tuple[str, str], Core] = {}
    for one in schemas:
        cores[_make_root_key(one), "p0"] = one.root
        for key, (_, core) in one.aliases.items():
            cores[key, "p0"] = core
        for key, shape in one.shapes.items():
            held = [prop.core for prop in shape.properties]
            if shape.extra is not None:
                held.append(shape.extra)
            cores |= {(key, f"p{index}"): core for index, core in enumerate(held)}
    classes: dict[str, dict[str, Type]] = {key: {} for one in schemas for key in one.shapes}
    for (key, name), found in zip(cores, find_types([*cores.values()], until), strict=True):
        classes.setdefault(key, {})[name] = found
    aliases = {key: classes.pop(key)["p0"] for one in schemas for key in one.aliases}
    return GeneratedTypes(classes, aliases)


def _make_root_key(one: NormalizedSchema) -> str:
    return f"R{next(iter(one.shapes), 'X')}"


class _Assembler:
    """Joins what normalization knows (names, presence, text) with the types that came back."""

    def __init__(self, request: LoweringRequest, one: NormalizedSchema, answer: GeneratedTypes) -> None:
        self._request, self._one, self._answer = request, one, answer
        schema = request.schema
        self._index = SchemaIndex(schema.value, schema.dialect)
        self._ids = self._make_ids()

    def root(self) -> SchemaRoot:
        one = self._one
        words = dict(self._request.class_names)
        nodes: list[Node] = []
        for key, shape in one.shapes.items():
            types = self._answer.classes[key]
            fields = tuple(
                Field(prop.wire, *_make_field_type(self._type(types[f"p{index}"]), prop.presence), prop.description)
                for index, prop in enumerate(shape.properties)
            )
            extra = None if shape.extra is None else self._type(types[f"p{len(shape.properties)}"])
            candidates = list_word_candidates(self._request.schema.value, shape.pointer, shape.tag, words)
            nodes.append(ObjectClass(self._ids[key], shape.pointer, candidates, fields, extra, shape.description))
        for key, (places, _) in one.aliases.items():
            at = places[0][0]
            candidates = list_word_candidates(self._request.schema.value, at, "", words)
            nodes.append(
                Alias(self._ids[key], at, candidates, _convert_to_strings(self._type(self._answer.aliases[key])))
            )
        root_type = self._type(self._answer.classes[_make_root_key(one)]["p0"])
        by_id = {node.id: node for node in nodes}
        return SchemaRoot(
            _add_tags(root_type, by_id),
            tuple(rebuild_node(node, lambda one: _add_tags(one, by_id)) for node in nodes),
            tuple(one.checks),
            tuple(one.notes),
            one.description,
            tuple(find_shareable(self._index)),
            _is_wrapper(self._request.schema.value),
            _find_media_type(self._request.schema.value),
        )

    # --- ids ----------------------------------------------------------------------------------------------------
    def _make_ids(self) -> dict[str, str]:
        """Ids that do not depend on the order of properties: the side and the places, or the definition."""
        side = self._request.side
        ids = {key: side + _make_id(shape.places, ":") for key, shape in self._one.shapes.items()}
        return ids | {key: side + _make_id(places, "~") for key, (places, _) in self._one.aliases.items()}

    def _type(self, node: Type) -> Type:
        if isinstance(node, Ref):
            return Ref(self._ids[node.id])
        new = rebuild_type(node, self._type)
        return _make_dumpable(new) if isinstance(new, Union) else new


def _is_wrapper(schema: Json) -> bool:
    """Whether an SDK wrapped a bare value: some mark it with a keyword, the official one has a title `…Output`."""
    if not isinstance(schema, dict) or schema.get("type") != "object":
        return False
    properties, required, title = schema.get("properties"), schema.get("required"), schema.get("title")
    if not isinstance(properties, dict) or list(properties) != ["result"] or required != ["result"]:
        return False
    marks = [sdk.wrapper_mark for sdk in SDKS if sdk.wrapper_mark is not None]
    marked = any(keyword in schema and are_equal(schema[keyword], value) for keyword, value in marks)
    return marked or (isinstance(title, str) and title.endswith("Output"))


def _find_media_type(schema: Json) -> str | None:
    match schema:
        case {"type": "string", "contentEncoding": "base64", "contentMediaType": str() as media_type}:
            return media_type
        case _:
            return None


def _make_id(places: tuple[SchemaPlace, ...], kind: str) -> str:
    """The text of some places, which holds the pointers joined by `&`: `~` starts an alias's, `:` a class's."""
    parts = (_escape_pointer(at) + "".join(f"!{word}" for word in sorted(gone)) for at, gone in places)
    return kind + "&".join(sorted(parts))


def _escape_pointer(at: str) -> str:
    return at.replace("%", "%25").replace("&", "%26").replace("!", "%21")


def _make_dumpable(union: Union) -> Type:
    """A union that pydantic dumps right: it tries the members in turn, and some take a value that is not theirs.

    So bytes, dates and the like stand beside null and each other only, and are strings anywhere else.
    """
    null = Scalar(ScalarKind.NULL)
    if all(isinstance(one, Scalar) and (one == null or one.kind in _CONVERTED_KINDS) for one in union.members):
        return union
    members = tuple(dict.fromkeys(_convert_to_strings(member) for member in union.members))
    return members[0] if len(members) == 1 else Union(members, union.tag)


def _convert_to_strings(node: Type) -> Type:
    """A type whose values are their own JSON, classes apart."""
    if isinstance(node, Scalar) and node.kind in _CONVERTED_KINDS:
        return Scalar(ScalarKind.STRING)
    return rebuild_type(node, _convert_to_strings)


def _make_field_type(node: Type, presence: Presence) -> tuple[Type, Presence]:
    """A field's type without the null that its presence already says."""
    null = Scalar(ScalarKind.NULL)
    if presence is Presence.OPTIONAL_NULLABLE and isinstance(node, Union) and null in node.members:
        members = tuple(member for member in node.members if member != null)
        return (members[0] if len(members) == 1 else Union(members)), presence
    return node, presence


def _add_tags(node: Type, nodes: Mapping[str, Node]) -> Type:
    """The type with the tag of each union in it; `nodes` are the classes and aliases of the module, by id."""
    new = rebuild_type(node, lambda child: _add_tags(child, nodes))
    return replace(new, tag=_find_tag(new.members, nodes)) if isinstance(new, Union) else new


def _find_tag(members: tuple[Type, ...], nodes: Mapping[str, Node]) -> str | None:
    """A required property that is a different string in every member, when all members but null are classes."""
    tagged = [member for member in members if member != Scalar(ScalarKind.NULL)]
    constants: list[dict[str, str]] = []
    for member in tagged:
        node = nodes.get(member.id) if isinstance(member, Ref) else None
        if not isinstance(node, ObjectClass):
            return None
        constants.append(
            {
                field.wire: str(field.type.values[0])
                for field in node.fields
                if field.presence is Presence.REQUIRED
                and isinstance(field.type, Choice)
                and len(field.type.values) == 1
                and isinstance(field.type.values[0], str)
            }
        )
    for wire in constants[0]:
        values = {held[wire] for held in constants if wire in held}
        if len(values) == len(tagged) > 1:
            return wire
    return None
