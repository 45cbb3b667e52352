"""SDKs and protocol versions that packages are generated for: one row each, with all that differs between them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

ProtocolName = Literal["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28"]
SdkName = Literal["none", "mcp", "mcp1", "fastmcp", "fastmcp3", "dedalus"]
WrapMode = Literal["legacy", "always"]
"""When a result that is not an object is wrapped: under the protocol versions that need it, or under each."""


# --- protocol versions -----------------------------------------------------------------------------------------------
@dataclass(frozen=True)
class ProtocolVersion:
    """A version of the Model Context Protocol."""

    name: ProtocolName
    structured_content: bool = False
    """Results have `structuredContent`, and tools an outputSchema."""
    any_json_result: bool = False
    """`structuredContent` may be any JSON value; before, it has to be an object."""
    stateless: bool = False
    """There is no handshake: each request names its version."""


PROTOCOL_VERSIONS = (
    ProtocolVersion("2024-11-05"),
    ProtocolVersion("2025-03-26"),
    ProtocolVersion("2025-06-18", structured_content=True),
    ProtocolVersion("2025-11-25", structured_content=True),
    ProtocolVersion("2026-07-28", structured_content=True, any_json_result=True, stateless=True),
)
"""The protocol versions, oldest first."""
PROTOCOLS: tuple[str, ...] = tuple(version.name for version in PROTOCOL_VERSIONS)
"""The names of the protocol versions, oldest first; the names sort like the versions."""
NEWEST_PROTOCOL = PROTOCOLS[-1]
STRUCTURED_CONTENT_SINCE = next(version.name for version in PROTOCOL_VERSIONS if version.structured_content)
"""The first version whose results have structured content and whose tools have an outputSchema."""
FORMS_SINCE, FORM_CHOICES_SINCE = PROTOCOLS[2:4]
"""The first version with forms, and that with titles of choices, multiple choice and defaults (SEP-1330, SEP-1034)."""
ANY_JSON_RESULT_SINCE = next(version.name for version in PROTOCOL_VERSIONS if version.any_json_result)
"""The first version in which a result may be any JSON value."""
STATELESS_PROTOCOLS = tuple(version.name for version in PROTOCOL_VERSIONS if version.stateless)
HANDSHAKE_PROTOCOLS = tuple(version.name for version in PROTOCOL_VERSIONS if not version.stateless)
OBJECT_RESULT_PROTOCOLS = tuple(
    version.name for version in PROTOCOL_VERSIONS if version.structured_content and not version.any_json_result
)
"""The versions whose structured content has to be an object, so that other values are wrapped in one."""


# --- SDKs ------------------------------------------------------------------------------------------------------------
@dataclass(frozen=True)
class SdkGeneration:
    """A generation of the official SDK, whose types and sessions other SDKs build on."""

    title: str
    newest_protocol: ProtocolName
    """The newest version that its types can carry."""
    types_module: str
    http_client: str
    """The module of the HTTP client that its transports take."""
    http_requirement: str
    """The requirement that brings the Streamable HTTP transport."""


MCP_1 = SdkGeneration(
    title="mcp 1.x",
    newest_protocol="2025-11-25",
    types_module="mcp.types",
    http_client="httpx",
    http_requirement="mcp>=1.24",
)
MCP_2 = SdkGeneration(
    title="mcp 2.x",
    newest_protocol="2026-07-28",
    types_module="mcp_types",
    http_client="httpx2",
    http_requirement="mcp>=2.3,<3",
)
SDK_DISTRIBUTION = "mcp"
"""The distribution of the official SDK, whatever its generation."""
STDIO_MODULE = "mcp.client.stdio"
AUTH_MODULE = "mcp.client.auth.oauth2"
AUTH_TYPES_MODULE = "mcp.shared.auth"
HTTP_MODULE = "mcp.client.streamable_http"
MEMORY_MODULE = "mcp.shared.memory"
MESSAGE_MODULE = "mcp.shared.message"
LOW_LEVEL_MODULE = "mcp.server.lowlevel"
SERVER_STDIO_MODULE = "mcp.server.stdio"
SERVER_HTTP_MODULE = "mcp.server.streamable_http_manager"
SERVER_SECURITY_MODULE = "mcp.server.transport_security"
"""Modules of the official SDK that both generations have."""


@dataclass(frozen=True)
class Sdk:
    """An SDK that a package can be generated for."""

    name: SdkName
    generation: SdkGeneration
    distributions: tuple[str, ...]
    """The distributions that a project depends on if it uses the SDK, with normalized names."""
    oldest: str
    """The oldest version that generated packages support."""
    below: str
    """The first version that they don't support."""
    server_module: str
    server_class: str
    installed_as: tuple[str, ...] = ()
    """Other distributions that its modules come in."""
    run_coroutine: str | None = None
    """The server's method that serves over stdio, if it is a coroutine; None: `run` serves."""
    wrapper_mark: tuple[str, Any] | None = None
    """The keyword, and its value, that marks an outputSchema in which the SDK wrapped a bare value."""
    dumps_jsonable: bool = False
    """The decorators dump what a handler returns with `pydantic_core.to_jsonable_python`."""
    tells_exceptions: bool = True
    """Its own tools tell the model the text of any exception, and those of the package do with `exceptions = "sdk"`."""
    default_wrap: WrapMode = "legacy"
    """When a result that is no object is wrapped if nobody chose; `always`: its proxies carry only objects."""

    @property
    def supported_versions(self) -> str:
        """The supported versions for messages, such as `4` or `2.13 to 3`."""
        last = str(int(self.below) - 1)
        return last if self.oldest.partition(".")[0] == last else f"{self.oldest} to {last}"


NO_SDK: SdkName = "none"
"""The value of `sdk` for a package that depends on no SDK, and brings the protocol's types itself."""
SDKS = (
    Sdk(
        name="mcp",
        generation=MCP_2,
        distributions=("mcp",),
        oldest="2.1",
        below="3",
        server_module="mcp.server.mcpserver",
        server_class="MCPServer",
        tells_exceptions=False,
    ),
    Sdk(
        name="mcp1",
        generation=MCP_1,
        distributions=("mcp",),
        oldest="1.22",
        below="2",
        server_module="mcp.server.fastmcp",
        server_class="FastMCP",
    ),
    Sdk(
        name="fastmcp",
        generation=MCP_2,
        distributions=("fastmcp",),
        oldest="4.0",
        below="5",
        server_module="fastmcp",
        server_class="FastMCP",
        installed_as=("fastmcp-slim",),
        wrapper_mark=("x-fastmcp-wrap-result", True),
        dumps_jsonable=True,
        default_wrap="always",
    ),
    Sdk(
        name="fastmcp3",
        generation=MCP_1,
        distributions=("fastmcp",),
        oldest="2.13",
        below="4",
        server_module="fastmcp",
        server_class="FastMCP",
        installed_as=("fastmcp-slim",),
        wrapper_mark=("x-fastmcp-wrap-result", True),
        dumps_jsonable=True,
    ),
    Sdk(
        name="dedalus",
        generation=MCP_1,
        distributions=("dedalus", "dedalus-mcp"),
        oldest="0.7",
        below="1",
        server_module="dedalus_mcp",
        server_class="MCPServer",
        run_coroutine="serve_stdio",
        wrapper_mark=("x-dedalus-box", {"field": "result"}),
    ),
)
"""The SDKs, in the order in which the documentation lists them."""
SDK_NAMES: tuple[str, ...] = (NO_SDK, *(sdk.name for sdk in SDKS))
"""The values of the setting `sdk`."""
EXAMPLE_SDK = SDKS[0]
"""The SDK that messages name as an example."""
_SDKS_BY_NAME: Mapping[str, Sdk] = {sdk.name: sdk for sdk in SDKS}


def get_sdk(name: str) -> Sdk | None:
    """Return the row of an SDK, None for `NO_SDK`; raise KeyError if there is no such SDK."""
    return None if name == NO_SDK else _SDKS_BY_NAME[name]


def get_default_protocol(sdk: Sdk | None) -> str:
    """Return the protocol version of a result for which nobody named one: the newest that the SDK can carry."""
    return NEWEST_PROTOCOL if sdk is None else sdk.generation.newest_protocol


def get_default_wrap(sdk: Sdk | None) -> WrapMode:
    """Return when a result that is not an object is wrapped if nobody chose."""
    return "legacy" if sdk is None else sdk.default_wrap
