"""Definitions of files that were read before, valid while everything that they depend on is unchanged."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache, partial
from pathlib import Path

from mcpgen.cache.codec import MalformedValue, decode_value, encode_value
from mcpgen.cache.keys import make_key
from mcpgen.cache.store import CacheStore
from mcpgen.config.models import CachedResult, ConfiguredPackage, Limits
from mcpgen.diagnostics import Diagnostic, Findings
from mcpgen.files.file_tracker import FileTracker, Observation
from mcpgen.read.definitions import Definitions, PromptDefinition, ResourceDefinition, ToolDefinition
from mcpgen.read.document import SourceDocument
from mcpgen.read.input_files import InputFile, is_pulled
from mcpgen.read.parse import load_document
from mcpgen.read.written_schema import WrittenPlace, WrittenSchema
from mcpgen.schema.document import Schema
from mcpgen.schema.values import Json

MAX_UNSTORED_SHARE = 0.1
"""Share of the files that the entry on disk may lack: a few are read again sooner than all are written."""


@dataclass(frozen=True)
class FileDefinitions:
    """Definitions of one input file, and everything that was observed while it was read."""

    file: InputFile
    observations: Mapping[str, Observation]
    """What was seen at each path that the definitions depend on."""
    definitions: Definitions
    findings: tuple[Diagnostic, ...]
    templates: frozenset[Path]
    """The content templates that its tools use."""


class FileCache:
    """Definitions of the files of a package. They are valid for one reading key (see `make_reading_key`).

    Args:
        store: the cache on disk, in which the definitions are found that this process has not read itself.
    """

    def __init__(self, store: CacheStore | None = None) -> None:
        self._store = store
        self._reading_key = ""
        self._previous: dict[str, FileDefinitions] = {}
        self._current: dict[str, FileDefinitions] = {}
        self._stored: dict[str, FileDefinitions] = {}
        """What the entry on disk has."""

    def start_run(self, reading_key: str, limits: Limits | None = None) -> None:
        """Start a run. Drop what the last run didn't use, and everything if the key is another one.

        With limits for the files, the cache on disk is asked for a key that is another one.
        """
        if reading_key == self._reading_key:
            self._previous = self._current
        else:
            self._stored = {}
            if self._store is not None and limits is not None:
                self._stored = recall_definitions(self._store, reading_key, limits)
            self._previous = {**self._stored}
        self._reading_key, self._current = reading_key, {}

    def get_unchanged(self, file: InputFile, disk: FileTracker) -> FileDefinitions | None:
        """Return the definitions of a file, None when it has to be read."""
        cached = self._previous.get(str(file.path))
        if (
            cached is None
            or cached.file != file
            or not all(disk.is_unchanged(seen_path, sight) for seen_path, sight in cached.observations.items())
        ):
            return None
        self._current[str(file.path)] = cached
        return cached

    def keep(self, file_definitions: FileDefinitions) -> None:
        """Remember the definitions of a file."""
        self._current[str(file_definitions.file.path)] = file_definitions

    def store_kept(self) -> None:
        """Store the definitions of this run in the cache on disk, if there is one and it lacks many of them."""
        files = self.list_kept()
        missing = [file for file in files if self._stored.get(str(file.file.path)) is not file]
        if self._store is not None and len(missing) > MAX_UNSTORED_SHARE * len(files):
            store_definitions(self._store, self._reading_key, files)
            self._stored = {**self._current}

    def list_kept(self) -> list[FileDefinitions]:
        """Return the definitions of the files of this run."""
        return [*self._current.values()]


def make_reading_key(package: ConfiguredPackage) -> str:
    """Return the key of what is read from a package's files: all that it depends on, except for the files."""
    settings = package.settings.select(CachedResult.DEFINITIONS)
    return repr((os.getcwd(), package.folder, package.file, package.roots, package.inputs, settings))


# --- the cache on disk ---------------------------------------------------------------------------------------------
@dataclass(frozen=True)
class _StoredFile:
    """Definitions of one file in their form for the cache: without its document, and each schema only once."""

    root: str
    origin: str
    document: str
    """The file's name in messages."""
    observations: dict[str, Observation]
    tools: tuple[ToolDefinition, ...]
    resources: tuple[ResourceDefinition, ...]
    prompts: tuple[PromptDefinition, ...]
    instructions: tuple[str, ...]
    findings: tuple[Diagnostic, ...]
    templates: frozenset[str]
    schemas: tuple[tuple[str, str, _StoredSchema], ...] = ()
    """Schemas that are not in the file alone: the pointer `/tools/3` or `/resources/3`, the member, and the schema."""


@dataclass(frozen=True)
class _StoredPlace:
    """A place in a file, with the file's name in messages."""

    path: str
    name: str
    pointer: str


@dataclass(frozen=True)
class _StoredSchema:
    """A `WrittenSchema` for the cache."""

    root: _StoredPlace
    copies: tuple[tuple[str, _StoredPlace], ...]


def store_definitions(store: CacheStore, reading_key: str, files: Iterable[FileDefinitions]) -> None:
    """Store the definitions of some files in one entry.

    Args:
        store: the cache.
        reading_key: what the definitions depend on besides the files (see `make_reading_key`).
        files: the definitions.
    """
    encoded = {str(file.file.path): encode_value(_pack_file(file)) for file in files}
    store.put("definitions", make_key("definitions", reading_key), {**encoded})


def recall_definitions(store: CacheStore, reading_key: str, limits: Limits) -> dict[str, FileDefinitions]:
    """Return the stored definitions of files, by path. They are valid if the observations still hold.

    Args:
        store: the cache.
        reading_key: what the definitions depend on besides the files.
        limits: the limits for a file that has to be parsed again, to find the place of something in it.
    """
    entry = store.get("definitions", make_key("definitions", reading_key))
    if not isinstance(entry, dict):
        return {}
    find_document = _make_document_finder(limits)
    try:
        return {
            path: _unpack_file(Path(path), decode_value(_StoredFile, value), find_document)
            for path, value in entry.items()
        }
    except (MalformedValue, RecursionError):
        return {}


def _pack_file(file: FileDefinitions) -> _StoredFile:
    definitions = file.definitions
    documents = [
        *(tool.document for tool in definitions.tools),
        *(resource.document for resource in definitions.resources),
        *(prompt.document for prompt in definitions.prompts),
    ]
    return _StoredFile(
        root=str(file.file.root),
        origin=file.file.origin,
        document=next((document.name for document in documents if document is not None), ""),
        observations={**file.observations},
        tools=tuple(map(_pack_tool, definitions.tools)),
        resources=tuple(replace(resource, document=None, written=None) for resource in definitions.resources),
        prompts=tuple(replace(prompt, document=None) for prompt in definitions.prompts),
        instructions=tuple(definitions.instructions),
        findings=file.findings,
        templates=frozenset(map(str, file.templates)),
        schemas=tuple(_pack_schemas(definitions)),
    )


def _pack_schemas(definitions: Definitions) -> Iterator[tuple[str, str, _StoredSchema]]:
    for number, tool in enumerate(definitions.tools):
        for member, written in tool.written.items():
            yield f"/tools/{number}", member, _pack_schema(written)
    for number, resource in enumerate(definitions.resources):
        if resource.written is not None:
            yield f"/resources/{number}", "", _pack_schema(resource.written)


def _pack_schema(written: WrittenSchema) -> _StoredSchema:
    def pack(place: WrittenPlace) -> _StoredPlace:
        return _StoredPlace(str(place.document.path), place.document.name, place.pointer)

    return _StoredSchema(pack(written.root), tuple((at, pack(place)) for at, place in written.copies.items()))


def _unpack_schema(stored: _StoredSchema, find_document: _DocumentFinder) -> WrittenSchema:
    def unpack(place: _StoredPlace) -> WrittenPlace:
        return WrittenPlace(find_document(Path(place.path), place.name), place.pointer)

    return WrittenSchema(unpack(stored.root), {at: unpack(place) for at, place in stored.copies})


_DocumentFinder = Callable[[Path, str], SourceDocument]
"""Function that returns the document of a path, with its name in messages: the same one each time."""


def _make_document_finder(limits: Limits) -> _DocumentFinder:
    """Return the finder of documents that are read when a place in them is needed."""

    @cache
    def find_document(path: Path, name: str) -> SourceDocument:
        return SourceDocument(path, name, "", reload=partial(_reload, path, name, limits))

    return find_document


def _unpack_file(path: Path, stored: _StoredFile, find_document: _DocumentFinder) -> FileDefinitions:
    """Return the definitions of a stored file.

    Raises:
        MalformedValue: the Tool object of a tool lacks a schema.
    """
    file = InputFile(path, Path(stored.root), stored.origin)
    document = find_document(path, stored.document)
    document.is_pulled = is_pulled(file)
    written: dict[str, dict[str, WrittenSchema]] = {}
    for at, member, schema in stored.schemas:
        written.setdefault(at, {})[member] = _unpack_schema(schema, find_document)
    definitions = Definitions(
        [_unpack_tool(tool, document, written.get(f"/tools/{number}", {})) for number, tool in enumerate(stored.tools)],
        [
            replace(resource, document=document, written=written.get(f"/resources/{number}", {}).get(""))
            for number, resource in enumerate(stored.resources)
        ],
        [replace(prompt, document=document) for prompt in stored.prompts],
        [*stored.instructions],
    )
    templates = frozenset(map(Path, stored.templates))
    return FileDefinitions(file, stored.observations, definitions, stored.findings, templates)


def _pack_tool(tool: ToolDefinition) -> ToolDefinition:
    """Return a tool without its document, and without the schemas that its Tool object has."""
    output = None if tool.output is None else Schema(None, tool.output.dialect)
    return replace(tool, document=None, written={}, input=Schema(None, tool.input.dialect), output=output)


def _unpack_tool(tool: ToolDefinition, document: SourceDocument, written: dict[str, WrittenSchema]) -> ToolDefinition:
    return replace(
        tool,
        written=written,
        document=document,
        input=_find_schema(tool.tool, "inputSchema", tool.input),
        output=None if tool.output is None else _find_schema(tool.tool, "outputSchema", tool.output),
    )


def _find_schema(tool: Mapping[str, Json], member: str, packed: Schema) -> Schema:
    if member not in tool:
        raise MalformedValue(f"no {member}")
    return Schema(tool[member], packed.dialect)


def _reload(path: Path, name: str, limits: Limits) -> SourceDocument | None:
    """Return the document of a file that was read before, None if it has become unreadable since."""
    return load_document(path, name, Findings(), limits, FileTracker(most=limits.file_size))
