"""Server objects of modules: loading, and what is restored afterwards."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any

import pytest
from mcpgen.introspect.errors import IntrospectionError
from mcpgen.introspect.in_process import find_low_level_server, load_server, open_server
from mcpgen.introspect.server_address import InProcess

MODULE = """
import os
print("loading")

class Server:
    token = os.environ.get("IN_PROCESS_TOKEN")
    def create_initialization_options(self): ...
    def run(self): ...

server = Server()
def make(): return server
async def make_later(): return server
def fail(): raise ValueError("oh no")
class Wrapper:
    _mcp_server = server
wrapper, other = Wrapper(), 5
"""


@pytest.fixture
def module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    name = f"server_of_{tmp_path.name.replace('-', '_')}"
    (tmp_path / f"{name}.py").write_text(MODULE)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("IN_PROCESS_KEPT", "before")
    return name


def test_the_process_is_as_it_was_after_the_block(module: str, tmp_path: Path) -> None:
    path = list(sys.path)
    with open_server(InProcess(module, "server"), {"IN_PROCESS_TOKEN": "t", "IN_PROCESS_KEPT": "x"}) as server:
        assert server.token == "t"
        assert os.environ["IN_PROCESS_KEPT"] == "x"
        assert str(tmp_path) in sys.path
    assert sys.path == path
    assert "IN_PROCESS_TOKEN" not in os.environ
    assert os.environ["IN_PROCESS_KEPT"] == "before"
    assert not list(tmp_path.rglob("__pycache__"))


def test_the_process_is_as_it_was_after_an_error(module: str) -> None:
    path = list(sys.path)
    with pytest.raises(IntrospectionError), open_server(InProcess(module, "nothing"), {"IN_PROCESS_TOKEN": "t"}):
        pass
    assert sys.path == path
    assert "IN_PROCESS_TOKEN" not in os.environ


def test_functions_that_make_servers_are_called(module: str, capsys: pytest.CaptureFixture[str]) -> None:
    sys.path.insert(0, os.getcwd())
    try:
        servers: list[Any] = [load_server(InProcess(module, name)) for name in ("server", "make", "make_later")]
    finally:
        sys.path.pop(0)
    assert servers[0] is servers[1] is servers[2]
    assert capsys.readouterr().out == ""


@pytest.mark.parametrize(
    ("suffix", "attribute", "message"),
    [
        ("_x", "server", "there is no module"),
        ("", "serve", 'has no "serve"'),
        ("", "fail", "fails when it is called: ValueError: oh no"),
        ("", "other", "is not an MCP server, but an object of the type int"),
    ],
)
def test_what_cannot_be_loaded(module: str, suffix: str, attribute: str, message: str) -> None:
    with pytest.raises(IntrospectionError) as caught, open_server(InProcess(module + suffix, attribute), {}):
        pass
    assert caught.value.code == "MG703"
    assert message in caught.value.message


@pytest.mark.parametrize("path", ["above_server.py", "above_server/__init__.py", "above/server.py"])
def test_a_module_beside_the_settings_above_is_named(
    path: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "mcpgen.toml").touch()
    (tmp_path / path).parent.mkdir(exist_ok=True)
    (tmp_path / path).write_text("server = 1\n", "utf-8")
    (tmp_path / "docs/notes").mkdir(parents=True)
    monkeypatch.chdir(tmp_path / "docs/notes")
    address = InProcess("above.server" if path.startswith("above/") else "above_server", "server")
    with pytest.raises(IntrospectionError, match="there is no module") as caught, open_server(address, {}):
        pass
    assert caught.value.help == "it is in the folder of ../../mcpgen.toml: run the command there"
    (tmp_path / path).unlink()
    with pytest.raises(IntrospectionError) as caught, open_server(address, {}):
        pass
    assert caught.value.help == "modules are looked for in the working folder and where Python finds them"


def test_servers_inside_servers(module: str) -> None:
    with open_server(InProcess(module, "wrapper"), {}) as wrapper:
        assert find_low_level_server(wrapper) is wrapper._mcp_server


HOSTILE = """

class Proxy:
    def __getattribute__(self, name):
        raise RuntimeError("not bound")

class Listing:
    def __dir__(self):
        raise RuntimeError("no list")

class Leaving:
    @property
    def server(self):
        raise SystemExit(3)
    def __getattr__(self, name):
        raise RuntimeError("not bound")

proxy, listing, leaving = Proxy(), Listing(), Leaving()
"""


@pytest.mark.parametrize(
    ("attribute", "message"),
    [
        ("xyz", 'has no "xyz"; did you mean "server"?'),
        ("proxy", 'proxy" cannot be read: RuntimeError: not bound'),
        ("proxy.server", 'proxy.server" cannot be read: RuntimeError: not bound'),
        ("listing.xyz", 'has no "listing.xyz"; write the name'),
        ("leaving.server", 'leaving.server" cannot be read: SystemExit: 3'),
        ("leaving", 'leaving" cannot be read: RuntimeError: not bound'),
    ],
)
def test_attributes_that_raise_are_no_crash(module: str, attribute: str, message: str, tmp_path: Path) -> None:
    with (tmp_path / f"{module}.py").open("a") as file:
        file.write(HOSTILE)
    with pytest.raises(IntrospectionError) as caught, open_server(InProcess(module, attribute), {}):
        pass
    assert caught.value.code == "MG703"
    assert message in f"{caught.value.message}; {caught.value.help}"
