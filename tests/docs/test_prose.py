"""Every text that people read is plain English: no phrase of prose_phrases.toml, no overlong sentence."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

import pytest
from support.prose.groups import read_groups
from support.prose.phrases import Phrase, find_phrases, read_phrases
from support.prose.texts import (
    Prose,
    count_words,
    read_descriptions,
    read_docstrings,
    read_markdown,
    read_strings,
    read_template,
    split_sentences,
)

pytestmark = pytest.mark.ci

MOST_WORDS = 35
"""Words of a sentence; code, or a list of code, is one word, and what is in parentheses is counted on its own."""
MOST_PASSIVES = 3
"""Passive verbs of a sentence."""
ALLOWED = {"readme": 0, "explanations": 0, "messages": 0}
"""Findings that a group may have: a number that only goes down. Groups that are not here have none."""
SLACK = 5
"""How many findings less than allowed a group may have before its number must be lowered."""
FEWEST_TEXTS = {
    "readme": 50,
    "pages": 1000,
    "help": 80,
    "settings": 80,
    "library": 1300,
    "templates": 55,
    "explanations": 400,
    "messages": 1200,
}
"""Texts that each group has at least: a check that reads nothing finds nothing."""
PASSIVE = re.compile(r"\b(?:is|are|was|were|be|been|being)\s+(?:\w+ly\s+)?\w+(?:ed|en)\b", re.IGNORECASE)
PHRASES = read_phrases()


@cache
def groups() -> dict[str, list[Prose]]:
    return read_groups()


def find_sentences(prose: list[Prose]) -> Iterator[str]:
    """Yield a line for each sentence that is too long or has too many passive verbs."""
    for item in prose:
        for sentence in split_sentences(item.text):
            if (words := count_words(sentence)) > MOST_WORDS:
                yield f'{item.path}:{item.line}: {words} words in "{sentence}": write at most {MOST_WORDS}'
            if len(passives := PASSIVE.findall(sentence)) > MOST_PASSIVES:
                yield f'{item.path}:{item.line}: {", ".join(passives)} in "{sentence}": say who does it'


def find_all(group: str) -> list[str]:
    prose = groups()[group]
    return [*find_phrases(group, prose, PHRASES), *find_sentences(prose)]


@pytest.mark.parametrize("group", sorted(FEWEST_TEXTS))
def test_prose_is_plain(group: str) -> None:
    found, allowed = find_all(group), ALLOWED.get(group, 0)
    assert len(found) <= allowed, f"{len(found)} findings, {allowed} allowed:\n" + "\n".join(found)


@pytest.mark.parametrize("group", sorted(ALLOWED))
def test_an_allowance_only_goes_down(group: str) -> None:
    count = len(find_all(group))
    assert count >= ALLOWED[group] - SLACK, f"write {count} for {group} in ALLOWED: its texts have got better"


def test_every_group_is_read() -> None:
    assert set(groups()) == set(FEWEST_TEXTS)
    assert {name: len(prose) for name, prose in groups().items() if len(prose) < FEWEST_TEXTS[name]} == {}


def test_pages_in_folders_are_read() -> None:
    """A page counts wherever it is moved below docs/."""
    paths = {item.path for item in groups()["pages"]}
    assert {path.rpartition("/")[2] for path in paths} >= {"package.md", "migration.md", "limits.md", "CHANGELOG.md"}


@pytest.mark.parametrize("phrase", PHRASES, ids=lambda phrase: phrase.bad)
def test_a_phrase_refuses_its_example(phrase: Phrase) -> None:
    assert phrase.find(phrase.bad)
    assert not phrase.good or not phrase.find(phrase.good)
    assert phrase.instead
    assert set(phrase.only) <= set(FEWEST_TEXTS)


def test_a_finding_says_where_and_what_to_write() -> None:
    prose = list(read_markdown("page.md", "# Title\n\nText.\n\nmypy holds it\nagainst the `schema`.\n"))
    (line,) = find_phrases("pages", prose, PHRASES)
    assert line.startswith('page.md:5: "holds it against" in ')
    assert line.endswith("write: check … against, compare … with")


def test_code_is_not_prose() -> None:
    page = "Use `beside`.\n\n```\nbeside\n```\n\n    beside\n\n| a | b |\n|---|---|\n| one | two `beside` |\n"
    assert [item.text for item in read_markdown("page.md", page)] == ["Use CODE.", "a", "b", "one", "two CODE"]


def test_sentences_are_counted() -> None:
    assert split_sentences("One (an aside. Two) is three. mcpgen is four! 1.0 is five") == [
        "One is three.",
        "mcpgen is four!",
        "1.0 is five",
        "an aside.",
        "Two",
    ]
    assert count_words("It isn't CODE, but 1,000 of MG101's – or CODE.") == 9
    assert count_words("Use CODE, CODE and CODE or CODE here.") == 3
    long = Prose("page.md", 1, "word " * MOST_WORDS + "more.")
    assert [line.partition(" in ")[0] for line in find_sentences([long])] == [f"page.md:1: {MOST_WORDS + 1} words"]
    passive = Prose("page.md", 1, "It is read, was kept, is passed, was taken, is stored and is fully checked.")
    assert len(list(find_sentences([passive]))) == 1


def test_docstrings_and_comments_are_read() -> None:
    module = '"""Of a module."""\n\nx = 1  # beside it\n"""Of x:\n\n- one `code`\n- two\n"""\n\n\ndef f() -> str:\n'
    module += '    """Do.\n\n    Args:\n        a: an\n            argument.\n    """\n'
    module += '    # one\n    # comment\n    return "text"\n'
    texts = {item.text: item.line for item in read_docstrings("m.py", module)}
    assert texts == {
        "Of a module.": 1,
        "Of x:": 4,
        "- one CODE": 6,
        "- two": 7,
        "Do.": 12,
        "a: an argument.": 15,
        "beside it": 3,
        "one comment": 18,
    }


def test_strings_are_read() -> None:
    module = (
        'def f(name):\n    "Not this docstring at all."\n    g("x", help=f"says {name} is not there", kind="a key")\n'
    )
    expected = ["says CODE is not there"]
    assert [item.text for item in read_strings("m.py", module)] == expected
    assert [item.text for item in read_strings("m.py", module, frozenset({"help"}))] == expected
    assert list(read_strings("m.py", module, frozenset({"description"}))) == []


def test_descriptions_in_yaml_are_read() -> None:
    text = "- id: a\n  description: Fail if it does.\n  entry: b\n"
    assert list(read_descriptions("hooks.yaml", text)) == [Prose("hooks.yaml", 2, "Fail if it does.")]


def test_printed_text_of_templates_is_read() -> None:
    text = '"""Tools of {{ name }}{% if x %}, all{% endif %}."""\n{% if x %}\n    # a comment\n{% endif %}\n'
    assert [item.text for item in read_template("t.j2", text)] == ["Tools of CODE, all.", "a comment"]
