"""JSON pointers in generated code: RFC 6901's own examples, mcpgen's own pointers, and only one place to read them."""

from __future__ import annotations

import re
from random import Random
from typing import Any

import pytest
from mcpgen import paths
from mcpgen.schema import values
from mcpgen_runtime.errors import follow_pointer, format_pointer

RFC_6901: dict[str, Any] = {
    "foo": ["bar", "baz"], "": 0, "a/b": 1, "c%d": 2, "e^f": 3, "g|h": 4, "i\\j": 5, 'k"l': 6, " ": 7, "m~n": 8,
}  # fmt: skip
"""The document of section 5."""
TARGETS = [
    ((), RFC_6901), (("foo",), ["bar", "baz"]), (("foo", 0), "bar"), (("",), 0), (("a/b",), 1), (("c%d",), 2),
    (("e^f",), 3), (("g|h",), 4), (("i\\j",), 5), (('k"l',), 6), ((" ",), 7), (("m~n",), 8),
]  # fmt: skip


@pytest.mark.parametrize(("tokens", "target"), TARGETS)
def test_a_pointer_leads_to_its_tokens(tokens: tuple[str | int, ...], target: Any) -> None:
    assert follow_pointer(RFC_6901, format_pointer(tokens)) == target


def test_the_examples_are_written_as_in_the_rfc() -> None:
    written = [format_pointer(tokens) for tokens, _ in TARGETS]
    assert written[:5] == ["", "/foo", "/foo/0", "/", "/a~1b"]
    assert written[-1] == "/m~0n"


@pytest.mark.parametrize(
    "pointer", ["/x", "/foo/2", "/foo/-1", "/foo/01", "/foo/ 1", "/foo/-", "/foo/\u0661", "/foo/0/0", "/a~1b/0"]
)
def test_a_pointer_that_leads_nowhere(pointer: str) -> None:
    with pytest.raises(KeyError):
        follow_pointer(RFC_6901, pointer)


def test_generated_code_and_mcpgen_agree() -> None:
    random = Random(7)
    for _ in range(300):
        tokens = [random.choice(["", "~", "/", "~1", "~0", "0", "1", "a/b~c"]) for _ in range(random.randrange(5))]
        pointer = format_pointer(tokens)
        assert pointer == values.format_pointer(*tokens)
        document: Any = "target"
        for token in reversed(tokens):
            document = {token: document} if random.random() < 0.7 or token != "0" else [document]
        assert follow_pointer(document, pointer) == values.follow_pointer(document, tokens) == "target"


def test_no_other_module_reads_or_writes_them() -> None:
    """Check that what escapes `/` as `~1` by hand has the rules of pointers in a second place."""
    folder = paths.find_library_file().parent
    modules = {path for path in folder.rglob("*.py") if re.search("~[01]", path.read_text("utf-8"))}
    assert [path.relative_to(folder).as_posix() for path in modules] == ["mcpgen_runtime/errors.py"]
