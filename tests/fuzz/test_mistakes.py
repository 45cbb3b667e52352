"""Settings and definitions with random mistakes: a command says what is wrong, and never fails itself."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from support.in_process import run

SETTINGS = """\
schemas = ["schemas"]
out = "generated"
sdk = "none"
protocol = "2025-06-18"
formats = "annotation"
wrap = "legacy"
azure = false
ref-map = {"https://example.com/" = "shared"}

[limits]
depth = 64
seconds = 10.5
values = 10000

[tools.get_weather]
name = "weather"
content = "template"
template = "schemas/get_weather.content.j2"
audience = ["user"]
priority = 0.5

[tools.plain]
outputSchema = "shared/plain.json"

[[diff.acknowledged]]
rule = "tool-removed"
reason = "it is old"
"""
WEATHER: dict[str, Any] = {
    "tools": [
        {
            "name": "get_weather",
            "description": "The weather.",
            "inputSchema": {"type": "object", "properties": {"city": {"type": "string", "pattern": "^[a-z]+$"}}},
            "outputSchema": {
                "type": "object",
                "properties": {
                    "t": {"type": "number"},
                    "u": {"$ref": "#/$defs/Unit"},
                    "n": {"$ref": "b.json#/$defs/N"},
                },
                "required": ["t"],
                "$defs": {"Unit": {"enum": ["C", "F"]}},
            },
            "x-mcpgen": {"audience": ["user"]},
        },
        {"name": "plain", "inputSchema": {"type": "object"}},
    ],
    "resources": [{"name": "map", "uri": "file:///map", "x-mcpgen": {"schema": {"type": "array", "items": {}}}}],
    "resourceTemplates": [{"name": "tile", "uriTemplate": "tile://{x}/{y}{?z}"}],
}
BESIDE = {"$defs": {"N": {"anyOf": [{"type": "integer"}, {"$ref": "#/$defs/N2"}]}, "N2": {"type": "null"}}}
YAML = """\
name: &n get_tides
inputSchema: {type: object, properties: {port: &p {type: string}, other: *p}}
outputSchema:
  type: object
  properties:
    high: {type: number}
    low:
      type: number
      description: >-
        the low one
  required: [high]
"""
TEMPLATE = "{{ t }} {% if u is defined %}{{ u }}{% endif %}\n"
PIECES = [
    "\0", "\x1b", "\ufeff", "\ud800", "\u202e", "😀", "[" * 300, "{" * 300, "[" * 5_000, '{"a":' * 5_000, "a." * 3_000,
    "9" * 5_000, "1e999", "nan", "inf", "-1", "1e300", "''", '"', "'''", '"""', "\\", "\\u0000", "&a *a", "*x", "!!x y",
    "%TAG ! x\n", "---\n", "...\n", "\t", "\r", "{%", "{{", "#}", "null", "true", "[]", "{}", "=", ":", ",", "../..",
    "/", "~", "%zz", "$ref", "#", "a" * 5_000, "[[package]]\n", "[tool]\n", "\n\n[limits]\nseconds = 1e300\n", "(?=a)(",
]  # fmt: skip
STRANGE: list[Any] = [
    None, True, False, 0, -1, 1.5, 10**30, 1e300, "", "a", "\0", "a\0b", "/", "..", "../x", "a" * 300, "a/" * 3_000, [],
    {}, [[]], {"": ""}, ["a", 1], {"$ref": "#"}, {"$ref": "#/nope"}, {"$ref": 1}, {"type": "strng"}, {"allOf": [{}]},
    {"$ref": "http://["}, {"$id": "::"}, {"$id": "a b"}, {"$anchor": 1}, {"$schema": []}, {"const": {"$ref": "#"}},
]  # fmt: skip

Change = Callable[[random.Random, bytes], bytes]


def piece_put_in(source: random.Random, data: bytes) -> bytes:
    at = source.randrange(len(data) + 1)
    return data[:at] + source.choice(PIECES).encode("utf-8", "surrogatepass") + data[at:]


def bytes_changed(source: random.Random, data: bytes) -> bytes:
    out = bytearray(data)
    for _ in range(source.randint(1, 4)):
        out[source.randrange(len(out))] = source.randrange(256)
    return bytes(out)


def part_cut(source: random.Random, data: bytes) -> bytes:
    first = source.randrange(len(data))
    return data[:first] + data[first + source.randint(1, 40) :]


def part_moved(source: random.Random, data: bytes) -> bytes:
    first, at = source.randrange(len(data)), source.randrange(len(data))
    return data[:at] + data[first : first + source.randint(1, 60)] + data[at:]


def line_twice(source: random.Random, data: bytes) -> bytes:
    lines = data.splitlines(keepends=True)
    return b"".join([*lines, source.choice(lines), source.choice(lines)])


BYTES: list[Change] = [piece_put_in, bytes_changed, part_cut, part_moved, line_twice]


def value_changed(source: random.Random, data: bytes) -> bytes:
    """JSON with a value in another's place, or a member more."""
    value = json.loads(data)
    holders = [value]
    for item in holders:
        inner = item.values() if isinstance(item, dict) else item
        holders += [child for child in inner if isinstance(child, dict | list) and child]
    holder = source.choice(holders)
    new = source.choice([*STRANGE, source.choice(holders)])
    if isinstance(holder, dict) and source.random() < 0.3:
        holder[source.choice(["$ref", "$id", "x-mcpgen", "properties", "name", "\0", "type", "enum", "format"])] = new
    elif isinstance(holder, dict):
        holder[source.choice([*holder])] = new
    else:
        holder[source.randrange(len(holder))] = new
    try:
        return json.dumps(value).encode()
    except ValueError:  # it holds itself now
        return data


def setting_changed(source: random.Random, data: bytes) -> bytes:
    """TOML with another value for a key."""
    lines = data.decode().splitlines()
    at = source.choice([number for number, line in enumerate(lines) if " = " in line])
    values = [*'1 -1 1e300 nan inf "" "\\u0000" "a\\u0000b" "/" "/dev/zero" "loop" [] {} ["\\u0000"]'.split(), "9" * 30]
    values += ['"' + "a" * 5_000 + '"', *'0.0 1979-05-27 true "schemas" "." ".."'.split()]
    lines[at] = f"{lines[at].partition(' = ')[0]} = {source.choice(values)}"
    return "\n".join(lines).encode()


FILES = {
    "mcpgen.toml": SETTINGS.encode(),
    "schemas/tools.json": json.dumps(WEATHER, indent=1).encode(),
    "schemas/b.json": json.dumps(BESIDE).encode(),
    "schemas/get_tides.yaml": YAML.encode(),
    "schemas/get_weather.content.j2": TEMPLATE.encode(),
    "shared/plain.json": b'{"type": "object", "properties": {"a": {"type": "string"}}}',
}
COMMANDS = [
    ["build", "--jobs", "1"],
    ["check", "--jobs", "1"],
    ["diff", "schemas", "schemas"],
    ["show", "plain"],
    ["init", "-y"],
]


def project(folder: Path, source: random.Random) -> None:
    for name, data in FILES.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    (folder / "loop").symlink_to("loop")
    for _ in range(source.choice([1, 1, 2])):
        name = source.choice([*FILES, "mcpgen.toml", "schemas/tools.json"])
        changes = [*BYTES]
        if name == "mcpgen.toml":
            changes += [setting_changed] * 6
        elif name.endswith(".json"):
            changes += [value_changed] * 6
        try:
            (folder / name).write_bytes(source.choice(changes)(source, (folder / name).read_bytes() or b" "))
        except ValueError:  # a change of the structure of what is none any more
            continue


def test_without_a_mistake_it_builds(tmp_path: Path) -> None:
    for name, data in FILES.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_bytes(data)
    completed = run("build", "--jobs", "1", cwd=tmp_path)
    assert completed.returncode == 0, completed.stderr


@pytest.mark.parametrize("part", [range(40), pytest.param(range(40, 600), marks=pytest.mark.slow)], ids=["few", "many"])
def test_a_mistake_is_told_and_nothing_else_happens(part: range, tmp_path: Path) -> None:
    wrong: list[str] = []
    for seed in part:
        source = random.Random(seed)
        folder = tmp_path / str(seed)
        folder.mkdir()
        project(folder, source)
        command = source.choice([COMMANDS[0], *COMMANDS])
        completed = run(*command, cwd=folder)
        if completed.traceback or completed.returncode not in (0, 2, 3, 4, 5):
            wrong.append(f"seed {seed}, {command}, exit code {completed.returncode}\n{completed.traceback[-1_500:]}")
    assert not wrong, "\n\n".join(wrong)
