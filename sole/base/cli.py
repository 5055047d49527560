"""The `sole` command: finds its sub-commands by entry point and prints errors as one line."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Callable
from difflib import get_close_matches
from importlib.metadata import EntryPoint, version
from itertools import pairwise, takewhile
from typing import Annotated, Any, NoReturn

import typer

from sole.base.errors import LinearRangeWarning, SoleError
from sole.base.help_pages import OUTPUT, ExplainedCommand, ExplainedGroup
from sole.base.near_names import new_name
from sole.base.registered import registered
from sole.base.shadows import describe_rivals, find_rivals, mend_rivals
from sole.base.standard_output import open_standard_streams, output_failure, printable
from sole.base.stopping import INTERRUPTED, describe_end, exit_code, raise_if_stopped, stopped
from sole.base.units import any_quantity, in_unit, is_number, is_unit
from sole.base.waiting import doing, watch_silence
from sole.base.wrong_file import advise

__all__ = [
    "RUN",
    "Check",
    "CheckRow",
    "Dashboard",
    "Json",
    "KeepJournal",
    "Quiet",
    "Restart",
    "Scheduler",
    "Threads",
    "Timeout",
    "Workers",
    "app",
    "main",
    "plugins",
    "root",
]


# Options of every command.
Json = Annotated[
    bool,
    typer.Option(
        "--json",
        help="Print one JSON object on stdout, in SI units, and nothing else there.",
        rich_help_panel=OUTPUT,
    ),
]
Quiet = Annotated[
    bool,
    typer.Option("--quiet", "-q", help="Print nothing but errors.", rich_help_panel=OUTPUT),
]

# Options of commands that run a study: workers and journal.
RUN = "Run"
WORKERS = "Workers"
Restart = Annotated[
    bool,
    typer.Option("--restart", help="Discard the journal of an earlier run.", rich_help_panel=RUN),
]
KeepJournal = Annotated[
    bool,
    typer.Option("--keep-journal", help="Keep the journal after success.", rich_help_panel=RUN),
]
Check = Annotated[
    bool,
    typer.Option(
        "--check/--no-check",
        help="Compute the recommended row again, on a mesh of half the size.",
        rich_help_panel=RUN,
    ),
]
CheckRow = Annotated[
    list[int] | None,
    typer.Option(
        "--check-row",
        metavar="N",
        help="Only compute row N of the finished table on a mesh of half the size, as `sole "
        "report` asks for; may be repeated.",
        rich_help_panel=RUN,
    ),
]
Workers = Annotated[
    int | None,
    typer.Option(
        "--workers",
        help="Worker processes, at most one per core; 0: this process.",
        show_default="0 for a short study, all cores for a long one",
        rich_help_panel=WORKERS,
    ),
]
Threads = Annotated[
    int,
    typer.Option(
        "--threads",
        min=0,
        max=1,
        help="Threads of each worker; 0: one process for all.",
        rich_help_panel=WORKERS,
    ),
]
Scheduler = Annotated[
    str,
    typer.Option(
        "--scheduler",
        help="tcp://HOST:PORT of a Dask cluster to work on.",
        rich_help_panel=WORKERS,
    ),
]
Timeout = Annotated[
    float | None,
    typer.Option(
        "--timeout",
        parser=in_unit("s"),
        help="Time limit of a row [s]; beyond it the worker is stopped and the row fails. Giving "
        "it forces workers: rows in this process cannot be stopped.",
        show_default="3600",
        rich_help_panel=WORKERS,
    ),
]
Dashboard = Annotated[
    int | None,
    typer.Option(
        "--dashboard",
        help="Port of Dask's dashboard; needs bokeh.",
        show_default="off",
        rich_help_panel=WORKERS,
    ),
]


def plugins(group: str) -> dict[str, EntryPoint]:
    """Return the entry points of a group (`sole.commands`, `sole.readers`, ...) by name."""
    return registered(group)


COMPLETE = "_SOLE_COMPLETE"  # the variable by which a shell asks for completions

# How `sole --help` lists the commands; others, from foreign packages, come last.
GROUPS = {
    "Make a sole": ("mesh", "condense", "identify", "fit", "design"),
    "Press and sweep": ("press", "sweep", "study", "report", "contact"),
    "Walk and study": ("walk", "robot", "retime", "reproduce"),
    "Look": ("view", "info", "live"),
    "Files and tools": ("demo", "export", "doctor", "compile"),
}


class _Commands(ExplainedGroup):
    """The group whose members are the entry points of `sole.commands`."""

    def list_commands(self, ctx: Any) -> list[str]:
        return [name for names in self.command_panels(ctx).values() for name in names]

    def command_panels(self, ctx: Any) -> dict[str, list[str]]:
        names = plugins("sole.commands")
        found = {title: [n for n in group if n in names] for title, group in GROUPS.items()}
        others = sorted(set(names) - {n for group in GROUPS.values() for n in group})
        return {**found, "Others": others}

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        point = plugins("sole.commands").get(cmd_name)
        return None if point is None else _command(cmd_name, point.load())

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        names = self.list_commands(ctx)
        unknown = args and not args[0].startswith("-") and args[0] not in names
        if unknown and not ctx.resilient_parsing:  # it completes a line in a shell
            near = get_close_matches(args[0], names, n=1)
            meant = f"did you mean `sole {near[0]}`?" if near else f"known are {', '.join(names)}"
            raise _UsageError(f"there is no command '{args[0]}': {meant}", ctx=ctx)
        return super().resolve_command(ctx, args)


def _command(name: str, target: typer.Typer | Callable[..., Any]) -> Any:
    if isinstance(target, typer.Typer):
        command: Any = typer.main.get_group(target)
    else:
        app = typer.Typer(add_completion=False, rich_markup_mode=None)
        app.command(name, cls=ExplainedCommand)(target)
        command = typer.main.get_command(app)
    command.name = name
    return command


app = typer.Typer(
    cls=_Commands,
    add_completion=True,
    no_args_is_help=True,
    context_settings={"max_content_width": 100},
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)


def _show_version(wanted: bool) -> None:
    if wanted:
        print(f"compliant-sole {version('compliant-sole')}")
        raise typer.Exit


@app.callback()
def root(
    show_version: Annotated[
        bool,
        typer.Option("--version", help="Print the version.", callback=_show_version, is_eager=True),
    ] = False,
) -> None:
    """Compliant soles for humanoid robots: mesh, condense, press, sweep, walk, look.

    `sole COMMAND --help` explains a command and gives examples. Every command takes --json,
    --quiet, and --debug for tracebacks. Options and printed values: docs/conventions.md.

    Examples
    --------
    sole demo                # a sole in pictures, in a minute
    sole mesh --preset hrp2kai -o pad.msh
    sole condense pad.msh --young 3MPa --poisson 0.45 -o pad.npz
    sole press pad.npz --force 600N -o press.npz
    sole walk --robot hrp2-like --footsteps 2 -o walk.nc
    sole view walk.nc -o walk.html
    """


# The error of a wrong option; typer has its own copy of click and exports only this class.
_UsageError: Any = typer.BadParameter.__bases__[0]


def _opening(argv: list[str]) -> str:
    """Return what a process says if it is slow to start: its command and file, no options."""
    words = takewhile(lambda word: not word.startswith("-"), argv[1:3])
    return f"starting `{' '.join(['sole', *words])}`"


def main() -> None:
    """Run the command line.

    The exit code is 0, 2 for a user error, 130 after Ctrl-C, 143 after SIGTERM or a hang-up; 1 for
    a mistake of ours, and if standard output cannot be written.
    """
    open_standard_streams()
    try:
        _run()
    except SystemExit as end:
        failure = output_failure()
        if failure is None or end.code:  # an error was told
            raise
        raise_if_stopped()  # the terminal has gone
        _lose_output(failure)


def _lose_output(failure: str) -> NoReturn:
    """End after a `failure` of standard output, in silence ('') if its reader has gone."""
    if failure:
        _fail(f"cannot write to standard output: {failure}", 1)
    raise SystemExit(1)


def _completing() -> bool:
    """Return whether a shell completes a line; click's ``bash_source`` is ``source_bash``."""
    asked = os.environ.get(COMPLETE, "")
    shell, _, action = asked.partition("_")
    if action in ("source", "complete"):
        os.environ[COMPLETE] = f"{action}_{shell}"
    return bool(asked)


def _run() -> NoReturn:
    """Run the command line and raise `SystemExit` with its code."""
    import warnings

    warnings.simplefilter("ignore", LinearRangeWarning)  # reports have a remark of their own
    if "--debug" in sys.argv:
        sys.argv.remove("--debug")
        os.environ["SOLE_DEBUG"] = "1"
    if {"--quiet", "-q"} & set(sys.argv[1:]):
        os.environ["SOLE_QUIET"] = "1"  # for what no command hands on: compiling says nothing
    elif not _completing():
        watch_silence(_opening(sys.argv))
    debug = bool(os.environ.get("SOLE_DEBUG"))
    try:
        try:
            code = app(prog_name="sole", standalone_mode=False)
            if code == INTERRUPTED and (error := stopped()) is not None:
                code = exit_code(error)  # typer knows no other code for a KeyboardInterrupt
        except SoleError:  # it may say what a signal has left unwritten
            raise
        except Exception:
            raise_if_stopped()  # foreign code may have made another error of a signal
            raise
        finally:
            doing("")
    except typer.Abort:  # typer's name for Ctrl-C
        _fail("interrupted", INTERRUPTED)
    except KeyboardInterrupt as error:
        _fail(describe_end(error), exit_code(error))
    except _UsageError as error:
        if type(error).__name__ == "NoArgsIsHelpError":
            print(error.format_message())
            raise SystemExit(2) from None
        command, path = _called()
        wrong, value_error, why = error.format_message().rstrip(".").partition("Value error, ")
        wrong += why if value_error else _given(error)
        old = getattr(error, "option_name", "") or ""
        if new := new_name(path, old):
            _fail(f"{old} is now {new}; see '{path} --help'", 2)
        message = _unit_apart() or _lacking(command) or _without_unit(error) or wrong
        _fail(advise(sys.argv[1:]) or f"{message}; see '{path} --help'", 2)
    except (SoleError, MemoryError) as error:
        if debug:
            raise
        told = str(error) or "out of memory: use a coarser mesh"
        signal = stopped()
        _fail(
            _unit_apart() or advise(sys.argv[1:]) or told,
            2 if signal is None else exit_code(signal),
        )
    except OSError as error:
        if error.filename is None and (failure := output_failure("\n")) is not None:
            _lose_output(failure)
        if debug:
            raise
        if error.filename is None:
            _fail(_internal(error), 1)
        name = str(error.filename)  # unreadable, too long, ...: what no reader noticed
        _fail(f"{name if len(name) < 300 else name[:20] + '...'}: {error.strerror}", 2)
    except Exception as error:
        if debug:
            raise
        if isinstance(error, (ImportError, AttributeError)) and (rivals := find_rivals()):
            _fail(f"{describe_rivals(rivals)}; repair it by: {mend_rivals(rivals)}", 2)
        _fail(_internal(error), 1)
    raise SystemExit(code if isinstance(code, int) else 0)


def _called() -> tuple[Any, str]:
    """Return the called command and its path, e.g. "sole contact cone"."""
    command: Any = typer.main.get_command(app)
    path = ["sole"]
    for word in sys.argv[1:]:
        below = getattr(command, "get_command", lambda ctx, name: None)(None, word)
        if below is not None:
            command = below
            path.append(word)
    return command, " ".join(path)


def _lacking(command: Any) -> str:
    """Return the complaint about the first multi-number option with too few numbers, or ''.

    The parser takes as many words as the option needs, even the next option, and then blames
    the wrong one.
    """
    several = {name: p for p in getattr(command, "params", []) if p.nargs > 1 for name in p.opts}
    for i, word in enumerate(sys.argv):
        name, equals, first = word.partition("=")
        if name not in several:
            continue
        option = several[name]
        given = [first] * bool(equals) + sys.argv[i + 1 :]
        numbers = list(takewhile(_is_quantity, given))[: option.nargs]
        if len(numbers) == option.nargs:
            continue
        wrong = given[len(numbers)] if len(given) > len(numbers) else ""
        got = " ".join(numbers) if not wrong or wrong.startswith("-") else f"'{wrong}'"
        named = f" {option.metavar}" if option.metavar else ""
        return f"{name} needs {option.nargs} numbers{named}, got {got or 'none'}"
    return ""


def _is_quantity(word: str) -> bool:
    return is_number(word) or any_quantity(word) is not None


def _unit_apart() -> str:
    """Return the correct spelling of ``--dt 20 ms``, or ''."""
    for number, unit in pairwise(sys.argv):
        if is_number(number) and is_unit(unit):
            return f"write {number}{unit}, without a space, or quote '{number} {unit}'"
    return ""


def _without_unit(error: Any) -> str:
    """Return the correct spelling of an angle option without its unit, or ''."""
    name = getattr(error, "option_name", None)
    known = getattr(error, "possibilities", None) or ()
    return f"{name}: write {name}-deg (degrees)" if f"{name}-deg" in known else ""


def _given(error: Any) -> str:
    """Return the value given for the option of an error, or '' if unknown."""
    options = getattr(getattr(error, "param", None), "opts", [])
    for here, following in zip(sys.argv, [*sys.argv[1:], ""], strict=True):
        name, equals, value = here.partition("=")
        if name in options and name.startswith("-"):
            return f", got '{value if equals else following}'"
    return ""


def _internal(error: Exception) -> str:
    return f"internal error, {type(error).__name__}: {error} (SOLE_DEBUG=1 shows where)"


def _fail(message: str, code: int) -> NoReturn:
    with contextlib.suppress(OSError):  # standard error may be full, its terminal may have gone
        print(f"error: {printable(' '.join(message.split()))}", file=sys.stderr, flush=True)
    raise SystemExit(code)
