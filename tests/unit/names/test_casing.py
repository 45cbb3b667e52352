"""Names change their case word by word, and become ASCII."""

from __future__ import annotations

import pytest
from mcpgen.names.casing import convert_to_ascii, convert_to_pascal_case, convert_to_snake_case


@pytest.mark.parametrize(("text", "ascii"), [("données", "donnees"), ("größe", "groe"), ("ﬁnd", "find"), ("天気", "")])
def test_ascii(text: str, ascii: str) -> None:
    assert convert_to_ascii(text) == ascii


@pytest.mark.parametrize(
    ("text", "snake", "pascal"),
    [
        ("get-weather", "get_weather", "GetWeather"),
        ("getWeather", "get_weather", "GetWeather"),
        ("getHTTPStatus", "get_http_status", "GetHTTPStatus"),
        ("HTTP2Server", "http2_server", "HTTP2Server"),
        ("item v2", "item_v2", "ItemV2"),
        ("2fa", "_2_fa", "2fa"),
        ("  ", "", ""),
    ],
)
def test_snake_and_pascal_case(text: str, snake: str, pascal: str) -> None:
    assert (convert_to_snake_case(text), convert_to_pascal_case(text)) == (snake, pascal)
