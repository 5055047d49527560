"""A variant of the penalty law for an experiment: forces fitted inside the cones, not cut to them.

The paper solves W F' + b = P''^d for the forces of least norm (18) and cuts them (19), (20). The
four vertices of a rectangle of half sides a, b under a load F at x, y get F/4 (1 +- x/a +- y/b):
a pull for |x|/a + |y|/b > 1, although the load is inside the rectangle. Here

    minimise |W F + b - P''^d|   over forces in the cones (pyramids of eight rays),

so that a vertex is never asked to pull. What still opens a contact then is not the cutting.
"""

from __future__ import annotations

import numpy as np

from contact.papers.penalty import ContactSpace, desired_accelerations
from robot.simulator import PenaltyStep
from sole.base.arrays import FloatArray

__all__ = ["FittedPenaltyStep", "fit_forces"]

RAYS = 8


class FittedPenaltyStep(PenaltyStep):
    """The time step of rigid points whose penalty forces are fitted inside the cones."""

    def require(
        self, space: ContactSpace, gaps: FloatArray, velocities: FloatArray, mu: FloatArray
    ) -> FloatArray:
        """Return the forces (K, 3) [N] of least misfit; cutting them changes nothing."""
        wanted = desired_accelerations(self.law, gaps, velocities)
        return fit_forces(space.operator, wanted.ravel() - space.drift, mu)


def fit_forces(W: FloatArray, target: FloatArray, mu: FloatArray) -> FloatArray:
    """Return F (K, 3) in the cones that minimises |W F - target| (3K,), by NNLS on their rays.

    The rays (mu cos, mu sin, 1) lie on Coulomb's cone; their pyramid is inside it.
    """
    from scipy.optimize import nnls

    angles = 2 * np.pi * np.arange(RAYS) / RAYS
    rays = np.stack([np.cos(angles), np.sin(angles), np.ones(RAYS)], axis=1)
    K = len(mu)
    G = np.zeros((3 * K, RAYS * K))
    for k in range(K):
        own = rays * [mu[k], mu[k], 1.0]
        G[3 * k : 3 * k + 3, RAYS * k : RAYS * (k + 1)] = own.T
    A = W @ G
    scale = np.abs(A).max() or 1.0
    shares, _ = nnls(A / scale, target)
    return np.asarray((G @ shares / scale).reshape(-1, 3))
