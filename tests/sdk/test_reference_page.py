"""The HTML reference in a real browser: search, folding, links, keyboard, print, accessibility, no request."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
from sdk.wire import SDK_TESTS
from support.packages import mcpgen, tool

BROWSER = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
MODULES = Path(os.environ.get("NODE_MODULES", "nowhere"))
pytestmark = [
    pytest.mark.skipif(BROWSER is None, reason="no Chromium is installed here"),
    pytest.mark.skipif(not (MODULES / "puppeteer-core").is_dir(), reason="NODE_MODULES has no puppeteer-core"),
    pytest.mark.skipif(shutil.which("node") is None, reason="node is missing"),
    pytest.mark.ci,
]
PLACE: dict[str, Any] = {
    "type": "object",
    "description": "Where to sit.",
    "properties": {"row": {"type": "integer", "minimum": 1}, "beside": {"$ref": "#/$defs/Place"}},
}
ORDER: dict[str, Any] = {
    "type": "object",
    "properties": {
        "place": {"$ref": "#/$defs/Place"},
        "extras": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {"napkin": {"enum": ["red", "blue"], "description": "Its colour."}},
            },
        },
        "a_name_that_is_much_too_long_for_a_column_of_a_table_on_the_screen_of_a_phone": {"type": "string"},
    },
    "required": ["place"],
    "$defs": {"Place": PLACE},
}
HOSTILE = "<script>document.title='pwned'</script><img src=//example.org/x.png onerror=document.title='pwned'>"
TOOLS = [
    tool("order_meal", ORDER, inputSchema=ORDER, title="Order a meal", annotations={"readOnlyHint": False}),
    tool("pay", ORDER, description=HOSTILE),
    tool("x" * 60, inputSchema=ORDER, description=f"Long. {'word' * 60}"),
    tool("سلام", description="مرحبا", **{"x-mcpgen": {"name": "greet"}}),
]
RESOURCES = [{"name": "menu", "uri": "https://example.org/menu", "mimeType": "text/html"}]


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """What a browser reports about a reference."""
    folder = tmp_path_factory.mktemp("reference")
    (folder / "schemas").mkdir()
    (folder / "schemas" / "tools.json").write_text(json.dumps({"tools": TOOLS, "resources": RESOURCES}), "utf-8")
    assert mcpgen("build", cwd=folder).returncode == 0
    run = mcpgen("docs", "--title", "Kitchen", cwd=folder)
    assert run.returncode == 0, run.stderr
    shutil.copy(SDK_TESTS / "ts" / "browse.mjs", folder)
    (folder / "node_modules").symlink_to(MODULES)
    command = ["node", "browse.mjs", str(BROWSER), str(folder / "site" / "reference.html"), str(folder)]
    node = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=300)
    assert node.returncode == 0, node.stderr
    return json.loads(node.stdout)


def test_nothing_is_asked_for_and_nothing_goes_wrong(report: Any) -> None:
    assert report["messages"] == []
    assert report["requests"] == []


def test_search_finds_words_anywhere_on_a_page(report: Any) -> None:
    names = ["order_meal", "pay", "x" * 60, "سلام", "menu"]
    assert sorted(report["all"]) == sorted(names)
    assert report["afterSlash"] == "search"
    assert sorted(report["found"]) == sorted(names[:3])
    assert report["status"] == "3 of 5 found"
    assert sorted(report["afterEscape"]) == sorted(names)
    assert (report["none"], report["noneStatus"]) == ([], "0 of 5 found")


def test_the_keyboard_goes_through_what_was_found(report: Any) -> None:
    assert report["afterDown"] == "#tool-order_meal"
    assert report["afterUp"] == "search"
    assert report["hashAfterEnter"] == report["focusAfterEnter"] == "#tool-order_meal"
    assert report["firstTab"] == "#content"
    assert report["unseen"] == []


def test_types_are_folded_and_unfold(report: Any) -> None:
    assert report["foldedAtFirst"] > 3
    assert (report["openAfterClick"], report["openAfterEnter"]) == (1, 0)
    assert (report["foldedAfterUnfold"], report["openAfterFold"]) == (0, 0)


def test_an_address_inside_a_folded_type_unfolds_it(report: Any) -> None:
    assert report["targets"] > 10
    assert report["hidden"] == []
    assert report["openAfterLink"]
    assert report["dangling"] == []


def test_print_has_everything_and_no_controls(report: Any) -> None:
    assert (report["foldedInPrint"], report["openAfterPrint"]) == (0, 0)
    assert report["pdf"] > 10_000
    assert report["barInPrint"] == "none"


def test_axe_finds_no_violation(report: Any) -> None:
    assert report["axe"] == {"light 1280": [], "dark 1280": [], "light 390": [], "dark 390": []}


def test_it_fits_a_phone(report: Any) -> None:
    assert report["overflow"] <= 0
    states = (report["sidebarClosed"], report["sidebarOpen"], report["sidebarAfterEscape"])
    assert states == ("hidden", "visible", "hidden")


def test_without_scripts_there_are_no_controls(report: Any) -> None:
    assert report["withoutScript"]
