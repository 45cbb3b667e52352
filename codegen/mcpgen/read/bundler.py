"""Bundle a schema: copy the definitions of other files that its references reach into its `$defs`."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import unquote

from mcpgen.diagnostics import Findings, Span
from mcpgen.files.definition_files import DEFINITION_SUFFIXES
from mcpgen.files.ownership import read_json_header
from mcpgen.files.project_paths import find_other_case, is_spelled_exactly, resolve_path
from mcpgen.read.compound_document import CompoundDocument, build_compound_document
from mcpgen.read.document import SourceDocument
from mcpgen.read.old_dialects import resolve_dialect
from mcpgen.read.reachable import ReachableSchemas, SchemaSource
from mcpgen.read.validation import check_schema
from mcpgen.schema.index import SchemaIndex, split_fragment
from mcpgen.schema.keywords import DEFINITION_KEYWORDS, iterate_references, walk_subschemas
from mcpgen.schema.values import Json, as_object, canonicalize, format_pointer, has_pointer, parse_pointer
from mcpgen.words import NameGuesser

MAX_SUGGESTION_COMPARISONS = 10_000
"""Names that the unresolvable references of a schema are compared with."""


@dataclass(frozen=True)
class FileResolver:
    """Access to other files: through `load` and `is_file`, inside `root` or below the folders of `ref_map`."""

    root: Path
    ref_map: tuple[tuple[str, Path], ...]
    load: Callable[[Path], SourceDocument | None]
    is_file: Callable[[Path], bool]


class Bundler:
    """Bundler of the schemas of one document. References that cannot be resolved are reported in `findings`."""

    def __init__(self, document: SourceDocument, files: FileResolver, findings: Findings) -> None:
        self._document, self._files, self._findings = document, files, findings
        self._guesses = 0
        self._sources: dict[Path, SchemaSource] = {}
        self._checked: set[tuple[Path, str]] = set()
        self.failed = False
        """Whether a file that is needed could not be read. That was reported when it was loaded first."""

    def bundle(self, schema: Json, place: str, dialect: str) -> CompoundDocument:
        """Return the schema at a pointer of the document in self-contained form.

        A schema without references to other files is returned unchanged.
        """
        index = SchemaIndex(schema, dialect)
        home = SchemaSource(self._document, place, index, True)
        self._refuse_clashes(home)
        places = [*walk_subschemas(schema, dialect)]
        references = [(pointer, ref) for pointer, inner in places for _, ref in iterate_references(inner, dialect)]
        targets = {reference: index.find_target(*reference) for reference in references}
        self._check_hidden_targets(
            home, {target for target in targets.values() if target is not None} - {*dict(places)}
        )
        if all(target is not None or index.is_meta(*reference) for reference, target in targets.items()):
            return CompoundDocument(schema)
        reach = ReachableSchemas(home, self.resolve_external)
        for source in reach.embedded.values():
            self._refuse_clashes(source)
        for source, pointer in reach.mismatched:
            self._refuse_dialect(source.document.name, source.document.make_span(pointer + format_pointer("$schema")))
        return build_compound_document(reach, self._files.root)

    def _check_hidden_targets(self, home: SchemaSource, targets: set[str]) -> None:
        """Check the targets of references that are where the meta-schema expects no schema, as in `default`."""
        for target in sorted(targets):
            place, dialect = home.offset + target, home.index.dialect
            if not self._has_error(self._document, {place}):
                check_schema(home.get(target), self._document, place, dialect, self._findings, is_part=True)

    def resolve_external(
        self, source: SchemaSource, pointer: str, keyword: str, ref: str
    ) -> tuple[SchemaSource, str] | None:
        """Return the document and pointer that an outward reference refers to, None if there is none; that is reported.

        The reference is at a keyword of the subschema at a pointer of a source.
        """
        uri, fragment = split_fragment(ref)

        def make_span() -> Span:  # on demand: it searches the text
            return source.document.make_span(source.offset + pointer + format_pointer(keyword))

        path = self._find_file(source, pointer, uri)
        if path is None:
            self._report_missing_file(source, ref, uri, make_span())
            return None
        document = self._files.load(path)
        if document is None:
            self.failed = True
            return None
        dialect = source.index.dialect
        if resolve_dialect(document.value, dialect, is_part=True) != dialect:
            self._refuse_dialect(document.name, make_span())
            return None
        if document.path not in self._sources:
            self._sources[document.path] = SchemaSource(document, "", SchemaIndex(document.value, dialect))
        other_source = self._sources[document.path]
        target = other_source.index.find_target("", "#" + fragment)
        if target is None:
            message = f"{ref} points nowhere: {document.name} has no {unquote(fragment)}"
            help = self._suggest_target(other_source.root, "#" + fragment, uri)
            self._findings.error("MG103", message, make_span(), help)
            return None
        if (document.path, target) not in self._checked:
            self._checked.add((document.path, target))
            check_schema(other_source.get(target), document, target, dialect, self._findings, is_part=True)
        return other_source, target

    def _report_missing_file(self, source: SchemaSource, ref: str, uri: str, span: Span) -> None:
        if uri and _is_foreign(source.document):
            self._findings.error("MG104", f"{ref} refers to something outside of the pulled definition", span)
            return
        is_outside = uri.startswith("/") or uri[1:2] == ":" or _leaves_folder(self._files.root, source.document, uri)
        if uri.startswith(("http://", "https://")) or (":" in uri[:10] and not is_outside):
            help = (
                "nothing is fetched: save a copy in the input folder and refer to that, or map the URI's prefix to a "
                "local folder with `ref-map` in the settings"
            )
            self._findings.error("MG104", f"{ref} is not in the input", span, help)
        elif is_outside:
            help = "references stay inside the input folder; `ref-map` in the settings reaches other folders"
            self._findings.error("MG104", f"{ref} leaves the input folder", span, help)
        elif not uri:
            if self._is_holder_wrong(source, ref):
                self.failed = True
                return
            if source.offset and is_defined_outside(source.document.value, ref):
                help = (
                    f"move the definition into this schema: references are resolved in {source.offset}, not in the file"
                )
            else:
                help = self._suggest_target(source.index.root, ref)
            self._findings.error("MG103", f"{ref} points nowhere", span, help)
        else:
            help = suggest_file(source.document.path.parent, uri, source.index.root)
            self._findings.error("MG103", f"{ref}: there is no such file", span, help)

    def _is_holder_wrong(self, source: SchemaSource, ref: str) -> bool:
        """Return whether a value on the way to a reference's target was reported, such as a list as `$defs`."""
        place, value, places = source.offset, source.index.root, set[str]()
        for token in parse_pointer(unquote(ref.removeprefix("#")))[:-1]:
            if not isinstance(value, dict):
                break
            place, value = place + format_pointer(token), value.get(token)
            places.add(place)
        return self._has_error(source.document, places)

    def _has_error(self, document: SourceDocument, places: set[str]) -> bool:
        spans = {item.span for item in self._findings.errors}
        return bool(spans) and not spans.isdisjoint(map(document.make_span, places))

    def _refuse_clashes(self, source: SchemaSource) -> None:
        for place, other_path in source.index.clashes:
            if canonicalize(source.get(place)) != canonicalize(source.get(other_path)):
                pointers = [source.offset + pointer + format_pointer("$id") for pointer in (place, other_path)]
                spans = map(source.document.make_span, pointers)
                first, later = sorted(spans, key=lambda span: (span.line, span.column))
                message = f"{source.index.bases[place]} is the $id of another schema, too, in line {first.line}"
                self._findings.error("MG101", message, later, "give each schema a URI of its own")

    def _refuse_dialect(self, name: str, span: Span) -> None:
        message = f"{name} is written in a different dialect from this schema"
        self._findings.error("MG102", message, span, "write both in 2020-12, or both in draft-07")

    def _suggest_target(self, schema: Json, ref: str, uri: str = "") -> str:
        self._guesses += 1
        parts = [as_object(schema), *(as_object(as_object(schema).get(key)) for key in DEFINITION_KEYWORDS)]
        size = sum(map(len, parts))
        if help := suggest_definition(schema, ref, uri, self._guesses * size <= MAX_SUGGESTION_COMPARISONS):
            return help
        if uri:
            return f"write that definition into {uri}, or correct the part after the #"
        return "references are resolved inside the schema that contains them: give it the definition under $defs"

    def _find_file(self, source: SchemaSource, pointer: str, uri: str) -> Path | None:
        """Return the file for a reference; none for a pulled schema: a server could read the project's files."""
        if _is_foreign(source.document):
            return None
        if "\0" in unquote(uri) or any(len(part) > 255 for part in unquote(uri).split("/")):
            return None
        if uri and ":" not in uri and not uri.startswith("/"):
            near = resolve_path(source.document.path.parent / unquote(uri))
            folders = (self._files.root, *(folder for _, folder in self._files.ref_map))
            inside = any(near.is_relative_to(resolve_path(folder)) for folder in folders)
            if inside and self._files.is_file(near) and is_spelled_exactly(source.document.path.parent, unquote(uri)):
                return near
        absolute = split_fragment(source.index.make_absolute(pointer, uri))[0]
        for prefix, folder in sorted(self._files.ref_map, key=lambda entry: -len(entry[0])):
            if absolute.startswith(prefix):
                relative = unquote(absolute[len(prefix) :]).lstrip("/")
                mapped = resolve_path(folder / relative)
                is_inside = mapped.is_relative_to(resolve_path(folder))
                if is_inside and self._files.is_file(mapped) and is_spelled_exactly(folder, relative):
                    return mapped
        return None


def _is_foreign(document: SourceDocument) -> bool:
    return document.is_pulled or read_json_header(document.text, "pull") is not None


def _leaves_folder(root: Path, document: SourceDocument, uri: str) -> bool:
    relative_path = unquote(uri)
    if not uri or ":" in uri or "\0" in relative_path:
        return False
    near = Path(os.path.normpath(resolve_path(document.path).parent / relative_path))
    return not near.is_relative_to(resolve_path(root))


# --- help for references that lead nowhere ----------------------------------------------------------------------------
MAX_LISTED_FILES = 200
"""Files of a folder that a misspelt name is compared with."""


def suggest_definition(schema: Json, ref: str, uri: str, with_close_names: bool) -> str:
    """Return a help with the definition of a schema that an unresolvable reference probably means, "" if there is none.

    `ref` is the reference from its `#` on, `uri` what stands before that. With `with_close_names`, names that only
    resemble it are compared, too.
    """
    names = [
        f"#/{keyword}/{name}"
        for keyword in ("$defs", "definitions")
        for name in as_object(as_object(schema).get(keyword))
    ]
    last = ref.lstrip("#").rpartition("/")[2]
    same = [name for name in names if name.rpartition("/")[2] == last] if last else []
    close = same or (NameGuesser().list_similar(ref, names, 1, 0.5) if with_close_names else [])
    return f"did you mean {uri}{close[0]}?" if close else ""


def is_defined_outside(document: Json, ref: str) -> bool:
    """Return whether a `#` reference would resolve at the root of the document, around the schema that it stands in."""
    return ref.startswith("#/") and has_pointer(document, unquote(ref.removeprefix("#")))


def suggest_file(folder: Path, uri: str, schema: Json) -> str:
    """Return a help for a reference to a file that is not there."""
    if definition := suggest_definition(schema, f"#/$defs/{uri}", "", False):
        return f"{definition} A name without # is that of a file"
    if "\0" not in unquote(uri) and (other := find_other_case(folder, unquote(uri))):
        return f"did you mean {other}? Linux distinguishes upper and lower case"
    if close := find_close_file(folder, unquote(uri)):
        return f"did you mean {close}?"
    return "a reference to a file is relative to the file that holds it: correct the path, or add the file"


def find_close_file(folder: Path, path: str) -> str:
    """Return the relative path of a file of definitions that resembles one that is not there; empty if none does."""
    wanted = Path(path)
    try:
        names = [entry.name for entry in (folder / wanted.parent).iterdir()][:MAX_LISTED_FILES]
    except (OSError, ValueError):
        return ""
    candidates = [name for name in names if name.endswith(DEFINITION_SUFFIXES) and not name.startswith(".")]
    close = NameGuesser().list_similar(wanted.name[:100], candidates, 1, 0.6)
    return (wanted.parent / close[0]).as_posix() if close else ""
