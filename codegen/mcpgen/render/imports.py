"""Imports of a rendered module."""

from __future__ import annotations

import ast

from mcpgen.names.reserved import IMPORT_SOURCES


def render_imports(body: str, dots: str, shared: set[str]) -> str:
    """The import statements that some code needs; `dots` lead to the package, `shared` are names of `types.py`."""
    tree = ast.parse(body)
    used = _collect_used_names(tree) - _collect_defined_names(tree)
    found: dict[tuple[int, str], list[str]] = {}
    for name in sorted(used):
        if name in shared:
            found.setdefault((2, f"{dots}types"), []).append(name)
        elif name in IMPORT_SOURCES:
            group, module = IMPORT_SOURCES[name]
            found.setdefault((group, dots + module if group == 2 else module), []).append(name)
    groups: dict[int, list[str]] = {}
    for (group, module), names in sorted(found.items()):
        groups.setdefault(group, []).append(f"from {module} import {', '.join(sorted(names, key=_make_sort_key))}")
    return "\n\n".join("\n".join(lines) for _, lines in sorted(groups.items()))


def _make_sort_key(name: str) -> tuple[int, str]:
    """Constants, then classes, then functions, as isort sorts them."""
    return (0 if name.isupper() else 1 if name[0].isupper() else 2, name)


def _collect_defined_names(tree: ast.Module) -> set[str]:
    own = {node.name for node in tree.body if isinstance(node, ast.ClassDef | ast.FunctionDef)}
    bodies = [node.body for node in tree.body if isinstance(node, ast.If)]
    statements = [*tree.body, *(inner for body in bodies for inner in body)]
    targets: list[ast.expr] = [node.target for node in statements if isinstance(node, ast.AnnAssign)]
    targets += [target for node in statements if isinstance(node, ast.Assign) for target in node.targets]
    return own | {target.id for target in targets if isinstance(target, ast.Name)}


def _collect_used_names(tree: ast.AST) -> set[str]:
    """The names that are read in some code; in the body of a function its parameters are none."""
    found: set[str] = set()
    stack: list[tuple[ast.AST, frozenset[str]]] = [(tree, frozenset())]
    while stack:
        node, hidden = stack.pop()
        match node:
            case ast.Name(id=name, ctx=ast.Load()) if name not in hidden:
                found.add(name)
            case ast.FunctionDef() | ast.AsyncFunctionDef():
                inside = hidden | {one.arg for one in (*node.args.args, *node.args.kwonlyargs)}
                stack += ((one, inside) for one in node.body)
                around = [node.args, *node.decorator_list, *([node.returns] if node.returns else [])]
                stack += ((one, hidden) for one in around)
            case _:
                quoted = map(ast.parse, _find_quoted_annotations(node))
                stack += ((child, hidden) for child in (*ast.iter_child_nodes(node), *quoted))
    return found


def _find_quoted_annotations(node: ast.AST) -> list[str]:
    """The annotations that stand in a call as texts."""
    match node:
        case ast.Call(func=ast.Name(id="TypeAliasType"), args=[_, ast.Constant(value=str() as text)]):
            return [text]
        case ast.Call(func=ast.Name(id="TypedDict"), args=[_, ast.Dict(values=values)]):
            return [one.value for one in values if isinstance(one, ast.Constant) and isinstance(one.value, str)]
        case _:
            return []
