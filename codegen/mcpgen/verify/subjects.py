"""What is called, read and asked for on a server, with the arguments and the claims of each."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Literal

from mcpgen.introspect.definition_drift import build_expected_tool
from mcpgen.introspect.server_query import ServerQuery
from mcpgen.introspect.validation import AdvertisedDefinitions
from mcpgen.ir.code_settings import BUILDERS, ContentStrategy
from mcpgen.ir.definitions import UriTemplatePart, list_uri_variables
from mcpgen.read.definitions import Definitions, find_content_strategy
from mcpgen.read.resources import InvalidUriTemplate, expand_uri_template, parse_uri_template
from mcpgen.schema.document import make_check
from mcpgen.schema.values import Json, as_array, as_object
from mcpgen.verify.cases import ArgumentCases, Case
from mcpgen.verify.claims import Fault, ToolClaims, find_prompt_faults, find_resource_faults, find_unknown_tool_faults

UNKNOWN_TOOL = "mcpgen-no-such-tool"
_TEMPLATE_CALLS = 4
_METHODS = {"tool": "tools/call", "resource": "resources/read", "prompt": "prompts/get"}


@dataclass(frozen=True)
class VerifyRequest:
    """What of a server is called, with which arguments, and for how long."""

    query: ServerQuery
    paths: tuple[Path, ...]
    exclude: tuple[str, ...]
    allowed: frozenset[str]
    """Tools that may be called whatever their annotations say."""
    only: frozenset[str]
    """Names and URIs that are tested; empty: all."""
    arguments: dict[str, Json] | None
    """The arguments of the only call; None: they are drawn."""
    seed: int
    most_calls: int
    seconds: float
    call_seconds: float = 10
    slow_seconds: float = 3
    connections: int = 1
    junit: Path | None = None

    def may_call(self, tool: Mapping[str, Json]) -> bool:
        """Return whether a tool is named, or annotated as read-only."""
        hints = as_object(tool.get("annotations"))
        is_harmless = hints.get("readOnlyHint") is True and hints.get("destructiveHint") is not True
        return is_harmless or tool["name"] in self.allowed


@dataclass(frozen=True)
class Subject:
    """A tool, resource or prompt, with the calls that test it."""

    kind: Literal["tool", "resource", "prompt"]
    name: str
    cases: Sequence[Case]
    classify: Callable[[Json], Case | None]
    """Returns other arguments as a case."""
    find_faults: Callable[[dict[str, Json], Case], Iterator[Fault]]
    template: tuple[UriTemplatePart, ...] = ()
    may_fail: bool = False
    """It may answer valid arguments with a protocol error, as a resource that is not there does."""

    def make_request(self, arguments: dict[str, Json]) -> tuple[str, dict[str, Json]]:
        """Return the method and the parameters of a request with some arguments."""
        named: dict[str, Json] = {"name": self.name, "arguments": arguments}
        return _METHODS[self.kind], {"uri": _expand(self.template, arguments)} if self.template else named


class SubjectFinder:
    """Subjects of what a server advertises, with what its definitions here know besides."""

    def __init__(self, advertised: AdvertisedDefinitions, definitions: Definitions, request: VerifyRequest) -> None:
        self._lists, self._version, self._request = advertised.lists, advertised.protocol, request
        self._tools = {tool.name: tool for tool in definitions.tools}
        self._payloads = {item.uri: item.payload.value for item in definitions.resources if item.payload is not None}
        self._values = {
            (prompt.name, one.wire): one.values for prompt in definitions.prompts for one in prompt.arguments
        }

    def find_subjects(self, refuse: Callable[[str, str], None]) -> Iterator[Subject]:
        """Yield what is tested; `refuse` gets the name and the reason of what cannot be."""
        only, lists = self._request.only, self._lists
        tools = [(tool, self._make_tool) for tool in lists["tools"] if self._request.may_call(tool)]
        resources = [(item, self._make_resource) for item in (*lists["resources"], *lists["resourceTemplates"])]
        for item, make in (*tools, *resources, *((prompt, self._make_prompt) for prompt in lists["prompts"])):
            name = str(item.get("uriTemplate", item.get("uri", item["name"])))
            try:
                if not only or name in only:
                    yield make(name, item)
            except (ValueError, InvalidUriTemplate) as error:  # a schema or template that cannot be used
                refuse(name, str(error))
        if lists["tools"] and (not only or UNKNOWN_TOOL in only):
            yield Subject("tool", UNKNOWN_TOOL, [Case({}, "name")], lambda _: None, find_unknown_tool_faults)

    def _plan(self, name: str, schema: Json, most: int) -> tuple[list[Case], Callable[[Json], Case | None]]:
        """Return the cases of the calls, and what classifies others."""
        cases, arguments = ArgumentCases(schema, f"{self._request.seed}/{name}"), self._request.arguments
        if arguments is not None:
            return [cases.classify(arguments) or Case(arguments)], cases.classify
        return cases.plan(most), cases.classify

    def _make_tool(self, name: str, tool: Mapping[str, Json]) -> Subject:
        """Return a tool; a definition of it here counts as well as what the server advertises."""
        definition, schemas = self._tools.get(name), [tool]
        content: ContentStrategy = "json"
        error = None
        if definition is not None:
            schemas.append(build_expected_tool(definition, self._version))
            content = find_content_strategy(definition)
            error = None if definition.error is None else make_check(definition.error.value)
        outputs = [make_check(one["outputSchema"]) for one in schemas if "outputSchema" in one]
        if definition is not None and definition.is_output_from_settings and "outputSchema" not in tool:
            outputs.clear()  # the server knows nothing of it
        writes_text = BUILDERS.get(content) == "text_block"
        claims = ToolClaims(name, self._version, outputs, content == "json", writes_text, error)
        planned = self._plan(name, schemas[-1]["inputSchema"], self._request.most_calls)
        return Subject("tool", name, *planned, claims.find_faults)

    def _make_resource(self, uri: str, resource: Mapping[str, Json]) -> Subject:
        template = parse_uri_template(uri) if "uriTemplate" in resource else (uri,)
        names = [*list_uri_variables(template)]
        planned, classify = self._plan(uri, _make_schema(dict.fromkeys(names, ()), names), 6 * _TEMPLATE_CALLS)
        cases = [case for case in planned if not case.refusal][: _TEMPLATE_CALLS if names else 1]
        claims = self._version, resource.get("mimeType"), make_check(self._payloads.get(uri, True))

        def find_faults(result: dict[str, Json], case: Case) -> Iterator[Fault]:
            return find_resource_faults(*claims, _expand(template, case.arguments), result)

        return Subject("resource", uri, cases, classify, find_faults, template, may_fail=len(template) > 1)

    def _make_prompt(self, name: str, prompt: Mapping[str, Json]) -> Subject:
        arguments: list[Any] = as_array(prompt.get("arguments"))
        values = {one["name"]: self._values.get((name, one["name"]), ()) for one in arguments}
        schema = _make_schema(values, [one["name"] for one in arguments if one.get("required") is True])
        planned, classify = self._plan(name, schema, self._request.most_calls)
        cases = [case for case in planned if case.refusal in ("", "required")]
        return Subject("prompt", name, cases, classify, partial(find_prompt_faults, self._version), may_fail=True)


def _make_schema(values: Mapping[str, Sequence[str]], required: Sequence[str]) -> Json:
    """Return the schema of texts with these names; those with values have one of these."""
    text: Json = {"type": "string", "minLength": 1}
    properties: dict[str, Json] = {name: {"enum": [*known]} if known else text for name, known in values.items()}
    return {"type": "object", "properties": properties, "required": [*required], "additionalProperties": False}


def _expand(template: tuple[UriTemplatePart, ...], arguments: Mapping[str, Json]) -> str:
    return expand_uri_template(template, {name: str(value) for name, value in arguments.items()})
