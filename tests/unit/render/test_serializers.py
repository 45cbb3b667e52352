"""Serializers: expressions for JSON values, and the statements of `to_structured_content`."""

from __future__ import annotations

import pytest
from mcpgen.ir.types import ANY, NULL, Array, Field, FixedArray, Map, Node, ObjectClass, Presence, Ref, Type, Union
from mcpgen.render.formatter import blank_lines, find_shape, get_indent, restore_blanks
from mcpgen.render.scope import Scope
from mcpgen.render.serializers import SerializerWriter, find_inlined, render_json_value
from support.scopes import DATE, SCOPE, STRING


@pytest.mark.parametrize(
    ("type", "expression"),
    [
        (STRING, "value"),
        (DATE, "to_json_value(value)"),
        (Array(STRING), "[*value]"),
        (Array(Array(DATE)), "[[to_json_value(item1) for item1 in item] for item in value]"),
        (FixedArray((STRING, DATE)), "[value[0], to_json_value(value[1])]"),
        (Map(STRING), "{**value}"),
        (Map(DATE), "{key0: to_json_value(item) for key0, item in value.items()}"),
        (Ref("wind"), "value.to_structured_content()"),
        (Ref("tree"), "to_json_value(value)"),
        (Union((Ref("wind"), NULL)), "None if value is None else value.to_structured_content()"),
        (Union((Ref("wind"), STRING)), "value.to_structured_content() if isinstance(value, JsonObject) else value"),
        (Union((Array(STRING), NULL)), "None if value is None else [*value]"),
        (Union((DATE, Array(STRING))), "to_json_value(value)"),
    ],
)
def test_json_values(type: Type, expression: str) -> None:
    assert render_json_value(type, "value", SCOPE) == expression


# --- statements -------------------------------------------------------------------------------------------------------
def make_class(node_id: str, extra: Type | None = None, **types: tuple[Type, Presence]) -> ObjectClass:
    fields = tuple(Field(wire, type, presence) for wire, (type, presence) in types.items())
    return ObjectClass(node_id, "", ((node_id,),), fields, extra)


def serialize(*nodes: ObjectClass) -> list[str]:
    """Return the serializers of some classes: of a result, and of those in it."""
    by_id: dict[str, Node] = {node.id: node for node in nodes}
    scope = Scope({node.id: node.id.capitalize() for node in nodes}, by_id)
    writer = SerializerWriter(scope, find_inlined([Ref(nodes[0].id)], by_id))
    return [str(writer.write_object(node)) for node in nodes]


REQUIRED, OPTIONAL, NULLABLE = Presence.REQUIRED, Presence.OPTIONAL, Presence.OPTIONAL_NULLABLE
LEAF = make_class("leaf", a=(STRING, REQUIRED))


def test_members_by_presence() -> None:
    node = make_class("top", STRING, a=(STRING, REQUIRED), b=(STRING, OPTIONAL), c=(STRING, NULLABLE))
    assert serialize(node)[0].splitlines() == [
        "values = self.__dict__",
        'out: dict[str, Any] = {"a": values["a"]}',
        'if values["b"] is not None:',
        '    out["b"] = values["b"]',
        'if "c" in self.__pydantic_fields_set__:',
        '    out["c"] = values["c"]',
        "return {**out, **extras} if (extras := self.__pydantic_extra__) else out",
    ]


def test_a_closed_object_whose_properties_are_required_is_one_display() -> None:
    assert serialize(make_class("top")) == ["return {}"]
    assert serialize(LEAF) == ['values = self.__dict__\nreturn {"a": values["a"]}']
    assert "**to_json_value(extras)" in serialize(make_class("top", ANY))[0]


def test_objects_in_an_array_are_written_inline() -> None:
    assert serialize(make_class("top", rows=(Array(Ref("leaf")), REQUIRED)), LEAF)[0].splitlines() == [
        "values = self.__dict__",
        "items1: list[Any] = []",
        'for item1 in values["rows"]:',
        "    if type(item1) is not Leaf or len(item1.__dict__) != 1:",
        "        items1.append(item1.to_structured_content())",
        "        continue",
        "    items1.append(item1.__dict__.copy())",
        'return {"rows": items1}',
    ]


def test_objects_in_a_map_are_written_inline() -> None:
    lines = serialize(make_class("top", rows=(Map(Union((Ref("leaf"), NULL))), OPTIONAL)), LEAF)[0].splitlines()
    assert lines[2:8] == [
        'if values["rows"] is not None:',
        "    items1: dict[str, Any] = {}",
        '    for key1, item1 in values["rows"].items():',
        "        if type(item1) is not Leaf or len(item1.__dict__) != 1:",
        "            items1[key1] = None if item1 is None else item1.to_structured_content()",
        "            continue",
    ]


@pytest.mark.parametrize(
    ("type", "presence", "last"),
    [
        (Ref("leaf"), REQUIRED, ["else:", "    part2 = item3.to_structured_content()"]),
        (Ref("leaf"), OPTIONAL, ["elif item2 is not None:", '    out1["x"] = item2.to_structured_content()']),
        (
            Union((Ref("leaf"), NULL)),
            REQUIRED,
            ["else:", "    part2 = None if item3 is None else item3.to_structured_content()"],
        ),
        (
            Ref("leaf"),
            NULLABLE,
            ["    else:", '        out1["x"] = None if item2 is None else item2.to_structured_content()'],
        ),
    ],
)
def test_an_object_in_a_row_is_written_inline(type: Type, presence: Presence, last: list[str]) -> None:
    row = make_class("row", x=(type, presence))
    lines = serialize(make_class("top", rows=(Array(Ref("row")), REQUIRED)), row, LEAF)[0].splitlines()
    item = "item3" if presence is REQUIRED else "item2"
    assert f'if type({item} := values1["x"]) is Leaf and len({item}.__dict__) == 1:' in [line.strip() for line in lines]
    assert lines[-4:-2] == [f"    {line}" for line in last]


@pytest.mark.parametrize(
    "nodes",
    [
        pytest.param((make_class("top", x=(Ref("leaf"), REQUIRED)), LEAF), id="outside of arrays"),
        pytest.param(
            (make_class("top", x=(Array(Ref("leaf")), REQUIRED), y=(Array(Ref("leaf")), REQUIRED)), LEAF), id="twice"
        ),
        pytest.param(
            (make_class("top", x=(Array(Ref("tree")), REQUIRED)), make_class("tree", x=(Array(Ref("tree")), REQUIRED))),
            id="recursive",
        ),
        pytest.param(
            (make_class("top", x=(Array(Union((Ref("leaf"), Ref("a")))), REQUIRED)), LEAF, make_class("a")), id="union"
        ),
        pytest.param((make_class("top", x=(Array(Array(Ref("leaf"))), REQUIRED)), LEAF), id="array of arrays"),
    ],
)
def test_other_objects_are_written_by_their_method(nodes: tuple[ObjectClass, ...]) -> None:
    assert "__dict__" not in serialize(*nodes)[0].partition("\n")[2]


def test_each_class_is_written_by_one_other_at_most() -> None:
    """Two levels deep; the last class of such a chain writes what is further below."""
    nodes = [make_class(name, rows=(Array(Ref(inner)), REQUIRED)) for name, inner in ("ab", "bc", "cd", "de")]
    texts = serialize(*nodes, make_class("e"))
    inlined = [[name for name in "ABCDE" if f"is not {name}" in text] for text in texts]
    assert inlined == [["B", "C"], [], [], ["E"], []]


def test_rows_inside_a_single_object_are_written_by_its_method() -> None:
    top, page = make_class("top", page=(Ref("page"), REQUIRED)), make_class("page", rows=(Array(Ref("leaf")), REQUIRED))
    assert ["is not Leaf" in text for text in serialize(top, page, LEAF)] == [False, True, False]


def test_classes_of_arguments_have_no_serializer() -> None:
    assert SerializerWriter(Scope({"leaf": "Leaf"}, {"leaf": LEAF}), (), {"leaf"}).write_object(LEAF) is None


def test_a_root_that_is_an_array() -> None:
    root, scope = Array(Ref("leaf")), Scope({"leaf": "Leaf"}, {"leaf": LEAF})
    lines = SerializerWriter(scope, find_inlined([root], {"leaf": LEAF})).write_root(root).source.splitlines()
    assert (lines[1], lines[-1]) == ("for item1 in self.root:", "return items1")
    assert (
        str(SerializerWriter(scope).write_root(root)) == "return [item.to_structured_content() for item in self.root]"
    )


# --- shapes of lines of Python ----------------------------------------------------------------------------------------
def test_statements_that_differ_in_names_and_strings_have_one_shape() -> None:
    assert find_shape(['x = f("one", two)']) == find_shape(['        long_name = g("", h)']) == 'a = a("0", a)\n'


def test_keywords_and_operators_are_part_of_the_shape() -> None:
    assert find_shape(["return x if y is None else 10"]) == "return a if a is None else 0\n"
    assert find_shape(["x=1"]) != find_shape(["x = 1"])


def test_plain_numbers_are_alike() -> None:
    assert find_shape(["x = f(1, 99, 0.25)"]) == find_shape(["y = g(0, 0, 0)"])
    assert find_shape(["x = 007"]) != find_shape(["x = 7"]) != find_shape(["x = 7."])


def test_strings_with_single_quotes_are_simple_if_black_keeps_these() -> None:
    assert find_shape(["x = 'L[\"a\"]'"]) == find_shape(['x = "L"'])
    for line in ("x = 'L'", "x = f'L[\"a\"]'", "x = 'a' \"b\" 'c'", "x = '''a\"b\"'''"):
        assert find_shape([line]) is None, line


def test_like_lines_count_once() -> None:
    assert find_shape(["x = {", '    "a": b,', '    "c": d,', "}"]) == 'a = {\n    "0": a,\n}\n'


@pytest.mark.parametrize("line", ["x = 1  # why", "x = 'a'", 'x = f"{a}"', 'x = "\\n"', 'x = r"a"', "x = 0XFF"])
def test_tokens_that_are_not_simple(line: str) -> None:
    assert (find_shape([line]) is None) == (blank_lines([line]) is None) == ("0X" not in line)


def test_blanked_text_keeps_lengths_and_can_be_restored() -> None:
    blanked = blank_lines(['    def get(self, x: "String") -> int:', "        return self.x"])
    assert blanked is not None
    assert blanked.text == '    def nnn(nnnn, n: "ssssss") -> nnn:\n        return nnnn.n'
    assert blanked.tokens == ("get", "self", "x", '"String"', "int", "self", "x")
    reformatted = blanked.text.replace("(", "(\n")
    assert restore_blanks(reformatted, blanked.tokens) == (
        '    def get(\nself, x: "String") -> int:\n        return self.x'
    )


def test_a_changed_number_of_tokens_cannot_be_restored() -> None:
    assert restore_blanks("n = n", ("x",)) is None


def test_indentation() -> None:
    assert (get_indent("    x"), get_indent("x"), get_indent("  ")) == ("    ", "", "  ")
