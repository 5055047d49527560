"""The plane in which a pressed sole would slide: compiled loops over its contacts.

Imports numpy and numba only.
"""

from __future__ import annotations

import math

import numpy as np

from contact.step import ContactArrays
from sole.base.arrays import FloatArray
from sole.base.compiled import kernel


@kernel
def fit_plane(
    points: FloatArray,
    frames: FloatArray,
    pressing: FloatArray,
    holding: FloatArray,
    axes: FloatArray,
    centre: FloatArray,
) -> tuple[float, float, float, float]:
    """Fill the rows t1, t2, N of `axes` and the `centre` of the discs; return four numbers.

    `pressing` p_i and `holding` mu_i p_i (K,). Returned: sum p_i, sum mu_i p_i, the radius of
    gyration of the discs about the axis N through their centre, and |sum p_i n_i| / sum p_i, 1
    where all normals are the same.
    """
    K = len(pressing)
    total, strength = 0.0, 0.0
    x, y, z = 0.0, 0.0, 0.0
    centre[:] = 0.0
    for i in range(K):
        p, a = pressing[i], holding[i]
        total += p
        strength += a
        x += p * frames[i, 2, 0]
        y += p * frames[i, 2, 1]
        z += p * frames[i, 2, 2]
        for c in range(3):
            centre[c] += (a if a > 0.0 else 0.0) * points[i, c]
    size = math.sqrt(x * x + y * y + z * z)
    if size == 0.0:
        return total, strength, 0.0, 0.0
    common = size / total
    x, y, z = x / size, y / size, z / size
    # t1: the foot's forward axis along the plane, as `contact.frames.frames_of` has it.
    u, v, w = (-y * x, 1.0 - y * y, -y * z) if abs(x) > 0.9 else (1.0 - x * x, -x * y, -x * z)
    size = math.sqrt(u * u + v * v + w * w)
    u, v, w = u / size, v / size, w / size
    axes[0, 0], axes[0, 1], axes[0, 2] = u, v, w
    axes[1, 0], axes[1, 1], axes[1, 2] = y * w - z * v, z * u - x * w, x * v - y * u
    axes[2, 0], axes[2, 1], axes[2, 2] = x, y, z
    for c in range(3):
        centre[c] = centre[c] / strength if strength > 0.0 else points[0, c]
    square = 0.0
    for i in range(K):
        r0, r1, r2 = points[i, 0] - centre[0], points[i, 1] - centre[1], points[i, 2] - centre[2]
        along = r0 * x + r1 * y + r2 * z
        square += holding[i] * (r0 * r0 + r1 * r1 + r2 * r2 - along * along)
    radius = math.sqrt(max(square, 0.0) / strength) if strength > 0.0 else 0.0
    return total, strength, radius, common


@kernel
def sum_in_plane(
    points: FloatArray,
    frames: FloatArray,
    tangential: FloatArray,
    axes: FloatArray,
    centre: FloatArray,
    load: FloatArray,
) -> None:
    """Fill `load` (f1, f2, m about the centre) with the sum of `tangential` (K, 2) forces."""
    load[:] = 0.0
    for i in range(len(tangential)):
        s0, s1 = tangential[i, 0], tangential[i, 1]
        F = frames[i]
        f0 = F[0, 0] * s0 + F[1, 0] * s1
        f1 = F[0, 1] * s0 + F[1, 1] * s1
        f2 = F[0, 2] * s0 + F[1, 2] * s1
        load[0] += axes[0, 0] * f0 + axes[0, 1] * f1 + axes[0, 2] * f2
        load[1] += axes[1, 0] * f0 + axes[1, 1] * f1 + axes[1, 2] * f2
        r0, r1, r2 = points[i, 0] - centre[0], points[i, 1] - centre[1], points[i, 2] - centre[2]
        load[2] += axes[2, 0] * (r1 * f2 - r2 * f1)
        load[2] += axes[2, 1] * (r2 * f0 - r0 * f2)
        load[2] += axes[2, 2] * (r0 * f1 - r1 * f0)


@kernel
def select_loaded_contacts(
    contacts: ContactArrays,
    which: int,
    forces: FloatArray,
    local: FloatArray,
    friction: FloatArray,
) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
    """Return points (k, 3), frames (k, 3, 3), reactions (k, 3) and mu (k,) of body `which`.

    Of the contacts that carry force; `friction` (K,), `forces` (M, S, 3) in the
    axes of the body, `local` (M, 3).
    """
    node, slot, body, P, _ = contacts
    K = len(node)
    points, reactions = np.empty((K, 3)), np.empty((K, 3))
    frames, mu = np.empty((K, 3, 3)), np.empty(K)
    k = 0
    for i in range(K):
        f = forces[node[i], slot[i]]
        if body[i] != which or (f[0] == 0.0 and f[1] == 0.0 and f[2] == 0.0):
            continue
        for a in range(3):
            reactions[k, a] = P[i, a, 0] * f[0] + P[i, a, 1] * f[1] + P[i, a, 2] * f[2]
            points[k, a] = local[node[i], a]
            for b in range(3):
                frames[k, a, b] = P[i, a, b]
        mu[k] = friction[i]
        k += 1
    return points[:k], frames[:k], reactions[:k], mu[:k]
