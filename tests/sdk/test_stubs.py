"""`generated/stubs/`: tools as functions over JSON data, on the SDK that is installed; and what type checkers say."""

from __future__ import annotations

import asyncio
import importlib
import inspect
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from sdk.exchange import SDK
from support import checkers
from support.packages import mcpgen, package, tool

pytestmark = pytest.mark.skipif(SDK is None, reason="no SDK is installed here")
PLACE = {
    "type": "object",
    "description": "A place. With a second sentence that is not of the first.",
    "properties": {"name": {"type": "string"}, "in-country": {"type": "string", "format": "iso-country"}},
    "required": ["name"],
    "additionalProperties": False,
}
CITY = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}
NUMBER = {"type": "object", "properties": {"int": {"type": "integer"}}}
TOOLS: list[dict[str, Any]] = [
    tool(
        "find-places",
        {"type": "object", "properties": {"places": {"type": "array", "items": PLACE}}, "required": ["places"]},
        description="Finds places by name.\n\nA long text on how it does so.",
        inputSchema={
            "type": "object",
            "properties": {
                "namePart": {"type": "string", "description": "What the name starts with.", "minLength": 2},
                "max-count": {"type": "integer", "default": 20, "minimum": 1, "maximum": 100},
                "near": {"anyOf": [PLACE, {"type": "null"}]},
                "extras": {"type": "boolean"},
                "class": {"enum": ["a", "b"]},
            },
            "required": ["namePart"],
            "additionalProperties": False,
        },
    ),
    tool("count", {"type": "integer"}, description="Counts them all"),
    tool("print_map", inputSchema=CITY),
    tool("search_tools", {"type": "array", "items": {"type": "string"}}),
    tool(
        "int", {"type": ["integer", "null"]}, inputSchema={"type": "object", "properties": {"int": {"type": "integer"}}}
    ),
    tool("annotations", {"type": "boolean"}),
    tool(
        "store",
        {"type": "object", "additionalProperties": {"type": "integer"}},
        inputSchema={"type": "object", "additionalProperties": {"type": "integer"}},
    ),
    tool(
        "measure",
        {"type": "object", "properties": {"at": {"type": "string", "format": "date-time"}}, "required": ["at"]},
        inputSchema={
            "type": "object",
            "oneOf": [
                {
                    "type": "object",
                    "properties": {"kind": {"const": kind}, "value": {"type": type}},
                    "required": ["kind", "value"],
                    "additionalProperties": False,
                }
                for kind, type in (("text", "string"), ("number", "number"))
            ],
        },
    ),
]


def write_project(folder: Path) -> None:
    (folder / "mcpgen.toml").write_text(
        f'sdk = "{SDK}"\ntesting = true\nstubs = true\nwrap = "always"\nformats = "native"\n', "utf-8"
    )


@pytest.fixture(scope="module")
def generated(tmp_path_factory: pytest.TempPathFactory) -> Any:
    folder = tmp_path_factory.mktemp("stubs")
    write_project(folder)
    return package(folder, TOOLS)


@pytest.fixture(scope="module")
def stubs(generated: Any) -> Any:
    return importlib.import_module(f"{generated.__name__}.stubs")


class Handlers:
    """Handlers that answer with their arguments, or with JSON data."""

    calls: list[dict[str, Any]]

    def __init__(self) -> None:
        self.calls = []

    def find_places(self, **arguments: Any) -> Any:
        self.calls.append(arguments)
        return {"places": [{"name": "Oslo", "in-country": "NO"}, {"name": "Ulm"}]}

    def print_map(self, city: str) -> Any:
        types = importlib.import_module("mcp.types")
        image = types.ImageContent(type="image", data="aGk=", **{_get_name(types, "mimeType"): "image/png"})
        return [
            types.TextContent(type="text", text=f"A map of {city}"),
            image,
            types.TextContent(type="text", text="x"),
        ]

    def measure(self, **arguments: Any) -> Any:
        self.calls.append(arguments)
        return {"at": "2026-11-24T01:02:03Z"}


def _get_name(types: Any, wire: str) -> str:
    return wire if wire in types.ImageContent.model_fields else "mime_type"


def call(generated: Any, name: str, handlers: dict[str, Any], **arguments: Any) -> Any:
    testing = importlib.import_module(f"{generated.__name__}.testing")
    stubs = importlib.import_module(f"{generated.__name__}.stubs")

    async def run() -> Any:
        async with testing.fake_client(**handlers) as client:
            with stubs.use_client(client):
                return await getattr(stubs, name)(**arguments)

    return asyncio.run(run())


def test_arguments_have_their_names_on_the_wire_and_results_are_json(generated: Any) -> None:
    handlers = Handlers()
    near = {"name": "Bergen", "in-country": "NO"}
    result = call(
        generated,
        "find_places",
        {"find_places": handlers.find_places},
        namePart="Os",
        max_count=3,
        near=near,
        extras_=True,
        class_="a",
    )
    (arguments,) = handlers.calls
    assert (arguments["name_part"], arguments["max_count"], arguments["class_"]) == ("Os", 3, "a")
    assert arguments["near"] == near
    assert arguments["extras_"] is True
    assert result == {"places": [{"name": "Oslo", "in-country": "NO"}, {"name": "Ulm"}]}
    assert [type(place) for place in result["places"]] == [dict, dict]


def test_bare_values_are_returned_as_they_are(generated: Any) -> None:
    assert call(generated, "count", {"count": lambda: 7}) == 7
    assert call(generated, "search_tools_", {"search_tools": lambda: ["a"]}) == ["a"]
    assert call(generated, "int_", {"int": lambda int=None: int}, int=4) == 4
    assert call(generated, "int_", {"int": lambda int=None: int}) is None
    assert call(generated, "annotations", {"annotations": lambda: True}) is True


def test_undeclared_arguments_and_unions_of_them(generated: Any) -> None:
    handlers = Handlers()
    measured = call(generated, "measure", {"measure": handlers.measure}, kind="number", value=1.5)
    assert measured == {"at": "2026-11-24T01:02:03Z"}
    assert handlers.calls == [{"kind": "number", "value": 1.5}]
    assert call(generated, "store", {"store": lambda **values: values}, extras={"a": 1}) == {"a": 1}


def test_a_result_without_a_schema_is_its_text_with_all_blocks(generated: Any) -> None:
    text = call(generated, "print_map", {"print_map": Handlers().print_map}, city="Ulm")
    assert text == "A map of Ulm\nx"
    assert isinstance(text, str)
    assert [block["type"] for block in text.content] == ["text", "image", "text"]  # type: ignore[attr-defined]
    assert json.loads(json.dumps(text.content))[1]["mimeType"] == "image/png"  # type: ignore[attr-defined]


def test_errors_are_those_of_the_client(generated: Any, stubs: Any) -> None:
    def fail() -> Any:
        raise ValueError

    with pytest.raises(generated.ToolCallError):
        call(generated, "count", {"count": fail})
    with pytest.raises(TypeError, match="no property 'nothing'"):
        call(generated, "store", {}, nothing=1)
    with pytest.raises(RuntimeError, match=r"count needs a client: .*`with use_client\(client\):`"):
        asyncio.run(stubs.count())
    with pytest.raises(AttributeError, match="has no function 'nothing'"):
        _ = stubs.nothing
    with pytest.raises(LookupError, match=r"has no function '\.\./x'"):
        stubs.read_stub("../x")


def test_the_client_is_that_of_the_task_and_its_threads(generated: Any, stubs: Any) -> None:
    testing = importlib.import_module(f"{generated.__name__}.testing")

    async def count(result: int) -> int:
        async with testing.fake_client(count=lambda: result) as client:
            with stubs.use_client(client):
                await asyncio.sleep(0.01)
                assert [*await asyncio.gather(stubs.count(), stubs.count())] == [result, result]
                return int(await stubs.count())

    async def run() -> list[int]:
        return await asyncio.gather(*map(count, range(5)))

    assert asyncio.run(run()) == [0, 1, 2, 3, 4]
    with pytest.raises(RuntimeError, match="needs a client"):
        asyncio.run(stubs.count())


def test_a_client_with_raw_responses_will_do(generated: Any, stubs: Any) -> None:
    testing = importlib.import_module(f"{generated.__name__}.testing")

    async def run() -> Any:
        async with testing.fake_client(count=lambda: 3) as client:
            with stubs.use_client(client.with_raw_response):
                return await stubs.count()

    assert asyncio.run(run()) == 3


def test_each_function_describes_itself(stubs: Any) -> None:
    assert stubs.find_places.__name__ == "find_places"
    assert stubs.find_places.__module__ == stubs.__name__
    assert inspect.iscoroutinefunction(stubs.find_places)
    assert stubs.find_places.__doc__ == stubs.read_stub("find_places")
    assert {"find_places", "search_tools_", "search_tools", "use_client", "read_stub"} <= {*dir(stubs)}
    definition = stubs.read_definition("search_tools_")
    assert definition == TOOLS[3]


def test_search_finds_tools_by_their_words(stubs: Any) -> None:
    assert stubs.search_tools("find a place") == ["find_places: Finds places by name..."]
    assert stubs.search_tools("namePart")[0].startswith("find_places")
    assert stubs.search_tools("countr") == ["find_places: Finds places by name..."]  # the beginning of a member's name
    assert stubs.search_tools("COUNTS")[0] == "count: Counts them all"
    assert stubs.search_tools("submarine") == []
    assert len(stubs.search_tools("", 3)) == 3
    assert len(stubs.search_tools("", 100)) == len(TOOLS)


STUB = '''from typing import Literal, NotRequired, TypedDict

Place = TypedDict(
    "Place",
    {
        "name": str,
        "in-country": NotRequired[str],  # [format iso-country]
    },
)

class Result(TypedDict):
    places: list[Place]

async def find_places(
    *,
    namePart: str,  # What the name starts with. [minLength 2]
    max_count: int = ...,  # [default 20, minimum 1, maximum 100]
    near: Place | None = ...,
    extras_: bool = ...,
    class_: Literal["a", "b"] = ...,
) -> Result:
    """Finds places by name..."""
'''


def test_a_stub_says_what_a_caller_needs(stubs: Any) -> None:
    text = stubs.read_stub("find_places")
    names = {"NameInCountry": "Place"}
    for name, plain in names.items():
        text = text.replace(name, plain)
    assert text == STUB


TEXT = """\
from generated.stubs import count, find_places, int_, print_map, search_tools, search_tools_, store, use_client


async def run() -> None:
    found = await find_places(namePart="x", near={"name": "Oslo"}, max_count=3)
    name: str = found["places"][0]["name"]
    country: str = found["places"][0].get("in-country", "")
    print(name, country, search_tools("x")[0].upper())
    number: int = await count()
    maybe = await int_(int=3)
    print(number + (maybe or 0), (await search_tools_())[0].upper())
    text = await print_map(city="Ulm")
    print(text.upper(), text.content[0]["type"])
    stored = await store(extras={"a": 1})
    print(stored["a"] + 1)
    await find_places()  # wrong
    await find_places("x")  # wrong
    await find_places(namePart=1)  # wrong
    await find_places(namePart="x", near={"nam": "Oslo"})  # wrong
    await find_places(namePart="x", class_="c")  # wrong
    found["place"]  # wrong
    maybe + 1  # wrong
    await store(extras={"a": "b"})  # wrong
    use_client(3)  # wrong
    no_number: str = await count()  # wrong
    print(no_number)
"""


@pytest.mark.slow
@pytest.mark.parametrize("checker", checkers.CHECKERS)
def test_type_checkers_read_the_stubs(tmp_path: Path, checker: str) -> None:
    (tmp_path / "schemas").mkdir()
    (tmp_path / "schemas" / "tools.json").write_text(json.dumps({"tools": TOOLS}), "utf-8")
    write_project(tmp_path)
    run = mcpgen("build", "--jobs", "1", cwd=tmp_path)
    assert run.returncode == 0, run.stderr
    lines, output = checkers.reported(tmp_path, checker, TEXT)
    assert lines == checkers.wrong(TEXT), output
    (tmp_path / "pyrightconfig.json").write_text(json.dumps({"typeCheckingMode": "strict"}), "utf-8")
    name = checker.partition(" ")[0]
    options = ["--strict"] if name == "mypy" else ["--pythonpath", sys.executable]
    check = subprocess.run(
        [sys.executable, "-m", name, *options, "generated"], cwd=tmp_path, capture_output=True, text=True
    )
    assert check.returncode == 0, check.stdout
    assert "warning" not in check.stdout.replace("0 warnings", "")


def test_stubs_need_an_sdk(tmp_path: Path) -> None:
    (tmp_path / "schemas").mkdir()
    (tmp_path / "schemas" / "tools.json").write_text(json.dumps({"tools": TOOLS}), "utf-8")
    (tmp_path / "mcpgen.toml").write_text("stubs = true\n", "utf-8")
    run = mcpgen("build", cwd=tmp_path)
    assert run.returncode == 2
    assert "mcpgen.toml:1:1: error[MG302]: `stubs` needs an SDK to call tools with" in run.stderr
