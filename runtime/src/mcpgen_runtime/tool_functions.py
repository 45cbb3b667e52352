"""Tools as functions over plain JSON data, for code that a model writes."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Awaitable, Callable, Generator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .content import block_to_wire
from .descriptors import RawCaller
from .package import Package, load_definition
from .tool_result import ContentResultOf

if TYPE_CHECKING:
    from .client import ToolClient
    from .tool_result import ToolResultOf

_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[^\W\d_A-Z]+|\d+")
"""A word, or a part of a name: `find`, `Vessel` and `42` of `findVessel_42`."""
_HEADER_STARTS = ("# Code generated", "# fmt:", "# ruff:")
"""Prefixes of lines at the top of a file that are for tools, not for readers."""
_TYPE_NAMES = ("bool", "float", "int")
"""Names that annotations of stubs need; a function with such a name gets a `_` at its end."""
_NAME_WEIGHT, _LINE_WEIGHT = 4, 2
"""How much a word counts in the name of a tool, and in its line of the index."""


class TextResult(str):
    """Text of the result of a tool without an outputSchema."""

    content: list[dict[str, Any]]
    """All content blocks in wire form, including images and links."""


class ToolFunctions:
    """The tools of a package as functions, and ways to find them.

    Args:
        name: the name of their module, a folder in the package with their stubs.
        file: the path of that module.
        helpers: names in the module that are not tools.
    """

    def __init__(self, name: str, file: str, helpers: tuple[str, ...]) -> None:
        self._name, self._folder, self._helpers = name, Path(file).parent, helpers
        self._package = Package.of(name)
        self._client: ContextVar[ToolClient[Any]] = ContextVar(f"client of {name}")

    @contextmanager
    def use_client(self, client: ToolClient[Any]) -> Generator[None]:
        """Let the functions call tools with this client: `with use_client(client): …`.

        This applies to the current task, to tasks started in the block and to `asyncio.to_thread`.
        """
        token = self._client.set(client)
        try:
            yield
        finally:
            self._client.reset(token)

    def search_tools(self, query: str, limit: int = 10) -> list[str]:
        """Return the lines of the index that match some words best, best first; without words, the first lines.

        This searches names, descriptions, arguments and results. Beginnings of words also match.

        Args:
            query: the words.
            limit: the maximum number of lines.
        """
        return self._search.find_lines(query, limit)

    def read_stub(self, name: str) -> str:
        """Return the types of a function, as Python.

        Raises:
            LookupError: there is no such function.
        """
        self._get_attribute(name)
        text = (self._folder / f"{name}.pyi").read_text("utf-8")
        return _remove_header(text)

    def read_definition(self, name: str) -> dict[str, Any]:
        """Return the Tool that a function calls, with its full descriptions and schemas.

        Raises:
            LookupError: there is no such function.
        """
        tool = self._package.find_tool(self._get_attribute(name))
        definition: dict[str, Any] = load_definition(tool.result._tool.file)["tool"]
        return definition

    def get_function(self, name: str) -> Callable[..., Awaitable[Any]]:
        """Return the function of a tool.

        Raises:
            AttributeError: there is no such function.
        """
        try:
            attribute = self._get_attribute(name)
        except LookupError as error:
            raise AttributeError(*error.args) from None

        async def call(**arguments: Any) -> Any:
            client = self._client.get(None)
            if client is None:
                raise RuntimeError(f"{name} needs a client: run the code inside of `with use_client(client):`")
            result: Any = await getattr(client, attribute)(**arguments)
            return _get_plain_value(result.parse() if isinstance(client, RawCaller) else result)

        call.__name__ = call.__qualname__ = name
        call.__module__, call.__doc__ = self._name, self.read_stub(name)
        return call

    def list_names(self) -> list[str]:
        """Return the names of all functions, including helpers, sorted."""
        return sorted([*self._helpers, *self._functions])

    def _get_attribute(self, name: str) -> str:
        """Return the client's attribute for a function.

        Raises:
            LookupError: there is no such function.
        """
        if name not in self._functions:
            raise LookupError(f"{self._name} has no function {name!r}")
        bare = name.removesuffix("_")
        return bare if bare in (*self._helpers, *_TYPE_NAMES) else name

    @cached_property
    def _functions(self) -> frozenset[str]:
        return frozenset(path.stem for path in self._folder.glob("*.pyi"))

    @cached_property
    def _search(self) -> _Search:
        index = _remove_header((self._folder / "index.txt").read_text("utf-8"))
        lines = {line.partition(":")[0]: line for line in index.splitlines() if line[:1] != "#"}
        return _Search({name: (line, self.read_stub(name)) for name, line in lines.items()})


def _remove_header(text: str) -> str:
    """Return a file without the comments at its top that are for tools."""
    lines = text.splitlines(keepends=True)
    start = next((i for i, line in enumerate(lines) if not line.startswith(_HEADER_STARTS)), 0)
    return "".join(lines[start:])


def _get_plain_value(result: ToolResultOf[Any, Any]) -> Any:
    """Return a result as JSON data, or as text if its tool declares no outputSchema."""
    if not isinstance(result, ContentResultOf):
        return result.to_structured_content()
    blocks = [block_to_wire(block) for block in result.content]
    text = TextResult("\n".join(block["text"] for block in blocks if block["type"] == "text"))
    text.content = blocks
    return text


# --- search ----------------------------------------------------------------------------------------------------------
class _Search:
    """Search by words, ranked by how rare and how frequent the words are (BM25 without lengths).

    Args:
        texts: the line of the index and the stub of each name.
    """

    def __init__(self, texts: dict[str, tuple[str, str]]) -> None:
        self._lines = {name: line for name, (line, _) in texts.items()}
        self._counts = {name: _count_words(name, line, stub) for name, (line, stub) in texts.items()}
        self._document_counts = Counter(word for counts in self._counts.values() for word in counts)

    def find_lines(self, query: str, limit: int) -> list[str]:
        """Return the lines that fit a query best."""
        words = [*dict.fromkeys(_split_words(query))]
        if not words:
            return [*self._lines.values()][:limit]
        known = {known: self._weigh(known) for word in words for known in self._complete(word)}
        scores = {
            name: sum(weight * _saturate(counts[word]) for word, weight in known.items() if word in counts)
            for name, counts in self._counts.items()
        }
        best = sorted((name for name, score in scores.items() if score), key=lambda name: (-scores[name], name))
        return [self._lines[name] for name in best[:limit]]

    def _complete(self, word: str) -> list[str]:
        """Return a word if it is known, otherwise the words that begin with it."""
        if word in self._document_counts or len(word) < 3:
            return [word]
        return [known for known in self._document_counts if known.startswith(word)]

    def _weigh(self, word: str) -> float:
        count = self._document_counts[word]
        return math.log(1 + (len(self._lines) - count + 0.5) / (count + 0.5))


def _count_words(name: str, line: str, stub: str) -> Counter[str]:
    counts = Counter(dict.fromkeys(_split_words(stub), 1))
    counts.update(dict.fromkeys(_split_words(line), _LINE_WEIGHT))
    counts.update(dict.fromkeys(_split_words(name), _NAME_WEIGHT))
    return counts


def _saturate(count: int) -> float:
    return count * 2.2 / (count + 1.2)


def _split_words(text: str) -> list[str]:
    """Return the words of a text in lower case, without the `s` of a plural."""
    words = [word.lower() for word in _WORD.findall(text)]
    return [word[:-1] if len(word) > 3 and word[-1] == "s" and word[-2] != "s" else word for word in words]
