"""What the module of a prompt may hold beside what all modules may: its `PromptInfo` and its arguments."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator

PARAMETER = re.compile(r"[a-z][a-z0-9_]*")
NAMES = frozenset("ClassVar Literal PromptArgument PromptInfo __file__ dict present_arguments staticmethod str".split())
NODES = (
    *(ast.AnnAssign, ast.BinOp, ast.BitOr, ast.Call, ast.Constant, ast.Dict, ast.Expr, ast.FunctionDef, ast.Load),
    *(ast.Name, ast.Return, ast.Store, ast.Subscript, ast.Tuple, ast.arg, ast.arguments, ast.keyword),
)
DOC = "Return the arguments of a request."
KEYWORDS = frozenset(("required", "values"))


def checked(tree: ast.Module, texts: Iterable[str]) -> Iterator[str]:
    """Yield what is wrong with a prompt's own statements, which are taken out of the tree."""
    declared_texts = {*texts, DOC}
    for node in tree.body:
        if isinstance(node, ast.ClassDef) and [ast.unparse(base) for base in node.bases] == ["PromptBase"]:
            assignments, node.body = node.body[1:], node.body[:1]
            yield from (problem for statement in assignments for problem in _check(statement, declared_texts))


def _check(statement: ast.stmt, declared_texts: set[str]) -> Iterator[str]:
    named = getattr(statement, "name", "") or ast.unparse(getattr(statement, "target", statement))
    if named not in ("prompt", "arguments"):
        yield f"the statement {ast.unparse(statement)[:80]}"
    parameters = {node.arg for node in ast.walk(statement) if isinstance(node, ast.arg)}
    if not all(map(PARAMETER.fullmatch, parameters)):
        yield f"the parameters {sorted(parameters)}"
    for node in ast.walk(statement):
        match node:
            case ast.Constant(value=str() as text):
                fine = text in declared_texts or PARAMETER.fullmatch(text) is not None
            case ast.Constant(value=value):
                fine = value is None or value is True
            case ast.Name(id=name):
                fine = name in NAMES or name in parameters or name == "prompt"
            case ast.keyword(arg=arg):
                fine = arg in KEYWORDS
            case _:
                fine = isinstance(node, NODES)
        if not fine:
            yield f"the entry {ast.unparse(node)[:80]}"
