"""Base classes of generated classes: the declared JSON schema, safe copies, JSON objects, roots of other types."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from copy import copy, deepcopy
from functools import cache
from math import isfinite
from typing import (
    TYPE_CHECKING,
    Annotated,
    Any,
    ClassVar,
    NamedTuple,
    Protocol,
    Self,
    SupportsIndex,
    TypeVar,
    cast,
    get_args,
    overload,
)
from urllib.parse import unquote

from pydantic import (
    BaseModel,
    ConfigDict,
    GetCoreSchemaHandler,
    GetJsonSchemaHandler,
    ModelWrapValidatorHandler,
    RootModel,
    SerializationInfo,
    SerializerFunctionWrapHandler,
    TypeAdapter,
    WithJsonSchema,
    model_serializer,
    model_validator,
)
from pydantic.fields import FieldInfo
from pydantic_core import CoreSchema, core_schema

from .core_schemas import ABSENT, ExactReading, complete_schema, read_value
from .errors import IncompleteMembers, NoJsonForm, follow_pointer
from .json_types import FORMATTED_TYPES, JsonValue, format_scalar
from .json_values import odd_part
from .package import load_definition
from .schema_keywords import SCHEMA_KEYWORDS, SCHEMA_MAP_KEYWORDS

_POSITION_KEY = "mcpgen-place"
_SCOPE_KEYWORDS = frozenset({"$id", "$anchor", "$dynamicRef", "$dynamicAnchor"})


class _Key(str):
    """A key `$ref` or `$defs` that pydantic's generator does not take for the keyword."""

    __slots__ = ()
    __hash__ = str.__hash__

    def __eq__(self, other: object) -> bool:
        return self is other

    def __ne__(self, other: object) -> bool:
        return self is not other


class _Verbatim(dict[str, Any]):
    """A JSON object that pydantic's generator passes through.

    When the generator looks for `$ref`s (`items()`), it finds protected ones. When it copies the object into its output
    (`keys()` and `[]`), it finds the declared ones.
    """

    def __init__(self, declared: dict[str, Any]) -> None:
        members = declared.items()
        super().__init__({_Key(key) if key in ("$ref", "$defs") else key: _protect(value) for key, value in members})
        self._declared = declared

    def __getitem__(self, key: str) -> Any:
        return self._declared[key]

    def keys(self) -> Any:
        return self._declared.keys()

    def copy(self) -> _Verbatim:
        return _Verbatim(self._declared)


def _protect(value: Any) -> Any:
    if isinstance(value, list):
        return [_protect(item) for item in cast(Any, value)]
    return _Verbatim(cast(Any, value)) if isinstance(value, dict) else value


def render(
    cls: type[BaseModel],
    document: dict[str, Any],
    schema: CoreSchema,
    handler: GetJsonSchemaHandler,
    pointers: tuple[str, ...] = ("",),
) -> dict[str, Any]:
    """Return the declared schema of a class: verbatim, or with its definitions moved to those of an outer type.

    It is in `document`, a definition's schema, at JSON pointers; if there are several, all apply.
    """
    position, is_whole = schema.get("metadata", {}).get(_POSITION_KEY), pointers == ("",)
    if position is None:
        return handler(schema)
    if position == "root" and is_whole:
        return _Verbatim(document)
    name = f"{cls.__module__}.{cls.__qualname__}"
    if _has_scopes(document) or "draft-07" in str(document.get("$schema", "")):
        return _Verbatim({"$id": f"https://mcpgen.invalid/{name}", **document}) if is_whole else handler(schema)
    core_refs: dict[str, str] = {}
    if len(pointers) == 1:
        core_refs[f"#{pointers[0]}"] = cast(Any, schema).get("ref", name)
    moved: list[str] = []

    def find(pointer: str) -> dict[str, Any]:
        part: Any = follow_pointer(document, pointer)
        if isinstance(part, bool):
            return {} if part else {"not": {}}
        return cast(dict[str, Any], part)

    def replace_ref(ref: str) -> str:
        if not ref.startswith("#"):
            return ref
        if ref not in core_refs:
            label = re.sub(r"[^A-Za-z0-9_-]", "_", ref.rpartition("/")[2])
            core_refs[ref] = f"{name}.{label}:{len(core_refs)}"
            moved.append(ref)
        return cast(str, handler(core_schema.definition_reference_schema(core_refs[ref]))["$ref"])

    declared = find(pointers[0]) if len(pointers) == 1 else {"allOf": [*map(find, pointers)]}
    own = {key: item for key, item in declared.items() if key not in ("$schema", "$defs", "definitions")}
    rendered = _wrap_ref(_replace_refs(own, replace_ref))
    definitions: list[CoreSchema] = []
    for ref in moved:  # grows during the loop
        fragment = _wrap_ref(_replace_refs(find(unquote(ref)), replace_ref))
        definition = TypeAdapter(Annotated[Any, WithJsonSchema(fragment)]).core_schema
        definitions.append(cast(CoreSchema, {**definition, "ref": core_refs[ref]}))
    handler(core_schema.definitions_schema(core_schema.any_schema(), definitions))
    return rendered


def _replace_refs(schema: Any, replace_ref: Callable[[str], str]) -> Any:
    """Copy a schema with its `$ref`s replaced; `replace_ref` returns the new reference for an old one."""
    if isinstance(schema, list):
        return [_replace_refs(item, replace_ref) for item in cast(Any, schema)]
    if not isinstance(schema, dict):
        return schema
    out: dict[str, Any] = {}
    for key, value in cast(dict[str, Any], schema).items():
        if key == "$ref":
            out[key] = replace_ref(value)
        elif key in SCHEMA_MAP_KEYWORDS:
            parts = {name: _replace_refs(inner, replace_ref) for name, inner in value.items()}
            out[key] = {_Key(name) if name == "$defs" else name: part for name, part in parts.items()}
        else:
            out[key] = _replace_refs(value, replace_ref) if key in SCHEMA_KEYWORDS else _protect(value)
    return out


def _wrap_ref(schema: dict[str, Any]) -> dict[str, Any]:
    """Move a schema's `$ref` into an `allOf`: otherwise the generator would follow circular references forever."""
    if "$ref" not in schema:
        return schema
    siblings = {key: value for key, value in schema.items() if key != "$ref"}
    return {**siblings, "allOf": [{"$ref": schema["$ref"]}, *siblings.get("allOf", ())]}


def _has_scopes(schema: Any) -> bool:
    if isinstance(schema, dict):
        members = cast(dict[str, Any], schema)
        return not _SCOPE_KEYWORDS.isdisjoint(members) or any(_has_scopes(value) for value in members.values())
    return isinstance(schema, list) and any(_has_scopes(item) for item in cast(Any, schema))


if not TYPE_CHECKING:

    class StaticGeneric:
        """`Generic` for type checkers alone: they import that."""

        __slots__ = ()

        def __class_getitem__(cls, arguments):
            return cls


class Copied(BaseModel):
    """Base of all generated classes."""

    if not TYPE_CHECKING:

        def __class_getitem__(cls, arguments):  # a class with arguments is the class itself: only checkers need them
            return cls

    def __init_subclass__(
        cls, *, schema: str | tuple[str, ...] | None = None, definition: str | None = None, **keywords: Any
    ) -> None:
        """Make a generated class.

        Args:
            schema: the place of its schema in the definition of a tool, resource or form: a keyword with a JSON
                pointer, as in `outputSchema#/properties/user`; several if all apply.
            definition: the path of that definition's JSON file relative to the module, if it is not next to it.
            keywords: pydantic's own.
        """
        super().__init_subclass__(**keywords)
        if schema is not None:
            places = (schema,) if isinstance(schema, str) else schema
            cls._schema = cast(str, sys.modules[cls.__module__].__file__), places, definition

    _schema: ClassVar[tuple[str, tuple[str, ...], str | None]]
    """The path of the class's module, and the place of its schema; only classes that one schema describes have it."""
    _holds_json: ClassVar[bool] = True
    """Whether attributes are JSON values, generated instances, and the types of `formats = "native"`."""

    @classmethod
    def __get_pydantic_core_schema__(cls, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        """Return pydantic's core schema; the fields of generated classes read exactly JSON."""
        schema = handler(source)
        # pydantic also calls this for X in Annotated[CallToolResult, X]
        if source is not cls or not cls._holds_json:
            return schema
        is_nested = cls.__pydantic_complete__ or handler.field_name is not None
        exact = ExactReading(cls, handler).convert(cast(Any, schema))
        metadata = {**exact.get("metadata", {}), _POSITION_KEY: "nested" if is_nested else "root"}
        return cast(CoreSchema, {**exact, "metadata": metadata})

    @classmethod
    def __get_pydantic_json_schema__(cls, schema: CoreSchema, handler: GetJsonSchemaHandler) -> dict[str, Any]:
        """Return the schema that the definition declares for the class, or pydantic's own if it declares none."""
        if "_schema" not in cls.__dict__:
            return handler(schema)
        file, places, definition = cls._schema
        if definition is not None:
            file = os.path.normpath(os.path.join(os.path.dirname(file), definition))
        content = load_definition(file)
        keyword = places[0].partition("#")[0]
        is_outside = keyword in ("schema", "error")  # of the object that is advertised
        document: Any = (content if is_outside else content.get("tool") or content["form"])[keyword]
        if isinstance(document, bool):
            document = {} if document else {"not": {}}
        return render(cls, document, schema, handler, tuple(place.partition("#")[2] for place in places))

    def model_copy(self, *, update: Mapping[str, Any] | None = None, deep: bool = False) -> Self:
        """Return a copy; with changes it is a new instance, validated by the class.

        Args:
            update: new values, by the Python names of the properties. None removes a property that may be absent but
                not null; `ABSENT` removes one that may be absent or null. `extras` replaces the undeclared properties
                of an open object.
            deep: whether to copy the other values, too.

        Raises:
            pydantic.ValidationError: the changed value violates the schema.
            TypeError: the class has no property with this name.
        """
        if not update:
            return super().model_copy(deep=deep)
        cls, fields = type(self), type(self).model_fields
        is_open = cls.model_config.get("extra") == "allow"
        for name in update:
            if name not in fields and not (is_open and name == "extras"):
                raise TypeError(f"{cls.__name__} has no property {name!r}")
        kept = self.__pydantic_fields_set__ - update.keys()
        values = {name: item for name, item in self.__dict__.items() if name in kept}
        if is_open and "extras" not in update:
            values["extras"] = self.__pydantic_extra__
        private = self.__pydantic_private__
        if deep:
            values, private = deepcopy((values, private))
        instance = cls(**values, **update)
        if private is not None:
            object.__setattr__(instance, "__pydantic_private__", copy(private))
        return instance

    if not TYPE_CHECKING:

        @classmethod
        def model_construct(cls, /, *args: Any, **values: Any) -> Self:
            """Construct without validation, as pydantic does, but only from JSON values.

            Raises:
                NoJsonForm: a ValueError; the values contain something else, such as a `Decimal`.
            """
            instance = super().model_construct(*args, **values)
            for name, value in instance.__dict__.items():
                if value is ABSENT:
                    instance.__dict__[name] = None
                    instance.__pydantic_fields_set__.discard(name)
            _refuse_odd(cls, {**instance.__dict__, **(instance.__pydantic_extra__ or {})})
            return instance

        def __setattr__(self, name: str, value: Any) -> None:
            """Set an attribute of a subclass that is not frozen, or raise NoJsonForm: the value is not JSON."""
            if not name.startswith("_"):
                _refuse_odd(type(self), {name: value})
            super().__setattr__(name, value)

        def __replace__(self, **changes: Any) -> Self:
            """Support `copy.replace`: `model_copy` with these changes."""
            return self.model_copy(update=changes)

        def copy(self, *, include=None, exclude=None, update=None, deep=False):
            """Copy as pydantic's deprecated `copy` does, but validate changes."""
            instance = super().copy(include=include, exclude=exclude, deep=deep)
            return instance.model_copy(update=update)


def _refuse_odd(cls: type[Copied], values: dict[str, Any]) -> None:
    """Refuse attribute values that are not JSON."""
    checked = cls._holds_json  # pyright: ignore[reportPrivateUsage]
    problem = odd_part(values, lambda kind: kind in FORMATTED_TYPES or issubclass(kind, Copied)) if checked else None
    if problem is not None:
        error = NoJsonForm(problem.message, cls.__name__)
        for token in reversed(problem.path):
            error.inside(token)
        raise error


Item_co = TypeVar("Item_co", covariant=True)
Item = TypeVar("Item")


class RootValue(RootModel[Any]):
    """Mixin for a schema whose root is not an object: the value is `root`."""

    model_config = ConfigDict(strict=True)
    """For pydantic's mypy plugin: constructors check the type of the value."""
    if not TYPE_CHECKING:
        model_config = ConfigDict()

        def __init__(self, /, root: Any = ABSENT, **data: Any) -> None:
            read_value(type(self), data if root is ABSENT else root, instance=self)

        __init__.__pydantic_base_init__ = True


class HasItems(Protocol[Item_co]):
    """A root model of an array, by the type of its items."""

    @property
    def root(self) -> Sequence[Item_co]:
        """Return the items."""
        ...


class RootArray(RootModel[Any]):
    """Base for a root that is an array: iterate over the items, index and count them.

    A model without items is false, like an empty list.
    """

    def __iter__(self: HasItems[Item]) -> Iterator[Item]:  # type: ignore[override] # pyright: ignore[reportIncompatibleMethodOverride] # pydantic's yields fields
        return iter(self.root)

    def __len__(self: HasItems[Any]) -> int:
        return len(self.root)

    @overload
    def __getitem__(self: HasItems[Item], index: SupportsIndex, /) -> Item: ...
    @overload
    def __getitem__(self: HasItems[Item], index: slice, /) -> Sequence[Item]: ...
    def __getitem__(self: HasItems[Any], index: Any, /) -> Any:
        return self.root[index]


def to_json_value(value: Any) -> Any:
    """Convert generated objects inside lists, tuples and mappings to JSON; containers are copied.

    Raises:
        NoJsonForm: it contains something other than JSON, set after validation.
    """
    kind = cast(Any, type(value))
    if kind is str:
        return value if value.isascii() else _check_text(value)
    if kind is int or kind is bool or value is None or (kind is float and isfinite(value)):
        return value
    if isinstance(value, JsonObject):
        return value.to_structured_content()
    if isinstance(value, Mapping):
        members: dict[str, Any] = {}
        for key, item in cast(Any, value).items():  # a comprehension would need one more frame per level
            name = key if type(key) is str and key.isascii() else _check_text(key)
            members[name] = to_json_value(item)
        return members
    if isinstance(value, list | tuple):
        items: list[Any] = []
        for item in cast(Any, value):
            items.append(to_json_value(item))
        return items
    return _check_text(format_scalar(value))


def _check_text(value: Any) -> str:
    if type(value) is not str:
        description = repr(value) if type(value) is float else f"value of type {type(value).__name__}"
        raise NoJsonForm(f"JSON has no {description}")
    try:
        value.encode()
    except UnicodeEncodeError:
        raise NoJsonForm("a lone surrogate is not text") from None
    return value


class JsonObject(Copied):
    """Base of classes for JSON objects: frozen, read and dumped by wire names, without absent properties."""

    model_config = ConfigDict(frozen=True, strict=True, extra="forbid")
    """For pydantic's mypy plugin: constructors take only declared properties, and check their types."""
    if TYPE_CHECKING:

        def __init__(self, **data: Any) -> None:
            """Make an instance of these properties, validated against the schema's types."""

    else:
        model_config = ConfigDict(frozen=True, serialize_by_alias=True, protected_namespaces=())

        def __init__(self, /, **data: Any) -> None:
            wires = _rename_to_wire(type(self), data)
            validated = read_value(type(self), wires, instance=self)
            if validated is not self:
                raise TypeError(f"a validator of {type(self).__name__} returned another object")

        __init__.__pydantic_base_init__ = True  # validation does not call this

        def __getattr__(self, name: str) -> Any:
            attributes = self.__dict__
            if type(attributes) is IncompleteMembers:
                attributes.raise_missing(name)
            return super().__getattr__(name)

    def to_structured_content(self) -> dict[str, Any]:
        """Return the JSON object of the present properties, under their wire names."""
        # Classes of results have a method of their own, written for just their properties; this one is for arguments.
        return write_members(self, _find_declared(type(self)))


@cache
def _find_declared(cls: type[JsonObject]) -> dict[str, FieldInfo]:
    """Return the properties of a generated class, without those that a subclass of the user's adds."""
    bases = [base for base in cls.__mro__ if issubclass(base, JsonObject) and base.__pydantic_fields__]
    return bases[-1].__pydantic_fields__ if bases else {}


def write_members(value: JsonObject, fields: Mapping[str, FieldInfo]) -> dict[str, Any]:
    """Return the JSON object of those of an object's properties that are present, then the undeclared ones."""
    values, fields_set, out = value.__dict__, value.__pydantic_fields_set__, dict[str, Any]()
    for name, field in fields.items():
        item = values[name]
        if name in fields_set if field.default is ABSENT else item is not None or not is_never_null(field):
            out[name if field.alias is None else field.alias] = to_json_value(item)
    return {**out, **to_json_value(extras)} if (extras := value.__pydantic_extra__) else out


class ClosedObject(JsonObject):
    """An object that refuses undeclared properties."""

    model_config = ConfigDict(extra="forbid")


class OpenObject(JsonObject):
    """An object that keeps undeclared properties and emits them; construction takes them as `extras={…}`."""

    if TYPE_CHECKING:
        extras: Mapping[str, Any] = {}
        """Undeclared properties, by their names on the wire."""
    else:
        model_config = ConfigDict(extra="allow")
        __pydantic_extra__: dict[str, JsonValue]

        def __init__(self, /, *, extras: Mapping[str, Any] | None = None, **data: Any) -> None:
            cls = type(self)
            wires, declared = _rename_to_wire(cls, data), describe_properties(cls).declared
            if undeclared := wires.keys() - declared:
                name = next(filter(undeclared.__contains__, data))
                raise TypeError(f"{cls.__name__} has no property {name!r}; undeclared ones go in by extras={{...}}")
            for name in extras or ():
                if name in declared:
                    raise TypeError(f"{name!r} is declared by {cls.__name__}, so it is not an extra")
                wires[name] = extras[name]
            read_value(cls, wires, instance=self)

        __init__.__pydantic_base_init__ = True

        @property
        def extras(self) -> dict[str, Any]:
            """Return the undeclared properties."""
            return self.__pydantic_extra__


def _omit_unset(self: JsonObject, handler: SerializerFunctionWrapHandler, info: SerializationInfo) -> dict[str, Any]:
    out: dict[str, Any] = handler(self)
    for name, wire in describe_properties(type(self)).wires.items():
        if name not in self.model_fields_set:
            out.pop(name if info.by_alias is False else wire, None)
    return out


class SparseOpenObject(OpenObject):
    """An open object with properties that may be absent or null: these are emitted only if they were set."""

    _omit_unset = model_serializer(mode="wrap")(_omit_unset)


class RenamedOpenObject(SparseOpenObject):
    """An open object whose undeclared properties may have wire names that equal declared Python names."""

    @model_validator(mode="wrap")
    @classmethod
    def _tell_apart(cls, value: object, handler: ModelWrapValidatorHandler[Self]) -> Self:
        """Undo that pydantic, which compares Python names, marks declared properties as set for undeclared ones."""
        instance = handler(value)
        if instance.__pydantic_extra__ and isinstance(value, Mapping):
            for name, wire in describe_properties(cls).wires.items():
                if name in instance.__pydantic_extra__ and wire not in value:
                    instance.__pydantic_fields_set__.discard(name)
        return instance


class SparseClosedObject(ClosedObject):
    """A closed object with properties that may be absent or null: these are emitted only if they were set."""

    _omit_unset = model_serializer(mode="wrap")(_omit_unset)


def may_be_absent(field: FieldInfo) -> bool:
    """Return whether a property may be absent. A required constant has a default too: its value."""
    return field.default is None or field.default is ABSENT


def is_never_null(field: FieldInfo) -> bool:
    """Return whether None means that a property is absent: it may be absent but not null."""
    return field.default is None


class _Properties(NamedTuple):
    """The properties of a class, prepared for its constructor, by wire names."""

    wires: dict[str, str]
    """All of them by Python names."""
    renamed: dict[str, str]
    """Those whose two names differ, by Python names."""
    declared: frozenset[str]
    absent: frozenset[str]
    """Those for which None means absence."""
    constants: dict[str, Any]
    """The values of those that have just one."""


@cache
def describe_properties(cls: type[JsonObject]) -> _Properties:
    """Return the properties of a class, completed first if necessary."""
    complete_schema(cls)
    wires = {name: name if field.alias is None else field.alias for name, field in cls.__pydantic_fields__.items()}
    fields = {wires[name]: field for name, field in cls.__pydantic_fields__.items()}
    return _Properties(
        wires,
        {name: wire for name, wire in wires.items() if name != wire},
        frozenset(fields),
        frozenset(wire for wire, field in fields.items() if is_never_null(field)),
        {
            wire: field.default
            for wire, field in fields.items()
            if field.default is not ABSENT and (field.default,) == get_args(field.annotation)
        },
    )


def _rename_to_wire(cls: type[JsonObject], data: dict[str, Any]) -> dict[str, Any]:
    """Rename keyword arguments to wire names, drop those that mean absence, and add constants."""
    _, renamed, declared, absent, constants = describe_properties(cls)
    out = constants.copy()
    for name, value in data.items():
        wire = renamed.get(name, name)
        if wire is not name and wire in data:
            raise TypeError(f"{cls.__name__} got {wire!r} twice, by its Python and by its wire name")
        if value is None:
            if wire in absent:
                continue
        elif value is ABSENT and wire in declared:
            continue
        out[wire] = value
    return out
