"""`sole live`: runs, and scenes that one touches, in a browser, from a server on this machine."""

from __future__ import annotations

import signal
from math import inf
from pathlib import Path
from typing import Annotated, Any

import typer

from contact.constants import FRICTION
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
from sole.base.cli import Quiet
from sole.base.help_pages import OUTPUT, ExplainedCommand, ExplainedGroup

Port = Annotated[
    int | None,
    typer.Option(
        "--port",
        min=0,
        max=65535,
        help="Port; 0: any free one.",
        show_default="the first free from 8800 on",
        rich_help_panel="Server",
    ),
]
Host = Annotated[
    str,
    typer.Option(
        "--host",
        help="Address to listen on. Any but the default lets other machines in; they need the "
        "token, and nothing is encrypted.",
        rich_help_panel="Server",
    ),
]
JsonLines = Annotated[
    bool,
    typer.Option(
        "--json",
        help="Print two lines of JSON on stdout: where the page is; at the end, what was kept.",
        rich_help_panel=OUTPUT,
    ),
]
Browser = Annotated[
    bool,
    typer.Option(
        "--browser", help="Open the page in this machine's browser.", rich_help_panel="Server"
    ),
]


class _Live(ExplainedGroup):
    """The group whose default is `play`: `sole live run.nc`."""

    def parse_args(self, ctx: Any, args: list[str]) -> Any:
        if args and args[0] not in self.commands and args[0] != "--help":
            args = ["play", *args]
        return super().parse_args(ctx, args)


live = typer.Typer(
    cls=_Live,
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
)


@live.callback()
def group() -> None:
    """Play runs, or touch a robot or a sole while it is simulated, in a browser.

    `sole live run.nc` is short for `sole live play run.nc`.

    Examples
    --------
    sole live run.nc
    sole live walk --robot hrp2-like --browser
    """


@live.command(cls=ExplainedCommand)
def play(
    runs: Annotated[
        list[Path], typer.Argument(help="A run .nc, or up to four to play on one clock.")
    ],
    port: Port = None,
    host: Host = "127.0.0.1",
    browser: Browser = False,
    as_json: JsonLines = False,
    quiet: Quiet = False,
) -> None:
    """Serve a page that plays runs: scrub, step, turn, pressures under the soles. Ctrl-C ends it.

    `sole view RUN.nc --film run.html` writes the same page to a file that needs no server.

    Examples
    --------
    sole live play run.nc
    sole live play soft.nc hard.nc --port 8900
    """
    from sole.base.extras import require_extra
    from sole.base.files import require_file

    require_file(*runs)
    require_extra("live", "a live page")

    from sole.base.damage import refuse_damage
    from sole.base.stopping import interruptible

    with interruptible():
        from robot.live import serve_page, tell_address
        from robot.pictures.browser import run_page
        from robot.run import load_run

        loaded = []
        for path in runs:
            with refuse_damage(path):
                loaded.append(load_run(path))
        _begin("making the page", aloud=not (quiet or as_json))
        page = run_page(loaded, [path.stem for path in runs])

    ended = serve_page(
        page.text,
        lambda served: tell_address(served, page.title, browser, as_json=as_json, quiet=quiet),
        host=host,
        port=port,
    )
    if not (quiet or as_json):
        print("\nthe server has ended")
    _leave(ended)


@live.command(cls=ExplainedCommand)
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
    size: PadSize = None,
    ground: GroundText = None,
    friction: Friction = None,
    controller: Annotated[
        str | None,
        typer.Option(
            "--controller",
            help="stabiliser | force | sole-aware | pd.",
            show_default="stabiliser",
            rich_help_panel="Control",
        ),
    ] = None,
    device: Annotated[
        str | None,
        typer.Option(
            "--device",
            help="A haptic device pulls the waist and its user feels the force: 3d-systems | "
            "force-dimension | a recorded motion.csv.",
            show_default="only the page's mouse pulls",
            rich_help_panel="Pull",
        ),
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            help="Write the run to this .nc, and all actions as a scenario to a .toml of the same "
            "name.",
            show_default="nothing is written",
            rich_help_panel=OUTPUT,
        ),
    ] = None,
    every: Annotated[
        int,
        typer.Option(
            "--every", min=1, metavar="N", help="Save every Nth time step.", rich_help_panel=OUTPUT
        ),
    ] = 10,
    nodes: Annotated[
        int,
        typer.Option(
            "--forces-every",
            min=0,
            metavar="N",
            help="Save nodal forces every N time steps; 0 disables.",
            rich_help_panel=OUTPUT,
        ),
    ] = 50,
    port: Port = None,
    host: Host = "127.0.0.1",
    browser: Browser = False,
    as_json: JsonLines = False,
    quiet: Quiet = False,
) -> None:
    """Simulate a robot in real time on a page: pull its links, push it, steer it, change its soles.

    Without a scenario it stands and waits. Ctrl-C ends it and, with -o, writes the run and a
    scenario that `sole walk` repeats to the bit; a restart begins another file. The exit code is
    0 even if the robot fell.

    Examples
    --------
    sole live walk --robot hrp2-like --browser
    sole live walk scenario.toml --controller pd -o pulled.nc
    """
    from sole.base.extras import require_extra
    from sole.base.files import require_file
    from sole.base.stopping import interruptible

    require_file(scenario)
    require_extra("live", "a live page")
    with interruptible():
        from robot.haptics import check_device
        from robot.live import WalkSession, run_and_tell
        from robot.walk import Scenario, load_scenario, replace_values, require_names
        from sole.base.archive import require_output

        require_output(output, ".nc", inputs=[scenario])
        require_output(output and output.with_suffix(".toml"), inputs=[scenario])
        if device is not None:
            check_device(device)
        chosen = replace_values(
            Scenario() if scenario is None else load_scenario(scenario),
            robot=robot,
            urdf=urdf_values(left_foot, right_foot, foot_size, srdf, package, xacro_arg),
            ground=ground,
            sole={"young": young, "poisson": poisson, "size": size, "friction": friction},
            control={"kind": controller},
        )
        if scenario is None:
            chosen = replace_values(chosen, gait={"kind": "stand"})
        folder = Path() if scenario is None else scenario.parent
        require_names(chosen, folder)
        check_pad_size(size, chosen.sole.file, chosen.contact.points)
    _begin("putting the scene together", aloud=not (quiet or as_json))
    session = WalkSession(
        scenario=chosen,
        folder=folder.absolute(),
        output=output,
        every=every,
        nodes=nodes,
        device=device,
    )
    told = {"browser": browser, "as_json": as_json, "quiet": quiet}
    _leave(run_and_tell(session, host=host, port=port, **told))


@live.command(cls=ExplainedCommand)
def press(
    sole: Annotated[Path, typer.Argument(help="A condensed sole (.npz of `sole condense`).")],
    ground: Annotated[
        str,
        typer.Option(
            "--ground", help="The first ground, as in `sole press`.", rich_help_panel="Ground"
        ),
    ] = "plane",
    friction: Annotated[
        float,
        typer.Option(
            "--friction", help="Coulomb's mu between sole and ground.", rich_help_panel="Ground"
        ),
    ] = FRICTION,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            help="On exit, let the sole come to rest and save it to this press .npz.",
            show_default="nothing is written",
            rich_help_panel=OUTPUT,
        ),
    ] = None,
    port: Port = None,
    host: Host = "127.0.0.1",
    browser: Browser = False,
    as_json: JsonLines = False,
    quiet: Quiet = False,
) -> None:
    """Move a foot over the ground on a page: see pressure, slip and lift, change sole and ground.

    Drag its arrows and rings, or let a force press it. Ctrl-C ends it and, with -o, writes the
    state of rest of the last pose or force as `sole press` does.

    Examples
    --------
    sole live press pad.npz --ground step:5mm,0 --friction 0.5
    """
    from sole.base.extras import require_extra
    from sole.base.files import require_file
    from sole.base.stopping import interruptible

    require_file(sole)
    require_extra("live", "a live page")
    with interruptible():
        from contact.ground import parse_ground
        from robot.live import PressSession, run_and_tell
        from sole.base.archive import require_output, schema_of
        from sole.base.errors import SoleError

        require_output(output, ".npz", inputs=[sole])
        parse_ground(ground)
        if not 0 <= friction < inf:
            raise SoleError(f"--friction must be finite and not negative, got {friction:g}")
        if schema_of(sole).split("/")[0] != "sole.condensed":
            raise SoleError(f"{sole} is not a condensed sole: make one with `sole condense`")
    _begin("putting the scene together", aloud=not (quiet or as_json))
    session = PressSession(sole=sole.absolute(), ground=ground, friction=friction, output=output)
    told = {"browser": browser, "as_json": as_json, "quiet": quiet}
    _leave(run_and_tell(session, host=host, port=port, **told))


def _leave(ended: int) -> None:
    """End the command: Ctrl-C is the usual end of a server, SIGTERM or SIGHUP give 143."""
    from sole.base.stopping import TERMINATED

    if ended != signal.SIGINT:
        raise typer.Exit(TERMINATED)


def _begin(what: str, *, aloud: bool) -> None:
    """Say at once, or if it takes long, what has begun."""
    from sole.base.waiting import doing

    if aloud:
        typer.echo(what, err=True)
    doing("" if aloud else what)
