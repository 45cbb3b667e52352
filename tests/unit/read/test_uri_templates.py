"""URI templates: the RFC's own examples, another implementation, matching as the inverse, what is refused where."""

from __future__ import annotations

import importlib
import itertools
import json
from pathlib import Path
from typing import Any

import pytest
import uritemplate
from hypothesis import given, settings
from hypothesis import strategies as st
from mcpgen.ir.definitions import UriExpression, list_uri_variables
from mcpgen.names.identifiers import make_parameter_names
from mcpgen.read.resources import InvalidUriTemplate, parse_uri_template
from mcpgen.render.resource import make_match_parts
from mcpgen_runtime.sdk import uri_templates
from support.packages import mcpgen, package

VARIABLES = {
    "var": "value",
    "hello": "Hello World!",
    "empty": "",
    "path": "/foo/bar",
    "x": "1024",
    "y": "768",
    "v": "6",
    "who": "fred",
    "base": "http://example.com/home/",
    "half": "50%",
    "semi": ";",
    "dub": "me/too",
    "undef": None,
}
RFC: list[tuple[str, str]] = [
    # section 1.2, levels 1 to 3
    ("{var}", "value"),
    ("{hello}", "Hello%20World%21"),
    ("{+var}", "value"),
    ("{+hello}", "Hello%20World!"),
    ("{+path}/here", "/foo/bar/here"),
    ("here?ref={+path}", "here?ref=/foo/bar"),
    ("X{#var}", "X#value"),
    ("X{#hello}", "X#Hello%20World!"),
    ("map?{x,y}", "map?1024,768"),
    ("{x,hello,y}", "1024,Hello%20World%21,768"),
    ("{+x,hello,y}", "1024,Hello%20World!,768"),
    ("{+path,x}/here", "/foo/bar,1024/here"),
    ("{#x,hello,y}", "#1024,Hello%20World!,768"),
    ("{#path,x}/here", "#/foo/bar,1024/here"),
    ("X{.var}", "X.value"),
    ("X{.x,y}", "X.1024.768"),
    ("{/var}", "/value"),
    ("{/var,x}/here", "/value/1024/here"),
    ("{;x,y}", ";x=1024;y=768"),
    ("{;x,y,empty}", ";x=1024;y=768;empty"),
    ("{?x,y}", "?x=1024&y=768"),
    ("{?x,y,empty}", "?x=1024&y=768&empty="),
    ("?fixed=yes{&x}", "?fixed=yes&x=1024"),
    ("{&x,y,empty}", "&x=1024&y=768&empty="),
    # section 3.2
    ("{half}", "50%25"),
    ("O{empty}X", "OX"),
    ("?{x,empty}", "?1024,"),
    ("{+half}", "50%25"),
    ("{base}index", "http%3A%2F%2Fexample.com%2Fhome%2Findex"),
    ("{+base}index", "http://example.com/home/index"),
    ("O{+empty}X", "OX"),
    ("up{+path}{var}/here", "up/foo/barvalue/here"),
    ("{#half}", "#50%25"),
    ("foo{#empty}", "foo#"),
    ("{.who,who}", ""),
    ("{.half,who}", ".50%25.fred"),
    ("X{.empty}", "X."),
    ("{/who,dub}", "/fred/me%2Ftoo"),
    ("{/var,empty}", "/value/"),
    ("{;v,empty,who}", ";v=6;empty;who=fred"),
    ("{?x,y,undef}", "?x=1024&y=768"),
    ("{&var,empty}", "&var=value&empty="),
    ("{?undef,y}", "?y=768"),
    ("{&undef,y}", "&y=768"),
    ("{?undef}", ""),
    # beyond it
    ("caf\u00e9://{who}/\u2713", "caf%C3%A9://fred/%E2%9C%93"),
    ("a%20b/{who}", "a%20b/fred"),
    ("x://{var}?q={x}{&y}", "x://value?q=1024&y=768"),
    ("x://{var}{?x}{&y}#{who}", "x://value?x=1024&y=768#fred"),
    ("{x}{?x,y}", "1024?x=1024&y=768"),
]
TEMPLATES = [template for template, uri in RFC if template != "{.who,who}"]


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """Return the class of each template."""
    listed = [{"name": f"t{n}", "uriTemplate": item} for n, item in enumerate(TEMPLATES)]
    module = package(tmp_path_factory.mktemp("uris"), [], resourceTemplates=listed)
    return {item: module.RESOURCE_TYPES[f"t{n}"] for n, item in enumerate(TEMPLATES)}


def _arguments(template: str) -> dict[str, Any]:
    names = make_parameter_names(list_uri_variables(parse_uri_template(template)))
    return {python: VARIABLES[wire] for wire, python in names.items()}


@pytest.mark.parametrize(("template", "uri"), [item for item in RFC if item[0] in TEMPLATES])
def test_the_examples_of_the_rfc(built: dict[str, Any], template: str, uri: str) -> None:
    assert built[template].uri(**_arguments(template)) == uri
    matched = built[template].match(uri)
    assert matched is not None
    assert built[template].uri(**matched) == uri


TEXT = st.text(st.characters(codec="utf-8"), max_size=8)
PLAIN = st.text("ab-.,:/?=&;#%é \u2713", max_size=6)


@pytest.mark.ci
@settings(max_examples=1500, deadline=None)
@given(st.data())
def test_another_implementation_agrees(built: dict[str, Any], data: st.DataObject) -> None:
    """`uritemplate` leaves a value with `%` as it is under {+x} and {#x}, so there are none there."""
    template = data.draw(st.sampled_from(TEMPLATES))
    raw = any(
        isinstance(part, UriExpression) and part.operator in "+#" and part.operator
        for part in parse_uri_template(template)
    )
    values: dict[str, Any] = {}
    for name, optional in list_uri_variables(parse_uri_template(template)).items():
        drawn = data.draw(TEXT | PLAIN | st.none() if optional else TEXT | PLAIN)
        values[name] = drawn.replace("%", "") if raw and drawn else drawn
    python = make_parameter_names(values)
    uri = built[template].uri(**{python[name]: value for name, value in values.items()})
    if template.isascii():
        assert uri == uritemplate.expand(template, values)
    match = built[template].match(uri)
    assert match is not None
    assert built[template].uri(**match) == uri


FAITHFUL = [t for t in TEMPLATES if "+" not in t and "#" not in t and "." not in t and "}{" not in t]


@settings(max_examples=200)
@given(st.data())
def test_matching_is_the_inverse_of_making(built: dict[str, Any], data: st.DataObject) -> None:
    """Where the characters around the values cannot stand in them."""
    template = data.draw(st.sampled_from([t for t in FAITHFUL if "{base}index" not in t and "O{empty}X" not in t]))
    wires = list_uri_variables(parse_uri_template(template))
    python = make_parameter_names(wires)
    values = {python[name]: data.draw(TEXT | st.none() if opt else TEXT) for name, opt in wires.items()}
    assert built[template].match(built[template].uri(**values)) == values


@pytest.mark.parametrize(
    ("template", "uri", "values"),
    [
        ("f://{name}.{ext}", "f://archive.tar.gz", {"name": "archive.tar", "ext": "gz"}),
        ("f://{+path}/raw", "f://a/b/raw/raw", {"path": "a/b/raw"}),
        ("f://{+path}", "f://a%2Fb%20c", {"path": "a%2Fb c"}),
        ("f://{a}", "f://a%2Fb", {"a": "a/b"}),
        ("f://{a}", "f://%c3%A9", {"a": "é"}),
        ("f://{a}{b}", "f://xyz", {"a": "xyz", "b": ""}),
        ("f://x{?a,b}", "f://x?b=2&a=1", {"a": "1", "b": "2"}),
        ("f://x{?a,b}", "f://x?b=", {"b": ""}),
        ("f://x{?a,b}", "f://x", {}),
        ("f://x{?a}{&b}", "f://x&b=1", {"b": "1"}),
        ("f://{a}/{a}", "f://1/1", {"a": "1"}),
        ("f://x{;a}", "f://x;a", {"a": ""}),
        # none of these
        ("f://{a}", "f://a/b", None),
        ("f://{a}", "f://%", None),
        ("f://{a}", "f://%ff", None),
        ("f://{a}", "f://\u00e9", None),
        ("f://{a}", "g://a", None),
        ("f://{a}/{a}", "f://1/2", None),
        ("f://x{?a}", "f://x?c=1", None),
        ("f://x{?a}", "f://x?a=1&a=2", None),
        ("f://x{?a}", "f://x?a", None),
        ("f://x{;a}", "f://x;ab", None),
        ("f://(a.b)*{a}", "f://aab", None),
    ],
)
def test_matching(template: str, uri: str, values: dict[str, str] | None) -> None:
    assert uri_templates.matched(make_match_parts(parse_uri_template(template)), uri) == values


def test_matching_takes_linear_time() -> None:
    pairs: list[tuple[uri_templates.Part, uri_templates.Part]] = [
        (uri_templates.Variable(f"v{n}"), "a") for n in range(8)
    ]
    parts: list[uri_templates.Part] = ["f://", *itertools.chain(*pairs), uri_templates.Query("?", ("a", "b"))]

    for end in ("!", "&?a=1" * 8_000 + "!"):
        assert uri_templates.matched(parts, "f://" + "a" * 40_000 + end) is None, "the time limit would end a search"


WRONG: list[tuple[str, int, str]] = [
    ("x://{var:3}", 8, "a prefix (:3) is level 4"),
    ("x://{a,var*}", 10, "the explode modifier (*) is level 4"),
    ("x://{/list*}", 10, "the explode modifier (*) is level 4"),
    ("x://{var", 4, "not closed"),
    ("x://var}", 7, "a } that nothing opens"),
    ("x://{}", 5, "lacks a variable"),
    ("x://{a,}", 7, "lacks a variable"),
    ("x://{?}", 6, "lacks a variable"),
    ("x://{=a}", 5, "the operator ="),
    ("x://{|a}", 5, "the operator |"),
    ("x://{a b}", 6, "is not a name of a variable"),
    ("x://{-a}", 5, "is not a name of a variable"),
    ("x://{.a.}", 7, "is not a name of a variable"),
    ("x://{{a}}", 5, "is not a name of a variable"),
    ("x://{a,b,a}", 9, "stands twice"),
    ("x:// {a}", 4, "is not allowed in a URI"),
    ("x://{a}<", 7, "is not allowed in a URI"),
    ("x://{a}/%2", 8, "is not allowed in a URI"),
    ("x://{a}/%zz", 8, "is not allowed in a URI"),
    ("", 0, "a template of no URI"),
]


@pytest.mark.parametrize(("template", "offset", "text"), WRONG)
def test_wrong_templates_are_refused_with_the_place(template: str, offset: int, text: str) -> None:
    with pytest.raises(InvalidUriTemplate) as caught:
        parse_uri_template(template)
    assert text in caught.value.message
    assert caught.value.offset == offset


@pytest.mark.parametrize("yaml", [False, True])
def test_the_place_in_the_file(tmp_path: Path, yaml: bool) -> None:
    (tmp_path / "schemas").mkdir()
    template = "x://{a}/{list*}"
    if yaml:
        (tmp_path / "schemas" / "r.yaml").write_text(f"name: r\nuriTemplate: {template}\n", "utf-8")
        line, column = 2, 14 + 13
    else:
        text = json.dumps({"name": "r", "uriTemplate": template}, indent=1)
        (tmp_path / "schemas" / "r.json").write_text(text, "utf-8")
        line, column = 3, 18 + 13
    run = mcpgen("build", cwd=tmp_path)
    assert run.returncode == 2
    assert f":{line}:{column}: error[MG010]" in run.stderr


def test_parameters_have_python_names(tmp_path: Path) -> None:
    template = "x://{class}/{user.id}/{userName}/{uri_templates}/{str}/{%41b}{?self,from,None}"
    module = package(tmp_path, [], resourceTemplates=[{"name": "a", "uriTemplate": template}])
    names = "class_ user_id user_name uri_templates_ str_ field_41b from_".split()
    value = {name: str(number) for number, name in enumerate(names, 1)}
    uri = module.A.uri(**value)
    assert uri == "x://1/2/3/4/5/6?from=7"
    assert module.A.match(uri) == {**value, "self_": None, "none": None}
    assert module.AParameters.__annotations__.keys() == module.A.match(uri).keys()


def test_a_template_without_variables(tmp_path: Path) -> None:
    module = package(tmp_path, [], resourceTemplates=[{"name": "a", "uriTemplate": "x://y"}])
    assert (module.A.uri(), module.A.match("x://y"), module.A.match("x://z")) == ("x://y", {}, None)
    importlib.invalidate_caches()
