"""The table of hosts: complete, with sources, and what its cells claim is true of the readings."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

import pytest
from hosts.clients import LIBRARIES
from mcpgen.hosts.conversions import read_as
from mcpgen.hosts.reading import Reading
from mcpgen.hosts.table import HOSTS, HOSTS_BY_NAME, UNKNOWN, Host, expand_client_names
from mcpgen.lint.clients import CLIENTS_BY_NAME
from support.repository import ROOT

VALUE = {"mark": "VALUE"}
TEXT = {"type": "text", "text": "TEXT"}
SAID = {"type": "text", "text": json.dumps(VALUE)}
IMAGE = {"type": "image", "data": "iVBORw==", "mimeType": "image/png"}
AUDIO = {"type": "audio", "data": "UklGRg==", "mimeType": "audio/wav"}
LINK = {"type": "resource_link", "uri": "mark://LINK", "name": "l"}
FOR_PEOPLE = {**TEXT, "annotations": {"audience": ["user"]}}
EVERY_HOST = pytest.mark.parametrize("host", HOSTS, ids=lambda host: host.name)


def read(host: Host, *content: Mapping[str, Any], **members: Any) -> Reading:
    return read_as(host.name, {"content": [*content], **members}, "tool")


def has_media(reading: Reading) -> bool:
    return any(item.is_media for item in reading.items)


def fails(reading: Reading) -> bool:
    return reading.text.startswith("(the call fails: ")


# --- the table -------------------------------------------------------------------------------------------------------
@EVERY_HOST
def test_every_cell_has_a_source(host: Host) -> None:
    for column, cell in host.list_cells():
        assert cell.words, column
        assert cell.source, column
        assert (cell.source == UNKNOWN.source) == (cell.words == UNKNOWN.words), column


@EVERY_HOST
def test_every_host_is_a_client_with_a_version_and_a_reader(host: Host) -> None:
    assert host.version
    assert host.title == CLIENTS_BY_NAME[host.name].title
    assert not fails(read(host, TEXT))
    assert "TEXT" in read(host, TEXT).text


def test_names_of_hosts_and_of_clients_are_told_apart() -> None:
    sent = [name for host in HOSTS for name in host.client_names]
    assert len({*sent}) == len(sent)
    assert expand_client_names(["codex", "pydantic-ai", "mine", "codex"]) == ("codex-mcp-client", "pydantic-ai", "mine")


def test_the_libraries_that_tests_run_are_those_whose_sources_say_so() -> None:
    said = {host.name for host in HOSTS if any("a test runs it" in cell.source for _, cell in host.list_cells())}
    assert said == {*LIBRARIES}


@pytest.mark.parametrize("name", LIBRARIES)
def test_ci_installs_the_version_that_was_looked_at(name: str) -> None:
    legs = (ROOT / ".ci" / "legs.sh").read_text("utf-8")
    rows = " ".join(re.findall(r'(?m)^  \[hosts1?\]="(.*)"$', legs)).split()
    requirement = next(row for row in rows if re.split(r"[\[=<>]", row)[0] == LIBRARIES[name].distribution)
    (lowest,) = re.findall(r"[=>]=([\d.]+)", requirement)
    version = HOSTS_BY_NAME[name].version
    assert version == lowest or version.startswith(f"{lowest}.")


# --- its claims ------------------------------------------------------------------------------------------------------
@EVERY_HOST
def test_structured_content_is_read_when_the_rule_says_so(host: Host) -> None:
    beside, alone = read(host, TEXT, structuredContent=VALUE), read(host, structuredContent=VALUE)
    said = read(host, SAID, structuredContent=VALUE)
    media = read(host, TEXT, IMAGE, structuredContent=VALUE)
    shown = ("TEXT" in beside.text, "VALUE" in beside.text, "VALUE" in alone.text)
    match host.structured_rule:
        case None:
            return
        case "never":
            assert shown == (True, False, False)
        case "without content":
            assert shown == (True, False, True)
        case "instead":
            assert shown == (False, True, True)
            assert "VALUE" not in media.text or not has_media(media)
        case "instead of text":
            assert shown == (False, True, True)
            assert ("TEXT" in media.text, "VALUE" in media.text, has_media(media)) == (False, True, True)
        case "beside" | "unless said" | "whole" as rule:
            assert shown == (True, True, True)
            assert said.text.count("VALUE") == (1 if rule == "unless said" else 2)
            assert (len(beside.items) == 1 and '"content"' in beside.text) == (rule == "whole")


@EVERY_HOST
def test_annotations_and_meta_are_read_as_the_cells_say(host: Host) -> None:
    annotated, marked = read(host, FOR_PEOPLE), read(host, TEXT, _meta={"mark": "META"})
    if host.annotations != UNKNOWN:
        assert ("TEXT" not in annotated.text) == ("left out" in host.annotations.words)
    if "decides" not in host.meta.words:
        assert ("META" in marked.text) == host.meta.words.startswith(("shown", "all of it"))


@EVERY_HOST
def test_errors_are_read_as_the_cells_say(host: Host) -> None:
    error, words = read(host, TEXT, isError=True), host.errors.words
    assert "TEXT" in error.text
    if words.startswith("as any other result"):
        assert error.text == read(host, TEXT).text
    if words.startswith(("a line says so", "the JSON of the whole result", "all of it", "asks to try again")):
        assert error.text != read(host, TEXT).text
    if "structured content is dropped" in words or words.startswith("the text blocks alone"):
        assert "VALUE" not in read(host, TEXT, structuredContent=VALUE, isError=True).text


@EVERY_HOST
def test_media_and_links_are_read_as_the_cells_say(host: Host) -> None:
    image, audio, link = read(host, IMAGE), read(host, TEXT, AUDIO), read(host, TEXT, LINK)
    if host.media.words.startswith("images are shown"):
        assert has_media(image)
    if "no image is seen" in host.media.words:
        assert not has_media(image)
        assert IMAGE["data"] in image.text
    if "audio is dropped" in host.media.words:
        assert not has_media(audio)
        assert "TEXT" in audio.text
    if host.media != UNKNOWN:
        assert fails(audio) == ("audio makes the call fail" in host.media.words)
    if host.links != UNKNOWN and "decides" not in host.links.words:
        assert fails(link) == host.links.words.startswith("a link makes the call fail")
        is_dropped = host.links.words.startswith("links are dropped") or fails(link)
        assert is_dropped != any("mark://LINK" in item.text for item in link.items)


# --- readings of which there is no library to run --------------------------------------------------------------------
def test_what_a_reading_leaves_out_is_listed() -> None:
    reading = read(HOSTS_BY_NAME["opencode"], TEXT, AUDIO, LINK, structuredContent=VALUE)
    assert reading.lost == ("value", "audio", "resource_link")
    assert not reading.is_doubled
    assert read(HOSTS_BY_NAME["mcp"], TEXT, structuredContent=VALUE).is_doubled
    assert read(HOSTS_BY_NAME["codex"], SAID, structuredContent=VALUE).lost == ()
    assert read(HOSTS_BY_NAME["codex"], TEXT, structuredContent=VALUE).lost == ("text",)
