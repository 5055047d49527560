"""The parts of the reward, each of order one."""

from __future__ import annotations

from collections.abc import Sequence
from math import acos

import numpy as np

from robot.sensing import StepSenses
from robot.simulator import SimStep
from robot.soles import FeetOnSoles
from sole.base.arrays import FloatArray
from sole.base.constants import GRAVITY

WEIGHTS = {"alive": 1.0, "tilt": 0.2, "impact": 0.2, "energy": 0.1, "margin": 0.1}
TILT, SPEED = 0.1, 0.5  # rad, m/s: units of inclination and of power over the weight
SHARE = 0.05  # of the weight: feet with less have no margin


def reward_parts(
    senses: StepSenses, steps: Sequence[SimStep], wrenches: FloatArray, fell: bool
) -> dict[str, float]:
    """Return the parts over N steps by name; wrenches (N, 2, 6) on the feet, sole frames [N, N m].

    alive : 1, or 0 when the robot fell. tilt : -(inclination/0.1 rad)^2 of the waist at the end,
    -10 at least.
    impact : minus what the largest force on a foot has above 1.2 times the weight, over the weight.
    energy : minus the mean of sum |torque x joint velocity| over (weight x 0.5 m/s).
    margin : least distance of a loaded foot's centre of pressure from the edges of the tread, over
    half its width; 0 if none is loaded.
    """
    feet = senses.feet
    weight = feet.robot.mass * GRAVITY
    x, y = steps[-1].state.q[3:5]
    tilt = acos(max(-1.0, 1.0 - 2.0 * float(x * x + y * y)))
    torques, speeds = np.swapaxes([senses.drives(step) for step in steps], 0, 1)
    power = float(np.abs(torques * speeds).sum())
    margin = _least_margin(feet, wrenches, SHARE * weight)
    return {
        "alive": 0.0 if fell else 1.0,
        "tilt": -min((tilt / TILT) ** 2, 10.0),
        "impact": -max(0.0, float(wrenches[:, :, 2].max()) / weight - 1.2),
        "energy": -power / len(steps) / (weight * SPEED),
        "margin": margin if np.isfinite(margin) else 0.0,
    }


def _least_margin(feet: FeetOnSoles, w: FloatArray, least: float) -> float:
    """Return the least margin of feet with more than `least` [N]; infinite if there is none."""
    margin = np.inf
    for foot, (low, high) in enumerate(feet.edges):
        own, depth = w[w[:, foot, 2] > least, foot], feet.thicknesses[foot]
        if len(own):
            moments = np.stack([-own[:, 4] - depth * own[:, 0], own[:, 3] - depth * own[:, 1]])
            cop = (moments / own[:, 2]).T
            edge = float(np.minimum(cop - low, high - cop).min())
            margin = min(margin, edge / float((high - low).min() / 2))
    return margin
