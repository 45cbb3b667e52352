"""Files with the definitions of a server."""

from __future__ import annotations

import json
from pathlib import Path

from mcpgen.config.load import find_settings, load_packages
from mcpgen.diagnostics import Findings
from mcpgen.introspect.pulled_file import find_files_pulled_from, find_pulled_folder, render_pulled_file
from support.listings import advertised
from support.packages import tool


def test_the_text_of_a_file() -> None:
    """Sorted by name, members as they were sent, and no more than JSON can say."""
    one = {"name": "b", "inputSchema": {"type": "object", "properties": {"z": True, "a": {"minimum": 1.0}}}}
    text = render_pulled_file(advertised(one, tool("a")), "weather")
    assert text == render_pulled_file(advertised(tool("a"), one), "weather")
    held = json.loads(text)
    assert json.dumps(held["tools"][1]) == json.dumps(one)
    assert "ü\u2028" in render_pulled_file(advertised(tool("a", description="ü\u2028")), "x")


def test_where_files_go(tmp_path: Path) -> None:
    for settings, folder in (
        ("", "schemas/pulled"),
        ("schemas = ['definitions']", "definitions/pulled"),
        ("schemas = ['a.json', 'b']", "b/pulled"),
        ("schemas = ['x/pulled/weather.json']", "x/pulled"),
        ("schemas = ['a.json']", "schemas/pulled"),
    ):
        (tmp_path / "mcpgen.toml").write_text(settings)
        found = find_pulled_folder(load_packages(find_settings(tmp_path), tmp_path, Findings()))
        assert found in (tmp_path / folder, Path(folder))


def test_files_are_found_by_the_server_that_they_name(tmp_path: Path) -> None:
    for name, server in (("b", "weather:server"), ("a", "weather:server"), ("c", "other:server")):
        (tmp_path / f"{name}.json").write_text(render_pulled_file(advertised(tool("t")), server), "utf-8")
    (tmp_path / "broken.json").write_text('{"generated": {"by": "mcpgen pull", "server": "weather:server"', "utf-8")
    (tmp_path / "mine.json").write_text('{"generated": {"by": "me", "server": "weather:server"}}', "utf-8")
    (tmp_path / "link.json").symlink_to(tmp_path / "a.json")
    (tmp_path / "folder.json").mkdir()
    found = [path.name for path in find_files_pulled_from("weather:server", tmp_path)]
    assert found == ["a.json", "b.json"]
    assert find_files_pulled_from("weather:server", tmp_path / "nowhere") == []
