"""Base classes of resources whose text is JSON with a schema."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import TYPE_CHECKING, Any, Literal, cast, overload

from pydantic import (
    BaseModel,
    GetJsonSchemaHandler,
    ModelWrapValidatorHandler,
    ValidationError,
    ValidationInfo,
    model_validator,
)
from pydantic_core import CoreSchema, PydanticCustomError

from .deep_values import LimitExceeded, parse_json, read_value
from .errors import NoJsonForm, get_json_value
from .handler_values import wire_form
from .json_schema import render
from .json_values import call_converter
from .lenient_parsing import read_invalid
from .package import find_limits, find_package, load_definition
from .plain_classes import CHECKED, reads_formats
from .protocol_versions import version_of
from .resources import ContentsT, ReadT, ResourceResultOf, build_envelope, dump_protocol_object, format_json, is_named
from .schema_check import SchemaCheck, hold

if TYPE_CHECKING:
    from typing import Self

    from .json_types import JsonValue


class JsonResourceOf(ResourceResultOf[ReadT, ContentsT]):
    """Base for a resource whose text is JSON with a schema: an instance is that JSON value."""

    def to_structured_content(self) -> Any:
        """Return the JSON value of the text."""
        raise NotImplementedError

    def to_contents(self, uri: str | None = None) -> list[ContentsT]:
        """Return one text block with the compact JSON value.

        Raises:
            ValueError: the resource is a template, and no `uri` is given.
        """
        text = format_json(self.resource, self.to_structured_content())
        return [self._types.make_text_contents(self.resource, text, uri, "application/json")]

    def _write_checked(self, uri: str | None) -> list[ContentsT]:
        """Return the contents of a handler's instance, after checking its current state."""
        value = get_json_value(self)
        _check(type(self), value, True)
        text = format_json(self.resource, value)
        return [self._types.make_text_contents(self.resource, text, uri, "application/json")]

    @classmethod
    def from_structured_content(cls, value: object) -> Self:
        """Read the JSON value.

        Raises:
            pydantic.ValidationError: it violates the resource's schema.
        """
        try:
            _check(cls, value)
            instance: Self = read_value(cls, value, CHECKED)
        except Exception:  # foreign objects may raise anything
            if reads_formats(cls):
                _check(cls, value, refused_by=cls)  # its errors say more
            raise
        return instance

    @overload
    @classmethod
    def from_read_resource_result(
        cls, result: BaseModel | Mapping[str, Any], *, on_invalid: Literal["raise", "warn"] = "raise"
    ) -> Self: ...

    @overload
    @classmethod
    def from_read_resource_result(
        cls, result: BaseModel | Mapping[str, Any], *, on_invalid: Literal["raw"]
    ) -> Self | JsonValue: ...

    @classmethod
    def from_read_resource_result(
        cls, result: BaseModel | Mapping[str, Any], *, on_invalid: Literal["raise", "warn", "raw"] = "raise"
    ) -> Any:
        """Read a result with one text: an SDK's object or a wire dict.

        Args:
            result: the result.
            on_invalid: what to do with a text that is not JSON or violates the schema: `raise`; `warn` and return an
                instance with JSON values wherever the types do not fit; or return the `raw` value. The raw value of a
                text that is not JSON is the text.

        Raises:
            pydantic.ValidationError: it is not such a result, or its text is not JSON or violates the schema.
        """
        contents = cls._types.read_result(result)[0].contents
        if len(contents) != 1 or not isinstance(contents[0], cls._types.text):
            raise _make_error(cls, "the result should hold one text", result)
        value: Any = contents[0].text
        try:
            value = _parse_text(cls, value)
            return cls.from_structured_content(value)
        except ValidationError as error:
            return read_invalid(cls, value, error, on_invalid, cls.resource.name)

    @classmethod
    def normalize_any(cls, value: object, uri: str | None = None, protocol: str | None = None) -> ReadT:
        """Convert any value that a handler returned to a ReadResourceResult, and check it against the schema.

        A ReadResourceResult, contents and lists of them stay unchanged. If no value of the schema is a string, str and
        bytes are JSON text, which stays unchanged. Everything else is first converted to JSON: dataclasses, pydantic
        models and other objects with attributes, datetime, UUID, Decimal, Enum, ….

        Args:
            value: what the handler returned.
            uri: the URI that was read; None: the declared one.
            protocol: the session's protocol version; None: the package's default.

        Raises:
            pydantic.ValidationError: a ValueError; the value violates the schema.
            ValueError: unknown protocol version, no `uri` for a template, or a value that JSON cannot represent.
            Exception: what an iterator in the value raised.
        """
        return call_converter(cls._normalize, value, uri, protocol)

    @classmethod
    def _normalize(cls, value: object, uri: str | None, protocol: str | None) -> ReadT:
        info, types = cls.resource, cls._types
        version, result = version_of(protocol, info.default_protocol), cast(ReadT, value)
        if isinstance(value, types.result):
            return result
        if isinstance(value, BaseModel) and is_named(value, "ReadResourceResult"):
            result = types.result.model_validate(dump_protocol_object(value))
            return result
        contents = types.read_contents(info, value, uri)
        if contents is None and info.text_is_json and isinstance(value, str | bytes | bytearray):
            text = value if isinstance(value, str) else _decode_text(cls, value)
            cls.from_structured_content(_parse_text(cls, text))
            contents = [types.make_text_contents(info, text, uri, "application/json")]
        if contents is None:
            own = value._write_checked(uri) if isinstance(value, cls) else None
            contents = cls._read(value).to_contents(uri) if own is None else own
        fields = build_envelope(info, version, None, None, None)
        fields["contents"] = contents
        result = types.result(**fields)
        return result

    if not TYPE_CHECKING:  # type checkers see the types that each class declares

        @classmethod
        def normalize(cls, value, uri=None, protocol=None):
            """Convert a value of the schema's types; see `normalize_any`."""
            return cls.normalize_any(value, uri, protocol)

    @classmethod
    def _read(cls, value: object) -> Self:
        try:
            form = wire_form(value, cls)
        except NoJsonForm as error:
            error.subject = _format_title(cls)
            raise
        return cls.from_structured_content(form)

    # --- pydantic's view ---------------------------------------------------------------------------------------------
    @classmethod
    def __get_pydantic_json_schema__(cls, schema: CoreSchema, handler: GetJsonSchemaHandler) -> dict[str, Any]:
        if "resource" not in cls.__dict__:
            return handler(schema)
        declared = load_definition(cls.resource.file)["schema"]
        if isinstance(declared, bool):
            declared = cast(dict[str, Any], {} if declared else {"not": {}})
        return render(cls, declared, schema, handler)


class CheckedJson(JsonResourceOf[Any, Any]):
    """Base for a JSON value whose schema is stricter than its types: construction also checks the schema."""

    @model_validator(mode="wrap")
    @classmethod
    def _hold(cls, value: object, handler: ModelWrapValidatorHandler[Self], info: ValidationInfo) -> Self:
        """Check a new instance, unless it was read from a value that was already checked."""
        instance = handler(value)
        if instance is not value and info.context is not CHECKED:
            _check(cls, get_json_value(instance))
        return instance


@cache
def get_payload_check(file: str) -> SchemaCheck:
    """Return a check against the schema of the resource whose module has this path."""
    return SchemaCheck(load_definition(file)["schema"], find_package(file).limits)


def _format_title(cls: type[JsonResourceOf[Any, Any]]) -> str:
    return f'resource "{cls.resource.name}"'


def _check(
    cls: type[JsonResourceOf[Any, Any]],
    value: object,
    is_own: bool = False,
    refused_by: type[JsonResourceOf[Any, Any]] | None = None,
) -> None:
    hold(value, lambda: get_payload_check(cls.resource.file), _format_title(cls), is_own, refused_by)


def _make_error(cls: type[JsonResourceOf[Any, Any]], message: str, value: object) -> ValidationError:
    kind = PydanticCustomError("resource_text", "{message}", {"message": message})
    return ValidationError.from_exception_data(_format_title(cls), [{"type": kind, "loc": (), "input": value}])


def _decode_text(cls: type[JsonResourceOf[Any, Any]], value: bytes | bytearray) -> str:
    try:
        return value.decode()
    except UnicodeDecodeError:
        raise _make_error(cls, "the bytes are not UTF-8", value) from None


def _parse_text(cls: type[JsonResourceOf[Any, Any]], text: str) -> Any:
    def refuse_constant(constant: str) -> None:
        raise ValueError(f"JSON has no {constant}")

    try:
        return parse_json(text, refuse_constant)
    except LimitExceeded:
        raise _make_error(cls, f"the text {find_limits(cls.__module__).depth_message}", text) from None
    except ValueError as error:
        raise _make_error(cls, f"the text is not JSON: {error}", text) from None
