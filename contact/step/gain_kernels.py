"""Compiled: whether a step may have gained energy, as in `contact.step.energy`."""

from __future__ import annotations

import numpy as np

from contact.step.stuck_arrays import ROUND_OFF
from sole.base.arrays import FloatArray
from sole.base.compiled import kernel

SINGULAR = 1e-10  # a pivot of S6 below this part of its largest entry
NO, YES, UNKNOWN = range(3)  # answers of `may_step_gain`


@kernel
def may_step_gain(
    rest: float, impulse: FloatArray, change: FloatArray, S6: FloatArray, share: float
) -> int:
    """Return whether rest > share d'S6^-1 d + round-off; `UNKNOWN` where S6 is nearly singular.

    rest : push + friction - viscous - numerical [J]. impulse : h w (6B,). change : d (6B,) of the
    twists. share : theta - 1/2, of one sub-step. See `contact.step.energy.may_gain`.
    """
    small, largest, n = 0.0, 0.0, len(S6)
    for a in range(n):
        small = max(small, ROUND_OFF * abs(impulse[a]))
        largest = max(largest, abs(S6[a, a]))
    if rest <= small:
        return NO
    # S6 = L L', L x = d: d'S6^-1 d = x'x.
    L, lost = np.zeros((n, n)), 0.0
    x = np.zeros(n)
    for a in range(n):
        left, into = S6[a, a], change[a]
        for c in range(a):
            entry = S6[a, c]
            for l in range(c):
                entry -= L[a, l] * L[c, l]
            L[a, c] = entry / L[c, c]
            left -= L[a, c] * L[a, c]
            into -= L[a, c] * x[c]
        if not left > SINGULAR * largest:
            return UNKNOWN
        L[a, a] = np.sqrt(left)
        x[a] = into / L[a, a]
        lost += x[a] * x[a]
    return YES if rest > share * lost + small else NO
