"""Rotations and contact frames."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from sole.base.arrays import FloatArray, shaped
from sole.base.checks import numbers
from sole.base.errors import SoleError

__all__ = [
    "check_rotation",
    "frames_of",
    "rotation_of",
    "rotation_of_quaternion",
    "transform_wrenches",
    "wrench_matrix",
    "wrenches_about",
    "wrenches_of",
]


EXACT = 1e-9  # how far R'R and det R of a rotation may be from 1


def rotation_of(vector: FloatArray) -> FloatArray:
    """exp of a rotation vector [rad] (Rodrigues)."""
    angle = float(np.linalg.norm(vector))
    x, y, z = vector
    X = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
    half = angle / 2
    sinc = 1 - angle**2 / 6 if angle < 1e-4 else np.sin(angle) / angle
    cosc = 0.5 - angle**2 / 24 if angle < 1e-4 else 2 * (np.sin(half) / angle) ** 2
    return np.asarray(np.eye(3) + sinc * X + cosc * (X @ X))


def check_rotation(R: FloatArray, name: str) -> None:
    """Refuse a (3, 3) matrix that is not a rotation: R'R = 1 and det R = 1.

    Raises
    ------
    SoleError
        Names the matrix and the fault.
    """
    error = float(np.abs(R.T @ R - np.eye(3)).max())
    if not error <= EXACT:
        raise SoleError(f"{name} is not a rotation: R'R differs from 1 by {error:.2g}")
    if np.linalg.det(R) < 0:
        raise SoleError(f"{name} is a reflection, not a rotation: det R = -1")


def frames_of(normals: FloatArray) -> FloatArray:
    """(K, 3, 3) with rows t1, t2, n; t1 is the forward axis of the foot along the surface."""
    n = normals
    axis = np.zeros_like(n)
    steep = np.abs(n[:, 0]) > 0.9
    axis[~steep, 0] = 1.0
    axis[steep, 1] = 1.0
    t1 = axis - np.einsum("ka,ka->k", axis, n)[:, None] * n
    t1 /= np.linalg.norm(t1, axis=1)[:, None]
    t2 = np.stack(
        [
            n[:, 1] * t1[:, 2] - n[:, 2] * t1[:, 1],
            n[:, 2] * t1[:, 0] - n[:, 0] * t1[:, 2],
            n[:, 0] * t1[:, 1] - n[:, 1] * t1[:, 0],
        ],
        axis=1,
    )
    return np.stack([t1, t2, n], axis=1)


def rotation_of_quaternion(x: FloatArray) -> FloatArray:
    """Return R (..., 3, 3) of unit quaternions (..., 4), order x y z w."""
    a, b, c, w = np.moveaxis(x, -1, 0)
    R = np.array(
        [
            [1 - 2 * (b * b + c * c), 2 * (a * b - c * w), 2 * (a * c + b * w)],
            [2 * (a * b + c * w), 1 - 2 * (a * a + c * c), 2 * (b * c - a * w)],
            [2 * (a * c - b * w), 2 * (b * c + a * w), 1 - 2 * (a * a + b * b)],
        ]
    )
    return np.moveaxis(R, (0, 1), (-2, -1))


HUGE = 1e150  # products of larger numbers overflow


def wrenches_of(values: ArrayLike) -> FloatArray:
    """Return `values` as finite wrenches (..., 6).

    Raises
    ------
    SoleError
        A wrong last axis, or values that are not finite numbers.
    """
    try:
        w = np.asarray(values, dtype=float)
    except (TypeError, ValueError) as error:
        raise SoleError(
            f"wrenches must be numbers (..., 6): fx fy fz tx ty tz ({error})"
        ) from error
    if w.ndim == 0 or w.shape[-1] != 6:
        raise SoleError(f"wrenches must have shape (..., 6): fx fy fz tx ty tz, got {w.shape}")
    size = float(np.abs(w).max(initial=0.0))
    if not size <= HUGE:  # NaN, too
        got = f"{size:g}" if np.isfinite(size) else "NaN or infinity"
        raise SoleError(f"wrenches must be finite and below {HUGE:g}, got {got}")
    return w


def wrench_matrix(rotation: ArrayLike, translation: ArrayLike) -> FloatArray:
    """Return T (6, 6) with w_b = T w_a, for the transform a_to_b = (R (3, 3), p (3,) [m])."""
    R, p = shaped("rotation", rotation, (3, 3)), shaped("translation", translation, (3,))
    check_rotation(R, "rotation")
    T = np.zeros((6, 6))
    T[:3, :3] = T[3:, 3:] = R
    T[3:, :3] = np.cross(p, R.T).T  # columns p x (R e_k)
    return T


def transform_wrenches(
    wrenches: ArrayLike, rotation: ArrayLike, translation: ArrayLike
) -> FloatArray:
    """Return wrenches (..., 6) of frame a in frame b, a_to_b = (R (3, 3), p (3,) [m])."""
    return np.asarray(wrenches_of(wrenches) @ wrench_matrix(rotation, translation).T)


def wrenches_about(wrenches: ArrayLike, points: ArrayLike) -> FloatArray:
    """Return wrenches (..., 6) about other points (..., 3) [m], same axes: tau - point x f."""
    w = wrenches_of(wrenches)
    p = numbers("points", points)
    if p.shape[-1:] != (3,) or not np.isfinite(p).all():
        raise SoleError(f"points must be finite (..., 3) [m], got shape {p.shape}")
    tau = w[..., 3:] - np.cross(p, w[..., :3])
    return np.concatenate([np.broadcast_to(w[..., :3], tau.shape), tau], axis=-1)
