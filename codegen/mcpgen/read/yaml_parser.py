"""Parse YAML text to a JSON value with the position of every part, in time and memory linear in the text."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any, TypeAlias, cast

from mcpgen.config.models import Limits
from mcpgen.schema.values import Json, parse_array_index

MAX_SLOW_LENGTH = 64 * 2**10
"""Characters up to which the parser written in Python is used for texts that libyaml cannot read correctly.

It is far slower, but it supports YAML 1.2 and has better error messages."""
MAX_LENGTH_WITHOUT_LIBYAML = 2**20
"""Characters up to which it is used where libyaml is not installed."""
MAX_DIRECTIVES = 100
JSON_NUMBER = re.compile(r"-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][-+]?[0-9]+)?")
_UNICODE_BREAKS = re.compile("[\x85\u2028\u2029]")
"""Line breaks of YAML 1.1, which libyaml implements; in 1.2 they are ordinary characters."""
_NON_FINITE_NUMBERS = (".nan", ".NaN", ".NAN", ".inf", ".Inf", ".INF", "-.inf", "-.Inf", "-.INF")


class InvalidYaml(ValueError):
    """Text that is not valid YAML, or not a JSON value; `line` and `column` count from 1.

    `limit` is the key of the limit that it exceeds, "" for other faults.
    """

    def __init__(self, message: str, line: int, column: int, limit: str = "") -> None:
        super().__init__(message)
        self.message, self.line, self.column, self.limit = message, line, column, limit

    def __reduce__(self) -> tuple[object, ...]:
        return type(self), (self.message, self.line, self.column, self.limit), self.__dict__


YamlPosition: TypeAlias = "tuple[int, int]"
"""Line and column, from 1."""


@dataclass
class YamlNode:
    """Position of a value, and of the names and values in it."""

    place: YamlPosition
    names: dict[str, YamlPosition] = field(default_factory=dict[str, YamlPosition])
    values: dict[str, YamlNode | YamlPosition] | list[YamlNode | YamlPosition] = field(
        default_factory=list["YamlNode | YamlPosition"]
    )

    def find(self, path: list[str], key: str | None) -> YamlPosition:
        """Return the position of the value at a path, or of its nearest ancestor; with `key`, of that member's name."""
        node: YamlNode | YamlPosition = self
        for token in path:
            if not isinstance(node, YamlNode):
                break
            children: Any = node.values
            index: Any = token if isinstance(children, dict) else parse_array_index(token)
            if index is None or (index not in children if isinstance(children, dict) else index >= len(children)):
                break
            node = cast("YamlNode | YamlPosition", children[index])
        if isinstance(node, YamlNode):
            return node.names.get(key, node.place) if key is not None else node.place
        return node


def parse_yaml(text: str, limits: Limits) -> tuple[Json, YamlNode]:
    """Return the JSON value of a YAML text and the positions of its parts; raise `InvalidYaml` if it has none."""
    if text.count("\n%") > MAX_DIRECTIVES:
        raise InvalidYaml(f"not valid YAML: more than {MAX_DIRECTIVES} directives", 1, 1)
    has_libyaml = bool(import_module("yaml").__with_libyaml__)
    if has_libyaml and not (len(text) <= MAX_SLOW_LENGTH and _UNICODE_BREAKS.search(text)):
        try:
            return _YamlBuilder(limits).build(_iterate_libyaml_events(text))
        except _ParserComplaint as complaint:
            if len(text) > MAX_SLOW_LENGTH:
                raise _explain_complaint(complaint.error) from None
    elif len(text) > MAX_LENGTH_WITHOUT_LIBYAML:
        raise InvalidYaml(f"{len(text)} characters are more than can be read without libyaml", 1, 1)
    try:
        return _YamlBuilder(limits).build(_iterate_python_events(text))
    except _ParserComplaint as complaint:
        raise _explain_complaint(complaint.error) from None


class _ParserComplaint(Exception):
    def __init__(self, error: Any) -> None:
        super().__init__(str(error))
        self.error = error


def _explain_complaint(error: Any) -> InvalidYaml:
    mark = getattr(error, "problem_mark", None) or getattr(error, "context_mark", None)
    line, column = (mark.line + 1, mark.column + 1) if mark else (1, 1)
    problem, context = getattr(error, "problem", None), getattr(error, "context", None)
    if not problem and not context:
        return InvalidYaml(f"not valid YAML: {' '.join(str(error).split())}", line, column)
    if "nesting depth" in str(problem):  # libyaml's own limit, met while it looks ahead
        return InvalidYaml("nested too deeply to be read", line, column)
    message = f"{context}, {problem}" if str(problem or "").startswith("but ") else problem or context
    return InvalidYaml(f"not valid YAML: {message}", line, column)


def _iterate_libyaml_events(text: str) -> Iterator[Any]:
    yaml_error: Any = import_module("yaml").YAMLError
    try:
        parser: Any = import_module("yaml.cyaml").CParser(text)
        while parser.check_event():
            yield parser.get_event()
    except (yaml_error, ValueError) as error:
        raise _ParserComplaint(error) from None


def _iterate_python_events(text: str) -> Iterator[Any]:
    from ruamel.yaml import YAML
    from ruamel.yaml.error import YAMLError

    try:
        yield from cast(Any, YAML(typ="safe", pure=True)).parse(text)
    except (YAMLError, ValueError, AssertionError, IndexError) as error:
        raise _ParserComplaint(error) from None


@dataclass
class _OpenCollection:
    value: Any
    node: YamlNode
    anchor: str | None
    key: str | None = None
    count: int = 1


@dataclass(frozen=True)
class _AnchoredValue:
    value: Json
    node: YamlNode | YamlPosition
    count: int
    """Number of values in it, itself included, aliases unfolded."""
    depth: int
    """Levels of nesting in it."""
    text: str | None
    """Text of a scalar, which can be the name of a member."""


class _YamlBuilder:
    """Builder of a JSON value from events, with the types of YAML 1.2's JSON schema (section 10.2).

    A plain scalar that is neither null, a boolean nor a JSON number is a string. An alias is the same value again, so
    nothing is unfolded.
    """

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._open: list[_OpenCollection] = []
        self._opened: set[str] = set()
        self._anchors: dict[str, _AnchoredValue] = {}
        self._result: tuple[Json, YamlNode] | None = None
        self._total = self._added = 0
        self._deepest: dict[int, int] = {}

    def build(self, events: Iterator[Any]) -> tuple[Json, YamlNode]:
        for event in events:
            match type(event).__name__:
                case "ScalarEvent":
                    self._add_scalar(event)
                case "AliasEvent":
                    self._add_alias(event)
                case "MappingStartEvent":
                    self._begin_collection({}, event)
                case "SequenceStartEvent":
                    self._begin_collection([], event)
                case "MappingEndEvent" | "SequenceEndEvent":
                    self._end_collection()
                case "DocumentStartEvent" if self._result is not None:
                    message = "not valid YAML: expected a single document in the stream, but found another document"
                    raise _make_yaml_error(message, event)
                case _:
                    pass
        return self._result or (None, YamlNode((1, 1)))

    def _find_nameless(self) -> _OpenCollection | None:
        """Return the innermost mapping if the next event is the name of a member, else None."""
        opened = self._open[-1] if self._open else None
        return opened if opened is not None and opened.key is None and isinstance(opened.value, dict) else None

    def _add_scalar(self, event: Any) -> None:
        place, text = _get_position(event), str(event.value)
        opened = self._find_nameless()
        value = _resolve_scalar(text, event) if opened is None else _join_surrogates(text, event)
        if event.anchor:
            self._anchors[event.anchor] = _AnchoredValue(value, place, 1, 1, text)
        if opened is not None:
            self._start_member(opened, str(value), event)
        else:
            self._check_depth(1, event)
            self._add_value(value, place, 1, event)

    def _start_member(self, opened: _OpenCollection, key: str, event: Any) -> None:
        if key in opened.value:
            raise _make_yaml_error(f'the name "{key}" stands twice in one mapping', event)
        opened.node.names[key] = _get_position(event)
        opened.key = key

    def _add_alias(self, event: Any) -> None:
        if event.anchor in self._opened:
            raise _make_yaml_error("an alias that contains itself", event)
        if event.anchor not in self._anchors:
            raise _make_yaml_error(f"not valid YAML: found undefined alias {event.anchor!r}", event)
        anchored = self._anchors[event.anchor]
        if (opened := self._find_nameless()) is not None:
            if anchored.text is None:
                raise _make_yaml_error("a mapping's key must be a string", event)
            self._start_member(opened, _join_surrogates(anchored.text, event), event)
            return
        self._added += anchored.count
        if self._added > self._limits.aliases:
            message = f"aliases unfold into more than {self._limits.aliases} values"
            raise _make_yaml_error(message, event, "aliases")
        self._check_depth(anchored.depth, event)
        self._add_value(anchored.value, anchored.node, anchored.count, event)

    def _begin_collection(self, value: Json, event: Any) -> None:
        if self._find_nameless() is not None:
            raise _make_yaml_error("a mapping's key must be a string", event)
        self._check_depth(1, event)
        node = YamlNode(_get_position(event), values={} if isinstance(value, dict) else [])
        self._open.append(_OpenCollection(value, node, event.anchor))
        if event.anchor:
            self._opened.add(event.anchor)
            self._anchors.pop(event.anchor, None)

    def _end_collection(self) -> None:
        closed = self._open.pop()
        depth = self._deepest.pop(len(self._open), 0) + 1
        if closed.anchor:
            self._opened.discard(closed.anchor)
            self._anchors[closed.anchor] = _AnchoredValue(closed.value, closed.node, closed.count, depth, None)
        self._note_depth(depth)
        self._add_value(closed.value, closed.node, closed.count, None)

    def _check_depth(self, depth: int, event: Any) -> None:
        if len(self._open) + depth > self._limits.depth:
            raise _make_yaml_error(f"nested more than {self._limits.depth} levels deep", event, "depth")
        self._note_depth(depth)

    def _note_depth(self, depth: int) -> None:
        index = len(self._open) - 1
        self._deepest[index] = max(depth, self._deepest.get(index, 0))

    def _add_value(self, value: Json, node: YamlNode | YamlPosition, count: int, event: Any) -> None:
        if event is not None:
            self._total += count
            if self._total > self._limits.values:
                raise _make_yaml_error(f"more than {self._limits.values} values", event, "values")
        if not self._open:
            self._result = (value, node if isinstance(node, YamlNode) else YamlNode(node))
            return
        opened = self._open[-1]
        opened.count += count
        if opened.key is not None:  # the value of a mapping's member
            opened.value[opened.key] = value
            cast("dict[str, YamlNode | YamlPosition]", opened.node.values)[opened.key] = node
            opened.key = None
        else:
            opened.value.append(value)
            cast("list[YamlNode | YamlPosition]", opened.node.values).append(node)


def _get_position(event: Any) -> YamlPosition:
    return event.start_mark.line + 1, event.start_mark.column + 1


def _make_yaml_error(message: str, event: Any, limit: str = "") -> InvalidYaml:
    return InvalidYaml(message, *_get_position(event), limit)


def _resolve_scalar(text: str, event: Any) -> Json:
    tag = "" if event.tag is None else str(event.tag)
    if (tag.startswith("!") and tag != "!") or "python/" in tag:
        raise _make_yaml_error(f"the tag {tag} has no meaning here", event)
    if event.style or tag == "!" or tag == "tag:yaml.org,2002:str":
        return _join_surrogates(text, event)
    if text in ("null", ""):
        return None
    if text in ("true", "false"):
        return text == "true"
    if match := JSON_NUMBER.fullmatch(text):
        try:
            number = float(text) if match[2] or match[3] else int(text)
        except ValueError:
            number = float("inf")
        if number in (float("inf"), float("-inf")):
            raise _make_yaml_error(f"{text[:20]} is too large a number", event)
        return number
    if text in _NON_FINITE_NUMBERS:
        raise _make_yaml_error(f"{text} is not a JSON number", event)
    return text


def _join_surrogates(text: str, event: Any) -> str:
    if text.isascii():
        return text
    try:
        return text.encode("utf-16", "surrogatepass").decode("utf-16")
    except UnicodeDecodeError:
        raise _make_yaml_error("a string holds a lone surrogate, which no UTF-8 can say", event) from None


# --- help ------------------------------------------------------------------------------------------------------------
_YAML_FIXES = (
    (r"character '\\t' that cannot start", "indent with spaces: replace the tab at the start of this line"),
    (r"character '[@`]' that cannot start", "put the text into quotes: no plain text begins with @ or `"),
    (r"character '%' that cannot start", "put the text into quotes: no plain text begins with %"),
    (r"mapping values are not allowed", 'put a text with ": " into quotes, or correct the indentation of this line'),
    (
        r"expected '?<(block end|document start)>'?, but",
        "indent all names of one mapping alike, all items of a list too",
    ),
    (r"could not find expected ':'", 'write "name: value", with a space after the colon'),
    (r"another document", "a file holds one document: remove the line ---, or give each its own file"),
    (r"undefined alias", "put a text that begins with * into quotes"),
    (r"while scanning a quoted scalar|unexpected end of stream", "close the quote"),
    (r"expected ',' or '[\]}]'", "close the bracket, or write a comma between two items"),
    (r"^the tag ", "remove the tag, or put the text into quotes"),
    (r"stands twice in one mapping", "remove one of the two, or rename it"),
    (r"a mapping's key must be a string", "write the name as text; { } and [ ] inside of a text need quotes"),
)
"""Pattern of a message → what to do."""


def explain_yaml_fault(message: str) -> tuple[str, str]:
    """Return the message and the help for a fault in a YAML text."""
    help = next((help for pattern, help in _YAML_FIXES if re.search(pattern, message)), "")
    if "character '\\t'" in message:
        message = "not valid YAML: this line is indented with a tab, which YAML does not allow"
    return message, help
