"""The law tau_safe in walks: long steps and a turn on little friction, with and without it.

Every pair of walks is alike but for the law. Pairs differ in robot, friction, steps, turn, rhythm
and modulus; pairs that are the same in every bit count once.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from math import radians
from typing import TYPE_CHECKING

import numpy as np

from robot.gait import Walking, change_gait
from robot.papers.experiments.foot_yaw import foot_yaw
from robot.papers.experiments.paired_walks import median_interval
from robot.papers.experiments.run_bits import bits_of, first_of_each
from robot.run import Run
from robot.walk import ControlChoice, RecordingOptions, Scenario, SoleChoice, assemble_walk, execute
from sole.base.arrays import spans
from sole.claims import Effort, Findings

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = [
    "SLIPPERY",
    "TurnedFeet",
    "compare_yaw_laws",
    "foot_turns",
    "reproduce_yaw_law",
    "slippery_draws",
]

TURNING = Walking(steps=4, forward=0.3, turn=radians(8), single=0.6)
SLIPPERY = Scenario(robot="hrp4-like", sole=SoleChoice(friction=0.2), gait=TURNING)
FULL, QUICK, SEED = 14, 2, 1  # pairs
ROBOTS = ("hrp4-like", "hrp2-like")
LOADED = 0.05  # of the weight: a foot that carries
SHORTEST = 0.1  # s of a stance
UNWANTED = radians(0.5)  # turn of a foot that slides; pads alone twist by less


@dataclass(frozen=True, eq=False)
class TurnedFeet:
    """A walk: its run, and the largest turn of a foot while it carries [rad]."""

    run: Run
    yaw: float

    @property
    def fell(self) -> bool:
        """Whether the robot fell."""
        return bool(self.run.header["fall"]["fell"])

    @property
    def tilt(self) -> float:
        """Largest tilt of the waist [rad]."""
        return float(self.run["waist_tilt"].max())


def slippery_draws(count: int) -> Iterator[Scenario]:
    """Yield walks that differ in robot, friction, E of the pads, step, turn and rhythm.

    A Halton sequence fills the ranges: friction 0.14 to 0.22, E 1 to 10 MPa by its logarithm, steps
    of 0.2 to 0.3 m, turns of 4 to 8 deg, single support 0.6 to 0.75 s.
    """
    from scipy.stats.qmc import Halton

    for u in Halton(6, rng=SEED).random(count):
        yield replace(
            SLIPPERY,
            robot=ROBOTS[int(len(ROBOTS) * u[5])],
            sole=SoleChoice(friction=round(0.14 + 0.08 * u[0], 3), young=round(10 ** (6 + u[1]))),
            gait=replace(
                TURNING,
                forward=round(0.2 + 0.1 * u[2], 3),
                turn=radians(round(4 + 4 * u[3], 1)),
                single=round(0.6 + 0.15 * u[4], 3),
            ),
        )


def foot_turns(run: Run) -> Iterator[float]:
    """Yield by how much each foot turned during each of its stances [rad]."""
    yaw = foot_yaw(run)
    for foot in range(yaw.shape[1]):
        for start, end in spans(run["wrench_world"][:, foot, 2] > LOADED * run.weight):
            if run.time[end - 1] - run.time[start] > SHORTEST:
                yield float(np.ptp(yaw[start:end, foot]))


def compare_yaw_laws(scenario: Scenario) -> dict[str, TurnedFeet]:
    """Return the walk with the yaw torque of the plan, and with the safe one."""
    found = {}
    for yaw in ("plan", "safe"):
        control = replace(scenario.control, yaw=yaw)
        run = execute(assemble_walk(replace(scenario, control=control)), RecordingOptions()).run
        found[yaw] = TurnedFeet(run, max(foot_turns(run)))
    return found


def reproduce_yaw_law(effort: Effort) -> Findings:
    """Walk with and without the law; quick: two pairs of two steps, coarse soles, dt = 2 ms."""
    count = QUICK if effort.quick else FULL
    pairs: list[dict[str, TurnedFeet]] = []
    for k, scenario in enumerate(slippery_draws(count)):
        pairs.append(compare_yaw_laws(_coarse(scenario) if effort.quick else scenario))
        effort.tell((k + 1) / count)
    return Findings(numbers=_compared(pairs), pictures={"safe_yaw_law": lambda: _draw(pairs[0])})


def _coarse(scenario: Scenario) -> Scenario:
    return replace(
        scenario,
        sole=replace(scenario.sole, size=0.06, element="p1"),
        gait=change_gait(scenario.gait, {"steps": 2, "initial": 1.2, "final": 1.2}),
        control=ControlChoice(period=2e-3),
        dt=2e-3,
    )


def _compared(pairs: list[dict[str, TurnedFeet]]) -> dict[str, float]:
    """Return medians over distinct pairs that stand, with the ends of their 95 % intervals.

    `ratio`: turn of a foot with the law over that without, in the `turned` pairs. `tilt`: what the
    law adds to the tilt of the waist [deg]. `more_fall`: pairs that fall with the law alone;
    `fewer_fall`: without alone.
    """
    walked = [(p["plan"], p["safe"]) for p in pairs]
    ends = first_of_each(walked, lambda pair: (bits_of(pair[0].run), bits_of(pair[1].run)))
    stand = [(plan, safe) for plan, safe in ends if not plan.fell and not safe.fell]
    turned = [(plan, safe) for plan, safe in stand if max(plan.yaw, safe.yaw) > UNWANTED]
    ratio = median_interval(np.array([safe.yaw / plan.yaw for plan, safe in turned]))
    tilt = median_interval(np.degrees([safe.tilt - plan.tilt for plan, safe in stand]))
    return {
        "walked": float(len(pairs)),
        "distinct": float(len(ends)),
        "pairs": float(len(stand)),
        "turned": float(len(turned)),
        "more_fall": float(sum(safe.fell and not plan.fell for plan, safe in ends)),
        "fewer_fall": float(sum(plan.fell and not safe.fell for plan, safe in ends)),
        "plan": float(np.degrees(np.median([plan.yaw for plan, _ in turned]))),
        "safe": float(np.degrees(np.median([safe.yaw for _, safe in turned]))),
        **dict(zip(("ratio", "ratio_low", "ratio_high"), ratio, strict=True)),
        **dict(zip(("tilt", "tilt_low", "tilt_high"), tilt, strict=True)),
    }


def _draw(found: dict[str, TurnedFeet]) -> Figure:
    """Draw the yaw torque and the turn of each foot over time."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(8.0, 5.0), layout="constrained")
    axes = figure.subplots(2, 2, sharex=True, sharey="row")
    for column, (name, one) in enumerate(found.items()):
        run = one.run
        yaw = np.degrees(foot_yaw(run))
        on = run["wrench_world"][:, :, 2] > LOADED * run.weight
        for foot, color in enumerate(("C3", "C0")):
            torque = np.where(on[:, foot], run["wrench_foot"][:, foot, 5], np.nan)
            axes[0, column].plot(run.time, torque, color=color, lw=1, label=run.feet[foot])
            turned = np.where(on[:, foot], yaw[:, foot], np.nan)
            axes[1, column].plot(run.time, turned, color=color, lw=1)
        axes[0, column].set_title({"plan": "plan", "safe": "safe yaw torque"}[name], fontsize=10)
        axes[1, column].set_xlabel("time [s]")
    axes[0, 0].set_ylabel("yaw torque [N m]")
    axes[1, 0].set_ylabel("yaw of a loaded foot [deg]")
    axes[0, 0].legend(fontsize=8)
    return figure
