"""What holding instances against their schema costs a bound call: with and without, in turns.

`python -m benchmarks.verified PACKAGE` takes a package of `benchmarks/schemas` that was built for an SDK. A call is:
read the arguments, make the value as a handler does, make the result of it. The median of the rounds' ratios is
printed.
"""

from __future__ import annotations

import importlib
import json
import statistics
import sys
import time
from collections.abc import Callable
from typing import Any

from mcpgen_runtime.package import Package
from mcpgen_runtime.server_binding import BoundTool

from benchmarks import values

ROUNDS = 41


def remake(value: Any) -> Any:
    """An instance made anew by constructors, as a handler makes it."""
    if isinstance(value, list):
        return [remake(item) for item in value]
    if not hasattr(value, "model_fields_set"):
        return value
    members = {name: remake(value.__dict__[name]) for name in value.model_fields_set}
    return type(value)(**members)


def list_calls(bound: Any, instance: Any, is_new: bool) -> dict[str, Callable[[], Any]]:
    """A call that holds the result against its schema, and the same without."""
    arguments = {"rows": 50} if "rows" in bound.arguments.model_fields else {}

    def handled() -> Any:
        bound.read(arguments)
        return remake(instance) if is_new else instance

    def answer(value: Any, version: str) -> Any:
        """Return what `BoundTool.answer` would be."""
        try:
            if isinstance(value, bound.result):
                return value.to_call_tool_result(protocol=version)
        except ValueError:
            return None

    return {
        "held": lambda: bound.answer(handled(), "2025-11-25"),
        "not held": lambda: answer(handled(), "2025-11-25"),
    }


def _time_calls(run: Callable[[], Any], times: int) -> float:
    start = time.process_time()
    for _ in range(times):
        run()
    return time.process_time() - start


def main(package: str) -> None:
    """Print a line for each value."""
    generated = importlib.import_module(package)
    tools = Package.of(f"{package}.client")
    for value in values.make_values():
        cls = generated.RESULT_TYPES[value.tool]
        bound = BoundTool.of(tools.get_named_tool(value.tool), lambda **arguments: None, ())
        instance = cls.from_structured_content(value.json)
        for is_new in (True, False):
            runs = list_calls(bound, instance, is_new)
            times = max(1, 40_000 // len(json.dumps(value.json)))
            seconds_by_name: dict[str, list[float]] = {name: [] for name in runs}
            for number in range(ROUNDS):
                for name in sorted(runs, reverse=bool(number % 2)):
                    seconds_by_name[name].append(_time_calls(runs[name], times))
            verified, plain = seconds_by_name["held"], seconds_by_name["not held"]
            middle = statistics.median(
                with_check / without_check for with_check, without_check in zip(verified, plain, strict=True)
            )
            how = "made in the call" if is_new else "made before"
            print(f"{value.name}, {how}: {100 * (middle - 1):+.1f} %")


if __name__ == "__main__":
    main(sys.argv[1])
