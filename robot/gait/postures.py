"""A path through postures on one foot: joint angles as a curve, the base from the fixed foot.

The curve runs through the postures at s = 0, 1/K, ..., 1: a cubic spline with two continuous
derivatives, or cubic Bezier segments whose tangents are those of Catmull and Rom. The foot stays
where it is by construction: with base placement B and FK(q_j) from base to foot,

    B = T_foot FK(q_j)^-1,    V = dq/ds:     V_b  = -J_b^-1 J_j q_j',
                              V' = d2q/ds2:  V_b' = -J_b^-1 (J_j q_j'' + (dJ/ds) V).
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from robot.gait.body_motion import about_vertical, start_over, waist_turn
from robot.gait.com import GaitMotion
from robot.gait.footholds import SIDES, GaitError, Stance
from robot.gait.footsteps import Footsteps
from robot.gait.inverse_kinematics import BodyKinematics, OutOfReachError, Targets
from robot.gait.schedule import Schedule
from robot.model import RobotModel
from sole.base.angles import Angle
from sole.base.arrays import FloatArray, frozen
from sole.base.checks import check_one_of
from sole.base.config import STRICT
from sole.base.units import Metres

CURVES = ("spline", "bezier")
CLOSE = 1e-6  # rad: postures no farther apart are the same
SAMPLES = 40  # of each piece of the path, in the checks
SINGULAR = 0.02  # part of the half-sitting leg's smallest singular value
MISSED = 1e-9  # m between centre of mass and target


@dataclass(frozen=True, kw_only=True)
class KeyPosture:
    """A posture on one foot.

    Parameters
    ----------
    joints : angles [rad] added to those of standing on this foot, by joint.
    com : forward and left of the foot's centre, where the centre of mass is brought by the ankle's
        pitch and roll [m].
    """

    __pydantic_config__ = STRICT
    joints: Mapping[str, Angle] = field(default_factory=dict)
    com: tuple[Metres, Metres] = (0.0, 0.0)

    def __post_init__(self) -> None:
        if not all(map(math.isfinite, (*self.joints.values(), *self.com))):
            raise GaitError("a posture needs finite angles and a finite centre of mass")


@dataclass(frozen=True, eq=False)
class PosturePath:
    """A path s in [0, 1] through postures on one foot.

    Parameters
    ----------
    robot : the robot. side : its standing foot, 0 left, 1 right. stance : both footholds.
    thickness : of the soles [m]. postures : (K, n) joint angles, K >= 2 [rad].
    curve : "spline" or "bezier".

    Raises
    ------
    GaitError
        Postures are missing or repeated, a joint leaves its range, or the leg is stretched.
    """

    robot: RobotModel
    side: int
    stance: Stance
    thickness: tuple[float, float]
    postures: FloatArray
    curve: str = "spline"
    end: float = 1.0
    end_rate: float = 0.0
    _angles: tuple[Any, ...] = field(init=False, repr=False)
    _foot: Any = field(init=False, repr=False)

    def __post_init__(self) -> None:
        import pinocchio as pin
        from scipy.interpolate import BPoly, CubicSpline

        check_one_of("gait: curve", self.curve, CURVES)
        keys = np.asarray(self.postures, dtype=float)
        if len(keys) < 2:
            raise GaitError(f"a path needs at least two postures, got {len(keys)}")
        same = np.flatnonzero(np.abs(np.diff(keys, axis=0)).max(axis=1) <= CLOSE)
        if len(same):
            raise GaitError(
                f"postures {same[0] + 1} and {same[0] + 2} are the same: the path would stand "
                "still; leave one out"
            )
        s = np.linspace(0.0, 1.0, len(keys))
        if self.curve == "spline":
            poly: Any = CubicSpline(s, keys, bc_type="clamped" if len(keys) > 2 else "natural")
        else:
            poly = BPoly.from_derivatives(s, np.stack([keys, np.gradient(keys, s, axis=0)], axis=1))
        curves = tuple(poly if k == 0 else poly.derivative(k) for k in range(3))
        hold = self.stance.feet[self.side]
        place = hold.place + np.array([0.0, 0.0, self.thickness[self.side]])
        for name, value in (
            ("postures", frozen(keys)),
            ("_angles", curves),
            ("_foot", pin.SE3(about_vertical(np.array(hold.yaw)), place)),
        ):
            object.__setattr__(self, name, value)
        self._check_reach()

    @property
    def kinks(self) -> FloatArray:
        """Where the second derivative jumps: at the postures."""
        return np.linspace(0.0, 1.0, len(self.postures))

    def motion(self, s: FloatArray) -> GaitMotion:
        """Return q (N, nq), V = dq/ds (N, nv) and V' (N, nv) at s (N,)."""
        import pinocchio as pin

        robot, model = self.robot, self.robot.model
        data, frame = model.createData(), robot.feet[self.side].frame
        angles, first, second = (curve(np.clip(s, 0.0, 1.0)) for curve in self._angles)
        n = len(angles)
        q, V, W = np.empty((n, model.nq)), np.empty((n, model.nv)), np.empty((n, model.nv))
        q[:, :7], q[:, 7:] = robot.q0[:7], angles
        V[:, 6:], W[:, 6:] = first, second
        zero, here, local = np.zeros(model.nv), pin.XYZQUATToSE3(robot.q0[:7]), pin.LOCAL
        for k in range(n):
            pin.computeJointJacobians(model, data, q[k])
            to_foot = here.actInv(pin.updateFramePlacement(model, data, frame))
            q[k, :7] = pin.SE3ToXYZQUAT(self._foot * to_foot.inverse())
            J = pin.getFrameJacobian(model, data, frame, local)
            # J_b is the motion of the foot with the base alone: a change of axes.
            back = to_foot.toActionMatrix()
            V[k, :6] = -back @ (J[:, 6:] @ first[k])
            pin.forwardKinematics(model, data, q[k], V[k], zero)
            drift = pin.getFrameAcceleration(model, data, frame, local).vector
            W[k, :6] = -back @ (J[:, 6:] @ second[k] + drift)
        return q, V, W

    def schedule(self, law: Any) -> Schedule:
        """Return one phase on the standing foot, from the first to the last instant of a law."""
        walk = Footsteps(stance=self.stance, steps=(), final=float(law(self.end)))
        carrying = [[k == self.side for k in range(2)]]
        return Schedule(walk, frozen([0.0, law(self.end)]), frozen(carrying, bool))

    def where(self, s: float) -> str:
        """Return in words where a place of the path is."""
        last = len(self.postures) - 1
        k = min(int(s * last + 1e-9), last)
        at = abs(s * last - round(s * last)) < 1e-6
        if at or k == last:
            return f"at posture {round(s * last) + 1}"
        return f"between postures {k + 1} and {k + 2}"

    def _check_reach(self) -> None:
        """Refuse joints beyond their range, and a stretched leg: it cannot place a foot."""
        import pinocchio as pin

        robot, model = self.robot, self.robot.model
        s = np.linspace(0.0, 1.0, SAMPLES * (len(self.postures) - 1) + 1)
        angles = self._angles[0](s)
        beyond = np.maximum(robot.lower - angles, angles - robot.upper)
        if (beyond > 1e-9).any():
            k, j = divmod(int(beyond.argmax()), beyond.shape[1])
            low = angles[k, j] < robot.lower[j]
            sign, limit = ("<", robot.lower[j]) if low else (">", robot.upper[j])
            raise GaitError(
                f"out of reach: {self.where(s[k])}, joint {robot.joints[j]}, {angles[k, j]:.3g} "
                f"rad {sign} {limit:.3g} rad ({math.degrees(angles[k, j]):.1f} {sign} "
                f"{math.degrees(limit):.1f} degrees)"
            )
        data, foot = model.createData(), robot.feet[self.side]
        columns = [model.joints[j].idx_v for j in robot.legs[self.side]]

        def least(q: FloatArray) -> float:
            J = pin.computeFrameJacobian(model, data, q, foot.frame, pin.LOCAL)
            return float(np.linalg.svd(J[:, columns], compute_uv=False)[-1])

        q = np.tile(robot.q0, (len(s), 1))
        usual = least(q[0])
        q[:, 7:] = angles
        free = np.array([least(row) for row in q]) / usual
        if free.min() < SINGULAR:
            k = int(free.argmin())
            raise GaitError(
                f"out of reach: the path runs through a singular {foot.side} leg "
                f"{self.where(s[k])} (a stretched knee cannot place a foot): bend it"
            )


def posture_path(
    robot: RobotModel,
    postures: Sequence[KeyPosture],
    *,
    stance: Stance,
    leg: str = "left",
    lift: float = 0.05,
    thickness: tuple[float, float] = (0.0, 0.0),
    com_height: float,
    curve: str = "spline",
) -> PosturePath:
    """Return the path through `postures` on one leg, the other foot lifted by `lift` [m].

    `com_height` : of the centre of mass in the posture to which the others add [m].

    Raises
    ------
    GaitError
        A posture is out of reach; the message names it.
    """
    side = SIDES.index(leg)
    if not postures:
        raise GaitError("gait: postures need a list of [[gait.posture]], got none")
    standing = _standing(robot, stance, side, lift, thickness, com_height)
    balance = _Balance(robot, side)
    angles = []
    for number, posture in enumerate(postures, 1):
        given = standing[7:].copy()
        for name, angle in posture.joints.items():
            given[robot.joint(name)] += angle
        angles.append(balance.moved(given, np.array(posture.com), number))
    return PosturePath(robot, side, stance, thickness, np.array(angles), curve)


def _standing(
    robot: RobotModel,
    stance: Stance,
    side: int,
    lift: float,
    thickness: tuple[float, float],
    height: float,
) -> FloatArray:
    """Return q (nq,) on one foot, the centre of mass over its middle."""
    kinematics = BodyKinematics(robot)
    yaw, middle, over = stance.middle.yaw, stance.middle.place, stance.feet[side].place
    turns = about_vertical(np.array([foot.yaw for foot in stance.feet]))
    places = np.array([foot.place for foot in stance.feet])
    places[:, 2] += thickness
    waist = about_vertical(np.array(yaw)) @ waist_turn(robot)
    q = start_over(robot, middle, np.array([yaw]), float(places[side, 2]))
    try:
        for part in np.linspace(0.0, 1.0, 6):
            com = np.array([*(middle + part * (over - middle))[:2], over[2] + height])
            up = places.copy()
            up[1 - side, 2] += part * lift
            q = kinematics.solve(Targets(up, turns, com, waist), q)
    except OutOfReachError as error:
        raise GaitError(f"out of reach: standing on one foot, {error.task}") from error
    return q


class _Balance:
    """Brings the centre of mass over a place in the foot by the two joints next to the foot."""

    def __init__(self, robot: RobotModel, side: int) -> None:
        self.robot, self.data = robot, robot.model.createData()
        self.frame = robot.feet[side].frame
        self.ankle = [robot.model.joints[j].idx_v - 6 for j in robot.legs[side][-2:]]

    def moved(self, angles: FloatArray, target: FloatArray, number: int) -> FloatArray:
        """Return the angles (n,) of posture `number` with the centre of mass at `target` (2,)."""
        a = angles.copy()
        for _ in range(50):
            e = target - self._com(a)
            if np.abs(e).max() < MISSED:
                return a
            D = np.empty((2, 2))
            for k, j in enumerate(self.ankle):
                b = a.copy()
                b[j] += 1e-6
                D[:, k] = (self._com(b) - self._com(a)) / 1e-6
            a[self.ankle] += np.clip(np.linalg.solve(D, e), -0.1, 0.1)
        raise GaitError(
            f"out of reach: posture {number}, the ankle cannot bring the centre of mass to "
            f"{1e3 * target[0]:.0f}, {1e3 * target[1]:.0f} mm in the foot (missed by "
            f"{1e3 * float(np.abs(e).max()):.1f} mm)"
        )

    def _com(self, angles: FloatArray) -> FloatArray:
        import pinocchio as pin

        model, q = self.robot.model, np.concatenate([self.robot.q0[:7], angles])
        com = pin.centerOfMass(model, self.data, q)
        pin.updateFramePlacements(model, self.data)
        return np.asarray(self.data.oMf[self.frame].actInv(com)[:2])
