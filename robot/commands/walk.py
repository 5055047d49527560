"""`sole walk`: simulate a robot on its soles, from a scenario or a few options."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from robot.scenario_options import (
    Friction,
    GroundText,
    PadSize,
    Poisson,
    RobotName,
    ScenarioFile,
    Young,
    check_pad_size,
)
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
from sole.base.help_pages import OUTPUT
from sole.base.units import in_unit

if TYPE_CHECKING:
    from robot.walk import Executed, RecordingOptions, Scenario
    from sole.base.report import Report


def walk(
    scenario: ScenarioFile = None,
    robot: RobotName = None,
    left_foot: LeftFoot = None,
    right_foot: RightFoot = None,
    foot_size: FootSize = None,
    srdf: Srdf = None,
    package: Packages = None,
    xacro_arg: XacroArgs = None,
    young: Young = None,
    poisson: Poisson = None,
    thickness: Annotated[
        float | None,
        typer.Option(
            "--thickness",
            parser=in_unit("m"),
            help="Thickness of the pad [m].",
            show_default="0.02",
            rich_help_panel="Sole",
        ),
    ] = None,
    rigid: Annotated[
        bool,
        typer.Option(
            "--rigid",
            help="Rigid soles, with the same nodes, height and mass.",
            rich_help_panel="Sole",
        ),
    ] = False,
    size: PadSize = None,
    ground: GroundText = None,
    friction: Friction = None,
    steps: Annotated[
        int | None,
        typer.Option(
            "--footsteps",
            help="Number of footsteps, without the one that closes.",
            show_default="6",
            rich_help_panel="Gait",
        ),
    ] = None,
    forward: Annotated[
        float | None,
        typer.Option(
            "--forward",
            parser=in_unit("m"),
            help="Length of a footstep [m].",
            show_default="0.2; less on short legs",
            rich_help_panel="Gait",
        ),
    ] = None,
    lift: Annotated[
        float | None,
        typer.Option(
            "--lift",
            parser=in_unit("m"),
            help="Height of a swing foot [m].",
            show_default="0.06; less on short legs",
            rich_help_panel="Gait",
        ),
    ] = None,
    com_height: Annotated[
        float | None,
        typer.Option(
            "--com-height",
            parser=in_unit("m"),
            help="Height of the centre of mass over the treads [m].",
            show_default="that of the half-sitting posture",
            rich_help_panel="Gait",
        ),
    ] = None,
    kind: Annotated[
        str | None,
        typer.Option(
            "--kind",
            help="walk | stand | squat | balance.",
            show_default="walk",
            rich_help_panel="Gait",
        ),
    ] = None,
    plan: Annotated[
        str | None,
        typer.Option(
            "--plan",
            help="Planned before the walk, or while it follows its contacts: fixed | online | "
            "auto, which is online on ground that the plan does not know.",
            show_default="auto",
            rich_help_panel="Gait",
        ),
    ] = None,
    stand: Annotated[
        bool, typer.Option("--stand", help="Short for --kind stand.", rich_help_panel="Gait")
    ] = False,
    period: Annotated[
        float | None,
        typer.Option(
            "--period",
            parser=in_unit("s"),
            help="Time between commands [s].",
            show_default="1e-3",
            rich_help_panel="Control",
        ),
    ] = None,
    controller: Annotated[
        str | None,
        typer.Option(
            "--controller",
            help="stabiliser | force | sole-aware | pd.",
            show_default="stabiliser",
            rich_help_panel="Control",
        ),
    ] = None,
    noisy: Annotated[
        bool,
        typer.Option(
            "--noisy", help="Use noisy sensors, not the true state.", rich_help_panel="Control"
        ),
    ] = False,
    dt: Annotated[
        float | None,
        typer.Option(
            "--dt",
            parser=in_unit("s"),
            help="Time step of the simulation [s], at most 0.02.",
            show_default="1e-3",
            rich_help_panel="Run",
        ),
    ] = None,
    duration: Annotated[
        float | None,
        typer.Option(
            "--duration",
            parser=in_unit("s"),
            help="Duration [s].",
            show_default="that of the gait",
            rich_help_panel="Run",
        ),
    ] = None,
    seed: Annotated[
        int | None,
        typer.Option(
            "--seed", help="Seed of solver and sensors.", show_default="1", rich_help_panel="Run"
        ),
    ] = None,
    converge: Annotated[
        bool,
        typer.Option(
            "--converge",
            help="Simulate at dt, dt/2 and dt/4 and report which metrics converge; -o keeps the "
            "finest run. Takes seven times as long.",
            rich_help_panel="Run",
        ),
    ] = False,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            help="Write the run to this .nc.",
            show_default="nothing is written",
            rich_help_panel=OUTPUT,
        ),
    ] = None,
    every: Annotated[
        int,
        typer.Option(
            "--every", min=1, help="Save every Nth time step.", metavar="N", rich_help_panel=OUTPUT
        ),
    ] = 1,
    nodes: Annotated[
        int,
        typer.Option(
            "--forces-every",
            min=0,
            metavar="N",
            help="Save nodal forces every N time steps; 0 disables.",
            rich_help_panel=OUTPUT,
        ),
    ] = 10,
    margins: Annotated[
        int,
        typer.Option(
            "--margins-every",
            min=0,
            metavar="N",
            help="Save margins of compliant soles every N saved steps; 0 disables.",
            rich_help_panel=OUTPUT,
        ),
    ] = 0,
    verbose: Annotated[
        bool,
        typer.Option(
            "--verbose", "-v", help="Print all metrics, not five lines.", rich_help_panel=OUTPUT
        ),
    ] = False,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Simulate a walk with exact contact on compliant soles; print five lines, or all with -v.

    The exit code is 0 even if the robot fell; see `fell` and `fell_at`. A robot that still moves
    at the end is watched until it rests or falls, so `fell_at` may be after the end. After Ctrl-C
    (130), SIGTERM (143) or an error (2) the run so far is measured and written, unless it has no
    step yet.

    Examples
    --------
    sole walk --robot hrp2-like --footsteps 2
    sole walk --young 1MPa --ground step:5mm,40cm --friction 0.5 -o walk.nc
    sole walk --stand --duration 2s --rigid -v
    sole walk scenario.toml --converge --json
    """
    from sole.base.stopping import describe_end, exit_code, interruptible

    try:
        with interruptible():
            from sole.base.files import require_file

            require_file(scenario)

            from robot.walk import Scenario, load_scenario, replace_values, require_names
            from sole.base.archive import require_output

            require_output(output, ".nc", inputs=[scenario])
            chosen = replace_values(
                Scenario() if scenario is None else load_scenario(scenario),
                robot=robot if scenario is None or robot is None else _here(robot),
                urdf=urdf_values(left_foot, right_foot, foot_size, srdf, package, xacro_arg),
                ground=ground,
                dt=dt,
                duration=duration,
                seed=seed,
                sole={
                    "young": young,
                    "poisson": poisson,
                    "thickness": thickness,
                    "size": size,
                    "rigid": rigid or None,
                    "friction": friction,
                },
                gait={
                    "steps": steps,
                    "forward": forward,
                    "lift": lift,
                    "com_height": com_height,
                    "kind": "stand" if stand else kind,
                },
                plan={"kind": plan},
                control={"kind": controller, "period": period},
                sensing={"kind": "noisy" if noisy else None},
            )
            folder = None if scenario is None else scenario.parent
            require_names(chosen, folder)
            check_pad_size(size, chosen.sole.file, chosen.contact.points)
            from robot.walk import RecordingOptions  # heavier than a scenario, which may be refused

            recording = RecordingOptions(every=every, nodes=nodes, margins=margins)
        shown = "quiet" if quiet else "all" if verbose or converge else "lines"
        shown = "json" if as_json else shown
        _walk(chosen, folder, recording, output, converge=converge, shown=shown)
    except KeyboardInterrupt as error:
        typer.echo(f"error: {describe_end(error)}", err=True)
        raise typer.Exit(exit_code(error)) from None


def _walk(
    scenario: Scenario,
    folder: Path | None,
    recording: RecordingOptions,
    output: Path | None,
    *,
    converge: bool,
    shown: str,
) -> None:
    """Plan, run, measure, write and print; a signal waits until measuring and writing are done."""
    from sole.base.stopping import stoppable

    bar = shown in ("lines", "all")
    with stoppable() as check:
        if converge:
            done, report = _three(scenario, folder, recording, bar, shown == "json")
        else:
            done, report = _one(scenario, folder, recording, bar)
        _give(done, report, output, shown)
        check()
    _end(done)


def _give(done: Executed, report: Report, output: Path | None, shown: str) -> None:
    """Write the run and print the report, also if writing fails."""
    from dataclasses import replace

    from robot.run import save_anyhow
    from sole.base.errors import SoleError
    from sole.base.report import Quantity, emit

    rows, trouble = dict(report.quantities), None
    if output is not None:
        try:
            save_anyhow(output, done.run)
            rows["output"] = Quantity(str(output))
        except SoleError as error:
            trouble = error
    if shown == "lines":
        _tell(done, report, output if trouble is None else None)
    else:
        full = replace(report, quantities=rows)
        emit(full, as_json=shown == "json", quiet=shown == "quiet")
    if trouble is not None:
        raise trouble


def _tell(done: Executed, report: Report, output: Path | None) -> None:
    """Print five lines, and the warnings but that on dt, which the last line gives."""
    from robot.summaries.run_summary import ON_DT
    from robot.summaries.walk_lines import walk_lines
    from robot.walk import WALL

    speed = report.quantities.get(WALL)
    told = walk_lines(done.run, output, None if speed is None else float(speed.value))
    for line in (*told, *(w for w in report.warnings if w != ON_DT)):
        typer.echo(line if line not in report.warnings else f"warning: {line}")


def _here(robot: str) -> str:
    """Return a robot's name or the absolute path of its file, valid in any folder."""
    return str(Path(robot).absolute()) if Path(robot).is_file() else robot


def _one(
    scenario: Scenario, folder: Path | None, recording: RecordingOptions, shown: bool
) -> tuple[Executed, Report]:
    """Run a scenario once; return the run and its report."""
    from sole.base.stopping import interruptible

    with interruptible():
        from dataclasses import replace

        from robot.studies import with_strains
        from robot.summaries.run_summary import describe_run
        from robot.walk import Stopwatch, assemble_walk, execute
        from sole.base.compiled import prepare
        from sole.base.progress import progress_bar
        from sole.base.waiting import doing

        notes = _doubts(scenario)
        for note in notes if shown else ():
            typer.echo(f"warning: {note}", err=True)  # before the walk, which may take long
        prepare(_jobs(scenario))
        doing("planning the walk and condensing the soles")
        made = assemble_walk(scenario, folder)
    with progress_bar("walking", made.duration, shown=shown) as tell:
        watch = Stopwatch(tell)
        done = execute(made, recording, watch)
    doing("measuring the walk")
    done = done._replace(run=with_strains(done.run, made.feet))
    report = describe_run(done.run)
    rows = {**report.quantities, **watch.factors()}
    warnings = (*notes, *made.notes, *report.warnings)
    return done, replace(report, quantities=rows, warnings=warnings)


def _three(
    scenario: Scenario, folder: Path | None, recording: RecordingOptions, shown: bool, as_data: bool
) -> tuple[Executed, Report]:
    """Run a scenario at three time steps; return the finest run and the report of all."""
    from sole.base.stopping import interruptible

    with interruptible():
        from dataclasses import replace

        from robot.studies import with_strains
        from robot.summaries.run_summary import describe_refinement, describe_run
        from robot.walk import refine
        from sole.base.compiled import prepare
        from sole.base.progress import progress_bar
        from sole.base.waiting import doing

        prepare(_jobs(scenario))
        doing("planning the walk and condensing the soles")
    with progress_bar("walking at three time steps", None, shown=shown) as tell:
        refined = refine(scenario, folder, recording, tell)
    done = refined.finest
    done = done._replace(run=with_strains(done.run, refined.feet))
    refined = replace(refined, finest=done)
    if done.error is not None:
        report = describe_run(done.run)
    else:
        report = describe_refinement(refined, as_data=as_data)
    return done, replace(report, warnings=(*refined.notes, *report.warnings))


def _doubts(scenario: Scenario) -> tuple[str, ...]:
    """Return a warning if the E of the pads may be in MPa."""
    from robot.walk import material_of
    from sole.condense import doubtful_moduli

    if scenario.sole.rigid or scenario.sole.file is not None:
        return ()
    return doubtful_moduli(("pad",), (material_of(scenario.sole),))


def _jobs(scenario: Scenario) -> tuple[str, ...]:
    """Return which kernels the walk needs, as jobs of `sole compile`."""
    terrain = () if scenario.ground == "plane" else ("terrain",)
    aware = ("aware",) if scenario.control.kind == "sole-aware" else ()
    online = scenario.plan.follows or (terrain and scenario.plan.kind == "auto")
    return ("walk", *terrain, *aware, *(("online",) if online else ()))


def _end(done: Executed) -> None:
    """Exit with the code of what stopped the run, if anything did."""
    from sole.base.errors import SoleError
    from sole.base.stopping import exit_code

    error = done.error
    if isinstance(error, KeyboardInterrupt):
        raise typer.Exit(exit_code(error))
    if isinstance(error, SoleError):
        raise SoleError(f"the run stopped at {done.run.time[-1]:g} s: {error}") from error
    if error is not None:
        raise error
