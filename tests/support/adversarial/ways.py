"""The ways a value gets into generated code, measured in child processes whose time and memory are limited."""

from __future__ import annotations

import faulthandler
import gc
import importlib
import itertools
import json
import os
import resource
import signal
import statistics
import sys
import time
import warnings
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from mcpgen_runtime.models import OpenObject, RootValue
from mcpgen_runtime.server_binding import ArgumentsError, BoundTool
from support.adversarial.pairs import Pair
from support.packages import get_tool, mcpgen

NEWEST = "2026-07-28"
CPU_SECONDS = 10
"""What one reading may take at most, whatever the size."""
MEMORY = 6 * 2**30
"""Bytes of address space of a child."""
ENOUGH_MS = 20.0
"""A time that can be told from noise."""
LARGE = 1_000_000
"""Bytes of a value from which a size is large enough, however quick it is."""
MODEL_BYTES, LOG_BYTES = 1_024, 4_096


# --- packages --------------------------------------------------------------------------------------------------------
@dataclass
class Built:
    """Generated packages of many pairs."""

    packages: dict[str, Any] = field(default_factory=dict[str, Any])
    """The package of a schema, by its JSON text."""
    tools: dict[str, str] = field(default_factory=dict[str, str])
    refused: dict[str, str] = field(default_factory=dict[str, str])
    """What the build said of a schema that it refused."""

    def of(self, pair: Pair) -> tuple[Any, str] | None:
        """Return the package and the tool of a pair; None where the schema was refused."""
        key = _key(pair)
        return (self.packages[key], self.tools[key]) if key in self.packages else None


def _key(pair: Pair) -> str:
    return json.dumps(pair.schema, sort_keys=True)


_numbers = itertools.count(1)
"""Of packages: a process may build several times, and imports a name once."""


def build(folder: Path, pairs: Iterable[Pair], size: int = 60) -> Built:
    """Build the schemas of pairs into packages of so many tools, and import those."""
    schemas = {_key(pair): pair.schema for pair in pairs}
    out, names = Built(), [*schemas]
    waiting = [names[start : start + size] for start in range(0, len(names), size)]
    while waiting:
        part = waiting.pop()
        tools = {key: f"t{index}" for index, key in enumerate(part)}
        package = _package(folder, next(_numbers), [_tool(tools[key], schemas[key]) for key in part])
        if not isinstance(package, str):
            out.packages.update(dict.fromkeys(part, package))
            out.tools.update(tools)
        elif len(part) > 1:  # which of them is it?
            waiting += [part[: len(part) // 2], part[len(part) // 2 :]]
        else:
            out.refused[part[0]] = package
    return out


def _tool(name: str, schema: dict[str, Any]) -> dict[str, Any]:
    return {"name": name, "inputSchema": arguments_schema(schema), "outputSchema": schema}


def arguments_schema(schema: dict[str, Any]) -> dict[str, Any]:
    """Return the schema as an inputSchema: itself if it is an object's, else that of an object's one property."""
    if schema.get("type") == "object":
        return schema
    return {"type": "object", "properties": {"value": _moved(schema)}, "required": ["value"]}


def _moved(schema: Any) -> Any:
    """Return a schema whose references to itself hold one level further down."""
    if isinstance(schema, list):
        return [_moved(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    out = {key: _moved(item) for key, item in schema.items()}
    reference = out.get("$ref")
    if reference == "#" or (isinstance(reference, str) and reference.startswith("#/")):
        out["$ref"] = f"#/properties/value{reference[1:]}"
    return out


def _package(folder: Path, number: int, tools: list[dict[str, Any]]) -> Any:
    """Return the package of tools, or what the build said."""
    name = f"adversarial_{os.getpid()}_{number}"
    schemas = folder / f"schemas{number}"
    schemas.mkdir(parents=True)
    (schemas / "tools.json").write_text(json.dumps({"tools": tools}), "utf-8")
    run = mcpgen("build", schemas.name, "--out", name, "--jobs", "1", "--sdk", "mcp", cwd=folder)
    if run.returncode:
        return f"exit {run.returncode}: {run.stderr}"
    sys.path.insert(0, str(folder))
    try:
        importlib.invalidate_caches()
        return importlib.import_module(name)
    finally:
        sys.path.remove(str(folder))


# --- ways in ---------------------------------------------------------------------------------------------------------
Way = Callable[[Any, str, Any], object]
"""Reads a value: from the package, the tool's name and the value."""


class Refused(Exception):
    """A value was refused: with what is told to a model, and what goes to the log."""

    def __init__(self, model: str, log: str) -> None:
        self.model, self.log = model, log


class NotThere(Exception):
    """This way takes no such value."""


def _validate(package: Any, tool: str, value: Any) -> object:
    return package.RESULT_TYPES[tool].from_structured_content(value)


def _construct(package: Any, tool: str, value: Any) -> object:
    cls = package.RESULT_TYPES[tool]
    if issubclass(cls, RootValue):
        return cls(value)
    if not isinstance(value, dict):
        raise NotThere
    wires = {field.alias or name for name, field in cls.model_fields.items()}
    declared = {key: item for key, item in value.items() if key in wires}
    extras = {key: item for key, item in value.items() if key not in wires}
    return cls(**declared, extras=extras) if issubclass(cls, OpenObject) else cls(**declared, **extras)


def _normalize(package: Any, tool: str, value: Any) -> object:
    return package.RESULT_TYPES[tool].normalize(value)


def _normalize_any(package: Any, tool: str, value: Any) -> object:
    return package.RESULT_TYPES[tool].normalize_any(value)


def _bound(package: Any, tool: str) -> Any:
    return BoundTool.of(get_tool(package, tool), lambda **arguments: arguments, ())


def _call(package: Any, tool: str, value: Any) -> object:
    direct = package.TOOLS[tool]["inputSchema"] == package.TOOLS[tool]["outputSchema"]
    if direct and not isinstance(value, dict):
        raise NotThere
    try:
        return _bound(package, tool).read(value if direct else {"value": value})
    except ArgumentsError as error:
        raise Refused(str(error), str(error)) from error


def _wire(value: Any) -> dict[str, Any]:
    return {"content": [], "structuredContent": value, "resultType": "complete"}


def _client(package: Any, tool: str, value: Any) -> object:
    return package.RESULT_TYPES[tool].from_call_tool_result(_wire(value), NEWEST)


def _client_text(package: Any, tool: str, value: Any) -> object:
    is_text = package.RESULT_TYPES[tool]._tool.raw_text  # the text is then the value, whatever it holds
    if is_text and not isinstance(value, str):
        raise NotThere
    text = value if is_text else text_of(value)
    result = {"content": [{"type": "text", "text": text}], "resultType": "complete"}
    return package.RESULT_TYPES[tool].from_call_tool_result(result, NEWEST)


def text_of(value: Any) -> str:
    """Return the JSON text of a value of any depth.

    Raises:
        NotThere: it has none, or one that is too long for what is measured here.
    """
    out: list[str] = []
    stack: list[tuple[bool, Any]] = [(False, value)]
    while stack and len(out) < LARGE * 4:
        is_text, item = stack.pop()
        if is_text:
            out.append(item)
        elif isinstance(item, dict | list):
            ends, parts = ("{}" if isinstance(item, dict) else "[]"), list[tuple[bool, Any]]()
            for key in item:
                parts += [(True, ","), *([(True, f"{json.dumps(key)}:")] if isinstance(item, dict) else [])]
                parts.append((False, item[key] if isinstance(item, dict) else key))
            stack += [(True, ends[1]), *reversed(parts[1:]), (True, ends[0])]
        elif isinstance(item, int) and item.bit_length() > 14_000:  # which Python does not write
            raise NotThere
        else:
            out.append(json.dumps(item))
    if stack:
        raise NotThere
    return "".join(out)


def _client_warn(package: Any, tool: str, value: Any) -> object:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        out = package.RESULT_TYPES[tool].from_call_tool_result(_wire(value), NEWEST, on_invalid="warn")
    if caught:
        raise Refused("", str(caught[0].message))
    return out


WAYS: dict[str, Way] = {
    "validate": _validate,
    "construct": _construct,
    "normalize": _normalize,
    "normalize_any": _normalize_any,
    "call": _call,
    "client": _client,
    "client_text": _client_text,
    "client_warn": _client_warn,
}
"""By name. `call` reads the arguments of a bound handler; `client` a CallToolResult."""


# --- one reading -----------------------------------------------------------------------------------------------------
@dataclass
class Reading:
    """What became of a value."""

    size: int
    bytes: int = 0
    ms: float = 0.0
    """CPU time, the median."""
    mib: float = 0.0
    """What the peak of memory rose by."""
    accepted: bool | None = None
    """None: the way takes no such value, or the reading did not end."""
    limited: bool = False
    """Whether the refusal names a limit."""
    model: int = 0
    """Bytes of what a model is told."""
    log: int = 0
    said: str = ""
    failure: str = ""
    """Why there is no answer: a signal, an exception of no documented kind."""


def weigh(value: Any, most: int = 16 * LARGE) -> int:
    """Return about how many bytes the JSON text of a value has, up to a maximum, however deep it is."""
    total, stack = 0, [value]
    while stack and total < most:
        item = stack.pop()
        if isinstance(item, dict):
            total += sum(len(key) + 4 for key in item)
            stack.extend(item.values())
        elif isinstance(item, list | tuple | set):
            total += len(item) + 2
            stack.extend(item)
        elif isinstance(item, str):
            total += len(item) + 2
        else:
            total += item.bit_length() // 3 + 1 if isinstance(item, int) else 8
    return total


def read(package: Any, tool: str, way: str, pair: Pair, size: int, times: int, cpu_seconds: int) -> Reading:
    """Read a value of a size in one way, several times; the last answer counts.

    Without the garbage collector, whose full passes come now and then, and are dear when they do.
    """
    gc.collect()
    gc.disable()
    out = Reading(size, bytes=weigh(pair.value(size)))
    spent: list[float] = []
    for _ in range(times):
        value = pair.value(size)
        start_bytes = _peak()
        _allow(cpu_seconds)
        start = time.thread_time()  # precise also under a limit of CPU time
        try:
            data = WAYS[way](package, tool, value)
            out.accepted = True
            spent.append(time.thread_time() - start)
            del data
        except NotThere:
            return out
        except Exception as error:
            spent.append(time.thread_time() - start)
            _note(out, package, error)
        out.mib = max(out.mib, _peak() - start_bytes)
        if out.failure or (spent and spent[0] > 3):
            break
    out.ms = round(statistics.median(spent) * 1000, 3)
    return out


def _note(out: Reading, package: Any, error: Exception) -> None:
    """Take down what a refusal says, or what failed."""
    from pydantic import ValidationError

    if isinstance(error, Refused):
        model, log = error.model, error.log
    elif isinstance(error, package.ResultError | ValidationError):
        log = str(error)
        model = str(package.tool_error(error).content[0].text)
    else:
        out.failure = f"{type(error).__name__}: {str(error)[:200]}"
        return
    out.accepted = False
    out.model, out.log = (len(text.encode("utf-8", "surrogatepass")) for text in (model, log))
    out.said = (model or log)[:200]
    out.limited = "limit" in f"{model} {log}".lower()


def _peak() -> float:
    """Return the most memory that this process ever had, in MiB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def _allow(seconds: int) -> None:
    """Let this process go on for so much CPU time more."""
    used = resource.getrusage(resource.RUSAGE_SELF)
    so_far = int(used.ru_utime + used.ru_stime)
    resource.setrlimit(resource.RLIMIT_CPU, (so_far + seconds + 1, resource.RLIM_INFINITY))


# --- in a child ------------------------------------------------------------------------------------------------------
def in_child(work: Callable[[], Iterable[Any]], seconds: int = 300) -> Iterator[Any]:
    """Yield what `work` yields, as JSON, in a forked process with limits; last `{"ended": why}` if it was cut short.

    Args:
        work: what to do; its own time is limited by `read`.
        seconds: how long the process may live, on the clock.
    """
    reading, writing = os.pipe()
    sys.stdout.flush()
    child = os.fork()
    if child == 0:
        os.close(reading)
        _work(work, writing, seconds)
    os.close(writing)
    try:
        with os.fdopen(reading) as lines:
            for line in lines:
                yield json.loads(line)
    finally:
        with suppress(ProcessLookupError):
            os.kill(child, 0 if _is_over(child) else signal.SIGKILL)
        _, status = os.waitpid(child, 0)
    if os.WIFSIGNALED(status):
        yield {"ended": signal.Signals(os.WTERMSIG(status)).name}
    elif os.WEXITSTATUS(status):
        yield {"ended": f"exit {os.WEXITSTATUS(status)}"}


def _is_over(child: int) -> bool:
    """Return whether a child ends by itself within a moment, having closed its pipe."""
    deadline = time.monotonic() + 10
    while time.monotonic() < deadline:
        if os.waitid(os.P_PID, child, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None:
            return True
        time.sleep(0.001)
    return False


def _work(work: Callable[[], Iterable[Any]], writing: int, seconds: int) -> None:
    """Do the work of the child; never returns."""
    status = 1
    try:
        faulthandler.disable()  # pytest's would tell of a crash that is only to be counted
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        signal.signal(signal.SIGALRM, signal.SIG_DFL)  # the time limit of a test has a handler of its own
        signal.alarm(seconds)
        with os.fdopen(writing, "w") as out, open(os.devnull, "w") as nothing:
            os.dup2(nothing.fileno(), 2)
            for item in work():
                out.write(json.dumps(item) + "\n")
                out.flush()
        status = 0
    finally:
        os._exit(status)


# --- sizes and judgement ---------------------------------------------------------------------------------------------
@dataclass
class Verdict:
    """What became of a pair in a way in."""

    pair: str
    way: str
    good: bool
    why: str
    readings: list[dict[str, Any]]


MOST = 2.6
"""What a reading may take of the time of one of half the size."""
QUICK_MS = 50.0
"""What all sizes may take together so that their ratios say nothing."""
REFUSED_MS = 1000.0
"""What the largest size may take if it is refused for a limit: as long as values within the limit of the depth take."""


def measure(
    built: Built, pair: Pair, way: str, largest: int = 8 * LARGE, cpu_seconds: int = CPU_SECONDS
) -> Verdict | None:
    """Measure a pair in one way at three doublings, and judge; None where the way takes no such value.

    Args:
        built: the packages.
        pair: what is read.
        way: one of `WAYS`.
        largest: about how many bytes the largest value may have.
        cpu_seconds: what one reading may take.
    """
    built_package = built.of(pair)
    if built_package is None:
        refused = built.refused[_key(pair)]
        return Verdict(
            pair.name, way, refused.startswith("exit 2"), f"the build refuses the schema: {refused[:300]}", []
        )
    verdict: Verdict | None = None
    for _ in range(3):  # a busy machine must fail three times
        verdict = _measured(*built_package, pair, way, largest, cpu_seconds)
        if verdict is None or verdict.good or "times" not in verdict.why:
            break
    return verdict


def _measured(package: Any, tool: str, pair: Pair, way: str, largest: int, cpu_seconds: int) -> Verdict | None:
    def at(size: int, times: int) -> dict[str, Any]:
        return asdict(read(package, tool, way, pair, size, times, cpu_seconds))

    def work() -> Iterator[Any]:
        yield at(pair.least, 1)  # what is imported and compiled first
        size, smaller = max(pair.least, 4), 0
        while True:
            yield {"at": size}
            item = at(size, 1)
            yield item
            if item["accepted"] is None or _wrong(pair, item):
                return
            if item["ms"] >= ENOUGH_MS or item["bytes"] * 8 >= largest or item["bytes"] <= smaller:
                break  # or there are no larger values
            size, smaller = size * 2, item["bytes"]
        for doubling in range(4):
            yield {"at": size << doubling}
            yield {**at(size << doubling, 3), "counts": True}

    steps = [*in_child(work)]
    readings = [step for step in steps if "ms" in step]
    if any(reading["accepted"] is None and not reading["failure"] for reading in readings):
        return None
    ended = steps[-1].get("ended", "")
    if ended:
        size = next((step["at"] for step in reversed(steps) if "at" in step), pair.least)
        return Verdict(pair.name, way, False, f"{_ENDS.get(ended, ended)} at size {size}", readings)
    why = judge(pair, readings)
    return Verdict(pair.name, way, not why, why, readings)


_ENDS = {"SIGXCPU": "too much CPU", "SIGALRM": "too long on the clock", "SIGSEGV": "crash (SIGSEGV)"}


def judge(pair: Pair, readings: list[dict[str, Any]]) -> str:
    """Return what is wrong with the readings of a pair, of which those with `counts` are at doubled sizes; or ''."""
    for reading in readings:
        if fault := _wrong(pair, reading):
            return fault
    counted = [item for item in readings if item.get("counts")]
    if sum(item["ms"] for item in counted) <= QUICK_MS:
        return ""
    first, last = counted[0], counted[-1]
    doublings = len(counted) - 1
    refused_soon = last["limited"] and last["ms"] <= REFUSED_MS
    if last["ms"] > MOST**doublings * max(first["ms"], 5.0) and not refused_soon:
        times = last["ms"] / max(first["ms"], 0.001)
        return f"size {last['size']} takes {times:.1f} times what size {first['size']} takes"
    return ""


def _wrong(pair: Pair, item: dict[str, Any]) -> str:
    """Return what is wrong with one reading, or ''."""
    at = f"at size {item['size']}"
    if item["failure"]:
        return f"{item['failure']} {at}"
    if item["accepted"] and not pair.valid:
        return f"accepted, but is not valid, {at}"
    if item["accepted"] is False and pair.valid and not item["limited"]:
        return f"refused, but is valid, {at}: {item['said']}"
    if item["accepted"] is False and pair.valid and item["size"] <= pair.reach:
        return f"refused for a limit already {at}"
    if item["model"] > MODEL_BYTES:
        return f"{item['model']} bytes for the model {at}"
    if item["log"] > LOG_BYTES:
        return f"{item['log']} bytes for the log {at}"
    if item["mib"] > 100 + item["bytes"] * 400 / 2**20:
        return f"{item['mib']:.0f} MiB {at}, of {item['bytes']} bytes"
    return ""
