"""mcpgen runs the run-time modules of generated packages itself."""

from __future__ import annotations

from mcpgen.paths import find_shipped_folder
from mcpgen.schema.shipped_code import load_runtime_module

from generated.runtime import schema_keywords


def test_a_module_is_the_one_that_packages_get() -> None:
    module = load_runtime_module("schema_references")
    assert module.__file__ == str(find_shipped_folder("templates") / "runtime" / "schema_references.py")
    assert load_runtime_module("schema_references") is module


def test_its_keywords_are_those_of_generated_packages() -> None:
    loaded = load_runtime_module("schema_references")
    assert loaded.VALUE_KEYWORDS == schema_keywords.VALUE_KEYWORDS
    assert loaded.URI_KEYWORDS == schema_keywords.URI_KEYWORDS
