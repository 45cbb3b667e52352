"""Objects in a server's JSON in which a name stands twice: parsers disagree about which of the two counts."""

from __future__ import annotations

import json

from mcpgen.introspect.errors import IntrospectionError
from mcpgen.introspect.limits import Meter
from mcpgen.schema.values import Json


class RepeatedName(ValueError):
    """An object has two members of one name."""


def build_object(members: list[tuple[str, Json]]) -> dict[str, Json]:
    """Return the object with some members, as `object_pairs_hook` of `json.loads`.

    Raises:
        RepeatedName: two have the same name.
    """
    built = dict(members)
    if len(built) < len(members):
        raise RepeatedName
    return built


def refuse_message(meter: Meter) -> IntrospectionError:
    """End the query because of a name that stands twice, and return the error to raise."""
    message = "the server answers with an object in which a name stands twice"
    help = "clients read it in different ways: tell who runs the server"
    return meter.fail(IntrospectionError("MG710", message, help))


class RepeatedNameFinder:
    """Search for repeated names in the body of an HTTP response that arrives in pieces."""

    def __init__(self, meter: Meter, is_stream: bool) -> None:
        self._meter, self._is_stream = meter, is_stream
        self._text = bytearray()
        """What is not searched yet: of a stream, the last event and a line without its end."""
        self._event: list[bytes] = []

    def feed(self, data: bytes) -> None:
        """Search the next bytes; of a body that is one message, only remember them.

        Raises:
            IntrospectionError: a message has a repeated name.
        """
        self._text += data
        if not self._is_stream or b"\n" not in data.replace(b"\r", b"\n"):
            return
        end = b"\r" if self._text.endswith(b"\r") else b""  # perhaps the first half of a line break
        text = self._text.removesuffix(end)
        *lines, rest = text.replace(b"\r\n", b"\n").replace(b"\r", b"\n").split(b"\n")
        self._text = bytearray(rest + end)
        for line in lines:
            if line.startswith(b"data:"):
                self._event.append(bytes(line[5:]))
            elif not line:
                self._search(b"\n".join(self._event))
                self._event.clear()

    def finish(self) -> None:
        """Search what is left at the end.

        Raises:
            IntrospectionError: a message has a repeated name.
        """
        self._search(b"\n".join(self._event) if self._is_stream else bytes(self._text))

    def _search(self, text: bytes) -> None:
        try:
            json.loads(text, object_pairs_hook=build_object)
        except RepeatedName:
            raise refuse_message(self._meter) from None
        except (ValueError, RecursionError):
            return  # it is no message, which the SDK reports
