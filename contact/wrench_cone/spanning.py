"""Rows and words of the cone that generators span, computed about the middle of the contacts.

Facets are found about a point amid the forces and then moved to the origin, so they do not depend
on the origin. Flat contacts (plane z = 0, normals z) are solved for friction 1:

    (fx, fy, fz, tx, ty, tz) -> (mu fx, mu fy, fz, tx, ty, mu tz)

maps their cone onto that for friction mu, however small.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from contact.frames import wrenches_about
from contact.wrench_cone.facet_words import flat_words, screw_words
from contact.wrench_cone.facets import facets_of, lever, normalise_rows, reach
from sole.base.arrays import FloatArray
from sole.base.errors import SoleError

EQUATION = 1e-12  # a row with less of the central load than this is half of an equation
NOWHERE = 1e-12  # a lever below this part of the distance to the origin is round-off
PARALLEL = 1e-9  # forces that differ in direction by less than this have no centre along them


def centre_of(generators: FloatArray) -> FloatArray:
    """Return the point p (3,) amid the lines of force: sum |tau_i - p x f_i|^2 is least [m]."""
    f, tau = generators[:, :3], generators[:, 3:]
    M = (f**2).sum() * np.eye(3) - f.T @ f
    b = np.cross(f, tau).sum(axis=0)
    return np.asarray(np.linalg.lstsq(M, b, rcond=PARALLEL)[0])


def local_generators(generators: FloatArray, centre: FloatArray) -> FloatArray:
    """Return generators (g, 6) about `centre`, with moments that are round-off put to 0."""
    local = wrenches_about(generators, centre)
    far = lever(generators) + float(np.linalg.norm(centre))
    if lever(local) <= NOWHERE * far or not local[:, 3:].any():
        local[:, 3:] = 0.0
    return local


def lie_level(parts: Sequence[FloatArray]) -> bool:
    """Return whether flat contacts, each by its generators (g, 6), lie at the same height."""
    together = np.vstack(parts)
    heights = [centre_of(part)[2] for part in parts]
    size = lever(local_generators(together, centre_of(together)))
    return bool(np.ptp(heights) <= PARALLEL * size)


def span_rows(
    local: FloatArray,
    centre: FloatArray,
    axis: FloatArray,
    up: FloatArray,
    *,
    flat: bool = False,
    mu: float = 1.0,
) -> tuple[FloatArray, tuple[str, ...]]:
    """Return rows (k, 6) and words (k,) for wrenches about the origin.

    Parameters
    ----------
    local : generators (g, 6) about `centre` (3,), for friction 1 where `mu` is not 1.
    axis, up : central wrench (6,) about the origin, and the direction of loads (3,).
    flat : all forces act in the plane z = 0, normal z: words name edges and directions.
    mu : friction of flat contacts, for which the rows are scaled.

    Raises
    ------
    SoleError
        If the axis is not inside.
    """
    tangential = np.array([1, 1, 0, 0, 0, 1], dtype=bool)
    c = wrenches_about(axis, centre)
    c = np.where(tangential, c / mu, c)
    arm = lever(local)
    found = facets_of(local)
    rows = normalise_rows(
        np.vstack([found.inequalities, found.equations, -found.equations]), arm, up
    )
    facets = rows[: len(found.inequalities)]
    if not (-facets @ c > EQUATION * reach(facets, arm)).all():
        raise SoleError("axis must lie inside the cone: its margin is 1")
    tilts = (rows[:, 5] == 0) & rows[:, 3:].any(axis=1)  # scaled to a moment of 1 across up
    rows[tilts] /= np.where(tangential, mu, 1.0)
    rows[~tilts] *= np.where(tangential, 1.0, mu)
    words = flat_words(rows, arm, centre[:2]) if flat else screw_words(rows, arm, centre)
    rows[:, :3] -= np.cross(rows[:, 3:], centre)  # a . w stays: tau_local = tau - centre x f
    return rows + 0.0, words
