"""An observer of the wrench of a sole and of the velocity of its foot.

The law of a sole predicts the wrench from the velocity u of its foot, the ankle's sensor measures
it, encoders and inertial unit give u with an error b:

    w = w_last - (T + eta) K6 (u + b) + eta K6 (u_last + b),
    e = w_measured - w,      w += l e,      b -= (1 - r)^2 K6^-1 e/T,      r = sqrt(1 - l),

so that both errors have the double mode r for any K6. l = 1 takes readings as they are, and no b. A
foot without load has its reading and no b.
"""

from __future__ import annotations

from math import sqrt
from typing import NamedTuple

import numpy as np

from sole.base.arrays import FloatArray
from sole.base.compiled import kernel


class SoleEstimate(NamedTuple):
    """w (2, 6) and b (2, 6) of the soles, u (2, 6) of the last tick; changed in place."""

    w: FloatArray
    b: FloatArray
    u: FloatArray


@kernel
def observe_sole(
    w: FloatArray, b: FloatArray, last: FloatArray, measured: FloatArray, u: FloatArray,
    K: FloatArray, C: FloatArray, T: float, eta: float, trust: float, least: float,
) -> None:  # fmt: skip
    """Take one reading (6,) of a sole: change w, b and `last` (6,), and add b to u (6,).

    K, C (6, 6) : K6 and its inverse. least : load below which a foot hangs [N].
    """
    if trust >= 1.0 or (w[2] < least and measured[2] < least):
        w[:] = measured
        b[:] = 0.0
        last[:] = u
        return
    e = np.empty(6)
    for i in range(6):
        x = w[i]
        for j in range(6):
            x -= K[i, j] * ((T + eta) * (u[j] + b[j]) - eta * (last[j] + b[j]))
        e[i] = measured[i] - x
        w[i] = x
    last[:] = u
    g = (1.0 - sqrt(1.0 - trust)) ** 2
    for i in range(6):
        w[i] += trust * e[i]
        for j in range(6):
            b[i] -= g * C[i, j] * e[j] / T
    u += b
