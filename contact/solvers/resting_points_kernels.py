"""Compiled loops over points of rigid bodies at rest: arrays in, arrays out.

The symbols are those of `contact.solvers.resting_points`.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from contact.problem import SoleArrays
from sole.base.arrays import FloatArray, IntArray
from sole.base.compiled import inner_kernel, kernel


class RestArrays(NamedTuple):
    """Conditions for contacts of rigid bodies to be at rest.

    Attributes
    ----------
    contact : (a,) which. E, X : (6 bodies, m). z : (m,): see `contact.solvers.resting_points`.
    """

    contact: IntArray
    E: FloatArray
    X: FloatArray
    z: FloatArray


@kernel
def sum_rigid_moments(
    rigid: IntArray, body: IntArray, A: FloatArray, q: FloatArray, bodies: int
) -> tuple[FloatArray, FloatArray]:
    """A'A (bodies, 6, 6) and A'q (6 bodies,) of the contacts `rigid`."""
    squares, moments = np.zeros((bodies, 6, 6)), np.zeros(6 * bodies)
    for k in rigid:
        b = body[k]
        for a in range(3):
            for c in range(6):
                moments[6 * b + c] += A[k, a, c] * q[k, a]
                for d in range(6):
                    squares[b, c, d] += A[k, a, c] * A[k, a, d]
    return squares, moments


@inner_kernel
def measure_rigid_motion(rigid: IntArray, W: SoleArrays, q: FloatArray, y: FloatArray) -> float:
    """Return |A y + q| at the contacts `rigid`."""
    body, A = W.body, W.A
    total = 0.0
    for k in rigid:
        for a in range(3):
            u = q[k, a]
            for c in range(6):
                u += A[k, a, c] * y[6 * body[k] + c]
            total += u * u
    return math.sqrt(total)
