"""The whole pipeline, in memory."""

from __future__ import annotations

import json
from pathlib import Path

from mcpgen.app import generate_package
from mcpgen.cache.memory import Memory
from support.definitions import PRICE, configure_package
from support.packages import tool


def test_a_package_is_generated_in_memory(tmp_path: Path) -> None:
    reports: list[str] = []
    package = configure_package(tmp_path, [tool("buy", PRICE), tool("talk")])
    outcome = generate_package(package, 1, lambda step, completed, total, item="": reports.append(step))
    assert not outcome.findings.failed
    generated = outcome.generated
    assert generated is not None
    assert {
        "__init__.py",
        "tools/buy.py",
        "tools/talk.py",
        "runtime/protocol.py",
        "tools/buy.json",
    } <= generated.texts.keys()
    assert "class BuyResult" in generated.texts["tools/buy.py"]
    assert json.loads(generated.texts["tools/talk.json"])["tool"]["name"] == "talk"
    assert (generated.tool_count, generated.class_count) == (2, 4)
    assert [*dict.fromkeys(reports)] == ["reading", "lowering", "rendering"]
    assert outcome.observed[str(tmp_path / "schemas" / "tools.json")]
    assert not (tmp_path / "generated").exists()


def test_a_warm_memory_generates_the_same_objects_again(tmp_path: Path) -> None:
    package, memory = configure_package(tmp_path, [tool("buy", PRICE)]), Memory(warm=True)
    rendered: list[int] = []
    texts = []
    for _ in range(2):
        outcome = generate_package(
            package, 1, lambda step, completed, total, item="": rendered.append(step == "rendering"), memory
        )
        assert outcome.generated is not None
        texts.append({**outcome.generated.texts})
        rendered.append(-1)
    assert texts[0] == texts[1]
    assert sum(rendered[rendered.index(-1) + 1 : -1]) == 0, "the second run renders nothing"


def test_wrong_input_generates_nothing(tmp_path: Path) -> None:
    package = configure_package(tmp_path, [tool("buy", {"type": "strng"})])
    outcome = generate_package(package, 1, lambda *_: None)
    assert outcome.generated is None
    assert [finding.code for finding in outcome.findings] == ["MG101"]
