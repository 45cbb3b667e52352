"""How each host of the table converts a result for its model."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from mcpgen.hosts.library_conversions import (
    read_anthropic_sdk,
    read_by_program,
    read_fastmcp,
    read_google_genai,
    read_langchain,
    read_openai_agents,
    read_pydantic_ai,
)
from mcpgen.hosts.reading import (
    ADVICE,
    PATH,
    SECONDS,
    SERVER,
    Item,
    Reading,
    Received,
    as_media,
    as_text,
    count_bytes,
    cut_middle,
    get_mime_type,
    is_for_models,
    is_true_in_js,
    join_items,
    write_js,
)
from mcpgen.lint.clients import ClientName
from mcpgen.schema.values import Json, are_equal, as_object


def _read_claude_code(result: Received) -> list[Item]:
    if result.is_error:
        error = result.join_texts("\n") or Item("Unknown error")
        notice = "\n\n... [{} characters truncated] ...\n\n"
        return [error if len(error.text) <= 10_000 else cut_middle(error, 5_000, 5_000, notice)]

    def convert(index: int, block: dict[str, Json]) -> Iterator[Item]:
        resource = as_object(block.get("resource"))
        saved = f"Binary content ({get_mime_type(resource or block)}, {{size}} bytes) saved to {PATH}"
        match block.get("type"):
            case "text":
                yield as_text(block["text"], index)
            case "image":
                yield as_media(index, block["data"], block["mimeType"], "image")
            case "audio":
                size = count_bytes(block["data"])
                yield as_text(f"[Audio from {SERVER}] {saved.replace('{size}', str(size))}", index)
            case "resource_link":
                described = f" ({block['description']})" if block.get("description") else ""
                yield as_text(f"[Resource link: {block.get('name')}] {block.get('uri')}{described}", index)
            case "resource":
                size = count_bytes(resource.get("blob", ""))
                held = resource["text"] if "text" in resource else saved.replace("{size}", str(size))
                yield as_text(f"[Resource from {SERVER} at {resource.get('uri')}] {held}", index)
            case _:
                return

    items = result.convert(convert)
    if result.has_value:
        texts = {index for index, _ in result.texts}
        items = [*(item for item in items if item.sources.isdisjoint(texts)), result.show_value(write_js)]
    elif not items:
        return [Item(f"(mcp__{SERVER}__{result.tool} completed with no output)")]
    size = sum(len(item.text) for item in items)
    if size > 50_000 and not any(item.is_media for item in items):
        whole = join_items(items, "\n")[0]
        kilobytes = len(whole.text.encode()) / 1024
        start = f"<persisted-output>\nOutput too large ({kilobytes:.1f}KB). Full output saved to: {PATH}\n\n"
        text = f"{start}Preview (first 2KB):\n{whole.text[:2_000]}\n...\n</persisted-output>"
        return [replace(whole, text=text, is_cut=True)]
    return items


def _read_codex(result: Received) -> list[Item]:
    start = f"Wall time: {SECONDS}\nOutput:"
    if result.has_value:
        items = [result.show_value(write_js, before=f"{start}\n")]
    else:

        def convert(index: int, block: dict[str, Json]) -> Iterator[Item]:
            match block.get("type"):
                case "text":
                    yield as_text(block["text"], index)
                case "image":
                    yield as_media(index, block["data"], block["mimeType"], "image")
                case "audio":
                    yield Item("<audio content omitted because you do not support audio input>")
                case _:
                    yield as_text(write_js(block), index)

        items = [Item(start), *result.convert(convert)]
    return _limit_for_codex(_limit_for_codex(items))  # it does so twice, which changes what the notice says


def _limit_for_codex(items: list[Item]) -> list[Item]:
    """Cut the text that exceeds 12,000 tokens of 4 bytes in its middle, and leave out later ones."""
    left, kept, left_out = 12_000, list[Item](), 0
    for item in items:
        data = item.text.encode()
        if item.is_media:
            kept.append(item)
        elif not left:
            left_out += 1
        elif len(data) <= 4 * left:
            kept.append(item)
            left -= (len(data) + 3) // 4
        else:
            head, tail = data[: 2 * left].decode(errors="ignore"), data[len(data) - 2 * left :].decode(errors="ignore")
            notice = f"…{(len(data) - 4 * left + 3) // 4} tokens truncated…"
            kept.append(replace(item, text=head + notice + tail, is_cut=True))
            left = 0
    return [*kept, Item(f"[omitted {left_out} text items ...]")] if left_out else kept


def _read_vscode(result: Received) -> list[Item]:
    shows_value = is_true_in_js(result.value)

    def convert(index: int, block: dict[str, Json]) -> Iterator[Item]:
        resource = as_object(block.get("resource")) or block
        is_image = get_mime_type(resource).startswith("image/")
        match block.get("type"):
            case "text" if not shows_value:
                yield as_text(block["text"], index)
            case "image" | "audio" | "resource" | "resource_link" if is_image:
                yield as_media(index, resource.get("data", resource.get("blob", "")), get_mime_type(resource), "image")
            case "resource" | "resource_link":
                lines = str(resource.get("text", "…")).split("\n")
                text = "\n".join(lines[:500])
                yield replace(
                    as_text(f'<resource uri="{resource["uri"]}">{text}</resource>', index), is_cut=len(lines) > 500
                )
            case _:
                return

    def limit(item: Item) -> Item:
        if item.is_media or len(item.text) <= 8_192:
            return item
        size = len(item.text.encode()) // 1024
        return replace(item, text=f"Large tool result ({size}KB) written to file. {ADVICE}", is_cut=True)

    chosen = Received({**result.wire, "content": [b if is_for_models(b) else {} for b in result.blocks]}, result.tool)
    items = chosen.convert(convert) + ([result.show_value(write_js)] if shows_value else [])
    return join_items([limit(item) for item in items], "") or [Item("(empty)")]


def _read_gemini_cli(result: Received) -> list[Item]:
    if result.is_error:
        call, members = (
            write_js({"name": result.tool, "args": {}}),
            ("_meta", "content", "structuredContent", "isError"),
        )
        raw = {name: result.wire[name] for name in members if name in result.wire}
        response = write_js([{"functionResponse": {"name": result.tool, "response": raw}}])
        start = f"MCP tool '{result.tool}' reported tool error for function call: {call} with response: "
        return [Item(start + response, result.sources)]
    stripped: list[Item] = []

    def wrap(text: Any, index: int) -> Item:
        escaped = str(text).replace("</untrusted_context>", "&lt;/untrusted_context&gt;")
        return as_text(f"<untrusted_context>\n{escaped}\n</untrusted_context>", index)

    def convert(index: int, block: dict[str, Json]) -> Iterator[Item]:
        resource = as_object(block.get("resource")) or block
        kind, mime_type = block.get("type"), get_mime_type(resource)
        said = f"[Tool '{result.tool}' provided the following {{}} with mime-type: {mime_type}]"
        match kind:
            case "text":
                yield wrap(block["text"], index)
            case "resource_link":
                yield as_text(f"Resource Link: {block.get('title') or block.get('name')} at {block.get('uri')}", index)
            case "resource" if "text" in resource:
                yield wrap(resource["text"], index)
            case "image" | "audio" | "resource":
                yield Item(said.format("embedded resource" if kind == "resource" else f"{kind} data"))
                if mime_type.startswith(("audio/", "video/")):
                    notice = f"Binary content ({mime_type}) stripped from response due to protocol limitations."
                    stripped.append(Item(f"[SYSTEM: {notice}]"))
                else:
                    yield as_media(index, resource.get("data", resource.get("blob", "")), mime_type, "data")
            case _:
                return

    items = result.convert(convert)
    joined = join_items([*stripped, *items], "\n")
    if len(items) == 1 and len(joined[0].text) > 40_000:
        start = "Output too large. Showing first 8,000 and last 32,000 characters. For full output see: "
        cut = cut_middle(joined[0], 8_000, 32_000, "\n\n... [{:,} characters omitted] ...\n\n")
        return [replace(cut, text=f"{start}{PATH}\n{cut.text}")]
    return joined


def _read_opencode(result: Received) -> list[Item]:
    if result.is_error:
        return [result.join_texts("\n\n") or Item("MCP tool returned an error")]

    def convert(index: int, block: dict[str, Json]) -> Iterator[Item]:
        resource = as_object(block.get("resource"))
        match block.get("type"):
            case "text":
                yield as_text(block["text"], index)
            case "image":
                yield as_media(index, block["data"], block["mimeType"], "image")
            case "resource":
                if resource.get("text"):
                    yield as_text(resource["text"], index)
                if "blob" in resource:
                    mime_type, size = get_mime_type(resource), count_bytes(resource["blob"])
                    if mime_type in ("application/pdf", "image/gif", "image/jpeg", "image/png", "image/webp"):
                        yield as_media(index, resource["blob"], mime_type, "file")
                    else:
                        about = f"{resource.get('uri')} ({mime_type}, {size} B)"
                        yield Item(f"[Binary MCP resource omitted: {about} is not a supported attachment type]")
            case _:
                return

    items = result.convert(convert)
    if not result.blocks and result.has_value:
        items = [result.show_value(write_js)]
    joined = join_items(items, "\n\n")
    if not joined or joined[0].is_media:
        return joined
    lines, kept = joined[0].text.split("\n"), list[str]()
    size = -1
    for line in lines[:2_000]:
        size += len(line.encode()) + 1
        if size > 51_200:
            break
        kept.append(line)
    if len(kept) == len(lines):
        return joined
    is_long = size > 51_200
    left_out = len(joined[0].text.encode()) - len("\n".join(kept).encode()) if is_long else len(lines) - len(kept)
    notice = f"...{left_out} {'bytes' if is_long else 'lines'} truncated..."
    text = "\n".join(kept) + f"\n\n{notice}\n\n{ADVICE}"
    return [replace(joined[0], text=text, is_cut=True), *joined[1:]]


def _read_kimi(result: Received) -> list[Item]:
    notices: list[Item] = []

    def convert(index: int, block: dict[str, Json]) -> Iterator[Item]:
        resource = as_object(block.get("resource")) or block
        mime_type = get_mime_type(resource)
        is_medium = mime_type.startswith(("image/", "audio/", "video/"))
        match block.get("type"):
            case "text":
                yield as_text(block["text"], index)
            case "image" | "audio":
                yield as_media(index, block["data"], mime_type, str(block["type"]))
                notices.append(Item(ADVICE))
            case "resource" if "text" in resource:
                yield as_text(resource["text"], index)
            case "resource" | "resource_link" if is_medium:
                yield as_media(index, resource.get("blob", ""), mime_type, "file")
            case "resource_link":
                said = f'[MCP content dropped: resource_link with unsupported mimeType "{mime_type}" was not delivered.'
                yield as_text(f"{said} Fetch it directly if needed: {block['uri']}]", index)
            case "resource":
                megabytes = count_bytes(resource.get("blob", "")) / 2**20
                said = f'[MCP content dropped: resource blob with unsupported mimeType "{mime_type}"'
                yield Item(f"{said} (~{megabytes:.1f} MB, uri: {resource.get('uri')}) was not delivered.]")
            case _:
                return

    def says_value(text: str) -> bool:
        try:
            return are_equal(json.loads(text), result.value)
        except ValueError:
            return False

    items = result.convert(convert)
    extras: dict[str, Any] = {}
    if "structuredContent" in result.wire and not any(says_value(text) for _, text in result.texts):
        extras["structuredContent"] = result.value
    meta = {key: item for key, item in as_object(result.wire.get("_meta")).items() if not _is_reserved(key)}
    extras |= {"_meta": meta} if meta else {}
    if extras:
        text = write_js(extras).replace("<", "\\u003c")
        sources = frozenset(name for name in ("structuredContent", "_meta") if name in extras)
        items.append(Item(f"\n<mcp-result-extras>\n{text}\n</mcp-result-extras>", sources))
    joined = join_items([*items, *notices], "")
    error, empty = "ERROR: Tool execution failed.", "Tool output is empty."
    if not joined:
        joined = [Item(f"<system>{error} {empty}</system>" if result.is_error else f"<system>{empty}</system>")]
    elif result.is_error:
        joined = join_items([Item(f"<system>{error}</system>\n"), *joined], "")
    joined[0] = joined[0] if joined[0].is_media else _limit_for_kimi(joined[0], result.tool)
    return join_items([Item("Wall time: 0.000 seconds\n"), *joined], "")


def _is_reserved(key: str) -> bool:
    """Return whether a member of `_meta` is one of the protocol: a label of its prefix says so, before another one."""
    labels = key.partition("/")[0].split(".") if "/" in key else []
    return any(label in ("mcp", "modelcontextprotocol") for label in labels[:-1])


def _limit_for_kimi(item: Item, tool: str) -> Item:
    if len(item.text) <= 50_000:
        return item
    *lines, last = item.text.split("\n")
    text = "".join(map(_shorten_line, [*(f"{line}\n" for line in lines), last]))
    if len(text) <= 50_000:
        return replace(item, text=f"{text}\n{ADVICE}", is_cut=True)
    size, end = len(item.text), len(item.text) - 1_024
    start = f"Tool output exceeded 50000 characters; {ADVICE}\ntool_name: mcp__{SERVER}__{tool}\n"
    middle = f"{item.text[:4_096]}\n\n[elided: chars [4096, {end})]\n\n[preview: chars [{end}, {size})]\n"
    return replace(item, text=f"{start}\n[preview: chars [0, 4096)]\n{middle}{item.text[end:]}", is_cut=True)


def _shorten_line(line: str) -> str:
    """Return a line, with its end, of at most 2,000 characters."""
    if len(line) <= 2_000:
        return line
    end = "[...truncated]\n" if line.endswith("\n") else "[...truncated]"
    return line[: 2_000 - len(end)] + end


def _read_goose(result: Received) -> list[Item]:
    def convert(index: int, block: dict[str, Json]) -> Iterator[Item]:
        resource = as_object(block.get("resource"))
        if not is_for_models(block):
            return
        match block.get("type"):
            case "text":
                yield limit(as_text(block["text"], index))
            case "image":
                yield Item("This tool result included an image that is uploaded in the next message.")
                yield as_media(index, block["data"], block["mimeType"], "image")
            case "resource" if "text" in resource:
                yield limit(as_text(resource["text"], index))
            case "resource":
                yield Item(
                    f"[Binary content ({get_mime_type(resource)}) - {count_bytes(resource.get('blob', ''))} bytes]"
                )
            case _:
                yield Item("")

    def limit(item: Item) -> Item:
        if len(item.text) <= 200_000:
            return item
        return replace(item, text=ADVICE, is_cut=True)

    return join_items(result.convert(convert), " ")


def _read_cline(result: Received) -> list[Item]:
    whole = Item(write_js(result.wire), result.sources)
    if len(whole.text) <= 8_000:
        return [whole]
    notice = "\n\n...[truncated {} chars]...\n\n"
    most = 8_000 - len(notice.format(len(whole.text) - 8_000))
    return [cut_middle(whole, most - most // 2, most // 2, notice)]


def _read_text_blocks(result: Received) -> list[Item]:
    """Return the text blocks: more is not known."""
    return [as_text(text, index) for index, text in result.texts]


_READERS: Mapping[str, Callable[[Received], list[Item]]] = {
    "claude-code": _read_claude_code,
    "claude-desktop": _read_text_blocks,
    "anthropic-connector": _read_text_blocks,
    "chatgpt": read_by_program,
    "codex": _read_codex,
    "vscode": _read_vscode,
    "cursor": _read_text_blocks,
    "gemini-cli": _read_gemini_cli,
    "opencode": _read_opencode,
    "kimi": _read_kimi,
    "goose": _read_goose,
    "cline": _read_cline,
    "openai-agents": read_openai_agents,
    "pydantic-ai": read_pydantic_ai,
    "langchain": read_langchain,
    "anthropic-sdk": read_anthropic_sdk,
    "google-genai": read_google_genai,
    "fastmcp": read_fastmcp,
    "mcp": read_by_program,
}


def read_as(host: ClientName, wire: Mapping[str, Any], tool: str) -> Reading:
    """Return what the model of a host reads of a CallToolResult in wire form."""
    result = Received(wire, tool)
    return Reading.of(result, _READERS[host](result))
