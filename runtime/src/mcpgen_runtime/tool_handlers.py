"""Call handlers with the arguments that they take, in the forms that their signatures ask for."""

from __future__ import annotations

import difflib
import functools
import inspect
import logging
import re
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, Union, Unpack, cast, get_args, get_origin, get_type_hints

from pydantic import BaseModel, TypeAdapter, ValidationError
from pydantic.fields import FieldInfo
from typing_extensions import is_protocol, is_typeddict

from .arguments import Parameter, RootArguments, list_parameters
from .conversion import evaluate_annotation, kinds_of, kinds_of_class, list_shapes, shape_of
from .errors import move_error
from .models import JsonObject, to_json_value
from .tool_definitions import ToolInfo

INJECTED: Any = object()
"""Default of a parameter that the SDK fills in, if it needs one: `ctx: Context = INJECTED`."""

logger = logging.getLogger(__name__)


def find_annotated_parameter(handler: Callable[..., Any], context: type) -> str | None:
    """Return the parameter of a handler that is annotated with a class, a subclass, or a union with one."""
    function: Any = handler
    while hasattr(function, "func"):  # functools.partial
        function = function.func
    if not inspect.isroutine(function):
        function = type(function).__call__
    try:
        hints = {name: kinds_of(hint) for name, hint in get_type_hints(function).items() if name != "return"}
    except Exception:
        return None
    return next((name for name, kinds in hints.items() if _has_subclass(kinds, context)), None)


def _has_subclass(kinds: Iterable[Any], base: type) -> bool:
    origins = (get_origin(kind) or kind for kind in kinds)
    return any(isinstance(origin, type) and issubclass(origin, base) for origin in origins)


@dataclass(frozen=True)
class HandlerFunction:
    """A handler as a function whose signature SDKs can read."""

    function: Callable[..., Any]
    parameters: Mapping[str, inspect.Parameter]
    annotations: Mapping[str, Any]
    """Annotations by parameter; a string is one whose names do not exist at run time."""
    is_generator: bool
    """Whether a call returns an asynchronous generator."""

    @classmethod
    def of(cls, handler: Any) -> HandlerFunction:
        """Describe a function, a method, a partial or another callable object, or raise TypeError: it is not one."""
        if isinstance(handler, staticmethod):
            return cls.of(cast(Any, handler).__func__)
        if not callable(handler):
            raise TypeError(f"it is not a function but {type(handler).__name__}")
        if isinstance(handler, functools.partial):
            return _describe_partial(cast(Any, handler))
        method = getattr(handler, "__call__", None)  # noqa: B004
        is_object = inspect.ismethod(method) and not inspect.isclass(handler) and not inspect.ismethod(handler)
        if is_object and not hasattr(handler, "__wrapped__"):  # a decorated function names the function that it wraps
            return cls.of(method)
        parameters = inspect.signature(handler).parameters
        return cls(handler, parameters, _read_annotations(handler), inspect.isasyncgenfunction(handler))

    @property
    def rest(self) -> str | None:
        """Return the `**` parameter; None if there is none."""
        kinds = {parameter.kind: name for name, parameter in self.parameters.items()}
        return kinds.get(inspect.Parameter.VAR_KEYWORD)

    def get_annotation(self, name: str) -> Any:
        """Return the annotation of a parameter, or of an argument for the `**` parameter, evaluated if possible."""
        if name in self.parameters:
            return self.annotations.get(name, self.parameters[name].annotation)
        others = self.get_annotation(self.rest) if self.rest else inspect.Parameter.empty
        if get_origin(others) is not Unpack:
            return others
        return get_type_hints(get_args(others)[0]).get(name, inspect.Parameter.empty)

    def find_default(self, name: str) -> Any:
        """Return the default of a parameter, or pydantic's `Field(…)` that has it; `Parameter.empty` if none has."""
        default, annotation = self.parameters[name].default, self.get_annotation(name)
        fields = (default,)
        if default is inspect.Parameter.empty and get_origin(annotation) is Annotated:
            fields = get_args(annotation)[:0:-1]
        elif not isinstance(default, FieldInfo):
            return default
        defaults = (field for field in fields if isinstance(field, FieldInfo) and not field.is_required())
        return next(defaults, inspect.Parameter.empty)

    def list_fields(self, injected: Collection[str]) -> dict[str, FieldInfo]:
        """Return each `Field(…)` of pydantic that has the default of a parameter which the SDK does not fill in."""
        defaults = {name: self.find_default(name) for name in self.parameters if name not in injected}
        return {name: default for name, default in defaults.items() if isinstance(default, FieldInfo)}

    def choose_names(self, declared: Mapping[str, Parameter]) -> dict[str, str]:
        """Return the names that declared parameters have in the handler: their own ones, or those on the wire."""
        others = self.parameters.keys() - declared.keys()
        return {
            name: parameter.wire if name not in self.parameters and parameter.wire in others else name
            for name, parameter in declared.items()
        }

    def check(
        self, kind: str, declared: Mapping[str, Parameter], injected: Collection[str], whole: str = "", advice: str = ""
    ) -> dict[str, str]:
        """Return the names that the declared parameters have in the handler, or raise TypeError: it does not fit.

        `kind` is what it answers, such as `tool`; `whole` takes all parameters as one object; the SDK fills in those
        that are `injected`, and `advice` says what to do about others.
        """
        names = self.choose_names(declared)
        required = {names[name]: parameter.required for name, parameter in declared.items()}
        problems: list[str] = []
        for name, parameter in self.parameters.items():
            default = self.find_default(name)
            if parameter.kind is parameter.POSITIONAL_ONLY:
                problems.append(f"{name!r} can only be passed by position")
            elif parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD) or name == whole:
                continue
            elif name in required and not whole:
                if not required[name] and default is parameter.empty:
                    problems.append(f"{name!r} may be absent, so the parameter needs a default")
            elif name not in injected and (default is parameter.empty or default is INJECTED):
                place = f"{kind} beside {whole!r}" if name in required else kind
                problems.append(f"{name!r} is not an argument of the {place}, and the SDK does not fill it in{advice}")
        unknown = [name for name in self.parameters if name not in required and name not in injected]
        for name in required if not whole and self.rest is None else ():
            if name not in self.parameters:
                close = difflib.get_close_matches(name, unknown, 1)
                problems.append(f"it takes no {name!r}" + (f" (did you mean that by {close[0]!r}?)" if close else ""))
        if problems:
            raise TypeError("; ".join(problems))
        return names


def add_defaults(values: dict[str, Any], fields: Mapping[str, FieldInfo]) -> None:
    """Add the defaults of parameters that have none of their own, but a `Field(…)` of pydantic."""
    for name, field in fields.items():
        if name not in values:
            values[name] = field.get_default(call_default_factory=True, validated_data=dict(values))


def _read_annotations(function: Callable[..., Any]) -> dict[str, Any]:
    try:
        return get_type_hints(function, include_extras=True)
    except Exception:
        inner = inspect.unwrap(function)
    inner = getattr(inner, "__func__", inner)
    scope, annotations = getattr(inner, "__globals__", {}), dict[str, Any](getattr(inner, "__annotations__", {}))
    for name, text in annotations.items():
        with suppress(Exception):
            annotations[name] = evaluate_annotation(text, scope)
    return annotations


def _describe_partial(handler: functools.partial[Any]) -> HandlerFunction:
    """Describe a partial by a function with the same parameters, because SDKs find no annotations in a partial."""
    inner = HandlerFunction.of(handler.func)

    async def call_coroutine(*args: Any, **arguments: Any) -> Any:
        return await handler(*args, **arguments)

    def call(*args: Any, **arguments: Any) -> Any:
        return handler(*args, **arguments)

    function: Any = call_coroutine if inspect.iscoroutinefunction(inner.function) else call
    functools.update_wrapper(function, inner.function, updated=())
    del function.__wrapped__
    function.__signature__ = signature = inspect.signature(handler)
    annotations = {name: inner.annotations[name] for name in signature.parameters if name in inner.annotations}
    function.__annotations__ = {name: item for name, item in annotations.items() if not isinstance(item, str)}
    return HandlerFunction(function, signature.parameters, annotations, inner.is_generator)


@dataclass(frozen=True)
class HandlerCall:
    """How a handler takes the arguments of its tool."""

    names: Mapping[str, str]
    """The handler's parameters by the arguments' names on the wire."""
    whole: str
    """The parameter that takes all arguments as one object; empty if each has its own."""
    converters: Mapping[str, TypeAdapter[Any] | None]
    """The parameters that do not get what the package reads: the readers of their own types; None: they get JSON."""
    fields: Mapping[str, FieldInfo]
    """Parameters whose default is in pydantic's `Field(…)`."""
    reserved: frozenset[str] | None
    """The names that undeclared arguments cannot have in the handler's `**` parameter; None: it has none."""

    @classmethod
    def of(
        cls, handler: HandlerFunction, arguments: type[BaseModel], injected: Iterable[str], tool: ToolInfo
    ) -> HandlerCall:
        """Check a handler's signature against the arguments of its tool, or raise TypeError: it does not fit."""
        filled, declared = frozenset(injected), list_parameters(arguments)
        names = handler.choose_names(declared)
        whole, is_json = _find_whole(handler, arguments, names.values(), filled)
        advice = ""
        if whole:
            advice = ": bind a `functools.partial` of the handler that gives it, or write a default"
        elif len(handler.parameters.keys() - filled) == 1 and declared:
            advice = f": annotate it with `dict[str, Any]` or `{arguments.__name__}` if it is for all arguments"
        handler.check("tool", declared, filled, whole, advice)
        wires = {declared[name].wire: own for name, own in names.items()}
        converters: dict[str, TypeAdapter[Any] | None] = {}
        if not (whole and tool.lenient):
            converters = _choose_converters(handler, arguments, {"": whole} if whole else wires, tool)
        if is_json:
            converters[whole] = None
        if not whole:
            _warn_about_defaults(handler, wires, tool)
        reserved = frozenset((*handler.parameters, *wires.values())) if handler.rest and not whole else None
        return cls(wires, whole, converters, handler.list_fields(filled), reserved)

    @property
    def given(self) -> frozenset[str]:
        """The parameters that receive a client's arguments."""
        return frozenset((self.whole,) if self.whole else self.names.values())

    def select(self, instance: BaseModel, sent: Mapping[str, Any]) -> dict[str, Any]:
        """Return the keyword arguments of a call, or raise ValidationError: one `sent` is not of the handler's type."""
        value: Any = instance.root if isinstance(instance, RootArguments) else instance
        out, extras = dict[str, Any](), value
        if self.whole:
            is_json = self.whole in self.converters
            out[self.whole] = cast(Any, instance).to_structured_content() if is_json else instance
        elif isinstance(value, JsonObject):
            values, names, extras = value.__dict__, self.names, value.model_extra
            out = {names[wire]: values[name] for name, wire in shape_of(type(value)).wires.items() if wire in sent}
        for wire, name in () if self.whole or not self.converters else self.names.items():
            if name in out and name in self.converters:
                adapter = self.converters[name]
                try:
                    out[name] = adapter.validate_python(sent[wire]) if adapter else to_json_value(out[name])
                except ValidationError as error:
                    raise move_error(error, (wire,)) from error
        if extras and self.reserved is not None:
            out.update({key: item for key, item in extras.items() if key not in self.reserved})
        add_defaults(out, self.fields)
        return out


def _warn_about_defaults(handler: HandlerFunction, wires: Mapping[str, str], tool: ToolInfo) -> None:
    """Log a warning for each default, except None for absence, that differs from that of the inputSchema."""
    properties: dict[str, Any] = tool.definition["inputSchema"].get("properties", {})
    for wire, name in wires.items():
        declared = properties.get(wire)
        if name not in handler.parameters or not isinstance(declared, dict):
            continue
        default = handler.find_default(name)
        own = default.default if isinstance(default, FieldInfo) else default
        other: Any = cast(dict[str, Any], declared).get("default", own)
        is_plain = type(own) in (str, int, float, bool)
        if is_plain and (own != other or isinstance(own, bool) is not isinstance(other, bool)):
            text = "The handler of the tool %r gets %s=%r if a client leaves it out, but the inputSchema says %r: "
            logger.warning(text + "write the same default in both", tool.name, name, own, other)


def _find_whole(
    handler: HandlerFunction, arguments: type[BaseModel], declared: Collection[str], injected: frozenset[str]
) -> tuple[str, bool]:
    """Return the parameter that takes all arguments as one object, and whether it takes them as JSON.

    It is annotated with their class; or it is the only `dict` or `Mapping` of a handler that takes no argument.
    """
    candidates = [name for name in handler.parameters if name not in injected]
    for name in candidates:
        annotation = handler.get_annotation(name)
        if get_origin(annotation) is Annotated:
            annotation = get_args(annotation)[0]
        is_class = annotation is arguments
        if isinstance(annotation, str):
            is_class = annotation.strip("'\"").rpartition(".")[2] == arguments.__name__
        field = arguments.model_fields.get(name)
        if is_class and (field is None or arguments not in kinds_of(field.annotation)):  # no argument of its own
            return name, False
    if not handler.parameters.keys().isdisjoint(declared):
        return "", False
    mappings = [
        name
        for name in candidates
        if (parameter := handler.parameters[name]).default is parameter.empty
        and parameter.kind in (parameter.POSITIONAL_OR_KEYWORD, parameter.KEYWORD_ONLY)
        and _is_mapping(handler.get_annotation(name))
    ]
    is_mistake = len(mappings) != 1 or difflib.get_close_matches(mappings[0], declared, 1)
    return ("", False) if is_mistake else (mappings[0], True)


def _is_mapping(annotation: Any) -> bool:
    kinds = kinds_of(annotation)
    if isinstance(kinds[0], str):
        return re.match(r"([\w.]*\.)?([Dd]ict|(Mutable)?Mapping)\b", kinds[0]) is not None
    return _has_subclass(kinds, Mapping)


# --- the form of an argument: as the package reads it, as JSON, or of a handler's own type ---------------------------
_JSON_TYPES = (Any, None, NoneType, str, int, float, bool, list, dict)
_JSON_NAMES = frozenset({"Any", "Dict", "JsonValue", "Mapping", "MutableMapping", "dict", "object"})


def _choose_converters(
    handler: HandlerFunction, arguments: type[BaseModel], names: Mapping[str, str], tool: ToolInfo
) -> dict[str, TypeAdapter[Any] | None]:
    """Return the converters of parameters, whose `names` are by those of the arguments on the wire.

    It raises TypeError for annotations that take neither what the package reads nor JSON, and for models of the user's
    own unless the tool is lenient.
    """
    package, kinds = arguments.__module__.rpartition(".tools.")[0], defaultdict[str, list[Any]](list)
    for shape in list_shapes(kinds_of_class(arguments)):  # one class, or one of several
        for wire, some in shape.kinds.items():
            kinds[wire] += some
    converters: dict[str, TypeAdapter[Any] | None] = {}
    problems: list[str] = []
    for wire, name in names.items():
        annotation, models = handler.get_annotation(name), _list_models(kinds[wire])
        own = [part for part in _list_parts(annotation) if _is_own(part, package)] if name in handler.parameters else []
        own_models = [part for part in own if _is_model(part)]
        known = _name(models[0]) if len(models) == 1 else "a type of the generated package"
        if tool.lenient and own:
            with suppress(Exception):  # pydantic does not know every type
                converters[name] = TypeAdapter(annotation)
        if name in converters:
            continue
        if own_models and not tool.lenient:
            model = _name(own_models[0])
            problems.append(
                f"{name!r} is annotated with {model}, but the handler gets {known}, without "
                f"the defaults of {model}: annotate it with {known}, or write `lenient = true` into the settings of "
                f"the tool and run `mcpgen build`"
            )
        elif models and "class" not in (forms := _find_forms(annotation, models)):
            converters[name] = None
            takes_objects = all(kind in (None, NoneType) or _list_models([kind]) for kind in kinds[wire])
            if forms == {"other"} and takes_objects:
                text = _name(annotation) if isinstance(annotation, type) else str(annotation)
                problems.append(
                    f"{name!r} is annotated with {text}, but its value is an object, or has objects inside: annotate "
                    f"it with {known}, or with `dict[str, Any]` for JSON objects"
                )
    if problems:
        raise TypeError("; ".join(problems))
    return converters


def _list_models(kinds: Iterable[Any]) -> list[type[Any]]:
    parts = [*dict.fromkeys(kinds)]
    for part in parts:  # grows during the loop
        inner = get_args(part) if get_origin(part) in (list, dict, tuple) else ()
        parts += [kind for annotation in inner for kind in kinds_of(annotation) if kind not in parts]
    return [*filter(_is_model, parts)]


def _is_model(annotation: Any) -> bool:
    if not isinstance(annotation, type) or annotation is BaseModel:
        return False
    return issubclass(annotation, BaseModel) or hasattr(cast(Any, annotation), "__dataclass_fields__")


def _name(cls: type[Any]) -> str:
    return cls.__qualname__ if cls.__module__ == "builtins" else f"{cls.__module__}.{cls.__qualname__}"


def _list_parts(annotation: Any) -> Iterator[Any]:
    origin, parts = get_origin(annotation), get_args(annotation)
    if origin is Annotated:
        yield from _list_parts(parts[0])
    elif origin in (list, dict, Union, UnionType):
        for part in parts:
            yield from _list_parts(part)
    else:
        yield annotation


def _is_own(annotation: Any, package: str) -> bool:
    """Return whether a type is neither JSON's nor a class of the package or the library."""
    if get_origin(annotation) is Literal or annotation in _JSON_TYPES or isinstance(annotation, str):
        return False
    module = f"{getattr(annotation, '__module__', '')}."
    return not module.startswith((f"{package}.", f"{__package__}."))


def _find_forms(annotation: Any, models: Sequence[type[Any]]) -> set[str]:
    """Return how an annotation takes the objects in a value: as a `class`, as `json`, or not at all (`other`)."""
    if isinstance(annotation, str):
        names = {*re.findall(r"\w+", annotation)}
        is_json = names.isdisjoint(model.__name__ for model in models) and names & _JSON_NAMES
        return {"json" if is_json else "class"}
    forms: set[str] = set()
    for kind in kinds_of(annotation):
        origin, parts = get_origin(kind) or kind, get_args(kind)
        if kind in (None, NoneType):
            continue
        if origin is Literal:
            forms.add("other")
        elif not isinstance(origin, type) or origin in (Any, object, inspect.Parameter.empty) or is_typeddict(origin):
            forms.add("json")
        elif (
            any(origin in model.__mro__ for model in models)
            or _is_model(origin)
            or (is_protocol(origin) and origin.__module__ not in ("collections.abc", "typing"))
        ):
            forms.add("class")
        elif issubclass(origin, Mapping):
            forms |= (_find_forms(parts[-1], models) if parts else set()) & {"class"} or {"json"}
        elif issubclass(origin, Iterable) and not issubclass(origin, str | bytes):
            inner = [_find_forms(part, models) for part in parts if part is not Ellipsis]
            forms = forms.union(*inner) if inner else forms | {"json"}
        else:
            forms.add("other")
    return forms
