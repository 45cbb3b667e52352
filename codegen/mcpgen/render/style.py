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
from functools import cache
from typing import Any, TypeAlias

LINE_LENGTH = 100
MOST = 20_000
"""Shapes that a process keeps."""
Statement: TypeAlias = ast.stmt
_TAKEN = "_mcpgen_{}_"
_PUT_BACK = re.compile(r"^( *)(?:import )?_mcpgen_([0-9]+)_$", re.MULTILINE)
_TOKEN = re.compile(r'(?P<text>"[^"\\\n]*")|(?P<name>[A-Za-z_][A-Za-z0-9_]*)|[0-9.]+|[^"\'#\\A-Za-z0-9_]')
_KEPT = frozenset((*keyword.kwlist, *keyword.softkwlist, "print", "exec"))
_IMPORTS = (ast.Import, ast.ImportFrom)
_SIMPLE = (ast.Assign, ast.AnnAssign, ast.AugAssign, ast.Expr, ast.Return, ast.Raise, ast.Pass, *_IMPORTS)
_stable: dict[str, bool] = {}  # by shape; what black says of one is always the same


def formatted(source: str) -> str:
    """The source in black's style, whatever the settings of the folder it will stand in.

    Raises:
        SyntaxError, ValueError: it is no Python.
    """
    if "_mcpgen_" in source:
        return _black(source)
    lines = source.split("\n")
    runs = list(_runs(ast.parse(source).body, lines))
    taken = ["\n".join(lines[first : last + 1]) for first, last, _ in runs]
    for number in reversed(range(len(runs))):
        first, last, word = runs[number]
        lines[first : last + 1] = [f"{_indent(lines[first])}{word}{_TAKEN.format(number)}"]
    text = _black("\n".join(lines))
    if [int(number) for _, number in _PUT_BACK.findall(text)] != list(range(len(taken))):
        return _black(source)
    return _PUT_BACK.sub(lambda found: taken[int(found[2])], text)


def _runs(body: list[Statement], lines: list[str]) -> Iterator[tuple[int, int, str]]:
    """The first and the last line of each run of statements to be taken out, and a word for what stands there."""
    run: list[Statement] = []
    for one in body:
        fits = _is_settled(one, lines)
        if run and not (fits and one.lineno == _end(run[-1]) + 1 and _word(one) == _word(run[0])):
            yield run[0].lineno - 1, _end(run[-1]) - 1, _word(run[0])
            run = []
        if fits:
            run.append(one)
        else:
            for inner in ("body", "orelse"):
                if isinstance(one, ast.ClassDef | ast.FunctionDef | ast.If):
                    yield from _runs(getattr(one, inner, []), lines)
    if run:
        yield run[0].lineno - 1, _end(run[-1]) - 1, _word(run[0])


def _word(one: Statement) -> str:
    return "import " if isinstance(one, _IMPORTS) else ""


def _indent(line: str) -> str:
    return line[: len(line) - len(line.lstrip(" "))]


def _end(one: Statement) -> int:
    assert one.end_lineno is not None
    return one.end_lineno


def _is_settled(one: Statement, lines: list[str]) -> bool:
    """Whether a statement is known to be as black would print it."""
    held = lines[one.lineno - 1 : _end(one)]
    if any(len(line) > LINE_LENGTH or not line.isascii() for line in held):
        return False
    if lines[one.lineno - 1][: one.col_offset].strip() or (isinstance(one, ast.Expr) and _is_text(one.value)):
        return False
    match one:
        case ast.If() | ast.For():
            plain = not one.orelse and all(_is_settled(inner, lines) for inner in one.body)
            return plain and len(held) == 1 + sum(_end(i) - i.lineno + 1 for i in one.body) and _is_stable(held)
        case _ if not isinstance(one, _SIMPLE):
            return False
        case _ if len(held) == 1:
            return _is_stable(held)
        case _:
            return _is_display(held) and _is_stable(held)


def _is_text(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant)


def _is_display(held: list[str]) -> bool:
    """Whether a statement is one line that opens a display, a line for each entry, and one that closes it."""
    indent, entries = _indent(held[0]), held[1:-1]
    inner = re.compile(rf"{indent}    [^ )\]}}].*,")
    return (
        bool(entries)
        and held[0].endswith(" {")
        and held[-1] == indent + "}"
        and all(inner.fullmatch(line) for line in entries)
    )


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
    out: list[str] = []
    at = len(_indent(line))
    while at < len(line):
        token = _TOKEN.match(line, at)
        if token is None or (token["text"] and at and (line[at - 1].isalnum() or line[at - 1] == '"')):
            return None
        at = token.end()
        if token["text"] is not None:
            out.append('"s"')
        elif token["name"] is not None and token[0] not in _KEPT:
            out.append("a")
        else:
            out.append(token[0])
    return _indent(line) + "".join(out)


@cache
def _mode() -> Any:
    import black
    from black.mode import TargetVersion

    return black.Mode(target_versions={TargetVersion.PY311}, line_length=LINE_LENGTH)


def _black(source: str) -> str:
    import black

    return black.format_str(source, mode=_mode())
