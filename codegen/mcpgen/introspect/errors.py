"""Error of a query, as a value for a diagnostic."""

from __future__ import annotations


class IntrospectionError(Exception):
    """A server cannot be queried, or its answer is not valid.

    Its texts hold no secrets: whoever raises it has redacted them.

    Args:
        code: the code of the diagnostic.
        message: what is wrong.
        help: what to do about it; empty if there is nothing to suggest.
    """

    def __init__(self, code: str, message: str, help: str = "") -> None:
        super().__init__(message)
        self.code, self.message, self.help = code, message, help

    def __reduce__(self) -> tuple[object, ...]:
        return type(self), (self.code, self.message, self.help), self.__dict__
