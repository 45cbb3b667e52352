"""Expand and match the URI templates of resources (RFC 6570, levels 1 to 3)."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from string import ascii_letters, digits
from typing import NamedTuple, TypeAlias
from urllib.parse import quote, unquote_to_bytes

_RESERVED = ":/?#[]@!$&'()*+,;="
_UNRESERVED = f"{ascii_letters}{digits}._~-"
_OCTET = "%[0-9A-Fa-f]{2}"
_PAIR = rf"([?&])([%{_UNRESERVED}]+)=((?:[{_UNRESERVED}]|{_OCTET})*)"
_NOT_OCTET = "%(?![0-9A-Fa-f]{2})"


# --- making them -----------------------------------------------------------------------------------------------------
def unreserved(value: str) -> str:
    """Percent-encode everything except unreserved characters; a lone surrogate raises a UnicodeEncodeError."""
    return quote(value, safe="")


def reserved(value: str) -> str:
    """Do the same, but keep reserved and encoded characters, as `{+path}` and `{#part}` require."""
    return quote(re.sub(_NOT_OCTET, "%25", value), safe=f"{_RESERVED}%")


def parameter(name: str, value: str) -> str:
    """Return `name=value` of `{;name}`, without the `=` if the value is empty."""
    return f"{name}={unreserved(value)}" if value else name


def query(first: str, *pairs: tuple[str, str | None]) -> str:
    """Return `?a=…&b=…` of `{?a,b}`, or its continuation if `first` is `&`; None is left out."""
    encoded = [f"{name}={unreserved(value)}" for name, value in pairs if value is not None]
    return first + "&".join(encoded) if encoded else ""


# --- taking them apart -----------------------------------------------------------------------------------------------
class Variable(NamedTuple):
    """Placeholder for a value. With a `lead` (`=` of `{;name}`), the value is empty if the lead is missing."""

    name: str
    reserved: bool = False
    lead: str = ""


class Query(NamedTuple):
    """Placeholder for the `name=value` pairs of `{?a,b}` or `{&a,b}`, any of them, in any order."""

    first: str
    names: tuple[str, ...]


Part: TypeAlias = str | Variable | Query


def matched(parts: Sequence[Part], uri: str) -> dict[str, str] | None:
    """Return the values with which a template expands to this URI; None if there are none.

    Each variable matches as much as the rest of the template allows. The time is linear in the URI's length.
    """
    if parts and isinstance(parts[0], str) and not uri.startswith(parts[0]):
        return None  # at once, since a server tries all of its templates
    ends: list[dict[int, int]] = []
    rest: Collection[int] = {len(uri)}
    for part in reversed(parts):
        ends.append(_map_ends(part, uri, rest))
        rest = ends[-1]
    if 0 not in rest:
        return None
    offset, values = 0, dict[str, str]()
    try:
        for part, end_by_start in zip(parts, reversed(ends), strict=True):
            text, offset = uri[offset : end_by_start[offset]], end_by_start[offset]
            for name, value in _read_values(part, text):
                if values.setdefault(name, value) != value:
                    return None
    except UnicodeDecodeError:
        return None
    return values


def _map_ends(part: Part, uri: str, rest: Collection[int]) -> dict[int, int]:
    """Return where a part ends at most, by each position from which it matches, and the parts after it from `rest`."""
    offsets = range(len(uri), -1, -1)
    if isinstance(part, str):
        return {at - len(part): at for at in rest if uri.endswith(part, 0, at)}
    if isinstance(part, Query):
        return {at: end for at in offsets for end in _find_pair_ends(part, uri, at) if end in rest}
    allowed = {*_UNRESERVED, *(_RESERVED if part.reserved else ())}
    match_octet = re.compile(_OCTET).match
    ends: dict[int, int] = {}
    for at in offsets:
        length = 1 if uri[at : at + 1] in allowed else 3 if match_octet(uri, at) else 0
        if at + length in ends:
            ends[at] = ends[at + length]
        elif at in rest:
            ends[at] = at
    if not part.lead:
        return ends
    led = {at - 1: end for at, end in ends.items() if at and uri[at - 1] == part.lead}
    return {at: at for at in rest} | led


def _find_pair_ends(part: Query, uri: str, start: int) -> Iterator[int]:
    """Yield where the pairs that start here may end: before the first, and after each."""
    end, mark, missing_names = start, part.first, set(part.names)
    yield end
    while uri.startswith(mark, end) and (pair := re.compile(_PAIR).match(uri, end)) and pair[2] in missing_names:
        missing_names.remove(pair[2])
        end, mark = pair.end(), "&"
        yield end


def _read_values(part: Part, text: str) -> Iterator[tuple[str, str]]:
    if isinstance(part, Query):
        yield from ((pair[2], _decode(pair[3])) for pair in re.finditer(_PAIR, text))
    elif isinstance(part, Variable):
        value = text.removeprefix(part.lead)
        yield part.name, _decode_unreserved(value) if part.reserved else _decode(value)


def _decode(text: str) -> str:
    return unquote_to_bytes(text).decode()


def _decode_unreserved(text: str) -> str:
    """Decode octets, except those of reserved characters, which `{+path}` does not encode."""

    def decode_run(run: re.Match[str]) -> str:
        return "".join(f"%{ord(char):02X}" if char in f"{_RESERVED}%" else char for char in _decode(run[0]))

    return re.sub("%25(?![0-9A-Fa-f]{2})", "%", re.sub(f"(?:{_OCTET})+", decode_run, text))
