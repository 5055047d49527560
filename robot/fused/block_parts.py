"""What blocks of steps need of a simulator: its parts, short ways of the contact step, a layout.

Conditions: exact contact with the fixed world, no rigid contact points, no springs, no penalty.
"""

from __future__ import annotations

import numpy as np

from contact.step import CompliantStep
from contact.swept_step import ways_of
from robot.fused.fused_sheet import fused_sheet
from robot.simulator import Simulator


class BlockParts:
    """The parts of a `simulator` whose contact step, `stepper`, has the short ways.

    Attributes
    ----------
    dynamics, space, laws, stepper : of the simulator. affine, swept : the short ways.
    first : index of the first joint in v.
    places : layout of what a step writes besides the soles, `robot.fused.fused_sheet`; new : v+
        in it.
    robot : what `begin_step` takes as its robot, without forces from outside.
    """

    def __init__(self, simulator: Simulator, stepper: CompliantStep) -> None:
        s = simulator
        self.dynamics, self.space, self.laws = dynamics, _, laws = s.dynamics, s.space, s.laws
        self.stepper, self.first = stepper, s.joints.start
        self.affine, self.swept = ways_of(stepper)
        nv = s.model.nv
        self.places = fused_sheet(len(dynamics.frames), len(laws.servo.kp), nv)
        start = self.places.places["motion"][0].start
        self.new = slice(start, start + nv)
        self.robot = dynamics.robot, dynamics.links, dynamics.terms, False, np.zeros(nv)

    @staticmethod
    def of(simulator: Simulator) -> BlockParts | None:
        """Return the parts of a simulator; None: it has springs, objects, penalties, no ways."""
        stepper = simulator.stepper
        if simulator.couplings or simulator.moving or not isinstance(stepper, CompliantStep):
            return None
        return BlockParts(simulator, stepper) if stepper.ways else None
