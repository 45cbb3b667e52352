"""Read what a handler returned, as JSON or as an instance of the result class."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, TypeVar, cast

from pydantic import BaseModel, ValidationError

from .checked_copies import Copied
from .content_blocks import BlockT
from .deep_values import is_deeper, read_value
from .dict_readers import Reader, attribute_reader
from .errors import ResultError, format_public, list_problems
from .handler_values import in_wrapper, wire_form
from .json_errors import NoJsonForm
from .own_iterators import IteratorFailed
from .plain_values import is_plain
from .protocol_types import ResultT
from .protocol_versions import version_of
from .result_reader import ResultReader
from .tool_definitions import ToolInfo, check, list_declared_names
from .wire_results import MISSING

if TYPE_CHECKING:
    from typing import Self

T = TypeVar("T")


def _find_exact_violations(tool: ToolInfo, cls: type[BaseModel], value: object) -> ValidationError | None:
    """Return the violations of the schema and of native formats, whose places are JSON pointers."""
    try:
        form = wire_form(value, cls)
        check(tool, cls.__name__, form, refused_by=cls)
    except ValidationError as error:
        return error
    except NoJsonForm:
        pass
    return None


def make_error(tool: ToolInfo, error: NoJsonForm) -> ResultError:
    """Return the error of a handler's value that JSON cannot hold."""
    return ResultError.of(tool.name, error, list_declared_names(tool.file))


def convert_returned(convert: Callable[[object, str], T], value: object, protocol: str | None, tool: ToolInfo) -> T:
    """Convert what a handler returned; what its iterators raise is raised unchanged.

    Raises:
        ResultError: JSON cannot hold the value, or what `convert` raises.
        ValueError: unknown protocol version.
    """
    try:
        return convert(value, version_of(protocol, tool.default_protocol))
    except NoJsonForm as error:
        raise make_error(tool, error) from error
    except IteratorFailed as failed:
        own_error = failed.error
    raise own_error  # here, so that it gets no other context


class ValueReader(ResultReader[ResultT, BlockT]):
    """The part of result classes that reads values of handlers."""

    @classmethod
    def _read_any(cls, value: object) -> Any:
        """Read a value of any class as JSON; `MISSING` as from `_read`."""
        is_bare_list = cls._tool.bare and issubclass(type(value), list)
        return cls._read({"result": value} if is_bare_list else value, attribute_reader)

    @classmethod
    def _read_once(cls, value: object) -> Self:
        """Return a new instance of a handler's value. An iterator in it is read by its conversion to JSON alone."""
        refusal: ResultError | None = None
        if is_plain(value):  # no iterators, and no instances, which validation would not copy
            try:
                return cls._of(value)
            except ResultError as error:
                refusal = error
        read = cls._read_any(value) if refusal is None else MISSING
        try:
            form = cls._convert_value(value) if read is MISSING else read
        except ResultError as error:
            raise refusal or error from None
        if refusal is not None and form == value:
            raise refusal
        return cls._of(form)

    @classmethod
    def _read(cls, value: object, reader_of: Callable[[type[BaseModel]], Reader | None]) -> Any:
        """Read a handler's value as JSON; `MISSING` if that needs an instance, or the value does not fit."""
        read = reader_of(cls)
        try:
            return MISSING if read is None else read(value)
        except (ValidationError, RecursionError):
            return MISSING

    @classmethod
    def _convert_value(cls, value: object) -> Any:
        try:
            return value if isinstance(value, cls) else wire_form(value, cls, cls._tool.bare)
        except NoJsonForm as error:
            if type(value) in (dict, list) and is_deeper(value, 100) and is_plain(value):
                return value  # JSON already, or refused later
            if cls._tool.bare and in_wrapper(value, cls) is not value:
                error.inside("result")  # where the schema has the value
            raise make_error(cls._tool, error) from error

    @classmethod
    def _of(cls, value: object) -> Self:
        """Return a handler's value as an instance, validated unless it already is one.

        Raises:
            ResultError: the value does not fit.
        """
        readable = value
        if type(value) is not dict:
            if isinstance(value, cls):
                return value
            if isinstance(value, Copied) and issubclass(cls, type(value)):  # its definition's class
                readable = cast(Any, value).to_structured_content()
            elif isinstance(value, Mapping):  # pydantic only accepts a dict for a model
                readable = dict(cast(Mapping[str, Any], value))
        try:
            instance: Self = read_value(cls, readable)
            return instance
        except ValidationError as error:
            exact = _find_exact_violations(cls._tool, cls, readable) or error
            problems, public = list_problems(exact), format_public(exact, list_declared_names(cls._tool.file))
            raise ResultError(cls._tool.name, problems, public) from error


__all__ = ["ValueReader", "convert_returned", "make_error"]
