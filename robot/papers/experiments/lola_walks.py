"""Walks of LOLA's size over edges and boxes that the plan does not know.

`lola-like` takes five steps of 0.35 m on pads of 20 mm (nu = 0.45, 40 mm mesh, true state, dt = 1
ms). The ground drops or rises at an edge near the third foothold. Edges of one direction under no
foot give the same walk bit for bit, as the feet land level on either side; those of `EDGES` are
met by other nodes.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from robot.control import ForceChoice
from robot.gait import Gait
from robot.model import RobotModel
from robot.online import PlanChoice
from robot.run import Run
from robot.scenery import Start
from robot.walk import ControlChoice, Kept, Scenario, SoleChoice, Walk, assemble_walk, execute
from sole.base.arrays import FloatArray
from sole.base.constants import GRAVITY

__all__ = [
    "EDGES",
    "PAPER_LAW",
    "SOFTER",
    "UP",
    "EdgeCase",
    "EdgeSeries",
    "EdgeWalk",
    "ensemble",
    "listened_walk",
    "measured",
    "moved_after",
    "walk_over",
    "with_gain",
]

# m, deg from straight across: of drops, and of rises, which toes must not meet a step too early
EDGES = ((0.88, 0), (0.80, 0), (0.92, 0), (0.86, -12), (0.82, 12))
UP = ((0.88, 0), (0.90, -12), (0.92, 0), (0.86, -12), (0.88, 12))
RHYTHMS = ((0.7, 0.1), (0.65, 0.15), (0.6, 0.2))  # s of single and double support
MATERIALS = (2e6, 5e6)  # Pa
SOFTER = (2e6, 1e6)  # Pa; with kappa = 1 of the paper the vertical loop is unstable on 5 MPa
LIFT = {0.09: 0.12, 0.04: 0.10}  # m of a swing over an obstacle
HIGH = 0.09  # m; a foot that may meet it has to be over its foothold sooner
OVER = PlanChoice(kind="online", arrive=0.8)
ON_AND_OFF = replace(OVER, crouch=0.07, reach_speed=0.9)  # or it comes down too late
PAPER_LAW = ForceChoice(kappa=1.0, balance="imu")
KEPT = 5  # every nth step is kept
LANDING = 0.1  # s after an event in which its force is looked for


@dataclass(frozen=True, kw_only=True)
class EdgeCase:
    """A walk over an edge.

    Parameters
    ----------
    height : of the ground behind the edge [m]; negative: a drop. edge : its place [m] and its
        angle from straight across [deg]. rhythm : single and double support [s]. young : E of the
        pads [Pa]. kind : "force" or "stabiliser". force : the law of the former. phase_logic :
        whether the plan heeds contacts; else it is fixed. length : of a box around the third
        foothold, which is moved by the edge's place relative to `EDGES` [m]; None: no box.
    """

    height: float
    edge: tuple[float, float] = EDGES[0]
    rhythm: tuple[float, float] = RHYTHMS[0]
    young: float = MATERIALS[0]
    kind: str = "force"
    force: ForceChoice = field(default_factory=ForceChoice)
    phase_logic: bool = True
    length: float | None = None

    @property
    def scenario(self) -> Scenario:
        """The walk as a scenario."""
        size, (x, angle), down = abs(self.height), self.edge, self.height < 0
        ground = "plane"
        if size:
            at, turned = (-x, 180 + angle) if down else (x, angle)
            ground = f"step:{size:g},{at:g},angle_deg={turned:g}"
            if self.length is not None:
                ground = f"box:{self.length:g},2,{size:g},x={x:g},yaw_deg={angle:g}"
        lift = 0.06 if down else LIFT.get(size, 0.06)
        single, double = self.rhythm
        plan = PlanChoice(kind="online" if self.phase_logic else "fixed")
        if self.phase_logic and self.height >= HIGH:
            plan = OVER if self.length is None else ON_AND_OFF
        return Scenario(
            robot="lola-like",
            ground=ground,
            start=Start(z=size if down else 0.0),
            sole=SoleChoice(young=self.young, poisson=0.45, size=0.04, element="p1"),
            gait=Gait(steps=5, forward=0.35, single=single, double=double, lift=lift),
            plan=plan,
            control=ControlChoice(kind=self.kind, force=self.force),
        )


@dataclass(frozen=True, kw_only=True)
class EdgeWalk:
    """What came of a walk.

    Parameters
    ----------
    fell : whether the robot fell. tilt, roll, pitch : largest of the waist [deg]. mean_tilt : RMS
        of its inclination from the event on [deg]. torque_x, torque_y : RMS of the error of the
        feet's torques, sum of both [N m]. event : first early or late contact [s], NaN if none.
        moved : how far the foot moves in the 0.2 s after an early contact [m], NaN if none.
    landing : largest F_z of a foot in the 0.1 s after the event [share of the weight], NaN if
        none. speed : largest speed of a joint [share of its limit]. again : feet that stepped
        again. gave_up : feet that found no ground.
    """

    fell: bool
    tilt: float
    roll: float
    pitch: float
    mean_tilt: float
    torque_x: float
    torque_y: float
    event: float
    moved: float
    landing: float
    speed: float
    again: int
    gave_up: int


@dataclass(frozen=True, eq=False, kw_only=True)
class EdgeSeries:
    """A walk as time series: its run, times (n,) [s], errors (n, 2, 3) of the wrenches.

    loads (n, 2) of the feet [share of the weight], speed : largest of a joint [share of its limit].
    """

    run: Run
    times: FloatArray
    errors: FloatArray
    loads: FloatArray
    speed: float


class Listening:
    """Passes on to a controller; keeps loads of the feet and wrench errors of its force control."""

    def __init__(self, inner: Any, robot: RobotModel) -> None:
        self.inner, self.period = inner, inner.period
        self.weight, self.fastest = robot.mass * GRAVITY, robot.velocity
        self.times: list[float] = []
        self.errors: list[FloatArray] = []
        self.loads: list[FloatArray] = []
        self.speed = 0.0

    def update(self, sensed: Any, t: float) -> Any:
        """Return the command for time t + period."""
        command = self.inner.update(sensed, t)
        memory = getattr(self.inner, "inner", self.inner).memory
        self.times.append(t)
        self.errors.append(memory.error.copy() if hasattr(memory, "error") else np.zeros((2, 3)))
        self.loads.append(sensed.wrenches[:, 2] / self.weight)
        self.speed = max(self.speed, float(np.abs(sensed.v[6:] / self.fastest).max()))
        return command


def walk_over(case: EdgeCase) -> EdgeSeries:
    """Simulate a case."""
    return listened_walk(assemble_walk(case.scenario))


def listened_walk(walk: Walk) -> EdgeSeries:
    """Simulate a walk; its controller is replaced by one that listens."""
    listening = Listening(walk.controller, walk.feet.robot)
    walk.controller = listening
    run, error = execute(walk, Kept(every=KEPT))
    if error is not None:
        raise error
    count = min(len(listening.times), KEPT * len(run.time))  # not what came after the end
    return EdgeSeries(
        run=run,
        times=np.array(listening.times[:count]),
        errors=np.array(listening.errors[:count]),
        loads=np.array(listening.loads[:count]),
        speed=listening.speed,
    )


def measured(series: EdgeSeries) -> EdgeWalk:
    """Return the numbers of a walk."""
    run = series.run
    roll, pitch = np.degrees(np.abs(run["waist_rpy"][:, :2]).max(axis=0))
    tilt = np.degrees(run["waist_tilt"])
    events = [e for e in run.header.get("events", ()) if e["kind"] in ("early", "late")]
    begun = float(events[0]["time"]) if events else float("nan")
    rest = tilt[run.time >= begun] if events else tilt
    total = series.errors.sum(axis=1)
    kinds = [e["kind"] for e in run.header.get("events", ())]
    after = series.loads[(series.times >= begun) & (series.times <= begun + LANDING)]
    return EdgeWalk(
        fell=bool(run.header["fall"]["fell"]),
        tilt=float(tilt.max()),
        roll=float(roll),
        pitch=float(pitch),
        mean_tilt=float(np.sqrt(np.mean(rest**2))),
        torque_x=float(np.sqrt(np.mean(total[:, 0] ** 2))),
        torque_y=float(np.sqrt(np.mean(total[:, 1] ** 2))),
        event=begun,
        moved=moved_after(run, events),
        landing=float(after.max()) if len(after) else float("nan"),
        speed=series.speed,
        again=kinds.count("again"),
        gave_up=kinds.count("gave up"),
    )


def moved_after(run: Run, events: Sequence[dict[str, Any]]) -> float:
    """Return how far a foot moves in 0.2 s after the first early contact [m].

    NaN if there is none, or nothing was recorded after it.
    """
    early = next((e for e in events if e["kind"] == "early"), None)
    begun = np.inf if early is None else early["time"]
    then = (run.time >= begun) & (run.time <= begun + 0.2)
    if early is None or not then.any():
        return float("nan")
    places = run["foot_position"][then]
    apart = np.linalg.norm(places[0, :, :2] - np.array(early["place"])[:2], axis=1)
    foot = int(np.argmin(apart))
    return float(np.linalg.norm(places[:, foot] - places[0, foot], axis=1).max())


def ensemble(
    quick: bool,
    *,
    edges: Sequence[tuple[float, float]] = EDGES,
    materials: Sequence[float] = MATERIALS,
    few: int = 2,
) -> Iterator[dict[str, Any]]:
    """Yield edge, rhythm and material of each walk: 5 x 3 x 2, or a `few` if it has to be quick.

    5, 3 and 2 have no common factor, so the first walks of a full ensemble mix them already.
    """
    for k in range(few if quick else len(edges) * len(RHYTHMS) * len(materials)):
        rhythm, young = RHYTHMS[k % len(RHYTHMS)], materials[k % len(materials)]
        yield {
            "edge": edges[k % len(edges)],
            "rhythm": RHYTHMS[0] if quick else rhythm,
            "young": materials[0] if quick else young,
        }


def with_gain(law: ForceChoice, g_a: float) -> ForceChoice:
    """Return the law with another share of the dynamics of the centre of mass."""
    return replace(law, g_a=g_a)
