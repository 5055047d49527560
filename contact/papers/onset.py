"""Where slip and lift-off begin: the wrenches under which a whole compliant sole sticks.

A sole that sticks to flat ground at all its nodes since it first touched moves with the ground
rigidly, U_c = G x, so that its nodal forces are linear in the wrench w = G'f:

    f = A w,    A = K_c G (G' K_c G)^-1      (3m, 6).

No node lifts off as long as all f_n >= 0, linear rows (the kern of the sole); none slips as long
as all |f_t| <= mu f_n, cones of second order. Both sets are convex cones. Margins are measured from
the central wrench c, the one that presses without moving or turning the foot, per unit of load:

    margin = 1 - gamma,   gamma the least for which   c f_z + (w - c f_z)/gamma   is in the cone,

so that 1/gamma is the share of shear, yaw and tilting moment at which the first node lifts or
slips. Gross slip comes later: `contact.margins.sole_margin`.

Under c itself the bonded sole already shears its tread: the ground holds back the bulging. A node
needs |f_t|/f_n of friction for that; where mu is less, it slips as soon as the sole touches.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from contact.constants import FRICTION
from contact.frames import wrenches_of
from sole.base.arrays import FloatArray, IntArray, frozen, shaped
from sole.base.checks import numbers
from sole.base.compiled import kernel
from sole.base.errors import SoleError
from sole.condense import CondensedSole

__all__ = ["Onset", "SoleCone"]


class Onset(NamedTuple):
    """Margins `value` (...,) and the `node` (...,) that is first; -inf and -1 without load."""

    value: FloatArray
    node: IntArray


@dataclass(frozen=True, eq=False, kw_only=True)
class SoleCone:
    """The wrenches (fx, fy, fz, tx, ty, tz) under which no node slips, or none lifts off.

    Parameters
    ----------
    points : (m, 3) tread vertices, sole frame [m].
    rows : A (m, 3, 6), nodal forces along x, y, z per wrench about the projected origin.
    axis : c (6,), with c_fz = 1.
    friction : mu >= 0.
    """

    points: FloatArray
    rows: FloatArray
    axis: FloatArray
    friction: float

    def __post_init__(self) -> None:
        x = numbers("points", self.points)
        if x.ndim != 2 or x.shape[1] != 3 or len(x) == 0:
            raise SoleError(f"points must have shape (m, 3), m > 0, got {x.shape}")
        object.__setattr__(self, "points", frozen(shaped("points", x, x.shape)))
        object.__setattr__(self, "rows", frozen(shaped("rows", self.rows, (len(x), 3, 6))))
        object.__setattr__(self, "axis", frozen(shaped("axis", self.axis, (6,))))
        if abs(self.axis[2] - 1) > 1e-9:
            raise SoleError(f"the axis must have fz = 1, got {self.axis[2]:g}")
        if not (math.isfinite(self.friction) and self.friction >= 0):
            raise SoleError(f"friction must be finite and not negative, got {self.friction:g}")

    @classmethod
    def of(cls, sole: CondensedSole, friction: float = FRICTION) -> SoleCone:
        """Return the cones of a condensed sole on flat ground, parallel to its tread."""
        KG = sole.stiffness @ sole.geometry
        K6 = sole.foot_stiffness
        A = np.asarray(np.linalg.solve(K6, KG.T).T, dtype=np.float64)
        return cls(
            points=sole.points,
            rows=A.reshape(-1, 3, 6),
            axis=K6[:, 2] / K6[2, 2],
            friction=float(friction),
        )

    def forces(self, wrenches: ArrayLike) -> FloatArray:
        """Return the nodal forces (..., m, 3) [N] of wrenches (..., 6) while all nodes stick."""
        w = wrenches_of(wrenches)
        return np.asarray(np.einsum("mck,...k->...mc", self.rows, w))

    @cached_property
    def central(self) -> FloatArray:
        """(m, 3) nodal forces under the central wrench, per N of load."""
        return frozen(self.forces(self.axis))

    @cached_property
    def friction_needed(self) -> FloatArray:
        """(m,) |f_t|/f_n under the central wrench; infinite where it pulls."""
        f = self.central
        shear = np.hypot(f[:, 0], f[:, 1])
        return frozen(np.divide(shear, f[:, 2], out=np.full(len(f), np.inf), where=f[:, 2] > 0))

    @property
    def sticks(self) -> bool:
        """Whether the whole sole sticks under the central wrench."""
        return bool(self.friction_needed.max() <= self.friction)

    def lift(self, wrenches: ArrayLike) -> Onset:
        """Return margins (...,) against the first node's lift-off.

        -inf everywhere if a node pulls already under the central wrench.
        """
        return self._onset(wrenches, 0)

    def slip(self, wrenches: ArrayLike) -> Onset:
        """Return margins (...,) against the first node's slip; never more than `lift`.

        -inf everywhere if the sole does not stick as a whole under the central wrench:
        `friction_needed` says where and how much is missing.
        """
        return self._onset(wrenches, 1)

    def margin(self, wrenches: ArrayLike) -> FloatArray:
        """Return the margins (...,) of `slip`: until then the sole sticks as a whole."""
        return self.slip(wrenches).value

    def _onset(self, wrenches: ArrayLike, kind: int) -> Onset:
        w = wrenches_of(wrenches)
        rows = np.ascontiguousarray(w.reshape(-1, 6))
        gamma, node = np.empty(len(rows)), np.empty(len(rows), np.int64)
        mu = self.friction if kind else np.inf
        _fill_onsets(self.rows, self.central, self.axis, mu, rows, gamma, node)
        shape = w.shape[:-1]
        return Onset((1 - gamma).reshape(shape)[()], node.reshape(shape)[()])


@kernel
def _fill_onsets(
    rows: FloatArray,
    central: FloatArray,
    axis: FloatArray,
    mu: float,
    wrenches: FloatArray,
    gamma: FloatArray,
    node: IntArray,
) -> None:
    """Fill the least `gamma` (N,) for which all nodes hold, and the `node` (N,) that needs it.

    f(gamma) = gamma central f_z + A (w - c f_z), a node holds if f_n >= 0 (and, for a finite
    mu, |f_t| <= mu f_n): the root of mu^2 f_n^2 = |f_t|^2 on the upper nappe.
    """
    stick = mu < math.inf
    for k in range(len(wrenches)):
        load = wrenches[k, 2]
        if load <= 0.0:
            gamma[k], node[k] = math.inf, -1
            continue
        w0, w1 = wrenches[k, 0] - axis[0] * load, wrenches[k, 1] - axis[1] * load
        w3, w4 = wrenches[k, 3] - axis[3] * load, wrenches[k, 4] - axis[4] * load
        w5 = wrenches[k, 5] - axis[5] * load
        worst, which = 0.0, 0
        for i in range(len(rows)):
            n = rows[i, 2]
            d2 = n[0] * w0 + n[1] * w1 + n[3] * w3 + n[4] * w4 + n[5] * w5
            c2 = central[i, 2] * load
            if not stick:
                if c2 <= 0.0:
                    worst, which = math.inf, i
                    break
                if worst * c2 + d2 < 0.0:
                    worst, which = -d2 / c2, i
                continue
            x, y = rows[i, 0], rows[i, 1]
            d0 = x[0] * w0 + x[1] * w1 + x[3] * w3 + x[4] * w4 + x[5] * w5
            d1 = y[0] * w0 + y[1] * w1 + y[3] * w3 + y[4] * w4 + y[5] * w5
            c0, c1 = central[i, 0] * load, central[i, 1] * load
            A = mu * mu * c2 * c2 - c0 * c0 - c1 * c1
            if c2 <= 0.0 or A < 0.0:
                worst, which = math.inf, i
                break
            f0, f1, f2 = worst * c0 + d0, worst * c1 + d1, worst * c2 + d2
            if f2 < 0.0 or f0 * f0 + f1 * f1 > mu * mu * f2 * f2:
                B = mu * mu * c2 * d2 - c0 * d0 - c1 * d1
                C = mu * mu * d2 * d2 - d0 * d0 - d1 * d1
                root = math.sqrt(max(B * B - A * C, 0.0))
                if B > 0.0:
                    needed = -C / (B + root)
                else:
                    needed = (root - B) / A if A > 0.0 else math.inf
                if needed > worst:
                    worst, which = needed, i
        gamma[k], node[k] = worst, which
