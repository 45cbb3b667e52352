"""HTTP server that answers only who is logged in, with its authorization server: `oauth_server.py PORT [OPTION]`.

Anybody is logged in at once. Options: `refuses` sends the browser back with an error, `echoes` describes its tool with
a token.
"""

from __future__ import annotations

import importlib
import secrets
import sys
import time
from typing import Any

from mcp.server.auth.provider import (
    AccessToken,
    AuthorizationCode,
    AuthorizationParams,
    OAuthAuthorizationServerProvider,
    RefreshToken,
    construct_redirect_uri,
)
from mcp.server.auth.settings import AuthSettings, ClientRegistrationOptions
from mcp.shared.auth import OAuthClientInformationFull, OAuthToken

SCOPE = "tools"
TOKEN = "4f2c9d01-from-the-environment"
"""A token that is always valid."""


class Provider(OAuthAuthorizationServerProvider[AuthorizationCode, RefreshToken, AccessToken]):
    """Authorization server that keeps everything in memory."""

    def __init__(self, refuses: bool) -> None:
        self._refuses = refuses
        self._clients: dict[str, OAuthClientInformationFull] = {}
        self._codes: dict[str, AuthorizationCode] = {}
        self.tokens = {TOKEN: AccessToken(token=TOKEN, client_id="ci", scopes=[SCOPE])}

    async def get_client(self, client_id: str) -> OAuthClientInformationFull | None:
        return self._clients.get(client_id)

    async def register_client(self, client_info: OAuthClientInformationFull) -> None:
        self._clients[str(client_info.client_id)] = client_info

    async def authorize(self, client: OAuthClientInformationFull, params: AuthorizationParams) -> str:
        if self._refuses:
            return construct_redirect_uri(str(params.redirect_uri), error="access_denied", state=params.state)
        code = AuthorizationCode(
            code=secrets.token_hex(16),
            client_id=str(client.client_id),
            redirect_uri=params.redirect_uri,
            redirect_uri_provided_explicitly=params.redirect_uri_provided_explicitly,
            expires_at=time.time() + 60,
            scopes=params.scopes or [SCOPE],
            code_challenge=params.code_challenge,
            resource=params.resource,
        )
        self._codes[code.code] = code
        return construct_redirect_uri(str(params.redirect_uri), code=code.code, state=params.state)

    async def load_authorization_code(
        self, client: OAuthClientInformationFull, authorization_code: str
    ) -> AuthorizationCode | None:
        return self._codes.get(authorization_code)

    async def exchange_authorization_code(
        self, client: OAuthClientInformationFull, authorization_code: AuthorizationCode
    ) -> OAuthToken:
        del self._codes[authorization_code.code]
        token = secrets.token_hex(20)
        self.tokens[token] = AccessToken(token=token, client_id=str(client.client_id), scopes=[SCOPE])
        return OAuthToken(access_token=token, expires_in=3600, scope=SCOPE)

    async def load_access_token(self, token: str) -> AccessToken | None:
        return self.tokens.get(token)

    async def load_refresh_token(self, client: OAuthClientInformationFull, refresh_token: str) -> RefreshToken | None:
        return None

    async def exchange_refresh_token(
        self, client: OAuthClientInformationFull, refresh_token: RefreshToken, scopes: list[str]
    ) -> OAuthToken:
        raise NotImplementedError

    async def revoke_token(self, token: AccessToken | RefreshToken) -> None:
        self.tokens.pop(token.token, None)


class _Server:
    """Server of the installed SDK, mcp 1.x or 2.x."""

    def __init__(self, port: int, provider: Provider, auth: AuthSettings) -> None:
        options: Any = {"auth_server_provider": provider, "auth": auth}
        try:
            self._server: Any = importlib.import_module("mcp.server.mcpserver").MCPServer("guarded", **options)
            self._run_options = {"port": port}
        except ModuleNotFoundError:
            fastmcp: Any = importlib.import_module("mcp.server.fastmcp")
            self._server, self._run_options = fastmcp.FastMCP("guarded", port=port, **options), {}

    def __getattr__(self, name: str) -> Any:
        return getattr(self._server, name)

    def serve(self) -> None:
        self._server.run("streamable-http", **self._run_options)


def main() -> None:
    """Serve until the process is ended."""
    port, options = int(sys.argv[1]), sys.argv[2:]
    address = f"http://127.0.0.1:{port}"
    registration = ClientRegistrationOptions(enabled=True, valid_scopes=[SCOPE], default_scopes=[SCOPE])
    settings: Any = {"issuer_url": address, "resource_server_url": f"{address}/mcp", "required_scopes": [SCOPE]}
    auth = AuthSettings(client_registration_options=registration, **settings)
    server = _Server(port, Provider("refuses" in options), auth)

    description = f"Return {TOKEN}." if "echoes" in options else "Return who is logged in."

    def whoami() -> dict[str, str]:
        return {}

    server.tool(description=description)(whoami)
    server.serve()


if __name__ == "__main__":
    main()
