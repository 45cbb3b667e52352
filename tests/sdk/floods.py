"""A server that never has enough, over its standard streams: each behaviour is one way to send too much, or nothing."""

from __future__ import annotations

import itertools
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from typing import Any

Message = dict[str, Any]
OFFERS: Message = {"tools": {}, "resources": {}}
OTHER: Message = {"name": "a", "inputSchema": {"type": "object"}}
BLOCK = b"x" * 65_536


def endless(behaviour: str, id: object) -> Iterator[bytes]:
    """Yield what a server sends in place of its answer to `tools/list`, in pieces; most have no end."""
    head = b'{"jsonrpc":"2.0","id":%s,"result":{"tools":[' % json.dumps(id).encode()
    match behaviour:
        case "string":
            yield head + b'{"name":"'
            yield from itertools.repeat(BLOCK)
        case "lists":
            yield head
            yield from itertools.repeat(b"[[]]," * 10_000)
        case "objects":
            yield head
            yield from (b'{"%x":{}},' % number * 1_000 for number in itertools.count())
        case "emoji":
            yield head + b'{"name":"'
            yield from itertools.repeat("\N{GRINNING FACE}".encode() + BLOCK)
        case "deep":
            yield head + b"[" * 100_000 + b"]" * 100_000 + b"]}}\n"
        case "escapes":
            yield head + b'{"name":"'
            yield from itertools.repeat(b"\\u1234" * 10_000)
        case "notifications":
            yield from itertools.repeat(b'{"jsonrpc":"2.0","method":"notifications/message","params":{}}\n' * 1_000)
        case "requests":
            for method in itertools.cycle(("ping", "sampling/createMessage", "elicitation/create", "roots/list")):
                yield b'{"jsonrpc":"2.0","id":"x","method":"%s"}\n' % method.encode()
        case "blank lines":
            yield from itertools.repeat(b"\n" * 65_536)
        case "other answers":
            yield from itertools.repeat(b'{"jsonrpc":"2.0","id":"another","result":{"tools":[]}}\n' * 1_000)
        case _:
            raise ValueError(behaviour)


def full(behaviour: str) -> bytes:
    """A list of tools that is as large as the limits let it be."""
    many = range(80_000)
    match behaviour:
        case "full text":
            inner = '"description":"\N{GRINNING FACE}%s"' % ("x" * 8_300_000)
        case "full strings":
            inner = '"x":[{}]'.format(",".join(f'"{item}\N{GRINNING FACE}"' for item in many))
        case "full lists":
            inner = '"x":[{}]'.format(",".join(["[[]]"] * 150_000))
        case "full schemas":
            inner = '"outputSchema":{{"type":"object","properties":{{{}}}}}'.format(
                ",".join(f'"{n:x}":{{"not":{{}}}}' for n in many)
            )
        case "full errors":
            inner = '"icons":[{}]'.format(",".join(["1"] * 400_000))
        case _:
            inner = '"x":' + "[" * 240 + ",".join(["0"] * 400_000) + "]" * 240
    return f'[{{"name":"a","inputSchema":{{"type":"object"}},{inner}}}]'.encode()


def page(behaviour: str, id: object, number: int) -> bytes:
    """One of the pages of a list whose pages have no end."""
    tools: list[Message] = []
    if behaviour == "large pages":
        tools = [{**OTHER, "name": f"t{number}", "description": "x" * 300_000}]
    if behaviour == "pages of tools":
        tools = [{**OTHER, "name": f"t{number}-{inner}"} for inner in range(1_000)]
    result = {"tools": tools, "nextCursor": f"c{number}"}
    return json.dumps({"jsonrpc": "2.0", "id": id, "result": result}).encode() + b"\n"


def opening(message: Message) -> Message:
    """Return the answer to any other request."""
    if message["method"] != "initialize":
        return {"jsonrpc": "2.0", "id": message["id"], "error": {"code": -32601, "message": "no such method"}}
    info = {"name": "floods", "version": "1"}
    result = {"protocolVersion": message["params"]["protocolVersion"], "capabilities": OFFERS, "serverInfo": info}
    return {"jsonrpc": "2.0", "id": message["id"], "result": result}


def main() -> None:
    """Serve on the standard streams."""
    behaviour = sys.argv[1]
    out = sys.stdout.buffer
    if behaviour == "stays":
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        program = "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); time.sleep(600)"
        inner = subprocess.Popen([sys.executable, "-c", program])
        with open(sys.argv[2], "w") as pids:
            pids.write(f"{os.getpid()} {inner.pid}")
    numbers = itertools.count()
    for line in sys.stdin:
        message = json.loads(line)
        if "id" not in message or "method" not in message:
            continue
        if message["method"] != "tools/list":
            out.write(json.dumps(opening(message)).encode() + b"\n")
        elif behaviour == "silent" or behaviour == "stays":
            time.sleep(600)
        elif behaviour == "stderr":
            while True:
                sys.stderr.buffer.write(BLOCK)
        elif behaviour.startswith("full"):
            head = b'{"jsonrpc":"2.0","id":%s,"result":{"tools":' % json.dumps(message["id"]).encode()
            out.write(head + full(behaviour) + b"}}\n")
        elif "pages" in behaviour:
            out.write(page(behaviour, message["id"], next(numbers)))
        else:
            for piece in endless(behaviour, message["id"]):
                out.write(piece)
        out.flush()


if __name__ == "__main__":
    main()
