"""What a server can say about a tool instead of the declared text: members that do not affect arguments and results."""

from __future__ import annotations

import copy
import difflib
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any, TypedDict, cast

from .package import Package
from .tool_definitions import ToolInfo


class ToolHints(TypedDict, total=False):
    """Annotations of a tool."""

    title: str
    readOnlyHint: bool
    destructiveHint: bool
    idempotentHint: bool
    openWorldHint: bool


class ToolOverride(TypedDict, total=False):
    """Members of a tool that may differ at run time from the declared ones."""

    title: str
    description: str
    annotations: ToolHints
    """Replaces all declared annotations."""


@dataclass(frozen=True)
class OverriddenTool(ToolInfo):
    """A tool that is advertised with a different title, description or annotations."""

    members: Mapping[str, Any] = field(default_factory=dict[str, Any])

    def advertise(self, version: str) -> dict[str, Any]:
        """Return the Tool as a protocol version advertises it, with the other members."""
        return {**super().advertise(version), **self.members}

    @classmethod
    def of(cls, info: ToolInfo, members: Mapping[str, Any]) -> OverriddenTool:
        """Copy a tool with other members."""
        return cls(**{own.name: getattr(info, own.name) for own in fields(ToolInfo)}, members=members)


def override_tools(package: Package, overrides: Mapping[str, ToolOverride] | None) -> Package:
    """Return a copy of a package that advertises its tools with these titles, descriptions and annotations.

    Raises:
        TypeError: there is no such tool, or a member is not text or a hint of a tool.
    """
    if not overrides:
        return package
    for tool, members in overrides.items():
        if tool not in package.tool_modules:
            raise TypeError(
                f"cannot override {tool!r}: the package has no such tool{_suggest(tool, package.tool_modules)}"
            )
        _check_members(f"cannot override {tool}", members, ToolOverride)
    overridden = copy.copy(package)
    overridden.overrides = {tool: copy.deepcopy({**members}) for tool, members in overrides.items()}
    return overridden


def _check_members(subject: str, members: Any, allowed: type[Any]) -> None:
    """Check the members of an override, or of its annotations."""
    if not isinstance(members, dict):
        raise TypeError(f"{subject}: it should be a dict of {', '.join(allowed.__annotations__)}")
    for name, value in cast(dict[str, Any], members).items():
        if name not in allowed.__annotations__:
            may_be = ", ".join(allowed.__annotations__)
            raise TypeError(f"{subject}: {name!r} must be as declared; these may differ: {may_be}")
        if name == "annotations":
            _check_members(f"{subject}: annotations", value, ToolHints)
        elif not isinstance(value, bool if name.endswith("Hint") else str):
            expected = "true or false" if name.endswith("Hint") else "a text"
            raise TypeError(f"{subject}: {name!r} should be {expected}, not {type(value).__name__}")
        elif isinstance(value, str) and not _is_encodable(value):
            raise TypeError(f"{subject}: {name!r} has a lone surrogate, which no JSON text can hold")


def _is_encodable(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def _suggest(name: str, members: Mapping[str, Any]) -> str:
    similar = difflib.get_close_matches(str(name), members, 1)
    return f", did you mean {similar[0]!r}?" if similar else ""
