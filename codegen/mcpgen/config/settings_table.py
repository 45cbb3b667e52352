"""Base of the settings' models: strict tables whose keys declare which cached results they affect."""

from __future__ import annotations

from enum import Enum
from typing import Any, TypeVar

from pydantic import BaseModel, ConfigDict
from pydantic.fields import FieldInfo


class StrictModel(BaseModel):
    """Immutable model that refuses unknown members and values of other types."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True, defer_build=True)


ModelT = TypeVar("ModelT", bound=StrictModel)


class CachedResult(Enum):
    """Result of a pass that is cached. Its key contains the settings that affect it."""

    DEFINITIONS = "the definitions that are read from a file"
    IR = "the IR that a schema is lowered to"
    TOOL_MODULES = "the modules of the tools"
    OTHER_FILES = "the other files of a package"


class Affects:
    """Declaration of a settings key, in its `Annotated`: the cached results that depend on its value.

    A result that depends on it only through another cached result is not listed: `wrap` affects the definitions; the
    modules of the tools are made from these.
    """

    def __init__(self, *results: CachedResult) -> None:
        self.results = frozenset(results)


class SettingsTable(StrictModel):
    """Table of settings. Each key declares what it affects, unless its value is a table, whose own keys do."""

    @classmethod
    def __pydantic_init_subclass__(cls, **kwargs: Any) -> None:
        """Check that each key declares what it affects.

        Raises:
            TypeError: A key has no declaration.
        """
        super().__pydantic_init_subclass__(**kwargs)
        for name, field in cls.model_fields.items():
            if not _is_table(field) and _find_declaration(field) is None:
                raise TypeError(f"{cls.__name__}.{name} does not declare what it affects: Annotated[…, Affects(…)]")

    def select(self, *results: CachedResult) -> dict[str, Any]:
        """Return the keys that are set and affect any of these results, with their JSON values, nested as in the file.

        Keys that are not set have the defaults of this version of mcpgen, which is in every cache key anyway. A key set
        to its default is kept: an explicit choice can have another effect, as `wrap` has for pulled tools.
        """
        values = self.model_dump(mode="json", by_alias=True, exclude_unset=True)
        selected: dict[str, Any] = {}
        for name, field in type(self).model_fields.items():
            key = field.alias or name
            if key not in values:
                continue
            value, declaration = getattr(self, name), _find_declaration(field)
            if isinstance(value, SettingsTable):
                if inner := value.select(*results):
                    selected[key] = inner
            elif declaration is not None and not declaration.results.isdisjoint(results):
                selected[key] = values[key]
        return selected


def _is_table(field: FieldInfo) -> bool:
    return isinstance(field.annotation, type) and issubclass(field.annotation, SettingsTable)


def _find_declaration(field: FieldInfo) -> Affects | None:
    return next((metadata for metadata in field.metadata if isinstance(metadata, Affects)), None)
