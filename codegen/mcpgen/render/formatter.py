"""Format Python in black's style, and ask black only about code of a shape that it has not seen.

Black is slow, and generated modules consist of many statements that look alike. The layout of a statement that fits on
its lines depends on its tokens, and not on how its names and strings are spelt. So a module is formatted in four steps:

1. Find statements whose shape (`line_shapes`) black is known to leave as it is. A shape that is new is formatted once,
   by itself, and the answer is cached. Methods that have to be broken into lines are formatted with blanked names and
   strings, and the result is cached by the blanked text.
2. Replace each run of such statements by a short placeholder statement that black cannot change.
3. Format what is left with black: it settles the blank lines, and all that is not known.
4. Put the statements back in the place of their placeholders.

If anything is unusual (comments for the formatter, a placeholder that is lost), black formats the whole module.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Any

from mcpgen.render.line_shapes import blank_lines, find_shape, get_indent, restore_blanks

LINE_LENGTH = 100
MAX_CACHED_SHAPES = 20_000
"""The most shapes whose layout a process remembers."""
MAX_CACHED_MODULES = 200
"""The most texts whose layout a process remembers: packages of one SDK have `protocol.py` in common."""
_PLACEHOLDER_NAME = "_mcpgen_{}_"
_PLACEHOLDER = re.compile(
    r"^ *(?:import )?_mcpgen_([0-9]+)_$|^ *def _mcpgen_([0-9]+)_\(x\):(?:\n *return| \.\.\.)$", re.MULTILINE
)
_TRIPLE_QUOTED = re.compile(r'"""[^"\\]*"""')
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


@dataclass(frozen=True)
class _Cut:
    """Lines of a module, counted from 0, that are formatted already and replaced while black formats the rest."""

    first: int
    last: int
    placeholder: str
    """A format string with the placeholder's name and the indentation as its arguments."""
    formatted: str


def format_source(source: str) -> str:
    """Return the source in black's style, whatever the settings of the folder that it is written to.

    Raises:
        SyntaxError, ValueError: it is not Python.
    """
    if "_mcpgen_" in source or "# fmt:" in source:
        return _format_module(source)
    lines = source.split("\n")
    cuts = list(_find_cuts(ast.parse(source).body, lines))
    for number in reversed(range(len(cuts))):
        cut = cuts[number]
        indent = get_indent(lines[cut.first])
        lines[cut.first : cut.last + 1] = [indent + cut.placeholder.format(_PLACEHOLDER_NAME.format(number), indent)]
    text = _format_module("\n".join(lines))
    numbers = [int(match[1] or match[2]) for match in _PLACEHOLDER.finditer(text)]
    if numbers != list(range(len(cuts))):
        return _format_module(source)
    return _PLACEHOLDER.sub(lambda match: cuts[int(match[1] or match[2])].formatted, text)


# --- finding what need not be formatted ------------------------------------------------------------------------------
def _find_cuts(body: list[ast.stmt], lines: list[str]) -> Iterator[_Cut]:
    """Find runs of settled statements, and functions that can be formatted by their shape, in order."""
    run: list[ast.stmt] = []
    for statement in body:
        is_settled = _is_settled(statement, lines, statement is body[0])
        if run and not (
            is_settled
            and statement.lineno == _get_end_line(run[-1]) + 1
            and _get_placeholder_prefix(statement) == _get_placeholder_prefix(run[0])
        ):
            yield _cut_run(run, lines)
            run = []
        if is_settled:
            run.append(statement)
        elif isinstance(statement, ast.FunctionDef) and (formatted := _format_function(statement, lines)) is not None:
            stub = " ..." if formatted.endswith(": ...") else "\n{1}    return"
            yield _Cut(statement.lineno - 1, _get_end_line(statement) - 1, "def {0}(x):" + stub, formatted)
        elif isinstance(statement, ast.ClassDef | ast.FunctionDef | ast.If):
            yield from _find_cuts(statement.body, lines)
            yield from _find_cuts(statement.orelse if isinstance(statement, ast.If) else [], lines)
    if run:
        yield _cut_run(run, lines)


def _cut_run(run: list[ast.stmt], lines: list[str]) -> _Cut:
    first, last = run[0].lineno - 1, _get_end_line(run[-1]) - 1
    return _Cut(first, last, _get_placeholder_prefix(run[0]) + "{0}", "\n".join(lines[first : last + 1]))


def _get_placeholder_prefix(statement: ast.stmt) -> str:
    """Return the start of a placeholder: black puts blank lines after imports, so theirs is one, too."""
    return "import " if isinstance(statement, _IMPORT_STATEMENTS) else ""


def _get_lines(statement: ast.stmt, lines: list[str]) -> list[str]:
    return lines[statement.lineno - 1 : _get_end_line(statement)]


def _get_end_line(statement: ast.stmt) -> int:
    assert statement.end_lineno is not None
    return statement.end_lineno


def _count_lines(statements: list[ast.stmt]) -> int:
    return sum(_get_end_line(statement) - statement.lineno + 1 for statement in statements)


def _is_settled(statement: ast.stmt, lines: list[str], is_first: bool = True) -> bool:
    """Check whether black is known to leave a statement as it is.

    `is_first` says that it is the first statement of its body, where a string would be a docstring.
    """
    statement_lines = _get_lines(statement, lines)
    if any(len(line) > LINE_LENGTH or not line.isascii() for line in statement_lines):
        return False
    if lines[statement.lineno - 1][: statement.col_offset].strip():
        return False
    match statement:
        case ast.Expr(value=ast.Constant()):
            return not is_first and _TRIPLE_QUOTED.fullmatch(statement_lines[0].strip()) is not None
        case ast.If() | ast.For():
            return (
                not statement.orelse
                and all(_is_settled(child, lines) for child in statement.body)
                and len(statement_lines) == 1 + _count_lines(statement.body)
                and _has_stable_shape(statement_lines)
            )
        case _ if not isinstance(statement, _SIMPLE_STATEMENTS):
            return False
        case _ if len(statement_lines) == 1:
            return _has_stable_shape(statement_lines)
        case _:
            return _is_display(statement_lines) and _has_stable_shape(statement_lines)


def _is_display(lines: list[str]) -> bool:
    """Check for a line that opens a display or parameters, a line for each entry, and one that closes it."""
    indent, entries = get_indent(lines[0]), lines[1:-1]
    entry = re.compile(rf"{indent}    [^ )\]}}].*,")
    closing = {"{": "}", "(": ") -> None: ..."}.get(lines[0][-1:])
    framed = bool(entries) and closing is not None and lines[-1] == indent + closing
    return framed and all(len(line) <= LINE_LENGTH for line in lines) and all(map(entry.fullmatch, entries))


# --- asking black about shapes ---------------------------------------------------------------------------------------
def _has_stable_shape(lines: list[str]) -> bool:
    """Check whether black leaves statements of this shape as they are; False where the shape is not simple."""
    shape = find_shape(lines)
    return shape is not None and _is_stable(shape)


@lru_cache(MAX_CACHED_SHAPES)
def _is_stable(shape: str) -> bool:
    try:
        return _run_black(shape) == shape
    except ValueError:
        return False


def _format_function(function: ast.FunctionDef, lines: list[str]) -> str | None:
    """Return a method as black formats it, None where that cannot be derived from its shape."""
    function_lines = _get_lines(function, lines)
    if not all(line.isascii() for line in function_lines):
        return None
    if _is_display(function_lines):
        return "\n".join(function_lines) if _has_stable_shape(function_lines) else None
    if get_indent(function_lines[0]) != "    ":
        return None
    if function.body[0].lineno == function.lineno + 1 and len(function_lines[0]) <= LINE_LENGTH:
        settled = (
            all(_is_settled(child, lines) for child in function.body)
            and len(function_lines) == 1 + _count_lines(function.body)
            and _has_stable_shape([function_lines[0], "        pass"])
        )
        return "\n".join(function_lines) if settled else None
    blanked = blank_lines(function_lines)
    return None if blanked is None else restore_blanks(_format_method(blanked.text), blanked.tokens)


@lru_cache(MAX_CACHED_SHAPES)
def _format_method(method: str) -> str:
    return _run_black(f"class A:\n{method}\n").removeprefix("class A:\n").rstrip("\n")


@cache
def _make_black_mode() -> Any:
    import black
    from black.mode import TargetVersion

    return black.Mode(target_versions={TargetVersion.PY311}, line_length=LINE_LENGTH)


@lru_cache(MAX_CACHED_MODULES)
def _format_module(source: str) -> str:
    return _run_black(source)


def _run_black(source: str) -> str:
    import black

    return black.format_str(source, mode=_make_black_mode())
