"""A random problem of soles on feet, small enough to form W."""

from __future__ import annotations

import numpy as np

from contact.problem import Compliances, Problem, SoleDelassus


def structured(seed: int = 2, nodes: int = 10, bodies: int = 1) -> Problem:
    """Two contacts on every node, as on a ground of two solids; the last of many is rigid."""
    rng = np.random.default_rng(seed)
    n = 3 * nodes

    def compliance():
        A = rng.normal(size=(n, n))
        return A @ A.T / n + 0.3 * np.eye(n)

    soft = [compliance() for _ in range(max(1, bodies - 1))]
    Q = np.linalg.qr(rng.normal(size=(2 * nodes * bodies, 3, 3)))[0]
    S = rng.normal(size=(6 * bodies, 6 * bodies))
    operator = SoleDelassus(
        compliances=Compliances.of(soft if bodies == 1 else [*soft, nodes]),
        scale=rng.uniform(0.5, 2.0, bodies),
        node=np.tile(np.arange(nodes * bodies), 2),
        frames=Q,
        geometry=rng.normal(size=(n * bodies, 6)),
        support=S @ S.T / 6,
    )
    K = operator.contacts
    return Problem(operator, rng.normal(size=(K, 3)), np.full(K, 0.3))
