"""The benchmarks run, what is compared is the same, and the tables say what was measured; no time is asserted."""

from __future__ import annotations

import asyncio
import importlib
import json
import sys
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from benchmarks import __main__ as main
from benchmarks import client, environments, goals, memory, rounds, servers, table, values
from benchmarks import worker as worker_module
from benchmarks.cases import MODEL, WIRE, Case, format_section, wire_form
from benchmarks.contestants import generated, mcp2, plain
from benchmarks.environments import Worker, WorkerError
from benchmarks.figures import Figure

MCP2 = find_spec("mcp_types") is not None
SDKS = ["none", "mcp"] if MCP2 else ["none"]
HEADING = format_section(WIRE, MODEL)


@pytest.fixture(scope="module")
def packages(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A folder with the generated packages, which workers and servers find."""
    folder = tmp_path_factory.mktemp("benchmarks")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(environments, "CACHE", folder)
        patch.setattr(environments, "PACKAGES", folder)
        patch.setattr(servers, "CACHE", folder)
        environments.build_packages(SDKS)
        yield folder


@pytest.fixture
def worker(packages: Path) -> Iterator[Worker]:
    with Worker(Path(sys.executable)) as started:
        yield started


def load(worker: Worker) -> list[environments.Handle]:
    contestants = worker.load("benchmarks.contestants.plain:make_cases")
    for sdk in SDKS:
        package = environments.make_package_name(sdk)
        contestants += worker.load("benchmarks.contestants.generated:make_cases", package=package, sdk=sdk)
    package = environments.make_package_name("none")
    contestants += worker.load("benchmarks.contestants.checks:make_cases", package=package, sdk="none")
    if MCP2:
        package = environments.make_package_name("mcp")
        contestants += worker.load("benchmarks.contestants.mcp2:make_cases")
        contestants += worker.load("benchmarks.contestants.clients:make_cases", package=package)
    return contestants


@pytest.mark.slow
def test_contestants_agree(worker: Worker) -> None:
    handles = load(worker)
    for handle in handles:
        handle.check()
    contestants = {handle.contestant for handle in handles}
    assert contestants >= {"mcpgen alone", plain.FLOOR, plain.BY_HAND}
    assert not MCP2 or contestants >= {"mcpgen on mcp 2.x", mcp2.NAME, mcp2.ONCE}


@pytest.mark.slow
@pytest.mark.skipif(not MCP2, reason="needs mcp 2.x")
def test_goals_are_about_what_is_measured(worker: Worker) -> None:
    known = {(handle.section, handle.value, handle.contestant) for handle in load(worker)}
    named = {key for goal in goals.list_conversion_goals() for key in (goal.figure, goal.by) if key is not None}
    assert {key for key in named - known if "dedalus" not in key[2]} == set()


@pytest.mark.slow
def test_rounds(worker: Worker) -> None:
    handles = [item for item in load(worker) if item.section == HEADING and item.value == values.SMALL]
    figures = rounds.interleave_rounds(handles, 2, 0.0005)
    assert [(figure.section, figure.value, figure.contestant) for figure in figures] == [
        (handle.section, handle.value, handle.contestant) for handle in handles
    ]
    assert all(
        figure.rounds == 2 and figure.unit == "µs" and 0 < figure.low <= figure.median <= figure.high
        for figure in figures
    )


@pytest.mark.slow
def test_rounds_refuse_a_wrong_result(worker: Worker) -> None:
    handles = worker.load("tests.benchmarks.test_benchmarks:wrong_cases")
    with pytest.raises(WorkerError, match="AssertionError"):
        rounds.interleave_rounds(handles, 1, 0.0005)


def test_the_memory_of_a_call_is_measured() -> None:
    kept: list[bytes] = []
    peak, retained = memory.measure_call(lambda: bytes(2**20))
    assert 2**20 <= peak < 2**20 + 2**16
    assert retained < 2**10
    _, retained = memory.measure_call(lambda: kept.append(bytes(2**20)))
    assert retained >= 2**20


@pytest.mark.slow
def test_memory_is_measured_of_the_sdk_and_of_mcpgen(worker: Worker) -> None:
    if not MCP2:
        pytest.skip("needs mcp 2.x")
    figures = memory.measure(load(worker), quick=True)
    assert {figure.contestant for figure in figures} >= {generated.name_contestant("mcp"), mcp2.NAME}
    assert {figure.section.partition(",")[0] for figure in figures} == {"memory of a call", memory.GROWTH}
    assert all(figure.unit == "KiB" for figure in figures)


def wrong_cases() -> list[Any]:
    """For the worker: a floor that leaves a field out."""
    value = values.make_values()[0]
    good = next(case for case in plain.make_cases() if case.section == HEADING and case.value == value.name)
    return [Case(HEADING, value.name, "wrong", lambda: b'{"temperature": 22.5}', good.check)]


@pytest.mark.slow
def test_worker_says_what_is_wrong_and_goes_on(worker: Worker) -> None:
    with pytest.raises(WorkerError, match="what is asked is not known"):
        worker.ask(nothing=1)
    assert worker.ask(versions=["pydantic", "no-such-distribution"]).keys() == {"python", "pydantic"}


@pytest.mark.slow
def test_calibration() -> None:
    calls = 0

    def run() -> None:
        nonlocal calls
        calls += 1

    loops = worker_module.calibrate(run, 0.001)
    assert 1 <= loops <= calls


@pytest.mark.parametrize("change", [{"wind": 1.5}, {"sky": None}, {"note": None}])
def test_check_finds_another_value(change: dict[str, Any]) -> None:
    small = values.make_values()[0]
    values.check(small, {"structuredContent": small.json}, exact=True)
    with pytest.raises(AssertionError):
        values.check(small, {"structuredContent": {**small.json, **change}}, exact=False)


def test_check_passes_over_nulls_only_where_it_may() -> None:
    rows = next(value for value in values.make_values() if value.name == values.MIDDLE)
    wire = {"structuredContent": {"berths": [{"note": None, **row} for row in rows.json["berths"]]}}
    values.check(rows, wire, exact=False)
    with pytest.raises(AssertionError):
        values.check(rows, wire, exact=True)


def test_check_finds_other_data() -> None:
    block = {"type": "image", "data": values.make_chart_text()}
    values.check_binary({"content": [block]})
    wrongs: list[dict[str, Any]] = [
        {"content": []},
        {"content": [block | {"data": "AAAA"}]},
        {"content": [block], "structuredContent": ""},
    ]
    for wrong in wrongs:
        with pytest.raises(AssertionError):
            values.check_binary(wrong)


@pytest.mark.slow
def test_text_by_hand_is_the_templates(packages: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(packages))
    cls = importlib.import_module("measured_none").RESULT_TYPES["report_passage"]
    value = next(item for item in values.make_values() if item.name == values.TEXT)
    content = wire_form(cls.from_structured_content(value.json).to_wire_json())["content"]
    assert content == [{"type": "text", "text": plain.render_passage(value.as_model)}]


@pytest.mark.slow
@pytest.mark.skipif(not MCP2, reason="needs mcp 2.x")
def test_servers(packages: Path) -> None:
    figures = servers.measure({"mcp": Path(sys.executable)}, 1, quick=True)
    figures_by_key = {(figure.section, figure.value, figure.contestant): figure for figure in figures}
    named = {key for goal in goals.list_server_goals() for key in (goal.figure, goal.by) if key is not None}
    assert named <= figures_by_key.keys()
    # in so short a time, the system may not have counted a server's CPU time yet
    assert all(figure.median > 0 or "CPU" in figure.section for figure in figures)


def test_ratios_are_of_rounds() -> None:
    nobody: Any = None
    small = values.make_values()[0]
    ours, theirs = (servers.Cell(nobody, "stdio", small, "mcp", kind, 1) for kind in ("bound", "own"))
    ours.rates, theirs.rates = [30.0, 10.0, 20.0], [10.0, 5.0, 20.0]
    ours.costs, theirs.costs = [1.0, 2.0, 2.0], [2.0, 2.0, 3.0]
    more, less = servers.compute_ratios([ours, theirs])
    assert (more.section, more.median) == (goals.TIMES.format(transport="stdio"), 2.0)
    assert (less.section, less.median) == (goals.LESS.format(transport="stdio"), 1.5)
    assert more.contestant == less.contestant == "mcpgen on mcp 2.x"


def test_copies_of_a_server_are_one_contestant() -> None:
    nobody: Any = None
    small = values.make_values()[0]
    cells = [
        servers.Cell(nobody, "stdio", small, "mcp", kind, 1, copy) for copy in range(2) for kind in ("bound", "own")
    ]
    for number, cell in enumerate(cells):
        cell.rates.append(float(number))
    assert [(item.kind, item.rates) for item in servers._merge_copies(cells)] == [
        ("bound", [0.0, 2.0]),
        ("own", [1.0, 3.0]),
    ]
    assert [[item.copy for item in pair] for pair in servers._group_cells(cells)] == [[0, 0], [1, 1]]


@pytest.mark.parametrize(
    ("head", "sent", "body"),
    [
        ("content-length: 3", b"abcmore", b"abc"),
        ("transfer-encoding: chunked", b"3\r\nabc\r\nA;x=1\r\n0123456789\r\n0\r\n\r\nmore", b"abc0123456789"),
        ("content-type: text/plain", b"more", b""),
    ],
)
def test_bodies(head: str, sent: bytes, body: bytes) -> None:
    async def read() -> tuple[bytes, bytes]:
        out = asyncio.StreamReader()
        out.feed_data(sent)
        out.feed_eof()
        return await client.read_body(out, f"http/1.1 200 ok\r\n{head}\r\n\r\n".encode()), await out.read()

    assert asyncio.run(read()) == (body, b"more" if b"more" in sent else b"")


def test_an_answer_is_the_last_event() -> None:
    events = (
        b'event: message\r\ndata: {"method":"notifications/message"}\r\n\r\nevent: message\r\ndata: {"id":1}\r\n\r\n'
    )
    assert client.get_last_data(events) == b'{"id":1}'


def test_environments_are_known_by_name() -> None:
    with pytest.raises(SystemExit, match="no environment mcp3"):
        main.find_interpreters(["mcp3=python"])


def test_wanted_goals_are_of_the_sections() -> None:
    every = {goal.name for goal in main.list_goals(main.SECTIONS)}
    assert {goal.name for goal in main.list_goals(["wire"])} < every
    assert len(every) == len(main.list_goals(main.SECTIONS))


# --- tables ----------------------------------------------------------------------------------------------------------
def made_up() -> list[Figure]:
    ours, theirs, floor = generated.name_contestant("mcp"), mcp2.NAME, plain.FLOOR
    return [
        Figure(HEADING, values.SMALL, ours, "µs", 2.0, 1.9, 2.1, 5),
        Figure(HEADING, values.MIDDLE, ours, "µs", 40.0, 40.0, 44.0, 5),
        Figure(HEADING, values.SMALL, theirs, "µs", 25.0, 25.0, 25.0, 5),
        Figure(HEADING, values.MIDDLE, theirs, "µs", 1234.5, 1200.0, 1300.0, 5),
        Figure(HEADING, values.SMALL, floor, "µs", 0.5, 0.5, 0.5, 5),
        Figure("growth, fitted", "rows", ours, "exponent", 1.01, 0.9, 1.1, 5),
    ]


def test_text() -> None:
    assert table.render_text(made_up()).splitlines() == [
        f"== {HEADING}",
        "µs                 3 fields    50 rows",
        "-----------------  --------  ---------",
        "mcpgen on mcp 2.x  2.00 ±5%   40.0 ±5%",
        "mcp 2.x            25.0 ±0%  1,234 ±4%",
        "floor              0.50 ±0%          –",
        "",
        "== growth, fitted",
        "exponent                          rows",
        "-----------------  -------------------",
        "mcpgen on mcp 2.x  1.01 (0.90 to 1.10)",
    ]


def test_markdown() -> None:
    text = table.render_readme(made_up())
    assert text.startswith("To wire bytes, from an instance:\n\n| µs | 3 fields | 50 rows |\n| --- | --: | --: |\n")
    assert "| floor | 0.50 ±0% | – |" in text
    assert "growth" not in text


def test_goals() -> None:
    outcomes = {item.goal.name: item for item in goals.judge_goals(goals.list_conversion_goals(), made_up())}
    small = outcomes.pop("wire bytes, 3 fields: times faster than mcp 2.x")
    middle = outcomes.pop("wire bytes, 50 rows: times faster than mcp 2.x")
    assert not outcomes.pop("wire bytes, 3 fields: times the floor").met
    assert outcomes == {}  # what was not measured is not judged
    assert (small.ratio, small.met) == (12.5, False)
    assert (middle.ratio, middle.met) == (1234.5 / 40, True)
    lines = table.render_outcomes([small, middle]).splitlines()
    assert lines[2].split() == "wire bytes, 3 fields: times faster than mcp 2.x ≥ 20 12.50 NO".split()
    assert lines[3].endswith("yes")


@pytest.mark.parametrize(("most", "is_expected"), [(2.0, True), (1.9, False)])
def test_a_goal_may_be_a_figure_itself(most: float, is_expected: bool) -> None:
    key = (HEADING, values.SMALL, generated.name_contestant("mcp"))
    (outcome,) = goals.judge_goals([goals.Goal("bytes", key, None, most=most)], made_up())
    assert (outcome.ratio, outcome.met) == (2.0, is_expected)


def test_document_is_json() -> None:
    outcomes = goals.judge_goals(goals.list_conversion_goals(), made_up())
    document = json.loads(json.dumps(table.make_document(made_up(), outcomes, {"rounds": 5})))
    assert document["rounds"] == 5
    assert [Figure(**figure) for figure in document["figures"]] == made_up()
    assert [goal["met"] for goal in document["goals"]] == [False, True, False]
