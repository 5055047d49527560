"""A wrench seen from another point or another frame.

    f_b = R f_a,    tau_b = R tau_a + p x (R f_a)          a_to_b = (R, p): x_b = R x_a + p,

order (fx, fy, fz, tx, ty, tz), moments about the origin of the frame. The power w . (v, omega) of
a wrench on a twist does not change when both are moved.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from contact.frames import check_rotation
from contact.numbers import numbers
from sole.arrays import FloatArray, shaped
from sole.errors import SoleError

HUGE = 1e150  # products beyond that are no numbers any more


def wrenches_of(values: ArrayLike) -> FloatArray:
    """Return `values` as finite wrenches (..., 6).

    Raises
    ------
    SoleError
        For another last axis, and for what is no number, NaN or infinite.
    """
    try:
        w = np.asarray(values, dtype=float)
    except (TypeError, ValueError) as error:
        raise SoleError(
            f"wrenches must be numbers (..., 6): fx fy fz tx ty tz ({error})"
        ) from error
    if w.ndim == 0 or w.shape[-1] != 6:
        raise SoleError(f"wrenches must have shape (..., 6): fx fy fz tx ty tz, got {w.shape}")
    size = float(np.abs(w).max(initial=0.0))
    if not size <= HUGE:  # NaN, too
        got = f"{size:g}" if np.isfinite(size) else "NaN or infinity"
        raise SoleError(f"wrenches must be finite and below {HUGE:g}, got {got}")
    return w


def wrench_matrix(rotation: ArrayLike, translation: ArrayLike) -> FloatArray:
    """Return T (6, 6) with w_b = T w_a, for the transform a_to_b = (R (3, 3), p (3,) [m])."""
    R, p = shaped("rotation", rotation, (3, 3)), shaped("translation", translation, (3,))
    check_rotation(R, "rotation")
    T = np.zeros((6, 6))
    T[:3, :3] = T[3:, 3:] = R
    T[3:, :3] = np.cross(p, R.T).T  # columns p x (R e_k)
    return T


def moved(wrenches: ArrayLike, rotation: ArrayLike, translation: ArrayLike) -> FloatArray:
    """Return wrenches (..., 6) of frame a in frame b, a_to_b = (R (3, 3), p (3,) [m])."""
    return np.asarray(wrenches_of(wrenches) @ wrench_matrix(rotation, translation).T)


def about(wrenches: ArrayLike, points: ArrayLike) -> FloatArray:
    """Return wrenches (..., 6) about other points (..., 3) [m], same axes: tau - point x f."""
    w = wrenches_of(wrenches)
    p = numbers("points", points)
    if p.shape[-1:] != (3,) or not np.isfinite(p).all():
        raise SoleError(f"points must be finite (..., 3) [m], got shape {p.shape}")
    tau = w[..., 3:] - np.cross(p, w[..., :3])
    return np.concatenate([np.broadcast_to(w[..., :3], tau.shape), tau], axis=-1)
