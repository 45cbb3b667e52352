"""Help of the command line: commands in groups, and for each command examples and exit codes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from typer.core import TyperCommand, TyperGroup

from mcpgen.commands.server_options import advise_about_option
from mcpgen.report import exit_codes
from mcpgen.targets import EXAMPLE_SDK

COMMAND_GROUPS: Mapping[str, Mapping[str, str]] = {
    "Begin": {
        "init": "create settings and a first tool",
        "pull": "fetch the definitions of running servers",
        "learn": "propose schemas from recorded calls",
    },
    "Generate": {
        "build": "generate the package",
        "check": "compare the package, or a server, with the definitions",
        "watch": "build again at every change",
        "handlers": "write first handlers",
    },
    "Look and test": {
        "show": "print a tool's class, result and tokens",
        "prove": "test the classes with random values",
        "mock": "serve the definitions without handlers",
        "verify": "call a live server, and test its answers",
        "docs": "write a reference for people",
    },
    "Review": {"lint": "find what clients and models reject", "diff": "find breaking changes"},
    "Get help": {
        "explain": "explain a message, with examples",
        "doctor": "print versions, SDKs, settings and state",
    },
}
"""Heading → commands below it, each with what it does, in one line."""
Example = tuple[str, str]
"""A command, and what it is for."""
EXAMPLES: Mapping[str, Sequence[Example]] = {
    "": (
        ("mcpgen init", "settings and a first tool"),
        ("mcpgen build", "generate the package"),
        ("mcpgen check", "in CI: compare it with the definitions"),
        ("mcpgen pull https://example.org/mcp", "fetch the tools of a server"),
        ("mcpgen explain MG101", "what a message means"),
    ),
    "build": (
        ("mcpgen build", "as the settings say"),
        (f"mcpgen build schemas --sdk {EXAMPLE_SDK.name} --out src/weather/mcp_gen", "without settings"),
        ("mcpgen build --force", "overwrite edited files"),
    ),
    "check": (
        ("mcpgen check", "compare the package with the definitions"),
        ("mcpgen check --format github", "in GitHub Actions"),
        ("mcpgen check --server https://example.org/mcp", "is the server as defined?"),
    ),
    "init": (
        ("mcpgen init", "ask for the choices"),
        (f"mcpgen init --yes --sdk {EXAMPLE_SDK.name}", "ask nothing"),
    ),
    "handlers": (
        ("mcpgen handlers", "write handlers.py"),
        ("mcpgen handlers get_weather --print", "print one handler"),
    ),
    "watch": (("mcpgen watch", "as the settings say"), ("mcpgen watch schemas --out generated", "without settings")),
    "show": (
        ("mcpgen show get_weather", "class, result and sizes"),
        ("mcpgen show get_weather --wire --value '{\"temperature\": 7}'", "the result for a value"),
        ("mcpgen show get_weather --host claude-code", "what a model reads there"),
        ("mcpgen show --tokens", "what the tools cost a model"),
    ),
    "prove": (("mcpgen prove", "all classes"), ("mcpgen prove get_weather --max-examples 1000", "one, thoroughly")),
    "mock": (
        ("mcpgen mock", "over stdio: a client starts it"),
        ("mcpgen mock schemas --http 8000", "at http://127.0.0.1:8000/mcp"),
        ("mcpgen mock --rules rules.yaml --watch", "errors and delays on demand"),
    ),
    "verify": (
        ('mcpgen verify --server "python server.py"', "a program"),
        ("mcpgen verify --server https://example.org/mcp --call book_table", "also a tool that changes something"),
        ("mcpgen verify --server app.server:server --junit report.xml", "in CI"),
    ),
    "explain": (("mcpgen explain MG101", "one diagnostic"), ("mcpgen explain", "list all")),
    "doctor": (
        ("mcpgen doctor", "versions, SDKs, settings, cache, package"),
        ("mcpgen doctor --format json", "for a bug report or a program"),
    ),
    "lint": (
        ("mcpgen lint", "by the rules of the settings"),
        ("mcpgen lint --client claude-code --fix", "for a client, and change what is safe"),
    ),
    "docs": (("mcpgen docs --out site --title Weather", "Markdown pages and an HTML page"),),
    "diff": (
        ("mcpgen diff --against origin/main", "since a git revision"),
        ("mcpgen diff old.json new.json", "between two files"),
    ),
    "pull": (
        ("mcpgen pull https://example.org/mcp", "a server on the web"),
        ("mcpgen pull -- python server.py", "a program"),
        ("mcpgen pull weather.server:server", "a server object in Python"),
        ("mcpgen pull --from mcp.json", "all servers of a client"),
    ),
    "learn": (("mcpgen learn calls.jsonl", "schemas from recorded calls"),),
}
"""Command → examples; those under "" are in `mcpgen --help`."""
_MEANINGS: Mapping[int, str] = {
    exit_codes.SUCCESS: "all is well",
    1: "a bug in mcpgen; please report it",
    exit_codes.INVALID_INPUT: "definitions, settings or options are wrong",
    exit_codes.WRITE_REFUSED: "a file that was edited, or is not mcpgen's, is in the way; it stays",
    exit_codes.DRIFT: "the package, or the server, is not as the definitions say",
    exit_codes.BREAKING: "there is a breaking change",
    exit_codes.PROOF_FAILED: "a class contradicts its schema",
    exit_codes.LINT_FINDINGS: "lint has found something",
    exit_codes.VERIFY_FAILED: "an answer of the server breaks what it promises",
    exit_codes.WARNINGS: "there are warnings, and --fail-on or the settings make them fail",
}
"""Exit code → its meaning."""
EXIT_CODES: Mapping[str, Sequence[int]] = {
    "": tuple(_MEANINGS),
    "build": (exit_codes.WRITE_REFUSED, exit_codes.WARNINGS),
    "check": (exit_codes.DRIFT, exit_codes.WARNINGS),
    "pull": (exit_codes.WRITE_REFUSED, exit_codes.WARNINGS),
    **dict.fromkeys(("init", "handlers", "learn", "docs"), (exit_codes.WRITE_REFUSED,)),
    "diff": (exit_codes.BREAKING,),
    "prove": (exit_codes.PROOF_FAILED,),
    "lint": (exit_codes.LINT_FINDINGS,),
    "verify": (exit_codes.DRIFT, exit_codes.VERIFY_FAILED),
}
"""Command → the exit codes that it has besides 0, 1 and 2; under "" are those of all commands."""


class CommandWithExamples(TyperCommand):
    """Command whose help ends with examples and exit codes."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Parse the words after the command. If one of them belongs to a server's command, the error says so."""
        words = [*args]
        try:
            return super().parse_args(ctx, args)
        except Exception as error:
            option: object = getattr(error, "option_name", None)  # Typer has no public class for this error
            options: Sequence[str] = getattr(error, "possibilities", None) or ()
            if isinstance(option, str) and (advice := advise_about_option(self.name or "", words, option, options)):
                setattr(error, "message", f"No such option: {option}; {advice}")  # noqa: B010
                setattr(error, "possibilities", None)  # noqa: B010
            raise

    def format_epilog(self, ctx: Any, formatter: Any) -> None:
        """Write the examples and the exit codes."""
        _write_epilog(self.name or "", formatter)


class GroupOfCommands(TyperGroup):
    """Commands, in groups, with examples and exit codes."""

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """Write the commands in their groups, each with its description."""
        names = self.list_commands(ctx)
        grouped = {name for group in COMMAND_GROUPS.values() for name in group}
        rest = {name: "" for name in names if name not in grouped}
        width = max(map(len, names))
        for title, group in {**COMMAND_GROUPS, "More": rest}.items():
            if rows := [(f"{name:<{width}}", summary) for name, summary in group.items() if name in names]:
                with formatter.section(title):
                    formatter.write_dl(rows)

    def format_epilog(self, ctx: Any, formatter: Any) -> None:
        """Write the examples and the exit codes."""
        _write_epilog("", formatter)


def _write_epilog(command: str, formatter: Any) -> None:
    if examples := EXAMPLES.get(command, ()):
        with formatter.section("Examples"):
            width = max(len(line) for line, _ in examples)
            for line, purpose in examples:
                formatter.write(f"{'':{formatter.current_indent}}{line:<{width}}  # {purpose}\n")
    with formatter.section("Exit codes"):
        formatter.write_dl([(str(code), meaning) for code, meaning in list_exit_codes(command)])


def list_exit_codes(command: str) -> list[tuple[int, str]]:
    """Return the exit codes of a command with their meanings; those of all commands for ""."""
    codes = sorted({exit_codes.SUCCESS, 1, exit_codes.INVALID_INPUT, *EXIT_CODES.get(command, ())})
    return [(code, _MEANINGS[code]) for code in codes]
