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
MOST = 20_000
"""Shapes that a process keeps."""
_NAME = "_mcpgen_{}_"
_PUT_BACK = re.compile(
    r"^ *(?:import )?_mcpgen_([0-9]+)_$|^ *def _mcpgen_([0-9]+)_\(x\):(?:\n *return| \.\.\.)$", re.MULTILINE
)
_TOKEN = re.compile(r'(?P<text>"[^"\\\n]*")|(?P<name>[A-Za-z_][A-Za-z0-9_]*)|[0-9.]+|[^"\'#\\A-Za-z0-9_]')
_TEXT = re.compile(r'"""[^"\\]*"""')
_BLANK = re.compile(r'\bn+\b|"s*"')
_KEPT = frozenset((*keyword.kwlist, *keyword.softkwlist, "print", "exec"))
_IMPORTS = (ast.Import, ast.ImportFrom)
_SIMPLE = (ast.Assign, ast.AnnAssign, ast.AugAssign, ast.Expr, ast.Return, ast.Raise, ast.Pass, *_IMPORTS)
_stable: dict[str, bool] = {}  # by shape; what black says of one is always the same
_functions: dict[str, str] = {}  # the same, by what is left of a function without what names and strings say


@dataclass(frozen=True)
class _Cut:
    """Lines that are taken out, counted from 0; what stands there meanwhile, and what comes back."""

    first: int
    last: int
    meanwhile: str
    text: str


def formatted(source: str) -> str:
    """The source in black's style, whatever the settings of the folder it will stand in.

    Raises:
        SyntaxError, ValueError: it is no Python.
    """
    if "_mcpgen_" in source or "# fmt:" in source:
        return _black(source)
    lines = source.split("\n")
    cuts = list(_cuts(ast.parse(source).body, lines))
    for number in reversed(range(len(cuts))):
        cut = cuts[number]
        indent = _indent(lines[cut.first])
        lines[cut.first : cut.last + 1] = [indent + cut.meanwhile.format(_NAME.format(number), indent)]
    text = _black("\n".join(lines))
    if [int(one or other) for one, other in _PUT_BACK.findall(text)] != list(range(len(cuts))):
        return _black(source)
    return _PUT_BACK.sub(lambda found: cuts[int(found[1] or found[2])].text, text)


def _cuts(body: list[ast.stmt], lines: list[str]) -> Iterator[_Cut]:
    """What can be taken out: runs of statements that are as black has them, and functions of a known form."""
    run: list[ast.stmt] = []
    for one in body:
        fits = _is_settled(one, lines, one is body[0])
        if run and not (fits and one.lineno == _end(run[-1]) + 1 and _word(one) == _word(run[0])):
            yield _run(run, lines)
            run = []
        if fits:
            run.append(one)
        elif isinstance(one, ast.FunctionDef) and (text := _function(one, lines)) is not None:
            stub = " ..." if text.endswith(": ...") else "\n{1}    return"
            yield _Cut(one.lineno - 1, _end(one) - 1, "def {0}(x):" + stub, text)
        elif isinstance(one, ast.ClassDef | ast.FunctionDef | ast.If):
            yield from _cuts(one.body, lines)
            yield from _cuts(one.orelse if isinstance(one, ast.If) else [], lines)
    if run:
        yield _run(run, lines)


def _run(run: list[ast.stmt], lines: list[str]) -> _Cut:
    first, last = run[0].lineno - 1, _end(run[-1]) - 1
    return _Cut(first, last, _word(run[0]) + "{0}", "\n".join(lines[first : last + 1]))


def _function(one: ast.FunctionDef, lines: list[str]) -> str | None:
    """A method as black has it: at once where each of its lines is settled, or as another one that was like it."""
    held = lines[one.lineno - 1 : _end(one)]
    if not all(line.isascii() for line in held):
        return None
    if _is_display(held):
        return "\n".join(held) if _is_stable(held) else None
    if _indent(held[0]) != "    ":
        return None
    if one.body[0].lineno == one.lineno + 1 and len(held[0]) <= LINE_LENGTH:
        settled = all(_is_settled(inner, lines) for inner in one.body)
        together = len(held) == 1 + sum(_end(inner) - inner.lineno + 1 for inner in one.body)
        return "\n".join(held) if settled and together and _is_stable([held[0], "        pass"]) else None
    said: list[str] = []
    bare = [_blanked(line, said) for line in held]
    if None in bare:
        return None
    key = "\n".join(line for line in bare if line is not None)
    if key not in _functions:
        if len(_functions) > MOST:
            _functions.clear()
        _functions[key] = _black(f"class A:\n{key}\n").removeprefix("class A:\n").rstrip("\n")
    text = _functions[key]
    if len(_BLANK.findall(text)) != len(said):
        return None
    words = iter(said)
    return _BLANK.sub(lambda _: next(words), text)


def _blanked(line: str, said: list[str]) -> str | None:
    """A line with names and strings of the same lengths that say nothing; what was there goes to `said`."""
    out = ""
    for token in _tokens(line):
        if token is None:
            return None
        if token["text"] is not None or (token["name"] is not None and token[0] not in _KEPT):
            said.append(token[0])
            size = len(token[0])
            out += "n" * size if token["text"] is None else f'"{"s" * (size - 2)}"'
        else:
            out += token[0]
    return out


def _word(one: ast.stmt) -> str:
    return "import " if isinstance(one, _IMPORTS) else ""


def _indent(line: str) -> str:
    return line[: len(line) - len(line.lstrip(" "))]


def _end(one: ast.stmt) -> int:
    assert one.end_lineno is not None
    return one.end_lineno


def _is_settled(one: ast.stmt, lines: list[str], first: bool = True) -> bool:
    """Whether a statement is known to be as black would print it; a text may not be the `first` of a body."""
    held = lines[one.lineno - 1 : _end(one)]
    if any(len(line) > LINE_LENGTH or not line.isascii() for line in held):
        return False
    if lines[one.lineno - 1][: one.col_offset].strip():
        return False
    match one:
        case ast.Expr(value=ast.Constant()):
            return not first and _TEXT.fullmatch(held[0].strip()) is not None
        case ast.If() | ast.For():
            plain = not one.orelse and all(_is_settled(inner, lines) for inner in one.body)
            return plain and len(held) == 1 + sum(_end(i) - i.lineno + 1 for i in one.body) and _is_stable(held)
        case _ if not isinstance(one, _SIMPLE):
            return False
        case _ if len(held) == 1:
            return _is_stable(held)
        case _:
            return _is_display(held) and _is_stable(held)


def _is_display(held: list[str]) -> bool:
    """Whether a statement is a line that opens a display or parameters, one for each entry, and one that closes it."""
    indent, entries = _indent(held[0]), held[1:-1]
    inner = re.compile(rf"{indent}    [^ )\]}}].*,")
    ends = {"{": "}", "(": ") -> None: ..."}.get(held[0][-1:])
    framed = bool(entries) and ends is not None and held[-1] == indent + ends
    return framed and all(len(line) <= LINE_LENGTH for line in held) and all(inner.fullmatch(line) for line in entries)


def _is_stable(held: list[str]) -> bool:
    indent = len(_indent(held[0]))
    shapes = [_shape(line[indent:]) for line in held]
    if None in shapes:
        return False
    shape = "\n".join(dict.fromkeys(one for one in shapes if one is not None)) + "\n"
    if shape not in _stable:
        if len(_stable) > MOST:
            _stable.clear()
        try:
            _stable[shape] = _black(shape) == shape
        except ValueError:
            _stable[shape] = False
    return _stable[shape]


def _shape(line: str) -> str | None:
    """The tokens of a line without what names and strings say; None where that may matter."""
    out = ""
    for token in _tokens(line):
        if token is None:
            return None
        name = token["name"] is not None and token[0] not in _KEPT
        out += '"s"' if token["text"] is not None else "a" if name else token[0]
    return out


def _tokens(line: str) -> Iterator[re.Match[str] | None]:
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
def _mode() -> Any:
    import black
    from black.mode import TargetVersion

    return black.Mode(target_versions={TargetVersion.PY311}, line_length=LINE_LENGTH)


def _black(source: str) -> str:
    import black

    return black.format_str(source, mode=_mode())
