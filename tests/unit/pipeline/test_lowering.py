"""Definitions to requests, and lowered schemas to modules."""

from __future__ import annotations

from dataclasses import replace

from mcpgen.diagnostics import Findings, Severity, Span
from mcpgen.ir.package import ANY_ROOT
from mcpgen.pipeline.lowering import (
    assemble_resource,
    assemble_tool,
    make_package,
    make_resource_request,
    make_tool_requests,
    report_tool_notes,
)
from mcpgen.read.definitions import ResourceDefinition, ResourceOptions
from mcpgen.schema.document import Schema
from mcpgen.schema.formats import FormatChoices
from mcpgen.schema.keywords import DRAFT_2020_12
from mcpgen.schema.values import Json
from support.definitions import PRICE, define_tool, make_settings


def test_a_tool_has_a_request_per_schema() -> None:
    settings = make_settings(limits={"classes": 7})
    tool = replace(
        define_tool("buy", PRICE, formats=("date", "uuid")),
        class_names={"#output/properties/a": "Cost", "#input": "Order"},
        formats={"#output/properties/b": False, "#input/properties/c": True},
    )
    input_request, output_request = make_tool_requests(tool, settings)
    assert (input_request.side, input_request.class_names) == ("input", (("", "Order"),))
    assert (output_request.side, output_request.class_names) == ("output", (("/properties/a", "Cost"),))
    assert output_request.schema.value == PRICE
    assert output_request.formats == FormatChoices(("date", "uuid"), (("/properties/b", False),))
    assert input_request.formats == FormatChoices(("date", "uuid"), (("/properties/c", True),))
    assert output_request.limits.classes == 7
    assert [request.side for request in make_tool_requests(define_tool("talk"), settings)] == ["input"]


def test_notes_are_reported_at_their_schema() -> None:
    findings = Findings()
    roots = [
        replace(ANY_ROOT, notes=(("", "is open"),)),
        replace(ANY_ROOT, notes=(("/properties/a/items", "is wider"),)),
    ]
    report_tool_notes(define_tool("buy", PRICE), roots, findings)
    assert [(finding.code, finding.severity) for finding in findings] == [("MG107", Severity.NOTE)] * 2
    assert [finding.message for finding in findings] == [
        'tool "buy", inputSchema: is open',
        'tool "buy", property "a" of outputSchema: is wider',
    ]


def test_a_note_says_that_a_result_is_wrapped_by_default() -> None:
    messages = []
    for schema, options in (
        ({"type": "array"}, {"wrap": "always"}),
        ({"type": "array"}, {"wrap": "always", "wrap_chosen": True}),
        ({"type": "array"}, {}),
        (PRICE, {"wrap": "always"}),
    ):
        findings = Findings()
        report_tool_notes(define_tool("buy", schema, **options), [ANY_ROOT, ANY_ROOT], findings)
        messages.append([finding.code for finding in findings])
    assert messages == [["MG113"], [], [], []]


def test_a_result_that_may_be_no_object_is_wrapped() -> None:
    for schema, options, wrapped in (
        (PRICE, {}, "never"),
        (None, {}, "never"),
        ({"type": "array"}, {}, "legacy"),
        ({"type": "array"}, {"wrap": "always"}, "always"),
    ):
        tool = define_tool("buy", schema, **options)
        assert assemble_tool(tool, *[ANY_ROOT] * len(tool.schemas)).wrapped == wrapped


def test_an_image_is_binary_content_unless_something_else_is_chosen() -> None:
    image = replace(ANY_ROOT, media_type="image/png")
    schema = {"type": "string", "contentEncoding": "base64", "contentMediaType": "image/png"}
    assert assemble_tool(define_tool("draw", schema), ANY_ROOT, image).content == "binary"
    chosen = define_tool("draw", schema, content_chosen=True, content="json")
    assert assemble_tool(chosen, ANY_ROOT, image).content == "json"


def test_a_resource_keeps_only_texts_of_its_definition() -> None:
    payload = Schema(PRICE, DRAFT_2020_12)
    declared: dict[str, Json] = {"name": "a", "uri": "data://a", "mimeType": 5, "description": "A."}
    resource = ResourceDefinition("a", "a.json", Span("a.json"), declared, ResourceOptions(ttl_ms=9), payload=payload)
    module = assemble_resource(resource, ANY_ROOT)
    assert (module.uri, module.mime_type, module.description, module.ttl_ms) == ("data://a", None, "A.", 9)
    (request,) = make_resource_request(resource, payload, make_settings())
    assert (request.side, request.schema) == ("resource", payload)


def test_a_package_takes_its_limits_and_extras_from_the_settings() -> None:
    settings = make_settings(sdk="mcp", azure=True, protocol="2025-06-18", limits={"value-depth": 11})
    package = make_package([assemble_tool(define_tool("buy"), ANY_ROOT)], [], settings)
    assert [tool.wire for tool in package.tools] == ["buy"]
    assert (package.sdk, package.protocol, package.azure) == ("mcp", "2025-06-18", True)
    assert package.limits == (("value_depth", 11),)
