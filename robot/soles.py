"""Soles glued to the feet of a robot, or rigid feet of the same shape.

The sole frame of a condensed sole coincides with that of the foot, or is shifted by `place`. The
two soles may differ in thickness; both stand on the same ground. A sole whose pads belong to
different links (a toe behind a joint) is split: pads share no material, so the compliance between
them is zero and each link gets its own block of C.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from contact.constants import FRICTION
from contact.step import Body
from robot.model import SIDES, RobotFoot, RobotModel
from robot.simulator import Touching
from sole.base.arrays import FloatArray, IntArray, frozen
from sole.base.errors import SoleError
from sole.condense import CondensedSole

__all__ = ["FeetOnSoles", "on_soles"]


SLACK = 1e-4  # m by which a sole may exceed its foot


@dataclass(frozen=True, eq=False, kw_only=True)
class FeetOnSoles:
    """A robot and the soles under its feet.

    Parameters
    ----------
    robot : the robot, with the inertia of the soles added to its feet.
    soles : left and right, placed in the sole frames of the feet.
    touching : the bodies of the contact step. `sides` (B,) gives the foot of each, 0 left; `nodes`
        the indices (k,) of its nodes in that foot's sole.
    rigid : whether the soles are rigid.
    """

    robot: RobotModel
    soles: tuple[CondensedSole, CondensedSole]
    touching: tuple[Touching, ...]
    sides: IntArray
    nodes: tuple[IntArray, ...]
    rigid: bool

    @property
    def thickness(self) -> float:
        """Distance from bond plane to tread of the thicker sole [m]."""
        return max(sole.thickness for sole in self.soles)

    @cached_property
    def thicknesses(self) -> tuple[float, float]:
        """Thickness of the left and the right sole [m]."""
        left, right = self.soles
        return left.thickness, right.thickness

    @cached_property
    def edges(self) -> FloatArray:
        """Smallest and largest x, y of each tread (2, 2, 2), in the sole frame of its foot [m]."""
        outlines = [sole.points[:, :2] for sole in self.soles]
        return frozen([[points.min(axis=0), points.max(axis=0)] for points in outlines])

    @property
    def stiffness(self) -> FloatArray | None:
        """Stiffness K6 (2, 6, 6) about the centres of the treads; None for rigid feet."""
        if self.rigid:
            return None
        return frozen([sole.foot_stiffness for sole in self.soles])


def on_soles(
    robot: RobotModel,
    left: CondensedSole,
    right: CondensedSole | None = None,
    *,
    place: tuple[float, float] = (0.0, 0.0),
    right_place: tuple[float, float] | None = None,
    rigid: bool = False,
    eta: float = 0.0,
    friction: float = FRICTION,
) -> FeetOnSoles:
    """Glue soles to the feet.

    Parameters
    ----------
    robot : is not changed; the result holds a copy with the soles' inertia.
    left, right : condensed soles in the sole frame. The default right sole mirrors the left one.
    place : x, y of the left sole's origin in the sole frame of its foot [m]. right_place : the same
        for the right sole; by default the mirror image.
    rigid : keep mass, height and contact nodes, drop the compliance (for a fair comparison).
    eta : Kelvin-Voigt time [s]. friction : Coulomb's mu.

    Raises
    ------
    SoleError
        A sole exceeds its foot or is not under it.
    """
    import pinocchio as pin

    x, y = place
    soles = (
        _placed(left, place),
        _placed(
            left.mirrored() if right is None else right,
            (x, -y) if right_place is None else right_place,
        ),
    )
    model = pin.Model(robot.model)
    touching: list[Touching] = []
    sides: list[int] = []
    held: list[IntArray] = []
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
            body = Body(
                points=sole.points[nodes],
                compliance=C,
                eta=eta,
                friction=friction,
                thickness=sole.thickness,
            )
            name = SIDES[side] if frame == foot.frame else f"{SIDES[side]} toe"
            touching.append(Touching(name=name, frame=frame, body=body))
            sides.append(side)
            held.append(nodes)
    return FeetOnSoles(
        robot=replace(robot, model=model),
        soles=soles,
        touching=tuple(touching),
        sides=frozen(sides, np.int64),
        nodes=tuple(held),
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
            "foot: give the sole the pads of the foot"
        )
    return [(frame, np.flatnonzero(owner == frame)) for frame in frames]


def _placed(sole: CondensedSole, place: tuple[float, float]) -> CondensedSole:
    """Return the sole with its origin at x, y; its stiffness stays the same."""
    if not np.isfinite(place).all():
        raise SoleError(f"sole: place must be x and y [m], finite, got {place}")
    if place == (0.0, 0.0):
        return sole
    mesh = replace(sole.mesh, points=sole.mesh.points + np.array([*place, 0.0]))
    return replace(sole, mesh=mesh)


def _check_under(foot: RobotFoot, sole: CondensedSole) -> None:
    """Refuse a sole that is not under its foot or does not cover the centre of its foot."""
    mesh = sole.mesh
    glued = mesh.points[np.unique(mesh.bond)]
    outline = np.concatenate([sole.points[:, :2], glued[:, :2]])
    low, high = outline.min(axis=0), outline.max(axis=0)
    over = np.array([high - foot.half_size, -foot.half_size - low])
    if over.max() > SLACK:
        end, axis = np.unravel_index(int(over.argmax()), over.shape)
        edge = (("front", "left"), ("back", "right"))[end][axis]
        (a, b), (c, d) = 1e3 * (high - low), 2e3 * foot.half_size
        raise SoleError(
            f"the {foot.side} sole ({a:.1f} x {b:.1f} mm) extends {1e3 * over.max():.1f} mm beyond "
            f"the {edge} edge of its foot ({c:.1f} x {d:.1f} mm); make it smaller or move it under "
            "the foot (place = [x, y])"
        )
    height = float(glued[:, 2].max())
    if abs(height) > SLACK:
        raise SoleError(
            f"the bond of the {foot.side} sole is {1e3 * abs(height):.1f} mm "
            f"{'above' if height > 0 else 'below'} the underside of the foot: put the highest "
            "point of the bond at z = 0 of the sole frame"
        )
    if (low >= 0).any() or (high <= 0).any():
        raise SoleError(
            f"the {foot.side} sole does not cover the centre of its foot (x {low[0]:.4g} to "
            f"{high[0]:.4g}, y {low[1]:.4g} to {high[1]:.4g} m): gaits put the weight there; move "
            "the sole under it"
        )
