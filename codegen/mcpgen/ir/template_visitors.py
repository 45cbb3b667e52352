"""Questions about template expressions, and rewriting them."""

from __future__ import annotations

from dataclasses import fields, is_dataclass, replace
from typing import Any, cast

from mcpgen.ir.template import Attribute, Comprehension, Constant, Expr, Local, Logic, Subscript, This


def is_reference(expr: Expr) -> bool:
    """Return whether type checkers narrow the type of this expression: a variable, its attributes, constant items."""
    match expr:
        case This() | Local():
            return True
        case Attribute(base=base):
            return is_reference(base)
        case Subscript(base=base, index=Constant()):
            return is_reference(base)
        case _:
            return False


def mentions_local(tree: object, local: Local) -> bool:
    """Return whether a variable is used in an expression, a statement or a tuple of them."""
    if tree == local:
        return True
    if isinstance(tree, tuple):
        return any(mentions_local(part, local) for part in cast(tuple[object, ...], tree))
    return is_dataclass(tree) and any(mentions_local(getattr(tree, field.name), local) for field in fields(tree))


def substitute_local(tree: Any, local: Local, replacement: Expr) -> Any:
    """Replace a variable in an expression, a statement or a tuple of them."""
    if tree == local:
        return replacement
    if isinstance(tree, tuple):
        return tuple(substitute_local(part, local, replacement) for part in cast(tuple[object, ...], tree))
    if not is_dataclass(tree) or isinstance(tree, type):
        return tree
    parts = {field.name: substitute_local(getattr(tree, field.name), local, replacement) for field in fields(tree)}
    return replace(tree, **parts)


def make_comprehension(local: Local, source: Expr, item: Expr, test: Expr | None = None) -> Expr:
    """Return `item for local in source if test`.

    A comprehension over a comprehension becomes a single one where possible; `local for local in source` is `source`.
    """
    if item == local and test is None:
        return source
    if isinstance(source, Comprehension):
        source_local = Local(source.name)
        if source.item == source_local or (source.test is None and test is None):
            inlined_test = None if test is None else substitute_local(test, local, source.item)
            tests = tuple(part for part in (source.test, inlined_test) if part)
            joined = None if not tests else tests[0] if len(tests) == 1 else Logic("and", tests)
            return Comprehension(source.name, source.source, substitute_local(item, local, source.item), joined)
    return Comprehension(local.name, source, item, test)
