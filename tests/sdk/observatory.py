"""Tools, resources and prompts on a server of each kind: `python observatory.py KIND FOLDER stdio`, or a port.

KIND is the name of a row of `server_kinds.KINDS`. FOLDER holds the package `observatory_contract`, built for its SDK
from `stars/definitions.json`. What the handlers return is in `ANSWERS`, `READS` and `MESSAGES`.
"""

from __future__ import annotations

import base64
import importlib
import json
import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from sdk.installed import import_attribute
from sdk.server_kinds import ServerKind, get_kind
from support.packages import get_types

DEFINITIONS: dict[str, Any] = json.loads(
    (Path(__file__).resolve().parent / "stars" / "definitions.json").read_text("utf-8")
)
PACKAGE = "observatory_contract"
OWN = "own_clock"
"""A tool of the server's own."""
PNG = base64.b64encode(b"\x89PNG\r\n\x1a\n\x00\xff").decode()
ANSWERS: dict[str, Any] = {
    "get_star": {
        "name": "Sírius “A”",
        "magnitude": -1.46,
        "parallax-mas": None,
        "companions": [{"separation": 7.5, "id": 2, "named": "the Pup"}, {"id": 3}],
        "aliases": {"z": "Dog\tStar", "a": "天狼星", "10": "HD 48915"},
        "seen": "2026-11-23T08:00:00+01:00",
    },
    "list_stars": [{"name": "Vega", "up": True}, {"name": "Deneb", "z": 2.0, "a": None}],
    "count_stars": 9096,
    "describe-sky": "Clear over dome é.\nNo moon.",
    "show_chart": [
        {"type": "text", "text": "The chart:"},
        {"type": "image", "data": PNG, "mimeType": "image/png", "annotations": {"audience": ["user"], "priority": 1.0}},
        {"type": "resource_link", "name": "chart", "uri": "sky://chart.png", "mimeType": "image/png"},
        {"type": "resource", "resource": {"uri": "sky://note.txt", "mimeType": "text/plain", "text": "north is up"}},
    ],
}
"""What the tools answer, as JSON; the others fail."""
REFUSAL = "The dome stays shut in this rain."
SECRET = "swordfish"
READS: dict[str, Any] = {
    "guide": "# Guide\n\nLook up — not down.\n",
    "chart": PNG,
    "settings": {"theme": "night", "gain": 2.5},
}
MESSAGES: list[dict[str, Any]] = [
    {"role": "user", "content": {"type": "text", "text": "Plan a short night for M31."}},
    {"role": "assistant", "content": {"type": "text", "text": "From which dome?"}},
    {
        "role": "user",
        "content": {
            "type": "resource",
            "resource": {"uri": "sky://guide.md", "mimeType": "text/markdown", "text": READS["guide"]},
        },
    },
]


def bind_tools(generated: Any, server: Any, tool_error: type[Exception]) -> None:
    """Bind all tools; the results of two are instances, of the others what JSON has."""
    tools = generated.bind(server)

    @tools.get_star  # type: ignore[untyped-decorator]
    async def get_star(name: str, epoch: str = "J2000", at: str | None = None) -> Any:
        return generated.GetStarResult.from_structured_content(ANSWERS["get_star"])

    @tools.list_stars  # type: ignore[untyped-decorator]
    def list_stars(brighter_than: float | None = None, limit: int = 10) -> Any:
        return ANSWERS["list_stars"]

    @tools.count_stars  # type: ignore[untyped-decorator]
    def count_stars() -> Any:
        return generated.CountStarsResult(ANSWERS["count_stars"])

    @tools.describe_sky  # type: ignore[untyped-decorator]
    def describe_sky(dome: str) -> Any:
        return ANSWERS["describe-sky"].replace("é", dome)

    @tools.show_chart  # type: ignore[untyped-decorator]
    def show_chart() -> Any:
        return [get_types(generated).TYPES.read_block(block) for block in ANSWERS["show_chart"]]

    @tools.open_dome  # type: ignore[untyped-decorator]
    def open_dome(dome: int) -> Any:
        raise tool_error(REFUSAL)

    @tools.park  # type: ignore[untyped-decorator]
    async def park() -> Any:
        raise RuntimeError(f"the password is {SECRET}")

    tools.complete()


def bind_resources(generated: Any, server: Any) -> None:
    """Bind all resources."""
    resources = generated.bind_resources(server)
    resources.guide(lambda: READS["guide"])
    resources.chart(lambda: base64.b64decode(READS["chart"]))
    resources.settings(lambda: READS["settings"])

    @resources.log  # type: ignore[untyped-decorator]
    async def log(year: str, dome: str = "all") -> str:
        return f"{year}: {dome}"

    resources.complete()


def bind_prompts(generated: Any, server: Any) -> None:
    """Bind all prompts."""
    prompts = generated.bind_prompts(server)

    @prompts.plan_night  # type: ignore[untyped-decorator]
    async def plan_night(target: str, style: str = "short") -> Any:
        linked = get_types(generated).TYPES.read_block(MESSAGES[2]["content"])
        question = generated.assistant_message(MESSAGES[1]["content"]["text"])
        return [f"Plan a {style} night for {target}.", question, generated.user_message(linked)]

    prompts.greet(lambda: "Good evening.")
    prompts.complete()


def make_server(kind: ServerKind) -> Any:
    """Return a server of a kind with a tool of its own and everything of the package bound to it."""
    generated = importlib.import_module(PACKAGE)
    server = kind.make("observatory")
    kind.add_tool(server, own_clock)
    bind_tools(generated, server, import_attribute(kind.row.error_module, "ToolError"))
    bind_resources(generated, server)
    bind_prompts(generated, server)
    return server


def own_clock() -> str:
    """Tell the time."""
    return "midnight"


def main() -> None:
    """Serve."""
    name, folder, where = sys.argv[1:]
    sys.path.insert(0, folder)
    kind = get_kind(name)
    kind.serve(make_server(kind), None if where == "stdio" else int(where))


if __name__ == "__main__":
    main()
