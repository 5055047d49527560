"""Point contacts and their friction pyramids: checks, rays, the central load.

Three cones stand for friction at a point:

outer     |f_x|, |f_y| <= mu f_z             the paper's pyramid, holds the circular cone
inner     the same with mu / sqrt 2          held by the circular cone: safe
circular  |f_t| <= mu f_z                    Coulomb's law, `contact.wrench_cone.circular_cone`
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike

from contact.frames import check_rotation
from sole.base.arrays import FloatArray, shaped
from sole.base.checks import numbers
from sole.base.errors import SoleError

LEAST, MOST = 1e-50, 1e50  # products of others overflow or vanish
PYRAMIDS = ("outer", "inner")
FLAT = 1e-12  # part of the size by which points may leave their plane
PRESSING = 1e-9  # part of a force that must be along `up`


def checked_friction(friction: float) -> float:
    """Return Coulomb's mu, 0 or from `LEAST` to `MOST`.

    Raises
    ------
    SoleError
        Any other value.
    """
    try:
        mu = float(friction)
    except (TypeError, ValueError) as error:
        raise SoleError(f"friction must be one number, got {friction!r}") from error
    if not (math.isfinite(mu) and mu >= 0):
        raise SoleError(f"friction must be a finite number >= 0, got {mu:g}")
    if mu > MOST or 0 < mu < LEAST:
        raise SoleError(f"friction must be 0 or lie between {LEAST:g} and {MOST:g}, got {mu:g}")
    return mu


def pyramid_friction(friction: float, pyramid: str) -> float:
    """Return the mu of the pyramid |f_x|, |f_y| <= mu f_z that `pyramid` names."""
    mu = checked_friction(friction)
    if pyramid not in PYRAMIDS:
        raise SoleError(f"the pyramid must be outer or inner (or circular), got {pyramid!r}")
    return mu / math.sqrt(2) if pyramid == "inner" else mu


def pyramid_rays(mu: float) -> FloatArray:
    """Return the rays (4, 3) of a pyramid, order (t1, t2, n); one ray (0, 0, 1) for mu = 0."""
    if mu == 0:
        return np.array([[0.0, 0.0, 1.0]])
    return np.array([[s * mu, t * mu, 1.0] for s in (1.0, -1.0) for t in (1.0, -1.0)])


def checked_contacts(points: ArrayLike, frames: ArrayLike) -> tuple[FloatArray, FloatArray]:
    """Return points (n, 3) and frames (n, 3, 3), each a rotation with rows t1, t2, n.

    Raises
    ------
    SoleError
        No contact, a wrong shape, NaN, or a frame that is not a rotation.
    """
    p = numbers("points", points)
    if p.ndim != 2 or p.shape[1] != 3 or len(p) == 0:
        raise SoleError(f"points must have shape (n, 3) with n > 0, got {p.shape}")
    p = shaped("points", p, p.shape)
    R = shaped("frames", frames, (len(p), 3, 3))
    for i, frame in enumerate(R):
        check_rotation(frame, f"frame {i} (rows t1, t2, n)")
    return p, R


def lies_flat(points: FloatArray, frames: FloatArray) -> bool:
    """Return whether all contacts lie in the plane z = 0 and have the normal z.

    (Of points (n, 3) about their middle: in one plane with that normal.)
    """
    upright = np.abs(frames[:, 2] - np.array([0, 0, 1])).max() <= FLAT
    return bool(upright and np.abs(points[:, 2]).max() <= FLAT * (np.abs(points).max() or 1.0))


def generators_at(points: FloatArray, frames: FloatArray, mu: float) -> FloatArray:
    """Return the wrenches (4 n, 6) about the origin of the pyramids' rays; (n, 6) for mu = 0.

    Each ray has the normal force 1 N; `frames` (n, 3, 3) has rows t1, t2, n of every contact.
    """
    forces = np.einsum("ra,nab->nrb", pyramid_rays(mu), frames)
    moments = np.cross(points[:, None, :], forces)
    return np.concatenate([forces, moments], axis=-1).reshape(-1, 6)


def central_load(axis: ArrayLike, up: ArrayLike | None) -> tuple[FloatArray, FloatArray]:
    """Return the central wrench (6,) scaled to a load of 1 N, and the unit vector of loads.

    `up` is by default the direction of the force of `axis`.
    """
    c = shaped("axis", axis, (6,))
    n = shaped("up", c[:3] if up is None else up, (3,))
    size, force = float(np.linalg.norm(n)), float(np.linalg.norm(c[:3]))
    load = float(c[:3] @ n) / size if size > 0 else 0.0
    if not load > PRESSING * force:
        raise SoleError(
            "the contacts press in opposite directions: give `up`, the direction in which the "
            "load counts, and an `axis` whose force has a part along it"
        )
    return c / load, n / size
