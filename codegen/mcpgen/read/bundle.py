"""Making a schema self-contained: what its `$ref`s reach in other files is copied into its `$defs`."""

from __future__ import annotations

import difflib
import os
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote, unquote

from mcpgen.diagnostics import Findings
from mcpgen.json_types import Json, follow, pointer, tokens
from mcpgen.read.files import real
from mcpgen.read.keywords import DRAFT_07, dialect_of, rebuilt, subschemas
from mcpgen.read.refs import SchemaIndex, without_fragment
from mcpgen.read.source import Document
from mcpgen.read.validate import check_schema

BUNDLE = "mcpgen://bundle/"
"""The `$id` of a root that needs one, because something inside it has an `$id` and refers outside."""
_KEEPS_OUT = ("$id", "$anchor", "$schema")


@dataclass(frozen=True)
class Files:
    """How other files are reached: through `load` and `is_file`, inside `root`, or below the folders of `ref_map`."""

    root: Path
    ref_map: tuple[tuple[str, Path], ...]
    load: Callable[[Path], Document | None]
    is_file: Callable[[Path], bool]


class Bundler:
    """Bundles the schemas of one document. What a reference cannot reach goes into `findings`."""

    def __init__(self, document: Document, files: Files, findings: Findings) -> None:
        self._document, self._files, self._findings = document, files, findings
        self.failed = False
        """Whether a file that was needed could not be read, which was recorded when it was tried first."""

    def bundle(self, schema: Json, at: str, dialect: str) -> Json:
        """`schema`, found at the pointer `at` of the document, with every reference inside itself.

        A schema without outward references comes back as it is.
        """
        index = SchemaIndex(schema, dialect)
        for where, ref in _references(index, schema, "$dynamicRef"):
            if _is_anchor(ref) and index.target(where, ref) is None and not index.is_meta(where, ref):
                span = self._document.span(at + where + pointer("$dynamicRef"))
                self._findings.error("MG103", f"{ref} points nowhere", span, _near(schema, ref))
        dynamic = [entry for entry in _references(index, schema, "$dynamicRef") if not _is_anchor(entry[1])]
        references = [*_references(index, schema, "$ref"), *dynamic]
        if all(index.target(where, ref) is not None or index.is_meta(where, ref) for where, ref in references):
            return schema
        home = _Place(self._document, at, index, "")
        first = _Copy(self, self._document, schema, dialect, {})
        first.rewritten(schema, home, "")
        copy = _Copy(self, self._document, schema, dialect, self._names(first, schema, dialect))
        result = copy.rewritten(schema, home, "")
        if copy.added and isinstance(result, dict):
            if copy.needs_id:
                result["$id"] = BUNDLE
            keyword = keyword_of(dialect)
            own = result.get(keyword)
            result[keyword] = {**(own if isinstance(own, dict) else {}), **copy.added}
        return result

    def _names(self, copy: _Copy, schema: Json, dialect: str) -> dict[tuple[Path, str], str]:
        """A name for each definition that is taken in, whatever the order in which they were met.

        One that several claim, or that the schema has itself, is followed by its file's name.
        """
        held = schema.get(keyword_of(dialect)) if isinstance(schema, dict) else None
        used = set(held) if isinstance(held, dict) else set[str]()
        wanted = {key: _definition_name(*key) for key in copy.met}
        claims = Counter(wanted.values())
        root = real(self._files.root)
        names: dict[tuple[Path, str], str] = {}
        for key in sorted(wanted, key=lambda one: (os.path.relpath(real(one[0]), root), one[1])):
            name = wanted[key]
            stem = name if claims[name] == 1 and name not in used else f"{name}_{key[0].name.split('.')[0]}"
            name, count = stem, 2
            while name in used:
                name, count = f"{stem}_{count}", count + 1
            used.add(name)
            names[key] = name
        return names

    def external(self, place: _Place, at: str, ref: str, dialect: str) -> tuple[Document, str] | None:
        """The document and pointer that an outward reference means, or None with a finding."""
        uri, fragment = without_fragment(ref)
        span = place.document.span(place.offset + at + pointer("$ref"))
        found = self._path(place, at, uri)
        if found is None:
            outside = uri.startswith("/") or uri[1:2] == ":" or self._outside(place.document, uri)
            if uri.startswith(("http://", "https://")) or (":" in uri[:10] and not outside):
                help = "nothing is fetched: map its prefix to a local folder with `ref-map` in the settings"
                self._findings.error("MG104", f"{ref} is not in the input", span, help)
            elif outside:
                help = "references stay inside the input folder; `ref-map` in the settings reaches other folders"
                self._findings.error("MG104", f"{ref} leaves the input folder", span, help)
            elif not uri:
                self._findings.error("MG103", f"{ref} points nowhere", span, _near(place.index.root, ref))
            else:
                self._findings.error("MG103", f"{ref}: there is no such file", span)
            return None
        document = self._files.load(found)
        if document is None:
            self.failed = True
            return None
        theirs = dialect_of(document.value, dialect)
        if theirs != dialect:
            message = f"{document.name} is written in another dialect than this schema"
            self._findings.error("MG102", message, span, "write both in 2020-12, or both in draft-07")
            return None
        index = SchemaIndex(document.value, dialect)
        target = index.target("", "#" + fragment)
        if target is None:
            message = f"{ref} points nowhere: {document.name} has no {unquote(fragment)}"
            self._findings.error("MG103", message, span, _near(index.root, "#" + fragment, uri))
            return None
        check_schema(follow(document.value, tokens(target)), document, target, dialect, self._findings)
        return document, target

    def _outside(self, document: Document, uri: str) -> bool:
        plain = unquote(uri)
        if not uri or ":" in uri or "\0" in plain:
            return False
        near = Path(os.path.normpath(real(document.path).parent / plain))
        return not near.is_relative_to(real(self._files.root))

    def _path(self, place: _Place, at: str, uri: str) -> Path | None:
        root = real(self._files.root)
        if "\0" in unquote(uri) or any(len(part) > 255 for part in unquote(uri).split("/")):
            return None
        if uri and ":" not in uri and not uri.startswith("/"):
            near = real(place.document.path.parent / unquote(uri))
            inside = near.is_relative_to(root) or any(
                near.is_relative_to(real(folder)) for _, folder in self._files.ref_map
            )
            if inside and self._files.is_file(near):
                return near
        absolute = without_fragment(place.index.absolute(at, uri))[0]
        for prefix, folder in sorted(self._files.ref_map, key=lambda entry: -len(entry[0])):
            if absolute.startswith(prefix):
                mapped = real(folder / unquote(absolute[len(prefix) :]).lstrip("/"))
                if mapped.is_relative_to(real(folder)) and self._files.is_file(mapped):
                    return mapped
        return None


@dataclass(frozen=True)
class _Place:
    """A document, the pointer in it that `index` calls its root, and the pointer below that being copied."""

    document: Document
    offset: str
    index: SchemaIndex
    part: str


class _Copy:
    """One bundling: which outside definitions were taken in, and under which names."""

    def __init__(
        self,
        bundler: Bundler,
        home: Document,
        schema: Json,
        dialect: str,
        names: dict[tuple[Path, str], str],
    ) -> None:
        self._bundler, self._dialect, self._home, self._names = bundler, dialect, home, names
        self._keyword = keyword_of(dialect)
        self.met: dict[tuple[Path, str], None] = {}
        self.added: dict[str, Json] = {}
        self.needs_id = False

    def rewritten(self, schema: Json, place: _Place, at: str) -> Json:
        """A copy of the schema at the pointer `at` of `place`, its outward references turned inward."""
        if not isinstance(schema, dict):
            return schema
        home = self._is_home(place)
        out: dict[str, Json] = {key: value for key, value in schema.items() if home or key not in _KEEPS_OUT}
        ref = schema.get("$ref")
        dynamic = schema.get("$dynamicRef") if self._dialect != DRAFT_07 else None
        if isinstance(ref, str):
            out["$ref"] = self._ref(ref, place, at)
        elif isinstance(dynamic, str) and not _is_anchor(dynamic) and place.index.target(at, dynamic) is None:
            del out["$dynamicRef"]  # without an anchor it means what a $ref does (2020-12 core, section 8.2.3.2)
            out["$ref"] = self._ref(dynamic, place, at)
        return rebuilt(out, self._dialect, lambda path, inner: self.rewritten(inner, place, at + pointer(*path)))

    def _ref(self, ref: str, place: _Place, at: str) -> str:
        home = self._is_home(place)
        if place.index.is_meta(at, ref):
            return ref
        inside = place.index.target(at, ref)
        if inside is not None and home:
            return ref
        if inside is not None:
            return self._taken(place.document, inside)
        found = self._bundler.external(place, at, ref, self._dialect)
        if found is None:
            return ref
        local = self._taken(*found)
        base = place.index.base_at(at)
        if not home or base == place.index.base_at(""):
            return local
        # inside a resource of its own, where `#` does not mean the root
        own = place.index.base_at("")
        self.needs_id = self.needs_id or own == place.index.base
        return (BUNDLE if own == place.index.base else own) + local

    def _is_home(self, place: _Place) -> bool:
        return place.document is self._home and place.part == ""

    def _taken(self, document: Document, target: str) -> str:
        key = (document.path, target)
        name = self._names.get(key, "")
        if key not in self.met:
            self.met[key] = None
            index = SchemaIndex(document.value, self._dialect)
            schema = follow(document.value, tokens(target))
            body = self.rewritten(schema, _Place(document, "", index, target or "/"), target)
            if isinstance(body, dict) and not target:
                body.pop("$defs", None)
                body.pop("definitions", None)
            self.added[name] = body
        return f"#/{self._keyword}" + quote(pointer(name), safe="/~!$&'()*+,;=:@?")


def keyword_of(dialect: str) -> str:
    """Where a dialect keeps its definitions."""
    return "definitions" if dialect == DRAFT_07 else "$defs"


def _is_anchor(ref: str) -> bool:
    fragment = ref.partition("#")[2]
    return bool(fragment) and not fragment.startswith("/")


def _references(index: SchemaIndex, schema: Json, keyword: str) -> Iterator[tuple[str, str]]:
    """Each reference of a kind in a schema: where it stands, and what it says."""
    unknown = keyword == "$dynamicRef" and index.dialect == DRAFT_07
    stack: list[tuple[str, Json]] = [("", schema)] if not unknown else []
    while stack:
        at, inner = stack.pop()
        if not isinstance(inner, dict):
            continue
        ref = inner.get(keyword)
        if isinstance(ref, str):
            yield at, ref
        stack.extend((at + pointer(*path), child) for path, child in subschemas(inner, index.dialect))


def _definition_name(path: Path, target: str) -> str:
    return tokens(target)[-1] if target else path.name.split(".")[0]


def _near(schema: Json, ref: str, uri: str = "") -> str:
    names: list[str] = []
    for keyword in ("$defs", "definitions"):
        held = schema.get(keyword) if isinstance(schema, dict) else None
        names += [f"#/{keyword}/{name}" for name in held] if isinstance(held, dict) else []
    close = difflib.get_close_matches(ref, names, 1, 0.5)
    if close:
        return f"did you mean {uri}{close[0]}?"
    if uri:
        return ""
    return "references are resolved inside the schema that they stand in: give it the definition under $defs"
