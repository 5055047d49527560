"""An operator of soles that differ in everything, small enough to be formed by hand."""

from __future__ import annotations

import numpy as np

from contact.problem import Compliances, SoleDelassus


def two_unequal_soles() -> SoleDelassus:
    """Soles of three and five nodes, turned frames, two contacts on one node."""
    rng = np.random.default_rng(3)
    factors = [rng.normal(size=(n, n)) for n in (9, 15)]
    points = rng.normal(size=(8, 3))
    spin = np.cross(np.eye(3), points[:, None, :])  # omega x y, one row per omega
    G = np.concatenate([np.tile(np.eye(3), (8, 1, 1)), spin.transpose(0, 2, 1)], axis=2)
    A = rng.normal(size=(12, 12))
    node = np.array([0, 2, 3, 4, 4, 7])
    return SoleDelassus(
        compliances=Compliances.of([F @ F.T / len(F) + np.eye(len(F)) for F in factors]),
        scale=np.array([2.0, 0.5]),
        node=node,
        frames=np.linalg.qr(rng.normal(size=(len(node), 3, 3)))[0],
        geometry=G.reshape(24, 6),
        support=A @ A.T / 12,
    )
