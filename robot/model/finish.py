"""The last step of making any `RobotModel`: checks, legs, limits, the posture on the floor."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from typing import Any

import numpy as np

from robot.model.check import check_inertias, check_mass_matrix
from robot.model.robot_model import RobotFoot, RobotModel, Solid
from sole.base.arrays import FloatArray
from sole.base.errors import SoleError

_HUGE = 1e300  # Pinocchio writes "no limit" as the largest float


def finish_robot(
    model: Any,
    *,
    name: str,
    about: str,
    q0: FloatArray,
    feet: Sequence[RobotFoot],
    waist: str,
    imu: str,
    contact_points: Iterable[str],
    solids: Iterable[Solid],
    notes: Iterable[str] = (),
    warnings: Iterable[str] = (),
    doubts: Iterable[str] = (),
    coupled: Collection[str] = (),
) -> RobotModel:
    """Check a model and return the robot; `waist`, `imu` and `contact_points` are frame names.

    `coupled` : joints that mimic others, and these others; no leg has them.

    Raises
    ------
    InertiaError
        A body is not physical, or the mass matrix is singular.
    SoleError
        A joint is neither revolute nor prismatic.
    """
    names = list(model.names)
    for number in range(2, model.njoints):
        if model.joints[number].nv != 1:
            raise SoleError(
                f"{name}: joint '{names[number]}' has {model.joints[number].nv} degrees of "
                "freedom; only revolute and prismatic joints can be driven"
            )
    check_inertias(name, model)
    q0 = stand_on_floor(model, q0, feet)
    check_mass_matrix(name, model, q0)
    return RobotModel(
        name=name,
        about=about,
        model=model,
        q0=q0,
        feet=(feet[0], feet[1]),
        joints=tuple(names[2:]),
        lower=_unlimited(_angles(model, model.lowerPositionLimit, -np.inf)),
        upper=_unlimited(_angles(model, model.upperPositionLimit, np.inf)),
        velocity=_given(model.velocityLimit[6:]),
        torque=_given(model.effortLimit[6:]),
        armature=model.armature[6:],
        waist=_body_frame(model, waist),
        imu=model.getFrameId(imu),
        legs=legs_of(model, feet, coupled),
        contact_points={point: model.getFrameId(point) for point in contact_points},
        solids=tuple(solids),
        notes=tuple(notes),
        warnings=tuple(warnings),
        doubts=tuple(doubts),
    )


def _body_frame(model: Any, link: str) -> int:
    """Return the frame of a link, even if a joint has the same name."""
    import pinocchio as pin

    return int(model.getFrameId(link, pin.FrameType.BODY))


def stand_on_floor(model: Any, q: FloatArray, feet: Sequence[RobotFoot]) -> FloatArray:
    """Return `q` (nq,) moved so that the midpoint of the two sole frames is the origin."""
    import pinocchio as pin

    data = model.createData()
    pin.framesForwardKinematics(model, data, q)
    middle = (data.oMf[feet[0].frame].translation + data.oMf[feet[1].frame].translation) / 2
    moved = np.array(q, dtype=float)
    moved[:3] -= middle
    return moved


def legs_of(
    model: Any, feet: Sequence[RobotFoot], coupled: Collection[str] = ()
) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Return the joints from the waist to each foot, without those that both share or `coupled`."""
    left, right = (list(model.supports[foot.joint]) for foot in feet)
    shared = set(left) & set(right) | {int(model.getJointId(name)) for name in coupled}
    return tuple(j for j in left if j not in shared), tuple(j for j in right if j not in shared)


def _angles(model: Any, values: FloatArray, endless: float) -> FloatArray:
    """Return (n,) of (nq,): one per driven joint, `endless` for a continuous one (cos, sin)."""
    angles = np.full(model.njoints - 2, endless)
    for number in range(2, model.njoints):
        joint = model.joints[number]
        if joint.nq == 1:
            angles[number - 2] = values[joint.idx_q]
    return angles


def _unlimited(values: FloatArray) -> FloatArray:
    return np.where(np.abs(values) > _HUGE, np.copysign(np.inf, values), values)


def _given(values: FloatArray) -> FloatArray:
    """Return limits of drives; URDF files write 0 for "unknown", which becomes infinity."""
    return np.where((values > _HUGE) | (values == 0.0), np.inf, values)
