"""The contact problem of a foot with all of its nodes, driven by its twist."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from contact.problem import Compliances, Problem, SoleDelassus
from sole.base.arrays import FloatArray
from sole.condense import CondensedSole


def nodal_problem(
    sole: CondensedSole,
    compliances: Compliances,
    friction: ArrayLike,
    forces: FloatArray,
    free_twist: FloatArray,
    inverse_inertia: FloatArray,
    dt: float,
) -> Problem:
    """Return the step of a flat foot on flat ground as W r + q, one contact per node.

        W = C/dt + dt G S G',      q = G v_free - C f/dt

    Parameters
    ----------
    sole, compliances : G and C of the sole; `Compliances.of([sole.compliance])`, made once.
    friction : mu of all nodes, or (m,) of every one.
    forces : (m, 3) f at the start of the step [N].
    free_twist, inverse_inertia : v_free (6,) [m/s, rad/s] and S (6, 6), about the sole's origin.
    dt : step [s].
    """
    m, G = len(sole.points), np.asarray(sole.geometry)
    operator = SoleDelassus(
        compliances=compliances, scale=np.array([1 / dt]), node=np.arange(m),
        frames=np.stack([np.eye(3)] * m), geometry=G, support=dt * inverse_inertia,
    )  # fmt: skip
    q = G @ free_twist - np.asarray(sole.compliance) @ forces.ravel() / dt
    return Problem(operator=operator, offset=q.reshape(m, 3), friction=np.array(friction))
