"""Documents that are taken for definitions are recognized."""

from __future__ import annotations

from typing import Any

import pytest
from mcpgen.read.foreign_documents import explain_foreign_document, explain_shape


@pytest.mark.parametrize(
    ("value", "name"),
    [
        ({"openapi": "3.0.0", "paths": {}}, "OpenAPI"),
        ({"swagger": "2.0"}, "OpenAPI"),
        ({"mcpServers": {}} | {"mcpServers": {"a": {}}}, "configuration"),
        ({"servers": {"a": {}}, "inputs": []}, "configuration"),
        ({"name": "a", "version": "1", "scripts": {}}, "package.json"),
        ({"type": "function", "function": {}}, "function"),
        ({"name": "a", "parameters": {}}, "function"),
    ],
)
def test_known_documents(value: Any, name: str) -> None:
    explained = explain_foreign_document(value)
    assert explained is not None
    assert name in explained[0]


@pytest.mark.parametrize(
    "value",
    [
        {"type": "object"},
        {"type": "object", "properties": {"openapi": {"type": "string"}}},
        {"name": "a", "inputSchema": {"type": "object"}},
        {"servers": {"a": {}}, "other": 1},
    ],
)
def test_definitions_are_not_taken_for_them(value: Any) -> None:
    assert explain_foreign_document(value) is None


@pytest.mark.parametrize(
    ("value", "name"),
    [
        ({"a": 1, "b": "c"}, "a value"),
        ({"a": 1, "b": {"c": 2}}, "a value"),
        ({"a": {"type": "string"}}, "properties"),
        ({"a": {"inputSchema": {}}}, "by name"),
    ],
)
def test_shapes(value: Any, name: str) -> None:
    explained = explain_shape(value)
    assert explained is not None
    assert name in explained[0]


@pytest.mark.parametrize("value", [{}, {"a": {"b": 1}}, {"minLength": 1}, {"a": 1, "b": {"type": "string"}}])
def test_other_shapes_are_not_guessed(value: Any) -> None:
    assert explain_shape(value) is None
