"""What is said about a build that would make another kind of package."""

from __future__ import annotations

from pathlib import Path

import pytest
from mcpgen.config.load import override_settings
from mcpgen.config.models import ConfiguredPackage
from mcpgen.diagnostics import Diagnostic, Findings
from mcpgen.pipeline.package_kind import KindChange, report_kind_changes
from mcpgen.plan import Action, Plan, Step
from support.definitions import make_settings

SDK = KindChange("sdk", '"mcp"', '"none"')
KEEP = "to keep the package as it is, "
CHANGE = "; to change it, add `--force` to `mcpgen build`"


def _report(package: ConfiguredPackage, change: KindChange, *removed: str) -> Diagnostic:
    findings = Findings()
    plan = Plan(Path.cwd() / "gen", tuple(Step(path, Action.REMOVE) for path in removed))
    report_kind_changes(package, plan, [change], "mcpgen build", findings)
    (finding,) = findings
    assert finding.code == "MG409"
    return finding


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def test_a_default_can_be_kept_by_the_settings_or_the_option() -> None:
    finding = _report(ConfiguredPackage(settings=make_settings(), folder=Path.cwd()), SDK, "server.py", "tools/a.py")
    assert finding.message == 'was built with sdk = "mcp"; a build with sdk = "none" would remove server.py'
    assert finding.span is not None
    assert finding.span.file == "gen"
    assert finding.help == f'{KEEP}write `sdk = "mcp"` into mcpgen.toml, or say `--sdk mcp` each time{CHANGE}'


def test_a_setting_is_located_in_its_file() -> None:
    Path("mcpgen.toml").write_text('out = "gen"\nsdk = "none"\n')
    package = ConfiguredPackage(
        settings=make_settings(out="gen", sdk="none"), folder=Path.cwd(), file=Path("mcpgen.toml")
    )
    finding = _report(package, SDK)
    assert finding.message.startswith('gen was built with sdk = "mcp"; a build with sdk = "none" would write its code')
    assert finding.span is not None
    assert (finding.span.file, finding.span.line) == ("mcpgen.toml", 2)
    assert finding.help == f'{KEEP}write `sdk = "mcp"` here{CHANGE}'


def test_an_option_that_overrides_a_setting_is_what_has_to_change() -> None:
    Path("mcpgen.toml").write_text('sdk = "mcp"\n')
    package = ConfiguredPackage(settings=make_settings(sdk="mcp"), folder=Path.cwd(), file=Path("mcpgen.toml"))
    (overridden,) = override_settings([package], [], {"sdk": "none"}, Findings())
    finding = _report(overridden, SDK)
    assert finding.span is not None
    assert finding.span.file == "gen"
    expected = 'say `--sdk mcp`, or write `sdk = "mcp"` into mcpgen.toml and leave the option out'
    assert finding.help == f"{KEEP}{expected}{CHANGE}"


def test_who_asks_for_an_sdk_where_there_was_none_is_told_first_how_to_get_it() -> None:
    Path("mcpgen.toml").write_text('sdk = "mcp"\n')
    package = ConfiguredPackage(settings=make_settings(sdk="mcp"), folder=Path.cwd(), file=Path("mcpgen.toml"))
    finding = _report(package, KindChange("sdk", '"none"', '"mcp"'))
    change = "to make it a package for mcp, add `--force` to `mcpgen build`; to keep it as it is, "
    assert finding.help == f'{change}write `sdk = "none"` here'
    (overridden,) = override_settings([package], [], {"sdk": "dedalus"}, Findings())
    finding = _report(overridden, KindChange("sdk", '"none"', '"dedalus"'))
    assert finding.help.startswith(
        "to make it a package for dedalus, add `--force` to `mcpgen build --sdk dedalus`; to keep it as it is, say"
    )


def test_some_files_are_named_and_many_are_counted() -> None:
    package = ConfiguredPackage(settings=make_settings(), folder=Path.cwd())
    few, many = (("tools/a.py", "tools/b.py"), tuple(f"tools/{name}.py" for name in "abcdef"))
    for files, said in ((few, "(tools/a.py and tools/b.py)"), (many, "(tools/a.py and 5 more files)")):
        finding = _report(package, KindChange("wrap", '"always"', '"legacy"', files))
        assert finding.message.endswith(f"would change its results on the wire {said}")
        assert finding.help == f'{KEEP}write `wrap = "always"` into mcpgen.toml{CHANGE}', "there is no option for it"
