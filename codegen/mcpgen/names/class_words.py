"""Find words that name classes: from a title and a place in a schema, and from what equal objects have in common.

The words of one class are candidates, the best first. `allocator` makes a Python name of the first that is free.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import islice

from mcpgen.files.definition_files import get_stem
from mcpgen.ir.types import Array, Choice, NameOrigin, Node, ObjectClass, Presence, Scalar, Type
from mcpgen.ir.visitors import collect_refs, walk_type
from mcpgen.names.identifiers import MAX_CLASS_NAME
from mcpgen.schema.keywords import DEFINITION_KEYWORDS, SCHEMA_MAP_KEYWORDS, list_types, list_values
from mcpgen.schema.values import Json, as_array, as_object, iterate_values, parse_array_index, parse_pointer
from mcpgen.words import split_words

MAX_TITLE_LENGTH = 40
"""Longer titles are sentences, not names; so are titles of more than `MAX_TITLE_WORDS` words."""
MAX_TITLE_WORDS = 4
MAX_NAMED_PROPERTIES = 3
"""Properties that a class is named after if its uses have no name in common."""
MAX_FEATURES = 4
"""Names with a distinguishing feature that a class may have: some may be in use in the modules that import it."""
_KEY_SEPARATOR = re.compile(r"[/:#.]+|__+")
_NAMING_MAP_KEYWORDS = SCHEMA_MAP_KEYWORDS - {"dependencies"}
"""Keywords whose subschemas are named after their keys; names of existing classes depend on it."""
_UNION_KEYWORDS = frozenset(["anyOf", "oneOf"])
_PART_WORDS = {"items": "item", "additionalProperties": "value", "additionalItems": "item", "contains": "item"}
_PLACE_WORDS = frozenset(["item", "value", "option", "object"])
"""Words for places, which say nothing without the property before them."""
Words = tuple[str, ...]


def _fold(*words: str) -> str:
    """Return what two names have in common that become one class name."""
    return re.sub(r"[^a-z0-9]", "", "".join(words).lower())


# --- titles and places ------------------------------------------------------------------------------------------------
@dataclass(frozen=True)
class NameSources:
    """Sources for the name of a class."""

    origin: NameOrigin
    """Where the best of the candidates comes from."""
    candidates: tuple[Words, ...]
    """Lists of words that may name it, the best first."""
    given: str
    """Its title or the key of its definition; empty: it has none."""
    tail: Words
    """The last words of its path, from the last property on."""


class NameFinder:
    """Finder of the sources for class names in one schema, which reads each union once for all of its members.

    Args:
        schema: the root schema.
        chosen: the names that the user chose, by pointer.
    """

    def __init__(self, schema: Json, chosen: Mapping[str, str]) -> None:
        self._schema, self._chosen = schema, chosen
        self._branch_words: dict[int, list[str]] = {}
        """The words of the members of unions, by the `id` of their lists, which the schema keeps."""

    def find(self, pointer: str, tag: str = "") -> NameSources:
        """Return the sources for the name of the class at a pointer.

        The candidates are the name chosen by the user or else the title, the key of the definition, the path inside the
        definition after its title or key, and the whole path from the root. `tag` is the constant that distinguishes
        the class from its siblings in a union; empty: none.
        """
        path = parse_pointer(pointer)
        values = [*iterate_values(self._schema, path)]
        title = find_title(values[-1] if values else self._schema)
        named: list[Words] = [(title,)] if title else []
        words, tail = self._make_path_words(values, path, tag)
        inner: list[Words] = []
        if len(path) > 1 and path[0] in DEFINITION_KEYWORDS:
            short_key = shorten_definition_key(path[1])
            if len(path) == 2:
                named.append((short_key,))
            else:
                heads = [head for head in (find_title(values[1]), short_key) if head]
                inner = [(head, *words[1:]) for head in heads]
        candidates = dict.fromkeys([*named, *inner, tuple(words)])
        if len(path) > 1 and path[-2] in _UNION_KEYWORDS:
            candidates[(*words, "object")] = None  # the union itself may have a name, too
        chosen = self._chosen.get(pointer)
        if chosen is not None:
            candidates = {(chosen,): None}
        origin = NameOrigin.CHOSEN if chosen is not None else NameOrigin.GIVEN if named else NameOrigin.PATH
        return NameSources(origin, tuple(candidates), named[0][0] if named else "", tail)

    def _make_path_words(self, values: list[Json], path: list[str], tag: str) -> tuple[list[str], Words]:
        """Return the words of a path, and those from the last property on; `values` are the values after each token."""
        words: list[str] = []
        start = index = 0
        while index < len(path):
            token = path[index]
            following = path[index + 1] if index + 1 < len(path) else ""
            number = parse_array_index(following)
            is_last = index + 2 == len(path)
            index += 2
            if token in _NAMING_MAP_KEYWORDS:
                words += [following] if following not in words[-1:] else []
                start = len(words) - 1
            elif token in _UNION_KEYWORDS:
                word = tag if is_last and tag else self._make_branch_word(values[index - 2], number)
                words += [word] if word and word not in words[-1:] else []
            elif token == "prefixItems" or (token == "items" and number is not None):
                words.append("item" if number is None else f"item{number + 1}")
            elif token != "allOf":
                words.append(_PART_WORDS.get(token, token))
                index -= 1
        return words, tuple(words[start:])

    def _make_branch_word(self, branches: Json, number: int | None) -> str:
        if id(branches) not in self._branch_words:
            self._branch_words[id(branches)] = list_branch_words(as_array(branches))
        words = self._branch_words[id(branches)]
        return words[number] if number is not None and number < len(words) else "option"


def find_title(schema: Json) -> str:
    """Return the `title` of a schema if it can be a name, else an empty text."""
    title = as_object(schema).get("title")
    if not isinstance(title, str) or not any(map(str.isalpha, title)):
        return ""
    return title if len(title) <= MAX_TITLE_LENGTH and len(title.split()) <= MAX_TITLE_WORDS else ""


def shorten_definition_key(key: str) -> str:
    """Return the last part of a definition's key that looks like a path, a URI or a qualified name, else the key.

    `core/forecast-value.json` is `forecast-value`, `com.acme.Money` is `Money`.
    """
    parts = [part for part in _KEY_SEPARATOR.split(get_stem(key)) if any(map(str.isalpha, part))]
    return parts[-1] if parts else key


# --- members of `anyOf` and `oneOf` -----------------------------------------------------------------------------------
_REFERENCE = "reference"
"""Kind of a member that is a reference, whose type is in another schema."""


@dataclass(frozen=True)
class _Branch:
    kind: str
    """Its JSON type apart from null, or `_REFERENCE`; empty: several or unknown."""
    title: str
    definition: str
    """The key of the definition that it refers to."""
    properties: dict[str, Json]
    required: frozenset[str]


def list_branch_words(schemas: Sequence[Json]) -> list[str]:
    """Return a word for each member of a union.

    It is, in this order: nothing for the only object or the only array; a constant that differs in the others; the
    title; the key of the definition that the member refers to; a property that only it requires, or only it declares;
    its JSON type; `other` for the last member without a word; its number.
    """
    branches = [_read_branch(schema) for schema in schemas]
    kinds = Counter(branch.kind for branch in branches)
    is_single = {"array": kinds["array"] == 1, "object": kinds["object"] + kinds[_REFERENCE] == 1}
    words = {index: "" for index, branch in enumerate(branches) if is_single.get(branch.kind)}
    for proposals in (
        _list_constants(branches),
        [branch.title for branch in branches],
        [branch.definition for branch in branches],
        _list_own_properties([branch.required for branch in branches], branches),
        _list_own_properties([branch.properties.keys() for branch in branches], branches),
        [branch.kind for branch in branches],
    ):
        _add_distinct(words, proposals)
    if len(branches) - len(words) == 1 and len(branches) > 2:
        _add_distinct(words, ["other"] * len(branches))
    return [words.get(index, f"option{index + 1}") for index in range(len(branches))]


def _add_distinct(words: dict[int, str], proposals: Sequence[str]) -> None:
    counts = Counter(_fold(proposal) for index, proposal in enumerate(proposals) if index not in words)
    used_words = {_fold(word) for word in words.values()}
    for index, proposal in enumerate(proposals):
        folded = _fold(proposal)
        if index not in words and folded and counts[folded] == 1 and folded not in used_words:
            words[index] = proposal


def _read_branch(schema: Json) -> _Branch:
    parts = [as_object(schema), *map(as_object, as_array(as_object(schema).get("allOf")))]
    properties = {name: value for part in parts for name, value in as_object(part.get("properties")).items()}
    required = frozenset(name for part in parts for name in as_array(part.get("required")) if isinstance(name, str))
    reference = parts[0].get("$ref")
    path = parse_pointer(reference[1:]) if isinstance(reference, str) and reference.startswith("#/") else []
    definition = shorten_definition_key(path[-1]) if path else ""
    return _Branch(_find_kind(parts), find_title(schema), definition, properties, required)


def _find_kind(parts: Sequence[dict[str, Json]]) -> str:
    if any("$ref" in part for part in parts):
        return _REFERENCE
    types = {name for part in parts for name in list_types(part)}
    others = types - {"null"}
    if len(others or types) == 1:
        return (others or types).pop()
    is_object = not types and any("properties" in part or "required" in part for part in parts)
    return "object" if is_object else ""


def _list_constants(branches: Sequence[_Branch]) -> list[str]:
    """Return a word for the constant of each member: of the property that is a different one in most of them."""
    constants = [
        {name: word for name, schema in branch.properties.items() if (word := _make_constant_word(name, schema))}
        for branch in branches
    ]
    names = sorted({name for words in constants for name in words})

    def rate(name: str) -> tuple[int, int]:
        words = [words[name] for words in constants if name in words]
        return len(set(words)), sum(name in branch.required for branch in branches)

    best = max(names, key=rate, default="")  # of equals the first, in alphabetical order
    return [words.get(best, "") for words in constants]


def _make_constant_word(name: str, schema: Json) -> str:
    match list_values(as_object(schema)):
        case [True]:
            return name
        case [False]:
            return f"not {name}"
        case [str() as value]:
            return value
        case [int() as value]:
            return f"{name} {value}"
        case [str() as first, str() as second]:
            return f"{first} or {second}"
        case _:
            return ""


def _list_own_properties(names: Sequence[Collection[str]], branches: Sequence[_Branch]) -> list[str]:
    """Return the first name of each member that no other has, preferably one that the others don't declare either."""
    counts = Counter(name for member_names in names for name in member_names)
    declared = Counter(name for branch in branches for name in branch.properties)
    unique_names = [[name for name in member_names if counts[name] == 1] for member_names in names]
    return [min(member_names, key=lambda name: (declared[name] > 1, name), default="") for member_names in unique_names]


# --- classes of several equal objects ---------------------------------------------------------------------------------
@dataclass(frozen=True)
class NamedGroup:
    """Equal nodes that become one shared class, and what can tell it from others."""

    nodes: Sequence[Node]
    names: tuple[Words, ...]
    """What `find_group_names` returns for them."""
    nested: Mapping[str, Node]
    """The nodes of the first one's module, by id."""
    users: Sequence[str]
    """The names of the tools and resources that use it."""


def find_group_names(nodes: Sequence[Node]) -> tuple[Words, ...]:
    """Return lists of words that may name equal nodes, the best first.

    These are the name that the user chose or else the titles and keys of definitions, frequent ones first; the last
    property of the path that more than half of them have in common; the words that all these properties end with; the
    end of the path that all have in common. If there are none of these, it is their own first properties.
    """
    chosen = [node.name_candidates for node in nodes if node.name_origin is NameOrigin.CHOSEN]
    if chosen:
        return chosen[0]
    tails = _list_tails(nodes)
    frequent = [tail for tail, count in Counter(tails).items() if 2 * count > len(tails)]
    ending = _find_common_end([tuple(_list_lower_words(" ".join(tail))) for tail in tails])
    end = _find_common_end([node.name_candidates[-1] for node in nodes])
    common = [words for words in (*frequent, ending, end) if not _PLACE_WORDS.issuperset(words)]
    words = [*_list_given(nodes), *common] or [_list_first_properties(nodes[0])]
    return tuple(candidate for candidate in dict.fromkeys(words) if candidate)


def name_groups(groups: Sequence[NamedGroup]) -> list[tuple[Words, ...]]:
    """Return lists of words that may name each of some shared classes, the best first.

    A name that several could have belongs to none of them: otherwise it would move from one to another when a tool
    is added. They are told apart by what only one of them has: a property, its type or presence, a constant, a word in
    the names of all tools that use it.
    """
    wanted = [group.names for group in groups]
    claims: dict[str, set[int]] = defaultdict(set)
    for index, (group, names) in enumerate(zip(groups, wanted, strict=True)):
        given = _list_given(group.nodes)
        for words in (*names, *given, *_list_tails(group.nodes), _list_first_properties(group.nodes[0])):
            claims[_fold(*words)].add(index)

    @cache
    def list_features(index: int) -> dict[str, Words]:
        features = _iterate_features(groups[index].nodes[0], groups[index].nested)
        return {_fold(*words): ("with", *words) for words in features}

    def distinguish(index: int, others: Sequence[int]) -> Iterator[Words]:
        """Yield what a group has and none of the others, then what it alone lacks, then whom it alone is for."""
        own, foreign = list_features(index), [list_features(other) for other in others]
        yield from (words for key, words in own.items() if not any(key in listed for listed in foreign))
        for key, (_, *words) in foreign[0].items() if foreign else ():
            if len(words) == 1 and key not in own and all(key in listed for listed in foreign):
                yield "without", *words
        taken = {word for other in others for user in groups[other].users for word in _list_lower_words(user)}
        first, *more = [_list_lower_words(user) for user in groups[index].users]
        yield from (("for", word) for word in first if word not in taken and all(word in words for words in more))

    def choose(index: int, group: NamedGroup, wanted: tuple[Words, ...]) -> tuple[Words, ...]:
        if not wanted or any(node.name_origin is NameOrigin.CHOSEN for node in group.nodes):
            return wanted
        best = wanted[0]
        alone = [words for words in wanted if claims[_fold(*words)] == {index}]
        told = ((*best, *words) for words in distinguish(index, sorted(claims[_fold(*best)] - {index})))
        distinct = (words for words in told if len(_fold(*words)) <= MAX_CLASS_NAME and _fold(*words) not in claims)
        keys = [node.name_candidates[-1] for node in group.nodes if node.name_origin is NameOrigin.GIVEN]
        whole = (words for words in _sort_by_count(keys) if _fold(*words) not in claims)
        return (*alone, *islice(distinct, MAX_FEATURES), *whole, (*best, "variant"))

    return [choose(index, *named) for index, named in enumerate(zip(groups, wanted, strict=True))]


def _iterate_features(node: Node, nested: Mapping[str, Node]) -> Iterator[Words]:
    if not isinstance(node, ObjectClass):
        yield from _iterate_type_features(node.type, ())
        return
    yield from ((field.wire,) for field in node.fields)
    yield "only", *(field.wire for field in node.fields)
    for field in node.fields:
        yield "required" if field.presence is Presence.REQUIRED else "optional", field.wire
    yield ("other" if node.extra is not None else "no other", "properties")
    for field in node.fields:
        yield from _iterate_type_features(field.type, (field.wire,))
    for field in node.fields:
        for target in map(nested.get, collect_refs(field.type)):
            if isinstance(target, ObjectClass):
                yield from ((field.wire, inner.wire) for inner in target.fields)


def _iterate_type_features(type: Type, place: Words) -> Iterator[Words]:
    for part in walk_type(type):
        match part:
            case Scalar(kind=kind, bounds=bounds):
                yield kind, *place
                yield from ((name, *place) for name, _ in bounds)
            case Choice(values=values):
                yield from ((*place, value) for value in values if isinstance(value, str))
            case Array():
                yield "list", *place
            case _:
                pass


def _list_given(nodes: Sequence[Node]) -> list[Words]:
    titled = [node.name_candidates for node in nodes if node.name_origin is NameOrigin.GIVEN]
    keys = [candidates[1] for candidates in titled if len(candidates) > 2]
    return [*_sort_by_count([candidates[0] for candidates in titled]), *_sort_by_count(keys)]


def _list_tails(nodes: Sequence[Node]) -> list[Words]:
    return [node.sharing.tail for node in nodes if node.sharing is not None]


def _list_first_properties(node: Node) -> Words:
    fields = node.fields if isinstance(node, ObjectClass) else ()
    names = tuple(field.wire for field in fields[:MAX_NAMED_PROPERTIES])
    return (*names, "object") if len(names) == 1 else names  # `Id` would read as the property itself


def _list_lower_words(text: str) -> list[str]:
    return [word.lower() for word in split_words(text)]


def _sort_by_count(words: Sequence[Words]) -> list[Words]:
    counts = Counter(words)
    return sorted(counts, key=lambda candidate: (-counts[candidate], len(candidate), candidate))


def _find_common_end(paths: Sequence[Words]) -> Words:
    first, *others = paths or [()]
    for length in range(len(first), 0, -1):
        end = first[-length:]
        if all(path[-length:] == end for path in others):
            return end
    return ()
