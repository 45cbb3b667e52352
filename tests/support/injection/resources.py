"""What the module of a resource may hold beside what all modules may: its URIs and what `normalize` takes."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator
from urllib.parse import unquote

PARAMETER = re.compile(r"[a-z][a-z0-9_]*")
DOCS = ("Return the URI of the resource.", "Return the URI of the resource with these parameters.")
MATCH = """\
@classmethod
def match(cls, uri: str) -> {0} | None:
    \"\"\"Return the parameters in a URI; None if it belongs to another resource.\"\"\"
    found = uri_templates.matched(_TEMPLATE, uri)
    if found is None:
        return None
    return {{}}
"""
NORMALIZE = """\
@classmethod
def normalize(cls, value: {0}, uri: str | None = None, protocol: str | None = None) -> ReadResourceResult:
    \"\"\"Convert what a handler returned to a ReadResourceResult; see `normalize_any`.\"\"\"
    ...
"""
TAKEN = re.compile(
    r"\w+ \| (Mapping\[str, Any\]|list\[Any\]|JsonValue|str|Integer|Number|Boolean|None)( \| str)? \| ResourceAnswer"
)


def checked(tree: ast.Module, texts: Iterable[str]) -> Iterator[str]:
    """Yield what is wrong with a resource's own statements, which are taken out of the tree.

    Args:
        tree: the module.
        texts: the strings of the definitions; text in a template stands in them, percent-encoded or not.
    """
    declared_texts = [unquote(text) for text in texts]
    names: list[str] = []
    for node in [*tree.body]:
        match node:
            case ast.ImportFrom(module="runtime", level=2, names=[ast.alias(name="uri_templates", asname=None)]):
                tree.body.remove(node)
            case ast.Assign(targets=[ast.Name(id="_TEMPLATE")], value=ast.Tuple(elts=parts)):
                tree.body.remove(node)
                yield from (f"the part {ast.unparse(part)}" for part in parts if not _part(part, declared_texts))
            case ast.ClassDef(bases=[ast.Name(id="TypedDict")], body=[ast.Expr(), *fields]):
                tree.body.remove(node)
                names.append(node.name)
                if not re.fullmatch(r"\w+Parameters", node.name, re.ASCII) or not all(map(_field, fields)):
                    yield f"the class {ast.unparse(node)[:80]}"
            case ast.ClassDef():
                yield from _class(node, names, declared_texts)
            case _:
                pass


def _class(node: ast.ClassDef, names: list[str], declared_texts: list[str]) -> Iterator[str]:
    passed: set[str] = set()
    for inner in [*node.body]:
        match inner:
            case ast.FunctionDef(name="uri"):
                node.body.remove(inner)
                passed = {item.arg for item in inner.args.kwonlyargs}
                if not _uri(inner, declared_texts):
                    yield f"the function {ast.unparse(inner)[:200]}"
            case ast.FunctionDef(name="match", body=[*_, ast.Return(value=ast.Dict(keys=keys, values=values))]):
                node.body.remove(inner)
                text = {key.value for key in keys if isinstance(key, ast.Constant)}
                are_known = all(_found(value, declared_texts) for value in values)
                inner.body[-1] = ast.Return(ast.Dict([], []))
                expected = [ast.dump(ast.parse(MATCH.format(name)).body[0]) for name in names]
                if text != passed or not are_known or ast.dump(inner) not in expected:
                    yield f"the function {ast.unparse(inner)[:200]}"
            case ast.If(body=[ast.FunctionDef(name="normalize", args=args)], orelse=[]):
                node.body.remove(inner)
                annotation = ast.unparse(args.args[1].annotation) if args.args[1].annotation else ""
                expected = [
                    ast.dump(ast.parse(f"if TYPE_CHECKING:\n{_indented(NORMALIZE.format(annotation))}").body[0])
                ]
                if (
                    ast.dump(inner) not in expected
                    or not TAKEN.fullmatch(annotation)
                    or annotation.split()[0] != node.name
                ):
                    yield f"the function {ast.unparse(inner)[:200]}"
            case _:
                pass


def _indented(text: str) -> str:
    return "".join(f"    {line}" for line in text.splitlines(keepends=True))


def _uri(node: ast.FunctionDef, declared_texts: list[str]) -> bool:
    args = node.args
    match node:
        case ast.FunctionDef(
            decorator_list=[ast.Name(id="staticmethod")],
            returns=ast.Name(id="str"),
            body=[ast.Expr(value=ast.Constant(value=str() as doc)), ast.Return(value=ast.expr() as value)],
        ) if doc in DOCS and not (args.args or args.posonlyargs or args.vararg or args.kwarg):
            names = {item.arg for item in args.kwonlyargs}
            annotations = {ast.unparse(item.annotation) for item in args.kwonlyargs if item.annotation}
            defaults = {ast.unparse(item) for item in args.kw_defaults if item is not None}
            plain = annotations <= {"str", "str | None"} and defaults <= {"None"}
            return plain and all(map(PARAMETER.fullmatch, names)) and _made(value, names, declared_texts)
        case _:
            return False


def _made(node: ast.expr, names: set[str], declared_texts: list[str]) -> bool:
    """Return whether an expression adds up text of the template and encoded parameters."""
    match node:
        case ast.BinOp(left=left, op=ast.Add(), right=right):
            return _made(left, names, declared_texts) and _made(right, names, declared_texts)
        case ast.Call(func=ast.Attribute(value=ast.Name(id="uri_templates"), attr=how), args=args, keywords=[]):
            match how, args:
                case "unreserved" | "reserved", [ast.Name(id=name)]:
                    return name in names
                case "parameter", [text, ast.Name(id=name)]:
                    return name in names and _text(text, declared_texts)
                case "query", [ast.Constant(value="?" | "&"), *pairs]:
                    return all(_pair(pair, names, declared_texts) for pair in pairs)
                case _:
                    return False
        case _:
            return _text(node, declared_texts)


def _pair(node: ast.expr, names: set[str], declared_texts: list[str]) -> bool:
    match node:
        case ast.Tuple(elts=[text, ast.Name(id=name)]):
            return name in names and _text(text, declared_texts)
        case _:
            return False


def _part(node: ast.expr, declared_texts: list[str]) -> bool:
    match node:
        case ast.Call(
            func=ast.Attribute(value=ast.Name(id="uri_templates"), attr="Variable"), args=[text], keywords=keyword_nodes
        ):
            keywords = {(keyword.arg, ast.unparse(keyword.value)) for keyword in keyword_nodes}
            return _text(text, declared_texts) and keywords <= {("reserved", "True"), ("lead", "'='")}
        case ast.Call(
            func=ast.Attribute(value=ast.Name(id="uri_templates"), attr="Query"), args=[first, ast.Tuple(elts=names)]
        ):
            marks = isinstance(first, ast.Constant) and first.value in ("?", "&")
            return marks and all(_text(name, declared_texts) for name in names)
        case _:
            return _text(node, declared_texts)


def _found(node: ast.expr, declared_texts: list[str]) -> bool:
    match node:
        case ast.Subscript(value=ast.Name(id="found"), slice=text):
            return _text(text, declared_texts)
        case ast.Call(func=ast.Attribute(value=ast.Name(id="found"), attr="get"), args=[text], keywords=[]):
            return _text(text, declared_texts)
        case _:
            return False


def _field(node: ast.stmt) -> bool:
    match node:
        case ast.AnnAssign(target=ast.Name(id=name), annotation=annotation, value=None):
            return bool(PARAMETER.fullmatch(name)) and ast.unparse(annotation) in ("str", "str | None")
        case _:
            return False


def _text(node: ast.expr, declared_texts: list[str]) -> bool:
    """Return whether a string is a piece of a declared template, apart from the operators between its pieces."""
    if not isinstance(node, ast.Constant) or not isinstance(node.value, str):
        return False
    pieces = re.split(r"[,./;?&#=]", unquote(node.value))
    return all(any(piece in text for text in declared_texts) for piece in pieces)
