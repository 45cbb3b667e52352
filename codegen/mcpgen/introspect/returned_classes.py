"""Classes of the user's that handlers return: what contradicts the outputSchema of a tool, and import cycles."""

from __future__ import annotations

import ast
import contextlib
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from importlib.machinery import ModuleSpec, PathFinder
from importlib.util import resolve_name
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter
from pydantic.json_schema import GenerateJsonSchema
from pydantic_core import core_schema

from mcpgen.compat.inclusion.schema_view import SchemaView
from mcpgen.files.project_paths import is_within, resolve_path
from mcpgen.files.regular_files import read_input
from mcpgen.introspect.in_process import load_object
from mcpgen.introspect.server_address import InProcess
from mcpgen.schema.document import Schema, SchemaLocation
from mcpgen.schema.keywords import DRAFT_2020_12
from mcpgen.schema.object_roots import is_sdk_wrapper
from mcpgen.schema.values import Json

MAX_MODULE_SIZE = 4 * 2**20


@dataclass(frozen=True)
class Misfit:
    """Part of a class whose values a schema always refuses."""

    path: str
    """Where it is in the result, as in `rows[].height`; empty for the whole."""
    problem: str

    def __str__(self) -> str:
        return f'"{self.path}" {self.problem}' if self.path else f"the result {self.problem}"


def find_misfits(output: Schema, path: str, environment: Mapping[str, str]) -> list[Misfit]:
    """Return where a class always contradicts an outputSchema; raise `IntrospectionError` if it cannot be imported."""
    module, _, attribute = path.partition(":")
    cls = load_object(InProcess(module, attribute), environment)
    candidates = [_list_misfits(output, schema) for schema in _generate_schemas(cls)]
    return min(candidates, key=len) if candidates else []


def _generate_schemas(cls: Any) -> Iterator[Json]:
    """Yield the schema of what a class is written as: with its aliases and, as a tool may declare these, its names."""
    for by_alias in (True, False):
        with contextlib.suppress(Exception):  # pydantic does not know the class; a hook of the class may raise anything
            adapter: TypeAdapter[Any] = TypeAdapter(cls)
            yield adapter.json_schema(mode="serialization", by_alias=by_alias, schema_generator=_LooseDecimals)


class _LooseDecimals(GenerateJsonSchema):
    """Schemas in which a decimal is a number or a string, as it is written as what the outputSchema takes."""

    def decimal_schema(self, schema: core_schema.DecimalSchema) -> dict[str, Any]:
        return {"type": ["number", "string"]}


def _list_misfits(output: Schema, own: Json) -> list[Misfit]:
    declared, written = _SchemaReader(output.value, output.dialect), _SchemaReader(own, DRAFT_2020_12)
    places = [declared.root]
    if is_sdk_wrapper(output.value):  # the handler may return the bare value
        bare = declared.document.get_subschema(declared.root, "properties", "result")
        places.insert(1 if "result" in written.find_properties(written.root) else 0, bare)
    found = [[*_Comparison(declared, written).compare(place, written.root, "")] for place in places]
    return min(found, key=len)


class _Comparison:
    def __init__(self, declared: _SchemaReader, written: _SchemaReader) -> None:
        self._declared, self._written = declared, written
        self._seen: set[tuple[str, str]] = set()

    def compare(self, place: SchemaLocation, own: SchemaLocation, path: str) -> Iterator[Misfit]:
        if (place.at, own.at) in self._seen:
            return
        self._seen.add((place.at, own.at))
        wanted, kinds = self._declared.find_present_kinds(place), self._written.find_present_kinds(own)
        if not wanted or not kinds:
            return
        if not wanted & kinds:
            yield Misfit(path, f"is {_join(kinds)} in the class, and {_join(wanted)} in the schema")
        if "object" in wanted & kinds:
            yield from self._compare_objects(place, own, path)
        if "array" in wanted & kinds:
            items, own_items = self._declared.find_items(place), self._written.find_items(own)
            if items is not None and own_items is not None:
                yield from self.compare(items, own_items, f"{path}[]")

    def _compare_objects(self, place: SchemaLocation, own: SchemaLocation, path: str) -> Iterator[Misfit]:
        properties, fields = self._declared.find_properties(place), self._written.find_properties(own)
        if not fields:
            return  # a dict, or a class about which pydantic knows nothing
        prefix = f"{path}." if path else ""
        if not self._written.is_open(own):
            for name in sorted(self._declared.find_required(place) - fields.keys()):
                yield Misfit(f"{prefix}{name}", "is required by the schema, and the class does not have it")
        for name, field in fields.items():
            if name in properties:
                yield from self.compare(properties[name], field, f"{prefix}{name}")
            elif self._declared.is_closed(place):
                yield Misfit(f"{prefix}{name}", "is in the class, and the schema does not allow it")


def _join(kinds: frozenset[str]) -> str:
    return " or ".join(sorted(kinds))


class _SchemaReader(SchemaView):
    """What subschemas of a document say together with those that they refer to, and with `allOf`."""

    def _expand(self, place: SchemaLocation) -> list[SchemaLocation]:
        found: list[SchemaLocation] = []
        waiting = [place]
        while waiting:
            at = waiting.pop()
            if any(at.at == other.at for other in found):
                continue
            found.append(at)
            waiting += self.resolve_references(at)
            waiting += self.get_subschemas(at, "allOf")
            for keyword in ("anyOf", "oneOf"):
                branches = [branch for branch in self.get_subschemas(at, keyword) if self.find_present_kinds(branch)]
                waiting += branches if len(branches) == 1 else []
        return found

    def find_present_kinds(self, place: SchemaLocation) -> frozenset[str]:
        """Return the kinds of values that a schema may allow, integers as numbers; null depends on the value."""
        return frozenset("number" if kind == "integer" else kind for kind in self.find_kinds(place) - {"null"})

    def find_properties(self, place: SchemaLocation) -> dict[str, SchemaLocation]:
        properties: dict[str, SchemaLocation] = {}
        for at in self._expand(place):
            properties |= self.get_named_subschemas(at, "properties")
        return properties

    def find_required(self, place: SchemaLocation) -> set[str]:
        return {name for at in self._expand(place) for name in self.get_names(at, "required")}

    def is_closed(self, place: SchemaLocation) -> bool:
        """Tell whether no other properties are allowed than those that are declared by name."""
        expanded = self._expand(place)
        has_patterns = any(self.get_named_subschemas(at, "patternProperties") for at in expanded)
        return not has_patterns and any(self.get(at, "additionalProperties") is False for at in expanded)

    def is_open(self, place: SchemaLocation) -> bool:
        """Tell whether a schema says that there are other properties."""
        return any(self.get(at, "additionalProperties") not in (None, False) for at in self._expand(place))

    def find_items(self, place: SchemaLocation) -> SchemaLocation | None:
        for at in self._expand(place):
            items = self.get_later_items(at)
            if items is not None and not self.get_prefix_items(at):
                return items
        return None


@dataclass(frozen=True)
class PackageImport:
    """The import of the generated package with which a cycle begins."""

    module: str
    """The module of the user's that imports the package."""
    file: Path
    line: int


def find_package_import(module: str, out: Path, folder: Path) -> PackageImport | None:
    """Return how a module imports the generated package, itself or through others, if that also imports the module.

    Type checkers see the imports of all scopes, also below `TYPE_CHECKING`. In such a cycle, mypy may not know the
    types of decorators; for imports in functions, that depends on the order in which it checks the modules. Modules
    below the folder are searched, and installed ones are not.
    """
    out, folder = resolve_path(out), resolve_path(folder)
    found: dict[str, PackageImport | None] = {module: None}
    for name in (waiting := [module]):  # grows during the loop
        file = _find_file(name)
        if file is None or not is_within(file, (folder, out)) or "site-packages" in file.parts:
            continue
        is_in_package = is_within(file, (out,))
        for imported, line in _list_imports(name, file):
            if imported == module and is_in_package:
                return found[name]
            if imported not in found:
                found[imported] = found[name] if is_in_package else PackageImport(name, file, line)
                waiting.append(imported)
    return None


def _find_file(module: str) -> Path | None:
    spec: ModuleSpec | None = getattr(sys.modules.get(module), "__spec__", None)
    if spec is None:
        path: list[str] | None = [str(Path.cwd()), *sys.path]
        parts = module.split(".")
        for count in range(1, len(parts) + 1):
            spec = PathFinder.find_spec(".".join(parts[:count]), path)
            path = [*(spec.submodule_search_locations or ())] if spec is not None else []
    file = Path(spec.origin) if spec is not None and spec.origin else None
    return resolve_path(file) if file is not None and file.suffix == ".py" else None


def _list_imports(module: str, file: Path) -> Iterator[tuple[str, int]]:
    try:
        tree = ast.parse(read_input(file, MAX_MODULE_SIZE))
    except (OSError, ValueError, SyntaxError):
        return
    package = module if file.stem == "__init__" else module.rpartition(".")[0]
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                parts = alias.name.split(".")
                yield from ((".".join(parts[:count]), node.lineno) for count in range(1, len(parts) + 1))
        elif isinstance(node, ast.ImportFrom):
            try:
                base = resolve_name("." * node.level + (node.module or ""), package)
            except ImportError:  # beyond the top
                continue
            yield base, node.lineno
            yield from ((f"{base}.{alias.name}", node.lineno) for alias in node.names if alias.name != "*")
