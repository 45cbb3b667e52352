"""What is called, read and asked for on a server, with the arguments and the claims of each."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Literal

from mcpgen.introspect.definition_drift import build_expected_tool
from mcpgen.introspect.validation import AdvertisedDefinitions
from mcpgen.ir.code_settings import BUILDERS
from mcpgen.ir.definitions import UriTemplatePart, list_uri_variables
from mcpgen.read.definitions import Definitions, find_content_strategy
from mcpgen.read.resources import InvalidUriTemplate, expand_uri_template, parse_uri_template
from mcpgen.schema.values import Json, are_equal, as_array, as_object
from mcpgen.schema.violations import Validator
from mcpgen.verify.cases import ArgumentCases, Case
from mcpgen.verify.claims import (
    Fault,
    ToolClaims,
    find_prompt_faults,
    find_resource_faults,
    find_unknown_tool_faults,
)

UNKNOWN_TOOL = "mcpgen-no-such-tool"
_TEMPLATE_CALLS = 4
_METHODS = {"tool": "tools/call", "resource": "resources/read", "prompt": "prompts/get"}


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

    @property
    def may_fail(self) -> bool:
        """Whether it may answer valid arguments with a protocol error, as a resource that is not there does."""
        return self.kind == "prompt" or len(self.template) > 1

    def make_request(self, arguments: dict[str, Json]) -> tuple[str, dict[str, Json]]:
        """Return the method and the parameters of a request with some arguments."""
        named: dict[str, Json] = {"name": self.name, "arguments": arguments}
        return _METHODS[self.kind], {"uri": _expand(self.template, arguments)} if self.template else named


@dataclass(frozen=True)
class Choice:
    """What of a server is called, and with which arguments."""

    allowed: frozenset[str]
    """Tools that may be called whatever their annotations say."""
    only: frozenset[str]
    """Names and URIs that are tested; empty: all."""
    arguments: dict[str, Json] | None
    """The arguments of the only call; None: they are drawn."""
    seed: int
    calls: int

    def may_call(self, tool: Mapping[str, Json]) -> bool:
        """Return whether a tool is named, or annotated as read-only."""
        hints = as_object(tool.get("annotations"))
        is_harmless = hints.get("readOnlyHint") is True and hints.get("destructiveHint") is not True
        return is_harmless or tool["name"] in self.allowed


class SubjectFinder:
    """Subjects of what a server advertises, with what its definitions here know besides."""

    def __init__(self, advertised: AdvertisedDefinitions, definitions: Definitions, choice: Choice) -> None:
        self._lists, self._version, self._choice = advertised.lists, advertised.protocol, choice
        self._tools = {tool.name: tool for tool in definitions.tools}
        self._payloads = {resource.uri: resource.payload for resource in definitions.resources}
        self._prompts = {prompt.name: prompt for prompt in definitions.prompts}

    def find_subjects(self, refuse: Callable[[str, str], None]) -> Iterator[Subject]:
        """Yield what is tested; `refuse` gets the name and the reason of what cannot be."""
        makers = {"resources": self._make_resource, "resourceTemplates": self._make_resource}
        for member, make in {"tools": self._make_tool, **makers, "prompts": self._make_prompt}.items():
            for item in self._lists.get(member, []):
                name = str(item.get("uriTemplate", item.get("uri", item["name"])))
                if self._is_tested(name) and (member != "tools" or self._choice.may_call(item)):
                    try:
                        yield make(name, item)
                    except (ValueError, InvalidUriTemplate) as error:  # a schema or template that cannot be used
                        refuse(name, str(error))
        if self._lists.get("tools") and self._is_tested(UNKNOWN_TOOL):
            yield Subject("tool", UNKNOWN_TOOL, [Case({}, "name")], lambda _: None, find_unknown_tool_faults)

    def _is_tested(self, name: str) -> bool:
        return not self._choice.only or name in self._choice.only

    def _plan(self, name: str, schema: Json, calls: int = 0) -> tuple[list[Case], Callable[[Json], Case | None]]:
        """Return the cases of the calls, and what classifies others."""
        cases, arguments = ArgumentCases(schema, f"{self._choice.seed}/{name}"), self._choice.arguments
        if arguments is not None:
            return [cases.classify(arguments) or Case(arguments)], cases.classify
        return cases.plan(calls or self._choice.calls), cases.classify

    def _make_tool(self, name: str, tool: Mapping[str, Json]) -> Subject:
        """Return a tool; what its definition here says counts as well as what the server advertises."""
        definition, expected, content = self._tools.get(name), tool, "json"
        if definition is not None:
            expected, content = build_expected_tool(definition, self._version), find_content_strategy(definition)
        outputs = [one["outputSchema"] for one in (tool, expected) if "outputSchema" in one]
        if definition is not None and definition.is_output_from_settings and "outputSchema" not in tool:
            outputs = []
        if len(outputs) == 2 and are_equal(*outputs):
            outputs.pop()
        validators = [*map(Validator, outputs)]
        claims = ToolClaims(name, self._version, validators, content == "json", BUILDERS.get(content) == "text_block")
        return Subject("tool", name, *self._plan(name, expected["inputSchema"]), claims.find_faults)

    def _make_resource(self, uri: str, resource: Mapping[str, Json]) -> Subject:
        template = parse_uri_template(uri) if "uriTemplate" in resource else (uri,)
        names = [*list_uri_variables(template)]
        planned, classify = self._plan(uri, _make_schema(dict.fromkeys(names, ()), names), 6 * _TEMPLATE_CALLS)
        cases = [case for case in planned if not case.refusal][: _TEMPLATE_CALLS if names else 1]
        payload = self._payloads.get(uri)
        validator = None if payload is None else Validator(payload.value)

        def find_faults(result: dict[str, Json], case: Case) -> Iterator[Fault]:
            read = _expand(template, case.arguments)
            return find_resource_faults(self._version, resource.get("mimeType"), validator, read, result)

        return Subject("resource", uri, cases, classify, find_faults, template)

    def _make_prompt(self, name: str, prompt: Mapping[str, Json]) -> Subject:
        definition = self._prompts.get(name)
        values = {} if definition is None else {one.wire: one.values for one in definition.arguments}
        required = {str(one["name"]): one.get("required") for one in map(as_object, as_array(prompt.get("arguments")))}
        allowed = {argument: values.get(argument, ()) for argument in required}
        schema = _make_schema(allowed, [argument for argument in required if required[argument] is True])
        planned, classify = self._plan(name, schema)
        cases = [case for case in planned if case.refusal in ("", "required")]
        return Subject("prompt", name, cases, classify, partial(find_prompt_faults, self._version))


def _make_schema(values: Mapping[str, Sequence[str]], required: Sequence[str]) -> Json:
    """Return the schema of texts with these names; those with values have one of these."""
    text: Json = {"type": "string", "minLength": 1}
    properties: dict[str, Json] = {name: {"enum": [*known]} if known else text for name, known in values.items()}
    return {"type": "object", "properties": properties, "required": [*required], "additionalProperties": False}


def _expand(template: tuple[UriTemplatePart, ...], arguments: Mapping[str, Json]) -> str:
    return expand_uri_template(template, {name: str(value) for name, value in arguments.items()})
