"""What the tests on the wire share: the built packages with a server that has them bound, and what has to arrive."""

from __future__ import annotations

import contextlib
import importlib
import json
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import jsonschema_rs
from mcpgen.samples.generator import ValueGenerator
from mcpgen.schema.keywords import DRAFT_2020_12
from sdk import harbour, installed, wire
from sdk.wire import MODERN, Session
from support.packages import get_types
from support.repository import SHARED

SDK: Any = installed.SDK
OFFICIAL = SHARED / "mcp"
STAMP = f"{wire.NAMESPACE}/serverInfo"


class Served:
    """The two packages, and the server that has them bound."""

    def __init__(self, folder: Path) -> None:
        wire.build(folder, SDK)
        self.folder, self.log = folder, folder / "server.log"
        sys.path.insert(0, str(folder))
        self.packages = [importlib.import_module(name) for name in ("harbour", "pilotage")]
        self.example, self.pilotage = self.packages
        self._stack = contextlib.ExitStack()
        self._url: str | None = None

    @property
    def url(self) -> str:
        """Of the one HTTP server process."""
        if self._url is None:
            line = wire.http(lambda port: wire.command(SDK, self.folder, port), self.log)
            self._url = self._stack.enter_context(line)
        return self._url

    @contextlib.contextmanager
    def session(self, transport: str, version: str) -> Iterator[Session]:
        """A session over a transport; one server process each over stdio, one for all over HTTP."""
        if transport == "http":
            yield Session(wire.over_http(self.url, version), version)
            return
        with wire.stdio(wire.command(SDK, self.folder, "stdio"), self.log) as send:
            yield Session(send, version)

    def close(self) -> None:
        self._stack.close()
        sys.path.remove(str(self.folder))


# --- what has to arrive ----------------------------------------------------------------------------------------------
@cache
def _official(version: str, name: str) -> jsonschema_rs.Validator | None:
    path = OFFICIAL / version / "schema.json"
    if not path.exists():
        return None
    schema = json.loads(path.read_text("utf-8"))
    keyword = "$defs" if "$defs" in schema else "definitions"
    return jsonschema_rs.validator_for({**schema, "$ref": f"#/{keyword}/{name}"})


def hold(version: str, name: str, value: Any) -> None:
    """Hold a value against a definition of the official schema, where that is there."""
    against = _official(version, name)
    assert against is None or [str(error) for error in against.iter_errors(value)] == []


def unstamped(result: dict[str, Any], version: str, server: str = "harbour") -> dict[str, Any]:
    """A result without what is on the wire for the SDKs' sake.

    - Every SDK writes the default `isError: false` out.
    - On 2026-07-28 mcp 2.x and fastmcp name the server in each result's `_meta`, as the specification asks.
    - fastmcp marks in `_meta` the results of tools whose declared schema is its own wrapper.
    """
    out = dict(result)
    assert out["isError"] in (True, False)
    if not out["isError"]:
        del out["isError"]
    meta = dict(out.pop("_meta", {}))
    if version == MODERN:
        assert meta.pop(STAMP)["name"] == server
    if SDK in ("fastmcp", "fastmcp3"):
        assert meta.pop("fastmcp", {"wrap_result": True}) == {"wrap_result": True}
    return {**out, "_meta": meta} if meta else out


def same(value: Any, other: Any) -> bool:
    """Equal as JSON text; the order of members apart."""
    return json.dumps(value, sort_keys=True) == json.dumps(other, sort_keys=True)


@cache
def arguments_of(package: Any, name: str) -> Any:
    return ValueGenerator(package.TOOLS[name]["inputSchema"], DRAFT_2020_12).find_example()


def instance(package: Any, name: str, turn: int) -> Any:
    """Return what the handler of one of the example's tools answers, as an instance."""
    results = harbour.answers(package, name)
    cls, value = package.RESULT_TYPES[name], results[turn % len(results)]
    if isinstance(value, cls):
        return value
    if "outputSchema" in package.TOOLS[name]:
        return cls.from_structured_content(value)
    text = get_types(package).TextContent
    return cls(content=[text(type="text", text=value)])
