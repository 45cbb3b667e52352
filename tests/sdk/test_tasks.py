"""Calls in the background, on whichever SDK is installed: by the typed client, of bound tools and of other servers."""

from __future__ import annotations

import asyncio
import importlib
import importlib.util
import json
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
from mcpgen_runtime.tasks import TaskStatus, ToolTask
from sdk import exchange, tasks_by_hand
from sdk.connections import open_own
from sdk.exchange import MODERN, NEW, OLD, SDK, VERSIONS
from sdk.harbour import NEVER, STOPPED
from sdk.served import Served, hold
from support.checkers import CHECKERS, reported, wrong
from support.packages import mcpgen, package, tool

pytestmark = pytest.mark.skipif(SDK is None, reason="no SDK is installed here")
HAS_DOCKET = importlib.util.find_spec("docket") is not None
TASK_VERSIONS: dict[str, tuple[str, ...]] = {
    "mcp1": (OLD,) if SDK == "mcp1" and importlib.util.find_spec("mcp.server.experimental") else (),
    "fastmcp3": (OLD,) if HAS_DOCKET else (),
    "fastmcp": (NEW,) if HAS_DOCKET else (),
}
"""The protocol versions under which an SDK's servers run tasks; those of the others have none."""


def is_task(protocol: str) -> bool:
    return protocol in TASK_VERSIONS.get(str(SDK), ())


runs_tasks = pytest.mark.skipif(not TASK_VERSIONS.get(str(SDK)), reason="this SDK's servers run no tasks")
COUNT: dict[str, Any] = {"type": "object", "properties": {"first": {"type": "integer"}}, "required": ["first"]}
TOTAL: dict[str, Any] = {
    "type": "object",
    "properties": {"total": {"type": ["integer", "null"]}, "more": {}},
    "required": ["total"],
}
SURE: dict[str, Any] = {"type": "object", "properties": {"sure": {"type": "boolean"}}, "required": ["sure"]}
OPTIONAL: dict[str, Any] = {"execution": {"taskSupport": "optional"}}
TOOLS = [
    tool("sums", TOTAL, inputSchema=COUNT, **OPTIONAL),
    tool("counts", {"type": "array", "items": {"type": "integer"}}, inputSchema=COUNT, **OPTIONAL),
    tool("words", inputSchema=COUNT, **OPTIONAL),
    tool("must", TOTAL, inputSchema=COUNT, execution={"taskSupport": "required"}),
    tool("direct", TOTAL, inputSchema=COUNT),
]
FORM = {"name": "sure", "message": "Sure?", "requestedSchema": SURE}


@pytest.fixture(scope="module", params=["always", "legacy"])
def generated(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Any:
    return package(tmp_path_factory.mktemp("tasks"), TOOLS, "--sdk", str(SDK), wrap=request.param, forms=[FORM])


def make_server() -> Any:
    server = exchange.server()
    if SDK == "fastmcp" and HAS_DOCKET:
        server.add_extension(exchange.named("fastmcp_tasks", "TasksExtension")())
    return server


class Handlers:
    """Handlers of all tools; `running` says whether one of them waits."""

    def __init__(self, generated: Any) -> None:
        self.running, self._generated = False, generated

    async def run(self, ctx: Any, first: int) -> Any:
        """Report progress, and do what the first number says: count, wait, ask, or fail."""
        context = exchange.find_context(ctx)
        match first:
            case -1:
                raise ValueError("swordfish")
            case -2:
                raise exchange.tool_error("no numbers left")
            case -3:
                return {"total": "many"}
            case -4:
                forms = importlib.import_module(f"{self._generated.__name__}.forms")
                answer = await forms.sure(context)
                return {"total": None, "more": [answer.action, answer.data.sure]}
            case 1000:
                self.running = True
                try:
                    await asyncio.sleep(60)
                finally:
                    self.running = False
        if SDK != "dedalus":
            for step in range(1, 4):
                await context.report_progress(step, 3, f"step {step}")
                await asyncio.sleep(0.05)
        return {"total": None if first == 0 else first + 1}


def serve(generated: Any, handlers: Handlers | None = None) -> Any:
    """Return a server with all tools bound."""
    running, server = handlers or Handlers(generated), make_server()
    tools = generated.bind(server)

    async def run(ctx: Any = None, *, first: int) -> Any:
        return await running.run(ctx, first)

    async def run_without_context(first: int) -> Any:
        return await running.run(None, first)

    async def counts(first: int) -> list[int]:
        return [first, first + 1]

    async def words(first: int) -> Any:
        return f"{first} words"

    run.__annotations__["ctx"] = exchange.context_type()
    handler = run_without_context if SDK == "dedalus" else run
    for name in ("sums", "must", "direct"):
        getattr(tools, name)(handler)
    tools.counts(counts)
    tools.words(words)
    return server


def ask(generated: Any, server: Any, protocol: str, work: Callable[[Any], Awaitable[Any]], answers: Any = None) -> Any:
    """Return what comes of the work with a typed client of a server, in memory."""

    async def asked() -> Any:
        async with exchange.connected(server, protocol, answers) as connection:
            return await work(await generated.connect(connection))

    return asyncio.run(asyncio.wait_for(asked(), 60))


# --- bound tools -----------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("protocol", VERSIONS)
@pytest.mark.parametrize(("name", "first"), [("sums", 3), ("sums", 0), ("counts", 3), ("words", 3), ("direct", 3)])
def test_a_task_has_the_result_of_the_call(generated: Any, protocol: str, name: str, first: int) -> None:
    async def work(client: Any) -> Any:
        task = await getattr(client.as_task, name)(first=first)
        assert isinstance(task, ToolTask)
        states = [status.state async for status in task.updates()]
        assert states[-1] == "completed"
        assert (task.id is not None) == (is_task(protocol) and name != "direct")
        raw = (await getattr(client.with_raw_response, name)(first=first)).result
        return await task.result(), await task.result(), await getattr(client, name)(first=first), raw

    first_time, again, plain, raw = ask(generated, serve(generated), protocol, work)
    assert type(first_time) is type(plain) is generated.RESULT_TYPES[name]
    assert first_time == again == plain
    assert generated.RESULT_TYPES[name].from_call_tool_result(raw, protocol) == plain


@pytest.mark.parametrize("protocol", VERSIONS)
def test_progress_of_a_task_is_heard(generated: Any, protocol: str) -> None:
    async def work(client: Any) -> tuple[list[Any], list[Any]]:
        heard: list[Any] = []
        listening = client.with_options(on_progress=lambda *progress: heard.append(progress))
        task = await listening.as_task.sums(first=3)
        statuses = [status async for status in task.updates()]
        await task.result()
        return heard, [status.message for status in statuses]

    heard, statuses = ask(generated, serve(generated), protocol, work)
    steps = [(number, 3, f"step {number}") for number in (1, 2, 3)]
    if SDK == "dedalus":
        assert heard == []
    elif SDK == "fastmcp3" or (SDK == "fastmcp" and is_task(protocol)):  # the status tells it
        assert heard == []
        assert {message for *_, message in steps} & {*statuses}
    else:
        assert heard == steps


@runs_tasks
def test_a_cancelled_task_stops_its_handler(generated: Any) -> None:
    handlers = Handlers(generated)

    async def work(client: Any) -> str:
        task = await client.as_task.sums(first=1000)
        await until(lambda: handlers.running)
        assert (await task.status()).state == "working"
        await task.cancel()
        with pytest.raises(generated.TaskFailedError) as caught:
            await task.result()
        await until(lambda: not handlers.running)
        await task.cancel()  # again
        assert (await (await client.as_task.sums(first=3)).result()).total == 4  # the session goes on
        return f"{caught.value.tool} {caught.value.state}"

    (protocol,) = TASK_VERSIONS[str(SDK)]
    assert ask(generated, serve(generated, handlers), protocol, work) == "sums cancelled"


async def until(condition: Callable[[], bool]) -> None:
    async with asyncio.timeout(30):
        while not condition():
            await asyncio.sleep(0.01)


@pytest.mark.skipif(not is_task(OLD) or SDK != "mcp1", reason="mcp 1.x ends the session if such a task returns")
@pytest.mark.parametrize("stubborn", [False, True])
def test_a_session_outlives_a_task_that_is_cancelled(generated: Any, stubborn: bool) -> None:
    """While the client waits in `tasks/result`, and if the handler does not stop."""

    class Stubborn(Handlers):
        async def run(self, ctx: Any, first: int) -> Any:
            try:
                return await super().run(ctx, first)
            except asyncio.CancelledError:
                if not stubborn:
                    raise
            return {"total": 0}

    handlers = Stubborn(generated)

    async def work(client: Any) -> int:
        task = await client.as_task.sums(first=1000)
        types = importlib.import_module("mcp.types")
        params = types.GetTaskPayloadRequestParams(taskId=task.id)
        request = types.ClientRequest(types.GetTaskPayloadRequest(params=params))
        waiting = asyncio.ensure_future(client._session._session.send_request(request, types.GetTaskPayloadResult))
        await until(lambda: handlers.running)
        await asyncio.sleep(0.3)
        await task.cancel()
        await waiting
        await until(lambda: not handlers.running)
        await asyncio.sleep(0.3)
        return int((await (await client.as_task.sums(first=3)).result()).total)

    assert ask(generated, serve(generated, handlers), OLD, work) == 4


@runs_tasks
def test_a_plain_call_waits_for_a_task_and_cancels_it_if_that_takes_too_long(generated: Any) -> None:
    handlers = Handlers(generated)

    async def work(client: Any) -> Any:
        with pytest.raises(TimeoutError):
            await client.with_options(timeout=0.5).must(first=1000)
        await until(lambda: not handlers.running)
        task = await client.as_task.must(first=1000)
        with pytest.raises(TimeoutError):
            await task.result(0.2)
        assert (await task.status()).state == "working"
        await task.cancel()
        return await client.must(first=3)

    (protocol,) = TASK_VERSIONS[str(SDK)]
    assert ask(generated, serve(generated, handlers), protocol, work).total == 4


@pytest.mark.parametrize("protocol", VERSIONS)
def test_errors_of_a_task_are_those_of_a_call(generated: Any, protocol: str) -> None:
    async def work(client: Any) -> list[str]:
        texts: list[str] = []
        for first in (-1, -2, -3):
            for caller in (client, client.as_task):
                with pytest.raises(generated.ToolCallError) as caught:
                    await get_result(await caller.sums(first=first))
                texts.append(caught.value.text)
        return texts

    texts = ask(generated, serve(generated), protocol, work)
    assert texts[0::2] == texts[1::2]
    assert "swordfish" not in "".join(texts)
    assert "no numbers left" in texts[2]


@pytest.mark.parametrize("protocol", VERSIONS)
def test_a_task_may_show_a_form(generated: Any, protocol: str) -> None:
    if SDK == "fastmcp3" and is_task(protocol):
        pytest.skip("fastmcp 3 asks from tasks only by its own call")
    forms: Any = importlib.import_module(f"{generated.__name__}.forms")
    answers = forms.Answers()
    answers.sure(lambda _: generated.SureForm(sure=True))

    async def work(client: Any) -> Any:
        return await (await client.as_task.sums(first=-4)).result()

    result = ask(generated, serve(generated), protocol, work, answers)
    assert result.to_structured_content() == {"total": None, "more": ["accept", True]}


@pytest.mark.parametrize("protocol", VERSIONS)
def test_the_list_says_what_is_declared(generated: Any, protocol: str) -> None:
    async def work(client: Any) -> dict[str, Any]:
        listed = await client.pinned_tools()
        for item in listed if protocol == OLD else ():
            hold(protocol, "Tool", item)
        return {item["name"]: item.get("execution") for item in listed}

    declared = {item["name"]: item.get("execution") for item in TOOLS}
    expected = declared if protocol == OLD else dict.fromkeys(declared)  # a Tool of 2026-07-28 has no such member
    assert ask(generated, serve(generated), protocol, work) == expected


@pytest.mark.skipif(SDK != "mcp1", reason="the SDK refuses such requests by itself")
def test_a_tool_that_needs_a_task_cannot_be_called_without_one(generated: Any) -> None:
    async def asked() -> list[int]:
        types, codes = importlib.import_module("mcp.types"), list[int]()
        async with exchange.connected(serve(generated)) as session:
            for name, task in (("must", None), ("direct", types.TaskMetadata(ttl=1000))):
                params = types.CallToolRequestParams(name=name, arguments={"first": 1}, task=task)
                request = types.ClientRequest(types.CallToolRequest(params=params))
                with pytest.raises(exchange.named("mcp.shared.exceptions", "McpError")) as caught:
                    await session.send_request(request, types.CallToolResult)
                codes.append(caught.value.error.code)
        return codes

    assert asyncio.run(asked()) == [-32601, -32601]


def test_a_fake_client_has_tasks(tmp_path: Path) -> None:
    (tmp_path / "mcpgen.toml").write_text("testing = true\n", "utf-8")
    generated = package(tmp_path, TOOLS, "--sdk", str(SDK))
    testing: Any = importlib.import_module(f"{generated.__name__}.testing")

    async def must(first: int) -> Any:
        return {"total": first}

    async def run() -> list[int]:
        async with testing.fake_client(must=must) as client:
            task = await client.as_task.must(first=3)
            return [(await client.must(first=2)).total, (await task.result()).total]

    assert asyncio.run(run()) == [2, 3]


# --- fastmcp's own tasks ---------------------------------------------------------------------------------------------
needs_fastmcp_tasks = pytest.mark.skipif(SDK != "fastmcp" or not HAS_DOCKET, reason="fastmcp 4 with `tasks` only")


@needs_fastmcp_tasks
def test_fastmcps_own_tool_and_client_answer_alike(generated: Any) -> None:
    async def sums(first: int) -> Any:
        return {"total": first + 1}

    async def run(server: Any) -> Any:
        async with exchange.named("fastmcp", "Client")(server) as client:
            task = await exchange.named("fastmcp_tasks.client", "call_tool_task")(client, "sums", {"first": 3})
            return (await task.result()).structured_content

    own = make_server()
    own.tool(task=True, output_schema=TOTAL)(sums)
    assert asyncio.run(run(own)) == asyncio.run(run(serve(generated))) == {"total": 4}


@needs_fastmcp_tasks
def test_options_of_fastmcp_win_over_what_is_declared(generated: Any) -> None:
    async def counts(first: int) -> list[int]:
        return [first]

    def bind(**options: Any) -> Any:
        server = make_server()
        generated.bind(server).options(**options).counts(counts)
        return server

    async def work(client: Any) -> bool:
        return (await client.as_task.counts(first=3)).id is not None

    for has_task in (True, False):
        assert ask(generated, bind(task=has_task), NEW, work) == has_task


@needs_fastmcp_tasks
def test_a_handler_that_cannot_run_as_a_task(generated: Any) -> None:
    """Optional tasks are calls then; a task that is needed is refused."""
    tools = generated.bind(make_server())
    tools.sums(lambda first: {"total": first})
    with pytest.raises(ValueError, match="must"):
        tools.must(lambda first: {"total": first})
    with pytest.raises(ValueError, match="counts"):
        tools.options(task=True).counts(lambda first: [first])


# --- a server by hand ------------------------------------------------------------------------------------------------
@pytest.fixture(scope="module")
def survey(tmp_path_factory: pytest.TempPathFactory) -> Any:
    return package(tmp_path_factory.mktemp("survey"), [tasks_by_hand.TOOL], "--sdk", str(SDK))


def ask_by_hand(survey: Any, how: str, work: Callable[[Any], Awaitable[Any]], answers: Any = None) -> Any:
    """Return what comes of a task of the server by hand."""

    async def asked() -> Any:
        async with open_own([sys.executable, tasks_by_hand.__file__], OLD, answers) as (connection, _):
            client = (await survey.connect(connection)).with_options(
                on_progress=lambda *progress: heard.append(progress)
            )
            came = await work(await client.as_task.survey(how=how))
            assert heard == ([] if how == "is no task" else [(1, 2, "sounding")])
            return came

    heard: list[Any] = []

    return asyncio.run(asyncio.wait_for(asked(), 60))


async def get_result(task: Any) -> Any:
    return await task.result()


@pytest.mark.ci
@pytest.mark.parametrize(
    "how",
    ["completes", "interval 0", "interval -5", 'interval "x"', "interval null", "interval true", "is no task"],
)
def test_a_task_of_2025_11_25_has_a_typed_result(survey: Any, how: str) -> None:
    result = ask_by_hand(survey, how, get_result)
    assert (type(result), result.depth) == (survey.SurveyResult, -1 if how == "is no task" else 4.5)


@pytest.mark.ci
def test_statuses_of_a_task(survey: Any) -> None:
    async def work(task: Any) -> Any:
        return [(status.state, status.message) async for status in task.updates()]

    states = [("working", "look 1"), ("working", "look 2"), ("completed", "look 3")]
    assert ask_by_hand(survey, "completes", work) == states


@pytest.mark.ci
def test_tasks_that_have_no_result(survey: Any) -> None:
    def fail(how: str, error: type[Exception]) -> str:
        async def work(task: Any) -> str:
            with pytest.raises(error) as caught:
                await task.result()
            return str(caught.value)

        return str(ask_by_hand(survey, how, work))

    protocol_error = exchange.named("mcp.shared.exceptions", "MCPError" if MODERN else "McpError")
    assert "the sounder is lost" in fail("fails with an error", protocol_error)
    assert fail("fails with a result", survey.ToolCallError) == "survey: too deep"
    assert fail("fails", survey.TaskFailedError) == "survey: the task has failed: look 3"
    assert fail("is cancelled", survey.TaskFailedError) == "survey: the task was cancelled: look 3"
    assert "depth" in fail("does not fit", survey.ResultError)


@pytest.mark.ci
@pytest.mark.parametrize("status", ['"done"', "null", "[]"])
def test_an_answer_that_is_no_task(survey: Any, status: str) -> None:
    async def work(task: Any) -> str:
        with pytest.raises(survey.ResultError) as caught:
            await task.result()
        return str(caught.value)

    text = ask_by_hand(survey, f"status {status}", work)
    assert text == "survey: the answer to `tasks/get` is not a Task"


def test_how_long_a_server_is_left_alone() -> None:
    def wait(**members: Any) -> float:
        status = TaskStatus.of({"taskId": "1", "status": "working", **members}, "pollIntervalMs" in members)
        assert status is not None
        return status.seconds_between_looks

    intervals = {2000: 2, 10**400: 600, 1: 0.02, 0: 0.5, -1: 0.5, None: 0.5}
    assert {interval: wait(pollInterval=interval) for interval in intervals} == intervals
    assert (wait(pollIntervalMs=2000), wait(pollIntervalMs=float("nan"))) == (2, 0.5)


@pytest.mark.ci
def test_cancelling_what_has_ended_is_no_error(survey: Any) -> None:
    async def work(task: Any) -> None:
        assert [status.state async for status in task.updates()][-1] == "cancelled"
        await task.cancel()

    ask_by_hand(survey, "is cancelled", work)


@pytest.mark.ci
@pytest.mark.skipif(SDK == "fastmcp3", reason="fastmcp 3 answers by its own handlers")
def test_what_a_task_asks_is_answered(survey: Any) -> None:
    async def answer(*arguments: Any) -> Any:
        name = "mcp_types" if MODERN else "mcp.types"
        return exchange.named(name, "ElicitResult")(action="accept", content={"depth": 7})

    assert ask_by_hand(survey, "asks", get_result, answer).depth == 7


# --- the example over stdio and HTTP ---------------------------------------------------------------------------------
@pytest.mark.ci
@pytest.mark.parametrize("protocol", VERSIONS)
@pytest.mark.parametrize("transport", ["stdio", "http"])
def test_a_task_of_the_example(served: Served, transport: str, protocol: str) -> None:
    if SDK == "dedalus" and transport == "stdio":
        pytest.skip("dedalus has no client over stdio")
    command = [sys.executable, str(Path(__file__).with_name("harbour.py")), str(SDK), str(served.folder), "stdio"]
    heard: list[Any] = []

    async def asked() -> Any:
        async with open_own(served.url if transport == "http" else command, protocol) as (connection, _):
            client = await served.example.connect(connection)
            client = client.with_options(on_progress=lambda *progress: heard.append(progress))
            task = await client.as_task.tide_forecast(day="2031-05-04")
            result = await task.result(30)
            assert (task.id is not None) == is_task(protocol)
            if task.id is not None:
                endless = await client.as_task.tide_forecast(day=NEVER)
                await asyncio.sleep(0.5)
                await endless.cancel()
                with pytest.raises(served.example.TaskFailedError, match="the task was cancelled"):
                    await endless.result(30)
                if transport == "http":
                    await until(lambda: STOPPED in served.log.read_text("utf-8"))
            return result

    result = asyncio.run(asyncio.wait_for(asked(), 90))
    assert type(result) is served.example.TideForecastResult
    assert heard or SDK in ("dedalus", "fastmcp3")  # fastmcp 3 tells it by the status


@pytest.mark.ci
@needs_fastmcp_tasks
def test_a_client_of_the_official_sdk_has_tasks(served: Served) -> None:
    async def asked() -> tuple[Any, Any, Any]:
        async with exchange.named("mcp", "Client")(served.url, mode=NEW) as connection:
            client = await served.example.connect(connection)
            task = await client.as_task.tide_forecast(day="2031-05-04")
            by_hand = await connection.call_tool("tide.forecast", {"day": "2031-05-04"})  # cannot take a task
            return task.id, await task.result(30), by_hand

    task, result, by_hand = asyncio.run(asyncio.wait_for(asked(), 90))
    assert task is not None
    assert type(result) is served.example.TideForecastResult
    assert by_hand.structured_content["day"]


# --- what type checkers say ------------------------------------------------------------------------------------------
USER = """\
import generated
from generated.client import Client, ToolTask


async def run(client: Client) -> int:
    task = await client.as_task.sums(first=3)
    kept: ToolTask[generated.SumsResult] = task
    other: ToolTask[generated.WordsResult] = task  # wrong
    await client.as_task.sums(first="3")  # wrong
    async for status in task.updates():
        print(status)
        if status.state == "done":  # wrong
            await task.cancel()
    task.result().total  # wrong
    return (await kept.result()).total or 0
"""


@pytest.mark.ci
@pytest.mark.skipif(
    not (importlib.util.find_spec("mypy") and importlib.util.find_spec("pyright")), reason="no checkers here"
)
@pytest.mark.parametrize("checker", CHECKERS)
def test_checkers_infer_the_result_of_a_task(tmp_path: Path, checker: str) -> None:
    (tmp_path / "schemas").mkdir()
    (tmp_path / "schemas/all.json").write_text(json.dumps({"tools": TOOLS}), "utf-8")
    assert mcpgen("build", "--sdk", str(SDK), cwd=tmp_path).returncode == 0
    found, text = reported(tmp_path, checker, USER)
    assert found == wrong(USER), text
