"""Tools as functions over plain JSON data, for code that a model writes."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Awaitable, Callable, Generator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cached_property
from itertools import dropwhile
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from ..content import block_to_wire
from ..descriptors import RawCaller
from ..package import Package
from ..tool_result import ContentResultOf

if TYPE_CHECKING:
    from ..client import ToolClient
    from ..tool_result import ToolResultOf

_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[^\W\d_A-Z]+|\d+")
"""A word, or a part of a name: `find`, `Vessel` and `42` of `findVessel_42`."""
_HEADER_STARTS = ("# Code generated", "# fmt:", "# ruff:")
"""Prefixes of lines at the top of a file that are for tools, not for readers."""
_TYPE_NAMES = ("bool", "float", "int")
"""Names that annotations of stubs need; a function with such a name gets a `_` at its end."""


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
        """Let the functions of this task, and of what it starts in the block, call tools with this client."""
        token = self._client.set(client)
        try:
            yield
        finally:
            self._client.reset(token)

    def search_tools(self, query: str, limit: int = 10) -> list[str]:
        """Return the lines of the index that match some words best, best first; without words, the first lines.

        Names, descriptions, arguments and results may have the words, or longer ones that begin with them.
        """
        if not (words := _split_words(query)):
            return [*self._lines.values()][:limit]
        weights: dict[str, float] = {}
        for word in words:
            if word in self._rarities:
                weights[word] = self._rarities[word]
            elif len(word) > 2:
                weights |= {longer: weight for longer, weight in self._rarities.items() if longer.startswith(word)}
        scores = {
            name: sum(weight * counts[word] for word, weight in weights.items() if word in counts)
            for name, counts in self._counts.items()
        }
        best = sorted(filter(scores.get, scores), key=lambda name: (-scores[name], name))
        return [self._lines[name] for name in best[:limit]]

    def read_stub(self, name: str) -> str:
        """Return the types of a function, as Python, or raise LookupError if there is no such function."""
        self._get_attribute(name)
        return _read_text(self._folder / f"{name}.pyi")

    def read_definition(self, name: str) -> dict[str, Any]:
        """Return the Tool that a function calls, as declared, or raise LookupError if there is no such function."""
        tool = self._package.find_tool(self._get_attribute(name))
        return cast(dict[str, Any], tool.result._tool.definition)

    def get_function(self, name: str) -> Callable[..., Awaitable[Any]]:
        """Return the function of a tool, or raise AttributeError if there is no such function."""
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
        if name not in self._functions:
            raise LookupError(f"{self._name} has no function {name!r}")
        bare = name.removesuffix("_")
        return bare if bare in (*self._helpers, *_TYPE_NAMES) else name

    @cached_property
    def _functions(self) -> frozenset[str]:
        return frozenset(path.stem for path in self._folder.glob("*.pyi"))

    # --- search: words are ranked by how rare and how frequent they are (BM25 without lengths) -----------------------
    @cached_property
    def _lines(self) -> dict[str, str]:
        index = _read_text(self._folder / "index.txt").splitlines()
        return {line.partition(":")[0]: line for line in index if line[:1] != "#"}

    @cached_property
    def _counts(self) -> dict[str, dict[str, float]]:
        counts_by_name: dict[str, dict[str, float]] = {}
        for name, line in self._lines.items():
            counts: Counter[str] = Counter()
            for text, weight in ((self.read_stub(name), 1), (line, 2), (name, 4)):
                counts.update(dict.fromkeys(_split_words(text), weight))
            counts_by_name[name] = {word: count * 2.2 / (count + 1.2) for word, count in counts.items()}
        return counts_by_name

    @cached_property
    def _rarities(self) -> dict[str, float]:
        frequencies = Counter(word for counts in self._counts.values() for word in counts)
        total = len(self._lines)
        return {word: math.log(1 + (total - count + 0.5) / (count + 0.5)) for word, count in frequencies.items()}


def _read_text(path: Path) -> str:
    lines = path.read_text("utf-8").splitlines(keepends=True)
    return "".join(dropwhile(lambda line: line.startswith(_HEADER_STARTS), lines))


def _get_plain_value(result: ToolResultOf[Any, Any]) -> Any:
    """Return a result as JSON data, or as text if its tool declares no outputSchema."""
    if not isinstance(result, ContentResultOf):
        return result.to_structured_content()
    blocks = [block_to_wire(block) for block in result.content]
    text = TextResult("\n".join(block["text"] for block in blocks if block["type"] == "text"))
    text.content = blocks
    return text


def _split_words(text: str) -> list[str]:
    words = [word.lower() for word in _WORD.findall(text)]  # without the `s` of plurals
    return [word[:-1] if len(word) > 3 and word[-1] == "s" and word[-2] != "s" else word for word in words]
