"""Quantities that Pinocchio derives from recorded states: CoM, energies, motion of the feet."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from sole.base.arrays import FloatArray, IntArray


class RecordedMotion(NamedTuple):
    """Over T rows, world axes: com, com_velocity (T, 3); energies (T,); feet (T, F, ...)."""

    com: FloatArray
    com_velocity: FloatArray
    kinetic: FloatArray
    potential: FloatArray
    foot_rotation: FloatArray
    foot_position: FloatArray
    foot_velocity: FloatArray
    foot_acceleration: FloatArray


def evaluate_motion(
    model: Any,
    frames: IntArray,
    q: FloatArray,
    v: FloatArray,
    a: FloatArray,
    trees: Sequence[int] = (0,),
) -> RecordedMotion:
    """Evaluate states q (T, nq), v (T, nv) with accelerations a (T, nv) at `frames` (F,).

    The centre of mass is that of the subtrees of the joints `trees`, without free objects; energies
    include them. foot_rotation has shape (T, F, 3, 3); the other arrays of the feet (T, F, 3) refer
    to the frame's origin. The acceleration is d(velocity)/dt, without gravity. A row takes about
    8 us.
    """
    import pinocchio as pin

    T, F = len(q), len(frames)
    data = model.createData()
    now, speed = data.com[0], data.vcom[0]  # views that Pinocchio refills
    com, dcom = np.empty((T, 3)), np.empty((T, 3))
    kinetic, potential = np.empty(T), np.empty(T)
    R, p = np.empty((T, F, 3, 3)), np.empty((T, F, 3))
    speeds, gains = np.empty((T, F, 6)), np.empty((T, F, 6))
    parts = tuple(trees) != (0,)
    carriers = [model.frames[frame].parentJoint for frame in frames.tolist()]
    views = [
        (data.oMi[j].rotation, data.oMi[j].translation, data.v[j].vector, data.a[j].vector)
        for j in carriers
    ]  # of the joints that carry the frames; Pinocchio refills them too
    for i in range(T):
        pin.forwardKinematics(model, data, q[i], v[i], a[i])
        kinetic[i] = pin.computeKineticEnergy(model, data)
        potential[i] = pin.computePotentialEnergy(model, data)
        pin.centerOfMass(model, data, pin.VELOCITY, parts)
        if not parts:
            com[i], dcom[i] = now, speed
        else:  # Pinocchio gives both in the axes of the joint
            shares = [(k, data.mass[k] / sum(data.mass[j] for j in trees)) for k in trees]
            com[i] = sum(share * data.oMi[k].act(data.com[k]) for k, share in shares)
            dcom[i] = sum(share * (data.oMi[k].rotation @ data.vcom[k]) for k, share in shares)
        for k, (rotation, place, twist, change) in enumerate(views):
            R[i, k], p[i, k], speeds[i, k], gains[i, k] = rotation, place, twist, change
    placements = [model.frames[frame].placement for frame in frames.tolist()]
    at = np.array([x.translation for x in placements]).reshape(F, 3)
    turn = np.array([x.rotation for x in placements]).reshape(F, 3, 3)
    # At the frame, in the axes of its joint: v + omega x r, then its derivative in the world.
    omega = speeds[..., 3:]
    v_at = speeds[..., :3] + np.cross(omega, at)
    a_at = gains[..., :3] + np.cross(gains[..., 3:], at) + np.cross(omega, v_at)
    dp, ddp = (np.einsum("tfab,tfb->tfa", R, x) for x in (v_at, a_at))
    p += np.einsum("tfab,fb->tfa", R, at)
    return RecordedMotion(com, dcom, kinetic, potential, R @ turn, p, dp, ddp)


def classical_acceleration(R: FloatArray, v: FloatArray, a: FloatArray) -> FloatArray:
    """Return d/dt of R v_lin (T, 3): R (a_lin + omega x v_lin), v and a (T, >= 6) in own axes."""
    own = a[:, :3] + np.cross(v[:, 3:6], v[:, :3])
    return np.asarray(np.einsum("tij,tj->ti", R, own))


def quaternions(R: FloatArray) -> FloatArray:
    """Return unit quaternions (..., 4), x y z w, of rotations (..., 3, 3)."""
    from scipy.spatial.transform import Rotation

    flat = Rotation.from_matrix(R.reshape(-1, 3, 3)).as_quat(canonical=True)
    return np.asarray(flat.reshape(*R.shape[:-2], 4))
