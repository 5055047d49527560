"""The robot model used throughout the project: dynamics, feet, limits, shapes."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from sole.base.arrays import FloatArray, frozen
from sole.base.errors import SoleError
from sole.shape import Pad, Polygon, Rectangle, Shape

SIDES = ("left", "right")


@dataclass(frozen=True, eq=False, kw_only=True)
class Solid:
    """A simple shape fixed to a joint, for pictures and contact points.

    Parameters
    ----------
    kind : "box", "capsule", "cylinder", "sphere" or "mesh".
    link : name of its link; joint : id of the joint that carries it.
    placement : (4, 4) pose of the solid in the joint's frame [m]. A box is centred; a capsule or
        cylinder extends along its own z from -length/2 to length/2.
    size : (3,) [m]; box: full lengths; capsule and cylinder: radius, length between the centres
        of the ends, 0; sphere: radius, 0, 0; mesh: the scale of the file's coordinates [1].
    path : the file of a mesh, None otherwise.
    """

    kind: str
    link: str
    joint: int
    placement: FloatArray
    size: FloatArray
    path: Path | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "placement", frozen(self.placement))
        object.__setattr__(self, "size", frozen(self.size))


@dataclass(frozen=True, eq=False, kw_only=True)
class FootPad:
    """A convex part of a foot's underside, to which a sole or part of a sole can be glued.

    Parameters
    ----------
    corners : (k, 2) x, y in the sole frame, anticlockwise seen from above [m].
    frame : id of the frame that carries the pad: the foot's sole frame or, for a pad in front of a
        toe joint, a frame of the toe that coincides with it at toe angle 0.
    """

    corners: FloatArray
    frame: int

    def __post_init__(self) -> None:
        object.__setattr__(self, "corners", frozen(self.corners))


@dataclass(frozen=True, eq=False, kw_only=True)
class RobotFoot:
    """One foot and its sole frame.

    The sole frame has x forward, y left, z up. Its origin is the centre of the outline on the *bond
    plane* z = 0: the underside of the rigid foot, where a sole is glued. The tread of a sole of
    thickness h lies at z = -h. Without a sole the bond plane itself touches the ground.

    Parameters
    ----------
    side : "left" or "right".
    link : the link that carries the sole frame. frame_name, frame : name and id of the frame.
    joint : id of the joint that carries it.
    sole_to_joint : (4, 4) pose of the sole frame in the joint's frame [m].
    half_size : (2,) half the outline's length X and width Y [m].
    pads : one or more convex parts; their bounding box is -X to X, -Y to Y.
    """

    side: str
    link: str
    frame_name: str
    frame: int
    joint: int
    sole_to_joint: FloatArray
    half_size: FloatArray
    pads: tuple[FootPad, ...]

    def __post_init__(self) -> None:
        object.__setattr__(self, "sole_to_joint", frozen(self.sole_to_joint))
        object.__setattr__(self, "half_size", frozen(self.half_size))
        corners = np.concatenate([pad.corners for pad in self.pads])
        bound = np.array([corners.min(axis=0), corners.max(axis=0)])
        if not np.allclose(bound, [-self.half_size, self.half_size], rtol=0.0, atol=1e-9):
            raise SoleError(
                f"{self.side} foot: pads span {bound[0]} to {bound[1]} m, expected +-"
                f"{self.half_size}: the sole frame must be at the centre of the outline"
            )

    @property
    def rectangular(self) -> bool:
        """Whether the outline is one full rectangle."""
        if len(self.pads) > 1 or len(self.pads[0].corners) != 4:
            return False
        return bool(np.allclose(np.abs(self.pads[0].corners), self.half_size, atol=1e-9))

    def shape(self, thickness: float) -> Shape:
        """Return the outline as the shape of a sole of this thickness [m], ready to be meshed."""
        name = f"{self.link}"
        if self.rectangular:
            length, width = (float(s) for s in 2.0 * self.half_size)
            rectangle = Rectangle(length=length, width=width)
            return Shape(name=name, rectangle=rectangle, thickness=thickness)
        if len(self.pads) == 1:
            points = tuple((float(x), float(y)) for x, y in self.pads[0].corners)
            return Shape(name=name, polygon=Polygon(points=points), thickness=thickness)
        pads = []
        for pad in self.pads:
            low, high = pad.corners.min(axis=0), pad.corners.max(axis=0)
            (x, y), (length, width) = (low + high) / 2, high - low
            pads.append(Pad(x=float(x), y=float(y), length=float(length), width=float(width)))
        return Shape(name=name, pads=tuple(pads), thickness=thickness)


@dataclass(frozen=True, eq=False, kw_only=True)
class RobotModel:
    """A robot with a floating base; its mass matrix has been checked to be positive definite.

    The base is a free flyer: q = (x, y, z, quaternion x y z w, joint angles) and v = (linear and
    angular velocity of the base in its own axes, joint velocities).

    Parameters
    ----------
    name : name of the robot. about : one line on what it is and where it comes from.
    model : `pinocchio.Model` with `armature` = rotor inertias. It is shared: copy it to change it.
    q0 : (nq,) half-sitting reference. The midpoint of the two sole frames is the origin, so the
        bond planes lie at z = 0 (a sole of thickness h lifts the robot by h).
    feet : left and right.
    joints : names of the actuated joints, in the order of v[6:].
    lower, upper : (n,) range of the joints [rad]; infinite where there is no limit.
    velocity, torque : (n,) limits of the drives [rad/s, N m]; infinite where unknown.
    armature : (n,) rotor inertias seen at the joint [kg m2].
    waist, imu : frame ids of the floating link and of the inertial sensor.
    legs : left and right; ids of the joints from the waist to the foot, without shared joints and
        toe joints.
    contact_points : ids of further frames that may touch, by name (hands).
    solids : simple shapes, at least of the trunk and the limbs if the source has them.
    notes : published data and our guesses. warnings : corrections made to a file, and what was
        found because it does not say it. doubts : what in a file is possible, but odd.
    """

    name: str
    about: str
    model: Any
    q0: FloatArray
    feet: tuple[RobotFoot, RobotFoot]
    joints: tuple[str, ...]
    lower: FloatArray
    upper: FloatArray
    velocity: FloatArray
    torque: FloatArray
    armature: FloatArray
    waist: int
    imu: int
    legs: tuple[tuple[int, ...], tuple[int, ...]]
    contact_points: dict[str, int]
    solids: tuple[Solid, ...]
    notes: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    doubts: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        for name in ("q0", "lower", "upper", "velocity", "torque", "armature"):
            object.__setattr__(self, name, frozen(getattr(self, name)))
        n = len(self.joints)
        for name in ("lower", "upper", "velocity", "torque", "armature"):
            if getattr(self, name).shape != (n,):
                raise SoleError(f"{name} must have shape ({n},), got {getattr(self, name).shape}")
        if self.model.nv != n + 6 or self.q0.shape != (self.model.nq,):
            raise SoleError(
                f"{self.name}: {n} joints and a free flyer need nv = {n + 6}, got {self.model.nv}"
            )
        if not np.array_equal(self.armature, self.model.armature[6:]):
            raise SoleError(f"{self.name}: the model's armature differs from that of the joints")

    @cached_property
    def mass(self) -> float:
        """Total mass [kg]; rotor inertias add none."""
        return float(sum(self.model.inertias[j].mass for j in range(1, self.model.njoints)))

    @cached_property
    def hips_over_soles(self) -> float:
        """Height of the legs' first joints over the bond planes, in q0 [m]; 0 without legs."""
        import pinocchio as pin

        data = self.model.createData()
        pin.forwardKinematics(self.model, data, np.asarray(self.q0))
        heights = [data.oMi[leg[0]].translation[2] for leg in self.legs if leg]
        return float(np.mean(heights)) if heights else 0.0

    @cached_property
    def hips_over_base(self) -> float:
        """Height of the legs' first joints over the origin of the base, in q0 [m]."""
        return self.hips_over_soles - float(self.q0[2]) if any(self.legs) else 0.0

    @property
    def left(self) -> RobotFoot:
        """The left foot."""
        return self.feet[0]

    @property
    def right(self) -> RobotFoot:
        """The right foot."""
        return self.feet[1]

    def joint(self, name: str) -> int:
        """Return the index of an actuated joint in `joints` (its velocity is v[6 + index]).

        Raises
        ------
        SoleError
            There is no such joint; the message lists the joints.
        """
        if name not in self.joints:
            raise SoleError(
                f"{self.name} has no joint '{name}'; there are {', '.join(self.joints)}"
            )
        return self.joints.index(name)
