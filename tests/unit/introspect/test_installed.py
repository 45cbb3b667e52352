"""The transports of the installed SDK."""

from __future__ import annotations

import importlib.metadata

import pytest
from mcpgen.introspect.errors import IntrospectionError
from mcpgen.introspect.transports import select_transports


@pytest.mark.parametrize(("version", "transports"), [("1.24.0", "mcp 1.x"), ("2.3.0", "mcp 2.x"), ("10.0", "mcp 2.x")])
def test_the_version_decides(monkeypatch: pytest.MonkeyPatch, version: str, transports: str) -> None:
    monkeypatch.setattr(importlib.metadata, "version", lambda name: version)
    assert select_transports().name == transports


def test_no_sdk(monkeypatch: pytest.MonkeyPatch) -> None:
    def version(name: str) -> str:
        raise importlib.metadata.PackageNotFoundError(name)

    monkeypatch.setattr(importlib.metadata, "version", version)
    with pytest.raises(IntrospectionError) as caught:
        select_transports()
    assert caught.value.code == "MG702"
