"""Outline of a generated package: what the files of one tool depend on of the rest, and the rest on the tool.

With the outline of the last run, a tool whose part in the package is the same as before can be generated alone.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from mcpgen.cache.codec import MalformedValue
from mcpgen.diagnostics import Diagnostic
from mcpgen.files.file_tracker import Observation
from mcpgen.schema.values import Json


@dataclass(frozen=True)
class ToolOutline:
    """A tool in the outline of its package."""

    part: str
    """Digest of everything of the tool that the files of the rest of the package depend on."""
    digests: tuple[str, ...]
    """Digests of its classes that can be shared with other tools, those that are shared included."""
    shared_ids: tuple[tuple[str, str], ...]
    """Id of each class that a shared one has replaced, and the id of that."""
    paths: tuple[str, ...]
    """Its files in the package."""
    class_count: int
    module: str
    """The name of its module."""
    root_classes: tuple[str, str]
    """The names of its result class and of its arguments class."""
    uses_templates: bool
    """Its module imports what content templates and tables use."""


@dataclass(frozen=True)
class FileOutline:
    """An input file in the outline of a package."""

    digest: str
    root: str
    """Its input folder, relative to that of the settings."""
    origin: str
    """Its name in headers."""
    tools: tuple[str, ...]
    """The wire names of its tools."""
    has_others: bool
    """It has definitions other than tools, which cannot be generated alone."""
    findings: tuple[Diagnostic, ...]
    """What reading it and lowering its tools reported."""
    templates: tuple[str, ...]
    """The content templates that its tools use."""


@dataclass(frozen=True)
class PackageOutline:
    """Outline of a package. The entries of files and tools are decoded when they are needed."""

    shared: Json
    """The shared classes: id → name, name of the TypedDict, module, names that were taken, and encoded class."""
    other_names: Json
    """The names of the resources and prompts: module, class, and class of the parameters, by id or wire name."""
    files: Mapping[str, Json]
    """Path, relative to the folder of the settings → encoded `FileOutline`."""
    inputs: Mapping[str, Json]
    """Path of a file that depends on other files → each of these, and what was observed there."""
    tools: Mapping[str, Json]
    """Wire name → encoded `ToolOutline`."""
    digest_counts: Mapping[str, Json]
    """Digest of a class that can be shared → number of the tools and resources that have it."""


@dataclass(frozen=True)
class OutlinePart:
    """Some files of an outline, and their tools by wire name."""

    files: Mapping[str, FileOutline]
    tools: Mapping[str, ToolOutline]


@dataclass(frozen=True)
class ToolUpdate:
    """The generated files of some tools, and what else of a package has changed with them."""

    texts: Mapping[str, str]
    """By path."""
    keys: Mapping[str, str]
    """The keys of the texts in the cache."""
    parts: tuple[OutlinePart, OutlinePart]
    """The input files of the tools, as they were and as they are."""
    outline: PackageOutline
    """The outline of the package now."""
    inputs: Mapping[str, Observation]
    """What was observed while the input files were read, by paths relative to the settings."""


# --- storage ---------------------------------------------------------------------------------------------------------
def encode_outline(outline: PackageOutline, run: str, shared: str) -> Json:
    """Return an outline as JSON. The run that it is of and the shared classes are in the cache under these keys."""
    return {
        "run": run,
        "shared": shared,
        "others": outline.other_names,
        "files": {**outline.files},
        "inputs": {**outline.inputs},
        "tools": {**outline.tools},
        "digests": {**outline.digest_counts},
    }


def decode_outline(value: Json, load: Callable[[str], Json]) -> tuple[PackageOutline, str, str]:
    """Return the outline that some JSON encodes, and the keys of its run and of its shared classes.

    Raises:
        MalformedValue: it encodes none.
    """
    if not isinstance(value, dict):
        raise MalformedValue("no outline")
    run, shared = value.get("run"), value.get("shared")
    if not isinstance(run, str) or not isinstance(shared, str):
        raise MalformedValue("no key")
    parts = [_get_object(value, name) for name in ("files", "inputs", "tools", "digests")]
    return PackageOutline(load(shared), value.get("others"), *parts), run, shared


def _get_object(value: Mapping[str, Json], name: str) -> dict[str, Json]:
    part = value.get(name)
    if not isinstance(part, dict):
        raise MalformedValue(f"no {name}")
    return part
