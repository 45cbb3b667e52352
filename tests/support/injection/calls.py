"""What `server.py` and `client.py` may consist of: what definitions have a say in is checked and taken out."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable

from support.injection.text import Problems, Texts

CLASS = re.compile(r"[A-Z][A-Za-z0-9_]*|_[0-9][A-Za-z0-9_]*")
NAME = re.compile(r"[A-Za-z][A-Za-z0-9_]*|_[0-9][A-Za-z0-9_]*")
ALIAS = re.compile(r"[A-Za-z0-9_]+_tool_*|shared_types_*")
FIELD = re.compile(r"(?!model_\w*[^_]\Z)[a-z][a-z0-9_]*")
DOC = re.compile(r"(Answers|Call) the tool `[A-Za-z0-9_]+`(, with the SDK's Context)?\.")
IMPORTS = {
    "collections.abc": {"Awaitable", "Callable", "Mapping", "Sequence"},
    "typing": {"TYPE_CHECKING", "Any", "Literal", "Protocol", "TypeAlias"},
    "base": set("Base64 Boolean Integer JsonValue Number String".split()),
    "blocks": {"Payload"},
    "protocol": {"CallToolResult"},
}
"""Modules and what annotations take from them; those of the package itself (the last three) by relative imports."""
TYPES = frozenset("Awaitable Interim Mapping Sequence dict list object str tuple AnyContext".split())
ANNOTATION = (ast.BinOp, ast.BitOr, ast.Subscript, ast.Tuple, ast.Load, ast.Name, ast.Attribute, ast.Constant)


def checked(text: str, harmless: str, known: Texts) -> Problems:
    """What a module holds beyond the declared in the places for it, and beyond what a harmless one holds, too."""
    mine, theirs = _Emptied(known), _Emptied(None)
    bare, wanted = mine.visit(ast.parse(text.encode())), theirs.visit(ast.parse(harmless))
    yield from mine.problems
    if ast.dump(bare) != ast.dump(wanted):
        yield "holds other statements than a harmless one"


def _shape(source: str) -> str:
    return ast.dump(ast.parse(source).body[0])


_BIND = _shape(
    'def name(self, handler: Callable[..., Any], /) -> Callable[..., Any]:\n    return self._bind("wire", handler)'
)
_PROPERTY = _shape("@property\ndef name(self) -> kind: ...")
_HANDLER = _shape("def __call__(self) -> kind: ...")
_CALL = _shape('async def name(self) -> kind:\n    _result: kind = await self._call("wire", {})\n    return _result')


class _Emptied(ast.NodeTransformer):
    """Takes out what depends on the definitions; with `known`, it is checked on the way."""

    def __init__(self, known: Texts | None) -> None:
        self._known = known
        self.problems: list[str] = []

    def visit_ImportFrom(self, node: ast.ImportFrom) -> ast.ImportFrom | None:
        (name, alias), plain = (node.names[0].name, node.names[0].asname), all(one.asname is None for one in node.names)
        if node.level == 1 and node.module in ("tools", None) and len(node.names) == 1 and alias:
            module = bool(re.fullmatch(r"[A-Za-z0-9_]+", name)) if node.module else name == "types"
            self._expect(module and ALIAS.fullmatch(alias) is not None, node)
            return None
        own = {one.name for one in node.names}
        if node.level == 1 and plain:
            if node.module == "calling" and own <= {"OMITTED", "Calling", "compare"}:
                node.names = [one for one in node.names if one.name != "OMITTED"]
                return node
            if own <= {"AnyContext", "Interim"} or own == {"Decorator"}:
                return None
        known, level = IMPORTS.get(node.module or "", set()), int(node.module in ("base", "blocks", "protocol"))
        if plain and node.level == level and known and {one.name for one in node.names} <= known:
            return None
        return node

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.AnnAssign | None:
        match node:
            case ast.AnnAssign(target=ast.Name(id="_NAMES" | "CONTRACTS" as which), value=ast.Dict() as held):
                allowed = NAME if which == "_NAMES" else re.compile("[0-9a-f]{64}")
                for key, value in zip(held.keys, held.values, strict=True):
                    said = getattr(value, "value", None)
                    fine = isinstance(said, str) and allowed.fullmatch(said) is not None
                    self._expect(self._is_declared(key) and fine, node)
                node.value = ast.Dict([], [])
            case ast.AnnAssign(
                target=ast.Name(id=name), annotation=ast.Name(id="TypeAlias"), value=ast.expr() as value
            ):
                self._expect(CLASS.fullmatch(name) is not None and name.endswith("Returned"), node)
                self._type(value)
                return None
            case _:
                pass
        return node

    def visit_ClassDef(self, node: ast.ClassDef) -> ast.ClassDef | None:
        match node:
            case ast.ClassDef(name="Handlers"):
                node.body = [one for one in node.body if not self._is_property(one)]
            case ast.ClassDef(bases=[ast.Name(id="Protocol")], keywords=[], decorator_list=[], body=[doc, call]):
                self._expect(re.fullmatch(rf"({CLASS.pattern})Handler(WithContext)?", node.name) is not None, node)
                self._doc(doc)
                self._function(call, _HANDLER, False)
                return None
            case ast.ClassDef(name="Tools"):
                node.body = [one for one in node.body if not self._is_decorators(one)]
            case ast.ClassDef(name="Client"):
                for one in (one for one in node.body if isinstance(one, ast.AsyncFunctionDef)):
                    self._doc(one.body.pop(0))
                    self._function(one, _CALL, True)
                node.body = [one for one in node.body if not isinstance(one, ast.AsyncFunctionDef)]
            case _:
                self._expect(False, node)
        return node

    # --- members ----------------------------------------------------------------------------------------------------
    def _is_property(self, node: ast.stmt) -> bool:
        if not isinstance(node, ast.FunctionDef):
            return False
        self._function(node, _PROPERTY, False)
        return True

    def _is_decorators(self, node: ast.stmt) -> bool:
        if not isinstance(node, ast.If):
            return False
        self._expect(ast.unparse(node.test) == "TYPE_CHECKING", node)
        for one in node.body:
            match one:
                case ast.Assign(
                    targets=[ast.Name(id=name)],
                    value=ast.Call(func=ast.Name(id="Decorator"), args=[ast.Name(id=plain), ast.Name(id=context)]),
                ):
                    fine = NAME.fullmatch(name) and CLASS.fullmatch(plain) and context in (plain, f"{plain}WithContext")
                    self._expect(bool(fine) and plain.endswith("Handler"), one)
                case _:
                    self._doc(one)
        for one in node.orelse:
            self._function(one, _BIND, False)
        return True

    def _function(self, node: ast.stmt, shape: str, calls: bool) -> None:
        """A function as the template prints it, its names, annotations and wire name apart."""
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            self._expect(False, node)
            return
        arguments = [one.arg for one in node.args.kwonlyargs]
        self._expect(NAME.fullmatch(node.name) is not None or shape == _HANDLER, node)
        self._expect(all(map(FIELD.fullmatch, arguments)), node)
        if node.returns is not None and shape != _BIND:
            self._type(node.returns)
            node.returns = ast.Name("kind", ast.Load())
        for one in node.args.kwonlyargs:
            self._expect(one.annotation is not None, node)
            if one.annotation is not None:
                self._type(one.annotation)
        allowed = ("None", "OMITTED") if calls else ("...",)
        for default in node.args.kw_defaults:
            self._expect(default is None or ast.unparse(default) in allowed, node)
        node.args.kwonlyargs, node.args.kw_defaults = [], []
        node.name = "__call__" if shape == _HANDLER else "name"
        for inner in ast.walk(node):
            match inner:
                case ast.AnnAssign(target=ast.Name(id="_result"), annotation=annotation):
                    self._type(annotation)
                    inner.annotation = ast.Name("kind", ast.Load())
                case ast.Call(func=ast.Attribute(attr="_bind" | "_call"), args=[ast.Constant() as wire, given]):
                    self._expect(self._is_declared(wire), node)
                    wire.value = "wire"
                    if isinstance(given, ast.Dict):
                        said = [ast.unparse(key) if key else "" for key in given.keys]
                        self._expect(said == [repr(name) for name in arguments], node)
                        self._expect([ast.unparse(one) for one in given.values] == arguments, node)
                        inner.args[1] = ast.Dict([], [])
                case _:
                    pass
        self._expect(ast.dump(node) == shape, node)

    # --- parts ------------------------------------------------------------------------------------------------------
    def _doc(self, node: ast.stmt) -> None:
        match node:
            case ast.Expr(value=ast.Constant(value=str() as text)):
                self._expect(bool(DOC.fullmatch(text)) or self._known is None or self._known.begins(text), node)
            case _:
                self._expect(False, node)

    def _type(self, annotation: ast.expr) -> None:
        literals: set[ast.AST] = set()
        for node in ast.walk(annotation):
            match node:
                case ast.Subscript(value=ast.Name(id="Literal"), slice=inner):
                    literals |= set(self._literals(inner))
                case ast.Constant(value=value):
                    self._expect(value is None or node in literals, annotation)
                case ast.Attribute(value=ast.Name(id=alias), attr=name):
                    self._expect(ALIAS.fullmatch(alias) is not None and CLASS.fullmatch(name) is not None, annotation)
                case ast.Name(id=name):
                    own = CLASS.fullmatch(name) and re.search("(Returned|Handler|HandlerWithContext)$", name)
                    known = name in TYPES or any(name in names for names in IMPORTS.values())
                    self._expect(bool(own) or known or ALIAS.fullmatch(name) is not None, annotation)
                case _:
                    self._expect(isinstance(node, (*ANNOTATION, ast.UnaryOp, ast.USub)), annotation)

    def _literals(self, inner: ast.expr) -> Iterable[ast.AST]:
        for one in inner.elts if isinstance(inner, ast.Tuple) else [inner]:
            self._expect(isinstance(one, ast.Constant | ast.UnaryOp), inner)
            if isinstance(one, ast.Constant) and isinstance(one.value, str):
                self._expect(self._is_declared(one), inner)
            yield from ast.walk(one)

    def _is_declared(self, node: ast.AST | None) -> bool:
        value = node.value if isinstance(node, ast.Constant) else None
        return isinstance(value, str) and (self._known is None or value in self._known.all)

    def _expect(self, fine: bool, node: ast.AST) -> None:
        if not fine:
            self.problems.append(f"line {getattr(node, 'lineno', 0)}: {ast.unparse(node)[:120]}")
