"""Table of the lint rules, in the order of their codes."""

from __future__ import annotations

from mcpgen.diagnostics import Severity
from mcpgen.lint.rule import LintRule
from mcpgen.lint.rules import model_apis, names, safety, schemas, validators, wording

_SPECIFICATION = "MCP 2026-07-28, "

PRINTED_NULL = "MG936"
"""The rule about content templates: `mcpgen lint` itself asks it, since it takes the types of the values."""

LINT_RULES: tuple[LintRule, ...] = (
    LintRule(
        "MG111",
        "`ToolExecution` of MCP 2025-11-25; `validation/ajv-provider.js` of @modelcontextprotocol/sdk 1.32.2",
        safety.check_common_clients,
        severity=Severity.NOTE,
        is_fixable=True,
    ),
    LintRule(
        "MG901",
        "Unicode's default ignorable code points; texts that only models read are known as tool poisoning",
        safety.check_invisible_text,
        is_fixable=True,
    ),
    LintRule("MG902", f"{_SPECIFICATION}Overview, `icons`, security considerations", safety.check_icon_schemes),
    LintRule("MG903", f"{_SPECIFICATION}Tools, `x-mcp-header`", safety.check_parameter_headers),
    LintRule("MG904", f"{_SPECIFICATION}`ToolAnnotations` in the schema", safety.check_contradicting_hints),
    LintRule(
        "MG905",
        "`validation/ajv-provider.js` of @modelcontextprotocol/sdk 1.32.2; Python's `re`, by jsonschema",
        validators.check_patterns,
    ),
    LintRule(
        "MG906",
        "`multipleOf` in ajv 8 and in jsonschema 4, which divide floats",
        validators.check_multiples,
    ),
    LintRule(
        "MG907",
        "`validation/ajv-provider.js` of @modelcontextprotocol/sdk 1.32.2: a validator of draft-07",
        validators.check_tuples,
    ),
    LintRule("MG908", "the extension MCP Apps, `_meta.ui.resourceUri`", check_package=safety.check_views),
    LintRule("MG911", f"{_SPECIFICATION}Tools, Tool Names", names.check_specified_name),
    LintRule(
        "MG912",
        "what each client says about names: see the explanation",
        names.check_accepted_name,
        clients=("anthropic", "claude-code", "cursor", "gemini", "openai"),
    ),
    LintRule(
        "MG913",
        "`generateValidName` in packages/core/src/tools/mcp-tool.ts of google-gemini/gemini-cli",
        check_package=names.check_equal_names,
        clients=("gemini-cli",),
    ),
    LintRule(
        "MG914",
        "the API's error message: Property keys should match pattern '^[a-zA-Z0-9_.-]{1,64}$'",
        names.check_property_names,
        clients=("anthropic",),
    ),
    LintRule(
        "MG921",
        "the APIs' error messages: makenotion/notion-mcp-server, issue 341; langchain-ai/langchainjs, issue 9804",
        schemas.check_root_composition,
        clients=("anthropic", "openai"),
    ),
    LintRule(
        "MG922",
        "`ToolSchema` in types.js of @modelcontextprotocol/sdk 1.32.2; `agents.strict_schema` of openai-agents 0.24.0",
        schemas.check_boolean_schemas,
        clients=("openai-strict", "typescript-sdk-1"),
        is_fixable=True,
    ),
    LintRule(
        "MG923",
        "MCP 2025-11-25, `Tool.outputSchema`; `ToolSchema` in types.js of @modelcontextprotocol/sdk 1.32.2",
        schemas.check_object_results,
        clients=("typescript-sdk-1",),
    ),
    LintRule(
        "MG924",
        "`transform_schema` of anthropic 2.12.0; google-gemini/gemini-cli, issue 4400",
        schemas.check_missing_types,
        clients=("anthropic-strict", "gemini"),
        is_fixable=True,
    ),
    LintRule(
        "MG925",
        "the clients' error messages: agentscope-ai/ReMe, issue 84; anomalyco/opencode, issue 20273",
        schemas.check_missing_items,
        clients=("openai", "vscode"),
    ),
    LintRule(
        "MG926",
        "Claude's documentation, Structured outputs, JSON Schema limitations",
        model_apis.check_recursion,
        clients=("anthropic-strict",),
    ),
    LintRule(
        "MG927",
        "`SupportedStringFormats` of anthropic 2.12.0; OpenAI's documentation, Structured outputs, Supported schemas",
        model_apis.check_formats,
        clients=("anthropic-strict", "openai-strict"),
    ),
    LintRule(
        "MG928",
        "OpenAI's documentation, Structured outputs, Supported schemas",
        model_apis.check_limits,
        clients=("openai-strict",),
    ),
    LintRule(
        "MG929",
        "`ensure_strict_json_schema` of openai-agents 0.24.0",
        model_apis.check_open_objects,
        clients=("openai-strict",),
    ),
    LintRule("MG931", f"{_SPECIFICATION}`Tool.description`: a hint to the model", wording.check_missing_description),
    LintRule("MG932", "a model chooses among tools by what they say", check_package=wording.check_equal_descriptions),
    LintRule("MG933", "a model fills parameters by what they say", wording.check_parameter_descriptions),
    LintRule("MG934", f"{_SPECIFICATION}`Tool.annotations`: precedence of names", wording.check_titles),
    LintRule(
        "MG935",
        "a model reads the content of a result, and JSON is seldom the shortest text",
        check_package=wording.check_chosen_content,
        severity=Severity.NOTE,
    ),
    LintRule(PRINTED_NULL, "Jinja's documentation: it prints null as Python does", severity=Severity.NOTE),
    LintRule(
        "MG941",
        "the API's error message: It must match JSON Schema draft 2020-12",
        model_apis.check_old_tuples,
        clients=("anthropic",),
    ),
    LintRule(
        "MG942",
        "the API's error messages: enum: only allowed for STRING type; enum[0]: cannot be empty",
        model_apis.check_enums,
        clients=("gemini",),
    ),
    LintRule(
        "MG943",
        "the API's error message: Expected a string with maximum length 1024; Claude Code's documentation, MCP",
        model_apis.check_long_descriptions,
        clients=("claude-code", "openai"),
    ),
)
"""Every rule. The settings select them by the beginnings of their codes."""
