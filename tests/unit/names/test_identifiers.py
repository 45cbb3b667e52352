"""Names of modules, classes, attributes and parameters are safe, distinct, and independent of their order."""

from __future__ import annotations

import itertools
import keyword
from collections.abc import Iterable

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from mcpgen.ir.types import ANY, Field, Presence
from mcpgen.names.identifiers import (
    make_class_stem,
    make_field_names,
    make_method_name,
    make_module_name,
    make_parameter_names,
    make_short_hash,
)
from mcpgen.names.reserved import PYDANTIC_ATTRIBUTES, RESULT_METHODS
from mcpgen.words import convert_to_pascal_case, convert_to_snake_case
from mcpgen_runtime.sdk.none import types
from pydantic import BaseModel, RootModel

WIRES = st.text(st.characters(), max_size=8) | st.from_regex(r"[a-zA-Z_][a-zA-Z0-9_ .-]{0,8}", fullmatch=True)


# --- words ----------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("wire", "module", "stem"),
    [
        ("get_weather", "get_weather", "GetWeather"),
        ("get-weather", "get_weather", "GetWeather"),
        ("getWeather", "get_weather", "GetWeather"),
        ("Get Weather", "get_weather", "GetWeather"),
        ("get.weather/now", "get_weather_now", "GetWeatherNow"),
        ("__get__weather__", "get_weather", "GetWeather"),
        ("getHTTPStatus", "get_http_status", "GetHTTPStatus"),
        ("URL", "url", "URL"),
        ("v2", "v2", "V2"),
        ("get_v2_item", "get_v2_item", "GetV2Item"),
        ("2fa", "_2fa", "_2fa"),
        ("get_k8s_pods", "get_k8s_pods", "GetK8sPods"),
        ("getHTTP2Stream", "get_http2_stream", "GetHTTP2Stream"),
        ("OAuth2Token", "oauth2_token", "OAuth2Token"),
        ("e2eTest", "e2e_test", "E2eTest"),
        ("runE2ETest", "run_e2e_test", "RunE2ETest"),
        ("parse3DModel", "parse_3d_model", "Parse3DModel"),
        ("enable2FA", "enable_2fa", "Enable2FA"),
        ("listIPv4Addresses", "list_ipv4_addresses", "ListIPv4Addresses"),
        ("userIDs", "user_ids", "UserIDs"),
        ("gRPCServer", "grpc_server", "GRPCServer"),
        ("xAxis", "x_axis", "XAxis"),
        ("S3Bucket", "s3_bucket", "S3Bucket"),
        ("MD5SUM", "md5sum", "MD5SUM"),
        ("call_tool", "call_tool", "CallToolTool"),
        ("tool", "tool", "ToolTool"),
        ("import", "import_", "Import"),
        ("None", "none", "None"),
        ("__init__", "init", "Init"),
        ("données", "donnees", "Donnees"),
        ("größe", "groe", "Groe"),
        ("ﬁnd", "find", "Find"),
        ("天気", "", ""),
        ("天気-now", "now", "Now"),
        ("_", "", ""),
        ("", "", ""),
    ],
)
def test_a_wire_name_has_one_module_and_one_stem(wire: str, module: str, stem: str) -> None:
    assert (make_module_name(wire, None), make_class_stem(wire, None, "Tool")) == (module, stem)


def test_a_chosen_name_is_taken_as_it_is() -> None:
    assert (make_module_name("天気", "weather_now"), make_class_stem("天気", "weather_now", "Tool")) == (
        "weather_now",
        "WeatherNow",
    )
    assert make_module_name("x", "class") == "class_"


@pytest.mark.parametrize("name", ["__init__", "__class__", "__getattr__", "__path__", "con", "NUL", "com1", "LPT9"])
def test_a_module_is_called_like_nothing_that_python_or_windows_looks_for(name: str) -> None:
    """A submodule is an attribute of its package, and so would be its `__class__`."""
    assert make_module_name("x", name) == f"{name}_"
    assert make_module_name("con", None) == "con_"


@given(wire=WIRES)
@settings(deadline=None)
def test_words_are_ascii_identifiers(wire: str) -> None:
    for name in (convert_to_snake_case(wire), convert_to_pascal_case(wire), make_module_name(wire, None)):
        assert name.isascii()
        assert not name or f"_{name}".isidentifier()
    assert not keyword.iskeyword(make_module_name(wire, None))
    assert convert_to_snake_case(convert_to_snake_case(wire)) == convert_to_snake_case(wire)


@given(name=st.from_regex(r"[a-z][a-z0-9]*(_[a-z0-9]+)*", fullmatch=True))
@settings(deadline=None)
def test_a_name_in_snake_case_stays_as_it_is(name: str) -> None:
    assert convert_to_snake_case(name) == name


# --- fields ---------------------------------------------------------------------------------------------------------
def fields(wires: Iterable[str]) -> list[Field]:
    return [Field(wire, ANY, Presence.OPTIONAL) for wire in wires]


def named(*wires: str) -> list[str]:
    names = make_field_names(fields(wires))
    return [names[wire] for wire in wires]


@pytest.mark.parametrize(
    ("wire", "name"),
    [
        ("temperature", "temperature"),
        ("windSpeed", "wind_speed"),
        ("wind-speed", "wind_speed"),
        ("WindSpeed", "wind_speed"),
        ("wind speed (m/s)", "wind_speed_m_s"),
        ("@id", "id"),
        ("$ref", "ref"),
        ("_private", "private"),
        ("__dunder__", "dunder"),
        ("class", "class_"),
        ("None", "none"),
        ("None_", "none"),
        ("async", "async_"),
        ("match", "match"),
        ("2fa", "field_2fa"),
        ("model_dump", "model_dump_"),
        ("model_x", "model_x_"),
        ("model", "model"),
        ("to_wire", "to_wire_"),
        ("toWire", "to_wire_"),
        ("to_call_tool_result", "to_call_tool_result_"),
        ("extras", "extras_"),
        ("copy", "copy_"),
        ("json", "json_"),
        ("schema", "schema_"),
        ("root", "root_"),
        ("self", "self_"),
        ("cls", "cls_"),
        ("classmethod", "classmethod_"),
        ("staticMethod", "static_method"),
        ("staticmethod", "staticmethod_"),
        ("property", "property"),
        ("température", "temperature"),
    ],
)
def test_a_property_has_one_name(wire: str, name: str) -> None:
    assert named(wire) == [name]


@pytest.mark.parametrize("wire", ["", "_", "天気", "☂", "__", "\ud800"])
def test_a_property_without_ascii_letters_has_a_name_of_its_own(wire: str) -> None:
    assert named(wire)[0].startswith("field_")
    assert named(wire, "windy")[0] == named(wire)[0]


def test_a_siblings_wire_name_stays_with_the_sibling() -> None:
    assert named("user_id", "user-id") == ["user_id", "user_id_"]
    assert named("user_id", "user-id", "user_id_") == ["user_id", "user_id__", "user_id_"]
    assert named("class", "class_") == ["class__", "class_"]
    first, second = named("user-id", "user id")
    assert first != second


def check_safe(names: dict[str, str]) -> None:
    """Unique ASCII identifiers, and none of a base class, of pydantic or of Python."""
    assert len(set(names.values())) == len(names), names
    for name in names.values():
        assert name.isascii()
        assert name.isidentifier()
        assert not keyword.iskeyword(name)
        assert not name.startswith("_")
        assert not (name.startswith("model_") and hasattr(BaseModel, name))
        assert name not in RESULT_METHODS | PYDANTIC_ATTRIBUTES


@given(wires=st.lists(WIRES, unique=True, max_size=8))
@settings(deadline=None)
@example(wires=["class", "class_", "Class", "_class", "class-"])
def test_names_of_properties_are_safe_whatever_their_order(wires: list[str]) -> None:
    names = make_field_names(fields(wires))
    check_safe(names)
    assert make_field_names(fields(reversed(wires))) == names
    assert make_field_names(fields(sorted(wires))) == names


@given(wires=st.lists(WIRES, unique=True, min_size=1, max_size=8), added=WIRES)
@settings(deadline=None)
def test_a_property_keeps_its_name_when_an_unlike_one_is_added(wires: list[str], added: str) -> None:
    if convert_to_snake_case(added).strip("_") not in {convert_to_snake_case(wire).strip("_") for wire in wires}:
        old_names = make_field_names(fields(wires))
        new_names = make_field_names(fields([added, *wires]))
        assert {wire: new_names[wire] for wire in wires} == old_names


def test_a_name_made_unique_is_unique() -> None:
    """Check that what tells two alike names apart must not make them a third one's name."""
    for first, second in itertools.combinations("-./: ,;+", 2):
        pair = [f"a{first}b", f"a{second}b"]
        check_safe(make_field_names(fields([*pair, *named(*pair)])))


def public(*classes: type) -> set[str]:
    return {name for item in classes for name in (*dir(item), *item.__annotations__) if not name.startswith("_")}


def test_every_attribute_of_pydantics_classes_is_avoided() -> None:
    class Model(BaseModel):
        pass

    class Rooted(RootModel[int]):
        pass

    attributes = public(BaseModel, RootModel, Model, Rooted)
    assert {"copy", "json", "model_dump"} <= attributes
    assert {name for name in attributes if not name.startswith("model_")} <= PYDANTIC_ATTRIBUTES
    assert [name for name in attributes if named(name) == [name]] == []


def test_every_attribute_of_a_result_class_is_avoided() -> None:
    bases = (types.OpenObject, types.ClosedObject, types.ToolResult, types.RootResult, types.Checked)
    assert [name for name in sorted(public(*bases)) if named(name) == [name]] == []


# --- methods and parameters -------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("wire", "method"),
    [
        ("get-weather", "get_weather"),
        ("2fa", "_2fa"),
        ("from", "from_"),
        ("__class__", "class_"),
        *((name, f"{name}_") for name in ("complete", "connect", "copy_of", "implement", "list", "property")),
        *((name, name) for name in ("titled", "rounded", "members", "text_block", "uris")),
    ],
)
def test_no_tool_is_called_like_what_server_and_client_say_themselves(wire: str, method: str) -> None:
    assert make_method_name(make_module_name(wire, None)) == method


@pytest.mark.parametrize(
    ("chosen", "method"),
    [("_call", "call"), ("__bind", "bind"), ("_list", "list_"), ("Mapping", "Mapping_"), ("_", "_")],
)
def test_a_chosen_name_is_no_private_one_there(chosen: str, method: str) -> None:
    assert make_method_name(make_module_name("x", chosen)) == method


def test_parameters_of_a_uri_template_keep_away_from_what_the_method_uses() -> None:
    names = make_parameter_names(["port", "self", "uri_templates", "class", "schema"])
    assert names == {
        "port": "port",
        "self": "self_",
        "uri_templates": "uri_templates_",
        "class": "class_",
        "schema": "schema",
    }


def test_a_short_hash_is_the_start_of_a_longer_one() -> None:
    assert make_short_hash("abc") == "ba78"  # SHA-256 of "abc" starts with ba7816bf
    assert make_short_hash("abc", 8) == "ba7816bf"
