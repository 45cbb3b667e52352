"""`generated/testing.py`: a client over handlers in this process, and examples, on the SDK that is installed."""

from __future__ import annotations

import asyncio
import importlib
import logging
import sys
from pathlib import Path
from typing import Any

import jsonschema_rs
import pytest
from sdk import exchange
from sdk.exchange import SDK
from support.packages import package, tool

pytestmark = pytest.mark.skipif(SDK is None, reason="no SDK is installed here")
CITY = {"type": "object", "properties": {"city": {"type": "string", "pattern": "^[A-Z]"}}, "required": ["city"]}
WEATHER = {"type": "object", "properties": {"celsius": {"type": "number"}}, "required": ["celsius"]}
TOOLS = [
    tool("get-weather", WEATHER, inputSchema=CITY),
    tool("list_numbers", {"type": "array", "items": {"type": "integer"}, "minItems": 2}),
    tool("nothing_declared", inputSchema=CITY),
    tool("never", {"type": "array", "items": {"type": "integer"}, "minItems": 10_000}),
    tool("examples", {"type": ["string", "null"], "examples": [None]}),
    tool("fallback", {"type": "integer", "examples": [17]}),
]
RESOURCES = [{"name": "page", "uri": "x://page"}]
TEMPLATES = [{"name": "log", "uriTemplate": "x://log/{year}"}]
PROMPTS = [{"name": "greet", "arguments": [{"name": "who", "required": True}]}]


@pytest.fixture(scope="module")
def generated(tmp_path_factory: pytest.TempPathFactory) -> Any:
    folder = tmp_path_factory.mktemp("testing")
    (folder / "mcpgen.toml").write_text(f'sdk = "{SDK}"\ntesting = true\n', "utf-8")
    return package(folder, TOOLS, resources=RESOURCES, resourceTemplates=TEMPLATES, prompts=PROMPTS)


@pytest.fixture(scope="module")
def testing(generated: Any) -> Any:
    return importlib.import_module(f"{generated.__name__}.testing")


def get_weather(city: str) -> dict[str, Any]:
    return {"celsius": len(city)}


def test_a_handler_answers_the_typed_client(generated: Any, testing: Any) -> None:
    async def run() -> None:
        async with testing.fake_client(get_weather=get_weather) as client:
            assert type(client) is importlib.import_module(f"{generated.__name__}.client").Client
            assert await client.get_weather(city="Oslo") == generated.GetWeatherResult(celsius=4)
            raw = await client.with_raw_response.get_weather(city="Ulm")
            assert raw.parse().celsius == 3
            assert client.contract.kept
            assert (await client.refresh()).same == tuple(generated.TOOLS)

    asyncio.run(run())


def test_arguments_and_results_are_held_against_the_schemas(generated: Any, testing: Any) -> None:
    async def run(handler: Any, city: str) -> Any:
        async with testing.fake_client(get_weather=handler) as client:
            return await client.get_weather(city=city)

    invalid = "Invalid arguments for get-weather: /city: should match the pattern"
    for handler, city, message in ((get_weather, "oslo", invalid), (lambda city: {"celsius": "x"}, "Oslo", "/celsius")):
        with pytest.raises(generated.ToolCallError, match=message):
            asyncio.run(run(handler, city))


def test_a_tool_without_a_handler_says_what_to_write(generated: Any, testing: Any) -> None:
    async def run() -> str:
        async with testing.fake_client() as client:
            with pytest.raises(generated.ToolCallError) as caught:
                await client.list_numbers()
            return str(caught.value)

    assert asyncio.run(run()) == (
        "list_numbers: no handler was given: write fake_client(list_numbers=…), or fake_client(examples) for an example"
    )


def test_tools_answer_with_their_examples(generated: Any, testing: Any) -> None:
    """A tool that has the name of a parameter or of the examples is one like the others."""

    async def run() -> None:
        async with testing.fake_client(testing.examples, fallback=lambda: 3) as client:
            assert (await client.list_numbers()).root == testing.examples.list_numbers.result.root
            assert (await client.nothing_declared(city="Oslo")).content[0].text == "A result of nothing_declared."
            assert (await client.examples()).root is None
            assert (await client.fallback()).root == 3
        async with testing.fake_client(testing.examples, examples=lambda: "text") as client:
            assert (await client.examples()).root == "text"
            assert (await client.fallback()).root == 17

    asyncio.run(run())


def test_every_example_is_valid(generated: Any, testing: Any) -> None:
    assert [*testing.examples] == [*generated.TOOLS]
    assert len(testing.examples) == len(TOOLS)
    assert "get-weather" in testing.examples
    for name in testing.examples:
        definition, example = generated.TOOLS[name], testing.examples[name]
        assert type(example.arguments) is generated.ARGUMENT_TYPES[name]
        assert jsonschema_rs.is_valid(definition["inputSchema"], example.arguments.to_structured_content())
        if name == "never":
            with pytest.raises(LookupError, match=r"^never has no example of its result: give the schema"):
                _ = example.result
            continue
        assert type(example.result) is generated.RESULT_TYPES[name]
        if "outputSchema" in definition:
            assert jsonschema_rs.is_valid(definition["outputSchema"], example.result.to_structured_content())
    with pytest.raises(KeyError):
        testing.examples["other"]
    with pytest.raises(AttributeError):
        _ = testing.examples.other


@pytest.mark.parametrize(
    ("handlers", "message"),
    [
        ({"get_whether": get_weather}, "there is no 'get_whether' to bind a handler to, did you mean 'get_weather'?"),
        ({"get-weather": get_weather}, "there is no 'get-weather' to bind a handler to, did you mean 'get_weather'?"),
        ({"get_weather": lambda town: None}, "the handler of get-weather does not fit: 'town' is not an argument"),
        ({"resources": {"pag": str}}, "there is no 'pag' to bind a handler to, did you mean 'page'?"),
        ({"prompts": {"x": str}}, "there is no 'x' to bind a handler to"),
    ],
)
def test_a_wrong_handler_is_a_type_error(testing: Any, handlers: Any, message: str) -> None:
    with pytest.raises(TypeError) as caught:
        testing.fake_client(**handlers)
    assert str(caught.value).startswith(message)


def test_resources_and_prompts_take_handlers(testing: Any) -> None:
    resources = {"page": lambda: "a page", "log": lambda year: f"log of {year}"}

    async def run() -> None:
        async with testing.fake_client(resources=resources, prompts={"greet": lambda who: f"Hi {who}"}) as client:
            assert "a page" in repr(await client.resources.page())
            assert "log of 1999" in repr(await client.resources.log(year="1999"))
            assert "Hi Ada" in repr(await client.prompts.greet(who="Ada"))

    asyncio.run(run())


def test_what_a_test_raises_is_in_no_group(testing: Any) -> None:
    async def run() -> None:
        async with testing.fake_client():
            raise KeyError("of the test")

    with pytest.raises(KeyError, match="of the test"):
        asyncio.run(run())


def test_what_a_handler_raised_is_in_the_log(testing: Any, generated: Any, caplog: pytest.LogCaptureFixture) -> None:
    def fail(city: str) -> Any:
        raise ZeroDivisionError("by the handler")

    async def run() -> None:
        async with testing.fake_client(get_weather=fail) as client:
            with pytest.raises(generated.ToolCallError):
                await client.get_weather(city="Oslo")

    with caplog.at_level(logging.ERROR):
        asyncio.run(run())
    assert "ZeroDivisionError: by the handler" in caplog.text


def test_a_server_of_ones_own_has_a_client(generated: Any, testing: Any) -> None:
    server = exchange.server()
    generated.bind(server).get_weather(get_weather)

    async def run() -> None:
        async with testing.client_of(server) as client:
            assert (await client.get_weather(city="Oslo")).celsius == 4
            assert "list_numbers" in client.contract.missing

    asyncio.run(run())


@pytest.mark.ci
def test_only_the_tools_that_are_used_are_imported(tmp_path: Path) -> None:
    (tmp_path / "mcpgen.toml").write_text(f'sdk = "{SDK}"\ntesting = true\n', "utf-8")
    lazy = package(tmp_path, TOOLS)
    module = importlib.import_module(f"{lazy.__name__}.testing")

    async def run() -> None:
        async with module.fake_client(module.examples) as client:
            await client.list_numbers()

    asyncio.run(run())
    imported = {name.rpartition(".")[2] for name in sys.modules if name.startswith(f"{lazy.__name__}.tools.")}
    assert imported == {"list_numbers"}


def test_hostile_text_in_an_example_stays_text(tmp_path: Path) -> None:
    texts = ['"""\n', "\\", "'); raise SystemExit #", "{{ x }}", "\u2028</script>", "\x00\x1b[31m", "${a}\r\n", "*/"]
    schema = {"type": "array", "items": {"type": "string"}, "examples": [texts]}
    (tmp_path / "mcpgen.toml").write_text(f'sdk = "{SDK}"\ntesting = true\n', "utf-8")
    hostile = package(tmp_path, [tool("hostile", schema)])
    module = importlib.import_module(f"{hostile.__name__}.testing")
    assert module.examples.hostile.result.root == texts
    assert (tmp_path / hostile.__name__ / "examples" / "hostile.json").read_bytes().isascii()
