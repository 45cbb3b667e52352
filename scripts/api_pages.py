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
from contextlib import suppress
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
_LIBRARY = ROOT / "runtime" / "src" / "mcpgen_runtime"
_PART = re.compile(
    r"^::: ((?:generated|mcpgen_runtime)\.\S+)\n(?:    options:\n      members: \[(.*?)\]\n)?", re.MULTILINE
)
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
        roots = {"generated": Path(folder, "generated"), "mcpgen_runtime": _LIBRARY}
        return {name: _insert_table(page, roots) for name, page in pages.items()}


def _insert_table(page: str, roots: Mapping[str, Path]) -> str:
    rows = "".join(
        f"| `{name}` | {summary} | `{module}` |\n"
        for match in _PART.finditer(page)
        for name, summary, module in _list_rows(match[1], match[2], roots)
    )
    table = f"\n| name | | file |\n|---|---|---|\n{rows}\n"
    return _TABLE.sub(lambda match: match[1] + table + match[2], page)


def _list_rows(path: str, members: str | None, roots: Mapping[str, Path]) -> Iterator[tuple[str, str, str]]:
    """Yield the name, the first sentence and the module of what one part of a page shows.

    Args:
        path: the module or the definition.
        members: the names of the members that the part shows, with commas between them; None: it has none.
        roots: the folder of each package, by its name.

    Raises:
        KeyError: there is no such definition.
    """
    package, _, rest = path.partition(".")
    names, owner = rest.split("."), list[str]()
    while not (file := roots[package].joinpath(*names).with_suffix(".py")).exists():
        owner.insert(0, names.pop())
    definition = ".".join(owner)
    shown = [definition] if definition else []
    for name in [*shown, *(f"{definition}.{name}".lstrip(".") for name in (members or "").split(", ") if name)]:
        node, source = _find_definition(file, name)
        yield (
            _format_name(node, "" if name == definition else definition),
            _summarize(node) or _summarize(ast.parse(source.read_text("utf-8"))),  # generated classes may have none
            _name_file(source, roots[package]),
        )


def _name_file(file: Path, package: Path) -> str:
    root = _LIBRARY if file.is_relative_to(_LIBRARY) else package
    return file.relative_to(root.parent).as_posix()


def _find_definition(file: Path, name: str) -> tuple[_Definition, Path]:
    """Return a class, function or method of a module, and the file that it is in: also that of a base class.

    Raises:
        KeyError: there is no such definition.
    """
    definitions = _map_definitions(file)
    if name in definitions:
        return definitions[name], file
    owner, _, method = name.rpartition(".")
    for base in _list_bases(definitions[owner]) if owner else ():
        with suppress(KeyError):
            return _find_definition(_find_class(file, owner, base), f"{base}.{method}")
    raise KeyError(name)


def _find_class(file: Path, subclass: str, name: str) -> Path:
    """Return the module of a base class: the same one, or the first of the library that has a class of the name.

    Raises:
        KeyError: there is no such class.
    """
    library = sorted(_LIBRARY.rglob("*.py"), key=lambda path: (len(path.parts), path))  # what SDKs share comes first
    for candidate in [file, *library]:
        if name in _map_definitions(candidate) and (candidate, name) != (file, subclass):
            return candidate
    raise KeyError(name)


def _list_bases(node: _Definition) -> Iterator[str]:
    """Yield the names of a class's bases."""
    for base in node.bases if isinstance(node, ast.ClassDef) else ():
        while isinstance(base, ast.Subscript):
            base = base.value
        yield ast.unparse(base).rpartition(".")[2]


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


def _summarize(node: _Definition | ast.Module) -> str:
    """Return the first sentence of a docstring."""
    paragraph = " ".join((ast.get_docstring(node) or "").partition("\n\n")[0].split())
    return re.split(r"(?<=[.!?]) (?=[A-Z`])", paragraph)[0].replace("|", "\\|")
