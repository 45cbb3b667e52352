"""What `learn` says of each tool."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

from mcpgen.commands.learn_report import format_left_out, format_report, is_named
from mcpgen.commands.learned_files import LearnedTool
from mcpgen.config.models import ConfiguredPackage, PackageSettings
from mcpgen.diagnostics import Span
from mcpgen.learn.results import RecordedValue, ToolRecording


def report(folder: Path, state: str, **tools: str) -> list[str]:
    """Return the report on the tool `a`; `tools` are the outputSchemas that the settings name."""
    settings = PackageSettings.model_validate({"tools": {name: {"outputSchema": path} for name, path in tools.items()}})
    package = ConfiguredPackage(settings=settings, folder=folder, file=folder / "mcpgen.toml")
    recording = ToolRecording([RecordedValue({"x": 1}, Span("x.json"))], Counter({"errors": 2, "no text": 1}))
    assert format_left_out(recording) == "errors (2), no text (1)"
    tool = LearnedTool(
        "a", folder / "learned", "a.output.json", recording, "{}", is_named([(package, {})], "a", folder / "learned")
    )
    first, left_out, *rest = format_report([(package, {})], [tool], {"a": state})
    assert first.endswith(f"a.output.json: from 1 result, {state}")
    assert left_out == "  left out: errors (2), no text (1)"
    return rest


def test_what_to_do_with_a_new_file(tmp_path: Path) -> None:
    assert report(tmp_path, "written")[1:] == ['  [tools."a"]', '  outputSchema = "learned/a.output.json"']
    assert report(tmp_path, "written", a="learned/a.output.json") == ["next:", "  mcpgen build"]
    assert report(tmp_path, "written", a="other.json") == []
    assert report(tmp_path, "unchanged", a="learned/a.output.json") == []
