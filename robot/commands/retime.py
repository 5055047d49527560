"""`sole retime`: a gait as fast as the wrench cones of its feet and its drives allow."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from sole.base.cli import Json, Quiet
from sole.base.help_pages import OUTPUT

if TYPE_CHECKING:
    from robot.walk import Scenario
    from sole.base.report import Report

SUFFIXES = (".png", ".pdf", ".svg", ".html")


def retime(
    scenario: Annotated[
        Path, typer.Argument(help="A scenario .toml: its [gait], and [retime] if it has one.")
    ],
    area: Annotated[
        float | None,
        typer.Option(
            "--area",
            help="Part of half length and width of a tread.",
            show_default="0.9",
            rich_help_panel="Limits",
        ),
    ] = None,
    friction: Annotated[
        float | None,
        typer.Option(
            "--friction",
            help="Coulomb's mu of the cones.",
            show_default="0.7",
            rich_help_panel="Limits",
        ),
    ] = None,
    pyramid: Annotated[
        str | None,
        typer.Option(
            "--pyramid",
            help="Friction pyramid: inner | outer.",
            show_default="inner",
            rich_help_panel="Limits",
        ),
    ] = None,
    acceleration: Annotated[
        float | None,
        typer.Option(
            "--acceleration",
            help="Limit of every joint [rad/s^2].",
            show_default="none",
            rich_help_panel="Limits",
        ),
    ] = None,
    fastest: Annotated[
        float | None,
        typer.Option(
            "--fastest",
            help="Limit of the speed relative to a plan's own.",
            show_default="3",
            rich_help_panel="Limits",
        ),
    ] = None,
    surface: Annotated[
        str | None,
        typer.Option(
            "--surface",
            help="rigid | sole: limit surfaces of the soles, too.",
            show_default="rigid",
            rich_help_panel="Limits",
        ),
    ] = None,
    reserve: Annotated[
        float | None,
        typer.Option(
            "--reserve",
            help="--surface sole: share of friction left unused.",
            show_default="0.3",
            rich_help_panel="Limits",
        ),
    ] = None,
    points: Annotated[
        int | None,
        typer.Option(
            "--points",
            help="Grid intervals.",
            show_default="800; 300 per s of a plan",
            rich_help_panel="Time law",
        ),
    ] = None,
    factor: Annotated[
        float | None,
        typer.Option(
            "--factor",
            help="Factor on all durations after the retiming.",
            show_default="1",
            rich_help_panel="Time law",
        ),
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            help="Draw the time law and what limits it: .png, .pdf, .svg or .html.",
            rich_help_panel=OUTPUT,
        ),
    ] = None,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Find the fastest timing of a motion; print how long it takes and what limits it.

    `sole walk` simulates the same scenario with its table [retime].

    Examples
    --------
    sole retime scenario.toml
    sole retime scenario.toml --friction 0.5 --surface sole -o timing.png
    """
    from sole.base.archive import require_output
    from sole.base.errors import SoleError
    from sole.base.extras import require_extra
    from sole.base.files import require_file

    require_file(scenario)
    require_output(output, *SUFFIXES, inputs=[scenario])
    require_extra("retime", "retiming")
    from robot.retime import RetimeChoice
    from robot.walk import load_scenario, replace_values
    from sole.base.progress import progress_bar
    from sole.base.report import emit

    given = load_scenario(scenario)
    if given.retime is None:
        given = replace_values(given, retime=RetimeChoice())
    given = replace_values(
        given,
        retime={
            "area": area,
            "friction": friction,
            "pyramid": pyramid,
            "acceleration": acceleration,
            "fastest": fastest,
            "surface": surface,
            "reserve": reserve,
            "points": points,
            "factor": factor,
        },
    )
    if reserve is not None and given.retime is not None and given.retime.surface != "sole":
        raise SoleError("--reserve is of the soles' limit surfaces: give --surface sole, too")
    with progress_bar("retiming", None, shown=not (quiet or as_json)) as tell:
        report = _report(given, scenario.parent, output, tell)
    emit(report, as_json=as_json, quiet=quiet)


def _report(
    given: Scenario, folder: Path, output: Path | None, tell: Callable[[float], None]
) -> Report:
    from robot.summaries.retiming_summary import describe_retiming
    from robot.walk import retime_scenario

    robot, retimed = retime_scenario(given, folder)
    tell(0.5)
    if output is not None:
        from robot.pictures import draw_retiming

        draw_retiming(retimed).write(output)
    return describe_retiming(robot, retimed, output)
