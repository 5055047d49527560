"""Contact problems of soles that stand, some nodes lifted."""

from __future__ import annotations

import numpy as np

from contact.problem import Compliances, Problem, SoleDelassus


def standing(pad, *, bodies=2, rigid_second=False, seed=0, push=0.0):
    """Soles in turned frames under a steady load, some nodes lifted far off the ground."""
    rng = np.random.default_rng(seed)
    m, dt = len(pad.points), 1e-3
    second = m if rigid_second else pad.compliance
    C = Compliances.of([pad.compliance, second][:bodies])
    n = np.tile([0.02, -0.03, 1.0], (m * bodies, 1)) + 0.01 * rng.normal(size=(m * bodies, 3))
    n /= np.linalg.norm(n, axis=1)[:, None]
    t1 = np.cross([0.0, 1.0, 0.0], n)
    t1 /= np.linalg.norm(t1, axis=1)[:, None]
    A = rng.normal(size=(6 * bodies, 6 * bodies))
    S = dt * (A @ A.T / 60 + np.diag(np.tile([0.2, 0.2, 0.1, 4, 4, 7], bodies)))
    G = np.tile(pad.geometry, (bodies, 1))
    operator = SoleDelassus(
        compliances=C,
        scale=np.full(bodies, 1 / dt),
        node=np.arange(m * bodies),
        frames=np.stack([t1, np.cross(n, t1), n], axis=1),
        geometry=G,
        support=S,
    )
    # Pressed evenly into the ground, so that nothing slips; every seventh node is far above it.
    q = np.tile([push, 0.0, -0.05], (m * bodies, 1)) + 1e-4 * rng.normal(size=(m * bodies, 3))
    if rigid_second:
        q[m:] = np.einsum("kab,b->ka", operator.motions[m:], [0.0, 0.001, -0.05, 0.01, 0.02, 0.0])
    q[::7, 2] = 10.0
    return Problem(operator, q, np.asarray(1.5))
