"""Type checkers are measured over a package of made-up tools, and find no mistake in a server that uses it."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import pytest

from benchmarks import checkers

pytestmark = pytest.mark.ci


@pytest.mark.skipif(importlib.util.find_spec("mcp_types") is None, reason="mcp 2.x is not installed here")
def test_checkers_are_measured() -> None:
    figures = checkers.measure(3, 1)
    runs = {f"{checker}, {when}" for checker in checkers.CHECKERS for when in (checkers.COLD, checkers.EDITED)}
    assert {(item.section, item.unit) for item in figures} == {
        *((name, unit) for name in runs for unit in (checkers.SECONDS, checkers.PROCESSOR)),
        *(("package", unit) for unit in (checkers.MODULES, checkers.LINES)),
    }
    assert {(item.value, item.contestant) for item in figures} == {("3 tools", checkers.NEW)}
    assert all(item.median > 0 for item in figures)
    assert all(item.section in checkers.render(figures) for item in figures)


def test_a_mistake_is_no_figure(tmp_path: Path) -> None:
    (tmp_path / checkers.MODULE).write_text("wrong: int = ''\n", "utf-8")
    with pytest.raises(RuntimeError, match="Incompatible types in assignment"):
        checkers.run(checkers.CHECKERS["mypy"], tmp_path, checkers.ROOT)
