"""Touching the tread of a condensed sole with points, at the rate of a haptic device.

A tip touches the tread from outside, where its nodes have the weights N of a triangle. With the
virtual coupling K_v in series the tread's point and the device know

    u = W r + q,    W = N C N' + I/K_v,

r the force of the tip on the sole, u_n >= 0 the gap, u_t the slip, under Coulomb's law, solved by
`contact.solvers` for all tips at once. A held point (a button) sticks to its tip both ways:
W r = way of the device. Displacements of the other nodes are U = C N' r, added to those that the
scene has given (`move`), which runs at its own rate.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from contact.constants import FRICTION
from contact.problem import DenseDelassus, Problem
from contact.solvers import solve
from sole.base.arrays import FloatArray
from sole.base.checks import check_positive
from sole.base.errors import ConfigError
from sole.condense import CondensedSole

TOLERANCE = 1e-8
OUTSIDE = 1e-6  # of barycentric weights: a tip beside the tread touches nothing


class Touched(NamedTuple):
    """Forces (k, 3) of the tips on the sole, and U (m, 3) of the nodes, sole frame [N, m]."""

    forces: FloatArray
    displacement: FloatArray


class SoleProxy:
    """The tread of one sole for up to a few tips.

    Parameters
    ----------
    sole : the sole; its bond stands still. coupling : K_v [N/m]; the stiffness that a device feels
        is below it. friction : Coulomb's mu of the tips.
    """

    def __init__(
        self, sole: CondensedSole, *, coupling: float = 1000.0, friction: float = FRICTION
    ) -> None:
        check_positive("proxy", {"coupling": coupling})
        if not friction >= 0:
            raise ConfigError(f"proxy: friction must not be negative, got {friction:g}")
        self.sole, self.coupling, self.friction = sole, coupling, friction
        mesh = sole.mesh
        number = np.full(len(mesh.points), -1)
        number[mesh.tread_vertices] = np.arange(len(sole.points))
        self.faces = number[mesh.tread]
        self._corners = sole.points[self.faces][:, :, :2]
        self.scene = np.zeros_like(sole.points)
        self.release()

    def release(self) -> None:
        """Forget what the tips touched."""
        self.anchors: FloatArray | None = None
        self.tips = np.zeros((0, 3))
        self.forces = np.zeros((0, 3))
        self.held: FloatArray | None = None

    def move(self, displacement: FloatArray) -> None:
        """Take over the displacements (m, 3) of the scene, without those of the tips [m]."""
        if np.shape(displacement) != self.scene.shape or not np.isfinite(displacement).all():
            raise ConfigError(f"displacements must be finite and {self.scene.shape}")
        self.scene = np.array(displacement, dtype=float)

    def weights(self, place: FloatArray) -> FloatArray | None:
        """Return N (m,) of a place x, y on the undeformed tread; None beside it."""
        a, b, c = self._corners[:, 0], self._corners[:, 1], self._corners[:, 2]
        u, v, w = b - a, c - a, np.asarray(place)[:2] - a
        area = u[:, 0] * v[:, 1] - u[:, 1] * v[:, 0]
        beta = (w[:, 0] * v[:, 1] - w[:, 1] * v[:, 0]) / area
        gamma = (u[:, 0] * w[:, 1] - u[:, 1] * w[:, 0]) / area
        shares = np.stack([1 - beta - gamma, beta, gamma], axis=1)
        best = int(np.argmax(shares.min(axis=1)))
        if shares[best].min() < -OUTSIDE:
            return None
        N = np.zeros(len(self.sole.points))
        N[self.faces[best]] = shares[best]
        return N

    def touch(self, tips: FloatArray, *, held: bool = False) -> Touched:
        """Move the tips to new places (k, 3) and return what they do; call it every period.

        `held` : the tips keep hold of the points that they are at when this begins.

        Raises
        ------
        ConfigError
            The places are not finite, or their number changed: `release` first.
        """
        tips = np.atleast_2d(np.asarray(tips, dtype=float))
        if tips.shape[1:] != (3,) or not np.isfinite(tips).all():
            raise ConfigError(f"tips must be finite and (k, 3), got {tips.shape}")
        if self.anchors is None:
            self.anchors, self.tips = tips[:, :2].copy(), tips.copy()
            self.forces = np.zeros_like(tips)
        if len(tips) != len(self.anchors):
            raise ConfigError(f"{len(self.anchors)} tips touch, got {len(tips)}: release first")
        loose = (self.forces == 0).all(axis=1) & (not held or self.held is None)
        self.anchors[loose] = tips[loose, :2]  # a tip in the air is above the place below it
        rows = [self.weights(place) for place in self.anchors]
        on = [k for k, N in enumerate(rows) if N is not None]
        forces = np.zeros_like(tips)
        if not on:
            return self._done(tips, forces, np.zeros((0, len(self.sole.points))), on)
        N = np.array([rows[k] for k in on])
        W = self._compliance(N) + np.eye(3 * len(on)) / self.coupling
        surface = N @ (self.sole.points + self.scene)
        if held:
            if self.held is None:
                self.held = tips - self.forces / self.coupling
            way = (tips[on] - self.held[on]).ravel()
            forces[on] = np.linalg.solve(W, way).reshape(-1, 3)
            return self._done(tips, forces, N, on)
        self.held = None
        before = W @ self.forces[on].ravel()
        q = -before.reshape(-1, 3) - (tips[on] - self.tips[on])
        q[:, 2] = surface[:, 2] - tips[on, 2]
        if (q[:, 2] < 0).any():
            problem = Problem(DenseDelassus(W), q, np.full(len(on), self.friction))
            done = solve(problem, tolerance=TOLERANCE, start=self.forces[on])
            forces[on] = done.reactions
            slip = (W @ done.reactions.ravel()).reshape(-1, 3)[:, :2] + q[:, :2]
            stays = np.linalg.norm(forces[on], axis=1) > 0
            for k, change, loaded in zip(on, slip, stays, strict=True):
                if loaded:
                    self.anchors[k] -= change
        return self._done(tips, forces, N, on)

    def _compliance(self, N: FloatArray) -> FloatArray:
        """Return N C N' (3k, 3k)."""
        m, k = len(self.sole.points), len(N)
        C = self.sole.compliance.reshape(m, 3, m, 3)
        nodes = np.flatnonzero(N.any(axis=0))
        axes = np.arange(3)
        part = C[np.ix_(nodes, axes, nodes, axes)]
        n = N[:, nodes]
        W = np.einsum("pi,iajb,qj->paqb", n, part, n, optimize=True)
        return np.asarray(W).reshape(3 * k, 3 * k)

    def _done(self, tips: FloatArray, forces: FloatArray, N: FloatArray, on: list[int]) -> Touched:
        self.tips, self.forces = tips.copy(), forces
        nodal = N.T @ forces[on] if on else np.zeros_like(self.sole.points)
        U = (self.sole.compliance @ nodal.ravel()).reshape(-1, 3)
        return Touched(forces.copy(), U + self.scene)
