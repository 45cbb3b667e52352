"""The table of lint rules, in the order of their codes, and the functions that select and ask them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

from mcpgen.diagnostics import Diagnostic, Severity, Span
from mcpgen.lint import client_rules, definition_rules, mistakes
from mcpgen.lint.clients import expand_clients
from mcpgen.lint.rule import LintedDefinition, LintedSchema, LintRule, Problem

_SPECIFICATION = "MCP 2026-07-28, "
PRINTED_NULL = "MG936"
"""The rule about content templates: `mcpgen lint` itself asks it, since it takes the types of the values."""
COSTLY_VALUE, CUT_RESULT = "MG952", "MG953"
"""The rules about example results in hosts: `mcpgen lint` asks them, too, since they take a generated package."""
_HOSTS = "the table of hosts, `mcpgen.hosts.table`, which has a source for each"
LINT_RULES: tuple[LintRule, ...] = (
    LintRule(
        "MG111",
        "`ToolExecution` of MCP 2025-11-25; `validation/ajv-provider.js` of @modelcontextprotocol/sdk 1.32.2",
        definition_rules.check_common_clients,
        severity=Severity.NOTE,
        is_fixable=True,
    ),
    LintRule(
        "MG901",
        "Unicode's default ignorable code points; texts that only models read are known as tool poisoning",
        definition_rules.check_invisible_text,
        is_fixable=True,
    ),
    LintRule(
        "MG902", f"{_SPECIFICATION}Overview, `icons`, security considerations", definition_rules.check_icon_schemes
    ),
    LintRule("MG903", f"{_SPECIFICATION}Tools, `x-mcp-header`", check_schema=definition_rules.check_parameter_headers),
    LintRule("MG904", f"{_SPECIFICATION}`ToolAnnotations` in the schema", definition_rules.check_contradicting_hints),
    LintRule(
        "MG905",
        "`validation/ajv-provider.js` of @modelcontextprotocol/sdk 1.32.2; Python's `re`, by jsonschema",
        client_rules.check_patterns,
    ),
    LintRule(
        "MG906",
        "`multipleOf` in ajv 8 and in jsonschema 4, which divide floats",
        check_schema=client_rules.check_multiples,
        member="outputSchema",
    ),
    LintRule(
        "MG907",
        "`validation/ajv-provider.js` of @modelcontextprotocol/sdk 1.32.2: a validator of draft-07",
        check_schema=client_rules.check_tuples,
        member="outputSchema",
    ),
    LintRule("MG908", "the extension MCP Apps, `_meta.ui.resourceUri`", check_package=definition_rules.check_views),
    LintRule("MG911", f"{_SPECIFICATION}Tools, Tool Names", client_rules.check_specified_name),
    LintRule(
        "MG912",
        "what each client says about names: see the explanation",
        client_rules.check_accepted_name,
        clients=("anthropic", "claude-code", "cursor", "gemini", "openai"),
    ),
    LintRule(
        "MG913",
        "`generateValidName` in packages/core/src/tools/mcp-tool.ts of google-gemini/gemini-cli",
        check_package=client_rules.check_equal_names,
        clients=("gemini-cli",),
    ),
    LintRule(
        "MG914",
        "the API's error message: Property keys should match pattern '^[a-zA-Z0-9_.-]{1,64}$'",
        check_schema=client_rules.check_property_names,
        clients=("anthropic",),
    ),
    LintRule(
        "MG921",
        "the APIs' error messages: makenotion/notion-mcp-server, issue 341; langchain-ai/langchainjs, issue 9804",
        check_schema=client_rules.check_root_composition,
        clients=("anthropic", "openai"),
    ),
    LintRule(
        "MG922",
        "`ToolSchema` in types.js of @modelcontextprotocol/sdk 1.32.2; `agents.strict_schema` of openai-agents 0.24.0",
        client_rules.check_boolean_schemas,
        clients=("openai-strict", "typescript-sdk-1"),
        is_fixable=True,
    ),
    LintRule(
        "MG923",
        "MCP 2025-11-25, `Tool.outputSchema`; `ToolSchema` in types.js of @modelcontextprotocol/sdk 1.32.2",
        check_schema=client_rules.check_object_results,
        member="outputSchema",
        clients=("typescript-sdk-1",),
    ),
    LintRule(
        "MG924",
        "`transform_schema` of anthropic 2.12.0; google-gemini/gemini-cli, issue 4400",
        check_schema=client_rules.check_missing_types,
        clients=("anthropic-strict", "gemini"),
        is_fixable=True,
    ),
    LintRule(
        "MG925",
        "the clients' error messages: agentscope-ai/ReMe, issue 84; anomalyco/opencode, issue 20273",
        check_schema=client_rules.check_missing_items,
        clients=("openai", "vscode"),
    ),
    LintRule(
        "MG926",
        "Claude's documentation, Structured outputs, JSON Schema limitations",
        check_schema=client_rules.check_recursion,
        clients=("anthropic-strict",),
    ),
    LintRule(
        "MG927",
        "`SupportedStringFormats` of anthropic 2.12.0; OpenAI's documentation, Structured outputs, Supported schemas",
        check_schema=client_rules.check_formats,
        clients=("anthropic-strict", "openai-strict"),
    ),
    LintRule(
        "MG928",
        "OpenAI's documentation, Structured outputs, Supported schemas",
        check_schema=client_rules.check_limits,
        clients=("openai-strict",),
    ),
    LintRule(
        "MG929",
        "`ensure_strict_json_schema` of openai-agents 0.24.0",
        check_schema=client_rules.check_open_objects,
        clients=("openai-strict",),
    ),
    LintRule(
        "MG931", f"{_SPECIFICATION}`Tool.description`: a hint to the model", definition_rules.check_missing_description
    ),
    LintRule(
        "MG932", "a model chooses among tools by what they say", check_package=definition_rules.check_equal_descriptions
    ),
    LintRule("MG933", "a model fills parameters by what they say", definition_rules.check_parameter_descriptions),
    LintRule("MG934", f"{_SPECIFICATION}`Tool.annotations`: precedence of names", definition_rules.check_titles),
    LintRule(
        "MG935",
        "a model reads the content of a result, and JSON is seldom the shortest text",
        check_package=definition_rules.check_chosen_content,
        severity=Severity.NOTE,
    ),
    LintRule(PRINTED_NULL, "Jinja's documentation: it prints null as Python does", severity=Severity.NOTE),
    LintRule(
        "MG941",
        "the API's error message: It must match JSON Schema draft 2020-12",
        check_schema=client_rules.check_old_tuples,
        clients=("anthropic",),
    ),
    LintRule(
        "MG942",
        "the API's error messages: enum: only allowed for STRING type; enum[0]: cannot be empty",
        check_schema=client_rules.check_enums,
        clients=("gemini",),
    ),
    LintRule(
        "MG943",
        "the API's error message: Expected a string with maximum length 1024; measured with Claude Code 2.1.332",
        client_rules.check_long_descriptions,
        clients=("claude-code", "openai"),
    ),
    LintRule(
        "MG951",
        _HOSTS,
        check_package=client_rules.check_hidden_texts,
        clients=("claude-code", "codex", "pydantic-ai", "vscode"),
    ),
    LintRule(
        COSTLY_VALUE,
        _HOSTS,
        clients=("chatgpt", "claude-code", "cline", "codex", "google-genai", "kimi", "pydantic-ai", "vscode"),
        severity=Severity.NOTE,
    ),
    LintRule(
        CUT_RESULT,
        _HOSTS,
        clients=("claude-code", "cline", "codex", "gemini-cli", "goose", "kimi", "opencode", "vscode"),
    ),
)
"""Every rule that is asked about definitions. The settings select them by the beginnings of their codes."""
WRITTEN_SCHEMA_RULES = (
    LintRule("MG105", check_schema=mistakes.check_keywords),
    LintRule("MG106", check_schema=mistakes.check_closed_objects),
    LintRule("MG114", check_schema=mistakes.check_values),
    LintRule("MG115", check_schema=mistakes.check_foreign_keywords),
    LintRule("MG115", check_schema=mistakes.check_foreign_annotations, severity=Severity.NOTE),
    LintRule("MG116", check_schema=mistakes.check_format_names),
    LintRule("MG116", check_schema=mistakes.check_misspelt_names),
    LintRule("MG117", check_schema=mistakes.check_undescribed_names),
    LintRule("MG118", check_schema=mistakes.check_idle_keywords),
    LintRule("MG119", check_schema=mistakes.check_bounds),
)
"""Rules that are always asked about valid schemas as they are written."""
BUNDLED_SCHEMA_RULES = (
    LintRule("MG120", check_schema=mistakes.check_closed_parts),
    LintRule("MG121", check_schema=mistakes.check_examples),
)
"""Rules that are always asked about schemas with everything that they refer to."""


@dataclass(frozen=True)
class LintFinding:
    """Problem that a rule has found in a definition."""

    rule: LintRule
    problem: Problem

    def locate(self, span: Span) -> Diagnostic:
        """Return the diagnostic at the place of the problem."""
        return Diagnostic(self.rule.code, self.problem.message, span, self.problem.help, self.rule.severity)


class RuleChoice(Protocol):
    """Choice of rules, such as the settings' table `lint`."""

    @property
    def selected(self) -> Sequence[str]:
        """Beginnings of the codes of rules that run."""
        ...

    @property
    def ignore(self) -> Sequence[str]:
        """Beginnings of the codes of rules that never run."""
        ...

    @property
    def clients(self) -> Sequence[str]:
        """Clients whose rules run, too."""
        ...


def select_rules(choice: RuleChoice) -> tuple[LintRule, ...]:
    """Return the rules whose codes begin with a selected text, and those of the clients, without the ignored ones.

    Each has only those of its clients that are named. If it is selected by its code and none is named, it has all.
    """
    named = expand_clients(choice.clients)
    selected: list[LintRule] = []
    for rule in LINT_RULES:
        concerned = tuple(client for client in rule.clients if client in named)
        is_selected = bool(concerned) or rule.code.startswith(tuple(choice.selected))
        if is_selected and not rule.code.startswith(tuple(choice.ignore)):
            selected.append(replace(rule, clients=concerned or rule.clients))
    return tuple(selected)


def lint_definition(definition: LintedDefinition, rules: Sequence[LintRule]) -> Iterator[LintFinding]:
    """Yield what the rules about single definitions find."""
    for rule in rules:
        if rule.check is not None:
            yield from (LintFinding(rule, problem) for problem in rule.check(definition, frozenset(rule.clients)))
        schema = definition.schemas.get(rule.member)
        if rule.check_schema is not None and schema is not None:
            problems = rule.check_schema(schema, frozenset(rule.clients))
            yield from (LintFinding(rule, problem.move(f"/{rule.member}", definition.label)) for problem in problems)


def lint_schema(schema: LintedSchema, rules: Sequence[LintRule]) -> Iterator[LintFinding]:
    """Yield what rules about schemas find in one."""
    for rule in rules:
        if rule.check_schema is not None:
            yield from (LintFinding(rule, problem) for problem in rule.check_schema(schema, frozenset()))


def lint_package(
    definitions: Sequence[LintedDefinition], rules: Sequence[LintRule]
) -> Iterator[tuple[int, LintFinding]]:
    """Yield what the rules about several definitions find, each with the number of its definition."""
    for rule in rules:
        if rule.check_package is not None:
            problems = rule.check_package(definitions, frozenset(rule.clients))
            yield from ((number, LintFinding(rule, problem)) for number, problem in problems)
