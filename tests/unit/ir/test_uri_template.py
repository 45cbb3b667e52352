"""Variables of parsed URI templates."""

from __future__ import annotations

from mcpgen.ir.uri_template import UriExpression, list_uri_variables


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
