"""A server of 2025-11-25 written by hand, without any SDK, over stdio: its tool's `how` says what becomes of a task."""

from __future__ import annotations

import json
import sys
from typing import Any

Message = dict[str, Any]
TOOL: Message = {
    "name": "survey",
    "inputSchema": {"type": "object", "properties": {"how": {"type": "string"}}, "required": ["how"]},
    "outputSchema": {"type": "object", "properties": {"depth": {"type": ["number", "null"]}}, "required": ["depth"]},
    "execution": {"taskSupport": "optional"},
}
CAPABILITIES: Message = {"tools": {}, "tasks": {"cancel": {}, "requests": {"tools": {"call": {}}}}}
ENDS: dict[str, str] = {
    "fails with a result": "failed",
    "fails with an error": "failed",
    "fails": "failed",
    "is cancelled": "cancelled",
}
"""What becomes of a task, and its last status; otherwise it is completed."""


class Server:
    """One session."""

    def __init__(self) -> None:
        self.tasks: dict[str, Message] = {}
        self.asked: Any = None
        """The id of the request for a result that waits for the user's answer."""

    def send(self, message: Message) -> None:
        """Write a message."""
        print(json.dumps({"jsonrpc": "2.0", **message}), flush=True)

    def receive(self, message: Message) -> None:
        """Answer a request; notifications need no answer."""
        if message.get("id") == "form" and "method" not in message:
            (task,) = self.tasks.values()
            task.update(how="completes", answer=message["result"]["content"]["depth"])
            self.send({"id": self.asked, **self._read_result(task)})
        elif "id" in message:
            answer = self._answer(message["id"], message["method"], message.get("params") or {})
            if answer is not None:
                self.send({"id": message["id"], **answer})

    def _answer(self, request: Any, method: str, params: Message) -> Message | None:
        match method:
            case "initialize":
                info = {"name": "by hand", "version": "1"}
                version = {"protocolVersion": "2025-11-25"}
                return {"result": {**version, "capabilities": CAPABILITIES, "serverInfo": info}}
            case "tools/list":
                return {"result": {"tools": [TOOL]}}
            case "tools/call":
                return {"result": self._start(params)}
            case "tasks/get":
                return {"result": self._look(params["taskId"])}
            case "tasks/cancel":
                task = self.tasks[params["taskId"]]
                if task["how"] == "is cancelled":
                    return {"error": {"code": -32602, "message": "it has ended"}}
                task["how"] = "is cancelled"
                return {"result": self._look(params["taskId"])}
            case "tasks/result":
                return self._find_result(request, self.tasks[params["taskId"]])
            case _:
                return {"error": {"code": -32601, "message": f"no {method}"}}

    def _start(self, params: Message) -> Message:
        how = params["arguments"]["how"]
        if "task" not in params or how == "is no task":
            return {"content": [], "structuredContent": {"depth": -1}, "isError": False}
        task = {"how": how, "looks": 0, "answer": 4.5, "ttl": params["task"]["ttl"]}
        self.tasks[f"{len(self.tasks)}"] = task
        token = params.get("_meta", {}).get("progressToken")
        if token is not None:
            for known in (token, "unknown"):
                progress = {"progressToken": known, "progress": 1, "total": 2, "message": "sounding"}
                self.send({"method": "notifications/progress", "params": progress})
        return {"task": self._describe(f"{len(self.tasks) - 1}", "working")}

    def _describe(self, identity: str, status: str) -> Message:
        task = self.tasks[identity]
        moment = {"createdAt": "2031-05-04T00:00:00Z", "lastUpdatedAt": "2031-05-04T00:00:00Z"}
        interval = json.loads(task["how"].removeprefix("interval ")) if "interval" in task["how"] else 1
        return {"taskId": identity, "status": status, **moment, "ttl": task["ttl"], "pollInterval": interval}

    def _look(self, identity: str) -> Message:
        task = self.tasks[identity]
        task["looks"] += 1
        status = ENDS.get(task["how"], "completed") if task["looks"] > 2 else "working"
        if task["how"] == "asks" and status == "completed":
            status = "input_required"
        if task["how"].startswith("status "):
            return {**self._describe(identity, "working"), "status": json.loads(task["how"].removeprefix("status "))}
        return {**self._describe(identity, status), "statusMessage": f"look {task['looks']}"}

    def _find_result(self, request: Any, task: Message) -> Message | None:
        match task["how"]:
            case "asks":
                assert self.asked is None, "asked for the result twice"
                self.asked = request
                schema = {"type": "object", "properties": {"depth": {"type": "number"}}}
                params = {"message": "How deep?", "requestedSchema": schema}
                self.send({"id": "form", "method": "elicitation/create", "params": params})
                return None
            case "fails with an error":
                return {"error": {"code": -32001, "message": "the sounder is lost", "data": {"at": 3}}}
            case "fails with a result":
                return {"result": {"content": [{"type": "text", "text": "too deep"}], "isError": True}}
            case "fails" | "is cancelled":
                return {"result": {"_meta": {}}}
            case "does not fit":
                return {"result": {"content": [], "structuredContent": {"depth": "deep"}}}
            case _:
                return self._read_result(task)

    def _read_result(self, task: Message) -> Message:
        text = {"type": "text", "text": json.dumps({"depth": task["answer"]})}
        return {"result": {"content": [text], "structuredContent": {"depth": task["answer"]}, "isError": False}}


def main() -> None:
    """Serve."""
    server = Server()
    for line in sys.stdin:
        server.receive(json.loads(line))


if __name__ == "__main__":
    main()
