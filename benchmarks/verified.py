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

from benchmarks import values

ROUNDS = 41


def remade(value: Any) -> Any:
    """An instance made anew by constructors, as a handler makes it."""
    if isinstance(value, list):
        return [remade(one) for one in value]
    if not hasattr(value, "model_fields_set"):
        return value
    given = {name: remade(value.__dict__[name]) for name in value.model_fields_set}
    return type(value)(**given)


def calls(bound: Any, made: Any, is_new: bool) -> dict[str, Callable[[], Any]]:
    """A call that holds the result against its schema, and the same without."""
    arguments = {"rows": 50} if "rows" in bound.arguments.model_fields else {}

    def handled() -> Any:
        bound.read(arguments)
        return remade(made) if is_new else made

    def answer(value: Any, version: str) -> Any:
        """What `Bound.answer` would be."""
        try:
            if isinstance(value, bound.result):
                return value.to_call_tool_result(protocol=version)
        except ValueError:
            return None

    return {
        "held": lambda: bound.answer(handled(), "2025-11-25"),
        "not held": lambda: answer(handled(), "2025-11-25"),
    }


def _seconds(run: Callable[[], Any], times: int) -> float:
    start = time.process_time()
    for _ in range(times):
        run()
    return time.process_time() - start


def main(package: str) -> None:
    """Print a line for each value."""
    generated = importlib.import_module(package)
    binding = importlib.import_module(f"{package}.runtime.server_binding")
    tools = importlib.import_module(f"{package}.runtime.package").Package(package, generated.__file__)
    for value in values.values():
        cls = generated.RESULT_TYPES[value.tool]
        module = tools.tool_modules[value.tool]
        bound = binding.Bound.of(tools.get_tool(module), lambda **given: None, ())
        made = cls.from_structured_content(value.json)
        for is_new in (True, False):
            runs = calls(bound, made, is_new)
            times = max(1, 40_000 // len(json.dumps(value.json)))
            taken: dict[str, list[float]] = {name: [] for name in runs}
            for number in range(ROUNDS):
                for name in sorted(runs, reverse=bool(number % 2)):
                    taken[name].append(_seconds(runs[name], times))
            held, plain = taken["held"], taken["not held"]
            middle = statistics.median(one / other for one, other in zip(held, plain, strict=True))
            how = "made in the call" if is_new else "made before"
            print(f"{value.name}, {how}: {100 * (middle - 1):+.1f} %")


if __name__ == "__main__":
    main(sys.argv[1])
