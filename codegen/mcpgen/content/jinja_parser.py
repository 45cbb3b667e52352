"""The text of a template to Jinja's syntax tree, in which `lineno` holds the offset of a node."""

from __future__ import annotations

import re
from collections.abc import Iterator

from jinja2 import Environment, TemplateSyntaxError, nodes
from jinja2.lexer import Lexer
from jinja2.parser import Parser


class TemplateSyntaxProblem(Exception):
    """The text is no Jinja template; `offset` is where that shows."""

    def __init__(self, message: str, offset: int) -> None:
        super().__init__(message)
        self.message, self.offset = message, offset

    def __reduce__(self) -> tuple[object, ...]:
        return type(self), (self.message, self.offset), self.__dict__


class _OffsetLexer(Lexer):
    """Jinja's lexer, which says where a token starts and not just on which line."""

    def tokeniter(
        self, source: str, name: str | None, filename: str | None = None, state: str | None = None
    ) -> Iterator[tuple[int, str, str]]:
        at = 0
        try:
            for _, kind, value in super().tokeniter(source, name, filename, state):
                at = source.index(value, at)  # further only over space that `-` took away
                yield at, kind, value
                at += len(value)
        except TemplateSyntaxError as error:
            message = re.sub(r" at \d+$", "", error.message or "")
            raise TemplateSyntaxProblem(message, at) from error


class _OffsetEnvironment(Environment):
    @property
    def lexer(self) -> Lexer:
        return _OffsetLexer(self)


def parse_jinja(text: str) -> nodes.Template:
    """The syntax tree of a normalized text.

    Raises:
        SyntaxProblem: it is no Jinja template.
    """
    try:
        return Parser(_OffsetEnvironment(keep_trailing_newline=True), text).parse()
    except TemplateSyntaxError as error:  # a token's line number is its offset here
        message = error.message or ""
        ended = message.startswith("Unexpected end of template")
        raise TemplateSyntaxProblem(message, len(text) if ended else min(error.lineno, len(text))) from error
    except RecursionError as error:
        raise TemplateSyntaxProblem("nested too deep", 0) from error
