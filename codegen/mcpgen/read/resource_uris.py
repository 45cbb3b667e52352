"""Choose the URIs of the resources in a compound document (2020-12 core, section 9.3.1)."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import quote

from mcpgen.read.definition_names import RelativePaths
from mcpgen.read.reachable import ReachableSchemas, SchemaSource
from mcpgen.schema.index import SchemaIndex, is_absolute_uri, join_uri, split_fragment
from mcpgen.schema.keywords import iterate_subschemas
from mcpgen.schema.values import Json, format_pointer, hash_json

BUNDLE_BASE_URI = "https://mcpgen.invalid/bundle/"
"""Start of the URIs of resources without an `$id`.

Every validator resolves relative references for this scheme; `.invalid` names no host (RFC 2606, section 2).
"""


class ResourceUris:
    """URIs of the home schema's resources and of the embedded documents'."""

    def __init__(self, reach: ReachableSchemas, paths: RelativePaths) -> None:
        self._reach, self._paths, self._home = reach, paths, reach.home
        root_schema: Json = self._home.root
        self.new_id = self._find_new_id(root_schema.get("$id") if isinstance(root_schema, dict) else None)
        """The URI that the root gets in place of its `$id`; empty: it keeps what it has."""
        if self.new_id and isinstance(root_schema, dict):
            root_schema = {**root_schema, "$id": self.new_id}
        self._home_index = SchemaIndex(root_schema, reach.dialect)
        self._uris: dict[tuple[Path | None, str], str] = {
            (None, pointer): uri for uri, pointer in self._home_index.resources.items()
        }
        self._bases: dict[tuple[Path, str], str] = {}
        self._used = set(self._home_index.resources)
        for path in sorted(reach.embedded, key=paths.get):
            self._assign_uris(reach.embedded[path])

    @property
    def root_base(self) -> str:
        """The base URI of the new document."""
        return self._home_index.find_base("")

    def get(self, path: Path | None, pointer: str) -> str:
        """Return the URI of the resource at a pointer of a file, of the home schema if the file is None."""
        return self._uris[path, pointer]

    def is_resource(self, source: SchemaSource, pointer: str) -> bool:
        """Return whether the schema at a pointer of a source is a resource, with a URI of its own."""
        return (source.key, pointer) in self._uris

    def find_base(self, source: SchemaSource, pointer: str) -> str:
        """Return the base URI of the schema at a pointer of a source in the new document."""
        if source.is_home:
            return self._home_index.find_base(pointer)
        while (source.document.path, pointer) not in self._bases:
            pointer = pointer.rpartition("/")[0]
        return self._bases[source.document.path, pointer]

    # --- the root -----------------------------------------------------------------------------------------------
    def _find_new_id(self, home_id: Json) -> str:
        has_uri = isinstance(home_id, str) and is_absolute_uri(home_id)
        return "" if has_uri or not self._needs_id() else self._make_root_id(home_id)

    def _needs_id(self) -> bool:
        """Return whether the root needs a URI.

        It does if a reference inside another resource leads to it, where `#` means that resource. It also does if a
        `$dynamicRef` there names one of its anchors: some validators don't consider a root without a URI.
        """
        index = self._home.index
        if self._reach.dynamic_names & index.dynamic_anchors and (
            self._reach.embedded or any(index.resources.values())
        ):
            return True
        for (path, pointer, keyword), target in self._reach.targets.items():
            if target.source.is_home or not self._reach.is_kept(target.source, target.at):
                source = self._home if path is None else self._reach.outside_sources[path]
                is_nested = source.is_home and source.index.find_base(pointer) != source.index.find_base("")
                schema = source.get(pointer)
                ref = schema.get(keyword) if isinstance(schema, dict) else None
                if is_nested and isinstance(ref, str) and source.index.find_target(pointer, ref) is None:
                    return True
                if not source.is_home and self._reach.is_kept(source, pointer):
                    return True
        return False

    def _make_root_id(self, home_id: Json) -> str:
        """Return a URI for the root. It depends on the content, because clients may cache schemas by URI."""
        documents = {target.source.document.path: target.source.document for target in self._reach.targets.values()}
        content: Json = {self._paths.get(path): hash_json(document.value) for path, document in documents.items()}
        base = f"{BUNDLE_BASE_URI}{hash_json([self._home.root, content])[:32]}"
        return join_uri(base + "/", split_fragment(home_id)[0]) if isinstance(home_id, str) else base

    # --- embedded documents -------------------------------------------------------------------------------------
    def _assign_uris(self, source: SchemaSource) -> None:
        """Give each resource of an embedded document its URI: its own, unless another resource has it already."""
        stack: list[tuple[str, Json, str]] = [("", source.root, self._find_retrieval_uri(source))]
        while stack:
            pointer, schema, base = stack.pop()
            if isinstance(schema, dict):
                schema_id = schema.get("$id")
                uri = split_fragment(join_uri(base, schema_id))[0] if isinstance(schema_id, str) else base
                if uri != base or not pointer:
                    base = self._uris[source.key, pointer] = self._make_unused(uri, source)
                stack.extend(
                    (pointer + format_pointer(*path), inner, base)
                    for path, inner in iterate_subschemas(schema, self._reach.dialect)
                )
            self._bases[source.document.path, pointer] = base

    def _find_retrieval_uri(self, source: SchemaSource) -> str:
        """Return the URI by which a document was referred to. It is the base URI of a document without an `$id`."""
        retrieved = self._reach.retrieved.get(source.document.path)
        return min(retrieved) if retrieved else self._make_uri(source)

    def _make_uri(self, source: SchemaSource) -> str:
        parts = [part for part in self._paths.get(source.document.path).split("/") if part != ".."]
        return BUNDLE_BASE_URI + quote("/".join(parts), safe="/")

    def _make_unused(self, uri: str, source: SchemaSource) -> str:
        candidate, count = uri, 1
        while candidate in self._used:
            stem = self._make_uri(source)
            candidate, count = stem if count == 1 else f"{stem}/{count}", count + 1
        self._used.add(candidate)
        return candidate
