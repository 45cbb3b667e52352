"""Values and depth of JSON text, counted before it is parsed."""

from __future__ import annotations

import json
from typing import Any

import pytest
from mcpgen.introspect.json_scanner import JsonScanner
from mcpgen.introspect.limits import Meter


class Recorder(Meter):
    def __init__(self) -> None:
        self.values = self.depth = 0

    def count_structure(self, values: int, depth: int) -> None:
        self.values += values
        self.depth = max(self.depth, depth)


def scan(data: bytes, size: int) -> tuple[int, int]:
    recorder = Recorder()
    scanner = JsonScanner(recorder)
    for start in range(0, len(data), size):
        scanner.feed(data[start : start + size])
    return recorder.values, recorder.depth


@pytest.mark.parametrize("size", [1, 2, 3, 1000])
def test_pieces_of_any_size_count_alike(size: int) -> None:
    value: Any = {"a": [1, {"b,:{[": 'quoted " and \\ {[,:'}], 'c\\"': []}
    assert scan(json.dumps(value).encode(), size) == (9, 3)


def test_a_line_break_ends_a_string() -> None:
    assert scan(b'data: {"a": "unfinished\n[1]', 1000) == (4, 2)


def test_depth_goes_on_over_pieces() -> None:
    assert scan(b"[" * 40, 7) == (40, 40)
    assert scan(b"[]" * 40, 7)[1] == 1
