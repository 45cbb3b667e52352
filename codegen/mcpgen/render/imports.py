"""Write the import statements of a rendered module."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Mapping
from functools import lru_cache
from types import NoneType
from typing import cast

from mcpgen.names.reserved import FACADES, FORMS, IMPORT_SOURCES, TEMPLATES, ImportGroup


def render_imports(
    tree: ast.Module, facade: str, shared: Mapping[str, str], exported: Mapping[str, str] | None = None
) -> str:
    """Return the imports that a module needs, sorted as isort does; `shared` and `exported` have modules by name."""
    library_group = ImportGroup.PACKAGE if facade.startswith(".") else ImportGroup.THIRD_PARTY
    names_by_module: dict[tuple[ImportGroup, str], list[str]] = defaultdict(list)
    exports = exported or {}
    for name in _collect_used_names(tree) - _collect_defined_names(tree) - exports.keys():
        if name in shared:
            names_by_module[ImportGroup.PACKAGE, shared[name]].append(name)
        elif name in IMPORT_SOURCES:
            group, module = IMPORT_SOURCES[name]
            if group is ImportGroup.LIBRARY:
                package = facade.rpartition(".")[0] if module in (FACADES, TEMPLATES, FORMS) else facade
                group, module = library_group, f"{package}.{module}".removesuffix(".")
            names_by_module[group, module].append(name)
    imports = [
        (group, module, (-1, "", ""), sorted(names, key=make_sort_key))
        for (group, module), names in names_by_module.items()
    ]
    imports += [
        (ImportGroup.PACKAGE, module, make_sort_key(name), [f"{name} as {name}"]) for name, module in exports.items()
    ]
    groups: dict[ImportGroup, list[str]] = defaultdict(list)
    for group, module, _, names in sorted(imports):
        groups[group].append(f"from {module} import {', '.join(names)}")
    return "\n\n".join("\n".join(groups[group]) for group in sorted(groups))


def make_sort_key(name: str) -> tuple[int, str, str]:
    """Sort constants before classes before functions, each without regard to case, as isort does."""
    kind = 0 if len(name) > 1 and name.isupper() else 1 if name[0].isupper() else 2
    return kind, name.lower(), name


def _collect_defined_names(tree: ast.Module) -> set[str]:
    definitions = {node.name for node in tree.body if isinstance(node, ast.ClassDef | ast.FunctionDef)}
    statements = [*tree.body, *(child for node in tree.body if isinstance(node, ast.If) for child in node.body)]
    targets: list[ast.expr] = [node.target for node in statements if isinstance(node, ast.AnnAssign)]
    targets += [target for node in statements if isinstance(node, ast.Assign) for target in node.targets]
    return definitions | {target.id for target in targets if isinstance(target, ast.Name)}


def _collect_used_names(tree: ast.AST) -> set[str]:
    """Return the names that code reads, without the parameters that a function's body reads."""
    used: set[str] = set()
    stack: list[tuple[ast.AST, frozenset[str]]] = [(tree, frozenset())]
    while stack:
        node, parameters = stack.pop()
        if isinstance(node, ast.Name):
            if node.id not in parameters and isinstance(node.ctx, ast.Load):
                used.add(node.id)
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            visible = parameters | {argument.arg for argument in (*node.args.args, *node.args.kwonlyargs)}
            stack += [(statement, visible) for statement in node.body]
            signature = [node.args, *node.decorator_list, *([node.returns] if node.returns else [])]
            stack += [(child, parameters) for child in signature]
        else:
            if isinstance(node, ast.Call):
                for text in _find_quoted_annotations(node):
                    used |= _collect_quoted_names(text) - parameters
            _push_children(node, parameters, stack)
    return used


_SKIPPED = frozenset({ast.Constant, ast.Load, ast.Store, ast.Del, str, int, bool, NoneType})
"""Classes of most of what nodes have in them: it contains no names."""


def _push_children(node: ast.AST, parameters: frozenset[str], stack: list[tuple[ast.AST, frozenset[str]]]) -> None:
    """Put the children of a node that may have names in them on a stack."""
    for field in node._fields:
        value = getattr(node, field, None)
        if type(value) is list:
            stack += [(child, parameters) for child in cast(list[ast.AST], value) if type(child) not in _SKIPPED]
        elif type(value) not in _SKIPPED:
            stack.append((cast(ast.AST, value), parameters))


@lru_cache(4096)
def _collect_quoted_names(text: str) -> set[str]:
    return _collect_used_names(ast.parse(text))


def _find_quoted_annotations(node: ast.AST) -> list[str]:
    match node:
        case ast.Call(func=ast.Name(id="TypeAliasType"), args=[_, ast.Constant(value=str() as text)]):
            return [text]
        case ast.Call(func=ast.Name(id="TypedDict"), args=[_, ast.Dict(values=values)]):
            return [value.value for value in values if isinstance(value, ast.Constant) and isinstance(value.value, str)]
        case _:
            return []
