"""What the statements may consist of that write a table, and the strings that may stand in them.

Titles of columns are texts of the definitions, so that any string may stand where text is written, and nowhere else.
"""

from __future__ import annotations

import ast
import re

from support.injection.text import Problems

FUNCTIONS = frozenset(
    "csv_text line_name line_text markdown_text nullable_text tsv_text undeclared undeclared_row value_text".split()
)
NODES = (
    *(ast.And, ast.AnnAssign, ast.Assign, ast.Attribute, ast.AugAssign, ast.Add, ast.BoolOp, ast.Call, ast.Compare),
    *(ast.Constant, ast.Expr, ast.For, ast.FormattedValue, ast.If, ast.IfExp, ast.In, ast.Is, ast.IsNot, ast.JoinedStr),
    *(ast.List, ast.ListComp, ast.Load, ast.Name, ast.Or, ast.Return, ast.Starred, ast.Store, ast.Subscript, ast.Tuple),
    *(ast.comprehension, ast.UnaryOp, ast.USub),
)
NAMES = FUNCTIONS | frozenset(
    "JsonObject any extra has_more isinstance item list more name parts row self str to_json_value text_block value "
    "zip".split()
)
CALLED = FUNCTIONS | frozenset("any isinstance str text_block to_json_value zip".split())
METHODS = frozenset("append items join to_structured_content".split())
FIELD = re.compile(r"[a-z][a-z0-9_]*")


def take_methods(tree: ast.Module) -> Problems:
    """Report what is wrong with the methods that write tables, and reduce them to what every result has."""
    imported = {name.name for node in tree.body if isinstance(node, ast.ImportFrom) for name in node.names}
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef) and node.name == "to_content" and len(node.body) > 1:
            for part in node.body:
                for inner in ast.walk(part):
                    for problem in _check_node(inner, imported):
                        yield f"line {getattr(inner, 'lineno', 0)}: in a table, {problem}"
                yield from _check_fields(part)
            yield from _check_end(node)
            node.body = [*ast.parse("def f(self):\n    return [text_block(self._json_text())]").body[0].body]  # type: ignore[attr-defined]


def _check_node(node: ast.AST, imported: set[str]) -> Problems:
    if not isinstance(node, NODES):
        yield f"a {type(node).__name__}"
    match node:
        case ast.Name(id=name) if name not in NAMES or (name in FUNCTIONS and name not in imported):
            yield f"the name {name}"
        case ast.Attribute(attr=name) if name not in METHODS and FIELD.fullmatch(name) is None:
            yield f"the attribute {name}"
        case ast.Call(func=ast.Name(id=name)) if name not in CALLED:
            yield f"the call of {name}"
        case ast.Call(func=ast.Attribute(attr=name)) if name not in METHODS:
            yield f"the call of {name}"
        case ast.Call(keywords=[_, *_]):
            yield "a keyword"
        case ast.Constant(value=value) if not isinstance(value, str) and value is not None:
            yield f"the constant {value!r}"
        case _:
            pass


def _check_fields(part: ast.stmt) -> Problems:
    """Report comparisons with anything but the name of a field."""
    for node in ast.walk(part):
        match node:
            case ast.Compare(
                left=ast.Constant(value=str() as name), ops=[ast.In()], comparators=[ast.Attribute() as attribute]
            ):
                if FIELD.fullmatch(name) is None or attribute.attr != "model_fields_set":
                    yield f"in a table, {ast.unparse(node)[:80]}"
            case ast.Compare(ops=[ast.Is() | ast.IsNot()], comparators=[ast.Constant(value=None)]):
                pass
            case ast.Compare():
                yield f"in a table, {ast.unparse(node)[:80]}"
            case _:
                pass


def _check_end(method: ast.FunctionDef) -> Problems:
    if ast.unparse(method.body[-1]) != "return [text_block(''.join(parts))]":
        yield f"a table ends in {ast.unparse(method.body[-1])[:80]}"
