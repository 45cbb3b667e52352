"""Find the prose of the repository: pages, docstrings, comments, help texts and messages, without code."""

from __future__ import annotations

import ast
import io
import re
import tokenize
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from markdown_it import MarkdownIt
from markdown_it.token import Token

CODE = "CODE"
"""What stands for code inside a sentence, so that its words are not taken for prose."""
FEWEST_WORDS = 3
"""A string of fewer words is a name or a key, not prose."""
FUNCTION_WORDS = re.compile(
    r"\b(a|an|the|is|are|of|to|in|for|with|by|and|or|not|no|it|that|which|what)\b", re.IGNORECASE
)
"""Words of which a sentence has some; a list of names or options has none."""


@dataclass(frozen=True)
class Prose:
    """A paragraph, list item, table cell, docstring paragraph, comment or string of a file."""

    path: str
    line: int
    text: str


def read_markdown(path: str, text: str) -> Iterator[Prose]:
    """Read the paragraphs, headings, list items and table cells of a page."""
    line = 1
    for token in MarkdownIt("commonmark").enable("table").parse(text):
        if token.map:
            line = token.map[0] + 1
        if token.type == "inline":
            yield Prose(path, line, _join(token.children or []))


def _join(tokens: list[Token]) -> str:
    texts = {"softbreak": " ", "hardbreak": " ", "code_inline": CODE, "html_inline": " "}
    return "".join(token.content if token.type == "text" else texts.get(token.type, "") for token in tokens)


def read_docstrings(path: str, text: str) -> Iterator[Prose]:
    """Read the docstrings of a Python module, those of attributes included, and its comments."""
    for node in _find_docstrings(ast.parse(text)):
        yield from _split_docstring(path, node.lineno, str(node.value))
    yield from _read_comments(path, text)


def read_template(path: str, text: str) -> Iterator[Prose]:
    """Read the docstrings and comments that a template of Python code prints."""
    for match in re.finditer(r'"""(.*?)"""', text, re.DOTALL):
        printed = re.sub(r"\{\{.*?\}\}", CODE, re.sub(r"\{%.*?%\}", "", match[1]))
        yield from _split_docstring(path, text.count("\n", 0, match.start()) + 1, printed)
    for number, line in enumerate(text.splitlines(), 1):
        if comment := re.match(r"\s*# (?!noqa|type:|fmt:)(.*)", line):
            yield Prose(path, number, _clean(comment[1]))


def read_strings(path: str, text: str, keywords: frozenset[str] = frozenset()) -> Iterator[Prose]:
    """Read the strings of a Python module that are prose: arguments of these names, or all but docstrings."""
    tree = ast.parse(text)
    docstrings = {id(node) for node in _find_docstrings(tree)}
    parts = {id(part) for node in ast.walk(tree) if isinstance(node, ast.JoinedStr) for part in ast.walk(node)}
    roots = _find_arguments(tree, keywords) if keywords else [tree]
    for node in (node for root in roots for node in ast.walk(root)):
        if isinstance(node, ast.JoinedStr):
            yield from _make_string(path, node, "".join(map(_read_part, node.values)))
        elif isinstance(node, ast.Constant) and not {id(node)} & (docstrings | parts):
            yield from _make_string(path, node, node.value if isinstance(node.value, str) else "")


def read_command_docstrings(path: str, text: str) -> Iterator[Prose]:
    """Read the docstrings that `--help` shows: of functions decorated as commands."""
    for node in ast.parse(text).body:
        if isinstance(node, ast.FunctionDef) and node.decorator_list:
            yield from _split_docstring(path, node.lineno, ast.get_docstring(node) or "")


def read_descriptions(path: str, text: str) -> Iterator[Prose]:
    """Read the descriptions in a YAML file of actions or hooks."""
    for match in re.finditer(r"^ *description: (.+)$", text, re.MULTILINE):
        yield Prose(path, text.count("\n", 0, match.start()) + 1, _clean(match[1]))


def split_sentences(text: str) -> list[str]:
    """Split a text after full stops, question and exclamation marks; what is in parentheses stands alone."""
    asides = re.findall(r"\(([^()]*)\)", text)
    whole = re.sub(r"\s*\([^()]*\)", "", text)
    return [part for side in [whole, *asides] for part in re.split(r"(?<=[.!?])[\"')]*\s+", side.strip()) if part]


def count_words(text: str) -> int:
    """Count the words of a text; code in it, or a list of code, is one word."""
    shortened = re.sub(rf"\b{CODE}(?:,? (?:and |or )?{CODE})+", CODE, text)
    return len(re.findall(r"[^\W_][\w'’.,:/-]*", shortened))


def _find_docstrings(tree: ast.Module) -> Iterator[ast.Constant]:
    for node in ast.walk(tree):
        body = getattr(node, "body", None)
        for statement in body if isinstance(body, list) else []:
            value = statement.value if isinstance(statement, ast.Expr) else None
            if isinstance(value, ast.Constant) and isinstance(value.value, str):
                yield value


def _split_docstring(path: str, line: int, text: str) -> Iterator[Prose]:
    paragraph: list[str] = []
    start = line
    for number, raw in enumerate([*text.splitlines(), ""], line):
        stripped = raw.strip()
        starts = not stripped or re.match(r"(- |\* |>>> |\.\.\. |\w+: )", stripped)
        if starts and paragraph:
            yield Prose(path, start, _clean(" ".join(paragraph)))
            paragraph = []
        if stripped and not re.match(r">>> |\.\.\. |(Args|Raises|Returns|Yields):$", stripped):
            start = start if paragraph else number
            paragraph.append(stripped)


def _read_comments(path: str, text: str) -> Iterator[Prose]:
    previous, lines, start = -1, list[str](), 1
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type != tokenize.COMMENT or re.match(r"#\s*(noqa|type:|fmt:|---|ruff|pyright)", token.string):
            continue
        alone = token.line.strip() == token.string.strip()
        if lines and not (alone and token.start[0] == previous + 1):
            yield Prose(path, start, _clean(" ".join(lines)))
            lines = []
        start = start if lines else token.start[0]
        lines.append(token.string.lstrip("# "))
        previous = token.start[0] if alone else -1
    if lines:
        yield Prose(path, start, _clean(" ".join(lines)))


def _clean(text: str) -> str:
    without_code = re.sub(r"`[^`]*`", CODE, re.sub(r"#\s*noqa.*", "", text))
    return re.sub(r"\s+", " ", without_code).strip()


def _find_arguments(tree: ast.Module, names: frozenset[str]) -> list[ast.expr]:
    return [node.value for node in ast.walk(tree) if isinstance(node, ast.keyword) and node.arg in names]


def _read_part(part: ast.expr) -> str:
    return str(part.value) if isinstance(part, ast.Constant) else CODE


def _make_string(path: str, node: ast.expr, text: str) -> Iterator[Prose]:
    cleaned = _clean(text)
    words = re.findall(r"[A-Za-z]{2,}", cleaned.replace(CODE, ""))
    is_json = cleaned.startswith(("{", "["))
    if len(words) >= FEWEST_WORDS and FUNCTION_WORDS.search(cleaned) and not is_json:
        yield Prose(path, node.lineno, cleaned)


def list_files(root: Path, patterns: list[str]) -> list[Path]:
    """List the files that match one of these patterns, wherever they are moved below it."""
    return sorted({path for pattern in patterns for path in root.glob(pattern) if path.is_file()})
