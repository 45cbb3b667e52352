"""Settings that generated code depends on: each field has the name of its settings key, and passes copy all of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from functools import cache
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, cast

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

ContentStrategy: TypeAlias = Literal[
    "json", "template", "table", "csv", "tsv", "items", "binary", "resource", "link", "sdk", "none"
]
"""Values of the settings key `content`. What each one prints is in `render/content_view.py`."""
TABLE_STRATEGIES: frozenset[ContentStrategy] = frozenset({"table", "csv", "tsv"})
"""Those that write a result as a table."""
BUILDERS: Mapping[ContentStrategy, str] = MappingProxyType(
    {
        "json": "text_block",
        "template": "text_block",
        "table": "text_block",
        "csv": "text_block",
        "tsv": "text_block",
        "items": "item_blocks",
        "binary": "binary_block",
        "resource": "json_block",
        "link": "text_block",
        "sdk": "sdk_blocks",
    }
)
"""Content strategy → the function of the run-time library that generated modules call for it."""


@dataclass(frozen=True, kw_only=True)
class ToolCodeSettings:
    """Settings of one tool."""

    audience: tuple[str, ...] = ()
    priority: float | None = None
    lenient: bool = False
    """Arguments are converted before they are checked."""
    exceptions: str = "logged"
    """What the model is told of a handler's exceptions: nothing, or what the SDK tells it (`sdk`)."""
    content_only: tuple[str, ...] = ()
    """Names of clients that get the content alone, without structured content and outputSchema."""
    own_results: str = "checked"
    """What happens to a CallToolResult that its handler makes itself: it is checked, or sent `unchecked`."""
    returns: str | None = None
    """Class of the user's that handlers may return, too, as `module:Class`."""


@dataclass(frozen=True, kw_only=True)
class ResourceCodeSettings:
    """Settings of one resource."""

    ttl_ms: int | None = None
    cache_scope: str | None = None


@dataclass(frozen=True, kw_only=True)
class PackageCodeSettings:
    """Settings of a package."""

    runtime: str = "installed"
    """Where its run-time code is: in the library that is `installed`, or in copies of its modules (`vendored`)."""
    client: bool = True
    """It has a typed client; see `has_client`."""
    azure: bool = False
    """It has `azure.py`."""
    testing: bool = False
    """It has a module for tests of what uses it, and an example of each tool."""
    stubs: bool = False
    """It has each tool as a function, for code that a model writes."""

    @property
    def has_client(self) -> bool:
        """Return whether it has a typed client, if it is for an SDK: `testing.py` and `stubs/` use one."""
        return self.client or self.testing or self.stubs


def copy_settings(kind: type[DataclassInstance], source: object) -> dict[str, Any]:
    """Return the fields of a kind with the values that `source` has for them, without those that are None there."""
    values = {name: getattr(source, name, None) for name in _list_names(kind)}
    return {name: _freeze(value) for name, value in values.items() if value is not None}


@cache
def _list_names(kind: type[DataclassInstance]) -> tuple[str, ...]:
    return tuple(field.name for field in fields(kind))


def _freeze(value: object) -> object:
    return tuple(cast("list[object]", value)) if isinstance(value, list) else value
