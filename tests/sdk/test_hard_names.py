"""Names that Python or the generated package cannot have as they are: they bind, answer and are exported."""

from __future__ import annotations

import asyncio
import importlib
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from sdk.exchange import SDK
from support import corpus
from support.packages import get_package, mcpgen, package, tool

pytestmark = [pytest.mark.ci, pytest.mark.skipif(SDK is None, reason="no SDK is installed here")]
CITY = {"type": "object", "properties": {"": {"type": "string"}, "city": {"type": "string"}}, "required": ["city"]}
TOOLS = ["call_tool", "read_resource", "tool", "resource", "resources", "bind", "2fa_verify", "3D-crop", "list", "mcp"]
TOOLS += ["connect", "copy_of", "describe", "package", "bound"]
RESOURCES = ["tool_result", "any", "3d_model", "json_resource", "refuses", "list_bound", "find_bound"]
PROMPTS = ["mcp", "5-whys", "call_tool", "list_bound", "complete_argument"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("names")
    (folder / "mcpgen.toml").write_text(f'sdk = "{SDK}"\ntesting = true\nstubs = true\n', "utf-8")
    return folder


@pytest.fixture(scope="module")
def generated(folder: Path) -> Any:
    resources = [{"name": name, "uri": f"x://{index}"} for index, name in enumerate(RESOURCES)]
    return package(
        folder, [tool(name, CITY) for name in TOOLS], resources=resources, prompts=[{"name": p} for p in PROMPTS]
    )


def test_everything_is_bound_and_answers_under_its_name_on_the_wire(generated: Any) -> None:
    testing = importlib.import_module(f"{generated.__name__}.testing")
    own = get_package(generated)
    tools = {attribute: lambda name=name: {"city": name} for name, attribute in own.tool_attributes.items()}
    resources = {attribute: lambda name=name: f"<{name}>" for name, attribute in own.resource_attributes.items()}
    prompts = {attribute: lambda name=name: f"<{name}>" for name, attribute in own.prompt_attributes.items()}

    async def run() -> None:
        async with testing.fake_client(**tools, resources=resources, prompts=prompts) as client:
            for name, attribute in own.tool_attributes.items():
                assert (await getattr(client, attribute)()).city == name
            for name, attribute in own.resource_attributes.items():
                assert f"<{name}>" in repr(await getattr(client.resources, attribute)())
            for name, attribute in own.prompt_attributes.items():
                assert f"<{name}>" in repr(await getattr(client.prompts, attribute)())

    asyncio.run(run())
    assert {*own.tool_attributes} == {*TOOLS}
    assert {"_2fa_verify", "_3d_crop"} <= {*own.tool_attributes.values()}


def test_every_class_is_exported(generated: Any) -> None:
    classes = [generated.RESULT_TYPES[name] for name in TOOLS] + [generated.RESOURCE_TYPES[name] for name in RESOURCES]
    classes += [generated.ARGUMENT_TYPES[name] for name in TOOLS]
    assert [getattr(generated, cls.__name__) for cls in classes] == classes
    assert len({cls.__name__ for cls in classes}) == len(classes)
    assert {cls.__name__ for cls in classes} <= {*dir(generated)}


def test_values_hold_and_type_checkers_are_content(generated: Any, folder: Path) -> None:
    pytest.importorskip("mypy", reason="the environments of other SDKs have no type checkers")
    run = mcpgen("prove", "--out", generated.__name__, "--max-examples", "20", cwd=folder)
    assert run.returncode == 0, run.stderr
    configuration = json.dumps({"include": [generated.__name__], "typeCheckingMode": "strict"})
    (folder / "pyrightconfig.json").write_text(configuration, "utf-8")
    for command in ([sys.executable, "-m", "mypy", "--strict", generated.__name__], corpus.PYRIGHT):
        checked = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=400)
        assert checked.returncode == 0, checked.stdout
