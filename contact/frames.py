"""Rotations and contact frames."""

from __future__ import annotations

import numpy as np

from sole.arrays import FloatArray


def rotation_of(vector: FloatArray) -> FloatArray:
    """exp of a rotation vector [rad] (Rodrigues)."""
    angle = float(np.linalg.norm(vector))
    x, y, z = vector
    X = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
    half = angle / 2
    sinc = 1 - angle**2 / 6 if angle < 1e-4 else np.sin(angle) / angle
    cosc = 0.5 - angle**2 / 24 if angle < 1e-4 else 2 * (np.sin(half) / angle) ** 2
    return np.asarray(np.eye(3) + sinc * X + cosc * (X @ X))


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
