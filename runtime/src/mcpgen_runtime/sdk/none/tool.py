"""A tool of a package: its module declares it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Generic, TypeVar

from pydantic import BaseModel

from ...tool_result import ToolResult

ArgumentsT_co = TypeVar("ArgumentsT_co", bound=BaseModel, covariant=True)
ResultT_co = TypeVar("ResultT_co", bound=ToolResult, covariant=True)


@dataclass(frozen=True)
class McpTool(Generic[ArgumentsT_co, ResultT_co]):
    """A tool of the package: the classes of its arguments and of its result."""

    arguments: type[ArgumentsT_co]
    result: type[ResultT_co]

    @property
    def name(self) -> str:
        """The tool's exact name."""
        return self.result._tool.name  # pyright: ignore[reportPrivateUsage]


__all__ = ["McpTool"]
