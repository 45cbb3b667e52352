"""What the table's libraries make of a result, run for real, is what `show --host` prints of it."""

from __future__ import annotations

import asyncio
import json
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import pytest
from hosts import results
from hosts.clients import LIBRARIES, Failure, Part
from mcpgen.hosts.conversions import read_as

FAILS = "(the call fails: "
"""How a reading starts that says so."""
RESULTS = {
    "example": list(results.list_example_results()),
    "odd": list(results.list_odd_results()),
    "random": list(results.make_random_results(seed=17, count=100)),
}


@pytest.mark.ci
@pytest.mark.parametrize("kind", RESULTS)
@pytest.mark.parametrize("host", LIBRARIES)
def test_a_library_converts_results_as_the_reading_says(host: Any, kind: str, tmp_path: Path) -> None:
    library, chosen = LIBRARIES[host], RESULTS[kind]
    try:
        version(library.distribution)
    except PackageNotFoundError:
        pytest.skip(f"{library.distribution} is not installed")
    script = tmp_path / "script.json"
    tools = results.list_tools({result.tool for result in chosen})
    script.write_text(json.dumps({"tools": tools, "results": [result.wire for result in chosen]}), "utf-8")
    calls = [(result.tool, {"index": index}) for index, result in enumerate(chosen)]
    heard = asyncio.run(library.read(script, calls))
    differing: dict[str, Any] = {}
    for result, parts in zip(chosen, heard, strict=True):
        expected = [Part(item.text, item.is_media) for item in read_as(host, result.wire, result.tool).items]
        fails = bool(expected) and expected[0].text.startswith(FAILS)
        if fails != isinstance(parts, Failure) or (not fails and expected != parts):
            differing[result.name] = (result.wire, {"read_as": expected, host: parts})
    assert differing == {}
