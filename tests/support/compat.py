"""Definitions and subschemas for tests of `mcpgen.compat`, without files."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from mcpgen.compat.gap import Gap
from mcpgen.compat.inclusion import keyword_rules
from mcpgen.compat.inclusion.checker import InclusionChecker, KeywordRule, Question, ValuePath
from mcpgen.compat.inclusion.conjunction import Conjunction, make_conjunction
from mcpgen.compat.inclusion.schema_view import SchemaView
from mcpgen.diagnostics import Span
from mcpgen.read.definitions import ResourceDefinition, ResourceOptions, ToolDefinition, ToolOptions
from mcpgen.schema.document import Schema
from mcpgen.schema.keywords import DRAFT_2020_12


def make_schema(value: Any, dialect: str = DRAFT_2020_12) -> Schema:
    """A schema of 2020-12."""
    return Schema(value, dialect)


def make_tool(
    name: str = "get", output: Any = None, input: Any = None, choices: ToolOptions | None = None, **members: Any
) -> ToolDefinition:
    """A tool as it is read from a file that is no longer there."""
    arguments = {"type": "object"} if input is None else input
    tool = {"name": name, "inputSchema": arguments, **members}
    if output is not None:
        tool["outputSchema"] = output
    return ToolDefinition(
        name,
        "tools.json",
        Span("tools.json", 1, 1),
        tool,
        make_schema(arguments),
        None if output is None else make_schema(output),
        choices or ToolOptions(),
    )


def make_resource(
    name: str = "config", payload: Any = None, choices: ResourceOptions | None = None, **members: Any
) -> ResourceDefinition:
    """A resource; without a `uri` or `uriTemplate` among the members it has the URI `x://config`."""
    resource = {"name": name, **(members or {"uri": "x://config"})}
    return ResourceDefinition(
        name,
        "resources.json",
        Span("resources.json", 1, 1),
        resource,
        choices or ResourceOptions(),
        payload=None if payload is None else make_schema(payload),
    )


def make_view(schema: Any, dialect: str = DRAFT_2020_12) -> SchemaView:
    """A view of a schema of 2020-12."""
    return SchemaView(schema, dialect)


def conjoin(schema: Any, dialect: str = DRAFT_2020_12) -> Conjunction:
    """Return the conjunction of a document's root."""
    view = make_view(schema, dialect)
    return make_conjunction(view, view.root)


def find_gaps(producer: Any, consumer: Any, dialect: str = DRAFT_2020_12) -> list[Gap]:
    """Return the gaps between two schemas."""
    return keyword_rules.find_gaps(make_view(producer, dialect), make_view(consumer, dialect))


def find_rule_gaps(rules: Iterable[KeywordRule], producer: Any, consumer: Any, kind: str) -> list[Gap]:
    """Return the gaps that some rules find between the roots of two schemas, for the values of a kind."""
    checker = InclusionChecker(make_view(producer), make_view(consumer), keyword_rules.KEYWORD_RULES)
    question = Question(checker, conjoin(producer), checker.consumer.root, kind, ValuePath())
    present = [rule for rule in rules if any(keyword in consumer for keyword in rule.keywords)]
    return [gap for rule in present for gap in rule.find_gaps(question)]
