"""Long texts of a server: the time for each grows as the text does, wherever it stands."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from mcpgen.config.models import ConfiguredPackage, PackageSettings
from mcpgen.diagnostics import Findings, Span
from mcpgen.introspect.error_messages import LONGEST_FOREIGN_TEXT, ErrorMessages
from mcpgen.introspect.limits import Meter, TransportLog
from mcpgen.introspect.redaction import DefinitionRedactor, Redactor
from mcpgen.introspect.server_address import Command
from mcpgen.introspect.server_query import Credentials
from mcpgen.introspect.session import RequestRefused, ServerListing
from mcpgen.introspect.validation import validate_listing
from mcpgen.lint.output_schemas import lint_output_schema
from mcpgen.read.loader import read_definitions
from mcpgen.report.visible import escape_line
from support.listings import LIMITS
from support.packages import tool

LENGTH = 5_000
MOST_GROWTH = 9
"""Times as long that four times the text may take; something quadratic takes 16 times as long."""
LEAST_SECONDS = 0.1
"""Seconds of CPU below which nothing is said about growth."""
PIECES = [
    *"a A 1 _ - / . : # { } \" ' ` * | < [ ( @ = & ~ $ + %".split(),
    " ", "\n", "\t", "\\", "é", "\u200b", "\U0001f600",
    "Aa", "aA1", "##a", "{a}", "%41", "a://", "a.", "a@", "?a=", "~1", "a b", "\n ::", "#/$defs/", "../",
]  # fmt: skip
SECRET = "s3cret-s3cret"
CREDENTIALS = Credentials({"Authorization": f"Bearer {SECRET}"}, {"TOKEN": SECRET})
COMMAND = Command(("my-server", "--token", SECRET))


def make_schema(text: str) -> dict[str, Any]:
    return {
        "type": "object",
        "$comment": text,
        "required": [text],
        "properties": {
            text: {"title": text, "description": text, "default": text, "examples": [text], "format": text},
            "b": {"enum": [text, "b"], "const": text, "pattern": text},
            "c": {"$ref": f"#/$defs/{text}"},
            "d": {"$ref": text},
            "e": {"type": text, text: 1},
        },
        "patternProperties": {text: {}},
        "$defs": {f"{text}x": {}},
    }


PLACES: dict[str, Callable[[str], tuple[str, Any]]] = {
    "names": lambda text: ("tools", {**tool(text), "title": text, "description": text, text: 1}),
    "annotations": lambda text: (
        "tools",
        {**tool("a"), "annotations": {text: 1, "title": text}, "_meta": {text: text}},
    ),
    "icons": lambda text: ("tools", {**tool("a"), "icons": [{"src": text, "mimeType": text, "sizes": [text]}]}),
    "inputSchema": lambda text: ("tools", {"name": "a", "inputSchema": make_schema(text)}),
    "outputSchema": lambda text: ("tools", tool("a", make_schema(text))),
    "$schema": lambda text: ("tools", tool("a", {"$schema": text, "$id": text, "$anchor": text})),
    "uri": lambda text: ("resources", {"name": text, "uri": f"a://{text}", "mimeType": text}),
    "uriTemplate": lambda text: ("resourceTemplates", {"name": text, "uriTemplate": f"a://{{{text}"}),
    "prompts": lambda text: ("prompts", {"name": text, "arguments": [{"name": text, "description": text}]}),
}


def describe_error(text: str, folder: Path) -> None:
    log = TransportLog(Meter(LIMITS), stderr=bytearray(text.encode()), content_type=text, status=200)
    messages = ErrorMessages(COMMAND, log, Redactor(CREDENTIALS, COMMAND))
    messages.describe_refusal(RequestRefused({"message": text}), "tools/list")
    messages.describe_garbled("tools/list", [text])
    messages.describe_failure(ValueError(text), "tools/list")
    messages.describe_end("tools/list")


def use_definition(make: Callable[[str], tuple[str, Any]]) -> Callable[[str, Path], None]:
    def use(text: str, folder: Path) -> None:
        member, definition = make(text)
        findings, redact = Findings(), Redactor(CREDENTIALS, COMMAND)
        listing = ServerListing("2025-11-25", {member: [definition]}, instructions=text)
        advertised = validate_listing(listing, (), LIMITS, Span.of_server("x"), findings)
        assert advertised is not None
        DefinitionRedactor(CREDENTIALS, COMMAND).redact(definition)
        for found in advertised.tools:
            lint_output_schema(found)
        (folder / "schemas/pulled").mkdir(parents=True, exist_ok=True)
        (folder / "schemas/pulled/x.json").write_text(json.dumps(advertised.lists))
        settings = PackageSettings.model_validate({})
        read_definitions(ConfiguredPackage(settings=settings, folder=folder, roots=(folder,)), findings)
        for item in findings:
            escape_line(redact(item.message) + redact(item.help))

    return use


USES = {"errors": describe_error} | {place: use_definition(make) for place, make in PLACES.items()}


def measure(use: Callable[[str, Path], None], piece: str, length: int, folder: Path) -> float:
    text = (piece * length)[:length]
    start = time.process_time()
    use(text, folder)
    return time.process_time() - start


@pytest.mark.ci
@pytest.mark.parametrize("place", USES)
def test_time_grows_with_the_text(place: str, tmp_path: Path) -> None:
    use = USES[place]
    measure(use, "a", 10, tmp_path)  # imports

    def grows(piece: str) -> bool:
        short, long = (measure(use, piece, length, tmp_path) for length in (LENGTH, 4 * LENGTH))
        return long > max(MOST_GROWTH * short, LEAST_SECONDS)

    # something else may have disturbed one measurement
    assert [piece for piece in PIECES if all(grows(piece) for _ in range(3))] == []


def test_only_the_beginning_of_an_error_is_searched_and_no_secret_is_cut_through() -> None:
    messages = ErrorMessages(COMMAND, TransportLog(Meter(LIMITS)), Redactor(CREDENTIALS, COMMAND))
    for shift in range(len(SECRET) + 2):
        padding = "https://a.test/?" + "k" * (LONGEST_FOREIGN_TEXT - 16 - shift - 2) + " "
        text = messages.clean_text(f"{padding}{SECRET} and more")
        assert not any(SECRET[:length] in text for length in range(4, len(SECRET) + 1)), shift
