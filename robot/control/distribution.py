"""From a zero-moment point to wrenches on the feet.

The feet that carry share the force f = m (c'' - g) in the parts alpha of a point on the line from
foot to foot, the moments about the point likewise [KajitaEtAl2010]:

    alpha = the projection of p on the line,   f_k = alpha_k f,   M = -sum (p_k - p) x f_k,
    tau_k = alpha_k M   (horizontal part),

so that sum f_k = f and the moment about p is zero in x and y. With one foot, tau = (p - p_k) x f.
"""

from __future__ import annotations

import numpy as np

from sole.arrays import BoolArray, FloatArray


def shares(p: FloatArray, feet: FloatArray, supports: BoolArray) -> FloatArray:
    """Return alpha (2,): which part of the weight each foot carries for a ZMP p (2,).

    Parameters
    ----------
    p : zero-moment point [m]. feet : (2, 2) centres of the feet [m], both in the world.
    supports : (2,) which feet carry; none counts as both.
    """
    if supports[0] != supports[1]:
        return supports.astype(float)
    line = feet[1] - feet[0]
    right = float(np.clip((p - feet[0]) @ line / (line @ line), 0.0, 1.0))
    return np.array([1.0 - right, right])


def distributed(
    p: FloatArray, force: FloatArray, feet: FloatArray, supports: BoolArray
) -> FloatArray:
    """Return wrenches (2, 6) about the feet's centres for a ZMP p and a total force, world axes.

    Parameters
    ----------
    p : (2,) in the plane of the feet [m]. force : f (3,) on the robot [N].
    feet : (2, 2) [m]. supports : (2,).
    """
    alpha = shares(p, feet, supports)
    arms = feet - p
    f = alpha[:, None] * force
    M = -(arms[:, 1] @ f[:, 2]), arms[:, 0] @ f[:, 2]
    w = np.zeros((2, 6))
    w[:, :3] = f
    w[:, 3], w[:, 4] = alpha * M[0], alpha * M[1]
    return w
