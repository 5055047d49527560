"""Walks of LOLA's size over ground that the plan does not know: simulated, and measured."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from robot.model import RobotModel
from robot.papers.experiments.lola_cases import FOOTHOLD, EdgeCase
from robot.papers.experiments.run_bits import bits_of
from robot.run import Run
from robot.walk import RecordingOptions, Walk, assemble_walk, execute
from sole.base.arrays import BoolArray, FloatArray, spans
from sole.base.constants import GRAVITY

__all__ = [
    "EdgeSeries",
    "EdgeWalk",
    "com_torque_errors",
    "listened_walk",
    "measured",
    "stands_alone",
    "swings",
    "walk_over",
]

KEPT = 5  # every nth step is kept
LANDING = 0.1  # s after an event in which its force is looked for
PRESSED = 0.2  # s after a foot touches in which it may press on
HALF = 5e-4  # s: half a step, for times that round-off moves
FREE, SWING = 0.02, 0.2  # share of the weight that a swing foot may bear, s that it lasts at least


@dataclass(frozen=True, kw_only=True)
class EdgeWalk:
    """What came of a walk.

    Parameters
    ----------
    fell : whether the robot fell. tilt, roll, pitch : largest of the waist [deg]. mean_tilt : RMS
        of its inclination from the event on [deg]. halved : from the largest inclination until it
        is half as large [s], NaN if it never is.
    com_torque_x, com_torque_y : RMS of the error of the torques about the centre of mass [N m].
    alone : RMS of the error of F_z while a foot stands alone [share of the weight].
    The last three are NaN where they were not measured.
    event : first early or late contact [s], NaN if none.
    pressed : mean F_z of the third foot to land, in the 0.2 s after it touches [share of the
        weight], NaN if there is none.
    landing : largest F_z of a foot in the 0.1 s after the event [share of the weight], NaN if none.
    speed : largest speed of a joint [share of its limit].
    strain : largest deformation of a sole [share of its thickness].
    again : feet that stepped again. gave_up : feet that found no ground.
    bits : tells runs apart that differ in any bit.
    """

    fell: bool
    tilt: float
    roll: float
    pitch: float
    mean_tilt: float
    halved: float
    com_torque_x: float
    com_torque_y: float
    alone: float
    event: float
    pressed: float
    landing: float
    speed: float
    strain: float
    again: int
    gave_up: int
    bits: str


@dataclass(frozen=True, eq=False, kw_only=True)
class EdgeSeries:
    """A walk as time series: its run, times (n,) [s], errors (n, 2, 3) of the wrenches.

    Errors are lambda_d - lambda of (T_x, T_y, F_z), about the treads and in axes of the feet.
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
    run, error = execute(walk, RecordingOptions(every=KEPT))
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
    events = run.header.get("events", ())
    kinds = [e["kind"] for e in events]
    begun = next((float(e["time"]) for e in events if e["kind"] in ("early", "late")), np.nan)
    rest = tilt[run.time >= begun] if begun == begun else tilt
    torques, alone = com_torque_errors(series), series.errors[stands_alone(series.loads), :, 2]
    after = series.loads[(series.times >= begun) & (series.times <= begun + LANDING)]
    return EdgeWalk(
        fell=bool(run.header["fall"]["fell"]),
        tilt=float(tilt.max()),
        roll=float(roll),
        pitch=float(pitch),
        mean_tilt=float(np.sqrt(np.mean(rest**2))),
        halved=_halved(run.time, tilt),
        com_torque_x=_rms(torques[:, 0]),
        com_torque_y=_rms(torques[:, 1]),
        alone=_rms(alone.sum(axis=1)) / run.weight,
        event=begun,
        pressed=_pressed(series),
        landing=float(after.max()) if len(after) else float("nan"),
        speed=series.speed,
        strain=run.deformation[0],
        again=kinds.count("again"),
        gave_up=kinds.count("gave up"),
        bits=bits_of(run),
    )


def com_torque_errors(series: EdgeSeries) -> FloatArray:
    """Return the error (T, 2) of the torques of both feet about the centre of mass [N m].

        e = sum over the feet of R (e_Tx, e_Ty, 0) + r x R (0, 0, e_Fz),     x and y of it,

    R a foot's axes, r from the centre of mass to the foot, at the T times of the run.
    """
    from scipy.spatial.transform import Rotation

    run = series.run
    rows = np.searchsorted(series.times, run.time - HALF).clip(max=len(series.times) - 1)
    total = np.zeros((len(run.time), 3))
    for foot in range(2):
        R = Rotation.from_quat(run["foot_rotation"][:, foot])
        e, zero = series.errors[rows, foot], np.zeros(len(rows))
        r = run["foot_position"][:, foot] - run["com"]
        force = R.apply(np.stack([zero, zero, e[:, 2]], axis=1))
        total += R.apply(np.stack([e[:, 0], e[:, 1], zero], axis=1)) + np.cross(r, force)
    return total[:, :2]


def stands_alone(loads: FloatArray) -> BoolArray:
    """Return when one foot bears the robot and the other nothing, from loads (n, 2)."""
    return np.asarray((loads.min(axis=1) < FREE) & (loads.max(axis=1) >= FREE))


def swings(times: FloatArray, loads: FloatArray) -> list[tuple[float, float, int]]:
    """Return the swings in which a foot bears nothing for 0.2 s or more: begin, end [s], foot.

    times (n,) [s], loads (n, 2) [share of the weight]. A swing that never ends is left out.
    """
    found = []
    for foot in range(2):
        for begin, end in spans(loads[:, foot] < FREE):
            if end < len(times) and times[end] - times[begin] >= SWING:
                found.append((float(times[begin]), float(times[end]), foot))
    return sorted(found)


def _rms(values: FloatArray) -> float:
    return float(np.sqrt(np.mean(values**2))) if len(values) else float("nan")


def _pressed(series: EdgeSeries) -> float:
    """Return the mean load of the foot that first meets the edge, after it touches, or NaN."""
    found = swings(series.times, series.loads)
    if len(found) < FOOTHOLD:
        return float("nan")
    _, begun, foot = found[FOOTHOLD - 1]
    then = (series.times >= begun) & (series.times <= begun + PRESSED)
    return float(series.loads[then, foot].mean())


def _halved(time: FloatArray, tilt: FloatArray) -> float:
    """Return the time from the largest inclination until it is half as large [s], or NaN."""
    peak = int(tilt.argmax())
    low = np.flatnonzero(tilt[peak:] <= tilt[peak] / 2)
    return float(time[peak + low[0]] - time[peak]) if len(low) else float("nan")
