"""A model behind the HTTP clients of libraries, within the process: it calls tools, and keeps what they say."""

from __future__ import annotations

import json
from collections.abc import Sequence
from importlib import import_module
from typing import Any

Body = dict[str, Any]
Call = tuple[str, dict[str, Any]]
"""The name of a tool, and arguments."""


class ModelApi:
    """Answers to requests of OpenAI's Responses API, Anthropic's Messages API and Gemini's API."""

    def __init__(self) -> None:
        self._httpx: Any = import_module("httpx2")
        self._calls: Sequence[Call] = ()
        self.heard: Body = {}
        """The last request."""
        self.client: Any = self._httpx.AsyncClient(transport=self._httpx.MockTransport(self._answer))
        """The HTTP client for a library: nothing that it sends leaves the process."""

    def expect(self, calls: Sequence[Call]) -> None:
        """Choose what the model calls in its next turn; those after it have none."""
        self._calls, self.heard = calls, {}

    def _answer(self, request: Any) -> Any:
        self.heard = json.loads(request.content)
        calls, self._calls = self._calls, ()
        endings = {"/responses": _answer_openai, "/messages": _answer_anthropic, ":generateContent": _answer_gemini}
        (answer,) = [answer for ending, answer in endings.items() if request.url.path.endswith(ending)]
        return self._httpx.Response(200, json=answer(calls))


def _answer_openai(calls: Sequence[Call]) -> Body:
    text = {"type": "output_text", "text": "done", "annotations": []}
    message = {"type": "message", "id": "m", "role": "assistant", "status": "completed", "content": [text]}
    items = [
        {"type": "function_call", "call_id": f"c{index}", "name": name, "arguments": json.dumps(given)}
        for index, (name, given) in enumerate(calls)
    ]
    details = {"input_tokens_details": {"cached_tokens": 0}, "output_tokens_details": {"reasoning_tokens": 0}}
    return {
        **{"id": "r", "object": "response", "created_at": 0, "model": "m", "status": "completed"},
        **{"parallel_tool_calls": True, "tool_choice": "auto", "tools": [], "output": items or [message]},
        "usage": {"input_tokens": 1, "output_tokens": 1, "total_tokens": 2, **details},
    }


def _answer_anthropic(calls: Sequence[Call]) -> Body:
    uses = [
        {"type": "tool_use", "id": f"c{index}", "name": name, "input": given}
        for index, (name, given) in enumerate(calls)
    ]
    return {
        **{"id": "m", "type": "message", "role": "assistant", "model": "m", "stop_sequence": None},
        "content": uses or [{"type": "text", "text": "done"}],
        "stop_reason": "tool_use" if uses else "end_turn",
        "usage": {"input_tokens": 1, "output_tokens": 1},
    }


def _answer_gemini(calls: Sequence[Call]) -> Body:
    parts: list[Body] = [{"functionCall": {"name": name, "args": given}} for name, given in calls]
    content = {"role": "model", "parts": parts or [{"text": "done"}]}
    return {"candidates": [{"content": content, "finishReason": "STOP", "index": 0}]}
