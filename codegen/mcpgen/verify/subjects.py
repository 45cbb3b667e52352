"""What is called, read and asked for on a server, with the arguments and the claims of each."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Literal

from mcpgen_runtime.sdk import uri_templates

from mcpgen.introspect.validation import AdvertisedDefinitions
from mcpgen.ir.definitions import UriExpression, UriTemplatePart
from mcpgen.read.definitions import (
    Definitions,
    PromptDefinition,
    ResourceDefinition,
    ToolDefinition,
    find_content_strategy,
)
from mcpgen.read.resources import InvalidUriTemplate, parse_uri_template
from mcpgen.schema.values import Json, as_array, as_object
from mcpgen.verify.cases import ArgumentCases, Case
from mcpgen.verify.claims import Fault, ResourceClaims, ToolClaims, Validator, find_common_faults

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
    may_fail: bool = True
    """Whether it may answer valid arguments with an error of the protocol, as a resource that is not there does."""
    template: tuple[UriTemplatePart, ...] = ()

    def make_params(self, arguments: dict[str, Json]) -> dict[str, Json]:
        """Return the parameters of a request with some arguments."""
        if self.kind == "resource":
            return {"uri": expand_template(self.template, arguments)}
        return {"name": self.name, "arguments": arguments}


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

    def is_tested(self, name: str) -> bool:
        """Return whether a name or URI is not left out by `only`."""
        return not self.only or name in self.only

    def plan(self, cases: ArgumentCases, most: int | None = None) -> list[Case]:
        """Return the cases of the calls."""
        if self.arguments is not None:
            return [cases.classify(self.arguments) or Case(self.arguments)]
        return cases.plan(most or self.calls)


class SubjectFinder:
    """Subjects of what a server advertises, with what its definitions here know besides."""

    def __init__(self, advertised: AdvertisedDefinitions, definitions: Definitions, choice: Choice) -> None:
        self._advertised, self._version, self._choice = advertised, advertised.protocol, choice
        self.tools = {tool.name: tool for tool in definitions.tools}
        self.resources = {resource.uri: resource for resource in definitions.resources}
        self.prompts = {prompt.name: prompt for prompt in definitions.prompts}

    def iterate_makers(self) -> Iterator[tuple[str, Callable[[], Subject]]]:
        """Yield the name of each subject that is tested, and what makes it, or raises ValueError for its schemas."""
        lists, choice = self._advertised.lists, self._choice
        tools = [tool for tool in self._advertised.tools if choice.may_call(tool)]
        makers: list[tuple[str, Callable[[], Subject]]] = [
            *((str(tool["name"]), partial(self._make_tool, tool)) for tool in tools),
            *((str(item["uri"]), partial(self._make_resource, "uri", item)) for item in lists.get("resources", [])),
            *(
                (str(item["uriTemplate"]), partial(self._make_resource, "uriTemplate", item))
                for item in lists.get("resourceTemplates", [])
            ),
            *((str(prompt["name"]), partial(self._make_prompt, prompt)) for prompt in lists.get("prompts", [])),
            *([(UNKNOWN_TOOL, _make_unknown_tool)] if self._advertised.tools else []),
        ]
        return ((name, make) for name, make in makers if choice.is_tested(name))

    def find(self, subject: Subject) -> ToolDefinition | ResourceDefinition | PromptDefinition | None:
        """Return the definition of a subject here."""
        match subject.kind:
            case "tool":
                return self.tools.get(subject.name)
            case "resource":
                return self.resources.get(subject.name)
            case "prompt":
                return self.prompts.get(subject.name)

    def _make_tool(self, tool: Mapping[str, Json]) -> Subject:
        name, schema, output = str(tool["name"]), tool["inputSchema"], tool.get("outputSchema")
        cases = ArgumentCases(schema, f"{self._choice.seed}/{name}")
        content = find_content_strategy(self.tools[name]) if name in self.tools else "json"
        writes = (content == "json", content not in _SILENT_STRATEGIES)
        validator = None if output is None else Validator(output)
        find_faults = ToolClaims(name, self._version, Validator(schema), validator, *writes).find_faults
        planned = self._choice.plan(cases)
        return Subject("tool", name, "tools/call", planned, cases.classify, find_faults, may_fail=False)

    def _make_resource(self, member: str, resource: Mapping[str, Json]) -> Subject:
        uri = str(resource[member])
        payload = self.resources[uri].payload if uri in self.resources else None
        validator = None if payload is None else Validator(payload.value)
        claims = ResourceClaims(self._version, resource.get("mimeType"), validator)
        try:
            template = (uri,) if member == "uri" else parse_uri_template(uri)
        except InvalidUriTemplate as error:
            raise ValueError(error.message) from None
        names = [name for part in template if isinstance(part, UriExpression) for name in part.names]
        cases = ArgumentCases(_make_schema(dict.fromkeys(names, ()), names), f"{self._choice.seed}/{uri}")
        planned = self._choice.plan(cases, 6 * _TEMPLATE_CALLS)
        accepted = [case for case in planned if not case.refusal][: _TEMPLATE_CALLS if names else 1]

        def find_faults(result: dict[str, Json], case: Case) -> Iterator[Fault]:
            return claims.find_faults(result, expand_template(template, case.arguments))

        def classify(arguments: Json) -> Case | None:
            case = cases.classify(arguments)
            return None if case is None or case.refusal else case

        may_fail, method = bool(names), "resources/read"
        return Subject("resource", uri, method, accepted, classify, find_faults, may_fail, template)

    def _make_prompt(self, prompt: Mapping[str, Json]) -> Subject:
        name, arguments = str(prompt["name"]), [*map(as_object, as_array(prompt.get("arguments")))]
        values = {one.wire: one.values for one in self.prompts[name].arguments} if name in self.prompts else {}
        allowed = {str(one["name"]): values.get(str(one["name"]), ()) for one in arguments}
        required = [str(one["name"]) for one in arguments if one.get("required") is True]
        cases = ArgumentCases(_make_schema(allowed, required), f"{self._choice.seed}/{name}")

        def classify(value: Json) -> Case | None:
            case = cases.classify(value)
            is_known = case is not None and all(isinstance(part, str) for part in case.arguments.values())
            return case if is_known and case is not None and case.refusal in ("", "required") else None

        def find_faults(result: dict[str, Json], case: Case) -> Iterator[Fault]:
            yield from find_common_faults(result, "GetPromptResult", self._version)
            if case.refusal:
                yield Fault("accepted (required)", "it answers a request that lacks a required argument")

        planned = [case for case in self._choice.plan(cases) if classify(case.arguments) is not None]
        return Subject("prompt", name, "prompts/get", planned, classify, find_faults)


def _make_unknown_tool() -> Subject:
    def find_faults(result: dict[str, Json], case: Case) -> Iterator[Fault]:
        if result.get("isError") is not True:
            yield Fault("unknown tool", "a call of a tool that there is not is answered with a result")

    return Subject("tool", UNKNOWN_TOOL, "tools/call", [Case({}, "name")], lambda _: None, find_faults)


def _make_schema(values: Mapping[str, Sequence[str]], required: Sequence[str]) -> Json:
    """Return the schema of texts with these names; those with values have one of these."""
    text: Json = {"type": "string", "minLength": 1, "maxLength": 20}
    properties: dict[str, Json] = {name: {"enum": [*known]} if known else text for name, known in values.items()}
    return {"type": "object", "properties": properties, "required": [*dict.fromkeys(required)]}


def expand_template(template: Sequence[UriTemplatePart], values: Mapping[str, Json]) -> str:
    """Return the URI of a template (RFC 6570) with values for its variables."""
    return "".join(part if isinstance(part, str) else _expand_expression(part, values) for part in template)


def _expand_expression(part: UriExpression, values: Mapping[str, Json]) -> str:
    operator, given = part.operator, [(name, str(values[name])) for name in part.names if name in values]
    if operator in ("?", "&"):
        return uri_templates.query(operator, *given)
    if operator == ";":
        return "".join(f";{uri_templates.parameter(name, value)}" for name, value in given)
    encode = uri_templates.reserved if operator in ("+", "#") else uri_templates.unreserved
    separator = operator if operator in (".", "/") else ","
    lead = operator if operator in ("#", ".", "/") and given else ""
    return lead + separator.join(encode(value) for _, value in given)
