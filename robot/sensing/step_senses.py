"""What a walk looks at after every step: feet, pads and posture."""

from __future__ import annotations

from dataclasses import replace
from math import acos, inf

import numpy as np

from robot.control import Sensed
from robot.sensing.pads import pads_of
from robot.sensing.sensors import foot_wrenches
from robot.simulator import SimStep, Simulator
from robot.soles import FeetOnSoles
from sole.base.arrays import FloatArray, IntArray, frozen
from sole.base.compiled import kernel


class StepSenses:
    """Looks at the steps of one simulator.

    Parameters
    ----------
    feet, simulator : of the walk.
    least : force on a pad above which its switch is closed [N].

    Attributes
    ----------
    alone : whether nothing but the robot and its soles is in the simulator.
    """

    def __init__(self, feet: FeetOnSoles, simulator: Simulator, least: float) -> None:
        self.feet, self.simulator, self.least = feet, simulator, least
        self.pads = pads_of(feet)
        sides = feet.sides.tolist()
        mains = [sides.index(f) for f in sorted(set(sides))]
        depths = [float(feet.touching[b].body.points[:, 2].min()) for b in mains]
        model, bodies = simulator.model, len(simulator.touching)
        self.alone = model.nq == feet.robot.model.nq and bodies == len(feet.touching)
        self.treads = frozen(mains, np.int64), frozen(depths)

    def at_rest(self, q: FloatArray, v: FloatArray) -> Sensed:
        """Return what is known of a robot that nothing touches."""
        model, open_pads = self.feet.robot.model, np.zeros(len(self.pads.sides), np.bool_)
        wrenches = np.zeros((2, 6))
        return Sensed(q=q[: model.nq], v=v[: model.nv], wrenches=wrenches, switches=open_pads)

    def sensed(self, step: SimStep) -> Sensed:
        """Return the true state at the end of a step, with its wrenches and switches."""
        step = without_objects(step, self.feet)
        return Sensed(
            q=step.state.q,
            v=step.state.v,
            wrenches=foot_wrenches(self.feet, step),
            switches=self.pads.closed(step, self.least),
        )

    def wrenches(self, step: SimStep) -> FloatArray:
        """Return the true mean wrenches (2, 6) on the feet over a step, axes of sole frames."""
        return foot_wrenches(self.feet, step)

    def drives(self, step: SimStep) -> tuple[FloatArray, FloatArray]:
        """Return torques [N m] and speeds [rad/s] of the robot's joints in a step, (n,) each."""
        n = len(self.feet.robot.joints)
        return step.torques[:n], step.state.v[6 : 6 + n]

    def posture(self, step: SimStep) -> tuple[float, float]:
        """Return the height of the waist over the lower tread [m] and its tilt [rad]."""
        return find_posture(step.state.q, *step.poses, *self.treads)


def without_objects(step: SimStep, feet: FeetOnSoles) -> SimStep:
    """Return a step without bushes and objects, with the wrenches of the feet only."""
    m, B = feet.robot.model, len(feet.touching)
    if len(step.state.q) == m.nq and len(step.contact.wrenches) == B:
        return step
    return replace(
        step,
        state=replace(step.state, q=step.state.q[: m.nq], v=step.state.v[: m.nv]),
        contact=replace(step.contact, wrenches=step.contact.wrenches[:B]),
        acceleration=step.acceleration[: m.nv],
    )


@kernel
def find_posture(
    q: FloatArray, R: FloatArray, p: FloatArray, mains: IntArray, depths: FloatArray
) -> tuple[float, float]:
    """Return the height of the waist over the lower tread [m] and its tilt [rad].

    R (B, 3, 3), p (B, 3) of the contact frames. mains (2,) : the main bodies of the feet.
    depths (2,) : heights of their treads in their axes [m].
    """
    lowest = inf
    for k in range(len(mains)):
        b = mains[k]
        lowest = min(lowest, p[b, 2] + depths[k] * R[b, 2, 2])
    return q[2] - lowest, acos(max(-1.0, 1.0 - 2.0 * (q[3] * q[3] + q[4] * q[4])))
