"""What is called, read and asked for on a server, with the arguments and the claims of each."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from mcpgen.diagnostics import Span
from mcpgen.introspect.validation import AdvertisedDefinitions
from mcpgen.ir.definitions import UriExpression, UriTemplatePart
from mcpgen.read.definitions import Definitions, find_content_strategy
from mcpgen.read.resources import InvalidUriTemplate, expand_uri_template, parse_uri_template
from mcpgen.schema.values import Json, as_array, as_object
from mcpgen.schema.violations import Validator
from mcpgen.verify.cases import ArgumentCases, Case
from mcpgen.verify.claims import Fault, ResourceClaims, ToolClaims, find_common_faults

UNKNOWN_TOOL = "mcpgen-no-such-tool"
_SILENT_STRATEGIES = ("items", "binary", "resource", "none", "sdk")
"""Values of `content` with which a result may have no text."""
_TEMPLATE_CALLS = 4


@dataclass(frozen=True)
class Subject:
    """A tool, resource or prompt, with the calls that test it."""

    kind: Literal["tool", "resource", "prompt"]
    name: str
    method: str
    cases: Sequence[Case]
    classify: Callable[[Json], Case | None]
    """Returns other arguments as a case."""
    find_faults: Callable[[dict[str, Json], Case], Iterator[Fault]]
    span: Span | None = None
    """The place of its definition here, if there is one."""
    template: tuple[UriTemplatePart, ...] = ()

    @property
    def may_fail(self) -> bool:
        """Whether it may answer valid arguments with a protocol error, as a resource that is not there does."""
        return self.kind == "prompt" or len(self.template) > 1

    def make_request(self, arguments: dict[str, Json]) -> dict[str, Json]:
        """Return the method and the parameters of a request with some arguments."""
        params: dict[str, Json] = {"name": self.name, "arguments": arguments}
        if self.kind == "resource":
            params = {"uri": expand_uri_template(self.template, _as_texts(arguments))}
        return {"method": self.method, "params": params}


@dataclass(frozen=True)
class Choice:
    """What of a server is called, and with which arguments."""

    allowed: frozenset[str] = frozenset()
    """Tools that may be called whatever their annotations say."""
    only: frozenset[str] = frozenset()
    """Names and URIs that are tested; empty: all."""
    arguments: dict[str, Json] | None = None
    """The arguments of the only call; None: they are drawn."""
    seed: int = 0
    calls: int = 40
    """Planned calls of each definition."""

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
        self._resources = {resource.uri: resource for resource in definitions.resources}
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
                    except ValueError as error:  # the validator refuses a schema
                        refuse(name, str(error))
        if self._lists.get("tools") and self._is_tested(UNKNOWN_TOOL):
            case = Case({}, "name")
            yield Subject("tool", UNKNOWN_TOOL, "tools/call", [case], lambda _: None, _find_unknown_tool_faults)

    def _is_tested(self, name: str) -> bool:
        return not self._choice.only or name in self._choice.only

    def _plan(self, name: str, schema: Json, calls: int = 0) -> tuple[list[Case], Callable[[Json], Case | None]]:
        """Return the cases of the calls, and what classifies others."""
        cases, arguments = ArgumentCases(schema, f"{self._choice.seed}/{name}"), self._choice.arguments
        if arguments is not None:
            return [cases.classify(arguments) or Case(arguments)], cases.classify
        return cases.plan(calls or self._choice.calls), cases.classify

    def _make_tool(self, name: str, tool: Mapping[str, Json]) -> Subject:
        definition, schema, output = self._tools.get(name), tool["inputSchema"], tool.get("outputSchema")
        content = "json" if definition is None else find_content_strategy(definition)
        writes = (content == "json", content not in _SILENT_STRATEGIES)
        validator = None if output is None else Validator(output)
        claims = ToolClaims(name, self._version, Validator(schema), validator, *writes)
        span = None if definition is None else definition.span
        return Subject("tool", name, "tools/call", *self._plan(name, schema), claims.find_faults, span)

    def _make_resource(self, uri: str, resource: Mapping[str, Json]) -> Subject:
        definition = self._resources.get(uri)
        payload = None if definition is None or definition.payload is None else Validator(definition.payload.value)
        claims = ResourceClaims(self._version, resource.get("mimeType"), payload)
        try:
            template = parse_uri_template(uri) if "uriTemplate" in resource else (uri,)
        except InvalidUriTemplate as error:
            raise ValueError(error.message) from None
        names = [name for part in template if isinstance(part, UriExpression) for name in part.names]
        planned, classify = self._plan(uri, _make_schema(dict.fromkeys(names, ()), names), 6 * _TEMPLATE_CALLS)
        cases = [case for case in planned if not case.refusal][: _TEMPLATE_CALLS if names else 1]

        def find_faults(result: dict[str, Json], case: Case) -> Iterator[Fault]:
            return claims.find_faults(result, expand_uri_template(template, _as_texts(case.arguments)))

        span = None if definition is None else definition.span
        return Subject("resource", uri, "resources/read", cases, classify, find_faults, span, template)

    def _make_prompt(self, name: str, prompt: Mapping[str, Json]) -> Subject:
        definition = self._prompts.get(name)
        values = {} if definition is None else {one.wire: one.values for one in definition.arguments}
        arguments = [*map(as_object, as_array(prompt.get("arguments")))]
        allowed = {str(one["name"]): values.get(str(one["name"]), ()) for one in arguments}
        required = [str(one["name"]) for one in arguments if one.get("required") is True]
        planned, classify = self._plan(name, _make_schema(allowed, required))
        cases = [case for case in planned if case.refusal in ("", "required")]

        def find_faults(result: dict[str, Json], case: Case) -> Iterator[Fault]:
            yield from find_common_faults(result, "GetPromptResult", self._version)
            if case.refusal:
                yield Fault("accepted (required)", "it answers a request that lacks a required argument")

        span = None if definition is None else definition.span
        return Subject("prompt", name, "prompts/get", cases, classify, find_faults, span)


def _find_unknown_tool_faults(result: dict[str, Json], _: Case) -> Iterator[Fault]:
    if result.get("isError") is not True:
        yield Fault("unknown tool", "a call of a tool that there is not is answered with a result")


def _make_schema(values: Mapping[str, Sequence[str]], required: Sequence[str]) -> Json:
    """Return the schema of texts with these names; those with values have one of these."""
    text: Json = {"type": "string", "minLength": 1}
    properties: dict[str, Json] = {name: {"enum": [*known]} if known else text for name, known in values.items()}
    names: list[Json] = [*dict.fromkeys(required)]
    return {"type": "object", "properties": properties, "required": names, "additionalProperties": False}


def _as_texts(arguments: Mapping[str, Json]) -> dict[str, str]:
    return {name: str(value) for name, value in arguments.items()}
