"""How high a robot starts if its scenario does not say: no stone is in its soles.

    z = min { z >= 0 : gap(p_i + z e_z) >= CLEARANCE },

over the nodes p_i of both treads, as they stand with z = 0. Where none of them is deeper than
`INSIDE`, z = 0. Lifts are for gravel, bumps and slopes: beyond `MOST` a robot starts at the wrong
place, as inside stairs, and is refused as before. A step of up to `MOST` lifts a robot, too, which
then may begin on its edge: the warning of the margin tells.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from contact.ground import Ground
from robot.scenery import INSIDE, lift_out
from robot.soles import FeetOnSoles
from robot.walk.scenario import Scenario
from sole.base.arrays import FloatArray

CLEARANCE = 1e-5  # m: a tenth of what may be inside
MOST = 0.03  # m


def with_free_start(
    scenario: Scenario, feet: FeetOnSoles, ground: Ground
) -> tuple[Scenario, tuple[str, ...]]:
    """Return the scenario with a height of its start, and in words how much it was lifted."""
    s = scenario
    if s.start.z is not None:
        return s, ()
    level = replace(s, start=replace(s.start, z=0.0))
    nodes = treads_of(level, feet)
    if ground.clearance(nodes).min() >= -INSIDE:
        return level, ()
    z = lift_out(ground, nodes, CLEARANCE)
    if z is None or z > MOST:
        return level, ()  # `check_outside` says where, and what would do
    note = (
        f"the robot starts {1e3 * z:.3g} mm higher, so that no ground is in its soles "
        f"([start] z = {z:.4g} sets it)"
    )
    return replace(s, start=replace(s.start, z=z)), (note,)


def treads_of(scenario: Scenario, feet: FeetOnSoles) -> FloatArray:
    """Return the nodes (m, 3) of both treads at the start, in the world [m]."""
    stance = scenario.gait.stance(feet.robot, scenario.start.foothold)
    found = []
    for hold, sole in zip(stance.feet, feet.soles, strict=True):
        x, y, z = sole.points.T
        c, s = np.cos(hold.yaw), np.sin(hold.yaw)
        height = hold.z + sole.thickness + z
        found.append(np.column_stack([hold.x + c * x - s * y, hold.y + s * x + c * y, height]))
    return np.concatenate(found)
