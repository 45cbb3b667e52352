"""The load runs, and its tables say what was measured; no time is asserted."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path

import pytest

from benchmarks import environments, load


@pytest.mark.slow
@pytest.mark.skipif(importlib.util.find_spec("mcp_types") is None, reason="needs mcp 2.x")
def test_load(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(environments, "CACHE", tmp_path)
    monkeypatch.setattr(environments, "PACKAGES", tmp_path)
    calls, memory = load.measure(minutes=0.02, connections=4, seconds=0.3)
    servers = ("mcpgen on mcp 2.x", "mcp 2.x")
    assert [*calls] == [f"{value}, {who}" for value in load.VALUES for who in (*servers, load.RATIO)]
    assert [*memory] == [f"{who}, {what}" for who in servers for what in ("resident", "peak")]
    for row in calls.values():
        rate, median, p99, _ = row  # in so short a time, the system may not have counted CPU time yet
        assert min(rate, median, p99) > 0
    for row in memory.values():
        *sizes, _ = row  # growth may be none, or negative
        assert min(sizes) > 0 or sys.platform != "linux"
    lines = load.render_rows("MiB", load.MEMORY, memory).splitlines()
    assert lines[0].split() == ["MiB", *load.MEMORY]
    assert len(lines) == 2 + len(memory)
