"""`check --server`, with a server that answers at once."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from mcpgen.commands import check_servers
from mcpgen.commands.check_servers import ServerCheckRequest, run_server_check
from mcpgen.commands.package_selection import LoadedPackages
from mcpgen.commands.pulled_files import PulledHeader, render_pulled_file
from mcpgen.config.models import ToolChoice
from mcpgen.diagnostics import Findings
from mcpgen.introspect.server_address import format_server_address, make_server_name, parse_server_address
from mcpgen.introspect.server_query import parse_server_query
from mcpgen.report.output import CommandOutput
from support.definitions import PRICE, configure_package
from support.listings import advertised, answer_at_once
from support.packages import tool

OUTPUT = CommandOutput("check", "text", "never")


def _make_request(name: str | None = None, exclude: tuple[str, ...] = ()) -> ServerCheckRequest:
    query = parse_server_query(["https://a.test/mcp"], (), (), (), None, None)
    return ServerCheckRequest(query, name, (), exclude)


def _advertise(monkeypatch: pytest.MonkeyPatch, *tools: Any) -> None:
    answer = advertised(*tools, protocol="2025-06-18")
    answer_at_once(monkeypatch, check_servers, answer)


def _load(folder: Path, *names: str) -> LoadedPackages:
    return LoadedPackages([configure_package(folder / name, [tool("a", PRICE)]) for name in names], Findings())


@pytest.mark.parametrize(("schema", "exit_code"), [(PRICE, 0), ({"type": "object"}, 4)])
def test_a_server_has_to_advertise_the_definitions(
    schema: Any, exit_code: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    _advertise(monkeypatch, tool("a", schema))
    assert run_server_check(_load(tmp_path, "one"), _make_request(), OUTPUT) == exit_code
    out, err = capsys.readouterr()
    assert ("-" in out) == (exit_code == 4)
    assert ("1 tool under 2025-06-18, as " in err) == (exit_code == 0)
    assert ("1 tool under 2025-06-18, compared with " in err) == (exit_code == 4)


def test_excluded_definitions_are_not_compared(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _advertise(monkeypatch)
    assert run_server_check(_load(tmp_path, "one"), _make_request(), OUTPUT) == 4
    assert run_server_check(_load(tmp_path, "one"), _make_request(exclude=("a",)), OUTPUT) == 0


def test_one_of_several_packages_has_to_have_the_pulled_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    _advertise(monkeypatch, tool("a", PRICE))
    assert run_server_check(_load(tmp_path, "one", "two"), _make_request(), OUTPUT) == 2
    assert "error[MG302]" in capsys.readouterr().err


def test_the_servers_that_are_known_are_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    _advertise(monkeypatch, tool("a", PRICE))
    loaded = _load(tmp_path, "one", "two")
    _write_pulled_file(tmp_path / "one", "shop", tool("b", PRICE))
    query = parse_server_query(["python", "stat_server.py"], (), (), (), None, None)
    request = ServerCheckRequest(query, None, (), ())
    assert run_server_check(loaded, request, OUTPUT) == 2
    known = format_server_address(parse_server_address(["https://a.test/mcp"]))
    err = capsys.readouterr().err
    assert "error[MG302]: there is no file stat_server.py, and the settings hold several packages" in err
    assert f"name the file that was pulled from it, --name shop (from {known}); if none was, pull from it" in err
    _write_pulled_file(tmp_path / "two", "bank", tool("c", PRICE))
    loaded = LoadedPackages(loaded.packages, Findings())
    assert run_server_check(loaded, request, OUTPUT) == 2
    assert f"--name bank (from {known}) or --name shop (from {known}); if" in capsys.readouterr().err


def test_a_named_file_has_to_exist(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    _advertise(monkeypatch, tool("a", PRICE))
    assert run_server_check(_load(tmp_path, "one"), _make_request("other"), OUTPUT) == 2
    assert "error[MG001]" in capsys.readouterr().err


def _write_pulled_file(folder: Path, name: str, *tools: Any) -> None:
    pulled = folder / "schemas" / "pulled" / f"{name}.json"
    pulled.parent.mkdir(parents=True, exist_ok=True)
    pulled.write_text(
        render_pulled_file(
            advertised(*tools), PulledHeader(format_server_address(parse_server_address(["https://a.test/mcp"])))
        ),
        "utf-8",
    )


def test_a_file_pulled_under_another_name_is_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    _advertise(monkeypatch, tool("b", PRICE))
    loaded = _load(tmp_path, "one")  # with a tool that the server does not have, in a file of the user's
    _write_pulled_file(tmp_path / "one", "chosen", tool("b", PRICE))
    assert run_server_check(loaded, _make_request(), OUTPUT) == 0
    assert "chosen.json" in capsys.readouterr().err
    _write_pulled_file(tmp_path / "one", "again", tool("b", PRICE))
    assert run_server_check(_load(tmp_path, "one"), _make_request(), OUTPUT) == 2
    err = capsys.readouterr().err
    assert "error[MG701]" in err
    assert "several files: again, chosen" in err


def test_drift_of_all_definitions_names_the_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Without a file that was pulled from the server, drift may only be that of another server."""
    _advertise(monkeypatch, tool("a", PRICE))
    loaded = _load(tmp_path, "one")
    pulled = tmp_path / "one" / "schemas" / "pulled" / "bank.json"
    pulled.parent.mkdir(parents=True)
    pulled.write_text(render_pulled_file(advertised(tool("pay", PRICE)), PulledHeader("bank")), "utf-8")
    assert run_server_check(loaded, _make_request(), OUTPUT) == 4
    assert "to compare it with one file: --name bank" in capsys.readouterr().err


def test_the_same_name_in_several_packages(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    _advertise(monkeypatch, tool("b", PRICE))
    loaded = _load(tmp_path, "one", "two")
    _write_pulled_file(tmp_path / "two", "x", tool("b", PRICE))
    assert run_server_check(loaded, _make_request("x"), OUTPUT) == 0
    _write_pulled_file(tmp_path / "one", "x", tool("b", PRICE))
    assert run_server_check(_load(tmp_path, "one", "two"), _make_request("x"), OUTPUT) == 2
    err = capsys.readouterr().err
    assert "error[MG701]" in err
    assert "--from mcp.json --only NAME" in err


@pytest.mark.parametrize(
    ("words", "file", "command"),
    [
        (["https://a.test/mcp"], "a-test", "mcpgen pull https://a.test/mcp"),
        (["https://a.test/mcp?key=secret"], "a-test", "mcpgen pull URL"),
        (["shop.server:app"], "other", "mcpgen pull --name other shop.server:app"),
        (["python", "shop.py"], "shop", "mcpgen pull -- python shop.py"),
        (["uv", "run", "src/shop.py"], "other", "mcpgen pull --name other -- uv run src/shop.py"),
        (["/usr/bin/python3", "-u", "shop.py"], "shop", "mcpgen pull -- /usr/bin/python3 -u shop.py"),
        (["python", "-m", "shop.server"], "other", "mcpgen pull --name other -- python -m shop.server"),
        (["npx", "-y", "@shop/server-git"], "server-git", "mcpgen pull -- npx -y @shop/server-git"),
        (["uvx", "shop", "--repository", "."], "shop", "mcpgen pull -- uvx shop --repository ."),
        (["uvx", "shop", "--port", "8080"], "shop", "mcpgen pull -- uvx shop --port 8080"),
        (["uvx", "shop", "--db", "secret"], "other", "mcpgen pull --name other -- COMMAND"),
        (["python", "shop.py", "hunter2"], "shop", "mcpgen pull -- COMMAND"),
        (["python", "shop.py", "--token", "secret"], "shop", "mcpgen pull -- COMMAND"),
        (["python", "shop.py", "--token=secret"], "shop", "mcpgen pull -- COMMAND"),
        (["python", "shop.py", "user/secret"], "shop", "mcpgen pull -- COMMAND"),
        (["python", "shop.py", "--login", "user/secret"], "shop", "mcpgen pull -- COMMAND"),
        (["KEY9secret/python", "shop.py", "-psecret"], "shop", "mcpgen pull -- COMMAND"),
    ],
)
def test_drift_ends_with_what_to_do(
    words: list[str],
    file: str,
    command: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    query = parse_server_query(words, (), (), (), None, None)
    name = None if make_server_name(query.source) == file else file
    loaded = _load(tmp_path, "one")
    _write_pulled_file(tmp_path / "one", file, tool("b", PRICE))
    request = ServerCheckRequest(query, name, (), ())
    _advertise(monkeypatch, tool("b", PRICE))
    assert run_server_check(loaded, request, OUTPUT) == 0
    assert "next:" not in capsys.readouterr().err
    _advertise(monkeypatch, tool("b", {"type": "object"}))
    assert run_server_check(loaded, request, OUTPUT) == 4
    error = capsys.readouterr().err
    assert error.splitlines()[-3:] == [
        "next: pull, build, then run your type checker, which finds the code that no longer fits:",
        f"  {command}",
        "  mcpgen build",
    ]
    assert "secret" not in error


def test_options_whose_values_may_be_secret_are_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    query = parse_server_query(["uvx", "shop"], (), (), ("KEY=hunter2",), None, None)
    loaded = _load(tmp_path, "one")
    _write_pulled_file(tmp_path / "one", "shop", tool("b", PRICE))
    _advertise(monkeypatch, tool("b", {"type": "object"}))
    assert run_server_check(loaded, ServerCheckRequest(query, None, (), ()), OUTPUT) == 4
    error = capsys.readouterr().err
    assert "next: pull with the same --env, build, then run" in error
    assert "hunter2" not in error


def test_drift_of_the_users_own_definitions_ends_with_what_to_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    _advertise(monkeypatch, tool("a", {"type": "object"}))
    assert run_server_check(_load(tmp_path, "one"), _make_request(), OUTPUT) == 4
    error = capsys.readouterr().err
    assert error.splitlines()[-1].startswith("next: if the definitions are right, deploy the server")
    assert "mcpgen pull" not in error


@pytest.mark.parametrize(("words", "said"), [(["shop:server"], "bind a handler"), (["https://a.test/mcp"], "deploy")])
def test_what_to_do_depends_on_whose_server_it_is(
    words: list[str], said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    _advertise(monkeypatch, tool("b", PRICE))
    query = parse_server_query(words, (), (), (), None, None)
    assert run_server_check(_load(tmp_path, "one"), ServerCheckRequest(query, None, (), ()), OUTPUT) == 4
    last = capsys.readouterr().err.splitlines()[-1]
    assert last.startswith("next: if the definitions are right, ")
    assert said in last
    assert ("deploy" in last) is (said == "deploy")


def _load_returning(folder: Path, output: Any, returns: str) -> LoadedPackages:
    package = configure_package(folder, [tool("a", output)])
    package.settings.tools["a"] = ToolChoice.model_validate({"returns": returns})
    return LoadedPackages([package], Findings())


def test_the_class_that_a_handler_returns_is_compared(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    output: dict[str, Any] = {"type": "object", "properties": {"total": {"type": "number"}}, "required": ["total"]}
    _advertise(monkeypatch, tool("a", output))
    monkeypatch.chdir(tmp_path)
    (tmp_path / "returned_by_a.py").write_text("class Text: ...\n\nclass Fits(dict[str, int]): ...\n", "utf-8")
    query = parse_server_query(["server:server"], (), (), (), None, None)
    for name, said in (
        ("Fits", None),
        ("Text", None),  # pydantic does not know what it contains
        ("Missing", 'tool "a": "returned_by_a" has no "Missing"'),
    ):
        loaded = _load_returning(tmp_path, output, f"returned_by_a:{name}")
        code = run_server_check(loaded, ServerCheckRequest(query, None, (), ()), OUTPUT)
        err = capsys.readouterr().err
        assert code == (0 if said is None else 4), err
        assert ("MG720" in err) == (said is not None)
        assert said is None or said in err


@pytest.mark.parametrize("cycles", [True, False])
def test_a_class_whose_module_imports_the_package_is_a_warning(
    cycles: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    output: dict[str, Any] = {"type": "object"}
    _advertise(monkeypatch, tool("a", output))
    monkeypatch.chdir(tmp_path)
    module = f"returned_in_a_cycle_{cycles}".lower()
    (tmp_path / f"{module}.py").write_text(
        "import acme_a\nclass Free: ...\n" if cycles else "class Free: ...\n", "utf-8"
    )
    (tmp_path / "acme_a").mkdir()
    (tmp_path / "acme_a/__init__.py").write_text(f"if False:\n    from {module} import Free\n", "utf-8")
    loaded = _load_returning(tmp_path, output, f"{module}:Free")
    package = loaded.packages[0]
    settings = package.settings.model_copy(update={"out": "acme_a"})
    loaded = LoadedPackages([package.model_copy(update={"settings": settings})], Findings())
    query = parse_server_query(["server:server"], (), (), (), None, None)
    assert run_server_check(loaded, ServerCheckRequest(query, None, (), ()), OUTPUT) == 0
    err = capsys.readouterr().err
    message = (
        f'warning[MG720]: tool "a": the module of {module}:Free imports the generated package ({module}.py, line 1)'
    )
    assert (message in err) is cycles
    assert ("MG720" in err) is cycles


def test_a_server_that_runs_elsewhere_imports_nothing_here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _advertise(monkeypatch, tool("a", PRICE))
    loaded = _load_returning(tmp_path, PRICE, "no_such_module:Price")
    assert run_server_check(loaded, _make_request(), OUTPUT) == 0
