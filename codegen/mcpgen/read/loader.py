"""Input files and folders to `Definitions`: the whole first pass."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from mcpgen import paths
from mcpgen.config.load import locate_setting, validate_options
from mcpgen.config.models import ConfiguredPackage, DefinitionChoice, Limits, ResourceChoice, ToolChoice
from mcpgen.diagnostics import Findings, Severity, Span
from mcpgen.files.definition_files import DEFINITION_SUFFIXES, TEMPLATE_SUFFIX, find_candidates
from mcpgen.files.file_tracker import FileTracker
from mcpgen.files.project_paths import resolve_path
from mcpgen.ir.uri_template import UriTemplatePart
from mcpgen.read.bundler import Bundler, FileResolver
from mcpgen.read.check_cost import measure_check_cost
from mcpgen.read.content_templates import TemplateCatalog, ToolLocation
from mcpgen.read.definitions import (
    Definitions,
    ResourceDefinition,
    ResourceOptions,
    TemplateReference,
    ToolDefinition,
    ToolOptions,
)
from mcpgen.read.document import SourceDocument
from mcpgen.read.file_cache import FileCache, FileDefinitions
from mcpgen.read.guesses import Guesses
from mcpgen.read.parse import load_document
from mcpgen.read.protocol_schemas import PROTOCOL_ROOTS, load_builtin_protocols, parse_protocol
from mcpgen.read.shapes import DefinitionKind, RawDefinition, is_shared_definitions, recognise_definitions
from mcpgen.read.tool_options import OPTIONS_KEY, InputFile, is_class_name, is_pulled, make_locator, strip_options
from mcpgen.read.uri_templates import InvalidUriTemplate, parse_uri_template
from mcpgen.read.validation import MemberChecker, check_patterns, check_schema
from mcpgen.schema.document import Schema
from mcpgen.schema.keywords import DRAFT_2020_12, iterate_subschemas
from mcpgen.schema.values import Json, format_pointer
from mcpgen.targets import PROTOCOLS

EMPTY_INPUT_SCHEMA: dict[str, Json] = {"type": "object"}


def read_definitions(
    inputs: list[Path],
    package: ConfiguredPackage,
    findings: Findings,
    disk: FileTracker | None = None,
    earlier: FileCache | None = None,
) -> Definitions:
    """Everything that these files and folders define. What is wrong with them goes into `findings`."""
    disk = disk or FileTracker(package.roots, package.settings.limits.file_size)
    return _DefinitionReader(package, findings, disk, earlier).read(inputs)


class _DefinitionReader:
    def __init__(
        self, package: ConfiguredPackage, findings: Findings, disk: FileTracker, earlier: FileCache | None
    ) -> None:
        self._package, self._findings, self._disk, self._earlier = package, findings, disk, earlier
        self._real = paths.RealPathCache()
        self._documents: dict[str, SourceDocument | None] = {}
        self._full = False
        self._out = Definitions(protocols=load_builtin_protocols())
        self._checker = MemberChecker(self._out.protocols[PROTOCOLS[-1]])
        folder = package.folder
        self._generated = folder / package.settings.out
        self._templates = TemplateCatalog(folder, package.settings.limits, findings, disk)
        self._ref_map = tuple((uri, folder / where) for uri, where in package.settings.ref_map.items())

    def read(self, inputs: list[Path]) -> Definitions:
        if self._earlier is not None:
            self._earlier.start_run(f"{os.getcwd()} {self._package!r} {inputs}")
        for file in self._files(inputs):
            if self._earlier is None:
                self._file(file)
            elif (said := self._earlier.get_unchanged(file.path, self._disk)) is not None:
                self._take_over(said)
            else:
                self._file_to_keep(file, self._earlier)
        self._official()
        self._out.tools.sort(key=lambda tool: tool.name)
        self._out.resources.sort(key=lambda resource: resource.name)
        self._unique()
        self._templates.report_unused([tool.name for tool in self._out.tools])
        names, guesses = dict.fromkeys(tool.name for tool in self._out.tools), Guesses()
        for name in () if self._findings.failed else self._package.settings.tools:
            if name not in names:
                close = guesses.close(name, [*names])
                help = f'did you mean "{close}"?' if close else ""
                message = f'the settings speak of a tool "{name}" that nothing defines'
                self._findings.warn("MG302", message, locate_setting(self._package, ("tools", name)), help)
        return self._out

    # --- files --------------------------------------------------------------------------------------------------
    def _files(self, inputs: list[Path]) -> Iterator[InputFile]:
        seen: set[str] = set()
        for given in inputs:
            if given.is_dir() and resolve_path(given) == resolve_path(self._generated):
                place = locate_setting(self._package, ("out",))
                help = "give the package a folder of its own: `out`"
                self._findings.error("MG302", "the package would lie among its definitions", place, help)
            elif given.is_dir():
                name = Path(os.path.abspath(given)).name
                for inner, path in sorted((path.relative_to(given).as_posix(), path) for path in self._walk(given)):
                    if (where := self._real.resolve_path(path)) not in seen:
                        seen.add(where)
                        yield InputFile(path, given, f"{name}/{inner}")
            elif given.exists():
                if given.suffix not in DEFINITION_SUFFIXES:
                    help = "definitions are .json, .yaml or .yml files"
                    self._findings.error("MG001", "not a JSON or YAML file", Span(paths.format_path(given)), help)
                elif (where := self._real.resolve_path(given)) not in seen:
                    seen.add(where)
                    yield InputFile(given, given.parent, given.name)
            else:
                self._findings.error("MG001", "no such file or folder", Span(paths.format_path(given)))

    def _walk(self, root: Path) -> Iterator[Path]:
        def failed(error: OSError) -> None:
            where = Path(error.filename) if error.filename else root
            self._findings.error("MG001", f"cannot be read: {error.strerror}", Span(paths.format_path(where)))

        most = self._package.settings.limits.files
        for count, path in enumerate(map(Path, find_candidates(root, self._generated, failed)), 1):
            if count > most:
                help = "raise `limits.files` in the settings if this is meant"
                self._findings.error("MG009", f"more than {most} input files", Span(paths.format_path(root)), help)
                return
            if path.is_symlink() and not resolve_path(path).is_relative_to(resolve_path(root)):
                help = "copy the file, or name its folder as an input"
                self._findings.error("MG001", "is a link out of the input folder", Span(paths.format_path(path)), help)
            elif path.name.endswith(TEMPLATE_SUFFIX):
                self._disk.is_file(path)
                self._templates.add_file(path)
            else:  # a pipe, too: that it is none is for reading it to say
                yield path

    def _load(self, path: Path) -> SourceDocument | None:
        key = self._real.resolve_path(path)
        if key in self._documents:
            document = self._documents[key]
            self._disk.note(path if document is None else document.path)
            return document
        limits = self._package.settings.limits
        if self._is_full(path, limits):
            return None
        document = load_document(path, paths.format_path(path), self._findings, limits, self._disk)
        self._documents[key] = None if self._is_full(path, limits) else document
        return self._documents[key]

    def _is_full(self, path: Path, limits: Limits) -> bool:
        """Whether more bytes were read than are allowed in all, which is said once."""
        if self._disk.bytes_read <= limits.total_size:
            return False
        if not self._full:
            self._full = True
            help = "raise `limits.total-size` in the settings if this is meant"
            message = f"the input files hold more than {limits.total_size} bytes in all"
            self._findings.error("MG009", message, Span(paths.format_path(path)), help)
        return True

    def _file(self, file: InputFile) -> None:
        document = self._load(file.path)
        if document is None or is_shared_definitions(document):
            return
        for item in recognise_definitions(document, self._findings):
            self._take(item, document, file)

    def _file_to_keep(self, file: InputFile, earlier: FileCache) -> None:
        """Read a file, and keep what it says unless something was wrong, here or in a file that it shares."""
        out, findings = self._out, len(self._findings)
        tools, resources, protocols = len(out.tools), len(out.resources), dict(out.protocols)
        used, self._templates.used = self._templates.used, set()
        with self._disk.track_part() as seen:
            self._file(file)
        own = frozenset(self._templates.used)
        self._templates.used |= used
        if not self._findings.failed:
            changed = tuple(one for version, one in out.protocols.items() if protocols.get(version) is not one)
            found = tuple(self._findings)[findings:]
            said = FileDefinitions(
                seen, tuple(out.tools[tools:]), tuple(out.resources[resources:]), changed, found, own
            )
            earlier.keep(file.path, said)

    def _take_over(self, said: FileDefinitions) -> None:
        self._out.tools.extend(said.tools)
        self._out.resources.extend(said.resources)
        self._out.protocols.update({one.version: one for one in said.protocols})
        self._findings.extend(said.findings)
        self._templates.used |= said.templates

    # --- definitions --------------------------------------------------------------------------------------------
    def _take(self, item: RawDefinition, document: SourceDocument, file: InputFile) -> None:
        match item.shape:
            case DefinitionKind.TOOL:
                self._tool(item.value, item.at, document, file)
            case DefinitionKind.SCHEMA:
                self._bare_schema(item.value, document, file)
            case DefinitionKind.RESOURCE | DefinitionKind.RESOURCE_TEMPLATE:
                self._resource(item, document, file)
            case DefinitionKind.PROTOCOL:
                self._protocol_schema(item.value, document, file.origin)

    def _tool(self, value: dict[str, Json], at: str, document: SourceDocument, file: InputFile) -> None:
        tool = {key: inner for key, inner in value.items() if key != OPTIONS_KEY}
        valid = self._checker.check("Tool", tool, document, at, self._findings)
        if not isinstance(tool.get("name"), str) or "inputSchema" not in tool:
            return  # which was said
        name = str(tool["name"])
        chosen = self._choices(value, document, at, name, file)
        names: dict[str, str] = {}
        given = self._schema(tool["inputSchema"], document, at + "/inputSchema", file, names, "#input")
        output: Schema | None = None
        if "outputSchema" in tool:
            output = self._schema(tool["outputSchema"], document, at + "/outputSchema", file, names, "#output")
            tool["outputSchema"] = output.value if output is not None else {}
            valid = valid and output is not None
            chosen_too = self._package.settings.tools.get(name)
            if chosen_too is not None and chosen_too.output_schema is not None:
                span = locate_setting(self._package, ("tools", name, "outputSchema"))
                message = f'"tools.{name}.outputSchema": the tool declares an outputSchema itself'
                self._findings.error("MG302", message, span)
        else:
            output = self._schema_of_settings(name, names)
            if output is not None:
                tool["outputSchema"] = output.value
        place = ToolLocation(document.path, file.root, document.make_span(at, "name"))
        chosen = self._templates.attach_template(name, chosen, output is not None, place)
        if given is None or not valid:
            return
        tool["inputSchema"] = given.value
        self._out.tools.append(
            ToolDefinition(
                name, file.origin, document.make_span(at, "name"), tool, given, output, chosen, names, document, at
            )
        )

    def _bare_schema(self, value: dict[str, Json], document: SourceDocument, file: InputFile) -> None:
        name = document.path.name.split(".")[0]
        chosen = self._choices(value, document, "", name, file)
        names: dict[str, str] = {}
        bare: Json = {key: inner for key, inner in value.items() if key != OPTIONS_KEY}
        output = self._schema(bare, document, "", file, names, "#output")
        chosen = self._templates.attach_template(
            name, chosen, True, ToolLocation(document.path, file.root, document.make_span())
        )
        if output is None:
            return
        tool: dict[str, Json] = {"name": name, "inputSchema": EMPTY_INPUT_SCHEMA, "outputSchema": output.value}
        given = Schema(EMPTY_INPUT_SCHEMA, DRAFT_2020_12)
        self._out.tools.append(
            ToolDefinition(name, file.origin, document.make_span(), tool, given, output, chosen, names, document, None)
        )

    def _resource(self, item: RawDefinition, document: SourceDocument, file: InputFile) -> None:
        resource = {key: inner for key, inner in item.value.items() if key != OPTIONS_KEY}
        if not self._checker.check(item.shape.value, resource, document, item.at, self._findings):
            return
        name, span = str(resource["name"]), document.make_span(item.at, "name")
        template: tuple[UriTemplatePart, ...] = ()
        if "uriTemplate" in resource:
            template = self._template(str(resource["uriTemplate"]), document, item.at + "/uriTemplate")
        chosen = ResourceChoice.model_validate({})
        if OPTIONS_KEY in item.value:
            place = make_locator(document, item.at + format_pointer(OPTIONS_KEY))
            chosen = validate_options(ResourceChoice, item.value[OPTIONS_KEY], self._findings, place) or chosen
        python = chosen.name
        if python is not None and not self._is_identifier(
            python, document.make_span(item.at + format_pointer(OPTIONS_KEY, "name"))
        ):
            python = None
        names: dict[str, str] = {}
        at = item.at + format_pointer(OPTIONS_KEY, "schema")
        payload: Schema | None = None
        if chosen.payload is not None:
            held: Json = {"$ref": chosen.payload} if isinstance(chosen.payload, str) else chosen.payload
            payload = self._schema(held, document, at, file, names, "#resource")
        choices = ResourceOptions(python, chosen.ttl_ms, chosen.cache_scope)
        self._out.resources.append(
            ResourceDefinition(name, file.origin, span, resource, choices, template, payload, names, document, at)
        )

    def _template(self, text: str, document: SourceDocument, at: str) -> tuple[UriTemplatePart, ...]:
        try:
            return parse_uri_template(text)
        except InvalidUriTemplate as error:
            span = document.make_span(at)
            first = span.column - span.start
            start = span.text.find(text, first)
            if first <= start <= first + 1:  # it stands there as it is, maybe in quotes
                span = replace(span, column=span.start + start + error.offset)
            self._findings.error("MG010", f"{text}: {error.message}", span, error.help)
            return ()

    def _schema(
        self, value: Json, document: SourceDocument, at: str, file: InputFile, names: dict[str, str], side: str
    ) -> Schema | None:
        before = sum(one.severity is Severity.ERROR for one in self._findings)
        dialect = check_schema(value, document, at, DRAFT_2020_12, self._findings)
        if dialect is None:
            return None
        files = FileResolver(file.root, self._ref_map, self._load, self._disk.is_file)
        bundler = Bundler(document, files, self._findings)
        bundled = bundler.bundle(value, at, dialect)
        most = self._package.settings.limits.subschemas
        if (count := _count_subschemas(bundled, dialect)) > most:
            help = "raise `limits.subschemas` in the settings if this is meant"
            self._findings.error("MG009", f"{count} subschemas are more than {most}", document.make_span(at), help)
        if bundler.failed or sum(one.severity is Severity.ERROR for one in self._findings) != before:
            return None
        if not self._is_affordable(bundled, dialect, document.make_span(at)):
            return None
        if not check_patterns(bundled, dialect, document, at, self._findings):
            return None
        return Schema(self._without_choices(bundled, document, at, names, side, dialect), dialect)

    def _is_affordable(self, schema: Json, dialect: str, span: Span) -> bool:
        """Return whether the check of any value takes no more than the limits allow, by what the schema says."""
        limits, cost = self._package.settings.limits, measure_check_cost(schema, dialect)
        depth = cost.compute_depth(limits.value_depth)
        if cost.repeats > limits.repeats:
            message = f"checking a value may look at one part of it {cost.repeats} times, more than {limits.repeats}"
            help = "say with one subschema what several say of the same part, or raise `limits.repeats` in the settings"
            self._findings.error("MG009", message, span, help)
        elif depth > limits.check_depth:
            message = f"checking a value may nest {depth} subschemas, more than {limits.check_depth}"
            help = "nest fewer subschemas, lower `limits.value-depth`, or raise `limits.check-depth` in the settings"
            self._findings.error("MG009", message, span, help)
        else:
            return True
        return False

    def _without_choices(
        self, schema: Json, document: SourceDocument, at: str, names: dict[str, str], side: str, dialect: str
    ) -> Json:
        """The schema without `x-mcpgen`, whose class names go into `names`."""
        found: list[tuple[str, Json]] = []
        stack: list[tuple[str, Json]] = [("", schema)]
        while stack:
            here, inner = stack.pop()
            if isinstance(inner, dict):
                if OPTIONS_KEY in inner:
                    found.append((here, inner[OPTIONS_KEY]))
                stack.extend(
                    (here + format_pointer(*path), child) for path, child in iterate_subschemas(inner, dialect)
                )
        if not found:
            return schema
        for here, choice in found:
            span = document.make_span(at + here + "/" + OPTIONS_KEY)
            if isinstance(choice, dict) and set(choice) == {"type"} and is_class_name(choice["type"]):
                names[f"{side}{here}"] = str(choice["type"])
            else:
                help = 'inside a schema only the class is chosen: {"type": "WindReading"}'
                self._findings.error("MG006", "x-mcpgen here must name a class", span, help)
        return strip_options(schema, dialect)

    def _schema_of_settings(self, name: str, names: dict[str, str]) -> Schema | None:
        chosen = self._package.settings.tools.get(name)
        if chosen is None or chosen.output_schema is None:
            return None
        path = self._package.folder / chosen.output_schema
        document = self._load(path)
        if document is None:
            return None
        file = InputFile(path, path.parent, path.name)
        return self._schema(document.value, document, "", file, names, "#output")

    def _is_identifier(self, name: str, span: Span | None) -> bool:
        if name.isidentifier() and name.isascii():
            return True
        self._findings.error("MG202", f'"{name}" is no ASCII identifier', span)
        return False

    def _choices(
        self, value: dict[str, Json], document: SourceDocument, at: str, tool: str, file: InputFile
    ) -> ToolOptions:
        settings = self._package.settings
        layers: list[DefinitionChoice] = []
        if OPTIONS_KEY in value:
            place = make_locator(document, at + format_pointer(OPTIONS_KEY))
            one = validate_options(DefinitionChoice, value[OPTIONS_KEY], self._findings, place)
            layers += [one] if one else []
        if tool in settings.tools:
            layers.append(settings.tools[tool])
        as_sdk = is_pulled(file) and settings.sdk != "none"
        chosen = ToolOptions(wrap=self._wrap(value, document, file), content="sdk" if as_sdk else "json")
        for layer in layers:
            if layer.name is not None:
                own = document.make_span(at + format_pointer(OPTIONS_KEY, "name")) if OPTIONS_KEY in value else None
                there = locate_setting(self._package, ("tools", tool, "name"))
                if not self._is_identifier(layer.name, there if isinstance(layer, ToolChoice) else own):
                    continue
                chosen = replace(chosen, name=layer.name)
            if layer.content is not None:
                chosen = replace(chosen, content=layer.content, content_chosen=True)
            if layer.template is not None:
                asked = self._asked(layer, value, document, at, tool)
                chosen = replace(chosen, content="template", content_chosen=True, asked=asked)
            if layer.audience is not None:
                chosen = replace(chosen, audience=tuple(layer.audience))
            if layer.priority is not None:
                chosen = replace(chosen, priority=layer.priority)
            if layer.wrap is not None:
                chosen = replace(chosen, wrap=layer.wrap)
        return chosen

    def _wrap(self, tool: dict[str, Json], document: SourceDocument, file: InputFile) -> str:
        """When a tool's result is wrapped, where nobody chose it for the tool.

        What `mcpgen pull` wrote keeps its wire. The SDKs that wrap do so under every version, so a schema that the
        settings give to a pulled tool is wrapped always, and so is a root that is no object where the version under
        which it was pulled has no such roots. One that was natural on the wire stays so.
        """
        settings = self._package.settings
        if "wrap" in settings.model_fields_set or not is_pulled(file):
            return settings.wrap
        pulled = document.value.get("generated") if isinstance(document.value, dict) else None
        newest = isinstance(pulled, dict) and pulled.get("protocol") == PROTOCOLS[-1]
        return "legacy" if newest and "outputSchema" in tool else "always"

    def _asked(
        self, layer: DefinitionChoice, value: dict[str, Json], document: SourceDocument, at: str, tool: str | None
    ) -> TemplateReference:
        assert layer.template is not None
        own = document.make_span(at + format_pointer(OPTIONS_KEY, "template")) if OPTIONS_KEY in value else None
        in_settings = isinstance(layer, ToolChoice)
        span = locate_setting(self._package, ("tools", tool or "", "template")) if in_settings else own
        if layer.content not in (None, "template"):
            code = "MG302" if in_settings else "MG006"
            self._findings.error(
                code, f'a template, but the content is "{layer.content}"', span, "leave one of them out"
            )
        return TemplateReference(layer.template, in_settings, span)

    def _unique(self) -> None:
        seen: dict[tuple[str, str], Span] = {}
        entries = [("tool", t.name, t.span) for t in self._out.tools]
        entries += [("resource", r.name, r.span) for r in self._out.resources]
        for kind, name, span in entries:
            if first := seen.get((kind, name)):
                other = f"{first.file}:{first.line}"
                self._findings.error("MG203", f'the {kind} "{name}" is defined twice', span, f"first in {other}")
            seen.setdefault((kind, name), span)

    # --- the protocol -------------------------------------------------------------------------------------------
    def _official(self) -> None:
        given = self._package.settings.mcp_schema
        if given is None:
            return
        document = self._load(self._package.folder / given)
        if document is None:
            return
        for item in recognise_definitions(document, self._findings):
            if item.shape is DefinitionKind.PROTOCOL:
                self._protocol_schema(item.value, document, Path(given).name)
            else:
                self._findings.error("MG108", "mcp-schema names no MCP protocol schema", document.make_span())

    def _protocol_schema(self, value: dict[str, Json], document: SourceDocument, origin: str) -> None:
        folder = resolve_path(document.path).parent.name
        version = folder if folder in PROTOCOLS else self._package.settings.protocol
        if version is None:
            help = f"name its folder after the version: {', '.join(PROTOCOLS)}; or set `protocol`"
            self._findings.error("MG108", "an MCP schema of no known version", document.make_span(), help)
            return
        protocol = parse_protocol(value, version, origin)
        for name in PROTOCOL_ROOTS:
            if name not in protocol.definitions:
                self._findings.error("MG108", f"an MCP schema without {name}", document.make_span())
                return
        self._out.protocols[version] = protocol


def _count_subschemas(schema: Json, dialect: str) -> int:
    count, stack = 0, [schema]
    while stack:
        inner = stack.pop()
        count += 1
        if isinstance(inner, dict):
            stack.extend(child for _, child in iterate_subschemas(inner, dialect))
    return count
