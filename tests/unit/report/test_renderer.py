"""All formats are rendered through one interface."""

from __future__ import annotations

import pytest
from mcpgen.diagnostics import Diagnostic
from mcpgen.report.github import render_github
from mcpgen.report.json_document import render_json
from mcpgen.report.renderer import CommandRun, Renderer
from mcpgen.report.sarif import render_sarif
from mcpgen.report.text import render_text

RENDERERS: list[Renderer] = [render_text, render_github, render_json, render_sarif]


@pytest.mark.parametrize("render", RENDERERS)
def test_a_renderer_ends_its_last_line(render: Renderer) -> None:
    text = render([Diagnostic("MG101", "a rare message")], CommandRun("check", 2))
    assert "a rare message" in text
    assert text.endswith("\n")


@pytest.mark.parametrize("render", RENDERERS)
def test_data_is_made_only_for_a_format_that_shows_it(render: Renderer) -> None:
    calls: list[int] = []
    render([], CommandRun("check", make_data=lambda: calls.append(1)))
    assert len(calls) == (render is render_json)
