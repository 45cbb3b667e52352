"""The names of a facade's `types` that are the same for every SDK."""

from __future__ import annotations

from . import uri_templates
from .content_blocks import Payload
from .deep_values import ReadOnce
from .errors import MissingValue, ResultError, ToolCallError, ToolChangedError, UnsupportedProtocol
from .exact_types import ABSENT
from .json_types import Base64, Date, DateTime, JsonValue, NativeIpv4, NativeIpv6, Time, Uuid
from .models import (
    ClosedObject,
    JsonObject,
    OpenObject,
    RenamedOpenObject,
    SparseClosedObject,
    SparseOpenObject,
    to_json_value,
)
from .prompts import PromptArgument, PromptInfo, present_arguments
from .resources import ResourceInfo
from .root_arguments import Parameter, RootArguments

__all__ = [
    "ABSENT",
    "Base64",
    "ClosedObject",
    "Date",
    "DateTime",
    "JsonObject",
    "JsonValue",
    "MissingValue",
    "NativeIpv4",
    "NativeIpv6",
    "OpenObject",
    "Parameter",
    "Payload",
    "PromptArgument",
    "PromptInfo",
    "ReadOnce",
    "RenamedOpenObject",
    "ResourceInfo",
    "ResultError",
    "RootArguments",
    "SparseClosedObject",
    "SparseOpenObject",
    "Time",
    "ToolCallError",
    "ToolChangedError",
    "UnsupportedProtocol",
    "Uuid",
    "present_arguments",
    "to_json_value",
    "uri_templates",
]
