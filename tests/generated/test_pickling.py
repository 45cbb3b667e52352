"""Errors and instances on their way through process pools and task queues: pickled, copied, raised elsewhere."""

from __future__ import annotations

import copy
import importlib
import inspect
import multiprocessing
import pickle
import pkgutil
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from typing import Any

import mcpgen
import mcpgen_runtime
import pydantic
import pytest
from mcpgen_runtime.errors import NoJsonForm
from pydantic import ValidationError
from support.packages import package, tool

pytestmark = pytest.mark.ci

OPEN: dict[str, Any] = {
    "type": "object",
    "properties": {"wind-speed": {"type": ["number", "null"]}, "note": {"type": "string"}, "rows": {"type": "array"}},
    "required": ["rows"],
}
LISTED = {"type": "array", "items": OPEN, "uniqueItems": True}
TOOLS = [
    tool("open", OPEN),
    tool("closed", {**OPEN, "additionalProperties": False}),
    tool("listed", LISTED),
    tool("plain"),
    tool("binary", {"type": "string", "contentEncoding": "base64"}),
]
VALUE: dict[str, Any] = {"rows": [1, {"a": None}], "wind-speed": None}
SAMPLES: dict[str, Any] = {
    "data": {"reason": "full"},
    "state": "cancelled",
    "path": "a.json",
    "at": 7,
    "told": "it is wrong",
    "said": "could not be checked",
    "line": 2,
    "column": 5,
    "limit": "values",
    "pointer": "/a",
    "size": 5,
    "most": 3,
    "tool": "open",
    "text": "no such place",
    "result": {"isError": True, "content": []},
    "problems": [("/rows/0", "is odd"), ("", "is odd, too")],
    "public": "is odd",
    "places": {"open": "@tools.open", "closed": "@tools.closed"},
    "reason": "nested too deeply",
    "subject": "resource",
    "message": "it is wrong",
    "offset": 3,
    "span": ("a.json", 3),
    "help": "mend it",
    "changes": "its description has changed",
    "code": "MG301",
    "error": {"code": -32600, "message": "no", "data": [1]},
}
"""What the parameters of exceptions are given, by name."""


def give_back(value: Any) -> Any:
    """Return what a worker does with a value."""
    return value


def raise_it(error: BaseException) -> None:
    raise error


@pytest.fixture(scope="module", params=["none", "mcp"])
def generated(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    if request.param == "mcp":
        pytest.importorskip("mcp_types", reason="mcp 2.x is not installed here")
    folder = tmp_path_factory.mktemp("pickling")
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(folder))
        yield package(folder, TOOLS, "--sdk", str(request.param))


def _errors(root: Any) -> list[type[Exception]]:
    """Return the exceptions of every module of a package."""
    errors_by_name: dict[str, type[Exception]] = {}
    for info in pkgutil.walk_packages(root.__path__, f"{root.__name__}."):
        if info.name.endswith("__main__"):
            continue
        try:
            module = importlib.import_module(info.name)
        except ImportError:  # a part of the library for an SDK that is not installed here
            continue
        for cls in vars(module).values():
            if inspect.isclass(cls) and issubclass(cls, Exception) and cls.__module__.startswith(root.__name__):
                errors_by_name[f"{cls.__module__}.{cls.__qualname__}"] = cls
    return list(errors_by_name.values())


def _made(cls: type[Exception]) -> Exception:
    """An exception of a class, with each of its arguments."""
    if cls.__init__ is Exception.__init__ or cls.__init__ is ValueError.__init__ or cls.__init__ is TypeError.__init__:
        return cls("it is wrong")
    parameters = [*inspect.signature(cls.__init__).parameters.values()][1:]
    if any(parameter.kind is inspect.Parameter.VAR_POSITIONAL for parameter in parameters):
        return cls("it is wrong")
    return cls(*(SAMPLES[parameter.name] for parameter in parameters))


def _same(base_exception: BaseException, other_exception: BaseException) -> None:
    assert type(base_exception) is type(other_exception)
    assert str(base_exception) == str(other_exception)
    assert base_exception.args == other_exception.args
    assert vars(base_exception) == vars(other_exception)


def _hold(error: Exception) -> None:
    error.add_note("while testing")
    for protocol in range(pickle.HIGHEST_PROTOCOL + 1):
        _same(pickle.loads(pickle.dumps(error, protocol)), error)
    _same(copy.copy(error), error)
    _same(copy.deepcopy(error), error)


@pytest.mark.parametrize("root", [mcpgen, mcpgen_runtime], ids=lambda root: root.__name__)
def test_every_exception_survives_pickling_and_copying(root: Any) -> None:
    classes = _errors(root)
    assert len(classes) > 12
    for cls in classes:
        _hold(_made(cls))


def test_where_a_value_has_no_json_form_survives_pickling() -> None:
    inner = NoJsonForm("is odd", "resource")
    inner.inside("a")
    assert pickle.loads(pickle.dumps(inner)).pointer == "/a"


def _thrown(generated: Any) -> list[Exception]:
    """Errors as they come out of a package."""
    errors: list[Exception] = []
    failed: Any = {"isError": True, "content": [{"type": "text", "text": "no"}]}
    open_, listed = generated.OpenResult, generated.ListedResult
    answer = generated.tool_error("no")
    runs: tuple[Callable[[], Any], ...] = (
        lambda: open_.from_call_tool_result(failed),
        lambda: open_.from_call_tool_result(answer),
        lambda: open_.normalize({"rows": 5}),
        lambda: open_.normalize_any({"rows": [float("nan")]}),
        lambda: listed.normalize([VALUE, VALUE]),
        lambda: listed.from_structured_content([VALUE, VALUE]),
        lambda: open_(rows=5),
        lambda: open_.from_call_tool_result({"content": []}),
    )
    for run in runs:
        with pytest.raises(Exception) as caught:  # noqa: PT011
            run()
        errors.append(caught.value)
    return errors


@pytest.mark.skipif(
    tuple(map(int, pydantic.VERSION.split(".")[:3])) < (2, 14, 2),
    reason="pydantic before 2.14.2 reads errors of kinds of its users in no other process",
)
def test_errors_and_instances_go_through_a_process_pool(generated: Any) -> None:
    instances = [
        generated.OpenResult.from_structured_content({**VALUE, "more": [1.5]}),
        generated.OpenResult(rows=[]),
        generated.ClosedResult.from_structured_content(VALUE),
        generated.ListedResult.from_structured_content([VALUE, {"rows": []}]),
        generated.PlainResult(content=[]),
        generated.BinaryResult(b"hello"),
        generated.OpenArguments(extras={"a": 1}),
    ]
    errors = _thrown(generated)
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(1, mp_context=context) as pool:
        returned = [*pool.map(give_back, instances, timeout=120)]
        raised = [pool.submit(raise_it, error).exception(timeout=120) for error in errors]
        back = [*pool.map(give_back, [VALUE, {"type": generated.OpenResult}], timeout=120)]
    assert back == [VALUE, {"type": generated.OpenResult}]
    for error, copied_error in zip(errors, raised, strict=True):
        assert copied_error is not None
        assert type(copied_error) is type(error)
        assert str(copied_error) == str(error)
        if isinstance(error, ValidationError):
            continue
        assert {name: item for name, item in vars(copied_error).items() if name != "__notes__"} == vars(error)
    for instance, copied_instance in zip(instances, returned, strict=True):
        assert type(copied_instance) is type(instance)
        assert copied_instance == instance
        assert copied_instance.model_fields_set == instance.model_fields_set
        assert copied_instance.model_extra == instance.model_extra
        if not isinstance(instance, generated.PlainResult):
            assert copied_instance.to_structured_content() == instance.to_structured_content()
        assert copy.copy(instance) == instance == copy.deepcopy(instance)
