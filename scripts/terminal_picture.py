"""Draw the terminal session of the README: `python scripts/terminal_picture.py` writes docs/pictures/session-*.svg.

The session is a real one: the commands below run in a folder of their own, with mcp 2.x and mypy installed. What
they print is drawn line by line, in light and in dark colours, as SVG that types and reveals itself by CSS. Who has
asked the system for less motion sees the whole session at once.
"""

from __future__ import annotations

import itertools
import os
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from xml.sax.saxutils import escape

from rich.style import Style
from rich.text import Text

ROOT = Path(__file__).resolve().parent.parent
PICTURES = ROOT / "docs" / "pictures"
SCHEMA = """\
name: get_weather
inputSchema: {type: object, properties: {city: {type: string}}, required: [city]}
outputSchema:
  type: object
  properties: {celsius: {type: number}, sky: {enum: [clear, cloudy]}, gusts: {type: number}}
  required: [celsius, sky]
"""
SERVER = """\
from mcp.server.mcpserver import MCPServer
from generated import GetWeatherResult, bind

server = MCPServer("weather")
tools = bind(server)

@tools.get_weather
def get_weather(city: str) -> GetWeatherResult:
    return GetWeatherResult(celsius=21.5, sky="sunny")
"""
CLIENT = """\
import asyncio
from generated.testing import client_of
from server import server

async def main() -> None:
    async with client_of(server) as client:
        print((await client.get_weather(city="Oslo")).to_structured_content())

asyncio.run(main())
"""
FILES = {
    "schemas/get_weather.yaml": SCHEMA,
    "server.py": SERVER,
    "client.py": CLIENT,
    "mcpgen.toml": 'sdk = "mcp"\ntesting = true\n',
}
SESSION = (
    "cat schemas/get_weather.yaml",
    "mcpgen build",
    "tail -n 3 server.py",
    "mypy server.py",
    "sed -i s/sunny/clear/ server.py && mypy server.py",
    "mcpgen check --server server:server && python client.py",
)

COLUMNS = 94
LINE_HEIGHT, CHARACTER, MARGIN, TITLE = 20, 8.43, 16, 34
TYPING, PAUSE, LINE_PAUSE = 0.03, 0.7, 0.04
"""Seconds for a typed character, after a command, and between two lines of output."""


@dataclass(frozen=True)
class Theme:
    """Colours of a terminal: `ansi` has the eight of ANSI, as they are drawn bright and normal alike."""

    background: str
    bar: str
    text: str
    prompt: str
    ansi: tuple[str, ...]


THEMES: Mapping[str, Theme] = {
    "light": Theme(
        "#ffffff", "#e7ecef", "#24292f", "#0a7d6c",
        ("#24292f", "#c62f2f", "#1a7f37", "#9a6700", "#0969da", "#8250df", "#0f7b85", "#57606a"),
    ),
    "dark": Theme(
        "#0d1117", "#21262d", "#d5dbe1", "#4ec9b0",
        ("#8b949e", "#ff8379", "#56d364", "#e3b341", "#79c0ff", "#d2a8ff", "#56d4dd", "#d5dbe1"),
    ),
}  # fmt: skip


def record_session(folder: Path) -> list[tuple[str, list[Text]]]:
    """Run the session in a folder, and return each command with the lines that it prints."""
    for name, text in FILES.items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(text, "utf-8")
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    environment = {
        **os.environ,
        "PATH": path,
        "COLUMNS": str(COLUMNS),
        "MCPGEN_CACHE_DIR": "",
        "TERM": "xterm-256color",
    }
    environment |= {"FORCE_COLOR": "1", "MYPY_FORCE_COLOR": "1", "MYPY_FORCE_TERMINAL_WIDTH": str(COLUMNS)}
    environment.pop("NO_COLOR", None)
    recorded: list[tuple[str, list[Text]]] = []
    for command in SESSION:
        run = subprocess.run(
            ["bash", "-c", command],
            cwd=folder,
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=300,
        )
        recorded.append((command, [line for text in run.stdout.splitlines() for line in _wrap(Text.from_ansi(text))]))
    return recorded


def _wrap(line: Text) -> list[Text]:
    """Return a line in pieces that fit the terminal."""
    return list(line.divide(range(COLUMNS, len(line), COLUMNS))) if len(line) > COLUMNS else [line]


def draw_session(recorded: list[tuple[str, list[Text]]], theme: Theme) -> str:
    """Return the session as SVG."""
    lines: list[str] = []
    at = 0.4
    y = TITLE + MARGIN + 12
    for command, output in recorded:
        seconds = len(command) * TYPING
        prompt = f'<tspan fill="{theme.prompt}">$ </tspan>'
        style = f"animation:type {seconds:.2f}s steps({len(command)}) {at:.2f}s both"
        lines.append(f'<text y="{y}" style="{style}">{prompt}<tspan font-weight="600">{escape(command)}</tspan></text>')
        at += seconds + 0.3
        y += LINE_HEIGHT
        for line in output:
            if line.plain.strip():
                lines.append(f'<text y="{y}" style="animation:show 0s {at:.2f}s both">{_draw_line(line, theme)}</text>')
            at += LINE_PAUSE
            y += LINE_HEIGHT
        at += PAUSE
        y += 6
    return _frame("\n".join(lines), y + MARGIN - 16, theme)


def _draw_line(line: Text, theme: Theme) -> str:
    pieces: list[str] = []
    bounds = sorted({0, len(line), *(end for span in line.spans for end in (span.start, span.end))})
    for start, end in itertools.pairwise(bounds):
        styles = [span.style for span in line.spans if span.start <= start and span.end >= end]
        style = Style.combine([Style(), *(style for style in styles if isinstance(style, Style))])
        text = escape(line.plain[start:end])
        attributes = ' font-weight="600"' if style.bold else ""
        if style.color is not None and style.color.number is not None and style.color.number < 16:
            attributes += f' fill="{theme.ansi[style.color.number % 8]}"'
        pieces.append(f"<tspan{attributes}>{text}</tspan>" if attributes else text)
    return "".join(pieces)


def _frame(lines: str, height: int, theme: Theme) -> str:
    """Return the picture of a terminal's window with lines in it."""
    width = round(COLUMNS * CHARACTER + 2 * MARGIN)
    dots = "".join(f'<circle cx="{x}" cy="17" r="6"/>' for x in (18, 38, 58))
    font = "ui-monospace,SFMono-Regular,Menlo,Consolas,'DejaVu Sans Mono',monospace"
    return f"""\
<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" font-family="{font}" font-size="14">
<title>A session with mcpgen in a terminal</title>
<style>
text {{ white-space: pre; fill: {theme.text} }}
@keyframes show {{ from {{ visibility: hidden }} to {{ visibility: visible }} }}
@keyframes type {{ from {{ clip-path: inset(0 100% 0 0) }} to {{ clip-path: inset(0 -2px 0 0) }} }}
@media (prefers-reduced-motion: reduce) {{ text {{ animation: none !important }} }}
</style>
<rect width="100%" height="100%" rx="8" fill="{theme.background}"/>
<path d="M0 {TITLE}V8a8 8 0 0 1 8-8H{width - 8}a8 8 0 0 1 8 8V{TITLE}Z" fill="{theme.bar}"/>
<g fill="{theme.ansi[7]}" fill-opacity=".35">{dots}</g>
<rect x=".5" y=".5" width="{width - 1}" height="{height - 1}" rx="8" fill="none" stroke="{theme.bar}"/>
<g transform="translate({MARGIN})" xml:space="preserve">
{lines}
</g>
</svg>
"""


def make_pictures() -> dict[str, str]:
    """Record the session, and return its pictures by their file names."""
    with tempfile.TemporaryDirectory() as folder:
        recorded = record_session(Path(folder))
    return {f"session-{name}.svg": draw_session(recorded, theme) for name, theme in THEMES.items()}


if __name__ == "__main__":
    PICTURES.mkdir(exist_ok=True)
    for name, picture in make_pictures().items():
        (PICTURES / name).write_text(picture, "utf-8", newline="\n")
