"""Base of results whose schema is stricter than their types."""

from __future__ import annotations

from collections.abc import Callable
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any

from pydantic import (
    BaseModel,
    ModelWrapValidatorHandler,
    ValidationError,
    ValidationInfo,
    model_validator,
)

from .dict_readers import Reader
from .json_errors import get_json_value
from .plain_classes import CHECKED
from .tool_definitions import check
from .value_reader import ValueReader
from .wire_results import MISSING

if TYPE_CHECKING:
    from typing import Self


_checks: ContextVar[bool] = ContextVar(f"{__name__}.checks", default=False)
"""Whether an instance under construction will be checked as a whole."""


class CheckedValue(ValueReader[Any, Any]):
    """Base of results whose schema is stricter than their types: construction also checks the schema."""

    @model_validator(mode="wrap")
    @classmethod
    def _hold(cls, value: object, handler: ModelWrapValidatorHandler[Self], info: ValidationInfo) -> Self:
        """Check a new instance, unless it is part of a value that is checked as a whole."""
        if info.context is CHECKED or _checks.get():
            return handler(value)
        token = _checks.set(True)
        try:
            instance = handler(value)
        finally:
            _checks.reset(token)
        if instance is not value:
            check(cls._tool, cls.__name__, get_json_value(instance))
        return instance

    @classmethod
    def _read(cls, value: object, reader_of: Callable[[type[BaseModel]], Reader | None]) -> Any:
        read = super()._read(value, reader_of)
        try:
            if read is not MISSING:
                check(cls._tool, cls.__name__, read)
        except ValidationError:
            return MISSING
        return read
