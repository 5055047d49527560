"""The parts of the reward, each of order one."""

from __future__ import annotations

from collections.abc import Sequence
from math import acos

import numpy as np

from robot.sensing import foot_wrenches
from robot.simulator import SimStep
from robot.soles import FeetOnSoles
from sole.base.constants import GRAVITY

WEIGHTS = {"alive": 1.0, "tilt": 0.2, "impact": 0.2, "energy": 0.1, "margin": 0.1}
TILT, SPEED = 0.1, 0.5  # rad, m/s: units of inclination and of power over the weight
SHARE = 0.05  # of the weight: feet with less have no margin


def reward_parts(feet: FeetOnSoles, steps: Sequence[SimStep], fell: bool) -> dict[str, float]:
    """Return the parts over some steps by name.

    alive : 1, or 0 when the robot fell. tilt : -(inclination/0.1 rad)^2 of the waist at the end,
    -10 at least.
    impact : minus what the largest force on a foot has above 1.2 times the weight, over the weight.
    energy : minus the mean of sum |torque x joint velocity| over (weight x 0.5 m/s).
    margin : least distance of a loaded foot's centre of pressure from the edges of the tread, over
    half its width; 0 if none is loaded.
    """
    weight = feet.robot.mass * GRAVITY
    x, y = steps[-1].state.q[3:5]
    tilt = acos(max(-1.0, 1.0 - 2.0 * float(x * x + y * y)))
    peak, power, margin = 0.0, 0.0, np.inf
    n = len(feet.robot.joints)
    for step in steps:
        power += float(np.abs(step.torques[:n] * step.state.v[6 : 6 + n]).sum())
        wrenches = foot_wrenches(feet, step.last)
        peak = max(peak, float(wrenches[:, 2].max()))
        for f, w in enumerate(wrenches):
            if w[2] > SHARE * weight:
                (low, high), depth = feet.edges[f], feet.thicknesses[f]
                cop = np.array([-w[4] - depth * w[0], w[3] - depth * w[1]]) / w[2]
                edge = float(np.minimum(cop - low, high - cop).min())
                margin = min(margin, edge / float((high - low).min() / 2))
    return {
        "alive": 0.0 if fell else 1.0,
        "tilt": -min((tilt / TILT) ** 2, 10.0),
        "impact": -max(0.0, peak / weight - 1.2),
        "energy": -power / len(steps) / (weight * SPEED),
        "margin": float(margin) if np.isfinite(margin) else 0.0,
    }
