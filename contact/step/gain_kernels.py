"""Compiled: whether a step may have gained energy, as in `contact.step.energy`."""

from __future__ import annotations

import numpy as np

from contact.step.step_arrays import ContactArrays
from contact.step.stuck_arrays import ROUND_OFF
from sole.base.arrays import FloatArray
from sole.base.compiled import inner_kernel

SINGULAR = 1e-10  # a pivot of S6 below this part of its largest entry
NO, YES, UNKNOWN = range(3)  # answers of `may_step_gain`


@inner_kernel
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


@inner_kernel
def sum_push_work(
    contacts: ContactArrays, gaps: FloatArray, forces: FloatArray, most: float
) -> tuple[float, float]:
    """Return sum r_n min(-g, most) [J] over contacts inside the ground, and sum r_n [N] of all.

    gaps : g (M, S). forces : P'r (M, S, 3) by slot. most : pushed out in one step [m].
    """
    node, slot, _, P, _ = contacts
    work = total = 0.0
    for k in range(len(node)):
        i, s = node[k], slot[k]
        r_n = 0.0
        for a in range(3):
            r_n += P[k, 2, a] * forces[i, s, a]
        if r_n > 0.0:
            total += r_n
            work += r_n * min(max(-gaps[i, s], 0.0), most)
    return work, total


@inner_kernel
def sure_part(eta: FloatArray, dt: float, theta: float) -> float:
    """Return kappa: a step without push that loses less than kappa p would gain by pushing.

    p = sum r_n |g| with the forces of that step. Pushing adds the motion g to its own motion x.
    What sole and time step lose is quadratic in the motion,

        loss(x + g) <= L + 2 sqrt(L c Q) + c Q,    L = loss(x), Q = g'Kg, c = eta/dt + theta - 1/2,

    and forces f = K (U + theta dU) + eta K dU/dt grow by (theta + eta/dt) K g, whose work is
    (c + 1/2) Q. So the gain is at least p - L + Q/2 - 2 sqrt(L c Q), which is least at
    sqrt(Q) = 2 sqrt(L c): p - L (1 + 2 c). It is p/2 with L = kappa p, kappa = 1/(2 (1 + 2 c)).

    What friction and landing contacts take is put into L though it grows with the forces, so this
    is an estimate; but a step without push gains no energy, whatever the answer.
    """
    c = eta.max() / dt + theta - 0.5
    kappa: float = 0.5 / (1.0 + 2.0 * c)
    return kappa
