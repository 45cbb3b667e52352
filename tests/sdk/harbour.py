"""The example's tools on a server of each SDK: `python harbour.py SDK FOLDER stdio`, or a port in place of `stdio`.

FOLDER holds two packages built for that SDK: `harbour`, the project's example, and `pilotage`, whose handlers are
written below. Both are bound to one server, beside a tool of the server's own.
"""

from __future__ import annotations

import asyncio
import importlib
import importlib.util
import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from mcpgen_runtime.package import Package
from sdk.exchange import find_context
from sdk.installed import SdkRow, get_row, import_attribute

VALUES: dict[str, dict[str, list[Any]]] = json.loads(
    (Path(__file__).resolve().parent.parent / "support" / "example_values.json").read_text("utf-8")
)
DONE = "Done."
"""The answer of tools without an outputSchema."""
REFUSAL = "No pilot goes out in this fog."
SECRET = "swordfish"
QUESTION = "May the pilot board?"
NEVER, STOPPED = "9999-12-31", "the slow handler was stopped"
UNCONFIRMED = 4711
"""The stay for which a pass is issued after its form is filled in."""
_turn = 0


def answers(generated: Any, name: str) -> list[Any]:
    """Return what the handler of one of the example's tools answers, by turns: an instance, or the JSON value
    itself.
    """
    if "outputSchema" not in generated.TOOLS[name]:
        return [DONE]
    cls = generated.RESULT_TYPES[name]
    valid = VALUES[name]["valid"]
    instance = [cls.from_structured_content(value) for value in valid]
    return (
        instance
        if cls._tool.bare
        else [pair[index % 2] for index, pair in enumerate(zip(valid, instance, strict=True))]
    )


def turn_to(turn: int) -> str:
    """Which of its answers each of the example's tools gives from now on."""
    global _turn
    _turn = turn
    return f"turn {turn}"


def _handler(generated: Any, name: str) -> Callable[..., Any]:
    result_values = answers(generated, name)

    def handler(**arguments: Any) -> Any:
        return result_values[_turn % len(result_values)]

    return handler


def _slow_handler(sdk: Sdk, handler: Callable[..., Any]) -> Callable[..., Any]:
    """Return a handler that reports its progress, and that never ends on the day `NEVER`."""

    async def take_steps(ctx: Any = None, **arguments: Any) -> Any:
        for step in range(1, 4):
            if ctx is not None:
                await ctx.report_progress(step, 3, f"gauge {step}")
            await asyncio.sleep(0.1)
        try:
            while arguments.get("day") == NEVER:
                await asyncio.sleep(0.1)
        except BaseException:
            print(STOPPED, file=sys.stderr, flush=True)
            raise
        return handler(**arguments)

    if sdk.name == "dedalus":  # which hands no context to handlers
        return lambda **arguments: take_steps(**arguments)
    take_steps.__annotations__["ctx"] = sdk.context
    return take_steps


def _asking_handler(sdk: Sdk, generated: Any, handler: Callable[..., Any]) -> Callable[..., Any]:
    """Return a handler that has the stay `UNCONFIRMED` confirmed, and puts the answer into the pass."""
    forms = importlib.import_module(f"{generated.__name__}.forms")

    async def issue_pass(ctx: Any = None, **arguments: Any) -> Any:
        if arguments["stay_id"] != UNCONFIRMED:
            return handler(**arguments)
        answer = await forms.confirm_stay(find_context(ctx), berth="B4", price=12.5)
        if not isinstance(answer, forms.Accepted):
            raise sdk.tool_error(f"No pass: {answer.action}.")
        return f"QH-{answer.data.nights:04}-{'BB' if answer.data.breakfast else 'XX'}"

    if sdk.name == "dedalus":
        return lambda **arguments: issue_pass(**arguments)
    issue_pass.__annotations__["ctx"] = sdk.context
    return issue_pass


class Sdk:
    """An SDK with a server."""

    def __init__(self, row: SdkRow) -> None:
        self.row, self.name = row, row.name
        self.module = importlib.import_module(row.server_module)
        self.context: Any = self.module.Context
        self.server: Any = getattr(self.module, row.server_class)("harbour", **row.session_options)
        if sdk_tasks := importlib.util.find_spec("fastmcp_tasks"):
            self.server.add_extension(import_attribute(sdk_tasks.name, "TasksExtension")())
        self.tool_error: type[Exception] = import_attribute(row.error_module, "ToolError")

    def own_tool(self, function: Callable[..., Any]) -> None:
        """Decorate a function as the SDK has it."""
        if self.row.collects:
            self.server.collect(self.module.tool()(function))
        else:
            self.server.tool()(function)

    def serve(self, port: int | None) -> None:
        """Serve over stdio, or over Streamable HTTP at a port."""
        self.row.serve(self.server, port)


def bind_example(sdk: Sdk, generated: Any) -> None:
    """Bind every tool of the example, by `implement`."""
    package = Package.of(f"{generated.__name__}.server")
    handlers = type("Handlers", (), {})()
    for name, method in package.tool_attributes.items():
        handler = _handler(generated, name)
        if "execution" in generated.TOOLS[name]:
            handler = _slow_handler(sdk, handler)
        elif name == "issue_pass":
            handler = _asking_handler(sdk, generated, handler)
        setattr(handlers, method, handler)
    tools = generated.bind(sdk.server)
    tools.implement(handlers)
    tools.complete()


def bind_pilotage(sdk: Sdk, generated: Any) -> None:
    """Bind the second package, tool by tool."""
    tools = importlib.import_module(f"{generated.__name__}.server").bind(sdk.server)

    @tools.pilots_on_duty  # type: ignore[untyped-decorator]
    async def pilots_on_duty(watches: int, night: bool | None = None) -> Any:
        await asyncio.sleep(0)
        return [None if night else 7] * watches

    def session_notes(ctx: Any, **extras: str) -> Any:
        return {"told": extras, "context": type(ctx).__name__}

    session_notes.__annotations__["ctx"] = sdk.context
    tools.session_notes(session_notes)

    @tools.refuse_pilot  # type: ignore[untyped-decorator]
    def refuse_pilot() -> Any:
        raise sdk.tool_error(REFUSAL)

    @tools.lose_radio  # type: ignore[untyped-decorator]
    async def lose_radio() -> Any:
        raise RuntimeError(f"the password is {SECRET}")

    @tools.misread_depth  # type: ignore[untyped-decorator]
    def misread_depth() -> Any:
        return {"depth_m": -4.5}

    @tools.ask_captain  # type: ignore[untyped-decorator]
    def ask_captain() -> Any:
        if not sdk.row.is_modern:
            return False
        types = importlib.import_module("mcp_types")
        schema = {"type": "object", "properties": {"may": {"type": "boolean"}}}
        params = types.ElicitRequestFormParams(message=QUESTION, requested_schema=schema)
        arguments = {"captain": types.ElicitRequest(params=params)}
        return types.InputRequiredResult(input_requests=arguments, request_state="asked")

    @tools.tug_or_none  # type: ignore[untyped-decorator]
    def tug_or_none() -> Any:
        return None if _turn % 2 else {"name": "Otter", "pull_t": None}

    tools.complete()


def main() -> None:
    """Serve."""
    name, folder, where = sys.argv[1:]
    sys.path.insert(0, folder)
    sdk = Sdk(get_row(name))
    sdk.own_tool(turn_to)
    bind_example(sdk, importlib.import_module("harbour"))
    bind_pilotage(sdk, importlib.import_module("pilotage"))
    sdk.serve(None if where == "stdio" else int(where))


if __name__ == "__main__":
    main()
