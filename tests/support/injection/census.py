"""What generated Python may consist of: each file is taken apart, and whatever the templates do not print is named.

Every set below is written down from the templates and `render/`, not taken from any output. The modules that no
definition has a say in are compared as a whole instead: with `templates/`, or with those of a harmless package.
"""

from __future__ import annotations

import ast
import re
from pathlib import Path

from support.injection import calls as injection_calls
from support.injection import resources as injection_resources
from support.injection.handled import Handled
from support.injection.text import Problems, Texts, body, comments, envelope

STATIC = frozenset(
    (
        "answer.py applicators.py base.py binding.py blocks.py calling.py contents.py contract.py copies.py deep.py "
        "errors.py exact.py explain.py handled.py json_schema.py jsonable.py lazy.py lenient.py panics.py plain.py "
        "readers.py references.py resource_runtime.py root_arguments.py runtime.py uris.py violations.py"
    ).split()
)
OF_SDK = ("glue.py", "protocol.py", "requests.py", "session.py")
FOLDERS = ("tools/__init__.py", "resources/__init__.py")
NODES = frozenset(
    (
        "AnnAssign Assign Attribute BinOp BitOr Call ClassDef Compare Constant Dict DictComp Expr FunctionDef If IfExp "
        "ImportFrom In Is IsNot List ListComp Load Module Name Not Return Starred Store Sub Subscript Tuple USub "
        "UnaryOp alias arg arguments comprehension keyword"
    ).split()
)
IMPORTS = {
    "__future__": {"annotations"},
    "collections.abc": {"Mapping", "Sequence"},
    "typing": {"TYPE_CHECKING", "Annotated", "Any", "ClassVar", "Literal", "NotRequired", "TypeAlias", "TypedDict"},
    "pydantic": {"Field", "TypeAdapter"},
    "typing_extensions": {"TypeAliasType"},
    "base": set(
        (
            "AsArray Base64 Boolean ClosedObject Exactly Integer JsonObject JsonValue Number Omit OpenObject "
            "RenamedOpenObject SparseClosedObject SparseOpenObject String to_json_value"
        ).split()
    ),
    "root_arguments": {"Parameter", "RootArguments"},
    "runtime": set("Checked ContentResult RootResult ToolInfo ToolResult version_of".split()),
    "blocks": set("Payload binary_block content_blocks item_blocks text_block".split()),
    "handled": set("in_wrapper result_of says_result".split()),
    "resource_runtime": set(
        (
            "CheckedResource ContentsResource JsonResource ReadResourceResult ResourceAnswer ResourceInfo RootResource"
        ).split()
    ),
    "protocol": {"CallToolResult", "ContentBlock"},
}
"""Modules and what is taken from them; those of the package itself (the last seven) by relative imports."""
BASES = frozenset(
    (
        "Checked CheckedResource ClosedObject ContentResult ContentsResource JsonResource OpenObject "
        "RenamedOpenObject RootArguments RootResource RootResult SparseClosedObject SparseOpenObject ToolResult"
    ).split()
)
CALLS = frozenset(
    (
        "Field Parameter ResourceInfo ToolInfo TypeAliasType binary_block isinstance item_blocks text_block "
        "to_json_value"
    ).split()
)
METHODS = frozenset("_json_text items model_rebuild to_structured_content update".split())
FUNCTIONS = frozenset("__init__ to_content to_structured_content".split())
ATTRIBUTES = METHODS | {"__dict__", "__pydantic_extra__", "__pydantic_fields_set__", "model_fields_set", "root"}
BUILTINS = frozenset("dict isinstance list str tuple".split())
LOCALS = re.compile(r"self|own|out|item\d*|key\d+")
FIELD = re.compile(r"(?!model_\w*[^_]\Z)[a-z][a-z0-9_]*")
CLASS = re.compile(r"[A-Z][A-Za-z0-9_]*|_[0-9][A-Za-z0-9_]*")
BOUNDS = frozenset("ge gt le lt max_length min_length".split())
COMMENT = re.compile(r"# [$a-zA-Z]+( schema)?(, [$a-zA-Z]+( schema)?)*: what the types cannot say, so construction .*")
"""The one comment inside a class: names of keywords, and `false schema`."""
NONE = re.compile(r"(?!)")


def package(out: Path, harmless: Path, templates: Path, known: Texts) -> Problems:
    """What is wrong with a package.

    Args:
        out: the package.
        harmless: one for the same SDK, of definitions without anything hostile.
        templates: the templates' folder.
        known: what its definitions say.
    """
    for path in sorted(out.rglob("*.py")):
        name = path.relative_to(out).as_posix()
        for problem in _file(path, name, harmless, templates, known):
            yield f"{name}: {problem}"


def _file(path: Path, name: str, harmless: Path, templates: Path, known: Texts) -> Problems:
    yield from envelope(path.read_bytes())
    text = path.read_text("utf-8")
    if name in STATIC:
        if body(text) != (templates / "runtime" / name).read_text("utf-8"):
            yield "is not the template"
    elif name in (*OF_SDK, *FOLDERS, "limits.py"):
        if body(text) != body((harmless / name).read_text("utf-8")):
            yield "is not the harmless package's"
    elif name == "__init__.py":
        yield from index(text, (harmless / name).read_text("utf-8"), known)
    elif name in ("client.py", "server.py"):
        yield from comments(text, NONE)
        yield from injection_calls.checked(text, (harmless / name).read_text("utf-8"), known)
    else:
        yield from module(text, known)


# --- __init__.py -----------------------------------------------------------------------------------------------------
def index(text: str, harmless: str, known: Texts) -> Problems:
    """What an `__init__.py` holds beyond the names of definitions and classes in the places for them."""
    yield from comments(text, re.compile(r"# pyright: ignore\[reportUnsupportedDunderAll\]"))
    mine, theirs = _Emptied(known), _Emptied(None)
    bare, wanted = mine.visit(ast.parse(text.encode())), theirs.visit(ast.parse(harmless))
    yield from mine.problems
    if ast.dump(bare) != ast.dump(wanted):
        yield "holds other statements than a harmless one"


class _Emptied(ast.NodeTransformer):
    """Takes out what depends on the definitions; with `known`, it is checked on the way."""

    def __init__(self, known: Texts | None) -> None:
        self._known = known
        self.problems: list[str] = []

    def visit_ImportFrom(self, node: ast.ImportFrom) -> ast.ImportFrom | None:
        if node.level != 1 or not re.fullmatch(r"types|(tools|resources)\.\w+", node.module or "", re.ASCII):
            return node
        self._expect(len(node.names) == 1 and CLASS.fullmatch(node.names[0].name) is not None, node)
        self._expect(node.names[0].asname == node.names[0].name, node)
        return None

    def visit_Call(self, node: ast.Call) -> ast.Call:
        match node:
            case ast.Call(func=ast.Name(id="TypedDict"), args=[_, ast.Dict(keys=keys, values=values)]):
                for key, value in zip(keys, values, strict=True):
                    self._expect(isinstance(key, ast.Constant) and self._declared(key.value), node)
                    match value:
                        case ast.Subscript(value=ast.Name(id="type"), slice=ast.Name(id=name)):
                            self._expect(CLASS.fullmatch(name) is not None, node)
                        case _:
                            self._expect(False, node)
                node.args[1] = ast.Dict([], [])
            case _:
                pass
        return node

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.AnnAssign:
        match node:
            case ast.AnnAssign(target=ast.Name(id=name), value=ast.Dict(keys=keys, values=values)):
                for key, value in zip(keys, values, strict=True):
                    pair = (getattr(key, "value", None), getattr(value, "value", None))
                    self._expect(self._is_module(*pair) if name == "_MODULES" else self._is_class(*pair), value)
                node.value = ast.Dict([], [])
            case _:
                pass
        return node

    def visit_Assign(self, node: ast.Assign) -> ast.Assign:
        match node:
            case ast.Assign(targets=[ast.Name(id="__all__")], value=ast.List(elts=names)):
                for name in names:
                    self._expect(isinstance(name, ast.Constant) and _is_identifier(name.value), name)
                node.value = ast.List([], ast.Load())
            case _:
                self.generic_visit(node)
        return node

    def _is_module(self, name: object, module: object) -> bool:
        place = r"\.(client|server|runtime|resource_runtime|errors|types|(tools|resources)\.\w+)"
        return _is_identifier(name) and isinstance(module, str) and bool(re.fullmatch(place, module, re.ASCII))

    def _is_class(self, wire: object, name: object) -> bool:
        return self._declared(wire) and isinstance(name, str) and CLASS.fullmatch(name) is not None

    def _declared(self, wire: object) -> bool:
        return isinstance(wire, str) and (self._known is None or wire in self._known.all)

    def _expect(self, fine: bool, node: ast.AST) -> None:
        if not fine:
            self.problems.append(f"the entry {ast.unparse(node)[:80]}")


def _is_identifier(name: object) -> bool:
    return isinstance(name, str) and name.isascii() and name.isidentifier()


# --- modules of tools and resources, and types.py --------------------------------------------------------------------
def module(text: str, known: Texts, harmless: str = "") -> Problems:
    """What a module that is made of definitions holds beyond what the templates print.

    Statements that a `harmless` module has, too, count as known (`protocol.py` ends in some that are always the same).
    """
    yield from comments(text, COMMENT)
    given = {ast.dump(node) for node in ast.parse(harmless).body}
    tree = ast.parse(text.encode())
    if any(isinstance(node, ast.ImportFrom) and node.module == "resource_runtime" for node in tree.body):
        yield from injection_resources.checked(tree, known.all)
    yield from _Module(tree, known).problems(given)


class _Module:
    def __init__(self, tree: ast.Module, known: Texts) -> None:
        self._tree, self._known = tree, known
        self._handled = Handled(tree, known.all)
        self._parents = {inner: node for node in ast.walk(tree) for inner in ast.iter_child_nodes(node)}
        self._imported: set[str] = set()
        self._imported_classes: set[str] = set()
        named = [
            (node.target.id, ast.unparse(node.annotation) == "TypeAlias")
            for node in ast.walk(tree)
            if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name)
        ]
        self._classes = {node.name for node in tree.body if isinstance(node, ast.ClassDef)}
        self._classes |= {name for name, is_alias in named if is_alias} | self._handled.names
        self._fields = {name for name, is_alias in named if not is_alias}

    def problems(self, given: set[str]) -> Problems:
        yield from self._handled.problems
        for node in self._tree.body:
            if isinstance(node, ast.ImportFrom) or ast.dump(node) not in given:
                yield from self._statement(node)
                for inner in ast.walk(node):
                    for problem in self._node(inner):
                        yield f"line {getattr(inner, 'lineno', 0)}: {problem}"
        for annotation in self._handled.annotations:
            yield from self._type(annotation)

    def _statement(self, node: ast.stmt) -> Problems:
        """Of a module; what stands in them is looked at node by node."""
        match node:
            case ast.Expr(value=ast.Constant(value=str())) if node is self._tree.body[0]:
                pass
            case ast.Expr(value=ast.Call(func=ast.Attribute(value=ast.Name(), attr="model_rebuild"), args=[])):
                pass
            case ast.ImportFrom() | ast.ClassDef():
                pass
            case ast.If(
                test=ast.Name(id="TYPE_CHECKING"),
                body=[ast.AnnAssign(target=ast.Name(id=name), annotation=ast.Name(id="TypeAlias"))],
                orelse=[ast.Assign(targets=[ast.Name(id=again)], value=ast.Call(func=ast.Name(id="TypeAliasType")))],
            ) if name == again:
                pass
            case ast.AnnAssign(target=ast.Name(id=name), annotation=ast.Name(id="TypeAlias")) if CLASS.fullmatch(name):
                pass
            case _:
                yield f"the statement {ast.unparse(node)[:80]}"

    def _node(self, node: ast.AST) -> Problems:
        if type(node).__name__ not in NODES:
            yield f"a {type(node).__name__}"
        match node:
            case ast.ImportFrom():
                yield from self._import(node)
            case ast.ClassDef():
                yield from self._class(node)
            case ast.FunctionDef():
                yield from self._function(node)
            case ast.Call():
                yield from self._call(node)
            case ast.Name(id=name):
                own = name in self._imported or name in self._classes or name in BUILTINS
                if not own and not LOCALS.fullmatch(name) and not isinstance(node.ctx, ast.Store):
                    yield f"the name {name}"
            case ast.Attribute(attr=name):
                field = FIELD.fullmatch(name) is not None and name in self._fields
                if name not in ATTRIBUTES and not (field and isinstance(node.value, ast.Name)):
                    yield f"the attribute {name}"
            case ast.AnnAssign() | ast.Assign():
                yield from self._assignment(node)
            case ast.Constant(value=str() as text):
                yield from self._string(node, text)
            case ast.Constant(value=bytes() | complex()):
                yield f"the constant {node.value!r}"
            case _:
                pass

    def _import(self, node: ast.ImportFrom) -> Problems:
        names = {one.name for one in node.names}
        given = f"from {'.' * node.level}{node.module} import {', '.join(sorted(names))}"
        inner = node.module == "types" or node.module in list(IMPORTS)[-7:]
        shared = node.module == "types" and all(map(CLASS.fullmatch, names))
        allowed = shared or names <= IMPORTS.get(node.module or "", set())
        levels = (1, 2) if inner else (0,)
        if not allowed or node.level not in levels or any(one.asname for one in node.names):
            yield given
        if self._parents[node] is not self._tree:
            yield f"{given} inside"
        self._imported |= names
        self._imported_classes |= names if shared else set()

    def _class(self, node: ast.ClassDef) -> Problems:
        if not CLASS.fullmatch(node.name) or node.decorator_list or node.keywords:
            yield f"the class {node.name}"
        for base in node.bases:
            name = base.value if isinstance(base, ast.Subscript) else base
            own = self._classes | self._imported_classes
            if not isinstance(name, ast.Name) or name.id not in BASES | own:
                yield f"the base {ast.unparse(base)}"
        for inner in node.body:
            match inner:
                case ast.FunctionDef() | ast.AnnAssign() | ast.Expr(value=ast.Constant(value=str())):
                    pass
                case ast.If(
                    test=ast.Name(id="TYPE_CHECKING"),
                    body=[ast.FunctionDef(name="__init__", body=[ast.Expr(value=ast.Constant(value=value))])],
                    orelse=[],
                ) if value is ...:
                    pass
                case ast.If(
                    test=ast.UnaryOp(op=ast.Not(), operand=ast.Name(id="TYPE_CHECKING")),
                    body=[ast.AnnAssign(target=ast.Name(id="__pydantic_extra__"), value=None)],
                    orelse=[],
                ):
                    pass
                case _:
                    yield f"in a class, {ast.unparse(inner)[:80]}"

    def _function(self, node: ast.FunctionDef) -> Problems:
        parent = self._parents[node]
        checking = isinstance(parent, ast.If)
        names = [one.arg for one in (*node.args.args, *node.args.kwonlyargs)]
        args = node.args
        plain = not (args.posonlyargs or args.vararg or args.kwarg or args.defaults or node.decorator_list)
        inside = isinstance(parent, ast.ClassDef) or checking
        if node.name not in FUNCTIONS or not inside or not plain or checking != (node.name == "__init__"):
            yield f"the function {node.name}"
        if names[:1] != ["self"] or (names[1:] and not checking) or not all(map(FIELD.fullmatch, names)):
            yield f"the parameters {names}"
        for default in args.kw_defaults:
            if default is not None and not isinstance(default, ast.Constant):
                yield f"the default {ast.unparse(default)}"

    def _call(self, node: ast.Call) -> Problems:
        match node.func:
            case ast.Name(id=name):
                allowed = name in CALLS
            case ast.Attribute(attr=name, value=value):
                reach = (ast.Name, ast.Attribute, ast.Subscript, ast.Constant, ast.Load)
                allowed = name in METHODS and all(isinstance(inner, reach) for inner in ast.walk(value))
            case _:
                allowed = False
        words = {word.arg for word in node.keywords}
        known = BOUNDS | {
            "alias",
            "discriminator",
            "raw_text",
            "pairs",
            "json_text",
            "checks_input",
            "nulls",
            "wrapped",
            "uri",
            "uri_template",
            "union_mode",
            "required",
            "nullable",
        }
        known |= {"mime_type", "binary", "bare", "ttl_ms", "cache_scope", "text_is_json", "contents_in_mappings"}
        if not allowed or not words <= known:
            yield f"the call {ast.unparse(node)[:80]}"

    def _assignment(self, node: ast.AnnAssign | ast.Assign) -> Problems:
        targets = [node.target] if isinstance(node, ast.AnnAssign) else node.targets
        match targets:
            case [ast.Name(id=name)] if isinstance(self._parents[node], ast.ClassDef):
                value = node.value
                given = isinstance(value, ast.Call) and name in ("_tool", "resource")
                given = given or (isinstance(value, ast.Dict) and name == "_parameters")
                plain = value is None or isinstance(value, ast.Constant)
                allowed = given or (plain and FIELD.fullmatch(name) is not None)
            case [ast.Name(id="out" | "__pydantic_extra__")]:
                allowed = True
            case [ast.Name(id="own")]:
                allowed = node.value is not None and ast.unparse(node.value) == "self.__dict__"
            case [ast.Name(id=name)]:
                allowed = isinstance(self._parents[node], ast.If | ast.Module) and CLASS.fullmatch(name) is not None
            case [ast.Subscript(value=ast.Name(id="out"))]:
                allowed = True
            case _:
                allowed = False
        if not allowed:
            yield f"the assignment {ast.unparse(node)[:80]}"

    # --- strings ----------------------------------------------------------------------------------------------------
    def _string(self, node: ast.Constant, text: str) -> Problems:
        """A string, by the place it stands in; one at any other place is wrong."""
        parent = self._parents[node]
        match _slot(node, parent, self._parents):
            case "doc":
                fits = self._known.explain(text)
            case "text":
                fits = text in self._known.all
            case "attribute":
                fits = text in self._fields and FIELD.fullmatch(text) is not None
            case "word":
                fits = text in ("legacy", "always", "user", "assistant")
            case "mode":
                fits = text in ("smart", "left_to_right")
            case "parameter":
                fits = FIELD.fullmatch(text) is not None
            case "class":
                fits = text in self._classes
            case "annotation":
                yield from self._annotation(text)
                return
            case _:
                fits = False
        if not fits:
            yield f"the string {text[:80]!r} in {ast.unparse(parent)[:80]}"

    def _annotation(self, text: str) -> Problems:
        """The type of an alias, which stands in quotes."""
        yield from self._type(ast.parse(text, mode="eval").body)

    def _type(self, annotation: ast.expr) -> Problems:
        self._parents |= {inner: node for node in ast.walk(annotation) for inner in ast.iter_child_nodes(node)}
        for node in ast.walk(annotation):
            yield from self._node(node)


def _slot(node: ast.AST, parent: ast.AST, parents: dict[ast.AST, ast.AST]) -> str:
    """What a string is for, by the nodes around it; empty: nothing that the templates print."""
    around = parents.get(parent)
    match parent, around:
        case ast.Expr(), ast.Module() | ast.ClassDef():
            return "doc"
        case ast.Dict(keys=keys), ast.AnnAssign(target=ast.Name(id="_parameters")) if node in keys:
            return "parameter"
        case ast.keyword(arg="union_mode"), ast.Call(func=ast.Name(id="Field")):
            return "mode"
        case (ast.keyword(arg="alias"), ast.Call(func=ast.Name(id="Field"))) | (ast.Dict(), _):
            return "text"
        case ast.keyword(arg="discriminator"), ast.Call(func=ast.Name(id="Field")):
            return "attribute"
        case (
            ast.keyword(arg="uri" | "uri_template" | "mime_type" | "cache_scope"),
            ast.Call(func=ast.Name(id="ResourceInfo")),
        ):
            return "text"
        case ast.keyword(arg="wrapped"), ast.Call(func=ast.Name(id="ToolInfo")):
            return "word"
        case ast.List(), ast.Call(func=ast.Name(id="text_block")):
            return "word"
        case ast.Call(func=ast.Name(id="ToolInfo" | "ResourceInfo" | "Parameter")), _:
            return "text"
        case ast.Call(func=ast.Name(id="TypeAliasType"), args=[name, _]), _:
            return "class" if node is name else "annotation"
        case ast.AnnAssign(annotation=ast.Name(id="TypeAlias")), _:
            return "annotation"
        case ast.AnnAssign(value=value), ast.ClassDef() if node is value:
            return "text"  # the default of a constant, in the protocol's types; then as a parameter
        case ast.arguments(), _:
            return "text"
        case (ast.Subscript(value=ast.Name(id="Literal" | "out")), _) | (
            ast.Tuple(),
            ast.Subscript(value=ast.Name(id="Literal")),
        ):
            return "text"
        case ast.Compare(ops=[ast.In()], comparators=[ast.Attribute(attr=held)]), _ if held.endswith("fields_set__"):
            return "attribute"
        case ast.Compare(ops=[ast.In()], comparators=[ast.Attribute(attr="model_fields_set")]), _:
            return "attribute"
        case ast.Subscript(value=ast.Name(id="own")), _:
            return "attribute"
        case _:
            return ""
