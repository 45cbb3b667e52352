"""One input file: its bytes, the JSON value they say, and the place of every part of that value."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from json import decoder
from pathlib import Path
from typing import Any, cast

from mcpgen.config import Limits
from mcpgen.diagnostics import Findings, Span
from mcpgen.json_types import Json, pointer, tokens
from mcpgen.read.disk import Disk

_SPACE = re.compile(r"[ \t\n\r]*")
_NUMBER = re.compile(r"-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][-+]?[0-9]+)?")
_decode = json.JSONDecoder().raw_decode
_scan: Callable[[str, int, bool], tuple[str, int]] = vars(decoder)["scanstring"]


@dataclass
class Document:
    """A parsed file. `name` is the path as messages show it."""

    path: Path
    name: str
    text: str
    value: Json = None
    marks: dict[str, tuple[int, int]] | None = None
    """JSON pointer → (line, column) from 1, for YAML; JSON is searched when a place is asked for."""
    _lines: list[str] = field(default_factory=list[str])

    def span(self, at: str = "", key: str | None = None) -> Span:
        """The place of the value at a JSON pointer, or of the member name `key` in the object there.

        A pointer that leads nowhere gives the place of its nearest ancestor.
        """
        line, column = self._find(at, key)
        shown = at if key is None else at + pointer(key)
        return Span(self.name, line, column, shown, self.line(line))

    def line(self, number: int) -> str:
        """A source line, counted from 1, or nothing."""
        if not self._lines:
            self._lines = self.text.split("\n")
        return self._lines[number - 1].rstrip("\r") if 0 < number <= len(self._lines) else ""

    def _find(self, at: str, key: str | None) -> tuple[int, int]:
        if self.marks is not None:
            if key is not None and (mark := self.marks.get(at + pointer(key) + " key")):
                return mark
            while at not in self.marks and at:
                at = at.rpartition("/")[0]
            return self.marks.get(at, (1, 1))
        return line_column(self.text, _locate(self.text, tokens(at), key))


def line_column(text: str, offset: int) -> tuple[int, int]:
    """An offset as (line, column), both from 1."""
    before = text.rfind("\n", 0, offset)
    return text.count("\n", 0, offset) + 1, offset - before


def load(path: Path, name: str, findings: Findings, limits: Limits, disk: Disk | None = None) -> Document | None:
    """Read and parse a JSON or YAML file; what is wrong with it goes into `findings`."""
    disk = disk or Disk()
    disk.is_file(path)  # so that it is known to be wanted, also where there is none
    try:
        if (size := path.stat().st_size) > limits.file_size:
            findings.error("MG009", f"{size} bytes are more than {limits.file_size}", Span(name), _raise("file-size"))
            return None
        data = disk.read(path)
    except OSError as error:
        findings.error("MG001", f"cannot be read: {error.strerror}", Span(name))
        return None
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        column = len(data[data.rfind(b"\n", 0, error.start) + 1 : error.start].decode("utf-8", "replace")) + 1
        findings.error(
            "MG002", "not valid UTF-8", Span(name, line, column), help="save the file as UTF-8, without other bytes"
        )
        return None
    document = Document(path, name, text)
    is_json = path.suffix == ".json"
    ok = _parse_json(document, findings) if is_json else _parse_yaml(document, findings, limits)
    return document if ok and _within(document, limits, findings) else None


def _raise(limit: str) -> str:
    return f"raise `limits.{limit}` in the settings if this is meant"


def _within(document: Document, limits: Limits, findings: Findings) -> bool:
    """Whether a value is neither too deep nor too large to be worked on."""
    count = 0
    stack: list[tuple[Json, int, str]] = [(document.value, 1, "")]
    while stack:
        value, depth, at = stack.pop()
        count += 1
        if depth > limits.depth:
            message = f"nested more than {limits.depth} levels deep"
            findings.error("MG009", message, document.span(at), _raise("depth"))
            return False
        if isinstance(value, dict):
            stack.extend((inner, depth + 1, at + pointer(key)) for key, inner in value.items())
        elif isinstance(value, list):
            stack.extend((inner, depth + 1, at + pointer(index)) for index, inner in enumerate(value))
    if count > limits.values:
        message = f"{count} values are more than {limits.values}"
        findings.error("MG009", message, document.span(), _raise("values"))
        return False
    return True


# --- JSON -----------------------------------------------------------------------------------------------------------
class _BadConstant(ValueError):
    """NaN, Infinity or a number beyond all floats: Python's parser takes them, JSON has none."""


class _Duplicate(ValueError):
    """A member name that stands twice in an object."""


def _pairs(items: list[tuple[str, Json]]) -> dict[str, Json]:
    value = dict(items)
    if len(value) != len(items):
        seen: set[str] = set()
        for key, _ in items:
            if key in seen:
                raise _Duplicate(key)
            seen.add(key)
    return value


def _constant(name: str) -> Json:
    raise _BadConstant(name)


def _float(text: str) -> float:
    value = float(text)
    if value in (float("inf"), float("-inf")):
        raise _BadConstant(text)
    return value


def _parse_json(document: Document, findings: Findings) -> bool:
    try:
        value = json.loads(document.text, object_pairs_hook=_pairs, parse_constant=_constant, parse_float=_float)
    except json.JSONDecodeError as error:
        at, message = error.pos, error.msg
        before = document.text[:at].rstrip()
        closing = {"}": "object", "]": "array"}.get(document.text[at : at + 1])
        if before.endswith(",") and closing:  # Python 3.13's words, whatever the version
            at, message = len(before) - 1, f"Illegal trailing comma before end of {closing}"
        line, column = line_column(document.text, at)
        span = Span(document.name, line, column, "", document.line(line))
        findings.error("MG002", f"not valid JSON: {message}", span, help=_json_help(document.text, at))
    except (_BadConstant, _Duplicate):
        found, message = _fault(document.text)
        line, column = line_column(document.text, found)
        findings.error("MG002", message, Span(document.name, line, column, "", document.line(line)))
    except RecursionError:
        findings.error("MG002", "nested too deeply to be read", Span(document.name, 1, 1))
    except ValueError:  # an integer of more digits than Python reads
        found, message = _fault(document.text)
        line, column = line_column(document.text, found)
        findings.error("MG002", message, Span(document.name, line, column, "", document.line(line)))
    else:
        if (bad := lone_surrogate(document.text, value)) is not None:
            findings.error("MG002", "a string holds a lone surrogate, which no UTF-8 can say", document.span(bad))
            return False
        document.value = value
        return True
    return False


def lone_surrogate(text: str, value: Json) -> str | None:
    """The pointer of the first string that holds a lone surrogate, if any does."""
    if "\\u" not in text:
        return None
    stack: list[tuple[str, Json]] = [("", value)]
    while stack:
        at, inner = stack.pop()
        match inner:
            case str():
                if not _encodable(inner):
                    return at
            case dict():
                if any(not _encodable(key) for key in inner):
                    return at
                stack.extend((at + pointer(key), child) for key, child in inner.items())
            case list():
                stack.extend((at + pointer(index), child) for index, child in enumerate(inner))
            case _:
                pass
    return None


def _encodable(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def _json_help(text: str, at: int) -> str:
    rest = text[at : at + 1]
    before = text[:at].rstrip()[-1:]
    if rest == "," or (rest in ("}", "]") and before == ","):
        return "remove the comma before the closing bracket"
    if before == ",":
        return "remove the comma after the last member"
    if rest == "'":
        return "JSON strings stand in double quotes"
    if text[at : at + 2] in ("//", "/*") or rest == "#":
        return "JSON has no comments; a .yaml file may hold them"
    return ""


_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|[-+.\w]+|[{}\[\],:]', re.DOTALL)


def _fault(text: str) -> tuple[int, str]:
    """Where text that parses otherwise repeats a name in an object, or has a number that JSON lacks; and what."""
    open_objects: list[set[str] | None] = []
    for token in _TOKEN.finditer(text):
        said = token[0]
        if said in "{[":
            open_objects.append(set() if said == "{" else None)
        elif said in "}]":
            open_objects.pop()
        elif said[0] == '"':
            names = open_objects[-1] if open_objects else None
            if names is not None and text[_skip(text, token.end())] == ":":
                name = str(json.loads(said))
                if name in names:
                    return token.start(), f'the name "{name}" stands twice in one object'
                names.add(name)
        elif len(said) > 4000:
            return token.start(), f"{said[:20]} is too large a number"
        elif said not in ("true", "false", "null", ",", ":") and not math.isfinite(float(said)):
            return token.start(), f"{said} is not a JSON number"
    return 0, "not valid JSON"


def _locate(text: str, path: list[str], key: str | None) -> int:
    """The offset of the value at a path in valid JSON text; of a member's name when `key` is given."""
    at = _skip(text, 0)
    for token in path:
        inner = _member(text, at, token)
        if inner is None:
            return at
        at = inner[1]
    if key is not None and (inner := _member(text, at, key)):
        return inner[0]
    return at


def _member(text: str, at: int, token: str) -> tuple[int, int] | None:
    """(offset of the name, offset of the value) of a member or item of the value at `at`."""
    opening = text[at]
    if opening not in "{[":
        return None
    at = _skip(text, at + 1)
    index = 0
    while text[at] not in "}]":
        start = at
        name = str(index)
        if opening == "{":
            name, at = _scan(text, at + 1, True)
            at = _skip(text, _skip(text, at) + 1)
        if name == token:
            return start, at
        _, at = _decode(text, at)
        at = _skip(text, at)
        if text[at] == ",":
            at = _skip(text, at + 1)
        index += 1
    return None


def _skip(text: str, at: int) -> int:
    match = _SPACE.match(text, at)
    return match.end() if match else at


# --- YAML -----------------------------------------------------------------------------------------------------------
def _parse_yaml(document: Document, findings: Findings, limits: Limits) -> bool:
    from ruamel.yaml import YAML
    from ruamel.yaml.error import MarkedYAMLError, YAMLError

    document.marks = {}
    try:
        node = cast(Any, YAML(typ="safe", pure=True)).compose(document.text)
        document.value = _Builder(document, limits.values).build(node, "") if node is not None else None
    except MarkedYAMLError as error:
        told = cast(Any, error)
        mark = told.problem_mark or told.context_mark
        line, column = (mark.line + 1, mark.column + 1) if mark else (1, 1)
        continues = str(told.problem or "").startswith("but ")
        said = f"{told.context}, {told.problem}" if continues else told.problem or told.context
        span = Span(document.name, line, column, "", document.line(line))
        findings.error("MG002", f"not valid YAML: {said}", span)
    except _YamlError as error:
        findings.error("MG002", error.args[0], error.span)
    except YAMLError as error:
        findings.error("MG002", f"not valid YAML: {' '.join(str(error).split())}", Span(document.name, 1, 1))
    except RecursionError:
        findings.error("MG002", "nested too deeply to be read", Span(document.name, 1, 1))
    else:
        return True
    return False


class _YamlError(ValueError):
    def __init__(self, message: str, span: Span) -> None:
        super().__init__(message)
        self.span = span

    def __reduce__(self) -> tuple[object, ...]:
        return type(self), (*self.args, self.span), self.__dict__


class _Builder:
    """YAML nodes to JSON values with the types of YAML 1.2's JSON schema (section 10.2): what is plain and neither
    null, a boolean nor a JSON number is a string."""

    def __init__(self, document: Document, most: int) -> None:
        self._document, self._left = document, most
        self._marks = document.marks if document.marks is not None else {}
        self._open: set[int] = set()

    def build(self, node: Any, at: str) -> Json:
        """The value of a node; its place and those of everything inside it are kept."""
        self._marks[at] = (node.start_mark.line + 1, node.start_mark.column + 1)
        self._left -= 1
        if self._left < 0:
            raise self._error("aliases unfold into too many values", node, at)
        if id(node) in self._open:
            raise self._error("an alias that contains itself", node, at)
        self._open.add(id(node))
        try:
            if hasattr(node, "style") and isinstance(node.value, str):
                return self._scalar(node, at)
            if (node.value and isinstance(node.value[0], tuple)) or str(node.tag).endswith(":map"):
                return self._mapping(node, at)
            return [self.build(child, at + pointer(index)) for index, child in enumerate(node.value)]
        finally:
            self._open.discard(id(node))

    def _mapping(self, node: Any, at: str) -> dict[str, Json]:
        out: dict[str, Json] = {}
        for key_node, value_node in node.value:
            key = key_node.value
            if not isinstance(key, str):
                raise self._error("a mapping's key must be a string", key_node, at)
            key = self._text(key, key_node, at)
            if key in out:
                raise self._error(f'the name "{key}" stands twice in one mapping', key_node, at)
            mark = key_node.start_mark
            self._marks[at + pointer(key) + " key"] = (mark.line + 1, mark.column + 1)
            out[key] = self.build(value_node, at + pointer(key))
        return out

    def _scalar(self, node: Any, at: str) -> Json:
        text: str = node.value
        tag = str(node.tag)
        if (tag.startswith("!") and tag != "!") or "python/" in tag:
            raise self._error(f"the tag {tag} has no meaning here", node, at)
        if node.style is not None or tag == "!" or tag == "tag:yaml.org,2002:str":
            return self._text(text, node, at)
        if text in ("null", ""):
            return None
        if text in ("true", "false"):
            return text == "true"
        if match := _NUMBER.fullmatch(text):
            try:
                number = float(text) if match[2] or match[3] else int(text)
            except ValueError:
                number = float("inf")
            if number in (float("inf"), float("-inf")):
                raise self._error(f"{text[:20]} is too large a number", node, at)
            return number
        if text in (".nan", ".NaN", ".NAN", ".inf", ".Inf", ".INF", "-.inf", "-.Inf", "-.INF"):
            raise self._error(f"{text} is not a JSON number", node, at)
        return text

    def _text(self, text: str, node: Any, at: str) -> str:
        """A string, its surrogate pairs joined as JSON joins them."""
        try:
            return text.encode("utf-16", "surrogatepass").decode("utf-16")
        except UnicodeDecodeError:
            raise self._error("a string holds a lone surrogate, which no UTF-8 can say", node, at) from None

    def _error(self, message: str, node: Any, at: str) -> _YamlError:
        line = node.start_mark.line + 1
        return _YamlError(
            message, Span(self._document.name, line, node.start_mark.column + 1, at, self._document.line(line))
        )
