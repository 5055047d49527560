"""Rotations and contact frames."""

from __future__ import annotations

import numpy as np

from sole.arrays import FloatArray
from sole.errors import SoleError

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
    """Refuse a (3, 3) matrix that is no rotation, R'R = 1 and det R = 1.

    Raises
    ------
    SoleError
        With `name`, and what is wrong.
    """
    error = float(np.abs(R.T @ R - np.eye(3)).max())
    if not error <= EXACT:
        raise SoleError(f"{name} is no rotation: R'R differs from 1 by {error:.2g}")
    if np.linalg.det(R) < 0:
        raise SoleError(f"{name} is no rotation but a reflection: det R = -1")


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
