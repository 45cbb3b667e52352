"""Error of a query, as a value for a diagnostic."""

from __future__ import annotations


class IntrospectionError(Exception):
    """A server cannot be queried, or its answer is not valid: what a diagnostic says, without secrets."""

    def __init__(self, code: str, message: str, help: str = "") -> None:
        super().__init__(message)
        self.code, self.message, self.help = code, message, help

    def __reduce__(self) -> tuple[object, ...]:
        return type(self), (self.code, self.message, self.help), self.__dict__
