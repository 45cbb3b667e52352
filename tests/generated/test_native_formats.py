"""`formats = "native"`: strings of a format become Python values and are written as they were read."""

from __future__ import annotations

import copy
import datetime
import json
import pickle
import re
import uuid
from ipaddress import IPv4Address, IPv6Address
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import jsonschema_rs
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import ValidationError
from support.checkers import CHECKERS, reported, wrong
from support.packages import mcpgen, package, tool

MOMENT = "2031-03-12T08:00:00+01:00"
RIGHT = {
    "at": MOMENT,
    "day": "2031-03-12",
    "time": "08:00:00+01:00",
    "id": "3f1d9c3e-5f0e-4a55-9d3e-1d2c3b4a5968",
    "v4": "10.0.0.1",
    "v6": "fe80::1",
}
FORMATS = {"at": "date-time", "day": "date", "time": "time", "id": "uuid", "v4": "ipv4", "v6": "ipv6"}
TYPES = (datetime.datetime, datetime.date, datetime.time, uuid.UUID, IPv4Address, IPv6Address)
PROPERTIES = {name: {"type": "string", "format": form} for name, form in FORMATS.items()}
SCHEMA = {"type": "object", "properties": PROPERTIES}


@pytest.fixture(scope="module")
def result(tmp_path_factory: pytest.TempPathFactory) -> Any:
    folder = tmp_path_factory.mktemp("native")
    (folder / "mcpgen.toml").write_text('formats = "native"\n', "utf-8")
    return package(folder, [tool("log", SCHEMA)]).LogResult


def test_text_of_the_format_is_read_and_written(result: Any) -> None:
    instance = result.model_validate(RIGHT)
    assert tuple(type(getattr(instance, name)) for name in FORMATS) == TYPES
    assert instance.to_structured_content() == RIGHT
    assert result(**vars(instance)) == instance


# --- what is read ----------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("name", FORMATS)
@pytest.mark.parametrize(
    "wrong", [0, 1931126400, 1.5, True, b"2031-03-12", "1931126400", "", [], {}, datetime.timedelta(1), object()]
)
def test_numbers_and_other_values_are_refused(name: str, wrong: object, result: Any) -> None:
    for read in (result.model_validate, lambda values: result(**values)):
        with pytest.raises(ValidationError) as caught:
            read({name: wrong})
        assert caught.value.errors()[0]["loc"] == (name,)


@pytest.mark.parametrize("name", FORMATS)
def test_one_format_is_not_another(name: str, result: Any) -> None:
    instance = result.model_validate(RIGHT)
    for other, text in RIGHT.items():
        for value in (text, getattr(instance, other)):
            if other != name:
                with pytest.raises(ValidationError):
                    result.model_validate({name: value})


EXAMPLES = {
    "at": [
        *("2024-01-01T00:00:00Z", "2024-01-01t00:00:00z", "2024-01-01 00:00:00Z", "2024-01-01T00:00:00"),
        *("2024-01-01T00:00:00-00:00", "2024-01-01T00:00:00+24:00", "2024-01-01T24:00:00Z", "2023-02-29T00:00:00Z"),
        *("2024-01-01T00:00:00.Z", "2024-01-01T00:00:00.5Z", "2024-01-01T00:00:00.123456000Z", f"{MOMENT}\n"),
        *("2024-01-01T00:00:00+0100", "२०२४-01-01T00:00:00Z", "0001-01-01T00:00:00+23:59", "9999-12-31T23:59:59-23:59"),
    ],
    "day": ["2024-02-29", "2023-02-29", "20240101", "2024-W01-1", "2024-1-1", "9999-12-31"],
    "time": ["00:00:00", "00:00:00Z", "00:00:00z", "00:00Z", "24:00:00Z", "12:60:00Z", "00:00:00.100+05:30"],
    "id": [
        *("3F1D9C3E-5f0e-4a55-9d3e-1d2c3b4a5968", "3f1d9c3e5f0e4a559d3e1d2c3b4a5968", "3f1d9c3e-5f0e-4a55-9d3e"),
        *("{3f1d9c3e-5f0e-4a55-9d3e-1d2c3b4a5968}", "urn:uuid:3f1d9c3e-5f0e-4a55-9d3e-1d2c3b4a5968"),
    ],
    "v4": ["1.2.3.4", "01.2.3.4", "1.2.3", "256.1.1.1", "1.2.3.4/8", "１.2.3.4", "::1"],
    "v6": [
        *("::", "FE80::1", "fe80::1%eth0", "0:0:0:0:0:0:0:1", "::ffff:1.2.3.4", "::ffff:01.2.3.4", "1::2::3"),
        *("12345::", "::1/64", "1.2.3.4"),
    ],
}
TOO_EXACT = {
    "2024-01-01T00:00:00.1234567Z": "at most microseconds",
    "2024-01-01T00:00:00.000000001Z": "at most microseconds",
    "2016-12-31T23:59:60Z": "no leap second",
    "0000-01-01T00:00:00Z": "a year from 1 to 9999",
}
"""Date-times that no datetime can hold."""


def asserts_format(name: str, text: str) -> bool:
    """Return what jsonschema-rs says of a string, where it asserts formats."""
    validator = jsonschema_rs.validator_for(PROPERTIES[name], validate_formats=True)
    return validator.is_valid(text)


def check_text(result: Any, name: str, text: str) -> None:
    """Check that a string is read as the oracle says, and written byte by byte however it is written."""
    try:
        instance = result.from_structured_content({name: text})
    except ValidationError:
        assert not asserts_format(name, text)
        return
    assert asserts_format(name, text)
    for same in (
        instance,
        copy.copy(instance),
        copy.deepcopy(instance),
        instance.model_copy(deep=True),
        instance.model_copy(update={name: getattr(instance, name)}),
        pickle.loads(pickle.dumps(instance)),
        result(**{name: getattr(instance, name)}),
    ):
        assert same == instance
        assert hash(getattr(same, name)) == hash(getattr(instance, name))
        assert same.to_structured_content() == {name: text}
        assert same.model_dump() == same.model_dump(mode="json") == {name: text}
        assert json.loads(same.model_dump_json()) == {name: text}
        assert same.to_wire()["structuredContent"] == {name: text}
        assert json.loads(same.to_wire()["content"][0]["text"]) == {name: text}
        assert json.loads(same.to_wire_json())["structuredContent"] == {name: text}


@pytest.mark.parametrize(("name", "text"), [(name, text) for name, texts in EXAMPLES.items() for text in texts])
def test_examples(name: str, text: str, result: Any) -> None:
    check_text(result, name, text)


def draw_texts(name: str) -> st.SearchStrategy[str]:
    """Return a strategy of strings that have a format, or nearly."""
    digits, letters = st.sampled_from("0123456789"), "0123456789abcdefABCDEF"
    two = st.one_of(st.integers(0, 62).map("{:02}".format), st.integers(0, 24).map(str))
    offset = st.one_of(
        st.sampled_from(["Z", "z", "", "+00:00", "-00:00"]),
        st.builds("{}{}:{}".format, st.sampled_from("+-"), two, two),
    )
    fraction = st.one_of(st.just(""), st.text(digits, max_size=8).map(".{}".format))
    clock = st.builds("{}:{}:{}{}{}".format, two, two, two, fraction, offset)
    day = st.builds("{:04}-{}-{}".format, st.integers(0, 9999), two, two)
    group = st.text(letters, max_size=5)
    address = st.lists(st.one_of(group, st.just("")), min_size=1, max_size=9).map(":".join)
    return {
        "at": st.builds("{}{}{}".format, day, st.sampled_from("Tt "), clock),
        "day": day,
        "time": clock,
        "id": st.one_of(
            st.uuids().map(str), st.uuids().map(lambda value: str(value).upper()), st.text(letters + "-", max_size=36)
        ),
        "v4": st.lists(st.integers(0, 260).map(str) | two, min_size=3, max_size=5).map(".".join),
        "v6": st.one_of(
            st.ip_addresses(v=6).map(lambda value: value.exploded), address, st.builds("::{}".format, address)
        ),
    }[name]


@pytest.mark.parametrize("rounds", [100, pytest.param(1000, marks=pytest.mark.slow)])
@pytest.mark.parametrize("name", FORMATS)
def test_strings_are_read_exactly_where_the_format_is_asserted(name: str, result: Any, rounds: int) -> None:
    @settings(max_examples=rounds, deadline=None, derandomize=True)
    @given(draw_texts(name))
    def check(text: str) -> None:
        try:
            check_text(result, name, text)
        except AssertionError:
            assert is_beyond_python(text) or has_lone_digit(text)

    check()


def is_beyond_python(text: str) -> bool:
    """Return whether a valid string has what no Python value can hold; see docs/reference/native-formats.md."""
    _, _, fraction = text.partition(".")
    digits = fraction[: len(fraction) - len(fraction.lstrip("0123456789"))]
    return text.startswith("0000-") or ":60" in text or bool(digits[6:].strip("0"))


def has_lone_digit(text: str) -> bool:
    """Return whether hours, minutes or seconds have one digit, which jsonschema-rs accepts and RFC 3339 does not."""
    clock = re.split("[Tt ]", text)[-1]
    return re.match(r"\d\d:\d\d:\d\d(\.\d+)?(?![\d.])", clock) is None


@pytest.mark.parametrize(("text", "reason"), TOO_EXACT.items())
def test_what_no_datetime_can_hold_is_refused_with_the_reason(text: str, reason: str, result: Any) -> None:
    assert asserts_format("at", text)
    with pytest.raises(ValidationError, match=reason):
        result.from_structured_content({"at": text})


# --- values of Python ------------------------------------------------------------------------------------------------
NOON = datetime.datetime(2031, 3, 12, 12, tzinfo=datetime.UTC)
ODD_ZONE = datetime.timezone(datetime.timedelta(minutes=19, seconds=32))


@pytest.mark.parametrize(
    ("name", "value", "text"),
    [
        ("at", NOON, "2031-03-12T12:00:00Z"),
        ("at", NOON.replace(microsecond=5), "2031-03-12T12:00:00.000005Z"),
        ("at", datetime.datetime(2031, 7, 1, tzinfo=ZoneInfo("Europe/Oslo")), "2031-07-01T00:00:00+02:00"),
        ("at", datetime.datetime(1, 1, 1, tzinfo=datetime.UTC), "0001-01-01T00:00:00Z"),
        ("at", NOON.astimezone(ODD_ZONE), "2031-03-12T12:00:00Z"),
        ("at", NOON.replace(tzinfo=None), None),
        ("at", NOON.date(), None),
        ("at", datetime.datetime(1, 1, 1, tzinfo=ODD_ZONE), None),  # before the first year in UTC
        ("day", NOON.date(), "2031-03-12"),
        ("day", NOON, None),
        ("time", NOON.timetz(), "12:00:00Z"),
        ("time", NOON.time(), None),
        ("time", datetime.time(1, tzinfo=ODD_ZONE), None),
        ("time", datetime.time(1, tzinfo=ZoneInfo("Europe/Oslo")), None),  # its offset depends on the day
        ("id", uuid.UUID(int=5), "00000000-0000-0000-0000-000000000005"),
        ("v4", IPv4Address(1), "0.0.0.1"),
        ("v6", IPv6Address(1), "::1"),
        ("v6", IPv6Address("fe80::1%eth0"), None),
    ],
)
def test_python_values_are_written_as_their_format_or_refused(
    name: str, value: object, text: str | None, result: Any
) -> None:
    if text is None:
        with pytest.raises(ValidationError):
            result(**{name: value})
        return
    assert asserts_format(name, text)
    instance = result(**{name: value})
    assert getattr(instance, name) is value
    assert instance.to_structured_content() == {name: text}
    assert result.normalize({name: value}).structured_content == {name: text}
    assert result.normalize_any({name: value}).structured_content == {name: text}


def test_what_is_computed_from_a_value_has_a_text_of_its_own(result: Any) -> None:
    at = result.from_structured_content({"at": "2031-03-12t12:00:00.50z"}).at
    later = at + datetime.timedelta(hours=1)
    assert result(at=later).to_structured_content() == {"at": "2031-03-12T13:00:00.500000Z"}
    assert result(at=at.replace(microsecond=0)).to_structured_content() == {"at": "2031-03-12T12:00:00Z"}
    assert copy.deepcopy(later) == pickle.loads(pickle.dumps(later)) == later
    zone = ZoneInfo("Europe/Oslo")
    assert result(at=at.astimezone(zone)).to_structured_content() == {"at": "2031-03-12T13:00:00.500000+01:00"}
    assert (at == NOON.replace(microsecond=500_000), at > NOON, repr(at)[:7]) == (True, True, "Spelled")


def test_handlers_return_strings_and_values(result: Any) -> None:
    read = result.from_structured_content({"at": "2031-03-12t12:00:00z", "v6": "FE80::1", "id": RIGHT["id"].upper()})
    wire = {"at": "2031-03-12t12:00:00z", "id": RIGHT["id"].upper(), "v6": "FE80::1"}
    values = {"at": read.at, "id": read.id, "v6": read.v6}
    for returned in (read, wire, values, {**values, "at": wire["at"]}):
        for normalize in (result.normalize, result.normalize_any):
            assert normalize(returned).structured_content == wire


# --- other keywords, and places --------------------------------------------------------------------------------------
MIXED: dict[str, Any] = {
    "type": "object",
    "properties": {
        "short": {"type": "string", "format": "date-time", "maxLength": 20},
        "utc": {"type": "string", "format": "date-time", "pattern": "Z$"},
        "not_first": {"type": "string", "format": "date", "not": {"const": "2024-01-01"}},
        "level": {"enum": ["2024-01-01", "2024-01-02"], "format": "date"},
        "day": {"type": "string", "format": "date", "default": "2024-01-01"},
        "maybe": {"type": ["string", "null"], "format": "uuid"},
        "days": {"type": ["array", "null"], "items": {"type": "string", "format": "date"}, "uniqueItems": True},
        "pair": {
            "type": "array",
            "prefixItems": [{"type": "string", "format": "ipv4"}, {"type": "integer"}],
            "items": False,
            "minItems": 2,
        },
        "by_id": {"type": "object", "additionalProperties": {"type": "string", "format": "uuid"}},
        "one_or_many": {
            "anyOf": [
                {"type": "number"},
                {"type": "string", "format": "ipv6"},
                {"type": "array", "items": {"type": "string", "format": "ipv6"}},
                {"type": "object", "properties": {"at": {"type": "string", "format": "date-time"}}},
            ]
        },
        "when": {"anyOf": [{"type": "string", "format": "date-time"}, {"const": "now"}]},
        "text": {"anyOf": [{"type": "string", "format": "date"}, {"type": "string", "maxLength": 3}]},
        "plain": {"type": "string", "format": "date"},
        "ref": {"$ref": "#/$defs/Event"},
    },
    "$defs": {"Event": {"type": "object", "properties": {"at": {"type": "string", "format": "date-time"}}}},
}


@pytest.fixture(scope="module")
def mixed(tmp_path_factory: pytest.TempPathFactory) -> Any:
    folder = tmp_path_factory.mktemp("mixed")
    schema: Any = copy.deepcopy(MIXED)
    schema["properties"]["plain"]["x-mcpgen"] = {"format": "string"}
    schema["properties"]["ref"] = {"$ref": "#/$defs/Event"}
    event = {"type": "object", "properties": {"event": {"$ref": "#/$defs/Event"}}, "$defs": MIXED["$defs"]}
    row: Any = {"type": "object", "properties": {"day": {"type": "string", "format": "date"}}}
    row["properties"]["day"]["x-mcpgen"] = {"format": "native"}
    text = (
        'formats = "native"\n[tools.text]\nformats = "annotation"\n[tools.same]\nformats = {"date-time" = "native"}\n'
    )
    (folder / "mcpgen.toml").write_text(text, "utf-8")
    tools = [
        tool("mixed", schema, inputSchema=event),
        *(tool(name, copy.deepcopy(event)) for name in ("first", "text", "same")),
        tool("plain", row, **{"x-mcpgen": {"formats": {"date": "string", "uuid": "string"}}}),
    ]
    resource = {"name": "log", "uri": "data://log", "x-mcpgen": {"schema": row, "formats": "annotation"}}
    return package(folder, tools, "--sdk", "none", resources=[resource])


SPELLED = {
    "utc": "2024-01-01t00:00:00.0Z",
    "level": "2024-01-02",
    "maybe": None,
    "days": ["2024-01-01", "2024-01-02"],
    "pair": ["10.0.0.1", 3],
    "by_id": {"a": "3F1D9C3E-5f0e-4a55-9d3e-1d2c3b4a5968"},
    "when": "now",
    "text": "2024-01-01",
    "plain": "tomorrow",
    "ref": {"at": "2024-01-01T00:00:00-00:00"},
}


@pytest.mark.parametrize("several", ["FE80::1", ["FE80::1", "::"], {"at": "2024-01-01t00:00:00Z"}, 1.5, 3])
def test_values_are_native_wherever_they_stand(several: object, mixed: Any) -> None:
    values: dict[str, Any] = {**SPELLED, "one_or_many": several}
    value = {name: values[name] for name in MIXED["properties"] if name in values}
    instance = mixed.MixedResult.from_structured_content(value)
    assert (type(instance.days[0]), type(instance.pair[0])) == (datetime.date, IPv4Address)
    assert (instance.by_id["a"], instance.ref.at.year) == (uuid.UUID(value["by_id"]["a"]), 2024)
    assert (instance.level, instance.text, instance.plain) == ("2024-01-02", "2024-01-01", "tomorrow")
    for same in (instance, copy.deepcopy(instance), pickle.loads(pickle.dumps(instance))):
        assert same.to_structured_content() == value
        assert same.model_dump(exclude_unset=True) == value
        assert same.model_dump(mode="json", exclude_unset=True) == value
        assert json.loads(same.to_wire_json())["structuredContent"] == value
    assert mixed.MixedResult.normalize(value).structured_content == value
    attributes = {name: getattr(instance, name) for name in value}
    assert mixed.MixedResult.normalize_any(attributes).structured_content == value


@pytest.mark.parametrize(
    ("name", "value", "native"),
    [
        ("short", MOMENT, datetime.datetime.fromisoformat(MOMENT)),
        ("utc", MOMENT, datetime.datetime.fromisoformat(MOMENT)),
        ("not_first", "2024-01-01", datetime.date(2024, 1, 1)),
        ("level", "2024-01-03", "2024-01-03"),
        ("days", ["2024-01-01"] * 2, [datetime.date(2024, 1, 1)] * 2),
    ],
)
def test_other_keywords_hold_for_the_string_on_the_wire(name: str, value: object, native: object, mixed: Any) -> None:
    cls = mixed.MixedResult
    assert not jsonschema_rs.is_valid(MIXED, {name: value})
    with pytest.raises(ValidationError, match=name):
        cls.from_structured_content({name: value})
    with pytest.raises(ValidationError, match=name):
        cls(**{name: native})
    with pytest.raises(ValidationError, match=name):
        cls().model_copy(update={name: native})
    with pytest.raises(ValueError, match=f"/{name}"):
        cls.normalize({name: native})


def test_shared_definitions_differ_with_the_settings(mixed: Any) -> None:
    value = {"event": {"at": "2024-01-01T00:00:00Z"}}
    events = {
        name: getattr(mixed, f"{name}Result").from_structured_content(value).event for name in ("First", "Text", "Same")
    }
    assert isinstance(events["First"].at, datetime.datetime)
    assert type(events["Text"].at) is str
    assert type(events["First"]) is type(events["Same"])
    assert type(events["Text"]) is not type(events["First"])
    arguments = mixed.MixedArguments.model_validate(value)
    assert type(arguments.event) is type(events["First"])


def test_the_place_counts_more_than_the_tool_and_this_more_than_the_package(mixed: Any) -> None:
    assert mixed.PlainResult.from_structured_content({"day": "2024-01-01"}).day == datetime.date(2024, 1, 1)
    read = mixed.Log.model_validate({"day": "2024-01-01"})
    assert (read.day, read.to_structured_content()) == (datetime.date(2024, 1, 1), {"day": "2024-01-01"})


def test_the_declared_schemas_stay_as_they_are(mixed: Any) -> None:
    assert mixed.TOOLS["mixed"]["outputSchema"] == MIXED
    assert mixed.MixedResult.model_json_schema()["properties"]["utc"] == MIXED["properties"]["utc"]


def test_a_result_that_breaks_the_format_is_read_leniently_on_request(mixed: Any) -> None:
    wire = {"content": [], "structuredContent": {"utc": 5, "days": [{}, "2024-01-01"]}}
    with pytest.warns(UserWarning, match="utc"):
        instance = mixed.MixedResult.from_call_tool_result(wire, on_invalid="warn")
    assert instance.utc == 5
    assert instance.to_structured_content() == wire["structuredContent"]


# --- type checkers ---------------------------------------------------------------------------------------------------
USE = """
import datetime
import uuid
from ipaddress import IPv4Address

from package import LogArguments, LogResult

now = datetime.datetime.now(datetime.UTC)
result = LogResult(at=now, day=now.date(), id=uuid.uuid4(), v4=IPv4Address(1))
moment: datetime.datetime | None = result.at
day: datetime.date | None = LogArguments(day=now.date()).day
LogResult.normalize({"at": now})
LogResult(at="2031-03-12T08:00:00Z")  # wrong
LogResult(v4="10.0.0.1")  # wrong
text: str | None = result.at  # wrong
LogResult.normalize({"at": "2031-03-12T08:00:00Z"})  # wrong
"""


@pytest.mark.ci
@pytest.mark.parametrize("checker", CHECKERS)
def test_checkers_see_the_native_types(checker: str, tmp_path: Path) -> None:
    (tmp_path / "mcpgen.toml").write_text('out = "package"\nformats = "native"\n', "utf-8")
    (tmp_path / "schemas").mkdir()
    (tmp_path / "schemas" / "log.json").write_text(json.dumps(tool("log", SCHEMA, inputSchema=SCHEMA)), "utf-8")
    assert mcpgen("build", cwd=tmp_path).returncode == 0
    lines, output = reported(tmp_path, checker, USE)
    assert lines == wrong(USE), output
