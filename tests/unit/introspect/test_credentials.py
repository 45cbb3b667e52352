"""Parsing of headers and environment variables."""

from __future__ import annotations

import pytest
from mcpgen.introspect.credentials import parse_credentials
from mcpgen.introspect.errors import IntrospectionError


def test_headers_and_environment() -> None:
    environ = {"TOKEN": "Bearer abc", "PASSED": "on"}
    credentials = parse_credentials(
        ["X-One: 1", "X-Two:a:b"], ["Authorization=TOKEN"], ["A=b=c", "PASSED", "EMPTY="], environ
    )
    assert credentials.headers == {"X-One": "1", "X-Two": "a:b", "Authorization": "Bearer abc"}
    assert credentials.env == {"A": "b=c", "PASSED": "on", "EMPTY": ""}
    assert "abc" not in repr(credentials)


@pytest.mark.parametrize(
    ("headers", "headers_env", "env"),
    [
        (["s3cret"], [], []),
        (["a b: s3cret"], [], []),
        (["A: s3cret\nB: s3cret"], [], []),
        (["A: s3cret\u00fc"], [], []),
        ([], ["s3cret"], []),
        ([], ["Authorization=s3cret"], []),
        ([], [], ["=s3cret"]),
        ([], [], ["s3cret-s3cret"]),
    ],
)
def test_what_is_malformed_is_not_printed(headers: list[str], headers_env: list[str], env: list[str]) -> None:
    with pytest.raises(IntrospectionError) as caught:
        parse_credentials(headers, headers_env, env, {})
    assert caught.value.code == "MG701"
    assert "s3cret" not in caught.value.message + caught.value.help


@pytest.mark.parametrize(
    ("variable", "shown"),
    [("SHOP_TOKEN", '"SHOP_TOKEN"'), ("AKIA7Q3F9ZXV2", "…"), ("ghp_abcdefgh", "…"), ("Bearer abc", "…")],
)
def test_a_variable_that_is_not_set_is_named_unless_it_may_be_the_secret(variable: str, shown: str) -> None:
    with pytest.raises(IntrospectionError) as caught:
        parse_credentials([], [f"Authorization={variable}"], [], {})
    expected = f'the environment variable {shown} for the header "Authorization" is not set'
    assert caught.value.message == expected
    assert caught.value.help.startswith("set it to the whole value of the header")
