"""What mypy and pyright say of `fake_client` and `examples`: each mistake is one error, on its line."""

from __future__ import annotations

import importlib.util
import json
import subprocess
import sys
from pathlib import Path

import pytest
from sdk.exchange import SDK
from support import checkers
from support.packages import mcpgen, tool

pytestmark = [
    pytest.mark.ci,
    pytest.mark.skipif(SDK is None, reason="no SDK is installed here"),
    pytest.mark.skipif(
        not (importlib.util.find_spec("mypy") and importlib.util.find_spec("pyright")), reason="no checkers here"
    ),
]
CITY = {
    "type": "object",
    "properties": {"city": {"type": "string"}},
    "required": ["city"],
    "additionalProperties": False,
}
NUMBER = {"type": "object", "properties": {"n": {"type": "number"}}, "required": ["n"], "additionalProperties": False}
DEFINITIONS = {
    "tools": [
        tool("get-weather", NUMBER, inputSchema=CITY),
        tool("2nd", {"type": "string"}),
        tool("resources", {"type": "integer"}),
        tool("fallback", {"type": "integer"}),
    ],
    "resources": [{"name": "get-weather", "uri": "x://page", "x-mcpgen": {"name": "page"}}],
    "prompts": [{"name": "greet", "arguments": [{"name": "who", "required": True}]}],
}
TEXT = """\
from generated import GetWeatherArguments, GetWeatherResult
from generated.testing import client_of, examples, fake_client

arguments: GetWeatherArguments = examples.get_weather.arguments
result: GetWeatherResult = examples.get_weather.result
number: int = examples.fallback.result.root
names: list[str] = [name for name in examples]


def get_weather(city: str) -> GetWeatherResult:
    return result


def take_all(arguments: GetWeatherArguments) -> GetWeatherResult:
    return result


async def get_number(city: str) -> int:
    return 1


def get_town(town: str) -> GetWeatherResult:
    return result


def greet(who: str) -> str:
    return who


async def use() -> None:
    async with fake_client(get_weather=get_weather, _2nd=lambda: "text", resources_=lambda: 1) as client:
        found: GetWeatherResult = await client.get_weather(city="Oslo")
        print(found)
        await client.get_weather(town="Oslo")  # wrong
    fake_client(examples, get_weather=take_all, fallback=lambda: 1)
    fake_client(resources={"page": lambda: "text"}, prompts={"greet": greet})
    fake_client(get_whether=get_weather)  # wrong
    fake_client(get_weather=get_number)  # wrong
    fake_client(get_weather=get_town)  # wrong
    fake_client(get_weather=3)  # wrong
    fake_client(_2nd=lambda: 2)  # wrong
    fake_client(fallback=lambda: "text")  # wrong
    fake_client(True)  # wrong
    fake_client(resources={"pag": greet})  # wrong
    fake_client(prompts={"greet": get_town})  # wrong
    client_of("server")  # wrong
    examples.get_whether.result  # wrong
    examples.get_weather.result.city  # wrong
    text: str = examples.fallback.result.root  # wrong
"""


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("types")
    (folder / "schemas").mkdir()
    (folder / "schemas" / "all.json").write_text(json.dumps(DEFINITIONS), "utf-8")
    (folder / "mcpgen.toml").write_text(f'sdk = "{SDK}"\ntesting = true\n', "utf-8")
    run = mcpgen("build", "--jobs", "1", cwd=folder)
    assert run.returncode == 0, run.stderr
    return folder


@pytest.mark.parametrize("checker", checkers.CHECKERS)
def test_each_mistake_is_an_error_on_its_line(project: Path, checker: str) -> None:
    lines, output = checkers.reported(project, checker, TEXT)
    assert lines == checkers.wrong(TEXT), output


@pytest.mark.parametrize(
    "command", [["mypy", "--strict", "generated"], ["pyright", "--pythonpath", sys.executable, "generated"]]
)
def test_checkers_accept_the_package(project: Path, command: list[str]) -> None:
    (project / "pyrightconfig.json").write_text(json.dumps({"typeCheckingMode": "strict"}), "utf-8")
    run = subprocess.run([sys.executable, "-m", *command], cwd=project, capture_output=True, text=True)
    assert run.returncode == 0, run.stdout
