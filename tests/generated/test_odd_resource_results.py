"""What a server answers to a read of a resource is read, or refused with the documented exception, in few words."""

from __future__ import annotations

import importlib
from typing import Any

import pytest
from pydantic import BaseModel, ConfigDict, ValidationError
from support.packages import package

NODE = {"type": "object", "properties": {"n": {"type": "integer"}, "next": {"$ref": "#"}}}
RESOURCES = [
    {"name": "page", "uri": "x:page"},
    {"name": "node", "uri": "x:node", "mimeType": "application/json", "x-mcpgen": {"schema": NODE}},
]
TEXT = {"uri": "x:page", "text": "{}"}


class Odd(BaseModel):
    """An object of an SDK that cannot be dumped."""

    model_config = ConfigDict(extra="allow")

    def model_dump(self, *_: Any, **__: Any) -> Any:
        raise KeyError("x")


def make_deep(levels: int) -> Any:
    value: Any = {}
    for _ in range(levels):
        value = {"a": value}
    return value


RESULTS: dict[str, Any] = {
    "null": None,
    "list": [],
    "text": "x",
    "nothing": {},
    "no list": {"contents": {}},
    "nulls": {"contents": [None]},
    "empty": {"contents": [{}]},
    "many wrong": {"contents": [[]] * 5_000},
    "half wrong": {"contents": [TEXT, {"uri": 1, "text": 2}] * 5_000},
    "odd": Odd(),
    "escapes": {"contents": [{"uri": "x:page", "\x1b[2J\u202e": 1}]},
    "long": {"contents": [{"uri": ["x" * 1_000_000], "text": "y" * 1_000_000}]},
    "surrogate key": {"contents": [{"\ud800": "\ud800"}]},
    "odd time": {"contents": [TEXT], "ttlMs": "soon", "cacheScope": []},
    "NaN": {"contents": [{"uri": "x:node", "text": '{"n": NaN}'}]},
    "deep text": {"contents": [{"uri": "x:node", "text": '{"next":' * 50_000 + "{}" + "}" * 50_000}]},
    "wrong text": {"contents": [{"uri": "x:node", "text": f'{{"n": "{"x" * 1_000_000}"}}'}]},
}
READ_AS_TEXT = {"NaN", "deep text", "wrong text"}


@pytest.fixture(scope="module")
def generated(tmp_path_factory: pytest.TempPathFactory) -> Any:
    return package(tmp_path_factory.mktemp("odd"), [], resources=RESOURCES)


@pytest.mark.parametrize("kind", RESULTS)
@pytest.mark.parametrize("name", ["page", "node"])
def test_an_odd_result_is_refused_in_few_words(generated: Any, name: str, kind: str) -> None:
    module = importlib.import_module(f"{generated.__name__}.resources.{name}")
    cls = getattr(module, name.capitalize())
    if kind in READ_AS_TEXT and name == "page":
        assert cls.from_read_resource_result(RESULTS[kind]).to_contents()
        return
    with pytest.raises(ValidationError) as raised:
        cls.from_read_resource_result(RESULTS[kind])
    assert len(str(raised.value).encode()) <= 4_096
    assert "\x1b" not in str(raised.value)
    assert raised.value.error_count() <= 5


def test_parts_that_are_deep_are_read_or_refused(generated: Any) -> None:
    page = generated.resources.page.Page
    for levels in (10, 1_000, 100_000):
        try:
            page.from_read_resource_result({"contents": [{**TEXT, "_meta": make_deep(levels)}]})
        except ValidationError as error:
            assert levels > 10
            assert len(str(error).encode()) <= 4_096  # noqa: PT017 # it is read or refused
