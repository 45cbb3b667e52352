"""Digests of addresses: what they tell apart, and what makes no difference."""

from __future__ import annotations

from pathlib import Path

import pytest
from mcpgen.introspect.server_address import Command, identify_server, parse_server_address
from support.secret_sources import KEY, T, W


@pytest.fixture(autouse=True)
def _project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "project" / ".git").mkdir(parents=True)
    monkeypatch.chdir(tmp_path / "project")


def _identify(*words: str) -> str:
    return identify_server(parse_server_address(words))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (("https://a.test/github/mcp",), ("https://a.test/jira/mcp",)),
        (("python", "a/server.py"), ("python", "b/server.py")),
        (("python", "server.py"), ("python", "a/server.py")),
        (("npx", "-y", "@a/server"), ("npx", "-y", "@b/server")),
        (("docker", "run", "-i", "a/server"), ("docker", "run", "-i", "b/server")),
    ],
)
def test_servers_of_one_name_have_different_identities(one: tuple[str, ...], other: tuple[str, ...]) -> None:
    assert _identify(*one) != _identify(*other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ((f"https://{W}@a.test/github/mcp?key={T}",), ("https://a.test/github/mcp",)),
        (("python", "a/server.py", "--token", T), ("python3", "./a/server.py", KEY)),
        (("npx", "-y", "@a/server@1.2.3"), ("npx", "-y", "@a/server")),
        (("uvx", "some-server==1.2"), ("uvx", "some-server@latest")),
        ((".venv/bin/some-server",), ("/usr/bin/some-server",)),
        (("python", "/opt/a/work/server.py"), ("python", "/srv/b/work/server.py")),
    ],
)
def test_what_changes_from_run_to_run_makes_no_difference(one: tuple[str, ...], other: tuple[str, ...]) -> None:
    assert _identify(*one) == _identify(*other) != ""


def test_a_script_is_the_same_from_every_folder_of_the_project(tmp_path: Path) -> None:
    here = _identify("python", "a/server.py")
    assert here == _identify("python", str(tmp_path / "project" / "a" / "server.py"))
    assert here == identify_server(Command(("python", "server.py"), str(tmp_path / "project" / "a")))


def test_an_address_that_is_shown_as_a_whole_has_none() -> None:
    assert _identify("http://localhost:8931/mcp") == _identify("shop.server:app") == ""


@pytest.mark.parametrize("words", [(f"https://a.test/{T}/mcp",), ("python", f"{T}/server.py"), ("sh", "-c", T)])
def test_an_identity_is_too_short_to_confirm_a_guess(words: tuple[str, ...]) -> None:
    assert len(_identify(*words)) == 4
