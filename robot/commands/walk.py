"""`sole walk`: a robot on its soles, from a scenario or from a few numbers."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from sole.cli import Json, Quiet


def walk(
    scenario: Annotated[
        Path | None, typer.Argument(help="A scenario .toml; the options below replace its values.")
    ] = None,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="The run .nc to write.")
    ] = None,
    robot: Annotated[
        str | None, typer.Option("--robot", help="A name of `sole robot list`, or a file.")
    ] = None,
    young: Annotated[
        float | None, typer.Option("--young", help="E of a pad under each foot [Pa].")
    ] = None,
    poisson: Annotated[float | None, typer.Option("--poisson", help="nu of it.")] = None,
    rigid: Annotated[
        bool, typer.Option("--rigid", help="Same nodes, height and mass without compliance.")
    ] = False,
    steps: Annotated[int | None, typer.Option("--steps", help="Number of steps.")] = None,
    forward: Annotated[
        float | None, typer.Option("--forward", help="From one foothold to the next [m].")
    ] = None,
    stand: Annotated[bool, typer.Option("--stand", help="Stand instead of walking.")] = False,
    controller: Annotated[str | None, typer.Option("--controller", help="stabiliser | pd.")] = None,
    ground: Annotated[
        str | None, typer.Option("--ground", help="As for `sole press`: plane | step:0.005 | ...")
    ] = None,
    noisy: Annotated[
        bool, typer.Option("--noisy", help="The controller sees noisy sensors, not the true state.")
    ] = False,
    dt: Annotated[float | None, typer.Option("--dt", help="Time step [s].")] = None,
    duration: Annotated[
        float | None, typer.Option("--duration", help="End of the run [s]; by default the gait's.")
    ] = None,
    seed: Annotated[int | None, typer.Option("--seed", help="Of solver and sensors.")] = None,
    every: Annotated[int, typer.Option("--every", help="Record every nth step.")] = 1,
    nodes: Annotated[
        int, typer.Option("--nodes", help="Keep nodal forces every so many steps; 0: never.")
    ] = 10,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Simulate a walk: exact contact on compliant soles, a verdict, metrics and the run's file.

    Exit code 0 also if the robot fell: `fell` and `fell_at` say so. Ctrl-C keeps the run so far.
    """
    from dataclasses import asdict, replace

    from robot.assembly import assemble
    from robot.describe import describe_run
    from robot.progress import progress_bar
    from robot.recording import Recorder
    from robot.run import FINISHED
    from robot.run_file import save_run
    from robot.scenario import Scenario, load_scenario, replaced
    from robot.verdict import verdict
    from sole.archive import require_writable
    from sole.errors import SoleError
    from sole.report import Quantity, emit

    if output is not None:
        if output.suffix != ".nc":
            raise SoleError(f"a run is an .nc file, got -o {output}")
        require_writable(output)
    chosen = Scenario() if scenario is None else load_scenario(scenario)
    chosen = replaced(
        chosen,
        robot=robot,
        ground=ground,
        dt=dt,
        duration=duration,
        seed=seed,
        sole={"young": young, "poisson": poisson, "rigid": rigid or None},
        gait={"steps": steps, "forward": forward, "kind": "stand" if stand else None},
        control={"kind": controller},
        sensing={"kind": "noisy" if noisy else None},
    )
    made = assemble(chosen, None if scenario is None else scenario.parent)
    count = round(made.duration / chosen.dt)
    recorder = Recorder(
        made.simulator,
        made.start,
        chosen.dt,
        feet=made.feet,
        every=every,
        nodes=nodes,
        steps=count,
        scenario=asdict(chosen),
    )
    ended = FINISHED
    with progress_bar("walking", made.duration, shown=not (quiet or as_json)) as tell:
        try:
            for step, command in made.steps():
                recorder.record(step, command)
                tell(step.state.time)
                if made.fallen(step):
                    ended = "the robot fell"
                    break
        except KeyboardInterrupt:
            ended = "interrupted"
        except SoleError as error:
            ended = f"error: {error}"
            if not len(recorder):
                raise
    run = recorder.run(ended)
    report = describe_run(run)
    rows = {"verdict": Quantity(verdict(run)), **report.quantities}
    if output is not None:
        save_run(output, run)
        rows["output"] = Quantity(str(output))
    emit(replace(report, quantities=rows), as_json=as_json, quiet=quiet)
    if ended.startswith("error"):
        raise SoleError(f"the run stopped at {run.time[-1]:g} s: {ended.removeprefix('error: ')}")
