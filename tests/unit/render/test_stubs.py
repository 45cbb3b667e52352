"""Stubs."""

from __future__ import annotations

import ast
from dataclasses import replace
from typing import Any, cast

import pytest
from mcpgen.files.ownership import Owner, detect_owner
from mcpgen.ir.package import Package, SchemaRoot, ToolModule
from mcpgen.ir.types import (
    ANY,
    Alias,
    Array,
    Choice,
    Field,
    FixedArray,
    Map,
    Node,
    ObjectClass,
    Presence,
    Ref,
    Scalar,
    ScalarKind,
    Union,
)
from mcpgen.ir.visitors import walk_reached
from mcpgen.names.allocator import allocate_names
from mcpgen.read.definitions import ToolDefinition
from mcpgen.render.jobs import render_job
from mcpgen.render.scope import Scope
from mcpgen.render.stubs import (
    INDEX_PATH,
    STUBS_INIT_PATH,
    StubTypeView,
    make_stub_jobs,
    make_stub_types,
    render_stub_annotation,
    render_stub_index,
    repeats_name,
    shorten,
    state_keywords,
)
from mcpgen.schema.document import Schema

# --- files of `stubs/`: which there are, their functions and their index ----------------------------------------------
STRING = Scalar(ScalarKind.STRING)


class Definition:
    """Of a definition, what stubs are made from."""

    def __init__(self, name: str, input: Any) -> None:
        self.name, self.input, self.output = name, Schema(input, ""), None


def make_tool(wire: str, *fields: Field, description: str = "", python: str | None = None) -> ToolModule:
    arguments = ObjectClass("input:", "", (("Arguments",),), fields, None)
    return ToolModule(
        wire, "a.json", description, None, SchemaRoot(Ref("input:"), (arguments,), ()), "json", python=python
    )


def render(*tools: ToolModule, input: Any = None, stubs: bool = True) -> dict[str, str]:
    package = Package(tools, (), (), "mcp", None, stubs=stubs)
    names = allocate_names(package)[0]
    definitions = cast("list[ToolDefinition]", [Definition(tool.wire, input or {}) for tool in tools])
    jobs = make_stub_jobs(package, names, definitions)
    texts = {path: render_job(make_job()) for path, make_job in jobs.items()}
    return texts | render_stub_index(package, names)


def test_there_is_a_file_for_each_tool_and_two_for_all() -> None:
    files = render(make_tool("get-weather"), make_tool("search_tools"), make_tool("_2nd"), make_tool("int"))
    stubs = [f"stubs/{name}.pyi" for name in ("get_weather", "search_tools_", "_2nd", "int_")]
    assert files.keys() == {*stubs, STUBS_INIT_PATH, INDEX_PATH}
    assert render(make_tool("x"), stubs=False) == {}


def test_a_tool_for_apps_alone_is_not_offered_to_a_model() -> None:
    files = render(make_tool("a"), replace(make_tool("b"), is_for_models=False))
    assert files.keys() == {"stubs/a.pyi", STUBS_INIT_PATH, INDEX_PATH}
    assert "b" not in files[INDEX_PATH].splitlines()
    assert "from .b import" not in files[STUBS_INIT_PATH]


def test_mcpgen_owns_each_file_until_it_is_edited() -> None:
    for path, text in render(make_tool("get-weather", description="Says it.")).items():
        assert detect_owner(path, text) is Owner.MCPGEN, path
        assert detect_owner(path, text.replace("\n", "\r\n")) is Owner.MCPGEN, path
        assert detect_owner(path, text + "# x\n") is Owner.EDITED, path
        assert detect_owner(path, text.partition("\n")[2]) is Owner.FOREIGN, path


@pytest.mark.parametrize("path", [STUBS_INIT_PATH, INDEX_PATH])
def test_lists_that_git_has_merged_are_still_mcpgen_s(path: str) -> None:
    both = render(make_tool("a", description="One: two."), make_tool("b"))[path]
    one = render(make_tool("a", description="Another one."))[path]
    assert detect_owner(path, both) is detect_owner(path, one) is Owner.MCPGEN
    for line in ("b", "    from .b import b as b"):
        is_of_list = (line == "b") is (path == INDEX_PATH)
        assert detect_owner(path, f"{one}{line}\n") is (Owner.MCPGEN if is_of_list else Owner.EDITED)
    assert detect_owner(path, f"{both}    import os\n") is Owner.EDITED


def test_the_index_has_one_line_a_tool() -> None:
    tools = (
        make_tool("b", description="Does b.\n\nAnd more."),
        make_tool("a"),
        make_tool("c", description="Says # noqa\nand\u202e hides."),
    )
    assert render(*tools)[INDEX_PATH].splitlines()[3:] == ["a", "b: Does b...", "c: Says ? noqa and hides."]


def read_function(text: str) -> ast.AsyncFunctionDef:
    (function,) = (node for node in ast.parse(text).body if isinstance(node, ast.AsyncFunctionDef))
    return function


def test_parameters_have_the_names_on_the_wire_where_python_allows_them() -> None:
    fields = [
        Field("maxCount", STRING, Presence.REQUIRED),
        Field("from", STRING, Presence.OPTIONAL),
        Field("in-country", STRING, Presence.OPTIONAL),
        Field("extras", STRING, Presence.OPTIONAL),
        Field("self", STRING, Presence.OPTIONAL),
    ]
    function = read_function(render(make_tool("x", *fields))["stubs/x.pyi"])
    parameters = [parameter.arg for parameter in function.args.kwonlyargs]
    assert parameters == ["maxCount", "from_", "in_country", "extras_", "self_"]
    assert [default is not None for default in function.args.kw_defaults] == [False, True, True, True, True]


def test_short_signatures_have_one_line() -> None:
    field = Field("a", STRING, Presence.REQUIRED)
    assert "async def x(*, a: str) -> TextResult: ..." in render(make_tool("x", field))["stubs/x.pyi"]
    commented = render(make_tool("x", replace(field, description="In metres.")))["stubs/x.pyi"]
    assert "    a: str,  # In metres.\n" in commented
    stated = render(make_tool("x", field), input={"properties": {"a": {"pattern": "^x"}}})["stubs/x.pyi"]
    assert "    a: str,  # [pattern ^x]\n" in stated


@pytest.mark.parametrize(
    "text", ["type: ignore", "noqa: E501", "pyright: ignore", "mypy: ignore-errors", 'x"""\nimport os']
)
def test_no_description_is_a_directive_or_code(text: str) -> None:
    field = Field("a", STRING, Presence.REQUIRED, text)
    stub = render(make_tool("x", field, description=text))["stubs/x.pyi"]
    assert len(ast.parse(stub, type_comments=True).body) == 2
    (comment,) = (line.partition("  # ")[2] for line in stub.splitlines() if line.startswith("    a: str"))
    assert comment == " ".join(text.split()) if "os" in text else comment == f"- {text}"


def test_functions_that_would_meet_are_reported_for_their_classes() -> None:
    package = Package((make_tool("search_tools"), make_tool("x", python="search_tools_")), (), (), "mcp", None)
    assert "SearchToolsResult" in [clash.python for clash in allocate_names(package)[1]]


# --- shortened descriptions, and the keywords that comments of stubs state --------------------------------------------
@pytest.mark.parametrize(
    ("text", "short"),
    [
        ("", ""),
        ("  \n ", ""),
        ("One word", "One word"),
        ("First. Second.", "First. Second."),
        ("First sentence. Second sentence.", "First sentence..."),
        ("A sentence that is too long to be kept whole", "A sentence that is too..."),
        ("unbreakable" * 9, "unbreakableunbreakableunb..."),
        ("Of two\nlines.", "Of two lines."),
        ("A paragraph.\n \nAnother one.", "A paragraph..."),
        ("Costs 1.5 euros. Or more, or less.", "Costs 1.5 euros..."),
        (
            "最初の文。次の文は長いので切り捨てられます。もっと長くても",
            "最初の文。次の文は長いので切り捨てられます。...",
        ),
    ],
)
def test_what_does_not_fit_is_cut_after_a_sentence_or_a_word(text: str, short: str) -> None:
    assert shorten(text, 25) == short


@pytest.mark.parametrize(
    ("description", "name", "repeats"),
    [
        ("The name of the branch.", "branchName", True),
        ("Branch names", "branch_name", True),
        ("", "x", True),
        ("The name of the branch, without its remote.", "branchName", False),
        ("名前", "name", False),
        ("Whether it is open", "isOpen", True),
    ],
)
def test_a_description_without_a_new_word(description: str, name: str, repeats: bool) -> None:
    assert repeats_name(description, name) is repeats


ROOT: Any = {
    "$defs": {
        "code": {"type": "string", "pattern": "^[A-Z]$"},
        "again": {"$ref": "#/$defs/code", "maxLength": 3},
        "circle": {"$ref": "#/$defs/circle", "format": "x"},
    }
}


@pytest.mark.parametrize(
    ("schema", "stated"),
    [
        (True, ""),
        ({"type": "string", "description": "x", "title": "X", "enum": ["a"]}, ""),
        ({"minimum": 1, "maximum": 2.5}, "minimum 1, maximum 2.5"),
        ({"default": None}, "default null"),
        ({"default": False}, "default false"),
        ({"default": True}, "default true"),
        ({"default": "ä"}, 'default "ä"'),
        ({"default": {"a": []}}, 'default {"a": []}'),
        ({"default": "x" * 80}, ""),
        ({"format": "date", "uniqueItems": True}, "format date, uniqueItems"),
        ({"uniqueItems": False, "minLength": 1, "minItems": 0, "maximum": 2**53 - 1, "minimum": 1 - 2**53}, ""),
        ({"minLength": 2, "minimum": 0}, "minimum 0, minLength 2"),
        ({"anyOf": [{"type": "string", "format": "date"}, {"type": "null"}]}, "format date"),
        ({"anyOf": [{"format": "date"}, {"format": "time"}]}, ""),
        ({"type": "array", "items": {"$ref": "#/$defs/code"}}, "items pattern ^[A-Z]$"),
        ({"$ref": "#/$defs/again"}, "maxLength 3, pattern ^[A-Z]$"),
        ({"$ref": "#/$defs/circle"}, "format x"),
        ({"$ref": "#/$defs/missing"}, ""),
        ({"$ref": "https://a.example/b"}, ""),
        ({"allOf": [{"$ref": "#/$defs/code"}]}, "pattern ^[A-Z]$"),
    ],
)
def test_keywords_are_stated_as_they_are(schema: Any, stated: str) -> None:
    assert state_keywords(schema, ROOT) == stated


# --- types of the IR as plain JSON data, and TypedDicts of its classes ------------------------------------------------
INTEGER = Scalar(ScalarKind.INTEGER)
NULL = Scalar(ScalarKind.NULL)


def make_class(name: str, *fields: Field, extra: Any = None, base: Ref | None = None) -> ObjectClass:
    return ObjectClass(name, "", ((name,),), fields, extra, base=base)


def make_scope(*nodes: Node) -> Scope:
    return Scope({node.id: node.id.title() for node in nodes}, {node.id: node for node in nodes})


def make_views(*nodes: Node) -> list[StubTypeView]:
    return [*make_stub_types(nodes, make_scope(*nodes), lambda node, wire: "minimum 1" if wire == "count" else "")]


@pytest.mark.parametrize(
    ("type", "annotation"),
    [
        (STRING, "str"),
        (Scalar(ScalarKind.DATE_TIME), "str"),
        (Scalar(ScalarKind.BASE64), "str"),
        (Scalar(ScalarKind.NUMBER, (("ge", 1),)), "float"),
        (ANY, "Any"),
        (Choice(("a", 1, None)), 'Literal["a", 1, None]'),
        (Choice((None,)), "None"),
        (Array(Union((INTEGER, NULL))), "list[int | None]"),
        (FixedArray((STRING, Map(ANY))), "tuple[str, dict[str, Any]]"),
        (FixedArray(()), "tuple[()]"),
        (Union((NULL, Ref("place"))), "Place | None"),
    ],
)
def test_annotations_are_those_of_json_data(type: Any, annotation: str) -> None:
    assert render_stub_annotation(type, make_scope(make_class("place"))) == annotation
    ast.parse(annotation)


def test_members_are_required_unless_most_are_not() -> None:
    required, optional = (Field("a", STRING, Presence.REQUIRED), Field("b", STRING, Presence.OPTIONAL))
    nullable = Field("c", INTEGER, Presence.OPTIONAL_NULLABLE)
    (half,) = make_views(make_class("x", required, optional))
    assert (half.is_total, [member.annotation for member in half.members]) == (True, ["str", "NotRequired[str]"])
    (few,) = make_views(make_class("x", required, optional, nullable))
    assert (few.is_total, [member.annotation for member in few.members]) == (
        False,
        ["Required[str]", "str", "int | None"],
    )


def test_a_member_says_what_its_name_does_not() -> None:
    fields = [
        Field("count", INTEGER, Presence.REQUIRED, "The count."),
        Field("size", INTEGER, Presence.REQUIRED, "In metres."),
        Field("name", STRING, Presence.REQUIRED),
    ]
    (view,) = make_views(make_class("x", *fields))
    assert [str(member.comment) for member in view.members] == ["[minimum 1]", "In metres.", "None"]


@pytest.mark.parametrize("wire", ["from", "in-country", "__x", "größe", "int"])
def test_names_that_no_class_body_can_have_are_strings(wire: str) -> None:
    (view,) = make_views(make_class("x", Field(wire, INTEGER, Presence.REQUIRED)))
    assert not view.is_class
    (view,) = make_views(make_class("x", Field("plain", INTEGER, Presence.REQUIRED)))
    assert view.is_class


def test_other_members_of_a_known_type() -> None:
    field = Field("a", STRING, Presence.REQUIRED)
    assert [view.others for view in make_views(make_class("x", field, extra=INTEGER))] == ["int"]
    assert [view.others for view in make_views(make_class("x", field, extra=ANY))] == [None]
    assert [view.type for view in make_views(make_class("x", extra=INTEGER))] == ["dict[str, int]"]
    assert [view.type for view in make_views(make_class("x", extra=ANY))] == ["dict[str, Any]"]
    (closed,) = make_views(make_class("x"))
    assert (closed.type, closed.base, closed.members) == (None, "TypedDict", [])


def test_a_class_that_inherits_and_an_alias() -> None:
    base = make_class("base", Field("a", STRING, Presence.REQUIRED))
    alias = Alias("tree", "", (("tree",),), Union((STRING, Array(Ref("tree")))))
    views = make_views(make_class("x", base=Ref("base")), base, alias)
    assert [(view.name, view.base, view.type) for view in views] == [
        ("X", "Base", None),
        ("Base", "TypedDict", None),
        ("Tree", "TypedDict", "list[Tree] | str"),
    ]


def test_nodes_are_reached_in_the_order_of_a_reader() -> None:
    leaf = make_class("leaf")
    branch = make_class("branch", Field("leaf", Ref("leaf"), Presence.REQUIRED))
    root = make_class("root", *(Field(key, Array(Ref(key)), Presence.OPTIONAL) for key in ("branch", "other", "root")))
    nodes: dict[str, Node] = {node.id: node for node in (leaf, make_class("other"), root, branch, make_class("unused"))}
    assert walk_reached(["root"], nodes) == ["root", "branch", "leaf", "other"]
