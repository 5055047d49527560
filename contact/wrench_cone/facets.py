"""Facets of the cone that generators span: double description by Qhull in a cross-section.

    {sum_j lambda_j g_j, lambda >= 0} = {w : A w <= 0}

1. Moments are divided by a length, then the generators are whitened (singular value
   decomposition): what is flat shows as a missing rank, and is described by pairs of rows +-a.
2. A linear function that is positive on all generators cuts the cone in a polytope, whose facets
   are those of the cone. Without one the cone holds a line; its facets are then those of the
   generators' hull with the origin that pass through the origin.
3. Qhull triangulates: equal facets are merged by the generators that lie on them, and the normal of
   each is computed anew from all of those.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from sole.base.arrays import BoolArray, FloatArray
from sole.base.errors import ConvergenceError

RANK = 1e-10  # singular values below this part of the largest count as zero
ON_FACET = (1e-7, 1e-9, 1e-11, 1e-13)  # of Qhull's normals; the new ones are checked to EXACT
EXACT = 1e-10
NOISE = 1e-12  # entries of a row below this part of its largest count as zero
MOST = 5000  # facets; more make no sensible description
SMALL = 1e-9  # smaller parts of a row do not scale it


@dataclass(frozen=True, eq=False, kw_only=True)
class Facets:
    """Rows of A w <= 0: `inequalities` (k, 6) and one of each pair of `equations` (e, 6).

    Parameters
    ----------
    pointed : the cone holds no line, so that no forces can balance one another.
    """

    inequalities: FloatArray
    equations: FloatArray
    pointed: bool


def lever(generators: FloatArray) -> float:
    """Return the largest moment per force of the generators [m]; 1 if they have none."""
    force = np.linalg.norm(generators[:, :3], axis=1)
    moment = np.linalg.norm(generators[:, 3:], axis=1)
    return float((moment / np.where(force > 0, force, 1.0)).max()) or 1.0


def reach(rows: FloatArray, arm: float) -> FloatArray:
    """Return the largest slack (k,) of rows (k, 6) for a force of 1 N with the lever `arm` [m]."""
    force, moment = np.linalg.norm(rows[:, :3], axis=1), np.linalg.norm(rows[:, 3:], axis=1)
    return np.asarray(force + arm * moment)


def find_pairs(rows: FloatArray) -> BoolArray:
    """Return which (k,) of the rows (k, 6) have their opposite among them, to the last bit."""
    known = {(row + 0.0).tobytes() for row in rows}
    return np.array([(0.0 - row).tobytes() in known for row in rows], dtype=bool)


def facets_of(generators: FloatArray) -> Facets:
    """Return the facets of the cone of `generators` (g, 6), each of them with a force.

    Raises
    ------
    ConvergenceError
        If Qhull fails or its facets do not hold the generators.
    """
    length = lever(generators)
    scale = np.array([1, 1, 1, 1 / length, 1 / length, 1 / length])
    scaled = generators * scale
    scaled /= np.linalg.norm(scaled, axis=1)[:, None]
    U, S, Vt = np.linalg.svd(scaled, full_matrices=True)
    rank = int((S > RANK * S[0]).sum())
    white = U[:, :rank]
    white = white / np.linalg.norm(white, axis=1)[:, None]
    positive = _positive_function(white)
    if positive is not None:
        normals = _of_pointed(white, positive)
    else:
        normals = _through_origin(white)
    # A normal v of the whitened generators U = scaled V / S is the row V (v / S) of the scaled.
    inequalities = (normals / S[:rank]) @ Vt[:rank] * scale
    return Facets(
        inequalities=inequalities,
        equations=_reduced(Vt[rank:]) * scale,
        pointed=positive is not None,
    )


def _reduced(equations: FloatArray) -> FloatArray:
    """Return rows (e, 6) of the same span, one pivot each: fx = 0 rather than 0.7 fx - 0.7 fy = 0.

    Pivots go from the last column, tz, to the first.
    """
    rows = equations.copy()
    done = 0
    for column in range(5, -1, -1):
        if done == len(rows):
            break
        best = done + int(np.abs(rows[done:, column]).argmax())
        if abs(rows[best, column]) < SMALL:
            continue
        rows[[done, best]] = rows[[best, done]]
        rows[done] /= rows[done, column]
        others = np.arange(len(rows)) != done
        rows[others] -= np.outer(rows[others, column], rows[done])
        done += 1
    return rows


def _positive_function(white: FloatArray) -> FloatArray | None:
    """Return a (r,) with a . u > 0 for all rows u of `white`, or None."""
    from scipy.optimize import linprog

    mean: FloatArray = np.asarray(white.mean(axis=0))
    if (white @ mean).min() > 0.05 * np.linalg.norm(mean):
        return mean
    rank = white.shape[1]
    # max t with a . u >= t, |a_i| <= 1
    limits = np.hstack([-white, np.ones((len(white), 1))])
    found = linprog(
        np.append(np.zeros(rank), -1.0),
        A_ub=limits,
        b_ub=np.zeros(len(white)),
        bounds=[(-1, 1)] * rank + [(None, 1)],
    )
    if found.status != 0:
        raise ConvergenceError(f"cannot decide whether the contacts can squeeze: {found.message}")
    best = np.asarray(found.x, dtype=float)
    return best[:rank] if best[rank] > 1e-7 else None


def _of_pointed(white: FloatArray, positive: FloatArray) -> FloatArray:
    """Return the normals (k, r), outward, of the cone's cross-section positive . u = 1."""
    rank = white.shape[1]
    if rank == 1:
        return np.asarray(-np.sign(white[:1]))
    section = white / (white @ positive)[:, None]
    basis = np.linalg.svd(positive[None, :])[2][1:]
    places = section @ basis.T
    if rank == 2:
        ends = (int(places.argmin()), int(places.argmax()))
        guesses = np.array([_kernel(white[[end]], white) for end in ends])
    else:
        equations = _hull(places)
        guesses = equations[:, :-1] @ basis + equations[:, -1:] * positive
    return _merged(guesses, white)


def _through_origin(white: FloatArray) -> FloatArray:
    """Return the normals (k, r), outward, of the facets of hull({0}, white) through 0."""
    rank = white.shape[1]
    if rank == 1:
        return np.zeros((0, 1))
    equations = _hull(np.vstack([np.zeros(rank), white]))
    through = np.abs(equations[:, -1]) <= ON_FACET[0]
    return _merged(equations[through, :-1], white)


def _hull(points: FloatArray) -> FloatArray:
    from scipy.spatial import ConvexHull, QhullError

    try:
        return np.asarray(ConvexHull(points).equations)
    except QhullError as error:
        first = str(error).strip().splitlines()[0]
        raise ConvergenceError(f"Qhull found no facets of the wrench cone: {first}") from error


def _merged(guesses: FloatArray, white: FloatArray) -> FloatArray:
    """Return one normal for every set of generators that lie on a facet, from all of them."""
    distance = np.abs(white @ guesses.T) / np.linalg.norm(guesses, axis=1)
    outside = np.inf
    for near in ON_FACET:  # the widest that does not merge two facets
        sets = np.unique((distance <= near).T, axis=0)
        normals = np.array([_kernel(white[members], white) for members in sets])
        kept = normals.reshape(-1, white.shape[1])
        outside = float((white @ kept.T).max(initial=0.0))
        if outside <= EXACT:
            return _distinct(kept, white)
    raise ConvergenceError(
        f"the facets of the wrench cone miss its generators by {outside:.1e}: contacts, normals "
        "or friction are too nearly degenerate; leave out points that hardly differ from others"
    )


def _distinct(normals: FloatArray, white: FloatArray) -> FloatArray:
    """Return the normals without those of slivers, whose generators all lie on another facet."""
    if len(normals) == 0:
        return normals
    on = (np.abs(white @ normals.T) <= RANK).T.astype(np.float32)
    sets = np.unique(on, axis=0)
    if len(sets) > MOST:
        raise ConvergenceError(
            f"the wrench cone has {len(sets)} facets, more than {MOST}: take fewer contact points, "
            "or contact.wrench_cone.CircularCone for a flat polygon"
        )
    shared = sets @ sets.T
    inside = (shared == shared.diagonal()[:, None]).sum(axis=1) > 1
    return np.array([_kernel(white[members > 0], white) for members in sets[~inside]])


def _kernel(members: FloatArray, white: FloatArray) -> FloatArray:
    """Return the unit normal of the `members` with the other generators on its negative side."""
    normal = np.linalg.svd(members, full_matrices=True)[2][-1]
    side = white @ normal
    return np.asarray(-normal if side.max() > -side.min() else normal)


def normalise_rows(rows: FloatArray, arm: float, up: FloatArray) -> FloatArray:
    """Return rows (k, 6) whose slack is in N or N m, like those of the closed form.

    The larger of these that is not 0 becomes 1: moment about `up`, moment, force across `up`,
    force. Entries that are round-off beside the others, moments times `arm` [m], become 0.
    """
    weights = np.array([1, 1, 1, arm, arm, arm])
    weighted = np.abs(rows * weights)
    size = weighted.max(axis=1, keepdims=True)
    rows = np.where(weighted <= NOISE * size, 0.0, rows)
    force, moment = rows[:, :3], rows[:, 3:]
    across = force - (force @ up)[:, None] * up
    sizes = (
        arm * np.abs(moment @ up),
        arm * np.linalg.norm(moment, axis=1),
        np.linalg.norm(across, axis=1),
        np.linalg.norm(force, axis=1),
    )
    scale = np.zeros(len(rows))
    for part, unit in zip(sizes, (1 / arm, 1 / arm, 1.0, 1.0), strict=True):
        chosen = (scale == 0) & (part > SMALL * size[:, 0])
        scale[chosen] = unit * part[chosen]
    return np.asarray(rows / scale[:, None])
