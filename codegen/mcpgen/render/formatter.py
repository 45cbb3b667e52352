"""Format Python in black's style, and ask black only about code of a shape that it has not seen.

Black is slow, and generated modules consist of many statements that look alike. The layout of a statement that fits on
its lines depends on its tokens, and not on how its names and strings are spelt. So a module is formatted in four steps:

1. Find statements whose shape black is known to leave as it is. A shape that is new is formatted once,
   by itself, and the answer is cached. Functions without a body and long dict displays are laid out here, by black's
   rules. Methods that have to be broken into lines are formatted with blanked names and strings, and the result is
   cached by the blanked text. Docstrings that black leaves as they are count, too.
2. Replace each run of such statements by a short placeholder statement that black cannot change.
3. Format what is left with black: it settles the blank lines, and all that is not known. This is cached, too; a changed
   description does not change it.
4. Put the statements back in the place of their placeholders.

If anything is unusual (comments for the formatter, a placeholder that is lost), black formats the whole module.
"""

from __future__ import annotations

import ast
import functools
import keyword
import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from typing import Any, NamedTuple

from mcpgen.cache.store import NO_STORE, Store

_TOKEN = re.compile(r'(?P<text>"[^"\\\n]*")|(?P<name>[A-Za-z_][A-Za-z0-9_]*)|[0-9.]+|[^"\'#\\A-Za-z0-9_]')
_PLAIN_NUMBER = re.compile(r"(?<![A-Za-z0-9_.])(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?![A-Za-z0-9_.])")
_STRING = re.compile(r""""[^"\\\n]*"|'[^'\\\n]*'""")
_BLANKED_TOKEN = re.compile(r'\bn+\b|"s*"')
_KEPT_NAMES = frozenset((*keyword.kwlist, *keyword.softkwlist, "print", "exec"))
"""Names that are part of the syntax, in this or an older Python that black knows."""
_FREE_NAME = re.compile(rf"\b(?!(?:{'|'.join(sorted(_KEPT_NAMES))})\b)[A-Za-z_][A-Za-z0-9_]*", re.ASCII)
_SIMPLE_LINE = re.compile(
    r"""(?>(?<![A-Za-z0-9_"'])(?:"[^"\\\n]*"|'[^'"\\\n]*"[^'\\\n]*')|[A-Za-z_][A-Za-z0-9_]*|[0-9.]+"""
    r"""|[^"'#\\A-Za-z0-9_])*+""",
    re.ASCII,
)
"""A line of tokens that are simple: it has no comment, and no string with a prefix or a backslash.

A string with single quotes has double quotes in it, as otherwise black would give it double quotes.
"""


class BlankedText(NamedTuple):
    """Lines whose names and strings have their length, but not their letters."""

    text: str
    tokens: tuple[str, ...]
    """The names and strings, in order."""


def get_indent(line: str) -> str:
    """Return the spaces that a line begins with."""
    return line[: len(line) - len(line.lstrip(" "))]


def find_shape(lines: list[str]) -> str | None:
    """Return a statement with `a` for each name, `"0"` for each string and `0` for each plain number.

    It has each different line once. Lines that only differ in that are laid out alike as long as they are not too long,
    so one stands for all. The indentation is relative to the first line. None: a token is not simple, so that spelling
    may matter.
    """
    indent = len(get_indent(lines[0]))
    shapes = [_find_line_shape(line[indent:]) for line in lines]
    simple = [shape for shape in shapes if shape is not None]
    return "\n".join(dict.fromkeys(simple)) + "\n" if len(simple) == len(shapes) else None


def _find_line_shape(line: str) -> str | None:
    if _SIMPLE_LINE.fullmatch(line) is None:
        return None
    return _PLAIN_NUMBER.sub("0", _FREE_NAME.sub("a", _STRING.sub('"0"', line)))


def blank_lines(lines: Iterable[str]) -> BlankedText | None:
    """Replace names and strings by others of the same length; None where a token is not simple."""
    blanked: list[str] = []
    tokens: list[str] = []
    for line in lines:
        blanked_line = ""
        for token in _split_tokens(line):
            if token is None:
                return None
            is_text = token["text"] is not None
            if is_text or (token["name"] is not None and token[0] not in _KEPT_NAMES):
                tokens.append(token[0])
                size = len(token[0])
                blanked_line += f'"{"s" * (size - 2)}"' if is_text else "n" * size
            else:
                blanked_line += token[0]
        blanked.append(blanked_line)
    return BlankedText("\n".join(blanked), tuple(tokens))


def restore_blanks(text: str, tokens: tuple[str, ...]) -> str | None:
    """Put names and strings back into blanked text that was formatted; None where their number has changed."""
    if len(_BLANKED_TOKEN.findall(text)) != len(tokens):
        return None
    remaining = iter(tokens)
    return _BLANKED_TOKEN.sub(lambda _: next(remaining), text)


def _split_tokens(line: str) -> Iterator[re.Match[str] | None]:
    """Return the tokens of a line, with spaces; None ends them at one that is not simple: a comment, an f-string."""
    offset = 0
    while offset < len(line):
        token = _TOKEN.match(line, offset)
        if token is None or (token["text"] and offset and (line[offset - 1].isalnum() or line[offset - 1] == '"')):
            yield None
            return
        offset = token.end()
        yield token


# --- formatting ------------------------------------------------------------------------------------------------------
LINE_LENGTH = 120
MAX_CACHED_SHAPES = 20_000
"""The most shapes whose layout a process remembers."""
MAX_CACHED_MODULES = 200
"""The most texts whose layout a process remembers: packages of one SDK have `protocol.py` in common."""
STABLE_SHAPES = frozenset(
    (
        'if a(a := a["0"]) is a:\n    pass\n',
        'if a(a := a["0"]) is a and a(a.a) == 0:\n    pass\n',
        "if a(a) is not a or a(a.a) != 0:\n    pass\n",
        "if a is not None:\n    pass\n",
        'if a["0"] is None:\n    pass\n',
        'if "0" not in a.a:\n    pass\n',
        'del a["0"]\n',
        "a = a.a.copy()\n",
        'a["0"] = a.a()\n',
        'a["0"] = {**a, **a(a)} if (a := a.a) else a\n',
    )
)
"""Shapes in the serializers of rows that black leaves as they are: it need not be imported because of one more tool."""
_PLACEHOLDER_NAME = "_mcpgen_{}_"
_PLACEHOLDER = re.compile(
    r"^ *(?:import )?_mcpgen_([0-9]+)_$"
    r'|^ *"""_mcpgen_([0-9]+)_"""$'
    r"|^ *def _mcpgen_([0-9]+)_\(x\):(?:\n *return| \.\.\.)$"
    r"|^ *class _mcpgen_([0-9]+)_:\n *pass$",
    re.MULTILINE,
)
_CLASS_PLACEHOLDER, _INNER_CLASS_PLACEHOLDER = "class {0}:\n    pass", "class {0}:\n{1}    pass"
"""Placeholders of classes, at the top of a module and inside a block."""
_STUB = re.compile(r"(?P<start> *def \w+)\((?P<parameters>.*)\) -> (?P<returned>.+): \.\.\.")
"""A function in one line that has no body, such as a method of a protocol."""
_ENTRY_TOKEN = re.compile(r'"[^"\\\n]*"|[\[({]|[\])}]|,|[^"\'#\\\[\](){},]+')
"""A string, a bracket, a comma, or anything else between them."""
_DOCSTRING = re.compile(r'"""(?P<text>[^"\\\s](?:"{0,2}[^"\\])*)"""')
"""A string in three quotes without a backslash that begins with a letter or the like and does not end with a quote."""
_CLOSING_BRACKETS = {"(": ")", "[": "]", "{": "}"}
_IMPORT_STATEMENTS = (ast.Import, ast.ImportFrom)
_SIMPLE_STATEMENTS = (
    ast.Assign,
    ast.AnnAssign,
    ast.AugAssign,
    ast.Expr,
    ast.Return,
    ast.Raise,
    ast.Pass,
    ast.Continue,
    ast.Delete,
    *_IMPORT_STATEMENTS,
)


class _Cut(NamedTuple):
    """Lines of a module, counted from 0, that are formatted already and replaced while black formats the rest."""

    first: int
    last: int
    placeholder: str
    """A format string with the placeholder's name and the indentation as its arguments."""
    formatted: str


def format_source(source: str, store: Store = NO_STORE, tree: ast.Module | None = None) -> str:
    """Return a module in black's style, whatever a folder's settings; raise `SyntaxError` or `ValueError`."""
    if "_mcpgen_" in source or "# fmt:" in source:
        return _format_module(source, store)
    tree = tree or ast.parse(source)
    spaced = _leave_one_line_after_imports(source, tree)
    if spaced != source:
        source, tree = spaced, ast.parse(spaced)
    lines = source.split("\n")
    cuts = [*_join_classes(_CutFinder(lines, store).find_cuts(tree.body), lines)]
    formatted = _restore_cuts(_format_module(_replace_cuts(lines, cuts), store), cuts)
    return _format_module(source, store) if formatted is None else formatted


def _leave_one_line_after_imports(source: str, tree: ast.Module) -> str:
    """Return the source with one empty line after its imports: black before version 26 leaves one or two, now one."""
    lines = source.split("\n")
    for statement, following in reversed([*pairwise(tree.body)]):
        end, start = _get_end_line(statement), following.lineno - 1
        is_last = isinstance(statement, _IMPORT_STATEMENTS) and not isinstance(following, _IMPORT_STATEMENTS)
        if is_last and start - end > 1 and not "".join(lines[end:start]).strip():
            lines[end:start] = [""]
    return "\n".join(lines)


def _replace_cuts(lines: Sequence[str], cuts: Sequence[_Cut], first: int = 0) -> str:
    """Return lines with a placeholder for each cut; `first` is the number of the first line in the module."""
    remaining = [*lines]
    for number in reversed(range(len(cuts))):
        cut = cuts[number]
        start, end = cut.first - first, cut.last + 1 - first
        indent = get_indent(remaining[start])
        remaining[start:end] = [indent + cut.placeholder.format(_PLACEHOLDER_NAME.format(number), indent)]
    return "\n".join(remaining)


def _join_classes(cuts: Iterable[_Cut], lines: Sequence[str]) -> Iterator[_Cut]:
    """Yield cuts with one for all classes that only empty lines separate, of which black leaves two."""
    joined: _Cut | None = None
    for cut in cuts:
        is_class = cut.placeholder == _CLASS_PLACEHOLDER
        if joined is not None and is_class and not any(lines[joined.last + 1 : cut.first]):
            joined = joined._replace(last=cut.last, formatted=f"{joined.formatted}\n\n\n{cut.formatted}")
            continue
        if joined is not None:
            yield joined
        joined = cut if is_class else None
        if not is_class:
            yield cut
    if joined is not None:
        yield joined


def _restore_cuts(text: str, cuts: Sequence[_Cut]) -> str | None:
    numbers = [_get_number(match) for match in _PLACEHOLDER.finditer(text)]
    if numbers != list(range(len(cuts))):
        return None
    return _PLACEHOLDER.sub(lambda match: cuts[_get_number(match)].formatted, text)


def _get_number(placeholder: re.Match[str]) -> int:
    return int(placeholder[placeholder.lastindex or 0])


# --- finding what need not be formatted ------------------------------------------------------------------------------
class _CutFinder:
    """Search for the lines of one module that are formatted already, or whose shape says how."""

    def __init__(self, lines: list[str], store: Store) -> None:
        self._lines, self._store = lines, store

    def find_cuts(self, body: list[ast.stmt]) -> Iterator[_Cut]:
        """Find runs of settled statements, docstrings, and functions that can be formatted by their shape, in order."""
        run: list[ast.stmt] = []
        for statement in body:
            is_docstring = statement is body[0] and _is_string(statement)
            is_settled = not is_docstring and self._is_settled(statement)
            if run and not (
                is_settled
                and statement.lineno == _get_end_line(run[-1]) + 1
                and _get_placeholder_prefix(statement) == _get_placeholder_prefix(run[0])
            ):
                yield self._cut(run, _get_placeholder_prefix(run[0]) + "{0}")
                run = []
            if is_settled:
                run.append(statement)
            elif is_docstring:
                if self._is_settled_string(statement):
                    yield self._cut([statement], '"""{0}"""')
            elif self._precedes_comment(statement):  # whose place depends on the lines before
                pass
            elif isinstance(statement, ast.FunctionDef) and (formatted := self._format_function(statement)) is not None:
                stub = " ..." if formatted.endswith(": ...") else "\n{1}    return"
                yield _Cut(statement.lineno - 1, _get_end_line(statement) - 1, "def {0}(x):" + stub, formatted)
            elif isinstance(statement, ast.ClassDef) and (formatted := self._format_class(statement)) is not None:
                placeholder = _INNER_CLASS_PLACEHOLDER if statement.col_offset else _CLASS_PLACEHOLDER
                yield _Cut(statement.lineno - 1, _get_end_line(statement) - 1, placeholder, formatted)
            elif (formatted := self._format_long_statement(statement)) is not None:
                yield _Cut(statement.lineno - 1, _get_end_line(statement) - 1, "{0}", formatted)
            elif isinstance(statement, ast.ClassDef | ast.FunctionDef | ast.If | ast.For):
                yield from self.find_cuts(statement.body)
                yield from self.find_cuts(statement.orelse if isinstance(statement, ast.If | ast.For) else [])
        if run:
            yield self._cut(run, _get_placeholder_prefix(run[0]) + "{0}")

    def _precedes_comment(self, statement: ast.stmt) -> bool:
        following = (self._lines[number].lstrip() for number in range(_get_end_line(statement), len(self._lines)))
        return next(filter(None, following), "").startswith("#")

    def _cut(self, run: list[ast.stmt], placeholder: str) -> _Cut:
        first, last = run[0].lineno - 1, _get_end_line(run[-1]) - 1
        return _Cut(first, last, placeholder, "\n".join(self._lines[first : last + 1]))

    def _get_lines(self, statement: ast.stmt) -> list[str]:
        return self._lines[statement.lineno - 1 : _get_end_line(statement)]

    def _is_settled(self, statement: ast.stmt) -> bool:
        if _is_string(statement):
            return self._is_settled_string(statement)
        lines = self._get_lines(statement)
        if any(len(line) > LINE_LENGTH or not line.isascii() for line in lines):
            return False
        if self._lines[statement.lineno - 1][: statement.col_offset].strip():
            return False
        match statement:
            case ast.If() | ast.For():
                return self._is_settled_block(statement)
            case _ if not isinstance(statement, _SIMPLE_STATEMENTS):
                return False
            case _ if len(lines) == 1:
                return self._has_stable_shape(lines)
            case _:
                is_import = isinstance(statement, ast.ImportFrom)
                is_display = _is_display(lines, is_import) or _is_nested_display(lines)
                return is_display and self._has_stable_shape(lines)

    def _is_settled_block(self, statement: ast.If | ast.For) -> bool:
        head = self._lines[statement.lineno - 1].lstrip()
        match statement.orelse:
            case []:
                heads, settled = 1, True
            case [ast.If() as other] if self._lines[other.lineno - 1].lstrip().startswith("elif "):
                heads, settled = 1, self._is_settled_block(other)
            case others:
                heads, settled = 2, self._are_settled(others)
        return (
            settled
            and self._are_settled(statement.body)
            and len(self._get_lines(statement)) == heads + _count_lines([*statement.body, *statement.orelse])
            and self._has_stable_shape([head.removeprefix("el"), "    pass"])
        )

    def _are_settled(self, body: list[ast.stmt]) -> bool:
        return not _is_string(body[0]) and all(map(self._is_settled, body))

    def _is_settled_string(self, statement: ast.stmt) -> bool:
        """Check for a string, such as a docstring, that black leaves as it is, in whatever place."""
        lines = self._get_lines(statement)
        indent = get_indent(lines[0])
        match = _DOCSTRING.fullmatch("\n".join(lines)[len(indent) :])
        if match is None or len(lines[-1]) > LINE_LENGTH or not all(line.isprintable() for line in lines):
            return False
        first, *others = match["text"].split("\n")
        if not others:
            return first == first.rstrip()
        if others[-1] == indent:  # the quotes have a line of their own
            others.pop()
        elif not others[-1]:
            return False
        indents = [len(get_indent(line)) for line in others if line]
        is_trimmed = all(line == line.rstrip() for line in (first, *others))
        return is_trimmed and min(indents, default=None) == len(indent)

    def _has_stable_shape(self, lines: list[str]) -> bool:
        shape = find_shape(lines)
        return shape is not None and _format_shape(shape, self._store) == shape

    def _format_function(self, function: ast.FunctionDef) -> str | None:
        lines = self._get_lines(function)
        if not all(line.isascii() for line in lines):
            return None
        if _is_display(lines):
            return "\n".join(lines) if self._has_stable_shape(lines) else None
        if len(lines) == 1 and (formatted := self._format_stub(lines[0])) is not None:
            return formatted
        if get_indent(lines[0]) != "    ":
            return None
        if function.body[0].lineno == function.lineno + 1 and len(lines[0]) <= LINE_LENGTH:
            settled = (
                self._are_settled(function.body)
                and len(lines) == 1 + _count_lines(function.body)
                and self._has_stable_shape([lines[0], "        pass"])
            )
            return "\n".join(lines) if settled else None
        return self._format_blanked(lines)

    def _format_stub(self, line: str) -> str | None:
        """Return a function without a body as black writes it: in one line, in three, or a line for each parameter."""
        match = _STUB.fullmatch(line)
        parameters = None if match is None else _split_entries(match["parameters"])
        if match is None or not parameters or len(parameters) == 1:
            return None
        heads = [f"def a({parameter}): ..." for parameter in parameters if parameter != "*"]
        if not all(self._has_stable_shape([head]) for head in (*heads, f"def a() -> {match['returned']}: ...")):
            return None
        indent, last = get_indent(line), f") -> {match['returned']}: ..."
        joined = ", ".join(parameters)
        layouts = (
            [f"{match['start']}({joined}{last}"],
            [f"{match['start']}(", f"{indent}    {joined}", indent + last],
            [f"{match['start']}(", *(f"{indent}    {parameter}," for parameter in parameters), indent + last],
        )
        return next((_join(lines) for lines in layouts if all(len(line) <= LINE_LENGTH for line in lines)), None)

    def _format_blanked(self, lines: Sequence[str]) -> str | None:
        """Return the lines of a member of a class as black formats them, None where a token is not simple."""
        blanked = blank_lines(lines)
        formatted = None if blanked is None else _format_shape(f"class A:\n{blanked.text}\n", self._store)
        if blanked is None or formatted is None:
            return None
        return restore_blanks(formatted.removeprefix("class A:\n").rstrip("\n"), blanked.tokens)

    def _format_class(self, node: ast.ClassDef) -> str | None:
        """Return a class as black formats it; once for those with the same kinds of members and what is not settled."""
        lines = self._get_lines(node)
        head, indent = lines[0], get_indent(lines[0])
        if node.decorator_list or node.body[0].lineno == node.lineno or len(head) > LINE_LENGTH or len(indent) > 4:
            return None
        if not head.isascii() or not self._has_stable_shape([head, f"{indent}    pass"]):
            return None
        end = _get_end_line(node)
        if lines[-1].endswith("...") and any(self._lines[end : end + 1]):
            return None  # black puts no empty line after a function without a body, if there is none
        cuts = list(self.find_cuts(node.body))
        start = f"class A:\n{indent}class A:" if indent else "class A:"
        body = _replace_cuts([start, *lines[1:]], cuts, node.lineno - 1)
        formatted = _format_shape(body + "\n", self._store)
        restored = None if formatted is None else _restore_cuts(formatted.rstrip("\n"), cuts)
        return None if restored is None else head + restored.removeprefix(start)

    def _format_long_statement(self, statement: ast.stmt) -> str | None:
        """Return a statement that is too long for its line as black formats it, None for others."""
        lines = self._get_lines(statement)
        if not isinstance(statement, ast.AnnAssign | ast.Assign | ast.Return) or not all(map(str.isascii, lines)):
            return None
        if len(lines) == 1 and len(lines[0]) > LINE_LENGTH and isinstance(statement.value, ast.Dict):
            start, end = lines[0][: statement.value.col_offset], lines[0][statement.value.end_col_offset :]
            entries = _split_entries(lines[0][len(start) + 1 : -1])
            is_list = not end and entries is not None and len(entries) > 1  # one entry gets no comma
            return self._format_display(start, entries) if is_list and entries else None
        return self._format_blanked(lines) if get_indent(lines[0]) == "    " else None

    def _format_display(self, start: str, entries: Sequence[str]) -> str | None:
        """Return the statement of a long dict display, which has a line for each entry."""
        indent = get_indent(start)
        lines = [f"{start}{{", *(f"{indent}    {entry}," for entry in entries), f"{indent}}}"]
        is_stable = all(self._has_stable_shape(["a = {", f"    {entry},", "}"]) for entry in entries)
        is_stable = is_stable and self._has_stable_shape([f"{start.lstrip()}{{", "    a: a,", "}"])
        return _join(lines) if is_stable and all(len(line) <= LINE_LENGTH for line in lines) else None


def _join(lines: Iterable[str]) -> str:
    return "\n".join(lines)


def _split_entries(text: str) -> list[str] | None:
    """Split text at the commas outside of brackets; None where a token is not simple, or a comma is the last one."""
    entries, depth, offset, start = list[str](), 0, 0, 0
    while offset < len(text):
        token = _ENTRY_TOKEN.match(text, offset)
        if token is None:
            return None
        offset = token.end()
        depth += (token[0] in "[({") - (token[0] in "])}")
        if token[0] == "," and depth == 0:
            entries.append(text[start : offset - 1].strip())
            start = offset
    entries.append(text[start:].strip())
    return entries if all(entries) and depth == 0 else None


def _is_string(statement: ast.stmt) -> bool:
    return isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)


def _get_placeholder_prefix(statement: ast.stmt) -> str:
    """Return the start of a placeholder: black puts blank lines after imports, so theirs is one, too."""
    return "import " if isinstance(statement, _IMPORT_STATEMENTS) else ""


def _get_end_line(statement: ast.stmt) -> int:
    assert statement.end_lineno is not None
    return statement.end_lineno


def _count_lines(statements: list[ast.stmt]) -> int:
    return sum(_get_end_line(statement) - statement.lineno + 1 for statement in statements)


def _is_display(lines: list[str], is_import: bool = False) -> bool:
    """Check for a line that opens a display, parameters or imports, a line for each entry, and one that closes it."""
    indent, entries = get_indent(lines[0]), lines[1:-1]
    entry = re.compile(rf"{indent}    [^ )\]}}].*,")
    closing = {"{": "}", "(": ")" if is_import else ") -> None: ..."}.get(lines[0][-1:])
    framed = bool(entries) and closing is not None and lines[-1] == indent + closing
    return framed and all(len(line) <= LINE_LENGTH for line in lines) and all(map(entry.fullmatch, entries))


def _is_nested_display(lines: list[str]) -> bool:
    """Check for displays inside one another: each entry, opening and closing bracket ends a line of its own."""
    base, closing = len(get_indent(lines[0])), list[str]()
    for number, line in enumerate(lines):
        text = line.lstrip(" ")
        is_end = bool(closing) and text == closing[-1] + ("," if len(closing) > 1 else "")
        if is_end:
            closing.pop()
        if len(line) > LINE_LENGTH or len(line) - len(text) != base + 4 * len(closing):
            return False
        if not is_end and text[-1:] in _CLOSING_BRACKETS:
            closing.append(_CLOSING_BRACKETS[text[-1]])
        elif not (is_end or text.endswith(",")):
            return False
        if not closing:
            return number == len(lines) - 1
    return False


# --- asking black ----------------------------------------------------------------------------------------------------
@functools.lru_cache(MAX_CACHED_SHAPES)
def _format_shape(shape: str, store: Store) -> str | None:
    if shape in STABLE_SHAPES:
        return shape
    try:
        return store.compute("layout", shape, _run_black)
    except ValueError:
        return None


@functools.lru_cache(MAX_CACHED_MODULES)
def _format_module(source: str, store: Store) -> str:
    return store.compute("layout", source, _run_black)


@functools.cache
def _make_black_mode() -> Any:
    import black
    from black.mode import TargetVersion

    return black.Mode(target_versions={TargetVersion.PY311}, line_length=LINE_LENGTH)


def _run_black(source: str) -> str:
    import black

    return black.format_str(source, mode=_make_black_mode())
