"""Give pydantic, and SDKs that use it, the declared schemas of generated classes."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable
from typing import Annotated, Any, Literal, NamedTuple, SupportsIndex, cast
from urllib.parse import unquote

from pydantic import BaseModel, GetCoreSchemaHandler, GetJsonSchemaHandler, TypeAdapter, WithJsonSchema
from pydantic_core import CoreSchema, core_schema

from .package import load_definition
from .schema_keywords import SCHEMA_KEYWORDS, SCHEMA_MAP_KEYWORDS
from .violations import follow_pointer

_POSITION_KEY = "mcpgen-place"
_SCOPE_KEYWORDS = frozenset({"$id", "$anchor", "$dynamicRef", "$dynamicAnchor"})


class Declared(NamedTuple):
    """Place of a class's schema in the definition of a tool or resource."""

    file: str
    """The path of the class's module; the JSON file of the definition is next to it."""
    keyword: Literal["inputSchema", "outputSchema", "schema"]
    pointers: tuple[str, ...] = ("",)
    """JSON pointers in that schema; if there are several, all apply."""
    definition: str | None = None
    """The path of that file relative to the module, if it is not next to it."""

    @classmethod
    def of(cls, module: str, places: str | tuple[str, ...], definition: str | None) -> Declared:
        """Read the place of a class's schema as the class statement has it.

        Args:
            module: the name of the class's module.
            places: a keyword of the definition with a JSON pointer, as in `outputSchema#/properties/user`; or several.
            definition: the path of the definition relative to the module, if it is not next to it.
        """
        parts = [place.partition("#") for place in ([places] if isinstance(places, str) else places)]
        file = cast(str, sys.modules[module].__file__)
        return cls(file, cast(Any, parts[0][0]), tuple(pointer for _, _, pointer in parts), definition)

    def load_document(self) -> dict[str, Any]:
        """Return the schema that the pointers refer to."""
        folder = os.path.dirname(self.file)
        path = os.path.normpath(os.path.join(folder, self.definition)) if self.definition else self.file
        content = load_definition(path)
        document: dict[str, Any] = content if self.keyword == "schema" else content["tool"]
        return cast(dict[str, Any], document[self.keyword])


class _OwnRef(str):
    """A `$ref` that pydantic's generator does not change, like every `$ref` to another document.

    The generator looks up `$ref`s among its own definitions and fails on others, except http(s) URIs.
    """

    __slots__ = ()

    def startswith(
        self, prefix: str | tuple[str, ...], start: SupportsIndex | None = None, end: SupportsIndex | None = None, /
    ) -> bool:
        return prefix == ("http://", "https://") or super().startswith(prefix, start, end)


class _OwnName(str):
    """A name `$defs` that the generator does not take for the keyword, where it expects only schemas."""

    __slots__ = ()
    __hash__ = str.__hash__

    def __eq__(self, other: object) -> bool:
        return self is other

    def __ne__(self, other: object) -> bool:
        return self is not other


class _Verbatim(dict[str, Any]):
    """A JSON schema that pydantic's generator passes through.

    When the generator looks for `$ref`s (`items()`), it finds protected ones. When it copies the schema into its output
    (`keys()` and `[]`), it finds the declared ones.
    """

    def __init__(self, declared: dict[str, Any]) -> None:
        super().__init__(_replace_refs(declared, _OwnRef))
        self._plain: dict[str, Any] = _replace_refs(declared, str, protect=str)

    def __getitem__(self, key: str) -> Any:
        return super().__getitem__(key) if key == "$ref" else self._plain[key]

    def copy(self) -> _Verbatim:
        return _Verbatim(self._plain)


def mark_position(cls: type[BaseModel], schema: CoreSchema, handler: GetCoreSchemaHandler) -> CoreSchema:
    """Return the core schema of a class, marked as a whole type or as a part of another type."""
    nested = cls.__pydantic_complete__ or handler.field_name is not None
    metadata = {**schema.get("metadata", {}), _POSITION_KEY: "nested" if nested else "root"}
    return cast(CoreSchema, {**schema, "metadata": metadata})


def render(
    cls: type[BaseModel], declared: dict[str, Any], schema: CoreSchema, handler: GetJsonSchemaHandler
) -> dict[str, Any]:
    """Return the declared schema of a result class: verbatim, or with its definitions moved to an outer type."""
    place = schema.get("metadata", {}).get(_POSITION_KEY)
    if place is None:
        return handler(schema)
    if place == "root":
        return _Verbatim(declared)
    name = f"{cls.__module__}.{cls.__qualname__}"
    if _has_scopes(declared) or "draft-07" in str(declared.get("$schema", "")):
        return _Verbatim({"$id": f"https://mcpgen.invalid/{name}", **declared})
    return _render_nested(declared, declared, {"#": cast(Any, schema)["ref"]}, name, handler)


def render_declared(cls: type[BaseModel], schema: CoreSchema, handler: GetJsonSchemaHandler) -> dict[str, Any]:
    """Return the schema that a definition has for a class other than a result: that of its `_schema`."""
    declared: Declared | None = cls.__dict__.get("_schema")
    if declared is None:
        return handler(schema)
    document, pointers = declared.load_document(), declared.pointers
    if pointers == ("",):
        return render(cls, document, schema, handler)
    is_marked = _POSITION_KEY in schema.get("metadata", {})
    if not is_marked or _has_scopes(document) or "draft-07" in str(document.get("$schema", "")):
        return handler(schema)
    name = f"{cls.__module__}.{cls.__qualname__}"
    parts = [_convert_boolean(follow_pointer(document, pointer)) for pointer in pointers]
    part = parts[0] if len(parts) == 1 else {"allOf": parts}
    own_refs = {f"#{pointers[0]}": cast(Any, schema).get("ref", name)} if len(parts) == 1 else {}
    return _render_nested(part, document, own_refs, name, handler)


def _render_nested(
    declared: dict[str, Any],
    document: dict[str, Any],
    own_refs: dict[str, str],
    name: str,
    handler: GetJsonSchemaHandler,
) -> dict[str, Any]:
    """Return a schema whose references lead to definitions of pydantic's generator.

    Args:
        declared: the schema.
        document: the schema to which references are relative.
        own_refs: references to the schema itself, and the name of its class in core schemas.
        name: the prefix of the names of definitions in core schemas.
        handler: pydantic's handler.
    """
    core_refs, todo = dict(own_refs), [declared]
    while todo:
        for ref in sorted(_collect_refs(todo.pop())):
            if ref.startswith("#") and ref not in core_refs:
                label = re.sub(r"[^A-Za-z0-9_-]", "_", ref.rpartition("/")[2])
                core_refs[ref] = f"{name}.{label}:{len(core_refs)}"
                todo.append(_resolve_ref(document, ref))

    def replace_ref(ref: str) -> str:
        if ref not in core_refs:
            return _OwnRef(ref)
        return cast(str, handler(core_schema.definition_reference_schema(core_refs[ref]))["$ref"])

    definitions: list[CoreSchema] = []
    for ref, core_ref in core_refs.items():
        if ref not in own_refs:
            target = _resolve_ref(document, ref)
            fragment = _wrap_ref(_replace_refs(_convert_boolean(target), replace_ref))
            definition = TypeAdapter(Annotated[Any, WithJsonSchema(fragment)]).core_schema
            definitions.append(cast(CoreSchema, {**definition, "ref": core_ref}))
    handler(core_schema.definitions_schema(core_schema.any_schema(), definitions))
    root = {key: value for key, value in declared.items() if key not in ("$schema", "$defs", "definitions")}
    return _wrap_ref(_replace_refs(root, replace_ref))


def _replace_refs(
    schema: Any, replace_ref: Callable[[str], str], kind: str = "schema", protect: Callable[[str], str] = _OwnRef
) -> Any:
    """Copy a schema with its `$ref`s replaced; what looks like one inside data is only protected.

    Args:
        schema: a schema, or a part of one.
        replace_ref: returns the new reference for an old one.
        kind: `schema`; `names`, a mapping of names to schemas; or `data`, which contains no schemas.
        protect: protects what looks like a reference.
    """
    if isinstance(schema, list):
        items = cast(Any, schema)
        return [_replace_refs(item, replace_ref, kind, protect) for item in items]
    if not isinstance(schema, dict):
        return schema
    copy: dict[str, Any] = {}
    for key, value in cast(dict[str, Any], schema).items():
        if key == "$defs" and kind != "schema":
            key = _OwnName(key)
        if kind == "names":
            copy[key] = _replace_refs(value, replace_ref, protect=protect)
        elif key == "$ref" and isinstance(value, str):
            copy[key] = replace_ref(value) if kind == "schema" else protect(value)
        elif kind == "schema" and key in SCHEMA_MAP_KEYWORDS:
            copy[key] = _replace_refs(value, replace_ref, "names", protect)
        else:
            inner = "schema" if kind == "schema" and key in SCHEMA_KEYWORDS else "data"
            copy[key] = _replace_refs(value, replace_ref, inner, protect)
    return copy


def _wrap_ref(schema: dict[str, Any]) -> dict[str, Any]:
    """Move a schema's `$ref` into an `allOf`: otherwise the generator would follow circular references forever."""
    if "$ref" not in schema:
        return schema
    siblings = {key: value for key, value in schema.items() if key != "$ref"}
    return {**siblings, "allOf": [{"$ref": schema["$ref"]}, *siblings.get("allOf", ())]}


def _collect_refs(schema: Any) -> set[str]:
    refs: set[str] = set()

    def note(ref: str) -> str:
        refs.add(ref)
        return ref

    _replace_refs(schema, note)
    return refs


def _resolve_ref(document: Any, ref: str) -> Any:
    return follow_pointer(document, unquote(ref))


def _convert_boolean(schema: Any) -> Any:
    """Return a boolean schema as an object."""
    if isinstance(schema, bool):
        return cast(dict[str, Any], {} if schema else {"not": {}})
    return schema


def _has_scopes(schema: Any) -> bool:
    if isinstance(schema, dict):
        members = cast(dict[str, Any], schema)
        return not _SCOPE_KEYWORDS.isdisjoint(members) or any(_has_scopes(value) for value in members.values())
    return isinstance(schema, list) and any(_has_scopes(item) for item in cast(Any, schema))
