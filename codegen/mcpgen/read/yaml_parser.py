"""YAML text to a JSON value with the place of every part, in time and memory that the text's length bounds."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any, TypeAlias, cast

from mcpgen.config.models import Limits
from mcpgen.schema.values import Json, array_index

SECOND_LOOK = 64 * 2**10
"""Characters that the parser written in Python is asked about: it is far slower, but knows YAML 1.2 and says more."""
ALONE = 2**20
"""Characters that it is asked about where libyaml is not installed."""
DIRECTIVES = 100
NUMBER = re.compile(r"-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][-+]?[0-9]+)?")
_OTHER_BREAKS = re.compile("[\x85\u2028\u2029]")
"""Line breaks of YAML 1.1, which libyaml reads; in 1.2 they are characters like others."""
_NO_NUMBERS = (".nan", ".NaN", ".NAN", ".inf", ".Inf", ".INF", "-.inf", "-.Inf", "-.INF")


class WrongYaml(ValueError):
    """Text that is no YAML, or no JSON value; `line` and `column` count from 1.

    `limit` is the setting that it goes beyond, if it is only too much.
    """

    def __init__(self, message: str, line: int, column: int, limit: str = "") -> None:
        super().__init__(message)
        self.message, self.line, self.column, self.limit = message, line, column, limit

    def __reduce__(self) -> tuple[object, ...]:
        return type(self), (self.message, self.line, self.column, self.limit), self.__dict__


Place: TypeAlias = "tuple[int, int]"
"""Line and column, from 1."""


@dataclass
class Node:
    """Where a value stands, and where its parts do."""

    place: Place
    names: dict[str, Place] = field(default_factory=dict[str, Place])
    values: dict[str, Node | Place] | list[Node | Place] = field(default_factory=list["Node | Place"])

    def find(self, path: list[str], key: str | None) -> Place:
        """The place of the value at a path, or of its nearest ancestor; of a member's name when `key` is given."""
        node: Node | Place = self
        for token in path:
            if not isinstance(node, Node):
                break
            held: Any = node.values
            at: Any = token if isinstance(held, dict) else array_index(token)
            if at is None or (at not in held if isinstance(held, dict) else at >= len(held)):
                break
            node = cast("Node | Place", held[at])
        if isinstance(node, Node):
            return node.names.get(key, node.place) if key is not None else node.place
        return node


def parse(text: str, limits: Limits) -> tuple[Json, Node]:
    """What a YAML text says, and where.

    Raises:
        WrongYaml: it is not valid, or goes beyond a limit.
    """
    if text.count("\n%") > DIRECTIVES:
        raise WrongYaml(f"not valid YAML: more than {DIRECTIVES} directives", 1, 1)
    if _has_libyaml() and not (len(text) <= SECOND_LOOK and _OTHER_BREAKS.search(text)):
        try:
            return _Builder(limits).build(_fast(text))
        except _SaidByParser as error:
            if len(text) > SECOND_LOOK:
                raise _explained(error.told) from None
    elif len(text) > ALONE:
        raise WrongYaml(f"{len(text)} characters are more than can be read without libyaml", 1, 1)
    try:
        return _Builder(limits).build(_careful(text))
    except _SaidByParser as error:
        raise _explained(error.told) from None


class _SaidByParser(Exception):
    """What a parser says is wrong with the text."""

    def __init__(self, told: Any) -> None:
        super().__init__(str(told))
        self.told = told


def _explained(told: Any) -> WrongYaml:
    mark = getattr(told, "problem_mark", None) or getattr(told, "context_mark", None)
    line, column = (mark.line + 1, mark.column + 1) if mark else (1, 1)
    problem, context = getattr(told, "problem", None), getattr(told, "context", None)
    if not problem and not context:
        return WrongYaml(f"not valid YAML: {' '.join(str(told).split())}", line, column)
    said = f"{context}, {problem}" if str(problem or "").startswith("but ") else problem or context
    return WrongYaml(f"not valid YAML: {said}", line, column)


def _has_libyaml() -> bool:
    return bool(import_module("yaml").__with_libyaml__)


def _fast(text: str) -> Iterator[Any]:
    """The events of libyaml."""
    wrong: Any = import_module("yaml").YAMLError
    try:
        parser: Any = import_module("yaml.cyaml").CParser(text)
        while parser.check_event():
            yield parser.get_event()
    except (wrong, ValueError) as error:
        raise _SaidByParser(error) from None


def _careful(text: str) -> Iterator[Any]:
    """The events of the parser written in Python."""
    from ruamel.yaml import YAML
    from ruamel.yaml.error import YAMLError

    try:
        yield from cast(Any, YAML(typ="safe", pure=True)).parse(text)
    except (YAMLError, ValueError, AssertionError, IndexError) as error:
        raise _SaidByParser(error) from None


@dataclass
class _Open:
    """A mapping or sequence that has begun."""

    value: Any
    node: Node
    anchor: str | None
    key: str | None = None
    count: int = 1


@dataclass(frozen=True)
class _Anchored:
    value: Json
    node: Node | Place
    count: int
    """How many values it holds, itself among them, aliases unfolded."""
    depth: int
    """Levels in it."""
    text: str | None
    """Of a scalar, as it may be a mapping's name."""


class _Builder:
    """Events to JSON values with the types of YAML 1.2's JSON schema (section 10.2): what is plain and neither null, a
    boolean nor a JSON number is a string. An alias is the same value again, so that nothing is unfolded."""

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._open: list[_Open] = []
        self._opened: set[str] = set()
        self._anchors: dict[str, _Anchored] = {}
        self._result: tuple[Json, Node] | None = None
        self._total = self._added = 0
        self._deepest: dict[int, int] = {}

    def build(self, events: Iterator[Any]) -> tuple[Json, Node]:
        """The value of the one document, null for none."""
        for event in events:
            match type(event).__name__:
                case "ScalarEvent":
                    self._scalar(event)
                case "AliasEvent":
                    self._alias(event)
                case "MappingStartEvent":
                    self._begin({}, event)
                case "SequenceStartEvent":
                    self._begin([], event)
                case "MappingEndEvent" | "SequenceEndEvent":
                    self._end()
                case "DocumentStartEvent" if self._result is not None:
                    message = "not valid YAML: expected a single document in the stream, but found another document"
                    raise _wrong(message, event)
                case _:
                    pass
        return self._result or (None, Node((1, 1)))

    def _scalar(self, event: Any) -> None:
        place = (event.start_mark.line + 1, event.start_mark.column + 1)
        text: str = event.value
        opened = self._open[-1] if self._open else None
        if opened is not None and opened.key is None and isinstance(opened.value, dict):
            text = _joined(text, event)
            self._name(opened, text, place, event)
            if event.anchor:
                self._anchors[event.anchor] = _Anchored(text, place, 1, 1, text)
            return
        value = _value(text, event)
        if event.anchor:
            self._anchors[event.anchor] = _Anchored(value, place, 1, 1, text)
        if len(self._open) >= self._limits.depth:
            raise self._too_deep(event)
        if self._open:
            self._note_depth(1)
        self._add(value, place, 1, event)

    def _name(self, opened: _Open, key: str, place: Place, event: Any) -> None:
        if key in opened.value:
            raise _wrong(f'the name "{key}" stands twice in one mapping', event)
        opened.node.names[key] = place
        opened.key = key

    def _alias(self, event: Any) -> None:
        if event.anchor in self._opened:
            raise _wrong("an alias that contains itself", event)
        if event.anchor not in self._anchors:
            raise _wrong(f"not valid YAML: found undefined alias {event.anchor!r}", event)
        meant = self._anchors[event.anchor]
        opened = self._open[-1] if self._open else None
        if opened is not None and opened.key is None and isinstance(opened.value, dict):
            if meant.text is None:
                raise _wrong("a mapping's key must be a string", event)
            self._name(opened, _joined(meant.text, event), _place(event), event)
            return
        self._added += meant.count
        if self._added > self._limits.aliases:
            message = f"aliases unfold into more than {self._limits.aliases} values"
            raise _wrong(message, event, "aliases")
        if len(self._open) + meant.depth > self._limits.depth:
            raise self._too_deep(event)
        self._add(meant.value, meant.node, meant.count, event)
        if self._open:
            self._note_depth(meant.depth)

    def _begin(self, value: Json, event: Any) -> None:
        opened = self._open[-1] if self._open else None
        if opened is not None and opened.key is None and isinstance(opened.value, dict):
            raise _wrong("a mapping's key must be a string", event)
        if len(self._open) >= self._limits.depth:
            raise self._too_deep(event)
        node = Node(_place(event), values={} if isinstance(value, dict) else [])
        self._open.append(_Open(value, node, event.anchor))
        if event.anchor:
            self._opened.add(event.anchor)
            self._anchors.pop(event.anchor, None)

    def _end(self) -> None:
        done = self._open.pop()
        depth = self._deepest.pop(len(self._open), 0) + 1
        if done.anchor:
            self._opened.discard(done.anchor)
            self._anchors[done.anchor] = _Anchored(done.value, done.node, done.count, depth, None)
        if self._open:
            self._note_depth(depth)
        self._add(done.value, done.node, done.count, None)

    def _note_depth(self, depth: int) -> None:
        at = len(self._open) - 1
        self._deepest[at] = max(depth, self._deepest.get(at, 0))

    def _add(self, value: Json, node: Node | Place, count: int, event: Any) -> None:
        if event is not None:
            self._total += count
            if self._total > self._limits.values:
                raise _wrong(f"more than {self._limits.values} values", event, "values")
        if not self._open:
            self._result = (value, node if isinstance(node, Node) else Node(node))
            return
        opened = self._open[-1]
        opened.count += count
        if opened.key is not None:  # the value of a mapping's member
            opened.value[opened.key] = value
            cast("dict[str, Node | Place]", opened.node.values)[opened.key] = node
            opened.key = None
        else:
            opened.value.append(value)
            cast("list[Node | Place]", opened.node.values).append(node)

    def _too_deep(self, event: Any) -> WrongYaml:
        return _wrong(f"nested more than {self._limits.depth} levels deep", event, "depth")


def _place(event: Any) -> Place:
    return event.start_mark.line + 1, event.start_mark.column + 1


def _wrong(message: str, event: Any, limit: str = "") -> WrongYaml:
    return WrongYaml(message, *_place(event), limit)


def _value(text: str, event: Any) -> Json:
    tag = "" if event.tag is None else str(event.tag)
    if (tag.startswith("!") and tag != "!") or "python/" in tag:
        raise _wrong(f"the tag {tag} has no meaning here", event)
    if event.style or tag == "!" or tag == "tag:yaml.org,2002:str":
        return _joined(text, event)
    if text in ("null", ""):
        return None
    if text in ("true", "false"):
        return text == "true"
    if match := NUMBER.fullmatch(text):
        try:
            number = float(text) if match[2] or match[3] else int(text)
        except ValueError:
            number = float("inf")
        if number in (float("inf"), float("-inf")):
            raise _wrong(f"{text[:20]} is too large a number", event)
        return number
    if text in _NO_NUMBERS:
        raise _wrong(f"{text} is not a JSON number", event)
    return text


def _joined(text: str, event: Any) -> str:
    """A string, its surrogate pairs joined as JSON joins them."""
    if text.isascii():
        return text
    try:
        return text.encode("utf-16", "surrogatepass").decode("utf-16")
    except UnicodeDecodeError:
        raise _wrong("a string holds a lone surrogate, which no UTF-8 can say", event) from None
