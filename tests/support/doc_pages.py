"""The code blocks of README.md and docs/, and how each is tested.

A page is a small project: its blocks are handled from top to bottom in a folder of its own.

| block | what is done with it |
|---|---|
| with `title="PATH"` | is written to that file; JSON, YAML, TOML and Python have to be valid |
| `sh` | is run by bash in the folder, and has to end with exit code 0 |
| `console` | its lines with `$ ` are run, and have to print what follows |
| `pycon` | is run as a doctest |
| `toml` without a title | is read as settings of mcpgen |
| `json`, `yaml` without a title | has to be valid |

Comments before a block say what else holds:

| comment | meaning |
|---|---|
| `<!-- sdk: mcp mcp1 -->` | the block, or below the page's title the whole page, is for these SDKs |
| `<!-- exit: 2 -->` | the commands end with this exit code (of a `console` block: the last one) |
| `<!-- before: COMMANDS -->` | commands that prepare what a reader has anyway |
| `<!-- files of: PAGE -->` | the files of another page are there, too |
| `<!-- output -->` | the block is what the commands before it print |
| `<!-- append: FILE -->` | the block is added to a file |
| `<!-- result: FILE -->` | the block is what a file holds now; `…` in a line of its own stands for any lines |
| `<!-- excerpt: FILE -->` | the paragraphs of the block are in a file, in their order |
| `<!-- unchecked -->` | type checkers refuse the file, as the page says |
| `<!-- set-up -->` | the commands make an environment; a slow test runs them (`tests/docs/test_setup_commands.py`) |
| `<!-- shown: WHY -->` | the block is not run, for this reason |
| `<!-- new project -->` | the blocks from here on are in another folder |
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from markdown_it import MarkdownIt
from support.repository import ROOT

DOCS = ROOT / "docs"
COMMENT = re.compile(r"<!--\s*([\w -]+?)\s*(?::\s*(.*?))?\s*-->", re.DOTALL)
TITLE = re.compile(r'\btitle="([^"]*)"')
MARKS = frozenset(
    {"new project", "files of", *"sdk exit output append result set-up shown before excerpt unchecked".split()}
)
DATA = frozenset({"json", "jsonl", "toml", "yaml"})

OWN_TESTS = {
    "diagnostics": "commands/test_explain.py",
    "explanation/generated-module.md": "docs/test_page_contents.py",
    "explanation/serializers.md": "docs/test_docs.py",
    "guides/annotations.md": "sdk/test_servers_page.py",
    "guides/migration-low-level.md": "sdk/test_low_level_migration.py",
    "guides/migration.md": "sdk/test_migration_page.py",
    "guides/monorepo.md": "docs/test_monorepo_page.py",
    "guides/servers.md": "sdk/test_servers_page.py",
    "guides/stubs.md": "sdk/test_stubs_page.py",
    "guides/testing.md": "sdk/test_testing_page.py",
}
"""Pages whose blocks have a test that knows more of them than this module, and that test.

`diagnostics` stands for the pages that scripts/docs.py makes of the explanations.
"""


@dataclass(frozen=True)
class Block:
    """A fenced block of a page."""

    page: Path
    first_line: int
    """The number of the line with the opening fence, from 0."""
    language: str
    title: str | None
    text: str
    marks: Mapping[str, str]
    """What the comments before it say, by their first words."""

    @property
    def place(self) -> str:
        return f"{self.page.relative_to(ROOT).as_posix()}:{self.first_line + 1}"

    @property
    def kind(self) -> str:
        """Return what is done with the block; empty: nobody has said."""
        for mark in ("shown", "set-up", "output", "append", "result", "excerpt"):
            if mark in self.marks:
                return mark
        if self.title is not None:
            return "file"
        return {"sh": "commands", "console": "console", "pycon": "doctest"}.get(
            self.language, "data" if self.language in DATA else ""
        )

    def is_for(self, sdk: str | None) -> bool:
        """Return whether the block is for an SDK; one that names none is for all."""
        return "sdk" not in self.marks or sdk in self.marks["sdk"].split()


@dataclass(frozen=True)
class Page:
    """A page of README.md and docs/."""

    path: Path
    sdks: tuple[str, ...]
    """The SDKs that the page is for; empty: any or none."""
    blocks: tuple[Block, ...]

    @property
    def name(self) -> str:
        return "README.md" if self.path.parent == ROOT else self.path.relative_to(DOCS).as_posix()

    def find_file(self, title: str) -> str:
        """Return the first block with a title."""
        return next(block.text for block in self.blocks if block.title == title)

    def list_texts(self, language: str) -> list[str]:
        """Return the blocks in a language."""
        return [block.text for block in self.blocks if block.language == language]

    def list_projects(self) -> list[list[Block]]:
        """Return the blocks of each folder."""
        projects: list[list[Block]] = [[]]
        for block in self.blocks:
            if "new project" in block.marks:
                projects.append([])
            projects[-1].append(block)
        return projects


def find_own_test(name: str) -> str | None:
    """Return the test that a page has for itself, by its path below tests/."""
    return OWN_TESTS.get("diagnostics" if name.startswith("diagnostics") else name)


def list_pages() -> list[str]:
    """Return the names of README.md and of the pages of docs/."""
    return ["README.md", *sorted(path.relative_to(DOCS).as_posix() for path in DOCS.rglob("*.md"))]


def read_page(name: str) -> Page:
    """Return a page by its name: `README.md`, or a path below docs/."""
    path = ROOT / name if name == "README.md" else DOCS / name
    blocks: list[Block] = []
    sdks: tuple[str, ...] = ()
    marks: dict[str, str] = {}
    seen_heading = False
    for token in MarkdownIt("commonmark").parse(path.read_text("utf-8")):
        if token.type == "html_block":
            marks |= {match[1]: match[2] or "" for match in COMMENT.finditer(token.content) if match[1] in MARKS}
        elif token.type == "fence":
            assert token.map is not None
            language, _, rest = token.info.partition(" ")
            title = TITLE.search(rest)
            blocks.append(Block(path, token.map[0], language, title[1] if title else None, token.content, marks))
            marks = {}
        elif token.type == "paragraph_open":
            if "sdk" in marks and seen_heading and not sdks and all(block.kind == "set-up" for block in blocks):
                sdks = tuple(marks.pop("sdk").split())
            marks = {}
        elif token.type == "heading_open":
            seen_heading = True
    return Page(path, sdks, tuple(blocks))


def list_runnable(sdk: str | None) -> Iterator[str]:
    """Return the pages that are run as projects: for an SDK, or those that need none."""
    for page in map(read_page, list_pages()):
        has_code = any(block.kind not in ("", "shown", "set-up") for block in page.blocks)
        if has_code and find_own_test(page.name) is None and (sdk in page.sdks if sdk else not page.sdks):
            yield page.name


def matches(expected: str, actual: str) -> bool:
    """Return whether a text is as expected, where `…` in a line of its own stands for any lines."""
    pattern = "".join(
        r"(?:.*\n)*" if line.strip() in ("…", "# …") else re.escape(line + "\n") for line in _lines(expected)
    )
    return re.fullmatch(pattern, "".join(f"{line}\n" for line in _lines(actual))) is not None


def _lines(text: str) -> Iterable[str]:
    return (line.rstrip() for line in text.strip("\n").splitlines())
