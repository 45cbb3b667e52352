"""The benchmarks' parts around the serializers, at small sizes: what they measure, never how long it took."""

from __future__ import annotations

import importlib.util
import json
import math
import os
import shutil
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import jsonschema_rs
import pytest
from support.repository import ROOT

import generated
from benchmarks import builds, commands, count, growth, imports, made, monorepo
from benchmarks.count_builds import ADDED, CHANGED, COLD, FIRST, SAME, count_builds
from benchmarks.figures import Figure

pytestmark = pytest.mark.slow

needs_mcp = pytest.mark.skipif(importlib.util.find_spec("mcp_types") is None, reason="mcp 2.x is not installed here")


def figures(section: str, contestant: str, costs: dict[str, float], unit: str = "µs") -> list[Figure]:
    return [Figure.of(section, value, contestant, unit, [cost]) for value, cost in costs.items()]


# --- builds and imports ----------------------------------------------------------------------------------------------
def test_made_up_tools_are_the_same_for_the_same_seed(tmp_path: Path) -> None:
    for name in ("first", "second"):
        made.make(tmp_path / name, 30)
    first, second = (
        {path.relative_to(tmp_path / name): path.read_text("utf-8") for path in (tmp_path / name).rglob("*.*")}
        for name in ("first", "second")
    )
    assert first == second
    assert len(list((tmp_path / "first").rglob("*_1.json"))) == 1


def test_builds_are_measured_beside_datamodel_code_generator() -> None:
    figures = builds.measure_size(3, 1, jobs=1)
    ours = {builds.COLD, builds.FIRST, builds.SAME}
    ours |= {builds.CHANGED, builds.PROPERTY, builds.ADDED, builds.REMOVED, builds.SHARING}
    assert {item.contestant for item in figures} == {*ours, *builds.OTHERS}
    assert {(item.section, item.unit) for item in figures} == {
        (builds.TIME, "s"),
        (builds.PROCESSOR, "s"),
        (builds.MEMORY, "MiB"),
    }
    assert {item.value for item in figures} == {"3 tools"}
    assert all(item.median > 0 for item in figures if item.section != builds.MEMORY or sys.platform == "linux")


def test_the_latencies_of_watch_are_measured() -> None:
    figures = builds.measure_watch(3, 1)
    assert {item.section for item in figures} == {builds.WATCH, builds.WATCH_ADDED, builds.WATCH_REMOVED}
    assert all(item.median > 0 for item in figures)


@pytest.mark.skipif(shutil.which("ninja", path=monorepo.PATH) is None, reason="there is no ninja")
def test_a_second_checkout_builds_only_what_its_build_system_has_no_cache_for() -> None:
    counts: dict[str, list[tuple[int, int]]] = {}
    for way, _, made_build in monorepo.measure_shared(3):
        counts.setdefault(way, []).append((made_build.built, made_build.cached))
    bazel = counts.pop("Bazel and --remote_cache", None)
    assert bazel in (None, [(2, 0), (0, 2), (0, 0), (1, 0), (0, 1)])
    ninja = [(2, 0), (2, 0), (0, 0), (1, 0), (1, 0)]
    assert counts == {"Ninja": ninja, "Ninja and mcpgen's cache": ninja}


@needs_mcp
def test_every_command_is_measured_over_made_up_tools() -> None:
    figures = list(commands.measure_commands(12, 1))
    assert {item.section for item in figures} == {commands.COMMANDS_TIME, commands.COMMANDS_WALL}
    contestants = {item.contestant for item in figures}
    assert {commands.BUILD, commands.UNCACHED, commands.CACHED, "diff", "lint", "docs", "pull"} <= contestants
    assert {item.value for item in figures} == {"12 tools"}


def test_builds_are_measured_against_what_a_schema_has_many_of() -> None:
    figures = list(commands.measure_schemas(1, quick=True))
    assert len({item.value.partition(" ")[2] for item in figures}) == len(commands.AXES)
    assert len(growth.fits(figures)) == len(commands.AXES)


def test_a_run_that_fails_is_no_figure(tmp_path: Path) -> None:
    with pytest.raises(RuntimeError, match="exit code 7"):
        builds.run([sys.executable, "-c", "raise SystemExit(7)"], tmp_path)


def test_the_first_use_of_a_tool_loads_its_module_only() -> None:
    loaded: list[tuple[str, ...]] = []
    for other_count in (0, 4):
        with builds.write_project(other_count) as folder:
            package = imports.build_measured(folder, other_count + 1, "none")
            run = imports.start_once(package, imports.CALL)
            loaded.append(run.loaded)
            assert sorted(imports.start_once(package, imports.IMPORT).loaded) == [
                "generated",
                "mcpgen_runtime",
                "mcpgen_runtime.package",
                "mcpgen_runtime.sdk",
                "mcpgen_runtime.sdk.none",
            ]
            figures = list(imports.measure_imports([package, imports.copy_uncompiled(package)], 1))
    assert loaded[0] == loaded[1]
    assert [name for name in loaded[0] if name.startswith("generated.tools.")] == ["generated.tools.measured"]
    assert {item.section for item in figures} == {
        *imports.STEPS,
        imports.MEMORY,
        imports.MODULES,
        "the libraries alone",
    }


@needs_mcp
def test_servers_are_measured_with_the_tools_bound_and_on_the_decorators_of_the_sdk() -> None:
    with builds.write_project(1) as folder:
        figures = list(imports.measure_servers(imports.build_measured(folder, 2, "mcp"), 1))
    assert [(item.section, item.value, item.contestant) for item in figures] == [
        (section, "2 tools", who) for section in (imports.START, imports.SERVER) for who in imports.SERVERS
    ]
    assert all(item.median > 0 for item in figures if item.section == imports.START or sys.platform == "linux")


# --- growth ----------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("shape", growth.list_shapes({"rows": (3,), "fields": (1, 9), "depth": (1, 5)}), ids=str)
def test_the_value_of_a_shape_is_one_of_its_schema_and_its_class(shape: growth.Shape) -> None:
    schema, value, model = shape.parts()
    assert jsonschema_rs.Draft202012Validator(schema).is_valid(value)
    assert model.model_validate(value).model_dump() == value
    depth = json.dumps(value).count('"inner"')
    assert depth == (shape.size - 1 if shape.kind == "depth" else 0)


def test_what_grows_faster_than_its_size_is_marked() -> None:
    sizes = (10, 100, 1_000)
    linear = figures("a", "linear", {f"{size:,} rows": 3.0 * size for size in sizes})
    square = figures("a", "square", {f"{size:,} rows": size**2 for size in sizes})
    step = figures("b, against tools", "step", {"10 tools": 10, "100 tools": 20, "1,000 tools": 900})
    left_out = [
        *figures("c", "two sizes only", {"50 rows": 1, "2,000 rows": 9_000}),
        *figures("d", "more is better", {f"{size} rows": size for size in sizes}, "calls/s"),
        *figures("e", "no sizes", {"small": 1, "middle": 2, "large": 3}),
    ]
    fits = {item.contestant: item for item in growth.fits([*reversed(linear), *square, *step, *left_out])}
    assert {name: item.value for name, item in fits.items()} == {
        "linear": "a, against rows",
        "square": "a, against rows",
        "step": "b, against tools",
    }
    assert fits["linear"].median == pytest.approx(1)
    assert fits["square"].median == pytest.approx(2)
    assert fits["step"].median < growth.STEEP
    assert fits["step"].high == pytest.approx(math.log10(45))
    assert [growth.is_steep(fits[name]) for name in ("linear", "square", "step")] == [False, True, True]
    assert growth.format_fits(fits["step"]).endswith("SUPER-LINEAR")
    assert growth.format_fits(fits["linear"]) == "1.00 (1.00 to 1.00)"


@needs_mcp
def test_growth_is_measured_of_each_way(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(growth, "QUICK", {"rows": (1, 2, 4), "depth": (1, 2)})
    figures = growth.measure(1, quick=True)
    operations = (growth.OBJECT, growth.WIRE, growth.READ)
    assert {item.section for item in figures} == {
        f"{operation}, against {kind}" for operation in operations for kind in ("rows", "depth")
    }
    assert {(item.value, item.contestant) for item in figures} == {
        (value, who)
        for value in ("1 rows", "2 rows", "4 rows", "1 depth", "2 depth")
        for who in (growth.OURS, growth.SDK)
    }
    assert len(growth.fits(figures)) == 6  # two depths are too few


# --- plots -----------------------------------------------------------------------------------------------------------
def test_plots_are_the_same_every_time_and_say_who(tmp_path: Path) -> None:
    from benchmarks import plots  # draws with matplotlib, which only the extra dev installs

    wire = "to wire bytes, from an instance"
    measured = [
        *figures(wire, "mcp 2.x", {"3 fields": 20, "50 rows": 200}),
        *figures(wire, "mcpgen on mcp 2.x", {"3 fields": 1, "50 rows": 400}),
        *figures("calls per second", "mcp 2.x", {"3 fields": 100}, "calls/s"),
        *figures("calls per second", "mcpgen on mcp 2.x", {"3 fields": 250}, "calls/s"),
        *figures("build, time", "mcpgen, cold", {"10 tools": 1, "100 tools": 2, "1,000 tools": 20}, "s"),
    ]
    assert plots.compute_ratios(measured) == {
        wire: {
            "3 fields": {"mcp 2.x": 1, "mcpgen on mcp 2.x": 20},
            "50 rows": {"mcp 2.x": 1, "mcpgen on mcp 2.x": 0.5},
        },
        "calls per second": {"3 fields": {"mcp 2.x": 1, "mcpgen on mcp 2.x": 2.5}},
    }
    first, second = (plots.write([*measured, *growth.fits(measured)], tmp_path / name) for name in ("first", "second"))
    assert [path.name for path in first] == [
        "ratio-to-wire-bytes-from-an-instance.svg",
        "ratio-calls-per-second.svg",
        "growth-tools.svg",
    ]
    for item, second_item in zip(first, second, strict=True):
        assert item.read_bytes() == second_item.read_bytes()
        assert ElementTree.parse(item).getroot().tag.endswith("svg")
        assert "<dc:date>" not in item.read_text("utf-8")


# --- counts ----------------------------------------------------------------------------------------------------------
COUNTS = """
import json
from benchmarks import count
print(json.dumps({name: count.count_call(run) for name, run in count.list_calls().items()}))
"""


def test_counts_are_the_same_in_every_process() -> None:
    outputs = [
        subprocess.run(
            [sys.executable, "-c", COUNTS],
            cwd=ROOT,
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            check=True,
        ).stdout
        for seed in ("1", "2", "random")
    ]
    assert outputs[0] == outputs[1] == outputs[2]
    assert all(value > 0 for data in json.loads(outputs[0]).values() for value in data.values())


def test_an_instruction_more_in_a_serializer_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    run = count.list_calls()["small, to a CallToolResult"]
    old_count = count.count_call(run)["instructions"]
    plain = generated.LookupOwnerResult.to_structured_content

    def more(self: generated.LookupOwnerResult) -> object:
        return plain(self)

    monkeypatch.setattr(generated.LookupOwnerResult, "to_structured_content", more)
    new_count = count.count_call(run)["instructions"]
    assert old_count < new_count < old_count + 20


def test_memory_at_its_peak_is_seen() -> None:
    assert count.measure_peak(lambda: bytes(300_000)) >= 300_000 > count.measure_peak(lambda: bytes(1_000))


def test_the_comparison_fails_where_something_grew(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(count, "count_builds", dict)
    monkeypatch.setattr(count, "list_calls", lambda: {"one": lambda: sum([1, 2]), "two": lambda: [*range(40)]})
    summary = tmp_path / "summary.json"
    assert count.main([], summary) == 0  # there is nothing to compare with
    assert "nothing to compare with" in capsys.readouterr().out
    assert count.main(["--update"], summary) == 0
    assert count.main([], summary) == 0
    assert "GREW" not in capsys.readouterr().out

    written = json.loads(summary.read_text("utf-8"))
    counts = written[count.VERSION]["counts"]["one"]

    def instructions(number: float) -> int:
        changed = {**written[count.VERSION]["counts"], "one": {**counts, "instructions": number}}
        summary.write_text(json.dumps({count.VERSION: {**written[count.VERSION], "counts": changed}}), "utf-8")
        return count.main([], summary)

    assert instructions(counts["instructions"] / 1.06) == 1
    out = capsys.readouterr().out
    assert "GREW" in out
    assert "--update" in out
    assert instructions(counts["instructions"] / 1.04) == 0
    assert instructions(counts["instructions"] * 1.1) == 0
    assert "shrank: refresh the summary" in capsys.readouterr().out


def test_other_versions_of_libraries_may_cost_more(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(count, "count_builds", dict)
    monkeypatch.setattr(count, "list_calls", lambda: {"one": lambda: sum([1, 2])})
    summary = tmp_path / "summary.json"
    count.main(["--update"], summary)
    written = json.loads(summary.read_text("utf-8"))
    entry = written[count.VERSION]
    for growth_factor, result in ((1.2, 0), (1.3, 1)):
        fewer = {what: number / growth_factor for what, number in entry["counts"]["one"].items()}
        changed = {"versions": {**entry["versions"], "black": "1.0"}, "counts": {"one": fewer}}
        summary.write_text(json.dumps({count.VERSION: changed}), "utf-8")
        assert count.main([], summary) == result


@pytest.mark.slow
def test_builds_are_counted_from_imports_to_files() -> None:
    counts = count_builds()
    cold, changed, added, first, same = (counts[name]["instructions"] for name in (COLD, CHANGED, ADDED, FIRST, SAME))
    assert cold > 1.8 * changed
    assert cold > 1.8 * added
    assert changed > first > 10 * same
    assert same > 10_000


def test_a_serializer_cannot_leave_or_come_without_a_change_to_the_summary() -> None:
    removed, come = count.compare({"old": {"instructions": 3}}, {"new": {"instructions": 3}})
    assert removed.fails(0.05)
    assert come.fails(0.05)


def test_the_summary_is_about_every_serializer_on_every_python() -> None:
    summary = json.loads(count.SUMMARY.read_text("utf-8"))
    assert set(summary) == {"3.11", "3.12", "3.13", "3.14"}
    for entry in summary.values():
        assert set(entry["counts"]) == {*count.list_calls(), COLD, CHANGED, ADDED, FIRST, SAME}
