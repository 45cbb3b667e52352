"""Tools that run as tasks, with fastmcp's tasks extension, compared with fastmcp's own."""

from __future__ import annotations

import asyncio
import importlib.util
from collections.abc import Callable
from typing import Any

import pytest
from sdk import exchange
from sdk.exchange import SDK
from support.packages import package, tool

pytestmark = pytest.mark.skipif(
    SDK != "fastmcp" or importlib.util.find_spec("fastmcp_tasks") is None,
    reason="fastmcp 4 with its extra `tasks` is not installed here",
)
COUNT = {"type": "object", "properties": {"first": {"type": "integer"}}, "required": ["first"]}
NUMBERS = {"type": "array", "items": {"type": "integer"}}
TOOLS = [
    tool(
        "sums",
        {"type": "object", "properties": {"total": {"type": "integer"}}, "required": ["total"]},
        inputSchema=COUNT,
    ),
    tool("counts", NUMBERS, inputSchema=COUNT),
    tool("words", inputSchema=COUNT),
]


async def sums(first: int) -> Any:
    if first < 0:
        raise ValueError("swordfish")
    return {"total": first + 1}


async def counts(first: int) -> list[int]:
    return [first, first + 1]


async def words(first: int) -> Any:
    return f"{first} words"


@pytest.fixture(scope="module", params=["always", "legacy"])
def generated(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Any:
    return package(tmp_path_factory.mktemp("tasks"), TOOLS, "--sdk", "fastmcp", wrap=request.param)


def make_server() -> Any:
    server = exchange.server()
    server.add_extension(exchange.named("fastmcp_tasks", "TasksExtension")())
    return server


def bind(generated: Any, **options: Any) -> Any:
    server = make_server()
    tools = generated.bind(server).options(**options)
    for name, handler in {"sums": sums, "counts": counts, "words": words}.items():
        getattr(tools, name)(handler)
    return server


def ask(server: Any, work: Callable[[Any], Any]) -> Any:
    async def asked() -> Any:
        async with exchange.named("fastmcp", "Client")(server) as client:
            return await work(client)

    return asyncio.run(asyncio.wait_for(asked(), 60))


def run_as_task(name: str, arguments: dict[str, Any]) -> Callable[[Any], Any]:
    async def work(client: Any) -> Any:
        task = await exchange.named("fastmcp_tasks.client", "call_tool_task")(client, name, arguments)
        result = await task.result()
        return task, result

    return work


@pytest.mark.parametrize(("name", "value"), [("sums", {"total": 4}), ("words", None), ("counts", [3, 4])])
def test_a_task_has_the_result_of_the_call(generated: Any, name: str, value: Any) -> None:
    server = bind(generated, task=True)
    task, result = ask(server, run_as_task(name, {"first": 3}))
    plain = ask(bind(generated), lambda client: client.call_tool(name, {"first": 3}))
    assert task is not None
    assert result.structured_content == plain.structured_content
    assert [block.text for block in result.content] == [block.text for block in plain.content]
    if value is not None:
        assert result.structured_content in (value, {"result": value})


def test_fastmcps_own_tool_answers_alike(generated: Any) -> None:
    own = make_server()
    own.tool(task=True, output_schema=TOOLS[0]["outputSchema"])(sums)
    _, expected = ask(own, run_as_task("sums", {"first": 3}))
    _, result = ask(bind(generated, task=True), run_as_task("sums", {"first": 3}))
    assert result.structured_content == expected.structured_content


def test_errors_of_a_task_say_no_more_than_those_of_a_call(generated: Any) -> None:
    async def work(client: Any) -> Any:
        task = await exchange.named("fastmcp_tasks.client", "call_tool_task")(client, "sums", {"first": -1})
        with pytest.raises(Exception, match="sums") as caught:
            await task.result()
        return str(caught.value)

    assert "swordfish" not in ask(bind(generated, task=True), work)


def test_the_list_says_that_tasks_are_taken(generated: Any) -> None:
    def read(server: Any) -> dict[str, Any]:
        tools = ask(server, lambda client: client.list_tools())
        return {item.name: item.execution and item.execution.task_support for item in tools}

    own = make_server()
    own.tool(task=True)(sums)
    assert read(bind(generated, task=True)) == dict.fromkeys(["sums", "counts", "words"], read(own)["sums"])
    assert read(bind(generated)) == dict.fromkeys(["sums", "counts", "words"])


def test_a_handler_that_cannot_run_as_a_task_is_refused(generated: Any) -> None:
    tools = generated.bind(make_server()).options(task=True)
    with pytest.raises(ValueError, match="sums"):
        tools.sums(lambda first: {"total": 1})
