"""Black's style, with black asked only about what it was not asked before.

How black prints a statement that fits on its line depends on the statement's tokens, not on what its names and strings
are. So black is asked once whether a statement of some shape is as black has it; after that, statements of that
shape are taken out of a module before black formats it, and put back where they were.
"""

from __future__ import annotations

import ast
import keyword
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any

LINE_LENGTH = 100
MAX_CACHED_SHAPES = 20_000
"""Shapes that a process keeps."""
_PLACEHOLDER_NAME = "_mcpgen_{}_"
_PLACEHOLDER = re.compile(
    r"^ *(?:import )?_mcpgen_([0-9]+)_$|^ *def _mcpgen_([0-9]+)_\(x\):(?:\n *return| \.\.\.)$", re.MULTILINE
)
_TOKEN = re.compile(r'(?P<text>"[^"\\\n]*")|(?P<name>[A-Za-z_][A-Za-z0-9_]*)|[0-9.]+|[^"\'#\\A-Za-z0-9_]')
_TRIPLE_QUOTED = re.compile(r'"""[^"\\]*"""')
_BLANKED_TOKEN = re.compile(r'\bn+\b|"s*"')
_KEPT_NAMES = frozenset((*keyword.kwlist, *keyword.softkwlist, "print", "exec"))
_IMPORT_STATEMENTS = (ast.Import, ast.ImportFrom)
_SIMPLE_STATEMENTS = (
    ast.Assign,
    ast.AnnAssign,
    ast.AugAssign,
    ast.Expr,
    ast.Return,
    ast.Raise,
    ast.Pass,
    *_IMPORT_STATEMENTS,
)
_stable_shapes: dict[str, bool] = {}  # by shape; what black says of one is always the same
_formatted_functions: dict[str, str] = {}  # the same, by what is left of a function without what names and strings say


@dataclass(frozen=True)
class _Cut:
    """Lines that are taken out, counted from 0; what stands there meanwhile, and what comes back."""

    first: int
    last: int
    meanwhile: str
    text: str


def format_source(source: str) -> str:
    """The source in black's style, whatever the settings of the folder it will stand in.

    Raises:
        SyntaxError, ValueError: it is no Python.
    """
    if "_mcpgen_" in source or "# fmt:" in source:
        return _run_black(source)
    lines = source.split("\n")
    cuts = list(_find_cuts(ast.parse(source).body, lines))
    for number in reversed(range(len(cuts))):
        cut = cuts[number]
        indent = _get_indent(lines[cut.first])
        lines[cut.first : cut.last + 1] = [indent + cut.meanwhile.format(_PLACEHOLDER_NAME.format(number), indent)]
    text = _run_black("\n".join(lines))
    if [int(one or other) for one, other in _PLACEHOLDER.findall(text)] != list(range(len(cuts))):
        return _run_black(source)
    return _PLACEHOLDER.sub(lambda found: cuts[int(found[1] or found[2])].text, text)


def _find_cuts(body: list[ast.stmt], lines: list[str]) -> Iterator[_Cut]:
    """What can be taken out: runs of statements that are as black has them, and functions of a known form."""
    run: list[ast.stmt] = []
    for one in body:
        fits = _is_settled(one, lines, one is body[0])
        if run and not (
            fits
            and one.lineno == _get_end_line(run[-1]) + 1
            and _get_placeholder_prefix(one) == _get_placeholder_prefix(run[0])
        ):
            yield _cut_statements(run, lines)
            run = []
        if fits:
            run.append(one)
        elif isinstance(one, ast.FunctionDef) and (text := _format_function(one, lines)) is not None:
            stub = " ..." if text.endswith(": ...") else "\n{1}    return"
            yield _Cut(one.lineno - 1, _get_end_line(one) - 1, "def {0}(x):" + stub, text)
        elif isinstance(one, ast.ClassDef | ast.FunctionDef | ast.If):
            yield from _find_cuts(one.body, lines)
            yield from _find_cuts(one.orelse if isinstance(one, ast.If) else [], lines)
    if run:
        yield _cut_statements(run, lines)


def _cut_statements(run: list[ast.stmt], lines: list[str]) -> _Cut:
    first, last = run[0].lineno - 1, _get_end_line(run[-1]) - 1
    return _Cut(first, last, _get_placeholder_prefix(run[0]) + "{0}", "\n".join(lines[first : last + 1]))


def _format_function(one: ast.FunctionDef, lines: list[str]) -> str | None:
    """A method as black has it: at once where each of its lines is settled, or as another one that was like it."""
    held = lines[one.lineno - 1 : _get_end_line(one)]
    if not all(line.isascii() for line in held):
        return None
    if _is_display(held):
        return "\n".join(held) if _is_stable(held) else None
    if _get_indent(held[0]) != "    ":
        return None
    if one.body[0].lineno == one.lineno + 1 and len(held[0]) <= LINE_LENGTH:
        settled = all(_is_settled(inner, lines) for inner in one.body)
        together = len(held) == 1 + sum(_get_end_line(inner) - inner.lineno + 1 for inner in one.body)
        return "\n".join(held) if settled and together and _is_stable([held[0], "        pass"]) else None
    said: list[str] = []
    bare = [_blank_line(line, said) for line in held]
    if None in bare:
        return None
    key = "\n".join(line for line in bare if line is not None)
    if key not in _formatted_functions:
        if len(_formatted_functions) > MAX_CACHED_SHAPES:
            _formatted_functions.clear()
        _formatted_functions[key] = _run_black(f"class A:\n{key}\n").removeprefix("class A:\n").rstrip("\n")
    text = _formatted_functions[key]
    if len(_BLANKED_TOKEN.findall(text)) != len(said):
        return None
    words = iter(said)
    return _BLANKED_TOKEN.sub(lambda _: next(words), text)


def _blank_line(line: str, said: list[str]) -> str | None:
    """A line with names and strings of the same lengths that say nothing; what was there goes to `said`."""
    out = ""
    for token in _split_tokens(line):
        if token is None:
            return None
        if token["text"] is not None or (token["name"] is not None and token[0] not in _KEPT_NAMES):
            said.append(token[0])
            size = len(token[0])
            out += "n" * size if token["text"] is None else f'"{"s" * (size - 2)}"'
        else:
            out += token[0]
    return out


def _get_placeholder_prefix(one: ast.stmt) -> str:
    return "import " if isinstance(one, _IMPORT_STATEMENTS) else ""


def _get_indent(line: str) -> str:
    return line[: len(line) - len(line.lstrip(" "))]


def _get_end_line(one: ast.stmt) -> int:
    assert one.end_lineno is not None
    return one.end_lineno


def _is_settled(one: ast.stmt, lines: list[str], first: bool = True) -> bool:
    """Whether a statement is known to be as black would print it; a text may not be the `first` of a body."""
    held = lines[one.lineno - 1 : _get_end_line(one)]
    if any(len(line) > LINE_LENGTH or not line.isascii() for line in held):
        return False
    if lines[one.lineno - 1][: one.col_offset].strip():
        return False
    match one:
        case ast.Expr(value=ast.Constant()):
            return not first and _TRIPLE_QUOTED.fullmatch(held[0].strip()) is not None
        case ast.If() | ast.For():
            plain = not one.orelse and all(_is_settled(inner, lines) for inner in one.body)
            return (
                plain and len(held) == 1 + sum(_get_end_line(i) - i.lineno + 1 for i in one.body) and _is_stable(held)
            )
        case _ if not isinstance(one, _SIMPLE_STATEMENTS):
            return False
        case _ if len(held) == 1:
            return _is_stable(held)
        case _:
            return _is_display(held) and _is_stable(held)


def _is_display(held: list[str]) -> bool:
    """Whether a statement is a line that opens a display or parameters, one for each entry, and one that closes it."""
    indent, entries = _get_indent(held[0]), held[1:-1]
    inner = re.compile(rf"{indent}    [^ )\]}}].*,")
    ends = {"{": "}", "(": ") -> None: ..."}.get(held[0][-1:])
    framed = bool(entries) and ends is not None and held[-1] == indent + ends
    return framed and all(len(line) <= LINE_LENGTH for line in held) and all(inner.fullmatch(line) for line in entries)


def _is_stable(held: list[str]) -> bool:
    indent = len(_get_indent(held[0]))
    shapes = [_find_line_shape(line[indent:]) for line in held]
    if None in shapes:
        return False
    shape = "\n".join(dict.fromkeys(one for one in shapes if one is not None)) + "\n"
    if shape not in _stable_shapes:
        if len(_stable_shapes) > MAX_CACHED_SHAPES:
            _stable_shapes.clear()
        try:
            _stable_shapes[shape] = _run_black(shape) == shape
        except ValueError:
            _stable_shapes[shape] = False
    return _stable_shapes[shape]


def _find_line_shape(line: str) -> str | None:
    """The tokens of a line without what names and strings say; None where that may matter."""
    out = ""
    for token in _split_tokens(line):
        if token is None:
            return None
        name = token["name"] is not None and token[0] not in _KEPT_NAMES
        out += '"s"' if token["text"] is not None else "a" if name else token[0]
    return out


def _split_tokens(line: str) -> Iterator[re.Match[str] | None]:
    """The tokens of a line, spaces among them; None for one that is not simple, such as a comment or an f-string."""
    at = 0
    while at < len(line):
        token = _TOKEN.match(line, at)
        if token is None or (token["text"] and at and (line[at - 1].isalnum() or line[at - 1] == '"')):
            yield None
            return
        at = token.end()
        yield token


@cache
def _make_black_mode() -> Any:
    import black
    from black.mode import TargetVersion

    return black.Mode(target_versions={TargetVersion.PY311}, line_length=LINE_LENGTH)


def _run_black(source: str) -> str:
    import black

    return black.format_str(source, mode=_make_black_mode())
