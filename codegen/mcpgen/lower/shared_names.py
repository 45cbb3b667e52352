"""Name the class of several equal objects after what all of them have in common, and unlike any other shared class."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice

from mcpgen.ir.types import Array, Choice, NameOrigin, Node, ObjectClass, Presence, Scalar, Type
from mcpgen.ir.visitors import collect_refs, walk_type
from mcpgen.words import split_words

Words = tuple[str, ...]
MAX_NAMED_PROPERTIES = 3
"""Properties that a class is named after if its uses have no name in common."""
MAX_FEATURES = 4
"""Names with a distinguishing feature that a class may have: some may be in use in the modules that import it."""
MAX_NAME_LENGTH = 40
_PLACE_WORDS = frozenset(["item", "value", "option", "object"])
"""Words for places, which say nothing without the property before them."""


@dataclass(frozen=True)
class NamedGroup:
    """Equal nodes that become one shared class, and what can tell it from others."""

    nodes: Sequence[Node]
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
    wanted = [find_group_names(group.nodes) for group in groups]
    claims: dict[str, set[int]] = defaultdict(set)
    for index, (group, names) in enumerate(zip(groups, wanted, strict=True)):
        given = _list_given(group.nodes)
        for words in (*names, *given, *_list_tails(group.nodes), _list_first_properties(group.nodes[0])):
            claims[_fold(words)].add(index)
    features = _Features(groups)
    return [
        _choose_names(group, names, index, claims, features)
        for index, (group, names) in enumerate(zip(groups, wanted, strict=True))
    ]


def _choose_names(
    group: NamedGroup, wanted: tuple[Words, ...], index: int, claims: Mapping[str, set[int]], features: _Features
) -> tuple[Words, ...]:
    if not wanted or any(node.name_origin is NameOrigin.CHOSEN for node in group.nodes):
        return wanted
    best = wanted[0]
    alone = [words for words in wanted if claims[_fold(words)] == {index}]
    others = [*sorted(claims[_fold(best)] - {index})]
    told = ((*best, *words) for words in features.distinguish(index, others))
    distinct = (words for words in told if len(_fold(words)) <= MAX_NAME_LENGTH and _fold(words) not in claims)
    keys = [node.name_candidates[-1] for node in group.nodes if node.name_origin is NameOrigin.GIVEN]
    whole = (words for words in _sort_by_count(keys) if _fold(words) not in claims)
    return (*alone, *islice(distinct, MAX_FEATURES), *whole, (*best, "variant"))


class _Features:
    """What the classes of some groups have, as words: computed for a group when it is compared."""

    def __init__(self, groups: Sequence[NamedGroup]) -> None:
        self._groups = groups
        self._listed: dict[int, dict[str, Words]] = {}

    def distinguish(self, index: int, others: Sequence[int]) -> Iterator[Words]:
        """Yield what a group has and none of some others, then what it alone lacks, then whom it alone is for."""
        own, foreign = self._list(index), [self._list(other) for other in others]
        yield from (words for key, words in own.items() if not any(key in listed for listed in foreign))
        for key, (_, *words) in foreign[0].items() if foreign else ():
            if len(words) == 1 and key not in own and all(key in listed for listed in foreign):
                yield "without", *words
        taken = {word for other in others for user in self._groups[other].users for word in _list_lower_words(user)}
        first, *more = [_list_lower_words(user) for user in self._groups[index].users]
        yield from (("for", word) for word in first if word not in taken and all(word in words for words in more))

    def _list(self, index: int) -> dict[str, Words]:
        if index not in self._listed:
            group = self._groups[index]
            features = (("with", *words) for words in _iterate_features(group.nodes[0], group.nested))
            self._listed[index] = {_fold(words): words for words in features}
        return self._listed[index]


def _iterate_features(node: Node, nested: Mapping[str, Node]) -> Iterator[Words]:
    """Yield what can tell a class from others of the same name, as words: first its properties alone."""
    fields = node.fields if isinstance(node, ObjectClass) else ()
    yield from ((field.wire,) for field in fields)
    if isinstance(node, ObjectClass):
        yield from _iterate_set_features(node)
        for field in fields:
            yield from _iterate_type_features(field.type, (field.wire,))
        for field in fields:
            for reference in collect_refs(field.type):
                target = nested.get(reference)
                if isinstance(target, ObjectClass):
                    yield from ((field.wire, inner.wire) for inner in target.fields)
    else:
        yield from _iterate_type_features(node.type, ())


def _iterate_set_features(node: ObjectClass) -> Iterator[Words]:
    """Yield which properties a class has together, which of them are required, and whether there are more."""
    yield "only", *(field.wire for field in node.fields)
    for field in node.fields:
        yield "required" if field.presence is Presence.REQUIRED else "optional", field.wire
    yield ("other" if node.extra is not None else "no other", "properties")


def _iterate_type_features(type: Type, place: Words) -> Iterator[Words]:
    """Yield the kinds, the constants and the bounds of a type at a place."""
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
    """Return the titles of nodes, then the keys of their definitions, frequent ones first."""
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


def _fold(words: Words) -> str:
    """Return what two names have in common that become one class name."""
    return re.sub(r"[^a-z0-9]", "", "".join(words).lower())


def _sort_by_count(words: Sequence[Words]) -> list[Words]:
    counts = Counter(words)
    return sorted(counts, key=lambda candidate: (-counts[candidate], len(candidate), candidate))


def _find_common_end(paths: Sequence[Words]) -> Words:
    """Return the longest list of words with which all paths end."""
    first, *others = paths or [()]
    for length in range(len(first), 0, -1):
        end = first[-length:]
        if all(path[-length:] == end for path in others):
            return end
    return ()
