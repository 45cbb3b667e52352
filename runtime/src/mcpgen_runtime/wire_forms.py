"""The classes of an SDK for results, and the base of all generated results and resources."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextvars import ContextVar
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar, Generic, TypeVar, cast

from pydantic import (
    BaseModel,
    ConfigDict,
    ModelWrapValidatorHandler,
    TypeAdapter,
    ValidationError,
    ValidationInfo,
    model_validator,
)
from pydantic_core import CoreSchema, SchemaError, SchemaValidator, core_schema, to_json

from .content import (
    RESULT_TYPE_SINCE,
    STRUCTURED_CONTENT_SINCE,
    Answer,
    Payload,
    find_block,
    make_read_error,
    make_resource,
    version_of,
)
from .conversion import to_json_form, to_text_form
from .core_schemas import ABSENT, CHECKED, get_reader, read_value, reads_formats, says_all, write_json_bytes
from .errors import (
    BEYOND_STACK,
    MODEL_BYTES,
    NoJsonForm,
    ResultError,
    UnsupportedProtocol,
    cut_text,
    format_public,
    get_json_value,
)
from .handler_values import may_be_result
from .json_values import read_items
from .models import Copied, RootValue
from .schema_check import SchemaCheck, find_problems, raise_problems
from .tool_definitions import ToolInfo, get_error_check, list_declared_names

if TYPE_CHECKING:
    from typing import Self


ResultT = TypeVar("ResultT", bound=BaseModel)
BlockT = TypeVar("BlockT", bound=BaseModel)
_SINGLE = (Mapping, BaseModel, bytes, bytearray, memoryview)
"""Iterables that become one block."""


def _make_constructor(cls: type[BaseModel], samples: Sequence[dict[str, Any]]) -> Callable[[dict[str, Any]], Any]:
    """Return a function that makes instances of an SDK's class from values, by wire name, that are known to fit it.

    They equal those of the class's own validator, which would check the values. If those of the samples do not, return
    the validator.
    """
    validate: Callable[[dict[str, Any]], Any] = cls.__pydantic_validator__.validate_python
    fields: dict[str, core_schema.ModelField] = {}
    for name, info in cls.model_fields.items():
        value: CoreSchema = core_schema.any_schema()
        if not info.is_required():
            value = core_schema.with_default_schema(value, default=info.default)
        fields[name] = core_schema.model_field(value, validation_alias=cast(Any, info.validation_alias) or name)
    extra: Any = cls.model_config.get("extra")
    schema = core_schema.model_schema(cls, core_schema.model_fields_schema(fields, extra_behavior=extra))
    try:
        construct = SchemaValidator(schema, _use_prebuilt=False).validate_python
        pairs = [(construct(sample), validate(sample)) for sample in samples]
    except (SchemaError, ValidationError):
        return validate
    is_same = all(made == own and made.model_fields_set == own.model_fields_set for made, own in pairs)
    return construct if is_same else validate


class ProtocolTypes(Generic[ResultT, BlockT]):
    """The classes of one SDK for results and content blocks.

    Args:
        title: the SDK, for messages.
        result: its CallToolResult.
        block: the union of its classes for content blocks.
        text: its TextContent.
        newest: the newest protocol version that its CallToolResult can carry; the default of calls.
    """

    def __init__(self, title: str, result: type[ResultT], block: Any, text: type[BaseModel], newest: str) -> None:
        self.title, self.result, self.newest = title, result, newest
        self.default_protocol = newest
        """The protocol version for which results are made when a call names none."""
        self._validate_result = result.__pydantic_validator__.validate_python
        self._validate_text = text.__pydantic_validator__.validate_python
        sample: dict[str, Any] = {"type": "text", "text": ""}
        self._construct_text = _make_constructor(text, [sample])
        old: dict[str, Any] = {"content": [self._validate_text(sample)], "structuredContent": {}}
        self._construct_result = _make_constructor(result, [old, {**old, "resultType": "complete"}])
        adapter: TypeAdapter[Any] = TypeAdapter(block)
        self._validate_block = adapter.validate_python
        self._block_classes = tuple(_list_classes(block))

    # --- content blocks ----------------------------------------------------------------------------------------------
    def read_block(self, wire: Mapping[str, Any]) -> BlockT:
        """Read a content block from its wire form."""
        block: BlockT = self._validate_block(wire)
        return block

    def text_block(self, text: str) -> BlockT:
        """Make a text block without annotations."""
        block: BlockT = self._validate_text({"type": "text", "text": text}, by_alias=True, by_name=False)
        return block

    def binary_block(self, data: str, mime_type: str) -> BlockT:
        """Make an image or audio block of base64 data, or an embedded resource for any other MIME type."""
        kind = mime_type.partition("/")[0]
        is_media = kind in ("image", "audio")
        media = {"type": kind, "data": data, "mimeType": mime_type}
        return self.read_block(media if is_media else make_resource(mime_type, "blob", data))

    def json_block(self, text: str) -> BlockT:
        """Make an embedded resource that holds JSON text."""
        return self.read_block(make_resource("application/json", "text", text))

    def content_blocks(self, payload: Payload) -> list[BlockT]:
        """Convert a payload to content blocks: blocks are kept, iterables are flattened, None gives no block.

        Raises:
            NoJsonForm: a ValueError; it contains what JSON cannot represent, such as NaN.
        """
        if payload is None:
            return []
        if isinstance(payload, str):
            return [self.text_block(payload)]
        if (block := self.convert_block(payload)) is not None:
            return [block]
        if isinstance(payload, Iterable) and not isinstance(payload, _SINGLE):
            items = cast(Iterable[object], payload)
            return [block for item in read_items(items) for block in self.content_blocks(item)]
        return [self.text_block(format_payload(to_text_form(cast(Any, payload))))]

    def item_blocks(self, value: Any, member: str | None = None) -> list[BlockT]:
        """Return a text block for each item of a JSON array: strings unchanged, other values as JSON.

        Args:
            value: the array, or a JSON object with it.
            member: the member of that object that is the array. A block with the other members comes first.
        """
        items = value
        if member is not None:
            items = value.get(member) or ()
            others = {key: item for key, item in value.items() if key != member or item is None}
            items = [others, *items] if others else items
        return [self.text_block(format_payload(item)) for item in items]

    def flat_blocks(self, value: Any, write: Callable[[Any], str]) -> list[BlockT]:
        """Return a text block for each item of a JSON value: no block for null, nested arrays flattened.

        `write` returns the text of an item that is not a string.
        """
        if value is None:
            return []
        if isinstance(value, list):
            return [block for item in cast(list[object], value) for block in self.flat_blocks(item, write)]
        return [self.text_block(value if isinstance(value, str) else write(value))]

    def indented_blocks(self, value: Any) -> list[BlockT]:
        """Return these blocks with indented JSON."""
        return self.flat_blocks(value, lambda item: to_json(item, indent=2).decode())

    def convert_block(self, value: object) -> BlockT | None:
        """Convert a content block of any SDK, or what makes one, to this SDK's class; None for anything else."""
        block = find_block(value)
        if block is None or isinstance(block, self._block_classes):
            return cast(BlockT | None, block)
        return self.read_block(block.model_dump(mode="json", by_alias=True, exclude_none=True))

    # --- results -----------------------------------------------------------------------------------------------------
    def text_result(self, text: str, structured: Any, version: str) -> ResultT:
        """Make the usual CallToolResult, of a text and structured content; errors as in `call_tool_result`."""
        fields = {"content": [self._construct_text({"type": "text", "text": text})], "structuredContent": structured}
        if version > self.newest:
            return self._make_result(fields, version)
        if version >= RESULT_TYPE_SINCE:
            fields["resultType"] = "complete"
        result: ResultT = self._construct_result(fields)
        return result

    def call_tool_result(
        self,
        content: list[BlockT] | str,
        version: str,
        structured: Any = ABSENT,
        meta: Mapping[str, Any] | None = None,
        is_error: bool = False,
    ) -> ResultT:
        """Make a CallToolResult of blocks or a text, or raise UnsupportedProtocol: the SDK has no such version."""
        fields: dict[str, Any] = {"content": content}
        if type(content) is str:
            fields["content"] = [self.text_block(content)]
        if structured is not ABSENT:
            fields["structuredContent"] = structured
        if is_error:
            fields["isError"] = True
        if meta is not None:
            fields["_meta"] = dict(meta)
        return self._make_result(fields, version)

    def _make_result(self, fields: dict[str, Any], version: str) -> ResultT:
        if version > self.newest:
            raise UnsupportedProtocol(f"the CallToolResult of {self.title} cannot carry protocol version {version}")
        if version >= RESULT_TYPE_SINCE:
            fields["resultType"] = "complete"
        result: ResultT = self._validate_result(fields, by_alias=True, by_name=False)
        return result

    def read_result(self, value: object, version: str) -> ResultT | None:
        """Convert a mapping in wire form to a CallToolResult with the version's `resultType`; None: it is not one."""
        if not may_be_result(value):
            return None
        wire: dict[str, Any] = {"content": []}
        if version >= RESULT_TYPE_SINCE:
            wire["resultType"] = "complete"
        try:
            for key, item in value.items():
                wire["_meta" if key == "meta" else key] = item
            content: object = wire["content"]
            if isinstance(content, list | tuple):
                wire["content"] = [self.convert_block(block) or block for block in cast(Sequence[object], content)]
            return self.result.model_validate(wire)
        except (ValueError, TypeError):
            return None

    def tool_error(
        self,
        what: str | Exception | ToolErrorData | Iterable[BlockT],
        protocol: str | None = None,
        *,
        text: str | None = None,
    ) -> ResultT:
        """Make a CallToolResult with `isError`, which tells the model what went wrong.

        Args:
            what: the text, the content blocks, the error of an invalid result, or the data that the tool declares for
                its errors, which becomes the structured content. The model sees the problems of an invalid result and
                their places, but not the value.
            protocol: the session's protocol version; None: the package's default.
            text: the text for the model along with data; None: the JSON of it.

        Raises:
            ValueError: unknown protocol version.
            TypeError: there is a `text`, but no data.
            NoJsonForm: a ValueError; the data was changed and cannot be written.
        """
        if text is not None and not isinstance(what, ToolErrorData):
            raise TypeError("tool_error takes `text` only along with the data of an error: give it one of the two")
        version = version_of(protocol, self.default_protocol)
        match what:
            case ToolErrorData():
                data: Any = get_json_value(what)
                structured = data if version >= STRUCTURED_CONTENT_SINCE else ABSENT
                said = write_json_bytes(data).decode() if text is None else text
                return self.call_tool_result(said, version, structured, is_error=True)
            case str():
                text = what
            case ResultError() | ValidationError():
                public = what.public if isinstance(what, ResultError) else _format_public(what)
                text = cut_text(f"The tool's result is invalid: {public}", MODEL_BYTES)
            case Exception():
                text = "The tool failed."
            case _:
                return self.call_tool_result([*what], version, is_error=True)
        return self.call_tool_result(text, version, is_error=True)

    def model_content(self, result: BaseModel | Mapping[str, Any]) -> ResultT:
        """Return the content for a model's context: the content blocks, or the structured JSON if there are none.

        Args:
            result: a CallToolResult of any SDK, or a wire dict; keeps its `isError` and `_meta`.

        Raises:
            pydantic.ValidationError: it is not a CallToolResult.
        """
        answer = Answer.of(result)
        blocks = [self.read_block(wire) for wire in answer.content]
        if not blocks and answer.has_structured:
            try:
                blocks = [self.text_block(write_json_bytes(to_json_form(answer.structured)).decode())]
            except Exception as error:  # as in `Answer.of`
                reason = str(error) if isinstance(error, NoJsonForm) else type(error).__name__
                why = f"the structuredContent should be JSON ({reason})"
                raise make_read_error("CallToolResult", why, type(answer.structured).__name__) from None
        return self.call_tool_result(blocks, self.default_protocol, meta=answer.meta, is_error=answer.is_error)


def _list_classes(block: Any) -> list[type[Any]]:
    """Return the classes in a union, which may be annotated."""
    inner: tuple[Any, ...] = getattr(block, "__args__", ())
    if isinstance(block, type):
        return [block]
    return [cls for part in inner for cls in _list_classes(part)]


def _format_public(error: ValidationError) -> str:
    return format_public(
        error, {name for tool in _list_imported_tools(Copied) for name in list_declared_names(tool.file)}
    )


def _list_imported_tools(base: type[BaseModel]) -> Iterator[ToolInfo]:
    """Yield the tools whose result class has been imported."""
    for cls in base.__subclasses__():
        if isinstance(tool := vars(cls).get("_tool"), ToolInfo):
            yield tool
        yield from _list_imported_tools(cls)


# --- text ------------------------------------------------------------------------------------------------------------
def format_json(value: object, subject: str = "") -> str:
    """Return a JSON value as compact text, or raise NoJsonForm about the subject: an integer is too long to write."""
    try:
        return json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    except RecursionError:
        raise NoJsonForm(BEYOND_STACK, subject) from None
    except ValueError as error:
        raise NoJsonForm(str(error), subject) from None


def format_payload(form: object, subject: str = "") -> str:
    """Return a string unchanged, any other JSON value as compact text."""
    return form if isinstance(form, str) else format_json(form, subject)


# --- generated classes -----------------------------------------------------------------------------------------------
class WireModel(Copied):
    """Base of the classes of results and resources."""

    model_config = ConfigDict(frozen=True, serialize_by_alias=True, protected_namespaces=())
    _checks_schema: ClassVar[bool] = False
    """Whether the schema is stricter than the types."""

    @classmethod
    def _check(cls, value: object, is_own: bool = False, refused_by: type[BaseModel] | None = None) -> None:
        """Check a JSON value against the declared schema, exactly; parameters as in `schema_check.find_problems`."""
        raise NotImplementedError


class WireJson(WireModel):
    """Base of those whose value is JSON that a schema declares."""

    @classmethod
    def from_structured_content(cls, value: object) -> Self:
        """Read a natural (unwrapped) JSON value that was received.

        Raises:
            pydantic.ValidationError: it violates the declared schema, or has undeclared properties of a form.
        """
        is_plain = says_all(cls)
        try:
            if not is_plain:
                cls._check(value)
            try:  # every value passes here, so this is one call
                return get_reader(cls)(value, context=CHECKED, by_alias=True, by_name=False)  # type: ignore[no-any-return]
            except (ValidationError, RecursionError):
                return read_value(cls, value, CHECKED)  # type: ignore[no-any-return] # it may only be too deep
        except Exception:  # foreign objects may raise anything
            if is_plain or reads_formats(cls):
                cls._check(value, refused_by=cls)  # its errors say more
            raise


class DeclaredValue(WireJson):
    """Base of forms and of the data of errors, whose schemas are not those of a tool or a resource."""

    _get_check: ClassVar[Callable[[str], SchemaCheck]]
    """Returns the check of the values by the path of the module."""

    if TYPE_CHECKING:

        def to_structured_content(self) -> dict[str, Any]:
            """Return the JSON object."""
            ...

    @classmethod
    def _check(cls, value: object, is_own: bool = False, refused_by: type[BaseModel] | None = None) -> None:
        problems = find_problems(value, partial(cls._get_check, cls._schema[0]), is_own, refused_by)
        raise_problems(value, cls.__name__, problems)


class ToolErrorData(DeclaredValue):
    """Base of the classes of tools' errors: an instance is the structured content of a result with `isError`."""

    _get_check: ClassVar[Callable[[str], SchemaCheck]] = get_error_check


_is_inside: ContextVar[bool] = ContextVar(f"{__name__}.is_inside", default=False)
"""Whether an instance under construction is part of a value that will be checked as a whole."""


class CheckedValue(WireModel):
    """Base of results and resources whose schema is stricter than their types: construction also checks the schema."""

    _checks_schema: ClassVar[bool] = True

    @model_validator(mode="wrap")
    @classmethod
    def _hold(cls, value: object, handler: ModelWrapValidatorHandler[Self], info: ValidationInfo) -> Self:
        """Check a new instance, unless it is part of a value that is checked as a whole."""
        if info.context is CHECKED or _is_inside.get():
            return handler(value)
        token = _is_inside.set(True)
        try:
            instance = handler(value)
        finally:
            _is_inside.reset(token)
        if instance is not value:
            cls._check(get_json_value(instance))
        return instance


class CheckedErrorData(CheckedValue, ToolErrorData):
    """Base of errors whose schema is stricter than their types: construction also checks the schema."""


class RootErrorData(ToolErrorData, RootValue):
    """Base for the schema of an error that is not one class: the value is `root`."""
