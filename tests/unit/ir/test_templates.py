"""Content templates and URI templates in the IR."""

from __future__ import annotations

from mcpgen.ir.definitions import UriExpression, list_uri_variables
from mcpgen.ir.template import (
    FALSE,
    TRUE,
    Assign,
    Attribute,
    Call,
    Compare,
    Comprehension,
    Constant,
    Expr,
    For,
    If,
    Local,
    Logic,
    Method,
    Operation,
    Subscript,
    This,
    Write,
    is_reference,
    make_comprehension,
    mentions_local,
    substitute_local,
)


# --- nodes of checked templates are values ----------------------------------------------------------------------------
def test_expressions_are_keys_by_their_content() -> None:
    facts: dict[Expr, str] = {Attribute(This(False), "name"): "present"}
    assert facts[Attribute(This(False), "name")] == "present"
    assert Attribute(This(True), "name") not in facts
    assert Local("name") not in facts


def test_constants() -> None:
    assert (TRUE.value, FALSE.value) == (True, False)


def test_statements_with_equal_content_are_equal() -> None:
    branches = ((TRUE, (Write(("text",)),)),)
    assert If(branches, ()) == If(((Constant(True), (Write(("text",)),)),), ())
    assert If(branches, ()) != If(branches, (Write(("text",)),))


# --- questions about template expressions, and comprehensions ---------------------------------------------------------
ITEM, OTHER, TAGS = Local("item"), Local("other"), Attribute(This(False), "tags")
IS_LONG = Compare(Call("len", (ITEM,)), ((">", Constant(3)),))
UPPER = Method(ITEM, "upper")


def test_references_are_what_checkers_narrow() -> None:
    assert is_reference(Subscript(Attribute(ITEM, "names"), Constant(0)))
    assert is_reference(This(True))
    assert not is_reference(Subscript(TAGS, ITEM))
    assert not is_reference(Attribute(Call("f", ()), "name"))


def test_locals_are_found_in_expressions_and_statements() -> None:
    loop = For(("item",), TAGS, (Assign("copy", UPPER), Write(("text", OTHER))))
    assert mentions_local(loop.body, ITEM)
    assert mentions_local((loop, TRUE), OTHER)
    assert not mentions_local(loop.body, Local("copy"))  # it is assigned, not used


def test_a_local_is_replaced_everywhere() -> None:
    expr = Operation("+", ITEM, Call("abs", (ITEM,), (("key", ITEM),)))
    assert substitute_local(expr, ITEM, OTHER) == Operation("+", OTHER, Call("abs", (OTHER,), (("key", OTHER),)))


def test_items_themselves_need_no_comprehension() -> None:
    assert make_comprehension(ITEM, TAGS, ITEM) == TAGS
    assert make_comprehension(ITEM, TAGS, UPPER) == Comprehension("item", TAGS, UPPER)


def test_nested_comprehensions_become_one() -> None:
    long_items = make_comprehension(ITEM, TAGS, ITEM, IS_LONG)
    assert make_comprehension(OTHER, long_items, Method(OTHER, "upper")) == Comprehension("item", TAGS, UPPER, IS_LONG)
    uppers = make_comprehension(ITEM, TAGS, UPPER)
    test = Compare(OTHER, (("==", Constant("A")),))
    joined = make_comprehension(OTHER, long_items, OTHER, test)
    assert joined == Comprehension("item", TAGS, ITEM, Logic("and", (IS_LONG, Compare(ITEM, (("==", Constant("A")),)))))
    assert make_comprehension(OTHER, uppers, Method(OTHER, "strip")) == Comprehension(
        "item", TAGS, Method(UPPER, "strip")
    )


def test_an_item_is_not_computed_twice_for_a_test() -> None:
    uppers = make_comprehension(ITEM, TAGS, UPPER)
    nested = make_comprehension(OTHER, uppers, OTHER, Compare(OTHER, (("==", Constant("A")),)))
    assert nested == Comprehension("other", uppers, OTHER, Compare(OTHER, (("==", Constant("A")),)))


# --- variables of parsed URI templates --------------------------------------------------------------------------------
def test_only_variables_of_queries_are_optional() -> None:
    parts = (
        "file:///",
        UriExpression("", ("folder",)),
        UriExpression("?", ("page", "size")),
        UriExpression("#", ("at",)),
    )
    assert list_uri_variables(parts) == {"folder": False, "page": True, "size": True, "at": False}


def test_a_variable_of_a_path_and_a_query_is_not_optional() -> None:
    assert list_uri_variables((UriExpression("/", ("id",)), UriExpression("&", ("id",)))) == {"id": False}
    assert list_uri_variables((UriExpression("?", ("id",)), UriExpression("", ("id",)))) == {"id": False}


def test_variables_are_in_the_order_of_the_template() -> None:
    parts = (UriExpression("", ("z",)), UriExpression("", ("a", "m")))
    assert list(list_uri_variables(parts)) == ["z", "a", "m"]
    assert list_uri_variables(("file:///fixed",)) == {}
