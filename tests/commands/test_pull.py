"""What `mcpgen pull` and `check --server` do with files, settings and packages, and what they never print."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest
from mcpgen.config.load import find_settings, load_packages
from mcpgen.diagnostics import Findings, Span
from mcpgen.introspect.drift import find_drift
from mcpgen.read.loader import read_definitions
from support.listings import advertised, definitions
from support.packages import mcpgen, package, tool
from support.repository import TESTS
from support.secret_sources import HEX, KEY, T, W, contains_part_of

pytestmark = pytest.mark.ci


def test_a_file_that_is_not_pulls_own_is_left_alone(tmp_path: Path) -> None:
    pytest.importorskip("mcp", reason="no MCP SDK is installed")
    server = "import json, sys\nfrom sdk import by_hand\nby_hand.main()\n"
    (tmp_path / "serve.py").write_text(f"import sys\nsys.path.insert(0, {str(TESTS)!r})\n{server}")
    command = ["--name", "x", "--", "python", "serve.py", ""]
    own_file = tmp_path / "schemas" / "pulled" / "x.json"
    neighbour = own_file.with_name("mine.json")
    own_file.parent.mkdir(parents=True)
    for path in (own_file, neighbour):
        path.write_text('{"tools": []}')
    run = mcpgen("pull", *command, cwd=tmp_path)
    assert (run.returncode, own_file.read_text()) == (3, '{"tools": []}')
    assert run.stderr.startswith("schemas/pulled/x.json: error[MG402]")
    assert mcpgen("pull", "--force", *command, cwd=tmp_path).returncode == 0
    own_file.write_text(own_file.read_text().replace("object", "string"))
    run = mcpgen("pull", *command, cwd=tmp_path)
    assert run.returncode == 3
    assert run.stderr.startswith("schemas/pulled/x.json: error[MG401]")
    assert neighbour.read_text() == '{"tools": []}'


ARRAY = {"type": "array", "items": {"type": "integer"}}


@pytest.mark.parametrize(
    ("folder", "generated", "settings", "when"),
    [
        ("", {}, "", "legacy"),
        ("pulled", {}, "", "always"),
        ("pulled", {"protocol": "2025-11-25"}, "", "always"),
        ("pulled", {"protocol": "2026-07-28"}, "", "legacy"),
        ("pulled", {}, "wrap = 'legacy'", "legacy"),
        ("pulled", {"protocol": "2026-07-28"}, "wrap = 'always'", "always"),
        ("pulled", {}, "[tools.a]\nwrap = 'legacy'", "legacy"),
    ],
)
def test_when_pulled_results_are_wrapped(tmp_path: Path, folder: str, generated: Any, settings: str, when: str) -> None:
    schemas = tmp_path / "schemas" / folder
    schemas.mkdir(parents=True)
    (schemas / "x.json").write_text(json.dumps({"generated": generated, "tools": [tool("a", ARRAY)]}))
    (tmp_path / "mcpgen.toml").write_text(settings)
    (package,) = load_packages(find_settings(tmp_path), tmp_path, Findings())
    for inputs in ([tmp_path / "schemas"], [schemas], [schemas / "x.json"]):
        chosen = package.settings.model_copy(update={"schemas": [str(path) for path in inputs]})
        (definition,) = read_definitions(package.model_copy(update={"settings": chosen}), Findings()).tools
        assert definition.choices.wrap == when


def test_a_schema_that_the_settings_give_is_wrapped_as_sdks_do(tmp_path: Path) -> None:
    schemas = tmp_path / "schemas" / "pulled"
    schemas.mkdir(parents=True)
    text = json.dumps({"generated": {"protocol": "2026-07-28"}, "tools": [tool("a")]})
    (schemas / "x.json").write_text(text)
    (tmp_path / "mcpgen.toml").write_text("[tools.a]\noutputSchema = 'list.json'")
    (tmp_path / "list.json").write_text(json.dumps(ARRAY))
    (package,) = load_packages(find_settings(tmp_path), tmp_path, Findings())
    (definition,) = read_definitions(package, Findings()).tools
    assert definition.choices.wrap == "always"


@pytest.mark.parametrize("version", ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28"])
def test_what_a_package_advertises_is_no_drift(tmp_path: Path, version: str) -> None:
    """Under each version, by the generated package itself; and the next version's form is drift where it differs."""
    tools = [tool("array", ARRAY), tool("object", {"type": "object", "title": "T"}), tool("bare")]
    generated = package(tmp_path / "package", tools)
    declared = definitions(tmp_path / "held", tools)
    live = advertised(*generated.list_tools(version), protocol=version)
    assert find_drift(declared, live, Span.of_server("server")).diagnostics == []
    natural = advertised(*generated.list_tools("2026-07-28"), protocol=version)
    expected = ["MG716"] if version in ("2025-06-18", "2025-11-25") else []
    drift = find_drift(declared, natural, Span.of_server("server"))
    assert [error.code for error in drift.diagnostics] == expected
    assert all(' tool "array": /outputSchema is ' in f" {error.message}" for error in drift.diagnostics)


LEAKY = """
import json, os, sys
said = " ".join(sys.argv[1:]) + " " + json.dumps(sys.argv) + " " + os.environ.get("GIVEN", "")
print(said, file=sys.stderr, flush=True)
print("not a message: " + said, flush=True)
for line in sys.stdin:
    asked = json.loads(line)
    if "id" in asked and os.environ.get("WAY") == "error":
        print(json.dumps({"jsonrpc": "2.0", "id": asked["id"], "error": {"code": 1, "message": said}}), flush=True)
    elif "id" in asked:
        raise SystemExit(3)
"""


@pytest.mark.parametrize("format", ["text", "json", "github", "sarif"])
@pytest.mark.parametrize("way", ["error", "end"])
def test_a_server_that_repeats_what_it_was_given(tmp_path: Path, format: str, way: str) -> None:
    """In no format is anything secret, whether the server says it in an error, on a stream, or before it ends."""
    pytest.importorskip("mcp", reason="no MCP SDK is installed")
    (tmp_path / "leaky.py").write_text(LEAKY)
    arguments = ["--header-like", f"Authorization: Bearer {T}", KEY, f"--x={HEX}", f"https://a:{W}@b.example.com/?k=1"]
    options = ["--env", f"WAY={way}", "--env", "GIVEN=opensesame99", "--format", format]
    run = mcpgen("pull", *options, "--", sys.executable, "leaky.py", *arguments, cwd=tmp_path)
    assert run.returncode == 2
    assert "MG70" in run.stdout + run.stderr
    for secret in (T, KEY, HEX, W, "opensesame99"):
        assert not contains_part_of(secret, run.stdout + run.stderr), (secret, run.stdout + run.stderr)
