"""A server over stdio that sends given results as they are: `python answering_server.py FILE`.

FILE is JSON: `tools`, as they are listed, and `results`. A call's argument `index` chooses the result.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

PROTOCOL = "2025-11-25"


def answer(message: dict[str, Any], script: dict[str, Any]) -> dict[str, Any]:
    """Return what answers a request: its result, or an error."""
    match message["method"]:
        case "initialize":
            info = {"name": "answers", "version": "1"}
            return {"result": {"protocolVersion": PROTOCOL, "capabilities": {"tools": {}}, "serverInfo": info}}
        case "ping":
            return {"result": {}}
        case "tools/list":
            return {"result": {"tools": script["tools"]}}
        case "tools/call":
            return {"result": script["results"][message["params"]["arguments"]["index"]]}
        case _:
            return {"error": {"code": -32601, "message": "method not found"}}


def main() -> None:
    """Answer requests until the input ends."""
    script = json.loads(Path(sys.argv[1]).read_text("utf-8"))
    for line in sys.stdin.buffer:
        message = json.loads(line)
        if "id" in message and "method" in message:
            response = {"jsonrpc": "2.0", "id": message["id"], **answer(message, script)}
            sys.stdout.buffer.write(json.dumps(response, ensure_ascii=False).encode() + b"\n")
            sys.stdout.buffer.flush()


if __name__ == "__main__":
    main()
