"""Rules for what clients, their validators and the APIs of models refuse: names, keywords of schemas, sizes, values."""

from __future__ import annotations

import itertools
import json
import re
from collections.abc import Iterator, Sequence
from decimal import Decimal

from mcpgen.diagnostics import MOST_JOINED, join_words
from mcpgen.lint.clients import CLIENTS, CLIENTS_BY_NAME
from mcpgen.lint.patterns import PatternPart, Reader, find_unportable
from mcpgen.lint.rule import InsertMember, LintedDefinition, LintedSchema, Place, Problem, ReplaceValue
from mcpgen.schema.index import SchemaIndex
from mcpgen.schema.keywords import (
    ANNOTATION_KEYWORDS,
    DEFINITION_KEYWORDS,
    DRAFT_2020_12,
    expand_types,
    iterate_patterns,
    iterate_subschemas,
    list_types,
    list_values,
)
from mcpgen.schema.object_roots import has_object_type
from mcpgen.schema.values import Json, as_array, as_object, format_pointer, get_json_type

_API_TITLES = {"anthropic": "Anthropic's", "openai": "OpenAI's"}


# --- names -----------------------------------------------------------------------------------------------------------
_SPECIFIED_NAME = re.compile(r"[A-Za-z0-9_.-]{1,128}")
_PROPERTY_NAME = re.compile(r"[a-zA-Z0-9_.-]{1,64}")
_GEMINI_CLI_LENGTH = 63
_LONG = 40
"""Characters of a name that a message quotes."""


def check_specified_name(definition: LintedDefinition, clients: frozenset[str]) -> Iterator[Problem]:
    """Find names of tools that the specification advises against."""
    if definition.kind == "tool" and not _SPECIFIED_NAME.fullmatch(definition.name):
        name = _describe(definition.name)
        message = f"{name} is not what the specification advises: 1 to 128 letters, digits, _, - and ."
        yield Problem("/name", message, "rename the tool, and tell those who call it")


def check_accepted_name(definition: LintedDefinition, clients: frozenset[str]) -> Iterator[Problem]:
    """Find names of tools that a client refuses."""
    for client in CLIENTS if definition.kind == "tool" else ():
        if client.name in clients and client.tool_name and not client.tool_name.fullmatch(definition.name):
            message = f"{_describe(definition.name)} is refused by {client.title}: {client.name_words}"
            yield Problem("/name", message, "rename the tool; a client may also rename it, and call it by another name")


def check_property_names(schema: LintedSchema, clients: frozenset[str]) -> Iterator[Problem]:
    """Find properties of arguments whose names an API refuses."""
    for place in schema.objects:
        for name in as_object(place.schema.get("properties")):
            if not _PROPERTY_NAME.fullmatch(name):
                message = f"{_describe(name, 'property')} is refused by Anthropic's API: letters, digits, underscores, "
                message += "dots and hyphens, at most 64"
                help = "rename it, and let the handler translate it; the API refuses all tools of a request with it"
                yield Problem(place.pointer + format_pointer("properties", name), message, help)


def check_equal_names(
    definitions: Sequence[LintedDefinition], clients: frozenset[str]
) -> Iterator[tuple[int, Problem]]:
    """Find tools that have one name after a client has changed what its API would refuse."""
    first_names: dict[str, str] = {}
    for number, definition in enumerate(definitions):
        if definition.kind == "tool":
            changed = _change_name_as_gemini_cli(definition.name)
            first = first_names.setdefault(changed, definition.name)
            if first != definition.name:
                message = f'{_describe(definition.name)} becomes "{changed}" in Gemini CLI, as "{first}" does'
                yield number, Problem("/name", message, "rename one of them: the client keeps one tool of a name")


def _change_name_as_gemini_cli(name: str) -> str:
    valid = re.sub(r"[^a-zA-Z0-9_.-]", "_", name)
    return valid if len(valid) <= _GEMINI_CLI_LENGTH else f"{valid[:28]}___{valid[-32:]}"


def _describe(name: str, noun: str = "name") -> str:
    return f'the {noun} "{name}"' if len(name) <= _LONG else f'the {noun} "{name[:_LONG]}…" ({len(name)} characters)'


# --- schemas ---------------------------------------------------------------------------------------------------------
_ROOT_KEYWORDS = {
    "anthropic": ("anyOf", "oneOf", "allOf"),
    "openai": ("anyOf", "oneOf", "allOf", "enum", "const", "not"),
}
"""API → keywords that it refuses beside the type of an inputSchema."""
_COMPOSITION = ("$ref", "anyOf", "oneOf", "allOf")
_STRICT_CHILDREN = ("properties", "anyOf", "allOf", "$defs", "definitions")


def check_root_composition(schema: LintedSchema, clients: frozenset[str]) -> Iterator[Problem]:
    """Find keywords at the root of an inputSchema that an API refuses there."""
    for keyword in _ROOT_KEYWORDS["openai"]:
        refusing = [api for api, keywords in _ROOT_KEYWORDS.items() if api in clients and keyword in keywords]
        if keyword in as_object(schema.value) and refusing:
            titles = " and ".join(_API_TITLES[client] for client in refusing)
            message = f"{keyword} at the root of the inputSchema is refused by {titles} API"
            help = "move it into a property, or check it in the handler and say it in the description"
            yield Problem(f"/{keyword}", message, help)


def check_boolean_schemas(definition: LintedDefinition, clients: frozenset[str]) -> Iterator[Problem]:
    """Find `true` and `false` as schemas, where a client takes objects only."""
    refused: dict[tuple[str, str], tuple[Json, str]] = {}
    for member, schema in definition.schemas.items():
        for pointer, keyword, value in schema.places if member == "inputSchema" and "openai-strict" in clients else ():
            if keyword in _STRICT_CHILDREN:
                refused[member, pointer] = value, "the strict mode of OpenAI's SDK"
        for name, value in as_object(as_object(schema.value).get("properties")).items():
            if "typescript-sdk-1" in clients:
                refused[member, format_pointer("properties", name)] = value, "the TypeScript SDK 1.x, with all tools"
    for (member, pointer), (value, title) in refused.items():
        if isinstance(value, bool):
            equal: Json = {} if value else {"not": {}}
            message = f"the schema {json.dumps(value)} of {Place(pointer, '', {}).name} is refused by {title}"
            help = f"write {json.dumps(equal)}, which says the same"
            yield Problem(pointer, message, help, ReplaceValue(pointer, equal)).move(f"/{member}", definition.label)


def check_object_results(schema: LintedSchema, clients: frozenset[str]) -> Iterator[Problem]:
    """Find outputSchemas without the type that versions before 2026-07-28 require at the root."""
    if not has_object_type(schema.value):
        message = 'the outputSchema does not say "type": "object" at its root, for which clients of 2025-11-25 and '
        message += "before refuse the whole list of tools"
        help = "servers bound by mcpgen send those clients another form of it; others have to send an object"
        yield Problem("", message, help)


def check_missing_types(schema: LintedSchema, clients: frozenset[str]) -> Iterator[Problem]:
    """Find parameters without a type, where an API requires one."""
    for place in schema.objects:
        keywords = place.schema.keys()
        is_value = place.keyword in ("properties", "items", "prefixItems") and not place.is_partial
        if not is_value or not keywords.isdisjoint(("type", *_COMPOSITION)):
            continue
        refusing = ["Google's API"] if "gemini" in clients else []
        if "anthropic-strict" in clients and keywords.isdisjoint(("enum", "const")):
            refusing.append("the strict mode of Anthropic's SDK")
        if refusing:
            kinds = {get_json_type(value) for value in list_values(place.schema)}
            kind = kinds.pop() if len(kinds) == 1 else None
            fix = None if kind is None else InsertMember(place.pointer, "type", kind)
            message = f"{place.name} has no type; refused by {' and '.join(refusing)}"
            yield Problem(place.pointer, message, f'say it: "type": "{kind or "string"}"', fix)


def check_missing_items(schema: LintedSchema, clients: frozenset[str]) -> Iterator[Problem]:
    """Find arrays about whose elements nothing is said."""
    for place in schema.objects:
        is_array = not place.is_partial and "array" in list_types(place.schema)
        if is_array and place.schema.keys().isdisjoint(("items", "prefixItems")):
            message = f"the array {place.name} has no items, for which OpenAI's API and VS Code refuse the tool"
            yield Problem(place.pointer, message, 'say what is in it: "items": {"type": "string"}')


def check_old_tuples(schema: LintedSchema, clients: frozenset[str]) -> Iterator[Problem]:
    """Find tuples in the form of draft-07, where an API reads 2020-12 only."""
    for place in schema.objects:
        if isinstance(place.schema.get("items"), list):
            message = f"{place.name} has a list in items, the form of draft-07, which Anthropic's API refuses: "
            help = 'write the schema in 2020-12: "prefixItems" for the list, "items" for "additionalItems"'
            yield Problem(f"{place.pointer}/items", f"{message}it reads 2020-12", help)


def check_enums(schema: LintedSchema, clients: frozenset[str]) -> Iterator[Problem]:
    """Find values of an `enum` that an API refuses: it takes texts only, and no empty one."""
    for place in schema.objects:
        for index, value in enumerate(as_array(place.schema.get("enum"))):
            if value == "" or not isinstance(value, str | None):
                kind = "an empty text" if value == "" else f"a value of type {get_json_type(value)}"
                message = f"the enum of {place.name} has {kind}, which Google's API refuses: it takes texts that are "
                help = "leave it out, and let the property be absent instead"
                if value != "":
                    help = "list the values in the description, with minimum and maximum for a range; or as texts"
                yield Problem(f"{place.pointer}/enum/{index}", f"{message}not empty", help)
                break


_MOST_CHARACTERS = {
    "openai": (1_024, "OpenAI's API refuses more than 1,024"),
    "claude-code": (2_048, "Claude Code cuts it after 4,096, and up to version 2.1.285 after 2,048"),
}
"""Client → the longest description that all its versions take, and what happens to a longer one."""


def check_long_descriptions(definition: LintedDefinition, clients: frozenset[str]) -> Iterator[Problem]:
    """Find descriptions of tools that a client refuses or cuts."""
    description = definition.value.get("description")
    length = len(description) if definition.kind == "tool" and isinstance(description, str) else 0
    for client, (most, effect) in _MOST_CHARACTERS.items():
        if client in clients and length > most:
            message = f"{definition.label}: its description has {length:,} characters; {effect}"
            help = "say the most important first, and the rest in the descriptions of the parameters"
            yield Problem("/description", message, help)


# --- results ---------------------------------------------------------------------------------------------------------
def check_hidden_texts(
    definitions: Sequence[LintedDefinition], clients: frozenset[str]
) -> Iterator[tuple[int, Problem]]:
    """Find the texts that hosts do not show; tools with the same hosts are reported together, at the first of them."""
    hidden: dict[tuple[str, ...], list[int]] = {}
    for number, definition in enumerate(definitions):
        hosts = tuple(sorted(clients - definition.content_only)) if definition.has_chosen_text else ()
        if hosts:
            hidden.setdefault(hosts, []).append(number)
    for hosts, numbers in hidden.items():
        names = [f'"{definitions[number].name}"' for number in numbers]
        subject = f"tool {names[0]} has" if len(names) == 1 else f"{len(names)} tools ({join_words(names)}) have"
        titles = join_words([CLIENTS_BY_NAME[host].title for host in hosts])
        message = f"{subject} a chosen text, which {titles} {'does' if len(hosts) == 1 else 'do'} not show: the model "
        help = "name the client in `content-only`, so that it gets the text alone, or put what the text says into the "
        help += "value"
        if len(names) > MOST_JOINED:
            help += f". The tools are {', '.join(names)}"
        yield numbers[0], Problem("/name", f"{message}reads the JSON of the value instead", help)


# --- strict modes ----------------------------------------------------------------------------------------------------
_OPENAI_FORMATS = frozenset("date-time time date duration email hostname ipv4 ipv6 uuid".split())
_STRICT_FORMATS = {"anthropic": _OPENAI_FORMATS | {"uri"}, "openai": _OPENAI_FORMATS}
MAX_PROPERTIES = 5_000
MAX_ENUM_VALUES = 1_000
MAX_DEPTH = 10
"""Objects inside each other."""


def check_formats(schema: LintedSchema, clients: frozenset[str]) -> Iterator[Problem]:
    """Find formats of strings that a strict mode does not know."""
    for place in schema.objects:
        format = place.schema.get("format")
        if isinstance(format, str) and "string" in list_types(place.schema):
            unaware = [
                _API_TITLES[api]
                for api, formats in _STRICT_FORMATS.items()
                if f"{api}-strict" in clients and format not in formats
            ]
            if unaware:
                message = f'{place.name} has the format "{format}", which the strict mode of {" and ".join(unaware)} '
                help = "say it in the description, and check it in the handler"
                yield Problem(f"{place.pointer}/format", f"{message}API does not know", help)


def check_open_objects(schema: LintedSchema, clients: frozenset[str]) -> Iterator[Problem]:
    """Find objects that take further properties, where a strict mode takes none."""
    for place in schema.objects:
        is_object = list_types(place.schema) in (["object"], [])
        if is_object and place.schema.get("additionalProperties", False) is not False:
            message = f"{place.name} takes further properties, which the strict mode of OpenAI's API refuses"
            help = "declare the properties, or a list of objects with a name and a value; or leave strict off"
            yield Problem(f"{place.pointer}/additionalProperties", message, help)


def check_limits(schema: LintedSchema, clients: frozenset[str]) -> Iterator[Problem]:
    """Find inputSchemas that are larger than a strict mode allows."""
    counts = (
        ("properties", sum(len(as_object(place.schema.get("properties"))) for place in schema.objects), MAX_PROPERTIES),
        ("values of enums", sum(len(as_array(place.schema.get("enum"))) for place in schema.objects), MAX_ENUM_VALUES),
        ("objects inside each other", _follow_checks(schema.index)[1], MAX_DEPTH),
    )
    for subject, count, most in counts:
        if count > most:
            message = f"{count} {subject} are more than the {most} that the strict mode of OpenAI's API takes"
            yield Problem("", message, "split the tool, or leave the strict mode off for it")


def check_recursion(schema: LintedSchema, clients: frozenset[str]) -> Iterator[Problem]:
    """Find the first reference by which an inputSchema contains itself."""
    pointer, _ = _follow_checks(schema.index)
    if pointer is not None:
        message = "the inputSchema contains itself, which the strict mode of Anthropic's API refuses"
        help = "write out each level that you need, or leave the strict mode off for this tool"
        yield Problem(f"{pointer}/$ref", message, help)


def _follow_checks(index: SchemaIndex) -> tuple[str | None, int]:
    """Return the pointer of the first schema found whose `$ref` leads to one around it, None if there is none; and how
    many objects are inside each other at most, such references not followed.
    """
    recursive: str | None = None
    depths: dict[str, int] = {}
    entered = set[str]()
    stack = [("", "", False)]  # a pointer, where it was reached from, and whether it is left
    while stack:
        pointer, origin, is_left = stack.pop()
        if is_left:
            entered.discard(pointer)
            inner = (depths.get(target, 0) for target in _list_targets(pointer, index))
            depths[pointer] = bool(as_object(index.get(pointer)).get("properties")) + max(inner, default=0)
        elif pointer in entered:
            recursive = origin if recursive is None else recursive
        elif pointer not in depths:
            entered.add(pointer)
            stack.append((pointer, origin, True))
            stack.extend((target, pointer, False) for target in _list_targets(pointer, index))
    return recursive, depths[""]


def _list_targets(pointer: str, index: SchemaIndex) -> list[str]:
    children = iterate_subschemas(as_object(index.get(pointer)), index.dialect)
    targets = [pointer + format_pointer(*path) for path, _ in children if path[0] not in DEFINITION_KEYWORDS]
    target = index.find_referred(pointer)
    return targets if target is None else [*targets, target]


MOST_NAMED_PARTS = 3
"""Parts of one pattern that a message names."""
MOST_MULTIPLES = 1_000
"""Multiples of a number that are tried."""
LARGEST_BOUND = 10**6
_READERS = {
    ("outputSchema", Reader.ECMA_262): "clients on the TypeScript SDK",
    ("outputSchema", Reader.PYTHON): "clients on the Python SDK",
    ("inputSchema", Reader.ECMA_262): "clients that check arguments as ECMA-262 says",
    ("inputSchema", Reader.PYTHON): "clients that check arguments with Python's re",
}


# --- patterns --------------------------------------------------------------------------------------------------------
def check_patterns(definition: LintedDefinition, clients: frozenset[str]) -> Iterator[Problem]:
    """Find patterns that ECMA-262, with its flag u, and Python's re do not read alike."""
    for member, schema in definition.schemas.items():
        seen = set[str]()
        for place in schema.objects:
            for path, pattern in iterate_patterns(place.schema):
                parts = [] if pattern in seen else find_unportable(pattern)
                seen.add(pattern)
                if parts:
                    message = f"{definition.label}: {place.name} has a pattern, {_describe_parts(member, parts)}"
                    yield Problem(f"/{member}{place.pointer}{format_pointer(*path)}", message, _advise(parts))


def _describe_parts(member: str, parts: list[PatternPart]) -> str:
    named = join_words([f'"{part.text}"' for part in parts[:MOST_NAMED_PARTS]])
    more = len(parts) - MOST_NAMED_PARTS
    if more > 0:
        named += f" and {more} more"
    readers = [reader for reader in Reader if any(reader in part.refusing for part in parts)]
    titles = join_words([_READERS[member, reader] for reader in readers])
    verb = "read differently" if all(part.differs for part in parts) else "refuse"
    return f"of which {titles} {verb} {named}"


def _advise(parts: list[PatternPart]) -> str:
    if len(parts) == 1:
        return parts[0].help
    return "; ".join(f'for "{part.text}": {part.help}' for part in parts[:MOST_NAMED_PARTS])


# --- multiples -------------------------------------------------------------------------------------------------------
def check_multiples(schema: LintedSchema, clients: frozenset[str]) -> Iterator[Problem]:
    """Find numbers of results whose multiples clients refuse, since they divide floats."""
    for place in schema.objects:
        step = place.schema.get("multipleOf")
        if isinstance(step, float) and place.schema.keys().isdisjoint(("enum", "const")):
            missed = _find_missed_multiple(place.schema, step)
            if missed is not None:
                message = f"{place.name} may be {missed}, a multiple of {step}, but clients on the official SDKs "
                help = "leave multipleOf out and say the step in the description, or send whole units, such as cents"
                yield Problem(f"{place.pointer}/multipleOf", f"{message}refuse it: they divide floats", help)


def _find_missed_multiple(schema: dict[str, Json], step: float) -> int | float | None:
    """Return a valid multiple whose quotient is no whole number if floats are divided, None if there is none."""
    exact = Decimal(repr(step))
    if exact <= 0 or (exact == exact.to_integral_value()):
        return None
    least, most = (_read_bound(schema.get(keyword)) for keyword in ("minimum", "maximum"))
    first = 1 if least is None or (least <= 0 and (most is None or most > 0)) else int(least / exact)
    is_whole = "integer" in list_types(schema) and "number" not in list_types(schema)
    for factor in itertools.islice(itertools.count(first), MOST_MULTIPLES):
        multiple = exact * factor
        if most is not None and multiple > most:
            break
        if is_whole and multiple != multiple.to_integral_value():
            continue
        value = int(multiple) if is_whole else float(multiple)
        if (value / step) % 1 != 0:
            return value
    return None


def _read_bound(bound: Json) -> Decimal | None:
    is_small = isinstance(bound, int | float) and not isinstance(bound, bool) and abs(bound) < LARGEST_BOUND
    return Decimal(repr(bound)) if is_small else None


# --- tuples ----------------------------------------------------------------------------------------------------------
def check_tuples(schema: LintedSchema, clients: frozenset[str]) -> Iterator[Problem]:
    """Find tuples of results with a rest, which validators of draft-07 take for the schema of every element."""
    for place in schema.objects if schema.dialect == DRAFT_2020_12 else ():
        rest, first = place.schema.get("items"), as_array(place.schema.get("prefixItems"))
        if isinstance(rest, dict) and not all(_accepts(rest, element) for element in first):
            message = f"{place.name} begins with a tuple, whose elements clients on the TypeScript SDK 1.x check by "
            message += "items: their validator does not know prefixItems"
            help = "write an object with a property for each, and one for the rest; or let items accept them all"
            yield Problem(f"{place.pointer}/items", message, help)


def _accepts(rest: dict[str, Json], element: Json) -> bool:
    if rest == element or element is False:
        return True
    if rest.keys() - ANNOTATION_KEYWORDS - {"type"}:
        return False
    allowed, schema = list_types(rest), as_object(element)
    types = [get_json_type(value) for value in list_values(schema)] or list_types(schema)
    return not allowed or (bool(types) and expand_types(allowed).issuperset(types))
