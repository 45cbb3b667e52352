"""What generated Python may consist of: each file is taken apart, and whatever the templates do not print is named.

Every set below is written down from the templates and `render/`, not taken from any output. The modules that no
definition has a say in are compared as a whole instead: with `templates/`, or with those of a harmless package.
"""

from __future__ import annotations

import ast
import re
from pathlib import Path

from support.injection import handlers as injection_handlers
from support.injection import prompts as injection_prompts
from support.injection import resources as injection_resources
from support.injection import stubs as injection_stubs
from support.injection import tables as injection_tables
from support.injection.handled import Handled
from support.injection.listings import listing
from support.injection.slots import find_slot
from support.injection.text import Problems, Texts, body, comments, envelope

STATIC = frozenset(
    f"runtime/{module}.py"
    for module in (
        "call_options call_tool_results checked_copies checked_result class_shapes client_base content_blocks "
        "content_result context_parameters contract_changes core_schemas custom_keywords deep_values definition_files "
        "exact_numbers own_iterators value_reader "
        "dict_readers errors exact_types fast_json handler_signature handler_values json_conversion json_errors "
        "json_objects json_pointers json_resource json_schema json_types lenient_arguments lenient_parsing "
        "listed_definitions missing_names missing_values model_dumps native_formats object_attributes own_types "
        "package plain_classes plain_values prompt prompt_binding prompt_reader prompt_result protocol_versions "
        "resource resource_binding resource_contents resource_reader resource_result result_reader result_writer "
        "returned_values root_arguments root_arrays schema_applicators schema_explanation schema_references "
        "schema_validation sdk_versions server_binding server_instructions table_cells testing tool_contract "
        "tool_definitions tool_functions tool_handlers tool_overrides tool_result tool_wording uri_templates "
        "validator_panics violations wire_json wire_results"
    ).split()
)
SAME_IN_HARMLESS = frozenset(
    f"{path}.py"
    for path in (
        "client prompt_server resource_server runtime/exports runtime/handler_seam runtime/in_memory runtime/limits "
        "runtime/low_level runtime/prompt_adapter runtime/protocol runtime/resource_adapter runtime/schema_keywords "
        "runtime/sdk_internals runtime/sdk_requirement runtime/sdk_servers runtime/server_adapter runtime/session "
        "runtime/tool runtime/version_adapter server"
    ).split()
)
NODES = frozenset(
    (
        "AnnAssign Assign Attribute BinOp BitOr Call ClassDef Compare Constant Dict DictComp Expr FunctionDef If IfExp "
        "ImportFrom In Is IsNot List ListComp Load Module Name Not Return Starred Store Sub Subscript Tuple USub "
        "UnaryOp alias arg arguments comprehension keyword"
    ).split()
)
IMPORTS = {
    "__future__": {"annotations"},
    "collections.abc": {"Callable", "Mapping", "Sequence"},
    "typing": set(
        (
            "TYPE_CHECKING Annotated Any ClassVar Final Literal NotRequired Protocol TypeAlias TypeVar TypedDict "
            "overload"
        ).split()
    ),
    "pydantic": {"Field", "TypeAdapter"},
    "typing_extensions": {"TypeAliasType"},
}
"""Modules and what is taken from them."""
RUNTIME_IMPORTS = {
    f"runtime.{module}": set(names.split())
    for module, names in {
        "checked_result": "Checked",
        "content_blocks": "Payload binary_block content_blocks item_blocks text_block",
        "content_result": "ContentResult",
        "exact_types": "ABSENT",
        "json_objects": (
            "ClosedObject JsonObject OpenObject RenamedOpenObject SparseClosedObject SparseOpenObject to_json_value"
        ),
        "json_resource": "CheckedResource JsonResource RootArrayResource RootResource",
        "json_schema": "Declared",
        "json_types": "Base64 JsonValue",
        "prompt": "McpPrompt",
        "prompt_result": "PromptAnswer PromptArgument PromptBase PromptInfo present_arguments",
        "protocol": "CallToolResult ContentBlock ReadResourceResult",
        "resource": "McpResource",
        "resource_contents": "ResourceInfo",
        "returned_values": "Normalize Returned ReturnedArray",
        "root_arguments": "Parameter RootArguments",
        "resource_result": "ContentsResource ResourceAnswer ResourceResult",
        "tool": (
            "AnswerT HandlerDecorator MaybeAwaitable McpTool ParametersT TakesArguments TakesArgumentsWithContext"
        ),
        "tool_definitions": "ToolInfo",
        "table_cells": " ".join(sorted(injection_tables.FUNCTIONS)),
        "tool_result": "RootArrayResult RootResult ToolResult",
    }.items()
}
"""Modules of the package and what is taken from them, by relative imports; inside `runtime` without that prefix."""
BASES = frozenset(
    (
        "Checked CheckedResource ClosedObject ContentResult ContentsResource JsonResource OpenObject PromptBase "
        "RenamedOpenObject RootArguments RootArrayResource RootArrayResult RootResource RootResult SparseClosedObject "
        "SparseOpenObject ToolResult"
    ).split()
)
CALLS = frozenset(
    (
        "Declared Field Parameter ResourceInfo ToolInfo TypeAliasType binary_block isinstance item_blocks text_block "
        "to_json_value"
    ).split()
)
METHODS = frozenset("_json_text items model_rebuild to_structured_content update".split())
FUNCTIONS = frozenset("__init__ to_content to_structured_content".split())
ATTRIBUTES = METHODS | {"__dict__", "__pydantic_extra__", "__pydantic_fields_set__", "model_fields_set", "root"}
BUILTINS = frozenset("__file__ bool dict float int isinstance list str tuple".split())
LOCALS = re.compile(r"self|values|out|item\d*|key\d+")
FIELD = re.compile(r"(?!model_\w*[^_]\Z)[a-z][a-z0-9_]*")
CLASS = re.compile(r"[A-Z][A-Za-z0-9_]*|_[0-9][A-Za-z0-9_]*")
KEYWORD_ARGUMENTS = frozenset(
    (
        "alias bare beside binary cache_scope checks_input contents_in_mappings discriminator ge gt json_text le lt "
        "max_length mime_type min_length nullable nulls pairs raw_text required results text_is_json ttl_ms union_mode "
        "uri uri_template wrapped"
    ).split()
)
COMMENT = re.compile(
    r"# The types don't express these keywords, so construction checks the schema, too: "
    r"[$a-zA-Z]+( schema)?(, [$a-zA-Z]+( schema)?)*"
)
"""The one comment inside a class: names of keywords, and `false schema`."""
KEYWORD = re.compile(r"\$?[A-Za-z]+|\d+")
"""A keyword or an index in a JSON pointer."""
NONE = re.compile(r"(?!)")


def package(out: Path, harmless: Path, templates: Path, declared: Texts) -> Problems:
    """Yield what is wrong with a package.

    Args:
        out: the package.
        harmless: one for the same SDK, of definitions without anything hostile.
        templates: the templates' folder.
        declared: what its definitions say.
    """
    for path in sorted([*out.rglob("*.py"), *out.glob("stubs/*[!y]")]):
        name = path.relative_to(out).as_posix()
        for problem in _file(path, name, harmless, templates, declared):
            yield f"{name}: {problem}"


def _file(path: Path, name: str, harmless: Path, templates: Path, declared: Texts) -> Problems:
    text = path.read_text("utf-8")
    if name.endswith(".pyi"):
        yield from injection_stubs.stub(text, declared)
        return
    if name == "stubs/index.txt":
        yield from injection_stubs.index(text)
        return
    yield from envelope(path.read_bytes())
    if name in STATIC:
        if body(text) != (templates / name).read_text("utf-8"):
            yield "is not the template"
    elif name in SAME_IN_HARMLESS:
        if body(text) != body((harmless / name).read_text("utf-8")):
            yield "is not the harmless package's"
    elif name == "stubs/__init__.py":
        yield from injection_stubs.init(text, (harmless / name).read_text("utf-8"))
    elif name.endswith("/__init__.py"):
        match ast.parse(text).body:
            case [ast.Expr(value=ast.Constant(value=str()))]:
                yield from comments(text, NONE)
            case _:
                yield "holds more than a docstring"
    elif name in ("__init__.py", "index.py", "prompt_index.py", "resource_index.py", "testing.py"):
        yield from listing(text, (harmless / name).read_text("utf-8"))
    else:
        yield from module(text, declared)


# --- modules of tools and resources, and types.py --------------------------------------------------------------------
def module(text: str, declared: Texts, harmless: str = "") -> Problems:
    """Yield what a module that is made of definitions holds beyond what the templates print.

    Statements that a `harmless` module has, too, count as known (`protocol.py` ends in some that are always the same).
    """
    yield from comments(text, COMMENT)
    allowed = {ast.dump(node) for node in ast.parse(harmless).body}
    tree = ast.parse(text.encode())
    if any(isinstance(node, ast.ImportFrom) and node.module == "runtime.resource_contents" for node in tree.body):
        yield from injection_resources.checked(tree, declared.all)
    if any(isinstance(node, ast.ImportFrom) and node.module == "runtime.prompt_result" for node in tree.body):
        yield from injection_prompts.checked(tree, declared.all)
    yield from injection_handlers.take_end(tree, declared)
    yield from injection_tables.take_methods(tree)
    yield from _Module(tree, declared).problems(allowed)


class _Module:
    def __init__(self, tree: ast.Module, declared: Texts) -> None:
        self._tree, self._declared = tree, declared
        self._handled = Handled(tree, declared.all)
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

    def problems(self, allowed: set[str]) -> Problems:
        yield from self._handled.problems
        for node in self._tree.body:
            if isinstance(node, ast.ImportFrom) or ast.dump(node) not in allowed:
                yield from _check_statement(node, node is self._tree.body[0])
                for inner in ast.walk(node):
                    for problem in self._node(inner):
                        yield f"line {getattr(inner, 'lineno', 0)}: {problem}"
        for annotation in self._handled.annotations:
            yield from self._type(annotation)

    def _node(self, node: ast.AST) -> Problems:
        if type(node).__name__ not in NODES:
            yield f"a {type(node).__name__}"
        match node:
            case ast.ImportFrom():
                yield from self._import(node)
            case ast.ClassDef():
                yield from self._class(node)
            case ast.FunctionDef():
                yield from _check_function(node, self._parents[node])
            case ast.Call():
                yield from _check_call(node)
            case ast.Name(id=name):
                is_known = name in self._imported or name in self._classes or name in BUILTINS
                if not is_known and not LOCALS.fullmatch(name) and not isinstance(node.ctx, ast.Store):
                    yield f"the name {name}"
            case ast.Attribute(attr=name):
                field = FIELD.fullmatch(name) is not None and name in self._fields
                if name not in ATTRIBUTES and not (field and isinstance(node.value, ast.Name)):
                    yield f"the attribute {name}"
            case ast.AnnAssign() | ast.Assign():
                yield from _check_assignment(node, self._parents[node])
            case ast.Constant(value=str() as text):
                yield from self._string(node, text)
            case ast.Constant(value=bytes() | complex()):
                yield f"the constant {node.value!r}"
            case _:
                pass

    def _import(self, node: ast.ImportFrom) -> Problems:
        names = {name.name for name in node.names}
        statement = f"from {'.' * node.level}{node.module} import {', '.join(sorted(names))}"
        module = node.module or ""
        allowed_names = RUNTIME_IMPORTS.get(module, RUNTIME_IMPORTS.get(f"runtime.{module}"))
        is_types_module = (
            node.level > 0 and allowed_names is None and re.fullmatch(r"(types\.)?[a-z_0-9]+", module) is not None
        )
        shared = is_types_module and all(map(CLASS.fullmatch, names))
        allowed = shared or names <= (IMPORTS.get(module, set()) if allowed_names is None else allowed_names)
        levels = (1, 2) if shared or allowed_names is not None else (0,)
        renamed = any(name.asname not in (None, name.name if shared else None) for name in node.names)
        if not allowed or node.level not in levels or renamed:
            yield statement
        if self._parents[node] is not self._tree:
            yield f"{statement} inside"
        self._imported |= names
        self._imported_classes |= names if shared else set()

    def _class(self, node: ast.ClassDef) -> Problems:
        if not CLASS.fullmatch(node.name) or node.decorator_list or node.keywords:
            yield f"the class {node.name}"
        for base in node.bases:
            name = base.value if isinstance(base, ast.Subscript) else base
            known_classes = self._classes | self._imported_classes
            if not isinstance(name, ast.Name) or name.id not in BASES | known_classes:
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
                    test=ast.Name(id="TYPE_CHECKING"),
                    body=[ast.AnnAssign(target=ast.Name(id="extras"), value=ast.Dict(keys=[]))],
                    orelse=[ast.AnnAssign(target=ast.Name(id="__pydantic_extra__"), value=None)],
                ):
                    pass
                case _:
                    yield f"in a class, {ast.unparse(inner)[:80]}"

    # --- strings ----------------------------------------------------------------------------------------------------
    def _string(self, node: ast.Constant, text: str) -> Problems:
        """A string, by the place it stands in; one at any other place is wrong."""
        parent = self._parents[node]
        match find_slot(node, parent, self._parents):
            case "doc":
                fits = self._declared.explain(text)
            case "text":
                fits = text in self._declared.all
            case "attribute":
                fits = text in self._fields and FIELD.fullmatch(text) is not None
            case "discriminator":
                fits = FIELD.fullmatch(text) is not None and (text in self._fields or bool(self._imported_classes))
            case "word":
                fits = text in ("legacy", "always", "user", "assistant")
            case "mode":
                fits = text in ("smart", "left_to_right")
            case "parameter":
                fits = FIELD.fullmatch(text) is not None
            case "path":
                fits = re.fullmatch(r"(\.\./)+tools/[a-z_0-9]+\.json", text, re.ASCII) is not None
            case "keyword":
                fits = text in ("inputSchema", "outputSchema", "schema")
            case "pointer":
                tokens = [token.replace("~1", "/").replace("~0", "~") for token in text.split("/")[1:]]
                fits = all(token in self._declared.all or KEYWORD.fullmatch(token) for token in tokens)
            case "class":
                fits = text in self._classes
            case "annotation":
                yield from self._type(ast.parse(text, mode="eval").body)
                return
            case _:
                fits = False
        if not fits:
            yield f"the string {text[:80]!r} in {ast.unparse(parent)[:80]}"

    def _type(self, annotation: ast.expr) -> Problems:
        self._parents |= {inner: node for node in ast.walk(annotation) for inner in ast.iter_child_nodes(node)}
        for node in ast.walk(annotation):
            yield from self._node(node)


def _check_statement(node: ast.stmt, is_first: bool) -> Problems:
    """Yield what is wrong with a statement of a module; what is in it is looked at node by node."""
    match node:
        case ast.Expr(value=ast.Constant(value=str())) if is_first:
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


def _check_function(node: ast.FunctionDef, parent: ast.AST) -> Problems:
    checking = isinstance(parent, ast.If)
    names = [item.arg for item in (*node.args.args, *node.args.kwonlyargs)]
    args = node.args
    plain = not (args.posonlyargs or args.vararg or args.kwarg or args.defaults or node.decorator_list)
    inside = isinstance(parent, ast.ClassDef) or checking
    if node.name not in FUNCTIONS or not inside or not plain or checking != (node.name == "__init__"):
        yield f"the function {node.name}"
    if names[:1] != ["self"] or (names[1:] and not checking) or not all(map(FIELD.fullmatch, names)):
        yield f"the parameters {names}"
    for default in args.kw_defaults:
        if default is not None and ast.unparse(default) not in ("None", "ABSENT"):
            yield f"the default {ast.unparse(default)}"


def _check_call(node: ast.Call) -> Problems:
    match node.func:
        case ast.Name(id=name):
            allowed = name in CALLS
        case ast.Attribute(attr=name, value=value):
            reach = (ast.Name, ast.Attribute, ast.Subscript, ast.Constant, ast.Load)
            allowed = name in METHODS and all(isinstance(inner, reach) for inner in ast.walk(value))
        case _:
            allowed = False
    keywords = {keyword.arg for keyword in node.keywords}
    if not allowed or not keywords <= KEYWORD_ARGUMENTS:
        yield f"the call {ast.unparse(node)[:80]}"


def _check_assignment(node: ast.AnnAssign | ast.Assign, parent: ast.AST) -> Problems:
    targets = [node.target] if isinstance(node, ast.AnnAssign) else node.targets
    match targets:
        case [ast.Name(id=name)] if isinstance(parent, ast.ClassDef):
            value = node.value
            is_call = isinstance(value, ast.Call) and name in ("_tool", "_schema", "resource")
            is_call = is_call or (isinstance(value, ast.Dict) and name == "_parameters")
            absent = isinstance(value, ast.Name) and value.id == "ABSENT"
            plain = value is None or absent or isinstance(value, ast.Constant)
            allowed = is_call or (plain and FIELD.fullmatch(name) is not None)
        case [ast.Name(id="out" | "extras" | "__pydantic_extra__")]:
            allowed = True
        case [ast.Name(id="values")]:
            allowed = node.value is not None and ast.unparse(node.value) == "self.__dict__"
        case [ast.Name(id=name)]:
            allowed = isinstance(parent, ast.If | ast.Module) and CLASS.fullmatch(name) is not None
        case [ast.Subscript(value=ast.Name(id="out"))]:
            allowed = True
        case _:
            allowed = False
    if not allowed:
        yield f"the assignment {ast.unparse(node)[:80]}"
