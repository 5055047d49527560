"""What a walk looks at after every step: feet, pads, posture; of a fused step, in one call."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from robot.control import Sensed
from robot.sensing import find_posture, foot_wrenches, pads_of, sense_sheets
from robot.simulator import SimStep, Simulator
from robot.soles import FeetOnSoles
from sole.base.arrays import FloatArray, frozen, trusted


class StepSenses:
    """Looks at the steps of one simulator.

    Parameters
    ----------
    feet, simulator : of the walk.
    least : force on a pad above which its switch is closed [N].
    """

    def __init__(self, feet: FeetOnSoles, simulator: Simulator, least: float) -> None:
        self.feet, self.simulator, self.least = feet, simulator, least
        self.pads = pads_of(feet)
        sides = feet.sides.tolist()
        mains = [sides.index(f) for f in sorted(set(sides))]
        depths = [float(feet.touching[b].body.points[:, 2].min()) for b in mains]
        model, soles = simulator.model, simulator.stepper.start()
        bodies = len(simulator.touching)
        self.alone = model.nq == feet.robot.model.nq and bodies == len(feet.touching)
        self._counts = len(simulator.servo.kp), soles.status.shape[1]
        places = frozen(mains, np.int64), frozen(depths)
        self._arrays = self.pads.nodes, frozen(feet.sides, np.int64), *places
        self.bundle = self._counts, self._arrays, least
        self._seen: tuple[SimStep, Sensed, tuple[float, float]] | None = None

    def at_rest(self, q: FloatArray, v: FloatArray) -> Sensed:
        """Return what is known of a robot that nothing touches."""
        model, open_pads = self.feet.robot.model, np.zeros(len(self.pads.sides), np.bool_)
        wrenches = np.zeros((2, 6))
        return Sensed(q=q[: model.nq], v=v[: model.nv], wrenches=wrenches, switches=open_pads)

    def sensed(self, step: SimStep) -> Sensed:
        """Return the true state at the end of a step, with its wrenches and switches."""
        if self.alone and step.buffers is not None:
            return self._look(step, step.buffers)[0]
        step = take_robot(step, self.feet)
        return Sensed(
            q=step.state.q,
            v=step.state.v,
            wrenches=foot_wrenches(self.feet, step),
            switches=self.pads.closed(step, self.least),
        )

    def wrenches(self, step: SimStep) -> FloatArray:
        """Return the true mean wrenches (2, 6) on the feet over a step, axes of sole frames."""
        if step.block is not None:
            return np.asarray(step.block.arrays.wrenches[step.index])
        return foot_wrenches(self.feet, step)

    def posture(self, step: SimStep) -> tuple[float, float]:
        """Return the height of the waist over the lower tread [m] and its tilt [rad]."""
        if step.block is not None:
            height, tilt = step.block.arrays.postures[step.index]
            return float(height), float(tilt)
        if self.alone and step.buffers is not None:
            return self._look(step, step.buffers)[1]
        return find_posture(step.state.q, *step.poses, *self._arrays[2:])

    def _look(
        self, step: SimStep, buffers: tuple[FloatArray, FloatArray]
    ) -> tuple[Sensed, tuple[float, float]]:
        """Return what is sensed, and the posture, from the buffers of a step."""
        if self._seen is None or self._seen[0] is not step:
            wrenches, switches = np.empty((2, 6)), np.empty(len(self.pads.sides), np.bool_)
            q = step.state.q
            posture = sense_sheets(
                buffers, self._counts, self._arrays, q, self.least, wrenches, switches
            )
            known = trusted(Sensed, q=q, v=step.state.v, wrenches=wrenches, switches=switches)
            self._seen = step, known, posture
        return self._seen[1:]


def take_robot(step: SimStep, feet: FeetOnSoles) -> SimStep:
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
