"""Typed clients over sessions of mcp 2.x."""

from __future__ import annotations

from .. import client_base
from ..client_base import Contract, Pin
from ..descriptors import RawResourceReader, RawToolCaller
from ..prompt_reader import PromptClient
from ..resource_reader import ResourceClient
from .session import Connection, Session


class ToolClient(client_base.ToolClient[Connection]):
    """Calls tools by name over a session of mcp 2.x: base of the generated `Client`.

        client = await Client.connect(session)
        result = await client.get_weather(city="Oslo")

    A call has the parameters of the tool, by name, and returns an instance of its result class. It raises:

    - `pydantic.ValidationError` if the arguments do not fit; nothing was sent then
    - `ToolCallError` if the result has `isError`
    - `ResultError` if the result violates the outputSchema
    - `ToolChangedError` if the tool does not match the pin
    - `mcp.shared.exceptions.MCPError` if the server answers with a protocol error
    """

    @staticmethod
    def _make_session(connection: Connection) -> Session:
        return Session(connection)


__all__ = [
    "Connection",
    "Contract",
    "Pin",
    "PromptClient",
    "RawResourceReader",
    "RawToolCaller",
    "ResourceClient",
    "ToolClient",
]
