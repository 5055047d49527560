"""Which wrenches the ground can give in each support phase: cones of one foot, or of both.

One foot: the 16 rows of its rectangle in the frame of its tread. Both feet: the cone of all eight
corners about the midpoint, so that the wrench need not be shared between the feet.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from contact.wrench_cone import WrenchCone
from robot.gait import BodyPath, Schedule
from robot.retime.retime_choice import ConeChoice
from sole.base.arrays import FloatArray


@dataclass(frozen=True, eq=False, kw_only=True)
class PhaseCones:
    """One cone per support phase.

    Parameters
    ----------
    schedule : the phases, over s. cones : (P,) of them. frames : (P, 4, 4) poses of their frames
        in the world: of a tread, or level between the treads.
    choice, edges : what they are made of.
    """

    schedule: Schedule
    cones: tuple[WrenchCone, ...]
    frames: FloatArray
    choice: ConeChoice
    edges: FloatArray

    def side(self, phase: int) -> int | None:
        """Return the foot that carries alone in a phase, None if both carry."""
        left, right = self.schedule.carrying[phase]
        return None if left and right else 1 - int(left)


def phase_cones(path: BodyPath, choice: ConeChoice, edges: FloatArray | None = None) -> PhaseCones:
    """Return the rigid cones of a path.

    `edges` (2, 2, 2): smallest and largest x, y of the left and the right tread in the sole frame
    [m]; None: of the feet.
    """
    import pinocchio as pin

    robot = path.robot
    data, schedule = robot.model.createData(), path.schedule(lambda s: s)
    if edges is None:
        edges = np.array([[-foot.half_size, foot.half_size] for foot in robot.feet])
    middle = (schedule.edges[1:] + schedule.edges[:-1]) / 2
    postures = path.motion(middle)[0]
    cones, frames, known = [], np.zeros((len(middle), 4, 4)), {}
    for phase, q in enumerate(postures):
        pin.framesForwardKinematics(robot.model, data, q)
        treads = []
        for side, foot in enumerate(robot.feet):
            place = data.oMf[foot.frame].homogeneous.copy()
            centre = np.array([*edges[side].mean(axis=0), -path.thickness[side]])
            place[:3, 3] += place[:3, :3] @ centre
            treads.append(place)
        carrying = schedule.carrying[phase]
        if carrying.sum() == 1:
            side = int(carrying[1])
            frames[phase] = treads[side]
            key = ("one", side)
            if key not in known:
                X, Y = choice.area * np.ptp(edges[side], axis=0) / 2
                known[key] = WrenchCone.of_rectangle(
                    float(X), float(Y), choice.friction, choice.pyramid
                )
            cones.append(known[key])
            continue
        frames[phase] = np.eye(4)
        frames[phase][:3, 3] = (treads[0][:3, 3] + treads[1][:3, 3]) / 2
        points, axes = [], []
        for side, tread in enumerate(treads):
            X, Y = choice.area * np.ptp(edges[side], axis=0) / 2
            corners = np.array([[X, Y, 0], [-X, Y, 0], [-X, -Y, 0], [X, -Y, 0]])
            points.append(corners @ tread[:3, :3].T + tread[:3, 3] - frames[phase][:3, 3])
            axes.append(np.tile(tread[:3, :3].T, (4, 1, 1)))
        cones.append(
            WrenchCone.of_contacts(
                np.concatenate(points), np.concatenate(axes), choice.friction, choice.pyramid
            )
        )
    return PhaseCones(
        schedule=schedule, cones=tuple(cones), frames=frames, choice=choice, edges=edges
    )
