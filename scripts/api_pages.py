"""The API pages: the package and the library whose docstrings they show, and the tables of what is on them.

mkdocstrings fills in the parts that begin with `:::` when the site is built. A checkout shows them as they are, so each
page has a table of the same names, between `<!-- table: api -->` and `<!-- end -->`.
"""

from __future__ import annotations

import ast
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path

from scripts.site_pages import FENCED, ROOT

PAGES = ("api-clients", "api-servers", "api-values")
"""The API pages in docs/reference/."""
_SETTINGS = """\
sdk = "mcp"
testing = true
stubs = true
"""
_SOURCES = (
    ("guides/servers.md", "schemas/get_weather.json"),
    ("guides/resources.md", "schemas/config.yaml"),
    ("guides/resources.md", "schemas/guide.yaml"),
)
"""Pages, and the definitions on them that the package on the API pages is built from."""
LIBRARY = ROOT / "runtime" / "src"
"""The folder from which the run-time library is imported."""
_PART = re.compile(r"^::: ((?:generated|mcpgen_runtime)\.\S+)\n(?:    options:\n      members: \[(.*?)\]\n)?", re.MULTILINE)
_TABLE = re.compile(r"(<!-- table: api -->\n).*?(<!-- end -->)", re.DOTALL)
_Definition = ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef


def build_package(docs: Path, folder: Path) -> None:
    """Build the definitions that some pages show into a package, whose docstrings the API pages have."""
    (folder / "mcpgen.toml").write_text(_SETTINGS, "utf-8")
    for page, name in _SOURCES:
        match = re.search(rf'^```\w+ title="{re.escape(name)}"\n(.*?)^```$', (docs / page).read_text("utf-8"), FENCED)
        if match is None:
            raise ValueError(f"{page} has no block with the title {name}")
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(match[1], "utf-8")
    subprocess.run([sys.executable, "-m", "mcpgen", "build", "--quiet"], cwd=folder, check=True)


def insert_tables() -> dict[str, str]:
    """Return the API pages with tables of what is on them, by path below docs/."""
    pages = {f"reference/{name}.md": (ROOT / "docs" / "reference" / f"{name}.md").read_text("utf-8") for name in PAGES}
    with tempfile.TemporaryDirectory(prefix="mcpgen-api-") as folder:
        build_package(ROOT / "docs", Path(folder))
        return {name: _insert_table(page, Path(folder)) for name, page in pages.items()}


def _insert_table(page: str, folder: Path) -> str:
    rows = "".join(
        f"| `{name}` | {summary} | `{module}` |\n"
        for match in _PART.finditer(page)
        for name, summary, module in _list_rows(match[1], match[2], folder)
    )
    table = f"\n| name | | in |\n|---|---|---|\n{rows}\n"
    return _TABLE.sub(lambda match: match[1] + table + match[2], page)


def _list_rows(path: str, members: str | None, folder: Path) -> Iterator[tuple[str, str, str]]:
    """Yield the name, the first sentence and the module of what one part of a page shows.

    Args:
        path: the module or the definition.
        members: the names of the members that the part shows, with commas between them; None: it has none.
        folder: the folder with the package.

    Raises:
        KeyError: there is no such definition.
    """
    names = members.split(", ") if members else []
    module, definition = f"{path.replace('.', '/')}.py", ""
    root = LIBRARY if path.startswith("mcpgen_runtime.") else folder
    if not (root / module).exists():
        parent, _, definition = path.rpartition(".")
        module = f"{parent.replace('.', '/')}.py"
    definitions = _map_definitions(root / module)
    if definition:
        yield _format_name(definitions[definition], ""), _summarize(definitions[definition]), module
        names = [f"{definition}.{name}" for name in names]
    for name in names:
        yield _format_name(definitions[name], definition), _summarize(definitions[name]), module


@cache
def _map_definitions(module: Path) -> Mapping[str, _Definition]:
    """Return the classes and functions of a module, and the methods as `Class.method`."""
    definitions: dict[str, _Definition] = {}
    for node in ast.parse(module.read_text("utf-8")).body:
        if isinstance(node, _Definition):
            definitions[node.name] = node
        if isinstance(node, ast.ClassDef):
            methods = (child for child in ast.walk(node) if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef))
            definitions |= {f"{node.name}.{method.name}": method for method in methods}
    return definitions


def _format_name(node: _Definition, owner: str) -> str:
    """Return the name of a definition as a page shows it: that of a function with its parameters."""
    name = f"{owner}.{node.name}" if owner else node.name
    if isinstance(node, ast.ClassDef) or "property" in map(ast.unparse, node.decorator_list):
        return name
    names = [argument.arg.lstrip("_") for argument in (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs)]
    return f"{name}({', '.join(name for name in names if name not in ('self', 'cls'))})"


def _summarize(node: _Definition) -> str:
    """Return the first sentence of a docstring."""
    paragraph = " ".join((ast.get_docstring(node) or "").partition("\n\n")[0].split())
    return re.split(r"(?<=[.!?]) (?=[A-Z`])", paragraph)[0].replace("|", "\\|")
