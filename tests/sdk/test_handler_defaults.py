"""Defaults of handlers for prompts and resource templates: what type checkers say of them, on the SDK that is here."""

from __future__ import annotations

import importlib.util
import json
from pathlib import Path

import pytest
from sdk.exchange import SDK
from sdk.test_handler_types import SERVER
from support import checkers
from support.packages import mcpgen

pytestmark = [
    pytest.mark.ci,
    pytest.mark.skipif(SDK is None, reason="no SDK is installed here"),
    pytest.mark.skipif(
        not (importlib.util.find_spec("mypy") and importlib.util.find_spec("pyright")), reason="no checkers here"
    ),
]
DEFINITIONS = {
    "resourceTemplates": [{"name": "station", "uriTemplate": "bikes://{id}{?lang}", "mimeType": "text/plain"}],
    "prompts": [
        {
            "name": "plan",
            "arguments": [{"name": "city", "required": True}, {"name": "mood"}, {"name": "note"}],
            "x-mcpgen": {"arguments": {"mood": {"enum": ["calm", "sporty"]}}},
        }
    ],
}
USER = """\
from typing import Literal

import generated
SERVER_IMPORT

resources = generated.bind_resources(Server("bikes"))
prompts = generated.bind_prompts(Server("bikes"))


@resources.station
def station(id: str, lang: str = "en") -> str:
    return f"{id} {lang}"


@resources.station
def station_or_none(id: str, lang: str | None = None) -> str:
    return f"{id} {lang}"


@resources.station  # wrong
def station_without_default(id: str, lang: str) -> str:
    return f"{id} {lang}"


@prompts.plan
def plan(city: str, mood: Literal["calm", "sporty"] = "calm", note: str = "") -> str:
    return f"{city} {mood} {note}"


@prompts.plan
def plan_or_none(city: str, mood: str | None = None, note: str | None = None) -> str:
    return f"{city} {mood} {note}"


@prompts.plan  # wrong
def plan_narrow(city: str, mood: Literal["calm"] = "calm", note: str = "") -> str:
    return f"{city} {mood} {note}"
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("defaults")
    (folder / "schemas.json").write_text(json.dumps(DEFINITIONS), "utf-8")
    run = mcpgen("build", "schemas.json", "--out", "generated", "--sdk", str(SDK), "--jobs", "1", cwd=folder)
    assert run.returncode == 0, run.stderr
    return folder


@pytest.mark.parametrize("checker", checkers.CHECKERS)
def test_a_default_need_not_be_none(folder: Path, checker: str) -> None:
    server = SERVER[str(SDK)]
    imports = f"from typing import Any\n{server}" if "Any]" in server else server
    text = USER.replace("SERVER_IMPORT", imports)
    lines, output = checkers.reported(folder, checker, text)
    assert lines == checkers.wrong(text), output
