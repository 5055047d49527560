"""Alart and Curnier's equations of Coulomb contact and their generalised derivative.

Per contact, with its own rho_n = 1/W_nn, rho_t = 2/(W_11 + W_22) and tau = r - rho u,

    F_n = r_n - max(0, tau_n),
    F_t = r_t - tau_t min(1, mu max(0, tau_n)/|tau_t|),

and F = 0 exactly at the solutions [AlartCurnier1991]. A row T du + D dr = b is its linearisation:

    open   tau_n <= 0:             dr = -r
    stick  |tau_t| <= mu tau_n:    du = -u
    slip   otherwise:              du_n = -u_n,
           H rho_t du_t + (1 - H) dr_t - mu e dr_n = mu r_n e - r_t,

with e = tau_t/|tau_t|, H = (mu tau_n/|tau_t|) (1 - e e'). Forces and rho are per contact, so that
light and heavy bodies in one problem are treated alike.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from contact.problem import Problem
from sole.base.arrays import BoolArray, FloatArray

TINY_BLOCK = 1e-10  # of the mean diagonal of W: a contact with less is treated as if it had this


@dataclass(frozen=True, eq=False)
class AlartCurnierLaw:
    """mu, rho_n and rho_t of all contacts, each (K,)."""

    friction: FloatArray
    normal: FloatArray
    tangential: FloatArray

    @classmethod
    def of(cls, problem: Problem) -> AlartCurnierLaw:
        """Take rho from the diagonal blocks of W."""
        W = problem.blocks
        floor = TINY_BLOCK / problem.rho
        return cls(
            problem.friction,
            1 / np.maximum(W[:, 2, 2], floor),
            2 / np.maximum(W[:, 0, 0] + W[:, 1, 1], 2 * floor),
        )

    def trial(self, r: FloatArray, u: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
        """tau_n (K,), tau_t (K, 2), |tau_t| (K,)."""
        tau = r[:, :2] - self.tangential[:, None] * u[:, :2]
        return r[:, 2] - self.normal * u[:, 2], tau, np.hypot(tau[:, 0], tau[:, 1])

    def residual(self, r: FloatArray, u: FloatArray) -> float:
        """|F| over all contacts [N]."""
        tau_n, tau, size = self.trial(r, u)
        reach = np.maximum(tau_n, 0.0)
        share = np.minimum(1.0, self.friction * reach / np.maximum(size, 1e-300))
        tangential = r[:, :2] - share[:, None] * tau
        return float(np.sqrt(np.sum((r[:, 2] - reach) ** 2) + np.sum(tangential**2)))

    def touching(self, r: FloatArray, u: FloatArray) -> BoolArray:
        """(K,) which contacts are closed, tau_n > 0."""
        return np.asarray(r[:, 2] - self.normal * u[:, 2] > 0)

    def linearised(
        self, r: FloatArray, u: FloatArray, closed: BoolArray
    ) -> tuple[FloatArray, FloatArray, FloatArray]:
        """T, D (k, 3, 3) and b (k, 3) of the k `closed` contacts; stick and slip in units of r."""
        tau_n, tau, size = (part[closed] for part in self.trial(r, u))
        mu, rho_n, rho_t = (part[closed] for part in (self.friction, self.normal, self.tangential))
        r, u = r[closed], u[closed]
        rho = np.stack([rho_t, rho_t, rho_n], axis=1)
        T = rho[:, :, None] * np.eye(3)
        D = np.zeros_like(T)
        b = -rho * u
        slip = np.flatnonzero((size > mu * tau_n) | (mu == 0.0))
        if len(slip):
            mu, size = mu[slip], np.maximum(size[slip], 1e-300)
            e = tau[slip] / size[:, None]
            H = np.eye(2) - e[:, :, None] * e[:, None, :]
            H *= np.minimum(mu * tau_n[slip] / size, 1.0)[:, None, None]
            T[slip, :2, :2] = rho_t[slip, None, None] * H
            D[slip, :2, :2] = np.eye(2) - H
            D[slip, :2, 2] = -mu[:, None] * e
            b[slip, :2] = (mu * r[slip, 2])[:, None] * e - r[slip, :2]
        return T, D, b
