"""A posture with bent knees for a URDF that has none: legs straight cannot walk.

The base stays where it is. Both soles go up by a part of the leg's length, level, pointing forward,
below the centre of mass. The unknowns are the joints of one leg at a time, within their ranges:

    min |x_sole(q_leg) - x*|^2 + |R_sole(q_leg) - R*|^2 / 9,   lower <= q_leg <= upper.

The problem has a solution for each way a knee can bend; the ranges of most robots leave one. Where
they leave both, the knee goes forward.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

import numpy as np

from robot.model.finish import legs_of
from robot.model.free_axes import FEWEST, free_axes, turns
from robot.model.knees import LATERAL, Legs, knees_of, sideways_parts
from robot.model.robot_model import RobotFoot, RobotModel
from sole.base.arrays import FloatArray

SHORTER = (0.08, 0.05, 0.03)  # parts of the leg's length by which it shortens: knees of 45 degrees
SHORTEST, LONGEST = 0.05, 5.0  # m: legs for which a posture is searched
TURNED = 0.1  # rad: a heading of the feet from which the base is turned
LEVEL = np.radians(15.0)  # by which a sole may be tilted
ADULT = 0.6  # m: length of a leg
STRAIGHT = 0.02  # of a straight leg: least over largest singular value, bends [rad]
REACHED = 1e-7  # m and rad
EASE = 0.01  # m/rad: keeps joints that are not needed, of legs with seven, where they are
LEVER = 1 / 3  # m: weighs turns against positions
BENDS = (0.8, -0.8)  # rad: knees at the start of a search
ROUNDS = 6  # of moving the feet below the centre of mass
INSIDE = 1e-3  # rad that a joint keeps from the ends of its range


def standing_posture(
    model: Any, q: FloatArray, feet: Sequence[RobotFoot], coupled: Collection[str] = ()
) -> tuple[FloatArray, tuple[str, ...]]:
    """Return a posture (nq,) to stand in for a URDF without one, and in words what was found.

    From `q`, where all angles are 0: joints whose range leaves out 0 go to its nearer end, the base
    turns until the feet point along the world's x, and legs that are straight or tilt a sole by
    more than `LEVEL` are bent. Joints that are
    `coupled` stay.
    """
    legs = legs_of(model, feet, coupled)
    q, told = _within_ranges(model, q)
    faced = _facing_forward(model, q, feet)
    tilted = any(tilt_of(model, faced, foot) > LEVEL for foot in feet)
    if not tilted and not legs_are_straight(model, faced, feet, legs):
        return faced, told
    bent = bent_posture(model, faced, feet, legs)
    if bent is None:
        return faced, (
            *told,
            "legs straight, and no posture with bent knees was found: the robot cannot walk from "
            "it; give an SRDF with one (--srdf)",
        )
    knees = ", ".join(
        f"{model.names[j]} {np.degrees(angle):.0f} degrees"
        for j, angle in knees_of(model, bent, legs)
    )
    return bent, (
        *told,
        f"no posture given: stands with bent knees that were found ({knees}); `sole robot posture` "
        "writes it as an SRDF",
    )


def tilt_of(model: Any, q: FloatArray, foot: RobotFoot) -> float:
    """Return the angle between the z axis of a sole and the vertical at q (nq,) [rad]."""
    import pinocchio as pin

    data = model.createData()
    pin.forwardKinematics(model, data, q)
    up = pin.updateFramePlacement(model, data, foot.frame).rotation[2, 2]
    return float(np.arccos(np.clip(up, -1.0, 1.0)))


def stands_straight(robot: RobotModel) -> bool:
    """Return whether a leg of the robot is straight in its posture q0, or bends nowhere."""
    joints = robot.model.joints
    bends = [max(abs(robot.q0[joints[j].idx_q]) for j in leg) for leg in robot.legs if leg]
    return min(bends, default=0.0) < STRAIGHT or legs_are_straight(
        robot.model, robot.q0, robot.feet, robot.legs
    )


def legs_are_straight(model: Any, q: FloatArray, feet: Sequence[RobotFoot], legs: Legs) -> bool:
    """Return whether a leg is so stretched at q (nq,) that it cannot move its foot up or down.

    Legs of fewer than four joints never count: they cannot place a foot in any posture.
    """
    return any(
        len(leg) >= FEWEST and _stretch(model, q, foot, leg) < STRAIGHT
        for foot, leg in zip(feet, legs, strict=True)
    )


def bent_posture(
    model: Any, q: FloatArray, feet: Sequence[RobotFoot], legs: Legs
) -> FloatArray | None:
    """Return q (nq,) with both knees bent, all else as in `q`; None if none was found."""
    import pinocchio as pin

    data = model.createData()
    pin.framesForwardKinematics(model, data, q)
    soles = np.array([data.oMf[foot.frame].translation for foot in feet])
    heights = [data.oMi[leg[0]].translation[2] for leg in legs] - soles[:, 2]
    if not ((heights > SHORTEST) & (heights < LONGEST)).all():
        return None
    for part in SHORTER:
        try:
            with np.errstate(all="ignore"):
                bent = _raised(model, q, feet, legs, soles, part * float(heights.mean()))
        except (ValueError, np.linalg.LinAlgError):  # numbers that no robot has
            return None
        if bent is not None:
            return bent
    return None


def _raised(
    model: Any,
    q: FloatArray,
    feet: Sequence[RobotFoot],
    legs: Legs,
    soles: FloatArray,
    up: float,
) -> FloatArray | None:
    """Return q with both `soles` (2, 3) higher by `up` [m], below the centre of mass."""
    import pinocchio as pin

    data, bent, ahead = model.createData(), np.array(q, dtype=float), 0.0
    level = float(soles[:, 2].mean()) + up
    for number in range(ROUNDS):
        for sole, foot, leg in zip(soles, feet, legs, strict=True):
            target = np.array([sole[0] + ahead, sole[1], level])
            seeds = _seeds(model, bent, leg, bends=() if number else BENDS)
            found = _place(model, bent, foot, leg, target, seeds)
            if found is None:
                return None
            bent = found
        com = pin.centerOfMass(model, data, bent)
        pin.updateFramePlacements(model, data)
        ahead += com[0] - float(np.mean([data.oMf[f.frame].translation[0] for f in feet]))
    return bent


def _within_ranges(model: Any, q: FloatArray) -> tuple[FloatArray, tuple[str, ...]]:
    """Return q (nq,) with every angle inside its joint's range, and in words which ones moved."""
    moved, names = np.array(q, dtype=float), []
    for number in range(2, model.njoints):
        place = model.joints[number].idx_q
        low, high = model.lowerPositionLimit[place], model.upperPositionLimit[place]
        if model.joints[number].nq == 1 and low < high and not low <= q[place] <= high:
            room = min(INSIDE, (high - low) / 4)
            moved[place] = min(max(q[place], low + room), high - room)
            names.append(f"{model.names[number]} {np.degrees(moved[place]):.0f} degrees")
    if not names:
        return q, ()
    return moved, (f"ranges that leave out 0: stands with {', '.join(names)}",)


def _facing_forward(model: Any, q: FloatArray, feet: Sequence[RobotFoot]) -> FloatArray:
    """Return q (nq,) turned about the vertical until the mean x of the soles is the world's."""
    import pinocchio as pin

    data = model.createData()
    pin.framesForwardKinematics(model, data, q)
    x = np.sum([data.oMf[foot.frame].rotation[:, 0] for foot in feet], axis=0)
    yaw = float(np.arctan2(x[1], x[0]))
    if abs(yaw) < TURNED:
        return q
    faced = np.array(q, dtype=float)
    turn = pin.SE3(pin.rpy.rpyToMatrix(0.0, 0.0, -yaw), np.zeros(3))
    faced[:7] = pin.SE3ToXYZQUAT(turn * pin.XYZQUATToSE3(q[:7]))
    return faced


def _stretch(model: Any, q: FloatArray, foot: RobotFoot, leg: Sequence[int]) -> float:
    """Return the least singular value of a leg's Jacobian over its largest.

    Axes of the foot that follow count as joints. Legs shorter than `ADULT` count as long as that.
    """
    import pinocchio as pin

    J = pin.computeFrameJacobian(model, model.createData(), q, foot.frame, pin.LOCAL)
    free = turns(free_axes(model, q, foot, leg))
    J = np.column_stack([J[:, [model.joints[j].idx_v for j in leg]], free])
    if not np.isfinite(J).all():
        return 1.0
    data = model.createData()
    pin.framesForwardKinematics(model, data, q)
    height = data.oMi[leg[0]].translation[2] - data.oMf[foot.frame].translation[2]
    J[:3] *= max(1.0, ADULT / max(float(height), SHORTEST))
    sizes = np.linalg.svd(J, compute_uv=False)
    return float(sizes[5] / sizes[0])


def _place(
    model: Any,
    q: FloatArray,
    foot: RobotFoot,
    leg: Sequence[int],
    target: FloatArray,
    seeds: Sequence[FloatArray],
) -> FloatArray | None:
    """Return q with the sole level at `target` (3,), x along the world's; None if out of reach."""
    from scipy.optimize import least_squares

    places = [model.joints[j].idx_q for j in leg]
    low, high = (
        np.asarray(v)[places] for v in (model.lowerPositionLimit, model.upperPositionLimit)
    )
    room = np.minimum(INSIDE, (high - low) / 4)
    low, high = low + room, high - room
    data = model.createData()
    turned = [axis for axis in range(3) if axis not in free_axes(model, q, foot, leg)]

    def at(angles: FloatArray) -> FloatArray:
        whole = np.array(q)
        whole[places] = angles
        return whole

    def error(angles: FloatArray) -> FloatArray:
        import pinocchio as pin

        pin.framesForwardKinematics(model, data, at(angles))
        pose = data.oMf[foot.frame]
        return np.concatenate([pose.translation - target, LEVER * pin.log3(pose.rotation)[turned]])

    usual = np.array([q[place] for place in places])

    def eased(angles: FloatArray) -> FloatArray:
        return np.concatenate([error(angles), EASE * (angles - usual)])

    best, most = None, -np.inf
    for seed in seeds:
        start = np.clip(seed, low, high)
        near = least_squares(eased, start, bounds=(low, high), xtol=1e-6).x
        found = least_squares(error, near, bounds=(low, high), xtol=1e-12, ftol=1e-12, gtol=1e-12)
        whole = at(found.x)
        if np.abs(found.fun).max() < REACHED and _stretch(model, whole, foot, leg) > STRAIGHT:
            ahead = _knee_ahead(model, whole, leg, foot)
            if ahead > most:
                best, most = whole, ahead
    return best


def _seeds(
    model: Any, q: FloatArray, leg: Sequence[int], bends: Sequence[float]
) -> list[FloatArray]:
    """Return the leg's angles at q, and with each joint that turns sideways bent by `bends` [rad].

    The joints before and after it turn back by half.
    """
    angles = np.array([q[model.joints[j].idx_q] for j in leg])
    sideways = sideways_parts(model, q, leg)
    pitches = [k for k in range(len(leg)) if abs(sideways[k]) > LATERAL]
    seeds = [angles]
    for before, knee, after in zip(pitches, pitches[1:], pitches[2:], strict=False):
        for bend in bends:
            seed = angles.copy()
            three = [before, knee, after]
            seed[three] += np.array([-0.5, 1.0, -0.5]) * bend * np.sign(sideways[three])
            seeds.append(seed)
    return seeds


def _knee_ahead(model: Any, q: FloatArray, leg: Sequence[int], foot: RobotFoot) -> float:
    """Return how far the joints of a leg reach ahead of the line from its hip to its foot [m]."""
    import pinocchio as pin

    data = model.createData()
    pin.framesForwardKinematics(model, data, q)
    hip, sole = data.oMi[leg[0]].translation, data.oMf[foot.frame].translation
    down = (sole - hip) / (sole - hip)[2]
    return float(
        np.mean(
            [(p - hip - down * (p - hip)[2])[0] for p in (data.oMi[j].translation for j in leg)]
        )
    )
