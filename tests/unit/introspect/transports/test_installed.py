"""The transports of the installed SDK."""

from __future__ import annotations

import importlib.metadata

import pytest
from mcpgen.introspect.errors import IntrospectionError
from mcpgen.introspect.transports.installed import select_transports
from mcpgen.introspect.transports.mcp1 import Mcp1
from mcpgen.introspect.transports.mcp2 import Mcp2


@pytest.mark.parametrize(("version", "transports"), [("1.24.0", Mcp1), ("2.3.0", Mcp2), ("10.0", Mcp2)])
def test_the_version_decides(monkeypatch: pytest.MonkeyPatch, version: str, transports: type) -> None:
    monkeypatch.setattr(importlib.metadata, "version", lambda name: version)
    assert type(select_transports()) is transports


def test_no_sdk(monkeypatch: pytest.MonkeyPatch) -> None:
    def version(name: str) -> str:
        raise importlib.metadata.PackageNotFoundError(name)

    monkeypatch.setattr(importlib.metadata, "version", version)
    with pytest.raises(IntrospectionError) as caught:
        select_transports()
    assert caught.value.code == "MG702"
