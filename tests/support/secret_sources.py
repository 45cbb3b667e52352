"""Command lines and URLs with secrets in them, as the documentation of servers has them: words, and what is secret."""

from __future__ import annotations

import base64
import json

T = "tQ7rZx93LmVb2KdW8sYp"
"""A token."""
W = "correcthorsebattery"
"""A password that is made of words."""
U = "3f2b8c1e-9d47-4a6b-8e05-1c7a9b2d4f60"
HEX = "9f86d081884c7d659a2feaa0c55ad015"
KEY = "sk-proj-Ab3dEf6hIj9kLm2nOp5q"
AWS, AWS_SECRET = "AKIAIOSFODNN7EXAMPLE", "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY"
GITHUB = "ghp_16C7e42F292c6912E7710c838347Ae178B4a"
JWT = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9P"
BASIC = base64.b64encode(f"me:{W}".encode()).decode()

URLS: list[tuple[str, list[str]]] = [
    (f"https://me:{W}@mcp.example.com/mcp", [W]),
    (f"https://{T}@mcp.example.com/mcp", [T]),
    (f"https://:{T}@mcp.example.com/mcp", [T]),
    (f"https://me:{W}%21@mcp.example.com:8443/mcp", [W]),
    (f"https://mcp.example.com/mcp?key={T}", [T]),
    (f"https://mcp.example.com/mcp?api_key={KEY}&profile=mine", [KEY]),
    (f"https://mcp.example.com/mcp?token={W}", [W]),
    (f"https://mcp.example.com/mcp?apikey={HEX};x=1", [HEX]),
    (f"https://mcp.example.com/mcp?access_token={JWT}", [JWT]),
    (f"https://mcp.example.com/mcp?sig={T}&se=2030-01-01", [T]),
    (f"https://mcp.example.com/mcp?{T}", [T]),
    (f"https://mcp.example.com/mcp?config={base64.b64encode(json.dumps({'key': W}).encode()).decode()}", []),
    (f"https://mcp.example.com/mcp#access_token={T}", [T]),
    (f"https://mcp.example.com/mcp#{T}", [T]),
    (f"https://actions.example.com/mcp/{T}/sse", [T]),
    (f"https://actions.example.com/mcp/sk-ak-{T}/sse", [T]),
    (f"https://mcp.example.dev/composio/server/{U}/mcp", [U]),
    (f"https://mcp.example.dev/{U}", [U]),
    (f"https://server.example.ai/@me/server/mcp?api_key={U}&profile={W}", [U, W]),
    (f"https://remote.example.net/v1/{HEX}/weather", [HEX]),
    (f"https://mcp.example.app/api/mcp/s/{T}/mcp", [T]),
    (f"https://mcp.example.com/token/{W}x/mcp", [W]),
    (f"https://mcp.example.com/mcp;jsessionid={T}", [T]),
    (f"https://mcp.example.com/%74{T}/mcp", [T]),
    (f"https://{T}.m.example.net/mcp", [T]),
    (f"https://{HEX}.tunnels.example.io/sse", [HEX]),
    (f"HTTPS://Me:{W}@MCP.EXAMPLE.COM/mcp", [W]),
    (f"http://127.0.0.1:8000/{T}/mcp", [T]),
    (f"http://[::1]:8000/mcp?key={T}", [T]),
    (f"https://mcp.example.com//{T}//mcp?a=b", [T]),
]
"""Whether a word is a token or a part of an address, a path does not say: all of it but known words is left out."""

COMMANDS: list[tuple[list[str], list[str]]] = [
    (["npx", "-y", "some-server", "--api-key", KEY], [KEY]),
    (["npx", "-y", "some-server", f"--api-key={KEY}"], [KEY]),
    (["npx", "-y", "some-server", "-k", T], [T]),
    (["npx", "-y", "some-server", f"-k{T}"], [T]),
    (["npx", "-y", "some-server", f"-k={T}"], [T]),
    (["npx", "-y", "some-server", T], [T]),
    (["npx", "-y", "some-server", W], [W]),
    (["npx", "--token", T, "some-server"], [T]),
    (["npx", f"--token={T}", "some-server"], [T]),
    (["npx", "--unknown", W, "some-server"], [W]),
    (["npx", "-y", "some-server", "--", T], [T]),
    (["npx", "-y", f"https://{T}@example.com/some-server.tgz"], [T]),
    (["npx", "-y", f"git+https://me:{W}@example.com/me/some-server.git"], [W]),
    (["npx", "-y", "mcp-remote", f"https://mcp.example.com/mcp?key={T}"], [T]),
    (["npx", "-y", "mcp-remote", f"https://mcp.example.com/mcp/{T}/sse"], [T]),
    (["npx", "mcp-remote", "https://mcp.example.com/mcp", "--header", f"Authorization: Bearer {T}"], [T]),
    (["npx", "mcp-remote", "https://mcp.example.com/mcp", "--header", f"Authorization:Bearer {W}"], [W]),
    (["npx", "mcp-remote", "https://mcp.example.com/mcp", "--header", f"Authorization: Basic {BASIC}"], [BASIC]),
    (["npx", "mcp-remote", "https://mcp.example.com/mcp", f"--header=X-Api-Key: {HEX}"], [HEX]),
    (["npx", "-y", "supergateway", "--sse", f"https://mcp.example.com/{T}", "--oauth2Bearer", JWT], [T, JWT]),
    (["npx", "-y", "@scope/cli", "run", "some-server", "--config", json.dumps({"apiKey": KEY})], [KEY]),
    (["npx", "-y", "@scope/cli", "run", "some-server", "--key", U, "--profile", W], [U, W]),
    (["npx", "-y", "server-postgres", f"postgresql://me:{W}@db.example.com:5432/main"], [W]),
    (["npx", "-y", "server-mongo", f"mongodb+srv://me:{T}@cluster.example.net/?w=1"], [T]),
    (["npx", "-y", "server-redis", f"redis://:{W}@cache.example.com:6379/0"], [W]),
    (["npx", "-y", "server-sql", f"Server=db;User Id=me;Password={W};"], [W]),
    (["npx", "-y", "server-sql", f"host=db user=me password={T}"], [T]),
    (["npx", "-p", "some-server", "-c", f"some-server --token {T}"], [T]),
    (["uvx", "mcp-server-x", "--token", GITHUB], [GITHUB]),
    (["uvx", "--from", f"git+https://{GITHUB}@github.com/me/x", "mcp-server-x"], [GITHUB]),
    (["uvx", "--index-url", f"https://me:{W}@pypi.example.com/simple", "mcp-server-x"], [W]),
    (["uvx", "--index-url=" + f"https://__token__:{T}@pypi.example.com/simple", "mcp-server-x"], [T]),
    (["uvx", "mcp-server-aws", "--access-key", AWS, "--secret-key", AWS_SECRET], [AWS, AWS_SECRET]),
    (["uvx", "mcp-server-aws", AWS, AWS_SECRET], [AWS, AWS_SECRET]),
    (["uv", "run", "--with", f"x @ https://{T}@example.com/x.whl", "server.py"], [T]),
    (["uv", "run", "--directory", "/srv/weather", "server.py", "--password", W], [W]),
    (["uv", "tool", "run", "mcp-server-x", "--jwt", JWT], [JWT]),
    (["pipx", "run", "--spec", f"git+ssh://{T}@example.com/x", "mcp-server-x", KEY], [T, KEY]),
    (["pipx", "run", "mcp-server-x", "--pat", GITHUB], [GITHUB]),
    (["python", "-m", "weather.server", "--api_key", KEY], [KEY]),
    (["python", "server.py", KEY], [KEY]),
    (["python", "-c", f"import x; x.serve(token='{T}')"], [T]),
    (["python3.12", "-X", "dev", "server.py", f"secret={W}"], [W]),
    (["node", "dist/index.js", f"--auth={BASIC}"], [BASIC]),
    (["node", f"/srv/{HEX}/dist/index.js"], [HEX]),
    (["node", "-e", f"require('x')('{T}')"], [T]),
    (["env", f"API_KEY={KEY}", "npx", "-y", "some-server"], [KEY]),
    (["env", "-i", f"PASSWORD={W}", f"TOKEN={T}", "node", "dist/index.js"], [W, T]),
    (["env", "-u", "HOME", f"X={T}", "uvx", "mcp-server-x"], [T]),
    (["env", "-S", f"KEY={T} npx some-server"], [T]),
    (["docker", "run", "-i", "--rm", "-e", f"API_KEY={KEY}", "mcp/fetch"], [KEY]),
    (["docker", "run", "-i", "--rm", f"-eAPI_KEY={KEY}", "mcp/fetch"], [KEY]),
    (["docker", "run", "-i", "--rm", f"--env=API_KEY={KEY}", "mcp/fetch"], [KEY]),
    (["docker", "run", "-i", "--env", f"PASSWORD={W}", "ghcr.io/me/server:1.2", W], [W]),
    (["docker", "run", "--unknown", T, "mcp/fetch"], [T]),
    (["docker", "exec", "-i", HEX, "server"], [HEX]),
    (["docker", "run", "-i", "mcp/postgres", f"postgres://me:{W}@host.docker.internal/db"], [W]),
    (["podman", "run", "-v", f"/srv/{HEX}:/data", "mcp/files"], [HEX]),
    (["sh", "-c", f"TOKEN={T} exec some-server"], [T]),
    (["bash", "-lc", f"some-server --token {W}"], [W]),
    (["deno", "run", "-A", f"https://example.com/{T}/server.ts"], [T]),
    (["bun", "x", "some-server", f"bearer={T}"], [T]),
    (["pnpm", "dlx", "some-server", "--cookie", f"session={HEX}"], [HEX]),
    (["go", "run", "example.com/server", "-token", T], [T]),
    (["java", "-jar", "server.jar", f"-Dkey={T}"], [T]),
    (["/opt/servers/weather-server", "--client-secret", T, "--port", "8000"], [T]),
    (["./server", f"--dsn=https://{HEX}@o1.ingest.example.io/42"], [HEX]),
    (["some-server", "stdio", "--license", "AAAA-BBBB-3F2B-8C1E"], ["3F2B-8C1E"]),
    (["some-server", f"{{\"token\": \"{T}\", 'x': '{W}'}}"], [T, W]),
    (["some-server", f"user:{W}"], [W]),
    (["some-server", "--user", f"me:{T}"], [T]),
    (["some-server", "--private-key", f"-----BEGIN PRIVATE KEY-----\n{T}\n-----END PRIVATE KEY-----"], [T]),
    ([T], [T]),
    ([f"./{HEX}"], [HEX]),
]


def contains_part_of(secret: str, text: str) -> bool:
    """Return whether a secret stands in a text, in any case, or a good part of it."""
    low = text.lower()
    return any(secret.lower()[at : at + 8] in low for at in range(0, len(secret) - 7, 4))
