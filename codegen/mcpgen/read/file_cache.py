"""What files said when this process read them before, for as long as all that they depend on is as it was."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from mcpgen.diagnostics import Diagnostic
from mcpgen.files.file_tracker import FileTracker, Observation
from mcpgen.read.definitions import ProtocolSchema, ResourceDefinition, ToolDefinition


@dataclass(frozen=True)
class FileDefinitions:
    """What one input file said, and all that was looked at for it."""

    seen: Mapping[str, Observation]
    tools: tuple[ToolDefinition, ...]
    resources: tuple[ResourceDefinition, ...]
    protocols: tuple[ProtocolSchema, ...]
    findings: tuple[Diagnostic, ...]
    templates: frozenset[Path]
    """The content templates that it uses."""


class FileCache:
    """What the files of a package said. It holds for one way of reading them, which `begin` names."""

    def __init__(self) -> None:
        self._way = ""
        self._held: dict[str, FileDefinitions] = {}
        self._next: dict[str, FileDefinitions] = {}

    def start_run(self, way: str) -> None:
        """Start a run; what the last one did not ask for, or what was read in another way, is let go."""
        self._held = self._next if way == self._way else {}
        self._way, self._next = way, {}

    def get_unchanged(self, path: Path, disk: FileTracker) -> FileDefinitions | None:
        """What a file said, None when it has to be read."""
        found = self._held.get(str(path))
        if found is None or not all(disk.is_unchanged(at, sight) for at, sight in found.seen.items()):
            return None
        self._next[str(path)] = found
        return found

    def keep(self, path: Path, said: FileDefinitions) -> None:
        """Remember what a file said."""
        self._next[str(path)] = said
