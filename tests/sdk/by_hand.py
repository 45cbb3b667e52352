"""A server written by hand, without any SDK: the answers it gives, well-behaved or not, over stdio or HTTP."""

from __future__ import annotations

import json
import os
import sys
import time
from typing import Any

Message = dict[str, Any]
TOOL: Message = {
    "name": "b",
    "title": "B",
    "inputSchema": {"type": "object", "properties": {"z": {"minimum": 1.0}, "a": {"maximum": 2**70}}},
    "outputSchema": {"type": "object", "properties": {"é😀": {"const": [None, 1.5, {"unknown": True}]}}},
    "annotations": {"readOnlyHint": True, "vendor": {"x": 1}},
    "unknown": {"kept": ["as", "it", "is"]},
    "_meta": {"vendor/tags": []},
}
OTHER: Message = {"name": "a", "inputSchema": {"type": "object"}}
RESOURCE: Message = {"name": "config", "uri": "config://app", "size": 3}
TEMPLATE: Message = {"name": "log", "uriTemplate": "log://{day}"}
OFFERS: Message = {"tools": {"listChanged": True}, "resources": {}}


class Server:
    """One session; `behaviour` says what is wrong with it."""

    def __init__(self, behaviour: str) -> None:
        self.behaviour = behaviour

    def answer(self, message: Message) -> Message | None:
        """Return the JSON-RPC answer to a message, None for a notification."""
        if "id" not in message:
            return None
        answer = self._found(message["method"], message.get("params") or {})
        return {"jsonrpc": "2.0", "id": message["id"], **answer}

    def _found(self, method: str, params: Message) -> Message:
        refused = {"error": {"code": -32601, "message": f"no {method}"}}
        match method:
            case "initialize":
                version = "1999-01-01" if self.behaviour == "unknown version" else params["protocolVersion"]
                if self.behaviour == "old version":
                    version = "2024-11-05"
                info = {"name": "by hand", "version": "1"}
                return {"result": {"protocolVersion": version, "capabilities": OFFERS, "serverInfo": info}}
            case "tools/list":
                return self._tools(params)
            case "resources/list":
                return {"result": {"resources": [RESOURCE]}}
            case "resources/templates/list" if self.behaviour == "no templates":
                return refused
            case "resources/templates/list":
                return {"result": {"resourceTemplates": [TEMPLATE]}}
            case _:
                return refused

    def _tools(self, params: Message) -> Message:
        cursor = params.get("cursor")
        many = [{**OTHER, "name": f"t{number}", "description": "x" * 1000} for number in range(2000)]
        match self.behaviour:
            case "error":
                return {"error": {"code": -32603, "message": f"no luck with {os.environ.get('TOKEN', '')}"}}
            case "tells":
                return {"result": {"tools": [{**OTHER, "description": f"by {os.environ['TOKEN']}"}, TOOL]}}
            case "no list":
                return {"result": {"tools": {"a": 1}}}
            case "pages" if cursor is None:
                return {"result": {"tools": [TOOL], "nextCursor": "2"}}
            case "pages":
                return {"result": {"tools": [OTHER]}}
            case "circle":
                return {"result": {"tools": [], "nextCursor": "again"}}
            case "huge":
                return {"result": {"tools": many}}
            case "deep":
                deep: Any = {}
                for _ in range(150):
                    deep = {"not": deep}
                return {"result": {"tools": [{**OTHER, "inputSchema": {"type": "object", "not": deep}}]}}
            case "no tool":
                return {"result": {"tools": [{"name": "a"}, TOOL]}}
            case "no tool with a secret":
                return {"result": {"tools": [{**OTHER, "title": [os.environ["TOKEN"]]}]}}
            case "misspelt":
                return {"result": {"tools": [{**TOOL, "output_schema": {}}]}}
            case "twice":
                return {"result": {"tools": [OTHER, OTHER]}}
            case "choices":
                schema = {"type": "object", "x-mcpgen": {"type": "Mine"}, "properties": {"x-mcpgen": {}}}
                return {"result": {"tools": [{**OTHER, "inputSchema": schema, "x-mcpgen": {"content": "none"}}]}}
            case _:
                return {"result": {"tools": [TOOL, OTHER]}}


def write(message: Message) -> None:
    """Send a message to the client."""
    sys.stdout.write(json.dumps(message) + "\n")
    sys.stdout.flush()


def main() -> None:
    """Serve on the standard streams."""
    behaviour = sys.argv[1]
    server = Server(behaviour)
    if behaviour == "banner":
        print("Welcome to the server!", flush=True)
    for line in sys.stdin:
        message = json.loads(line)
        method = message.get("method")
        if behaviour == "dies" or (behaviour == "dies late" and method == "tools/list"):
            print(f"first line\n\nToken {os.environ.get('TOKEN')} has no rights", file=sys.stderr)
            raise SystemExit(3)
        if behaviour == "strict" and method not in ("initialize", None) and not getattr(server, "open", False):
            raise SystemExit("expected initialize")
        server.open = True  # type: ignore[attr-defined]
        if behaviour == "slow" and method == "tools/list":
            time.sleep(60)
        if behaviour == "nonsense":
            print("<html>no JSON</html>", flush=True)
            continue
        if behaviour == "pings" and method == "tools/list":
            write({"jsonrpc": "2.0", "id": "p", "method": "ping"})
            write({"jsonrpc": "2.0", "id": "r", "method": "roots/list"})
            replies = [json.loads(sys.stdin.readline()) for _ in range(2)]
            if replies[0].get("result") != {} or "error" not in replies[1]:
                raise SystemExit(f"wrong replies: {replies}")
        answer = server.answer(message)
        if behaviour == "changes" and method == "resources/templates/list":
            server.behaviour = "changed"
            write({"jsonrpc": "2.0", "method": "notifications/tools/list_changed"})
            behaviour = "changed"
        if behaviour == "changes" and method == "tools/list" and answer is not None:
            answer["result"]["tools"].pop()
        if answer is not None:
            write(answer)


if __name__ == "__main__":
    main()
