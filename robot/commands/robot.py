"""`sole robot`: list, describe and export robots."""

from __future__ import annotations

import math
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from robot.urdf_options import (
    FootSize,
    LeftFoot,
    Packages,
    RightFoot,
    Srdf,
    XacroArgs,
    urdf_values,
)
from sole.base.cli import Json, Quiet
from sole.base.help_pages import OUTPUT, ExplainedCommand, ExplainedGroup

if TYPE_CHECKING:
    from robot.model import RobotModel

robot = typer.Typer(
    cls=ExplainedGroup, no_args_is_help=True, add_completion=False, rich_markup_mode=None
)

Name = Annotated[
    str,
    typer.Argument(help="A name from `sole robot list`, or a .toml, .urdf, .xacro or MJCF .xml."),
]


@robot.callback()
def group() -> None:
    """List robots, describe one, or export one as URDF.

    Examples
    --------
    sole robot list
    sole robot info hrp2-like
    """


@robot.command("list", cls=ExplainedCommand)
def list_robots(as_json: Json = False, quiet: Quiet = False) -> None:
    """List the robots known by name.

    Examples
    --------
    sole robot list --json
    """
    from robot.model import humanoids, robot_names
    from sole.base.report import Quantity, Report, emit

    own = humanoids()
    rows = {
        name: Quantity("built in" if name in own else "URDF of the extra 'robots'")
        for name in robot_names()
    }
    emit(Report("robots", rows), as_json=as_json, quiet=quiet)


@robot.command(cls=ExplainedCommand)
def info(
    name: Name,
    left_foot: LeftFoot = None,
    right_foot: RightFoot = None,
    foot_size: FootSize = None,
    srdf: Srdf = None,
    package: Packages = None,
    xacro_arg: XacroArgs = None,
    joints: Annotated[
        bool, typer.Option("--joints", help="Also list every joint with its limits.")
    ] = False,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Describe a robot on one page: what was read, what was guessed, what is doubtful.

    A body with impossible inertia or a singular mass matrix is an error that names the body.

    Examples
    --------
    sole robot info hrp2-like --joints
    sole robot info robot.urdf --left-foot l_foot --right-foot r_foot
    """
    import json
    from dataclasses import replace

    from robot.summaries.model_summary import describe_robot, joint_rows
    from robot.summaries.robot_doubts import doubts_of, guesses_of
    from sole.base.report import emit

    loaded = _load(name, urdf_values(left_foot, right_foot, foot_size, srdf, package, xacro_arg))
    report, rows = describe_robot(loaded), joint_rows(loaded)
    judged = {"guessed": guesses_of(loaded), "doubtful": doubts_of(loaded)}
    if as_json:
        more = {**judged, "notes": loaded.notes, "joint_table": rows}
        print(json.dumps({**report.as_json(), **more}, allow_nan=False))
        return
    emit(replace(report, warnings=()), as_json=False, quiet=quiet)
    if not quiet:
        _show({**judged, "notes": loaded.notes}, rows if joints else [])


@robot.command(cls=ExplainedCommand)
def export(
    name: Name,
    output: Annotated[
        Path, typer.Option("--output", "-o", help="The .urdf to write.", rich_help_panel=OUTPUT)
    ],
    left_foot: LeftFoot = None,
    right_foot: RightFoot = None,
    foot_size: FootSize = None,
    srdf: Srdf = None,
    package: Packages = None,
    xacro_arg: XacroArgs = None,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Write a robot as URDF, and an SRDF next to it with the data that URDF cannot hold.

    The SRDF holds posture, rotors, feet with their pads, waist, inertial sensor and contact points.
    With both files `sole robot info` and `sole walk --robot` load the same robot again.

    Examples
    --------
    sole robot export hrp2-like -o hrp2.urdf
    """
    from robot.model import export_urdf
    from sole.base.archive import require_output
    from sole.base.report import Quantity, Report, emit

    require_output(output, ".urdf", inputs=[Path(name), srdf])
    require_output(output.with_suffix(".srdf"), inputs=[srdf])
    loaded = _load(name, urdf_values(left_foot, right_foot, foot_size, srdf, package, xacro_arg))
    urdf, posture = export_urdf(loaded, output)
    rows = {
        "urdf": Quantity(str(urdf)),
        "srdf": Quantity(str(posture)),
        "read it": Quantity(f"sole robot info {urdf}"),
        "walk it": Quantity(f"sole walk --robot {urdf}"),
        "only in the srdf": Quantity(_not_in_urdf(loaded), "", "keep both files together"),
    }
    emit(Report(f"export of {loaded.name}", rows), as_json=as_json, quiet=quiet)


@robot.command(cls=ExplainedCommand)
def posture(
    name: Name,
    output: Annotated[
        Path, typer.Option("--output", "-o", help="The .srdf to write.", rich_help_panel=OUTPUT)
    ],
    left_foot: LeftFoot = None,
    right_foot: RightFoot = None,
    foot_size: FootSize = None,
    srdf: Srdf = None,
    package: Packages = None,
    xacro_arg: XacroArgs = None,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Write the posture that a robot stands in as an SRDF, e.g. one with bent knees that was found.

    In the URDF's folder and with its name, `sole robot info` and `sole walk --robot` find it.

    Examples
    --------
    sole robot posture robot.urdf -o robot.srdf
    """
    from robot.model import HALF_SITTING, export_posture
    from robot.summaries.model_summary import knee_bend
    from sole.base.archive import require_output
    from sole.base.report import Quantity, Report, emit

    read = Path(name).with_suffix(".srdf") if srdf is None else srdf
    require_output(output, ".srdf", inputs=[read])  # it may hold feet and rotors, too
    loaded = _load(name, urdf_values(left_foot, right_foot, foot_size, srdf, package, xacro_arg))
    rows = {
        "srdf": Quantity(str(export_posture(loaded, output))),
        "posture": Quantity(HALF_SITTING, "", knee_bend(loaded)),
        "use it": Quantity(f"--srdf {output}", "", "or in the URDF's folder, with its name"),
    }
    emit(
        Report(f"posture of {loaded.name}", rows, warnings=(*loaded.warnings, *loaded.doubts)),
        as_json=as_json,
        quiet=quiet,
    )


def _not_in_urdf(loaded: RobotModel) -> list[str]:
    """Return what the URDF alone does not contain."""
    pads = sum(len(foot.pads) for foot in loaded.feet)
    return [
        "posture",
        "rotors",
        f"outline of the feet ({pads} pads)",
        "imu",
        f"contact points ({len(loaded.contact_points)})",
    ]


def _load(name: str, given: dict[str, Any]) -> RobotModel:
    from robot.model import load_robot
    from sole.base.waiting import doing

    doing(f"loading {name}")
    return load_robot(name, **{key: value for key, value in given.items() if value is not None})


def _show(told: dict[str, tuple[str, ...]], rows: list[dict[str, Any]]) -> None:
    from rich.console import Console
    from rich.table import Table

    from sole.base.report import shown

    units = {"lower": "deg", "upper": "deg", "torque": "N m", "velocity": "rad/s", "rotor": "kg m2"}
    table = Table(title="joints", title_justify="left")
    for key in rows[0] if rows else ():
        unit = f" [{units[key]}]" if key in units else ""
        table.add_column(shown(key + unit), justify="right" if unit else "left")
    for row in rows:
        slides = row["type"] == "prismatic"
        read = {key: _position(row[key], slides) for key in ("lower", "upper")}
        table.add_row(*(shown(_cell(value)) for value in {**row, **read}.values()))
    console = Console()
    if not console.is_terminal:
        console = Console(width=120)
    for kind, texts in told.items():
        if texts:
            console.print(f"{kind}:", style="bold", highlight=False)
        for text in texts:
            console.print(shown(f"- {text}"))
    if rows:
        console.print(table)


def _position(value: float | None, slides: bool) -> float | str | None:
    """Return the limit of a joint in degrees, or in mm with its unit if it slides."""
    if value is None or not slides:
        return None if value is None else math.degrees(value)
    return f"{1e3 * value:.4g} mm"


def _cell(value: Any) -> str:
    if value is None:
        return "none"
    return f"{value:.4g}" if isinstance(value, float) else str(value)
