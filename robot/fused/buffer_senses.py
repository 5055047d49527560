"""What a walk looks at after a step, in one call, from the buffers that compiled code wrote.

Case: steps of a robot alone with its soles. The step itself is not made; in a block, its senses are
made with it.
"""

from __future__ import annotations

import numpy as np

from contact.swept_step import open_sheet
from robot.control import Sensed
from robot.fused.fused_sheet import open_fused
from robot.sensing import StepSenses, find_loaded_pads, find_posture, sum_wrenches
from robot.simulator import SimStep, Simulator
from robot.soles import FeetOnSoles
from sole.base.arrays import BoolArray, Bundle, FloatArray, frozen, trusted
from sole.base.compiled import kernel


class BufferSenses(StepSenses):
    """Looks at the steps of one simulator, at their buffers where they have some.

    Parameters as for `StepSenses`.
    """

    def __init__(self, feet: FeetOnSoles, simulator: Simulator, least: float) -> None:
        super().__init__(feet, simulator, least)
        slots = simulator.stepper.start().status.shape[1]
        counts = len(simulator.servo.kp), slots
        arrays = self.pads.nodes, frozen(feet.sides, np.int64), *self.treads
        self.bundle = counts, arrays, least  # what `sense_sheets` needs
        self._seen: tuple[SimStep, Sensed, tuple[float, float]] | None = None

    def sensed(self, step: SimStep) -> Sensed:
        """See `StepSenses`, as for the others."""
        if self.alone and step.buffers is not None:
            return self._look(step, step.buffers)[0]
        return super().sensed(step)

    def wrenches(self, step: SimStep) -> FloatArray:  # noqa: D102
        if step.block is not None:
            return np.asarray(step.block.arrays.wrenches[step.index])
        return super().wrenches(step)

    def drives(self, step: SimStep) -> tuple[FloatArray, FloatArray]:  # noqa: D102
        if step.block is not None:
            torques, speeds = step.block.drives(step.index)
            return torques, speeds
        return super().drives(step)

    def posture(self, step: SimStep) -> tuple[float, float]:  # noqa: D102
        if step.block is not None:
            height, tilt = step.block.arrays.postures[step.index]
            return float(height), float(tilt)
        if self.alone and step.buffers is not None:
            return self._look(step, step.buffers)[1]
        return super().posture(step)

    def _look(
        self, step: SimStep, buffers: tuple[FloatArray, FloatArray]
    ) -> tuple[Sensed, tuple[float, float]]:
        """Return what is sensed, and the posture, from the buffers of a step."""
        if self._seen is None or self._seen[0] is not step:
            wrenches, switches = np.empty((2, 6)), np.empty(len(self.pads.sides), np.bool_)
            q, (counts, arrays, least) = step.state.q, self.bundle
            posture = sense_sheets(buffers, counts, arrays, q, least, wrenches, switches)
            known = trusted(Sensed, q=q, v=step.state.v, wrenches=wrenches, switches=switches)
            self._seen = step, known, posture
        return self._seen[1:]


@kernel
def sense_sheets(
    sheets: Bundle, counts: Bundle, feet: Bundle, q: FloatArray, least: float,
    wrenches: FloatArray, switches: BoolArray,
) -> tuple[float, float]:  # fmt: skip
    """Fill wrenches (2, 6) and switches (P,) of a step; return height and tilt of the waist.

    sheets : `SimStep.buffers`. counts : joints n, slots of a node. feet : pads (M,)
    of the nodes, foot (B,) of each body, the main bodies of the feet, heights of their treads in
    their axes [m]. least : force that closes a switch [N].
    """
    (joints, slots), (pads, sides, mains, depths) = counts, feet
    B = len(sides)
    robot, soles = open_fused(sheets[0], B, joints), open_sheet(sheets[1], len(pads), slots, B)
    wrenches[:] = sum_wrenches(sides, soles.twists[0].reshape(B, 6))
    switches[:] = find_loaded_pads(pads, len(switches), soles.forces, least)
    return find_posture(q, robot.R, robot.p, mains, depths)
