"""The page "To change X, touch Y": its files exist, they are few, and they are those that such a change needs.

What a change needs follows from the code: the name of an existing rule, setting or keyword is in every file that a new
one needs.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

import pytest
from mcpgen.cli import app
from mcpgen.commands.help_pages import COMMAND_GROUPS, EXAMPLES
from mcpgen.diagnostics import CATALOGUE
from mcpgen.targets import SDK_NAMES
from support.repository import ROOT

PAGE = (ROOT / "docs" / "contributing" / "changes.md").read_text("utf-8")
ENTRY = re.compile(r"^- \*\*(.+?)\*\*: (.+?)(?=\n- |\n\n|\n\Z)", re.MULTILINE | re.DOTALL)
ENTRIES: dict[str, str] = {" ".join(name.split()): " ".join(text.split()) for name, text in ENTRY.findall(PAGE)}
CODE, LIBRARY = "codegen/mcpgen", "runtime/src/mcpgen_runtime"
SOURCES = (CODE, "templates", LIBRARY, "runtime/pyproject.toml", "action.yml", "pyproject.toml")
"""Where an example is searched."""
MOST_FILES = 3
NAMED = re.compile(r"`([^`]+)`(?: \(((?:[^()`]|`[^`]*`)*)\))?")
"""A name, and the remark in parentheses behind it."""


def locate(name: str) -> Path:
    """Return the place of a path of the page."""
    if name.startswith("mcpgen_runtime/"):
        return ROOT / LIBRARY / name.removeprefix("mcpgen_runtime/")
    path = ROOT / CODE / name
    return path if path.exists() else ROOT / name


def is_path(name: str) -> bool:
    return "/" in name or name.endswith((".py", ".md", ".toml", ".yml"))


def list_named(text: str) -> Iterator[tuple[Path, str]]:
    """Yield each file or folder that an entry names, with the remark about it."""
    for name, remark in NAMED.findall(text):
        if is_path(name):
            yield locate(name), remark


def is_part(path: Path, named: Path) -> bool:
    return path == named or named in path.parents


@cache
def list_sources() -> dict[Path, str]:
    paths = [
        path for root in SOURCES for path in ((ROOT / root).rglob("*") if (ROOT / root).is_dir() else [ROOT / root])
    ]
    return {path: path.read_text("utf-8") for path in paths if path.suffix in (".py", ".j2", ".md", ".toml", ".yml")}


def read_all(named: Path) -> str:
    """Return the text of a file, or of all files in a folder."""
    paths = (
        [named]
        if named.is_file()
        else [path for path in sorted(named.rglob("*")) if path.is_file() and "__pycache__" not in path.parts]
    )
    return "\n".join(path.read_text("utf-8") for path in paths)


# --- what the page names ---------------------------------------------------------------------------------------------
def test_there_is_an_entry_for_each_line_that_looks_like_one() -> None:
    assert len(ENTRIES) == len(re.findall(r"^- \*\*", PAGE, re.MULTILINE)) >= 100


@pytest.mark.parametrize("change", ENTRIES)
def test_a_change_touches_few_files_which_exist(change: str) -> None:
    paths = [path for path, _ in list_named(ENTRIES[change])]
    assert paths
    assert [path for path in paths if not path.exists()] == []
    assert len(set(paths)) <= MOST_FILES


@pytest.mark.parametrize("change", ENTRIES)
def test_what_a_remark_names_is_in_its_file(change: str) -> None:
    missing: list[str] = []
    for path, remark in list_named(ENTRIES[change]):
        for name in re.findall(r"`([^`]+)`", remark):
            if is_path(name):
                missing += [name] * (not (path / name).exists() and not locate(name).exists())
            elif re.fullmatch(r"[A-Za-z_][\w.]*", name):
                word = name.rpartition(".")[2]
                missing += [f"{name} in {path}"] * (re.search(rf"\b{word}\b", read_all(path)) is None)
    assert missing == []


def test_the_guide_is_short() -> None:
    assert len((ROOT / "CONTRIBUTING.md").read_text("utf-8").splitlines()) <= 100


def test_no_line_is_long() -> None:
    assert [line for line in PAGE.splitlines() if len(line) > 120] == []


# --- examples --------------------------------------------------------------------------------------------------------
@dataclass(frozen=True)
class Example:
    """A change that was made once: the entries that describe it, and a pattern that finds what it touched."""

    pattern: str
    changes: tuple[str, ...]
    others: Mapping[str, str] = field(default_factory=dict[str, str])
    """Files with the pattern that such a change does not need: why."""


CODE_SETTING = "a settings key that generated code depends on"
MODULE_OF_TOOL = "text of every tool's module"
KNOWN = "what the library knows about a tool, a resource or a package"
EXAMPLES_OF_CHANGES = (
    Example(
        r"\bMG203\b",
        ("a diagnostic",),
        {f"{CODE}/commands/mock.py": "reports it about packages that are served together"},
    ),
    Example(
        r"\bMG913\b|check_equal_names|_change_name_as_gemini_cli",
        ("a lint rule",),
    ),
    Example(
        r"\bMG118\b|check_idle_keywords",
        ("a warning about a valid schema that is surely a mistake", "a diagnostic"),
    ),
    Example(
        r"\buniqueItems\b",
        (
            "a JSON Schema keyword",
            "a keyword that `diff` compares",
            "a keyword that drawn values follow",
            "what stubs and the reference for people say about a keyword",
        ),
    ),
    Example(
        r"\bmaxLength\b",
        (
            "a JSON Schema keyword",
            "a keyword that `diff` compares",
            "a keyword that types can express",
            "a keyword that drawn values follow",
            "what stubs and the reference for people say about a keyword",
        ),
        {
            f"{CODE}/lint/mistakes.py": "warns about bounds that cross",
            f"{CODE}/explanations/MG605.md": "has a schema as an example",
            f"{CODE}/explanations/MG118.md": "has a schema as an example",
            f"{CODE}/read/schema_mistakes.py": "has names that people write instead",
            f"{CODE}/read/forms.py": "has the keywords that MCP knows in forms",
        },
    ),
    Example(
        r"\bipv4\b|\bIPV4\b|NativeIpv4",
        (
            "a format with a Python type",
            "a name that generated modules import from the library",
            "the values of a format that are drawn",
        ),
        {
            f"{CODE}/lint/client_rules.py": "has the formats that a client accepts",
            f"{CODE}/lint/mistakes.py": "has names that people write instead",
            f"{CODE}/explanations/MG927.md": "has the formats that a client accepts",
            f"{CODE}/learn/inference.py": "has the formats that recorded values are compared with",
        },
    ),
    Example(r"item_blocks|case \"items\"", ("a content strategy", "a function that makes content blocks")),
    Example(
        r"\"tsv\"|tsv_text",
        ("a content strategy that writes tables, such as `csv`", "a filter of content templates"),
    ),
    Example(
        r"\bazure\b",
        (CODE_SETTING, "results for Azure Functions"),
        {
            f"{CODE}/explanations/MG409.md": "has it as an example",
            f"{CODE}/commands/mock.py": "turns it off",
        },
    ),
    Example(
        r"\bttl_ms\b",
        (CODE_SETTING, "text of a resource's or prompt's module", KNOWN),
        {
            f"{LIBRARY}/mcp_2_server.py": "does at run time what the setting says",
            f"{LIBRARY}/sdk/none/protocol.py": "has the member of the protocol",
        },
    ),
    Example(
        r"\bown_results\b|\bunchecked: bool|[a-z]\.unchecked\b",
        (CODE_SETTING, MODULE_OF_TOOL, KNOWN),
        {
            f"{LIBRARY}/tool_result.py": "does at run time what the setting says",
            f"{CODE}/commands/check_servers.py": "reads another setting",
        },
    ),
    Example(
        r"o200k_base",
        ("a vocabulary that tokens are counted with",),
    ),
    Example(
        r"\bfastmcp3\b",
        ("an SDK", "an SDK's installation"),
    ),
    Example(
        r"render_sarif|\"sarif\"|\bor sarif\b",
        ("an output format",),
    ),
    Example(
        r"\bdoctor\b",
        ("a command",),
        {f"{CODE}/explanations/MG{code}.md": "tells users to run it" for code in (302, 403, 602, 702)},
    ),
    Example(r"\"flaw\"", ("a look at the disk by `build` or `check`",), {f"{CODE}/files/private_folders.py": "looks"}),
    Example(r"\bcontent-audience-changed\b|_audience_changed", ("a compatibility rule",)),
    Example(r"CLASS_ENDINGS", ("the names of a definition's module and of its own classes, such as `…Result`",)),
    Example(r"\bdivisibleby\b", ("a test of content templates",)),
    Example(r"\bsearch_tools\b", ("a helper in `stubs/`",)),
    Example(
        r"\bREPEATABLE_COMMANDS\b|\brecord_run\(",
        ("a command whose runs are recorded, and repeated if nothing changed",),
    ),
    Example(r"\b_make_branch_word\b", ("the words that name a class",)),
    Example(r"\btransfer_size\b", ("a limit of what a server sends",)),
    Example(
        r"\bunfolding\b",
        ("a limit of the types of a schema",),
        {f"{CODE}/explanations/MG107.md": "has it as an example"},
    ),
    Example(
        r"\bpattern_steps\b",
        ("a limit of the values that generated code reads", "how the exact check runs"),
    ),
    Example(r"\bserverUrl\b", ("a member or variable of a client's configuration (`mcp.json`)",)),
    Example(r"\buv\.lock\b", ("a file in which projects list their dependencies",)),
    Example(
        r"\bcase (Command|Url|InProcess)\(",
        (
            "a way to reach a server",
            "what is secret in an address or in what a server was given",
            "an error message about a server that cannot be asked",
        ),
    ),
    Example(
        r"\"\$dynamicAnchor\"",
        (
            "how a reference is resolved inside a schema (`$ref`, `$anchor`, `$dynamicRef`)",
            "how references between files are resolved",
            "a JSON Schema keyword",
        ),
        {
            f"{CODE}/lint/mistakes.py": "warns only where no reference is dynamic",
            f"{CODE}/read/old_dialects.py": "advises to write it",
            f"{LIBRARY}/models.py": "tells whether a part of a schema stands on its own",
            f"{LIBRARY}/tool_contract.py": "tells whether references may be written out",
        },
    ),
    Example(
        r"_make_tool_names|make_class_stem",
        ("a settings key that names depend on",),
        {f"{CODE}/commands/pull.py": "says which classes there will be"},
    ),
    Example(
        r"\bclaude-code\b",
        ("a client that lint rules know",),
        {
            f"{CODE}/commands/help_pages.py": "has it as an example",
            f"{CODE}/explanations/MG912.md": "says what the rule's clients accept",
            f"{CODE}/explanations/MG943.md": "says what the rule's clients accept",
            **{f"{CODE}/explanations/MG95{number}.md": "names the rule's hosts" for number in (1, 2, 3)},
        },
    ),
    Example(r"\bDRAFT_04\b", ("a dialect of JSON Schema that is read, or what its authors have to change",)),
    Example(r"\bmake_tool_json_key\b", ("a step whose results are stored",)),
)


@pytest.mark.parametrize("example", EXAMPLES_OF_CHANGES, ids=[example.pattern for example in EXAMPLES_OF_CHANGES])
def test_a_change_that_was_made_is_where_its_entry_says(example: Example) -> None:
    named = [path for change in example.changes for path, _ in list_named(ENTRIES[change])]
    files = {path for path, text in list_sources().items() if re.search(example.pattern, text)}
    assert files
    others = {path.relative_to(ROOT).as_posix() for path in files if not any(is_part(path, other) for other in named)}
    assert others == set(example.others)


# --- registries ------------------------------------------------------------------------------------------------------
def test_each_diagnostic_is_where_its_entry_says() -> None:
    assert {path.stem for path in (ROOT / CODE / "explanations").glob("MG*.md")} == set(CATALOGUE)


def test_each_command_is_where_its_entry_says() -> None:
    commands = {command.name or command.callback.__name__ for command in app.registered_commands if command.callback}
    assert commands == {name for group in COMMAND_GROUPS.values() for name in group} == {*EXAMPLES} - {""}
    assert [name for name in commands if not (ROOT / CODE / "commands" / f"{name}.py").exists()] == []


def test_each_sdk_is_where_its_entry_says() -> None:
    assert {path.parent.name for path in (ROOT / LIBRARY / "sdk").glob("*/__init__.py")} == set(SDK_NAMES)
