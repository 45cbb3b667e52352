"""Expand and match the URI templates of resources (RFC 6570, levels 1 to 3)."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeAlias
from urllib.parse import quote, unquote_to_bytes

_UNRESERVED = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")
_RESERVED = frozenset(":/?#[]@!$&'()*+,;=")
_HEX = frozenset("0123456789abcdefABCDEF")
_TRIPLETS = "(?:%[0-9A-Fa-f]{2})+"
_ENCODED_PERCENT = "%25(?![0-9A-Fa-f]{2})"
_NOT_TRIPLET = "%(?![0-9A-Fa-f]{2})"


# --- making them -----------------------------------------------------------------------------------------------------
def unreserved(value: str) -> str:
    """Percent-encode everything except unreserved characters.

    Raises:
        UnicodeEncodeError: a ValueError; the value has a lone surrogate.
    """
    return quote(value, safe="")


def reserved(value: str) -> str:
    """Percent-encode everything except reserved and encoded characters, as `{+path}` and `{#part}` require.

    Raises:
        UnicodeEncodeError: a ValueError; the value has a lone surrogate.
    """
    return quote(re.sub(_NOT_TRIPLET, "%25", value), safe=":/?#[]@!$&'()*+,;=%")


def parameter(name: str, value: str) -> str:
    """Return `name=value` of `{;name}`, without the `=` if the value is empty."""
    return f"{name}={unreserved(value)}" if value else name


def query(first: str, *pairs: tuple[str, str | None]) -> str:
    """Return `?a=…&b=…` of `{?a,b}`, or its continuation if `first` is `&`; None is left out."""
    encoded = [f"{name}={unreserved(value)}" for name, value in pairs if value is not None]
    return first + "&".join(encoded) if encoded else ""


# --- taking them apart -----------------------------------------------------------------------------------------------
@dataclass(frozen=True)
class Variable:
    """Placeholder for a value. With a `lead` (`=` of `{;name}`), the value is empty if the lead is missing."""

    name: str
    reserved: bool = False
    lead: str = ""


@dataclass(frozen=True)
class Query:
    """Placeholder for the `name=value` pairs of `{?a,b}` or `{&a,b}`, any of them, in any order."""

    first: str
    names: tuple[str, ...]


Part: TypeAlias = str | Variable | Query


def matched(parts: Sequence[Part], uri: str) -> dict[str, str] | None:
    """Return the values with which a template expands to this URI; None if there are none.

    Each variable matches as much as the rest of the template allows. The time is linear in the URI's length.
    """
    first = parts[0] if parts else ""
    if isinstance(first, str) and not uri.startswith(first):
        return None  # at once, since a server tries all of its templates
    ends: list[Callable[[int], int | None]] = []
    fits_rest = bytearray(len(uri) + 1)
    fits_rest[len(uri)] = True
    for part in reversed(parts):
        step, fits_rest = _match_backward(part, uri, fits_rest)
        ends.append(step)
    if not fits_rest[0]:
        return None
    offset, values = 0, dict[str, str]()
    for part, step in zip(parts, reversed(ends), strict=True):
        end = step(offset)
        assert end is not None  # `rest` guarantees a match from here to the end
        for name, value in _split_values(part, uri[offset:end]):
            decoded = _decode_value(value, isinstance(part, Variable) and part.reserved)
            if decoded is None or values.setdefault(name, decoded) != decoded:
                return None
        offset = end
    return values


def _match_backward(part: Part, uri: str, fits_rest: bytearray) -> tuple[Callable[[int], int | None], bytearray]:
    """Return where a part ends from each position, and the positions from which it and the rest match.

    `rest` has those positions for the parts after it.
    """
    matches = bytearray(len(uri) + 1)
    reach: dict[int, int] = {}
    match part:
        case str():
            offset = uri.find(part)
            while offset >= 0:
                if fits_rest[offset + len(part)]:
                    matches[offset], reach[offset] = True, offset + len(part)
                offset = uri.find(part, offset + 1)
        case Variable():
            for offset in range(len(uri), -1, -1):
                next_offset = _skip_character(uri, offset, part.reserved)
                if next_offset and next_offset in reach:
                    reach[offset] = reach[next_offset]
                elif fits_rest[offset]:
                    reach[offset] = offset
            if part.lead:
                bare = {at: at for at in range(len(uri) + 1) if fits_rest[at]}
                led = {at - 1: end for at, end in reach.items() if at and uri[at - 1] == part.lead}
                reach = {**bare, **led}
            for offset in reach:
                matches[offset] = True
        case Query():
            for offset in range(len(uri) + 1):
                ends = [end for end in _find_query_ends(part, uri, offset) if fits_rest[end]]
                if ends:
                    matches[offset], reach[offset] = True, ends[-1]
    return reach.get, matches


def _skip_character(uri: str, offset: int, reserved: bool) -> int:
    """Return the position after the character or percent-encoded octet that starts here; 0 if there is none."""
    char = uri[offset : offset + 1]
    if char in _UNRESERVED or (reserved and char in _RESERVED):
        return offset + 1
    octet = uri[offset + 1 : offset + 3]
    return offset + 3 if char == "%" and len(octet) == 2 and _HEX.issuperset(octet) else 0


def _find_query_ends(part: Query, uri: str, start: int) -> list[int]:
    """Return where the pairs that start here may end: before the first, and after each."""
    ends, offset, mark, missing_names = [start], start, part.first, set(part.names)
    while missing_names and uri.startswith(mark, offset):
        name, equals, _ = uri[offset + 1 : offset + 1 + max(map(len, missing_names)) + 1].partition("=")
        if not equals or name not in missing_names:
            break
        missing_names.discard(name)
        offset += len(name) + 2
        while next_offset := _skip_character(uri, offset, False):
            offset = next_offset
        ends.append(offset)
        mark = "&"
    return ends


def _split_values(part: Part, text: str) -> list[tuple[str, str]]:
    match part:
        case str():
            return []
        case Variable():
            return [(part.name, text.removeprefix(part.lead))]
        case Query():
            pairs = (pair.partition("=") for pair in text[1:].split("&") if pair)
            return [(name, value) for name, _, value in pairs]


def _decode_value(value: str, reserved: bool) -> str | None:
    """Decode a value; None if its octets are not UTF-8."""
    try:
        if not reserved:
            return unquote_to_bytes(value).decode()
        text = re.sub(_TRIPLETS, _decode_run, value)
        return re.sub(_ENCODED_PERCENT, "%", text)
    except UnicodeDecodeError:
        return None


def _decode_run(run: re.Match[str]) -> str:
    """Decode octets, except those of reserved characters, which `{+path}` does not encode."""
    text = unquote_to_bytes(run[0]).decode()
    return "".join(f"%{ord(char):02X}" if char in _RESERVED or char == "%" else char for char in text)
