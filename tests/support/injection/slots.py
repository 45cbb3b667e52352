"""What a string in a generated module is for."""

from __future__ import annotations

import ast


def find_slot(node: ast.AST, parent: ast.AST, parents: dict[ast.AST, ast.AST]) -> str:
    """Return what a string is for, by the nodes around it; empty: nothing that the templates print."""
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
            return "discriminator"
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
        case ast.Call(func=ast.Name(id="Declared"), args=[_, keyword, *_]), _:
            return "keyword" if node is keyword else "path"
        case ast.Tuple(), ast.Call(func=ast.Name(id="Declared")):
            return "pointer"
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
        case ast.Compare(ops=[ast.In()], comparators=[ast.Attribute(attr=data)]), _ if data.endswith("fields_set__"):
            return "attribute"
        case ast.Compare(ops=[ast.In()], comparators=[ast.Attribute(attr="model_fields_set")]), _:
            return "attribute"
        case ast.Subscript(value=ast.Name(id="values")), _:
            return "attribute"
        case _:
            return ""
