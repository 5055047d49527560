"""Soles glued to the feet of a robot, or rigid feet of the same shape.

The sole frame of a condensed sole is laid on that of the foot: bond plane on bond plane. A sole
whose pads hang on different links (a toe behind a joint) is split: pads share no material, so the
compliance between them is zero and each link gets its own block of C.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from contact.step import Body
from robot.modelling.robot_model import SIDES, RobotFoot, RobotModel
from robot.simulate import Touching
from sole.arrays import FloatArray, IntArray, frozen
from sole.condense import CondensedSole
from sole.errors import SoleError

SLACK = 1e-4  # m that a sole may be larger than its foot


@dataclass(frozen=True, eq=False, kw_only=True)
class FeetOnSoles:
    """What the feet of a robot stand on.

    Parameters
    ----------
    robot : with the inertia of the soles added to its feet.
    soles : left and right.
    touching : the bodies of the contact step; `sides` (B,) says whose foot each belongs to, 0 left.
    rigid : whether the treads are rigid.
    """

    robot: RobotModel
    soles: tuple[CondensedSole, CondensedSole]
    touching: tuple[Touching, ...]
    sides: IntArray
    rigid: bool

    @property
    def thickness(self) -> float:
        """From bond plane to tread [m]; that of the thicker sole."""
        return max(sole.thickness for sole in self.soles)

    @property
    def stiffness(self) -> FloatArray | None:
        """K6 (2, 6, 6) about the centres of the treads; None for rigid feet."""
        if self.rigid:
            return None
        return frozen([sole.foot_stiffness for sole in self.soles])


def on_soles(
    robot: RobotModel,
    left: CondensedSole,
    right: CondensedSole | None = None,
    *,
    rigid: bool = False,
    eta: float = 0.0,
    friction: float = 0.7,
) -> FeetOnSoles:
    """Glue soles to the feet.

    Parameters
    ----------
    robot : it keeps its own model; the returned one is a copy with the soles' inertia.
    left, right : condensed soles in the sole frame; by default the right one is the mirror image.
    rigid : same mass, height and contact nodes, but no compliance: the fair comparison.
    eta : Kelvin-Voigt time [s]. friction : Coulomb's mu.

    Raises
    ------
    SoleError
        A sole larger than its foot, or not under it.
    """
    import pinocchio as pin

    soles = (left, left.mirrored() if right is None else right)
    model = pin.Model(robot.model)
    touching: list[Touching] = []
    sides: list[int] = []
    for side, (foot, sole) in enumerate(zip(robot.feet, soles, strict=True)):
        _check_under(foot, sole)
        pose = pin.SE3(np.array(foot.sole_to_joint))
        own = sole.inertia
        model.appendBodyToJoint(
            foot.joint, pin.Inertia(own.mass, own.center_of_mass, own.inertia), pose
        )
        for frame, nodes in _parts(foot, sole):
            rows = (3 * nodes[:, None] + np.arange(3)).ravel()
            C = None if rigid else sole.compliance[np.ix_(rows, rows)]
            body = Body(points=sole.points[nodes], compliance=C, eta=eta, friction=friction)
            name = SIDES[side] if frame == foot.frame else f"{SIDES[side]} toe"
            touching.append(Touching(name=name, frame=frame, body=body))
            sides.append(side)
    return FeetOnSoles(
        robot=replace(robot, model=model),
        soles=soles,
        touching=tuple(touching),
        sides=frozen(sides, np.int64),
        rigid=rigid,
    )


def _parts(foot: RobotFoot, sole: CondensedSole) -> Sequence[tuple[int, IntArray]]:
    """Return the frames that carry pads, each with the nodes (k,) under its pads."""
    frames = list(dict.fromkeys(pad.frame for pad in foot.pads))
    if len(frames) == 1:
        return [(frames[0], np.arange(len(sole.points)))]
    owner = np.full(len(sole.points), -1)
    for pad in foot.pads:
        low, high = pad.corners.min(axis=0) - SLACK, pad.corners.max(axis=0) + SLACK
        inside = ((sole.points[:, :2] >= low) & (sole.points[:, :2] <= high)).all(axis=1)
        owner[inside] = pad.frame
    if (owner < 0).any():
        x, y, _ = sole.points[int(np.argmax(owner < 0))]
        raise SoleError(
            f"the {foot.side} sole has a node at x = {x:.4g}, y = {y:.4g} m under no pad of the "
            "foot: its pads must be those of the foot"
        )
    return [(frame, np.flatnonzero(owner == frame)) for frame in frames]


def _check_under(foot: RobotFoot, sole: CondensedSole) -> None:
    reach = np.abs(sole.points[:, :2]).max(axis=0)
    if (reach > foot.half_size + SLACK).any():
        a, b = 2e3 * reach
        c, d = 2e3 * foot.half_size
        raise SoleError(
            f"the sole reaches over the {foot.side} foot: {a:.1f} x {b:.1f} mm about the foot's "
            f"centre, the foot has {c:.1f} x {d:.1f} mm; make it smaller or move it under the foot"
        )
