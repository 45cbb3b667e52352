"""What a tool's module says of handlers: the TypedDicts of its classes, the types of `normalize`; taken out whole."""

from __future__ import annotations

import ast
import re
from collections.abc import Container

CLASS = re.compile(r"[A-Z][A-Za-z0-9_]*|_[0-9][A-Za-z0-9_]*")
DOC = re.compile(r"`[A-Za-z0-9_]+` as a JSON object\.")


class Handled:
    """Takes its part out of a module's tree.

    `problems` are what it does not know there, `annotations` types that are left to be checked, `names` the TypedDicts
    and aliases, which other types may mention.
    """

    def __init__(self, tree: ast.Module, texts: Container[str]) -> None:
        self._texts = texts
        self.problems: list[str] = []
        self.annotations: list[ast.expr] = []
        self.names: set[str] = set()
        statements: list[ast.stmt] = []
        previous: ast.stmt | None = None
        for node in tree.body:
            if not self._typed_dict(node, previous):
                statements.append(node)
            previous = node
        tree.body = statements
        for node in statements:
            if isinstance(node, ast.ClassDef):
                node.body = [inner for inner in node.body if not self._method(inner)]

    def _typed_dict(self, node: ast.stmt, previous: ast.stmt | None) -> bool:
        """Return whether a statement is a TypedDict, its docstring, or the alias of one."""
        match node:
            case ast.ClassDef(bases=[ast.Name(id="TypedDict")]):
                self._expect(not node.keywords and not node.decorator_list, node)
                self._named(node.name, node)
                self._members(node)
            case ast.ClassDef(bases=[ast.Name(id=base)], body=[ast.Expr()]) if base.endswith("Dict"):
                self._expect(not node.keywords and not node.decorator_list, node)
                self._named(node.name, node)
                self._members(node)
            case ast.Assign(
                targets=[ast.Name(id=name)],
                value=ast.Call(
                    func=ast.Name(id="TypedDict"),
                    args=[ast.Constant(value=again), ast.Dict(keys=keys, values=values)],
                    keywords=[],
                ),
            ):
                self._expect(again == name, node)
                self._named(name, node)
                for key, value in zip(keys, values, strict=True):
                    self._expect(isinstance(key, ast.Constant) and str(key.value) in self._texts, node)
                    self._quoted(value, node)
            case ast.Expr(value=ast.Constant(value=str() as text)) if _is_functional(previous):
                self._expect(DOC.fullmatch(text) is not None, node)
            case ast.If(
                test=ast.Name(id="TYPE_CHECKING"),
                body=[ast.AnnAssign(target=ast.Name(id=name), annotation=ast.Name(id="TypeAlias"), value=value)],
                orelse=[],
            ) if value is not None:
                self._named(name, node)
                self._quoted(value, node)
            case _:
                return False
        return True

    def _members(self, node: ast.ClassDef) -> None:
        for inner in node.body:
            match inner:
                case ast.Expr(value=ast.Constant(value=str() as text)):
                    self._expect(DOC.fullmatch(text) is not None, node)
                case ast.AnnAssign(target=ast.Name(id=name), annotation=annotation, value=None):
                    self._expect(name in self._texts, inner)
                    self.annotations.append(annotation)
                case _:
                    self._expect(False, inner)

    def _quoted(self, value: ast.expr, node: ast.stmt) -> None:
        if isinstance(value, ast.Constant) and isinstance(value.value, str):
            self.annotations.append(ast.parse(value.value, mode="eval").body)
        else:
            self._expect(False, node)

    def _method(self, node: ast.stmt) -> bool:
        """Return whether a statement is the declaration of `normalize`."""
        match node:
            case ast.AnnAssign(target=ast.Name(id="normalize"), annotation=annotation, value=None):
                match annotation:
                    case ast.Subscript(
                        value=ast.Name(id="ClassVar"),
                        slice=ast.Subscript(
                            value=ast.Name(id="Normalize"),
                            slice=ast.Subscript(value=ast.Name(id="Returned" | "ReturnedArray"), slice=value),
                        ),
                    ):
                        self.annotations.append(value)
                    case _:
                        self._expect(False, node)
                return True
            case _:
                return False

    def _named(self, name: str, node: ast.stmt) -> None:
        self._expect(CLASS.fullmatch(name) is not None, node)
        self.names.add(name)

    def _expect(self, fine: bool, node: ast.AST) -> None:
        if not fine:
            self.problems.append(f"line {getattr(node, 'lineno', 0)}: {ast.unparse(node)[:80]}")


def _is_functional(node: ast.stmt | None) -> bool:
    return isinstance(node, ast.Assign) and isinstance(node.value, ast.Call)
