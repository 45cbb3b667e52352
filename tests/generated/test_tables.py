"""The table of the example package: its text, and its size beside the JSON."""

from __future__ import annotations

import json

from generated.tools.list_pilots import ListPilotsResult

NAMES = ("Solveig Crane", "Ingmar Holt", "Aino Berg", "Tjark Petersen")


def test_the_text_for_some_pilots() -> None:
    result = ListPilotsResult.from_structured_content(
        {"result": [{"name": "A|B", "licence": 1, "minutes_away": None}, {"name": "*", "licence": 3, "boat": "Plover"}]}
    )
    (block,) = result.to_content()
    assert getattr(block, "text", None) == (
        'result:\n\n|name|licence|minutes_away|…|\n|---|---|---|---|\n|A\\|B|1|null||\n|\\*|3||{"boat":"Plover"}|'
    )


def test_a_page_of_pilots_takes_half_of_the_characters() -> None:
    value = {
        "result": [
            {"name": NAMES[number % 4], "licence": number % 3 + 1, "minutes_away": number} for number in range(12)
        ]
    }
    (block,) = ListPilotsResult.from_structured_content(value).to_content()
    text, as_json = getattr(block, "text", ""), json.dumps(value, separators=(",", ":"))
    assert "Tjark Petersen" in text
    assert len(text) <= len(as_json) / 2, (len(text), len(as_json))
