"""Why a server could not be asked, as a value for a finding."""

from __future__ import annotations


class IntrospectionError(Exception):
    """A server cannot be asked, or its answer is none. It holds no secret: whoever raises it has redacted its text."""

    def __init__(self, code: str, message: str, help: str = "") -> None:
        super().__init__(message)
        self.code, self.message, self.help = code, message, help

    def __reduce__(self) -> tuple[object, ...]:
        return type(self), (self.code, self.message, self.help), self.__dict__
