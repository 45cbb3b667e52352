"""What the end of a tool's or resource's module may consist of: handlers' types, `tool` or `resource`, `__all__`."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable

from support.injection.text import Problems, Texts

CLASS = re.compile(r"[A-Z][A-Za-z0-9_]*|_[0-9][A-Za-z0-9_]*")
PARAMETER = re.compile(r"[a-z][a-z0-9_]*")
DOC = re.compile(
    r"(Answers|Binds a handler to) the (prompt|resource|tool) `[A-Za-z0-9_]+`(, with the SDK's Context)?\."
)
TYPES = frozenset(
    "AnyContext Base64 Boolean CallToolResult Integer InterimResult JsonValue Literal Mapping MaybeAwaitable Number "
    "Payload PromptAnswer ResourceAnswer Sequence String bool dict float int list object str tuple".split()
)
ANNOTATION = (ast.BinOp, ast.BitOr, ast.Subscript, ast.Tuple, ast.Load, ast.Name, ast.Constant, ast.UnaryOp, ast.USub)


def _dump(source: str) -> str:
    return ast.dump(ast.parse(source).body[0])


_CALL = _dump("def __call__(self) -> kind: ...")
_DECORATOR = [
    _dump("@overload\ndef __call__(self, handler: _Handler, /) -> _Handler: ..."),
    _dump("@overload\ndef __call__(self, handler: Callable[ParametersT, AnswerT], /) -> object: ..."),
    _dump("def __call__(self, handler: object, /) -> object: ..."),
]
_DECORATOR_OF_ANY = [_dump("def __call__(self, handler: _Handler, /) -> _Handler: ...")]


def take_end(tree: ast.Module, declared_texts: Texts) -> Problems:
    """Yield what is wrong with the end of a module, and take it out of the tree."""
    end = _End(declared_texts)
    if tree.body and ast.unparse(tree.body[-1]).startswith("__all__ = "):
        end.exports(tree.body.pop())
        while tree.body and _is_descriptor(tree.body[-1]):
            end.descriptor(tree.body.pop())
        if tree.body and _is_handlers(tree.body[-1]):
            end.handlers(tree.body.pop())
    yield from end.problems


def _is_descriptor(node: ast.stmt) -> bool:
    return isinstance(node, ast.AnnAssign) and ast.unparse(node.target) in ("entry", "prompt", "resource", "tool")


def _is_handlers(node: ast.stmt) -> bool:
    classes = [inner.name for inner in getattr(node, "body", []) if isinstance(inner, ast.ClassDef)]
    return isinstance(node, ast.If) and any(name.rstrip("_").endswith("Decorator") for name in classes)


class _End:
    def __init__(self, declared_texts: Texts) -> None:
        self._known = declared_texts
        self.problems: list[str] = []

    def exports(self, node: ast.stmt) -> None:
        match node:
            case ast.Assign(targets=[ast.Name(id="__all__")], value=ast.List(elts=names)):
                for name in names:
                    text = getattr(name, "value", None)
                    self._expect(isinstance(text, str) and CLASS.fullmatch(text) is not None, name)
            case _:
                self._expect(False, node)

    def descriptor(self, node: ast.stmt) -> None:
        """`tool: Final = McpTool(…)`; `resource: Final = …`, `entry: Final = McpResource(…)`; likewise for prompts."""
        match node:
            case ast.AnnAssign(
                target=ast.Name(id="tool"),
                annotation=ast.Name(id="Final"),
                value=ast.Call(func=ast.Name(id="McpTool"), args=[arguments, result, *others], keywords=[]),
            ):
                self._class(arguments)
                self._class(result)
                for other in others:
                    self._decorated(other, node)
            case ast.AnnAssign(
                target=ast.Name(id="entry"),
                annotation=ast.Name(id="Final"),
                value=ast.Call(
                    func=ast.Name(id="McpPrompt" | "McpResource" as kind),
                    args=[
                        ast.Attribute(value=maker, attr="arguments" | "uri" as method),
                        entry,
                        ast.Lambda() as decorated,
                    ],
                    keywords=[],
                ),
            ):
                self._class(maker)
                self._class(entry)
                self._expect((kind, method) in (("McpPrompt", "arguments"), ("McpResource", "uri")), node)
                self._decorated(decorated, node)
            case ast.AnnAssign(
                target=ast.Name(id="prompt" | "resource"), annotation=ast.Name(id="Final"), value=ast.Name() as name
            ):
                self._class(name)
            case _:
                self._expect(False, node)

    def _decorated(self, value: ast.expr, node: ast.stmt) -> None:
        match value:
            case ast.Lambda(
                args=ast.arguments(posonlyargs=[], args=[], kwonlyargs=[]),
                body=ast.Call(func=decorator, args=[handler], keywords=[]),
            ):
                self._class(decorator)
                self._class(handler)
            case _:
                self._expect(False, node)

    def handlers(self, node: ast.stmt) -> None:
        assert isinstance(node, ast.If)
        self._expect(ast.unparse(node.test) == "TYPE_CHECKING" and not node.orelse, node)
        for inner in node.body:
            self._statement(inner)

    def _statement(self, node: ast.stmt) -> None:
        match node:
            case ast.ImportFrom(module="runtime.server_adapter", level=2, names=names):
                self._expect({name.name for name in names} <= {"AnyContext", "InterimResult"}, node)
                self._expect(not any(name.asname for name in names), node)
            case ast.AnnAssign(
                target=ast.Name(id=name), annotation=ast.Name(id="TypeAlias"), value=ast.expr() as value
            ):
                is_alias = name.rstrip("_").endswith("Returned") or re.fullmatch(r"Any\w+Handler", name) is not None
                self._expect(CLASS.fullmatch(name) is not None and is_alias, node)
                self._type(value)
            case ast.ClassDef(
                bases=[ast.Name(id="Protocol")], keywords=[], decorator_list=[], body=[doc, ast.FunctionDef() as call]
            ):
                self._expect(re.fullmatch(rf"({CLASS.pattern})Handler(WithContext)?_?", node.name) is not None, node)
                self._doc(doc)
                self._call(
                    call, may_have_wire_names=node.name.rstrip("_").removesuffix("WithContext").endswith("WireHandler")
                )
            case ast.Assign(
                targets=[ast.Name(id="_Handler")],
                value=ast.Call(
                    func=ast.Name(id="TypeVar"),
                    args=[ast.Constant(value="_Handler")],
                    keywords=[ast.keyword(arg="bound", value=bound)],
                ),
            ):
                self._type(bound)
            case ast.ClassDef(keywords=[], decorator_list=[], bases=[base], body=[doc, *methods]):
                self._expect(
                    CLASS.fullmatch(node.name) is not None and node.name.rstrip("_").endswith("Decorator"), node
                )
                self._expect(ast.unparse(base) == "HandlerDecorator[ParametersT, AnswerT]", base)
                self._doc(doc)
                self._expect([ast.dump(method) for method in methods] in (_DECORATOR, _DECORATOR_OF_ANY), node)
            case _:
                self._expect(False, node)

    def _call(self, node: ast.FunctionDef, may_have_wire_names: bool) -> None:
        """Check a handler's method, its arguments and annotations apart."""
        arguments = node.args.kwonlyargs
        for argument in arguments:
            is_wire_name = may_have_wire_names and argument.arg in self._known.all
            self._expect(is_wire_name or PARAMETER.fullmatch(argument.arg) is not None, node)
        for argument in arguments:
            self._expect(argument.annotation is not None, node)
            if argument.annotation is not None:
                self._type(argument.annotation)
        for default in node.args.kw_defaults:
            self._expect(default is None or ast.unparse(default) == "...", node)
        if node.returns is not None:
            self._type(node.returns)
        node.args.kwonlyargs, node.args.kw_defaults, node.returns = [], [], ast.Name("kind", ast.Load())
        self._expect(ast.dump(node) == _CALL, node)

    # --- parts ------------------------------------------------------------------------------------------------------
    def _class(self, node: ast.expr) -> None:
        self._expect(isinstance(node, ast.Name) and CLASS.fullmatch(node.id) is not None, node)

    def _doc(self, node: ast.stmt) -> None:
        match node:
            case ast.Expr(value=ast.Constant(value=str() as text)):
                self._expect(DOC.fullmatch(text) is not None, node)
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
                case ast.Name(id=name):
                    self._expect(name in TYPES or CLASS.fullmatch(name) is not None, annotation)
                case _:
                    self._expect(isinstance(node, ANNOTATION), annotation)

    def _literals(self, inner: ast.expr) -> Iterable[ast.AST]:
        for node in ast.walk(inner):
            if isinstance(node, ast.Constant):
                text = node.value
                self._expect(not isinstance(text, str) or text in self._known.all, node)
                yield node

    def _expect(self, fine: bool, node: ast.AST) -> None:
        if not fine:
            self.problems.append(f"the entry {ast.unparse(node)[:80]}")
