"""Section 5 of the wrench cone's paper: eleven postures on one foot, retimed, then played faster.

The robot is our hrp4-like, the postures are ours in the order of figure 3 (the file
`eleven_postures.toml` in examples/retiming holds the same). The simulation has rigid feet, exact
Coulomb friction and the project's stabiliser; the paper's has OpenHRP's.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache
from math import radians, sqrt
from typing import TYPE_CHECKING

import numpy as np

from contact.wrench_cone import WrenchCone
from robot.gait import KeyPosture, PostureMotion
from robot.model import load_robot
from robot.papers.experiments.foot_yaw import foot_yaw
from robot.retime import (
    ConeChoice,
    RetimeChoice,
    Retiming,
    motion_stability,
    path_dynamics,
    retime,
    wrench_in,
)
from robot.run import Run
from robot.walk import RecordingOptions, Scenario, SoleChoice, Walk, assemble_walk, execute
from sole.base.arrays import FloatArray
from sole.base.constants import GRAVITY
from sole.claims import Effort, Findings

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = [
    "POSTURES",
    "Played",
    "draw_foot_forces",
    "play_at_speeds",
    "play_at_the_limit",
    "posture_scenario",
    "reproduce_inversion",
    "reproduce_retiming",
    "reproduce_speeds",
    "reproduce_stability",
]

PAPER = ConeChoice(area=0.45, friction=0.4)  # 45 % of the foot; friction is our reading
AS_PAPER = RetimeChoice(area=0.45, friction=0.4 / sqrt(2), pyramid="outer")  # the same cone
OF_AREA = replace(AS_PAPER, area=sqrt(0.45))  # the other reading: 45 % of the area
TIGHT = RetimeChoice(area=0.9, friction=0.5, pyramid="outer")
FRICTION = 0.8  # of the simulation
MODES = ("air", "point", "edge", "surface")


def _posture(x: float, y: float, **degrees: float) -> KeyPosture:
    return KeyPosture(joints={name: radians(a) for name, a in degrees.items()}, com=(x, y))


POSTURES = (
    _posture(0.0, 0.0),
    _posture(0.03, 0.0, chest_pitch=17.19, left_knee=8.59, left_hip_pitch=-5.73),
    _posture(-0.02, 0.0, chest_pitch=-5.73, left_knee=17.19, left_hip_pitch=-8.59),
    _posture(0.01, 0.0, left_shoulder_roll=34.38, right_shoulder_roll=-34.38, left_knee=5.73),
    _posture(0.0, 0.01, left_shoulder_roll=68.75, right_shoulder_roll=-68.75, chest_yaw=17.19),
    _posture(
        0.0, 0.01, left_shoulder_roll=68.75, right_shoulder_pitch=-85.94,
        right_shoulder_roll=-34.38, chest_yaw=-22.92, left_knee=11.46, left_hip_pitch=-5.73,
    ),
    _posture(
        0.01, -0.01, left_shoulder_roll=68.75, right_shoulder_pitch=-28.65,
        right_shoulder_roll=-80.21, chest_yaw=22.92, chest_pitch=11.46,
    ),
    _posture(
        0.0, 0.01, left_shoulder_roll=68.75, right_shoulder_pitch=28.65,
        right_shoulder_roll=-57.3, chest_yaw=-22.92, left_knee=17.19, left_hip_pitch=-8.59,
    ),
    _posture(
        0.02, 0.0, left_shoulder_roll=34.38, right_shoulder_roll=-34.38, chest_yaw=17.19,
        chest_pitch=17.19, right_hip_pitch=-17.19,
    ),
    _posture(
        -0.01, 0.0, chest_yaw=-11.46, right_hip_pitch=11.46, left_knee=11.46, left_hip_pitch=-5.73
    ),
    _posture(0.0, 0.0),
)  # fmt: skip
MOTION = PostureMotion(posture=POSTURES, lift=0.05, initial=0.5, final=0.5)


def posture_scenario(choice: RetimeChoice | None = None) -> Scenario:
    """Return the scenario of the motion on thin rigid feet."""
    return Scenario(
        robot="hrp4-like",
        sole=SoleChoice(rigid=True, thickness=0.002, size=0.06, element="p1", friction=FRICTION),
        gait=MOTION,
        retime=choice,
    )


@cache
def _retimed() -> Retiming:
    """Return the motion within 45 % of the bare foot, as figure 3 has it."""
    robot = load_robot("hrp4-like")
    return retime(MOTION.path(robot), PAPER)


@dataclass(frozen=True, eq=False)
class Played:
    """A simulation of the motion.

    Parameters
    ----------
    run : the run, with nodal forces every 20 steps. walk : what was simulated.
    shares : of the modes `MODES` of the standing foot, in time, while it moves.
    yaw : largest turn of the standing foot from its first pose [rad].
    """

    run: Run
    walk: Walk
    shares: FloatArray
    yaw: float

    @property
    def fell(self) -> bool:
        """Whether the robot fell, then or later."""
        return bool(self.run.header["fall"]["fell"])

    @property
    def fell_at(self) -> float:
        """When it fell [s]; infinite if it did not."""
        return float(self.run.header["fall"]["time"]) if self.fell else np.inf


def play_at_speeds(choice: RetimeChoice, factors: tuple[float, ...]) -> dict[float, Played]:
    """Return simulations of the retimed motion with its durations times each factor."""
    found = {}
    for factor in factors:
        scenario = posture_scenario(replace(choice, factor=factor))
        walk = assemble_walk(scenario)
        run = execute(walk, RecordingOptions(nodes=20)).run
        still = 0.5 * factor
        moving = (run.time > still) & (run.time < walk.plan.end - still)
        modes = run["contact_mode"][moving, 0]
        shares = np.array([(modes == k).mean() for k in range(len(MODES))])
        yaw = foot_yaw(run)[:, 0]
        found[factor] = Played(run, walk, shares, float(np.abs(yaw - yaw[0]).max()))
    return found


def _contact_share(found: Retiming) -> float:
    """Return the share of the duration that a row of the wrench cone limits."""
    contact = (found.active >= 0) & (found.active < found.maker.wrench_rows.shape[1])
    return float(np.diff(found.times)[contact].sum() / found.duration)


def reproduce_retiming(effort: Effort) -> Findings:
    """Retime the motion under the cone of 45 % of the foot: figure 3."""
    found = _retimed()
    return Findings(
        numbers={
            "duration": found.duration,
            "contact_active": _contact_share(found),
            "margin": found.check.margin,
            "postures": float(len(POSTURES)),
        },
        pictures={"fig3": lambda: _draw_postures(found)},
    )


def reproduce_speeds(effort: Effort) -> Findings:
    """Play the motion retimed for 45 % of the foot, as the paper did: figure 4."""
    found = _played(AS_PAPER, (1.0, 0.95, 0.9, 0.85), effort)
    return Findings(numbers=_modes(found), pictures={"fig4": lambda: draw_foot_forces(found)})


def play_at_the_limit(effort: Effort) -> Findings:
    """Play the motion retimed for 90 % of the foot as planned, and faster."""
    found = _played(TIGHT, (1.0, 0.95) if effort.quick else (1.0, 0.95, 0.9, 0.85), effort)
    numbers = dict.fromkeys(("open_10", "fell_10", "open_15", "fell_15"), np.nan)
    return Findings(
        numbers=numbers | _modes(found), pictures={"fig4_tight": lambda: draw_foot_forces(found)}
    )


def _played(
    choice: RetimeChoice, factors: tuple[float, ...], effort: Effort
) -> dict[float, Played]:
    found: dict[float, Played] = {}
    for k, factor in enumerate(factors):
        found |= play_at_speeds(choice, (factor,))
        effort.tell((k + 1) / len(factors))
    return found


def _modes(found: Mapping[float, Played]) -> dict[str, float]:
    """Return shares of surface and of edges and points, and falls, by per cent of less time."""
    numbers: dict[str, float] = {}
    for factor, one in found.items():
        name = round(100 - 100 * factor)
        numbers[f"surface_{name}"] = float(one.shares[3])
        numbers[f"open_{name}"] = float(one.shares[1] + one.shares[2])
        numbers[f"fell_{name}"] = float(one.fell)
    return numbers


def reproduce_inversion(effort: Effort) -> Findings:
    """Compare coefficients from one inverse of J_u with inverse dynamics at other accelerations."""
    import pinocchio as pin

    found = _retimed()
    path, robot = found.path, found.path.robot
    model, data, foot = robot.model, robot.model.createData(), robot.left.frame
    s = np.linspace(0.03, 0.97, 12 if effort.quick else 200)
    q, V, W = path.motion(s)
    dynamics = path_dynamics(path, s)
    phases = np.zeros(len(s), dtype=np.int64)
    a, b, c = wrench_in(dynamics, phases, found.maker.cones.frames)
    rng, worst = np.random.default_rng(1), 0.0
    for k in range(len(s)):
        u, x = rng.uniform(-2, 2), rng.uniform(0, 0.1)
        gen = pin.rnea(model, data, q[k], V[k] * np.sqrt(x), V[k] * u + W[k] * x)
        J = pin.computeFrameJacobian(model, data, q[k], foot, pin.LOCAL)
        w = np.linalg.solve(J[:, :6].T, gen[:6])
        worst = max(worst, float(np.abs(a[k] * u + b[k] * x + c[k] - w).max()))
    return Findings(numbers={"error": worst / (robot.mass * GRAVITY)})


def reproduce_stability(effort: Effort) -> Findings:
    """Ask along the motion whether torques within limits exist, planned and 15 % faster."""
    found = _retimed()
    every = 50 if effort.quick else 5
    plan = found.plan(1e-3)
    whole = ConeChoice(area=1.0, friction=FRICTION, pyramid="outer")
    margins = {}
    for name, motion in (("planned", plan), ("halved", plan.scaled(0.5))):
        _, states = motion_stability(found.path.robot, motion, cone=whole, every=every)
        margins[name] = min(state.margin for state in states)
        if name == "planned":
            wrench = np.array([state.wrenches[0] for state in states])
    X, Y = found.path.robot.left.half_size
    cone = WrenchCone.of_rectangle(float(X), float(Y), FRICTION)
    return Findings(
        numbers={
            "planned": margins["planned"],
            "halved": margins["halved"],
            "inside": float(cone.contains(wrench).mean()),
        }
    )


def _draw_postures(found: Retiming) -> Figure:
    """Draw the robot at six instants of the motion, from the front and from its right."""
    import pinocchio as pin
    from matplotlib.figure import Figure

    robot, count = found.path.robot, 6
    model, data = robot.model, robot.model.createData()
    times = np.linspace(0.0, found.duration, count)
    q, _, _ = found.path.motion(found.at(times)[0])
    figure = Figure(figsize=(11.0, 5.0), layout="constrained")
    axes = figure.subplots(2, count, sharex="row", sharey=True)
    for k in range(count):
        pin.forwardKinematics(model, data, q[k])
        at = np.array([data.oMi[j].translation for j in range(model.njoints)])
        for row, (across, label) in enumerate(((1, "y [m]"), (0, "x [m]"))):
            ax = axes[row, k]
            for j in range(2, model.njoints):
                ends = at[[model.parents[j], j]]
                side = model.names[j].split("_")[0]
                color = {"left": "C3", "right": "C0"}.get(side, "0.3")
                ax.plot(ends[:, across], ends[:, 2], color=color, lw=1.8)
            ax.set_aspect("equal")
            ax.set_xlabel(label, fontsize=8)
            ax.tick_params(labelsize=7)
        axes[0, k].set_title(f"{times[k]:.2f} s", fontsize=9)
        axes[0, k].set(xlim=(0.85, -0.65), ylim=(0.0, 1.45))
        axes[1, k].set_xlim(-0.75, 0.75)
    axes[0, 0].set_ylabel("z [m], seen from the front", fontsize=8)
    axes[1, 0].set_ylabel("z [m], seen from its right", fontsize=8)
    figure.suptitle(f"{found.duration:.2f} s; left limbs red, right limbs blue", fontsize=9)
    return figure


def draw_foot_forces(found: Mapping[float, Played]) -> Figure:
    """Draw normal forces under the standing foot at eight instants, one row per speed."""
    from matplotlib.figure import Figure

    count = 8
    figure = Figure(figsize=(11.0, 1.75 * len(found) + 0.6), layout="constrained")
    axes = figure.subplots(len(found), count, sharex=True, sharey=True, squeeze=False)
    for row, (factor, one) in zip(axes, found.items(), strict=True):
        run, n = one.run, len(one.run.treads[0].points)
        still, end = 0.5 * factor, one.walk.plan.end - 0.5 * factor
        for k, ax in enumerate(row):
            t = still + (k + 0.5) / count * (end - still)
            ax.set_aspect("equal")
            ax.tick_params(labelsize=6)
            if t > run.time[-1]:
                ax.set_title(f"{t - still:.2f} s: fallen", fontsize=8)
                continue
            i = int(np.abs(run.frames["frame_time"] - t).argmin())
            place = 1e3 * run.frames["node_position"][i, :n]
            force = run.frames["node_force"][i, :n, 2]
            ax.plot(place[:, 1], place[:, 0], ".", color="0.75", ms=2)
            ax.scatter(place[:, 1], place[:, 0], s=0.8 * np.maximum(force, 0.0), color="C3")
            mode = MODES[int(run["contact_mode"][run.row(t), 0])]
            ax.set_title(f"{t - still:.2f} s: {mode}", fontsize=8)
        name = "as planned" if factor == 1.0 else f"-{100 * (1 - factor):.0f} %"
        told = "fell" if one.fell else "stood"
        row[0].set_ylabel(f"{name}, {told}\nx forward [mm]", fontsize=8)
        row[0].set(xlim=(90, -90), ylim=(-140, 140))
    for ax in axes[-1]:
        ax.set_xlabel("y left [mm]", fontsize=8)
    figure.suptitle("normal forces at the left foot, area of a dot as force", fontsize=9)
    return figure
