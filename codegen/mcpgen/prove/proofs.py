"""Proofs of generated classes: claims about each, tested with values that are drawn from its schema."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from random import Random
from typing import Any, TypeAlias

from mcpgen_runtime.schema_keywords import contained
from pydantic import TypeAdapter, ValidationError
from pydantic_core import to_jsonable_python

from mcpgen.files.file_tracker import MAX_FILE_SIZE
from mcpgen.files.regular_files import read_input
from mcpgen.prove.package_loader import PackageNotImportable, load_package
from mcpgen.read.json_parser import parse_json
from mcpgen.samples.generator import ValueGenerator
from mcpgen.samples.mutator import shrink_value
from mcpgen.schema.document import SubschemaValidators, make_protocol_check
from mcpgen.schema.keywords import DRAFT_2020_12, detect_dialect
from mcpgen.schema.values import Json, are_equal
from mcpgen.targets import PROTOCOLS, SDKS, STRUCTURED_CONTENT_SINCE


@dataclass(frozen=True)
class BrokenClaim:
    """Claim that a value disproves."""

    claim: str
    observation: str
    """What happened instead."""


def make_validator(schema: Any) -> Callable[[object], bool]:
    """Return a check of values by a schema, in which formats are annotations; raise ValueError if it is no schema."""
    validator = SubschemaValidators(schema).find_validator("")
    is_valid: Callable[[object], bool] = contained()(validator.is_valid)
    return is_valid


def _is_about_formats(error: ValidationError) -> bool:
    """Return whether a value was refused for the format of a string, which a schema itself does not demand."""
    return any(
        detail["type"] == "string_format" or detail.get("ctx", {}).get("keyword") == "format"
        for detail in error.errors(include_url=False)
    )


class _ValueClaims:
    def __init__(self, cls: Any, schema: Json) -> None:
        self._class = cls
        self.is_valid = make_validator(schema)
        self._adapter = TypeAdapter[Any](cls)

    def find_broken(self, value: Json) -> BrokenClaim | None:
        return next(self._list_broken(value), None)

    def _list_broken(self, value: Json) -> Iterator[BrokenClaim]:
        is_valid = self.is_valid(value)
        result = _try_read(self._class.from_structured_content, value)
        if isinstance(result, ValidationError):
            if is_valid and not _is_about_formats(result):
                yield BrokenClaim("accepts what the schema accepts", f"refused: {_format_first_error(result)}")
        elif not is_valid:
            yield BrokenClaim("refuses what the schema refuses", f"accepted as {result!r}")
        else:
            yield from self._list_broken_output(value, result)
        instance = _try_read(self._class.model_validate, value)
        if not isinstance(instance, ValidationError):
            content = instance.to_structured_content()
            if not self.is_valid(content):
                yield BrokenClaim("every instance satisfies the schema", f"{_format_json(content)} from model_validate")

    def _list_broken_output(self, value: Json, result: Any) -> Iterator[BrokenClaim]:
        content = result.to_structured_content()
        if not are_equal(content, value):
            yield BrokenClaim("the round trip loses nothing", f"to_structured_content() is {_format_json(content)}")
        for method, dumped in self._iterate_dumps(result):
            if not are_equal(dumped, content):
                yield BrokenClaim("each dump equals to_structured_content()", f"{method} is {_format_json(dumped)}")
            if not self.is_valid(dumped):
                yield BrokenClaim("each dump satisfies the schema", f"{method} is {_format_json(dumped)}")
        for version in PROTOCOLS:
            yield from self._list_broken_wire(content, result, version)

    def _list_broken_wire(self, content: Json, result: Any, version: str) -> Iterator[BrokenClaim]:
        raise NotImplementedError

    def _iterate_dumps(self, result: Any) -> Iterator[tuple[str, Any]]:
        yield "model_dump(exclude_unset=True)", result.model_dump(exclude_unset=True)
        yield 'model_dump(mode="json", exclude_unset=True)', result.model_dump(mode="json", exclude_unset=True)
        yield "model_dump_json()", json.loads(result.model_dump_json())
        validated = self._adapter.validate_python(result)
        yield "the official SDK's dump", self._adapter.dump_python(validated, mode="json", by_alias=True)
        for sdk in SDKS:
            if sdk.dumps_jsonable:
                yield f"{sdk.name}'s dump", to_jsonable_python(result)


class ResultClaims(_ValueClaims):
    """Claims about a tool's result class."""

    def __init__(self, package: Any, tool: str) -> None:
        super().__init__(package.RESULT_TYPES[tool], package.TOOLS[tool]["outputSchema"])
        self._advertised = {version: _make_advertised_validator(package, tool, version) for version in PROTOCOLS}

    def _list_broken_wire(self, content: Json, result: Any, version: str) -> Iterator[BrokenClaim]:
        wire = result.to_wire(protocol=version)
        if any(make_protocol_check(version, "CallToolResult")(wire)):
            yield BrokenClaim(f"to_wire() is a CallToolResult of {version}", _format_json(wire))
        if not are_equal(json.loads(result.to_wire_json(protocol=version)), wire):
            yield BrokenClaim("to_wire_json() says what to_wire() says", f"{_format_json(wire)} for {version}")
        advertised = self._advertised[version]
        if (advertised is not None) != ("structuredContent" in wire):
            yield BrokenClaim(
                f"structuredContent is there when {version} advertises an outputSchema", _format_json(wire)
            )
        elif advertised is not None:
            if not advertised(wire["structuredContent"]):
                yield BrokenClaim(
                    f"structuredContent satisfies the schema advertised for {version}", _format_json(wire)
                )
            forms = (
                (self._class.from_call_tool_result, wire),
                (self._class.from_wire_json, result.to_wire_json(protocol=version)),
            )
            for reader, form in forms:
                read = _try_read(partial(reader, protocol=version), form)
                if isinstance(read, ValidationError) or not are_equal(read.to_structured_content(), content):
                    yield BrokenClaim(f"a result of {version} reads back equal", repr(read))


class ResourceClaims(_ValueClaims):
    """Claims about the class of a resource whose text is JSON with a schema."""

    URI = "mcpgen://prove"
    """URI of the resource in results."""

    def __init__(self, package: Any, resource: str, schema: Json) -> None:
        super().__init__(package.RESOURCE_TYPES[resource], schema)

    def _list_broken_wire(self, content: Json, result: Any, version: str) -> Iterator[BrokenClaim]:
        wire = result.to_wire(protocol=version, uri=self.URI)
        if any(make_protocol_check(version, "ReadResourceResult")(wire)):
            yield BrokenClaim(f"to_wire() is a ReadResourceResult of {version}", _format_json(wire))
        texts = [json.loads(contents["text"]) for contents in wire["contents"]]
        if len(texts) != 1 or not are_equal(texts[0], content):
            yield BrokenClaim("the text is the value as JSON", _format_json(wire))
        read = _try_read(self._class.from_read_resource_result, wire)
        if isinstance(read, ValidationError) or not are_equal(read.to_structured_content(), content):
            yield BrokenClaim(f"a result of {version} reads back equal", repr(read))


class ArgumentClaims:
    """Claims about an arguments class: it refuses no valid value, and loses nothing."""

    def __init__(self, package: Any, tool: str) -> None:
        self._class = package.ARGUMENT_TYPES[tool]
        self.is_valid = make_validator(package.TOOLS[tool]["inputSchema"])

    def find_broken(self, value: Json) -> BrokenClaim | None:
        """Return the first claim that a value disproves, or None."""
        if not self.is_valid(value):
            return None
        read = _try_read(self._class.model_validate, value)
        if isinstance(read, ValidationError):
            if _is_about_formats(read):
                return None
            return BrokenClaim("accepts what the schema accepts", f"refused: {_format_first_error(read)}")
        content = read.to_structured_content()
        if not are_equal(content, value):
            return BrokenClaim("the round trip loses nothing", f"to_structured_content() is {_format_json(content)}")
        return None


class ContentClaims:
    """Claims about the result class of a tool without an outputSchema, which sends text under every version."""

    def __init__(self, package: Any, tool: str) -> None:
        self._class = package.RESULT_TYPES[tool]

    def is_valid(self, value: Json) -> bool:
        """Check whether a value is a text, which every tool can send."""
        return isinstance(value, str)

    def find_broken(self, value: Json) -> BrokenClaim | None:
        """Return the first claim that a text disproves, or None."""
        block = {"type": "text", "text": str(value)}
        result = self._class(content=[block])
        for version in PROTOCOLS:
            wire = result.to_wire(protocol=version)
            if any(make_protocol_check(version, "CallToolResult")(wire)) or wire["content"] != [block]:
                return BrokenClaim(f"to_wire() is a CallToolResult of {version}", _format_json(wire))
            read = self._class.from_call_tool_result(wire, version)
            if read.to_wire(protocol=version) != wire:
                return BrokenClaim(f"a result of {version} reads back equal", repr(read))
        return None


def _make_advertised_validator(package: Any, tool: str, version: str) -> Callable[[object], bool] | None:
    advertised = _map_advertised_tools(package.list_tools, version)[tool]
    if package.RESULT_TYPES[tool]._tool.linked and version >= STRUCTURED_CONTENT_SINCE:
        return lambda _: True  # servers link to it, and advertise nothing
    return make_validator(advertised["outputSchema"]) if "outputSchema" in advertised else None


@cache
def _map_advertised_tools(list_tools: Callable[[str], list[dict[str, Any]]], version: str) -> dict[str, Any]:
    return {tool["name"]: tool for tool in list_tools(version)}


def _try_read(read: Callable[[Any], Any], value: object) -> Any:
    try:
        return read(value)
    except ValidationError as error:
        return error


def _format_first_error(error: ValidationError) -> str:
    first = error.errors(include_url=False, include_input=False)[0]
    return f"{first['msg']} at {'/'.join(map(str, first['loc'])) or 'the root'}"


def _format_json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, default=repr)


Claims: TypeAlias = ResultClaims | ResourceClaims | ArgumentClaims | ContentClaims
"""All claims about one class."""
MUTATION_COUNTS = (0, 1, 0, 1, 0, 2)
"""Changes made to each drawn value in turn: half of the values follow the schema, half are near misses."""


@dataclass(frozen=True)
class Proof:
    """Result for one class."""

    class_name: str
    valid: int
    """Number of valid values that the class was tested with."""
    invalid: int
    """Number of invalid values that the class was tested with."""
    broken: BrokenClaim | None = None
    """The first claim that was disproved."""
    value: Json = None
    """The smallest counterexample found for `broken`."""


def falsify_claims(class_name: str, claims: Claims, schema: Json, dialect: str, examples: int, seed: int) -> Proof:
    """Test a class with values drawn by a seed, up to the first one that disproves a claim."""
    generator = ValueGenerator(schema, dialect)
    valid = 0
    for index in range(examples):
        random = Random(f"{seed}/{index}")
        value = generator.draw_value(random)
        for _ in range(MUTATION_COUNTS[index % len(MUTATION_COUNTS)]):
            value = generator.mutate_value(value, random)
        valid += claims.is_valid(value)
        broken = _find_broken_claim(claims, value)
        if broken is not None:
            value, broken = _shrink_counterexample(claims, value, broken)
            return Proof(class_name, valid, index + 1 - valid, broken, value)
    return Proof(class_name, valid, examples - valid)


def _find_broken_claim(claims: Claims, value: Json) -> BrokenClaim | None:
    try:
        return claims.find_broken(value)
    except Exception as error:  # generated code must not raise anything else, so every exception disproves a claim
        return BrokenClaim("nothing but ValidationError is raised", f"{type(error).__name__}: {error}")


def _shrink_counterexample(claims: Claims, value: Json, broken: BrokenClaim) -> tuple[Json, BrokenClaim]:
    def disproves_same_claim(candidate: Json) -> bool:
        other = _find_broken_claim(claims, candidate)
        return other is not None and other.claim == broken.claim

    smallest = shrink_value(value, disproves_same_claim)
    return smallest, _find_broken_claim(claims, smallest) or broken


TEXT_SCHEMA: Json = {"type": "string"}
"""Schema from which the texts of tools without an outputSchema are drawn."""
_FEWEST_PARALLEL_SUBJECTS = 4
"""Subjects from which on processes are started."""


@dataclass(frozen=True)
class ProofTask:
    """Options that apply to all subjects of a package."""

    out: Path
    """The folder of the package."""
    examples: int
    """Number of values for each class."""
    seed: int


@dataclass(frozen=True)
class ProofSubject:
    """Tool (its result and its arguments), or resource whose JSON text has a schema."""

    name: str
    resource_schema: Json | None = None
    """Schema of a resource's text; None: the subject is a tool."""


def list_proof_subjects(out: Path) -> list[ProofSubject]:
    """Return what has classes to prove in a package, tools first; raise `PackageNotImportable` if it is none."""
    tools = [ProofSubject(name) for name in load_package(out).TOOLS]
    return [*tools, *_list_resource_subjects(out)]


def _list_resource_subjects(out: Path) -> Iterator[ProofSubject]:
    for path in sorted((out / "resources").glob("*.json")):
        try:
            document: Any = parse_json(read_input(path, MAX_FILE_SIZE).decode("utf-8"))
            name = document["resource"]["name"]
            if "schema" in document:
                yield ProofSubject(name, document["schema"])
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise PackageNotImportable(f"its {path.name} cannot be read: {error}") from error


def prove_subjects(
    task: ProofTask, subjects: list[ProofSubject], jobs: int
) -> Iterator[tuple[ProofSubject, list[Proof]]]:
    """Yield the proofs of each subject's classes, in order, from up to `jobs` processes."""
    prove: Callable[[ProofSubject], list[Proof]] = partial(_prove_subject, task)
    if jobs <= 1 or len(subjects) < _FEWEST_PARALLEL_SUBJECTS:
        yield from zip(subjects, map(prove, subjects), strict=True)
        return
    with ProcessPoolExecutor(min(jobs, len(subjects))) as pool:
        yield from zip(subjects, pool.map(prove, subjects), strict=True)


def _prove_subject(task: ProofTask, subject: ProofSubject) -> list[Proof]:
    package, name, schema = load_package(task.out), subject.name, subject.resource_schema
    tested: list[tuple[type, Claims, Json]]
    if schema is not None:
        tested = [(package.RESOURCE_TYPES[name], ResourceClaims(package, name, schema), schema)]
    else:
        tool = package.TOOLS[name]
        result = ResultClaims(package, name) if "outputSchema" in tool else ContentClaims(package, name)
        tested = [
            (package.RESULT_TYPES[name], result, tool.get("outputSchema", TEXT_SCHEMA)),
            (package.ARGUMENT_TYPES[name], ArgumentClaims(package, name), tool["inputSchema"]),
        ]
    return [
        falsify_claims(cls.__name__, claims, drawn, detect_dialect(drawn) or DRAFT_2020_12, task.examples, task.seed)
        for cls, claims, drawn in tested
    ]
