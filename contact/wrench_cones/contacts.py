"""Point contacts of one foot or several: checked, and the rays of their friction pyramids."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from contact.frames import check_rotation
from contact.numbers import numbers
from contact.wrench_cones.friction import pyramid_rays
from sole.arrays import FloatArray, shaped
from sole.errors import SoleError

FLAT = 1e-12  # part of the size by which points may leave their plane
PRESSING = 1e-9  # part of a force that must be along `up`


def checked_contacts(points: ArrayLike, frames: ArrayLike) -> tuple[FloatArray, FloatArray]:
    """Return points (n, 3) and frames (n, 3, 3), each a rotation with rows t1, t2, n.

    Raises
    ------
    SoleError
        For no contact, another shape, NaN, or a frame that is no rotation.
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
