"""What rendering got from black and Jinja in earlier runs, so that most runs need neither to format nor to compile."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from mcpgen.cache.keys import make_key
from mcpgen.cache.store import CacheStore


@dataclass(frozen=True)
class RenderCache:
    """Formatted texts and compiled templates under digests of their sources. It can be sent to worker processes."""

    folder: Path | None = None
    """The folder of the cache; None: nothing is kept."""

    def format(self, source: str, formatter: Callable[[str], str]) -> str:
        """Return the formatted text of a source; the formatter, a pure function, is called if it is unknown.

        Raises:
            ValueError: raised by the formatter.
        """
        if self.folder is None:
            return formatter(source)
        store, key = _open_store(self.folder), make_key("layout", source)
        text = store.get("layout", key)
        if isinstance(text, str):
            return text
        formatted = formatter(source)
        store.put("layout", key, formatted)
        return formatted

    def load_template(self, name: str, checksum: str) -> str | None:
        """Return the text that was kept for a template with this checksum, None if it is unknown."""
        text = _open_store(self.folder).get("template", make_key("template", name, checksum)) if self.folder else None
        return text if isinstance(text, str) else None

    def keep_template(self, name: str, checksum: str, text: str) -> None:
        """Store a text for a template."""
        if self.folder is not None:
            _open_store(self.folder).put("template", make_key("template", name, checksum), text)


NO_RENDER_CACHE = RenderCache()


@cache
def _open_store(folder: Path) -> CacheStore:
    return CacheStore(folder)
