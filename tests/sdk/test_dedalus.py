"""dedalus-mcp's own normalizers beside the generated code: what differs, and why."""

from __future__ import annotations

import importlib
import json
from collections.abc import Callable
from typing import Any

import jsonschema_rs
import pytest
from sdk.dedalus_values import READS, RESOURCES, TOOLS, VALUES, Case
from support import corpus
from support.packages import package

pytest.importorskip("dedalus_mcp", reason="dedalus-mcp is not installed here")
PROTOCOL = "2025-06-18"


# --- where and why they differ --------------------------------------------------------------------------------------
def _because(reason: str, *names: str) -> dict[str, str]:
    return dict.fromkeys(names, reason)


DIFFERENCES: dict[str, str] = {
    **_because(
        "dedalus-mcp knows no JSON form: it sends str() as text and no structured content, which the schema asks for",
        *("string enum", "string moment", "string date", "string uuid", "string path", "string duration"),
        *("integer decimal", "number decimal", "array moments", "object namespace"),
    ),
    **_because(
        "dedalus-mcp sends no structured content, which the schema asks for",
        *("string bytes", "array bytes", "array range"),
        *("strings frozenset", "strings deque", "strings keys", "strings generator", "strings iterator"),
    ),
    **_because("dedalus-mcp takes any mapping but dict for an iterable of its keys", "object mapping proxy"),
    **_because(
        "structured content is for an outputSchema; this tool declares none (None: the document has it so, too)",
        *("nothing none", "nothing string", "nothing number", "nothing mapping", "nothing list", "nothing dataclass"),
        *("nothing triple", "nothing empty"),
    ),
    **_because(
        "the second of a pair is structured only if it is an object; dedalus-mcp raises for everything else",
        *("nothing pair of strings", "nothing pair of blocks"),
    ),
    **_because(
        "where the value is an array, no tuple is a pair; dedalus-mcp takes each of two for one", "strings pair"
    ),
    **_because("a pair's second need be no dict here, but what the schema says", "string pair"),
    **_because("a pair's second may be an object with attributes", "object pair with dataclass"),
    **_because(
        "moments are RFC 3339 text, as in structured content",
        "nothing moment",
        "plain moment",
        "object pair with moment",
    ),
    **_because("bytes of every kind are base64", "nothing memoryview", "plain memoryview"),
    **_because("null is the value, so the model is told of it", "null none", "array nulls"),
    **_because("a block for each item; dedalus-mcp flattens an item that is an array", "array nested"),
    **_because(
        "None stands for absence where the schema refuses null; dedalus-mcp sends a null that violates it",
        *("rows dataclasses", "rows optional none", "rows models", "row full", "row optional none", "row model"),
    ),
    **_because("structured content is the same as the text; dedalus-mcp's lacks nulls of models", "object model"),
    **_because(
        "keys become text as json.dumps has it; dedalus-mcp raises",
        *("object integer keys", "object float keys", "object none key", "object true key"),
    ),
    **_because(
        "the text is the JSON of the structured content; dedalus-mcp's is the repr() of the dict, or of its keys",
        *("object moment", "object uuid", "object enum", "object generator", "object stamped", "object enum key"),
    ),
    **_because("a Decimal that a float holds is a number, and the text is JSON", "object decimal"),
    **_because("bytes are base64; dedalus-mcp sends them as UTF-8, or raises", "object bytes", "object text bytes"),
    **_because("the schema has the alias: models are dumped by the wire's names", "wind alias", "plain alias"),
    **_because(
        "a mapping with other members is the object; dedalus-mcp sends them as the result's", "object result and more"
    ),
    **_because("a mapping may be a result without content", "object only structured", "object only is error"),
    **_because("an empty list is an empty JSON array, not an answer without contents", "plain empty array"),
    **_because("None as a key is null, as json.dumps has it", "plain none key"),
    **_because(
        "the MIME type is filled in, as the document's priority has it",
        *("plain text", "plain blob", "plain text and uri", "json text", "image blob"),
    ),
    **_because("a mapping with other members is data, not contents with undeclared members", "plain text and more"),
    **_because(
        "what has a JSON form is sent as JSON; dedalus-mcp sends its str()",
        *("plain enum", "plain stamped", "plain range", "plain namespace", "plain generator", "plain bytes inside"),
        "plain block",
    ),
    **_because("a tuple of contents is a list of them", "plain tuple of contents"),
}
"""Values for which both answer, but not alike, or for which only dedalus-mcp raises."""

REFUSED: dict[str, str] = {
    **_because(
        "JSON has no NaN and no infinity; dedalus-mcp sends null, or NaN as text",
        *("number nan", "number infinity", "array nan", "object nan", "object infinity", "nothing nan", "plain nan"),
    ),
    **_because("a lone surrogate is not text; dedalus-mcp fails only when it is encoded", "string surrogate"),
    **_because(
        "it violates the outputSchema, which dedalus-mcp does not look at",
        *("integer true", "object scalar", "object array", "object triple", "row misspelt"),
    ),
    **_because("in a mapping None is null, which the schema refuses", "row mapping with null"),
    **_because(
        "structured content is missing, which the schema asks for",
        *("object meta", "object meta by name", "object call tool meta"),
    ),
    **_because(
        "None is not an object; dedalus-mcp takes it for no second at all",
        "object pair of nones",
        "object pair without",
    ),
    **_because("the schema declares `content`, so a mapping that has it is the value", "page result"),
    **_because("a block is content, and the schema asks for a value: (content, value) has both", "array blocks"),
    **_because("half contents, half data: dedalus-mcp sends the JSON of both", "plain contents and text"),
}
"""Values for which the generated code raises, while dedalus-mcp answers."""


# --- both sides ------------------------------------------------------------------------------------------------------
@pytest.fixture(scope="module")
def generated(tmp_path_factory: pytest.TempPathFactory) -> Any:
    return package(tmp_path_factory.mktemp("dedalus"), TOOLS, resources=RESOURCES)


def _made(make: Callable[[], Any], unsaid: str) -> Any:
    """Return the wire form of a result, as servers send it; the exception's name where there is none."""
    try:
        wire = make().model_dump(mode="json", by_alias=True, **{unsaid: True})
    except Exception as error:
        return type(error).__name__
    if wire.get("isError") is False:
        del wire["isError"]
    return wire


def _as_json(value: Any) -> Any:
    """A result whose texts that hold JSON compare as JSON."""
    if isinstance(value, dict):
        return {key: _loaded(item) if key == "text" else _as_json(item) for key, item in value.items()}
    return [_as_json(item) for item in value] if isinstance(value, list) else value


def _loaded(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return text


def _outcomes(generated: Any, case: Case) -> tuple[Any, Any]:
    theirs = importlib.import_module("dedalus_mcp.server.result_normalizers")
    sdk = importlib.import_module("mcp.types")
    if case in READS:
        cls = generated.RESOURCE_TYPES[case.of]
        return (
            _made(lambda: cls.normalize(case.value(sdk), protocol=PROTOCOL), "exclude_unset"),
            _made(
                lambda: theirs.normalize_resource_payload(cls.resource.uri, cls.resource.mime_type, case.value(sdk)),
                "exclude_none",
            ),
        )
    return (
        _made(
            lambda: generated.RESULT_TYPES[case.of].normalize_any(case.value(sdk), protocol=PROTOCOL), "exclude_unset"
        ),
        _made(lambda: theirs.normalize_tool_result(case.value(sdk)), "exclude_none"),
    )


@pytest.mark.parametrize("case", [*VALUES, *READS], ids=lambda case: case.id)
def test_every_difference_is_known(generated: Any, case: Case) -> None:
    ours, theirs = _outcomes(generated, case)
    raised = [isinstance(item, str) for item in (ours, theirs)]
    same = all(raised) or corpus.equal(_as_json(ours), _as_json(theirs))
    assert same == (case.id not in DIFFERENCES and case.id not in REFUSED), (ours, theirs)
    assert (raised == [True, False]) == (case.id in REFUSED), (ours, theirs)
    if raised[0]:
        assert ours in ("ResultError", "NoJsonForm", "TypeError"), ours


@pytest.mark.parametrize("case", VALUES, ids=lambda case: case.id)
def test_what_is_sent_satisfies_what_is_advertised(generated: Any, case: Case) -> None:
    sent, _ = _outcomes(generated, case)
    advertised = {tool["name"]: tool.get("outputSchema") for tool in generated.list_tools(PROTOCOL)}[case.of]
    if isinstance(sent, dict) and advertised is not None and "isError" not in sent:
        assert jsonschema_rs.validator_for(advertised).is_valid(sent["structuredContent"]), sent


def test_the_tables_hold_what_is_there() -> None:
    names = [case.id for case in (*VALUES, *READS)]
    assert len(names) == len({*names}) >= 60
    assert not {*DIFFERENCES} & {*REFUSED}
    assert {*DIFFERENCES, *REFUSED} <= {*names}
