"""Which way is down, and which forward, on a surface that does not say: by its flat faces.

The triangles are sorted by their normals. The direction that the largest flat area faces is up if
the surface is thin across it (a sole, glued to the foot by its flat side), and down if it is tall
(a whole foot, which stands on its flat side). Where the opposite side is as flat, the file's own
positive axis is up. Forward is the longer side seen from above, along the file's positive axis.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from sole.base.arrays import FloatArray, IntArray
from sole.base.errors import ShapeError
from sole.mesh.surface import normals_and_areas

AXES = ("x", "-x", "y", "-y", "z", "-z")
ALIKE = np.cos(np.radians(8.0))  # normals of one flat face
ON_AXIS = np.cos(np.radians(1.0))  # a face so close to an axis of the file faces along it
CLEAR = 1.1  # a flat face must be larger than the opposite one by this to decide
FLATTEST = 0.08  # least share of the largest flat face in the whole surface
TALL = 0.5  # of the width: a surface higher than that is a whole foot
LONGER = 1.05  # of the other side: what counts as longer
LEVELS = 20  # into which the height is divided: a flat face lies in one of them
MOST = 20_000  # triangles, about, that are looked at: every nth
TRIED = 200  # triangles, the largest, whose normals are tried


@dataclass(frozen=True, eq=False, kw_only=True)
class FoundAxes:
    """The axes of a sole in its file.

    Parameters
    ----------
    rotation : (3, 3), rows are forward, left and up in the file's coordinates.
    down, forward : names of the axes, such as "-z", or their numbers.
    reason : why these, for the report.
    """

    rotation: FloatArray
    down: str
    forward: str
    reason: str


def find_axes(
    points: FloatArray, faces: IntArray, what: str, down: str | None, forward: str | None
) -> FoundAxes:
    """Return how a surface lies in its file, by its shape as far as `down` and `forward` are None.

    Parameters
    ----------
    points, faces : (n, 3) [m] and (f, 3); the sense of the triangles does not matter.
    what : the file, in errors.
    down, forward : one of `AXES`.

    Raises
    ------
    ShapeError
        An unknown axis, twice the same, or no flat side.
    """
    for option, axis in (("--down", down), ("--forward", forward)):
        if axis is not None and axis not in AXES:
            raise ShapeError(f"{option} must be one of {', '.join(AXES)}, got '{axis}'")
    if down is not None:
        up, reason = -_axis(down), "as given"
    else:
        up, reason = _up(points, faces, what)
    if forward is not None:
        ahead = _axis(forward)
        if abs(float(ahead @ up)) > 1e-3:
            raise ShapeError(
                f"--forward {forward} is not perpendicular to down, {_name(-up)}; give another "
                "--forward, or --down"
            )
        reason += ", forward as given"
    else:
        ahead = _ahead(points, up)
        reason += ", forward along the longer side"
    rotation = np.array([ahead, np.cross(up, ahead), up])
    return FoundAxes(rotation=rotation, down=_name(-up), forward=_name(ahead), reason=reason)


def _axis(name: str) -> FloatArray:
    vector = np.zeros(3)
    vector["xyz".index(name[-1])] = -1.0 if name.startswith("-") else 1.0
    return vector


def _name(vector: FloatArray) -> str:
    k = int(np.abs(vector).argmax())
    if abs(float(vector[k])) > ON_AXIS:
        return "-" * bool(vector[k] < 0) + "xyz"[k]
    return f"({', '.join(f'{v:.3f}' for v in vector)})"


def _up(points: FloatArray, faces: IntArray, what: str) -> tuple[FloatArray, str]:
    """Return the direction up, and why."""
    faces = faces[:: max(1, len(faces) // MOST)]
    normals, areas = normals_and_areas(points, faces)
    tried = normals[np.argsort(-areas, kind="stable")[:TRIED]]
    tried = np.concatenate([np.eye(3), tried])
    share = (np.abs(tried @ normals.T) > ALIKE) @ areas / areas.sum()
    best = tried[int(share.argmax())]
    if share.max() < 2 * FLATTEST:
        raise ShapeError(
            f"{what}: has no flat side: the flattest two opposite ones are "
            f"{100 * share.max():.1f} % of its surface, expected at least {200 * FLATTEST:.0f} %; "
            "give --down (and --cut HEIGHT for a whole foot)"
        )
    side = np.abs(normals @ best) > ALIKE
    # the mean of the flat faces, turned to the positive axis of the file
    best = np.sign(normals[side] @ best) * areas[side] @ normals[side]
    best = best / np.linalg.norm(best)
    k = int(np.abs(best).argmax())
    best = best if best[k] > 0 else -best
    if best[k] > ON_AXIS:
        best = np.eye(3)[k]
    height = points @ best
    across = points @ np.delete(np.eye(3), k, axis=0).T
    tall = float(np.ptp(height)) > TALL * float(np.ptp(across, axis=0).min())
    levels = height[faces].mean(axis=1)[side], areas[side], height
    below, above = _largest_levels(*levels, LEVELS // 2)
    if max(above, below) < CLEAR * min(above, below):
        below, above = _largest_levels(*levels, 1)  # hidden faces do not lie at the ends
    if max(above, below) < CLEAR * min(above, below):
        return best, "the two flat sides are alike: up is the positive axis of the file"
    flat_above = above > below
    why = f"the largest flat face, {1e4 * max(above, below):.3g} cm2, is "
    if tall:
        return (-best if flat_above else best), why + "the underside of a whole foot"
    return (best if flat_above else -best), why + "the bond"


def _largest_levels(
    levels: FloatArray, areas: FloatArray, height: FloatArray, many: int
) -> tuple[float, float]:
    """Return the largest area at one level among the `many` lowest and the `many` highest ones."""
    ends = np.linspace(height.min(), height.max(), LEVELS + 1)
    at = np.clip(np.searchsorted(ends, levels, side="right") - 1, 0, LEVELS - 1)
    at_level = np.bincount(at, areas, minlength=LEVELS)
    return float(at_level[:many].max()), float(at_level[-many:].max())


def _ahead(points: FloatArray, up: FloatArray) -> FloatArray:
    """Return the direction of the longer side seen along `up`, on the positive axis of the file."""
    k = int(np.abs(up).argmax())
    if abs(float(up[k])) > ON_AXIS:
        first, second = (np.eye(3)[j] for j in range(3) if j != k)
        sides = np.ptp(points @ np.array([first, second]).T, axis=0)
        chosen: FloatArray = second if sides[1] > LONGER * sides[0] else first
        return chosen
    from shapely import MultiPoint

    across = np.cross(up, np.eye(3)[(k + 1) % 3])
    across = across / np.linalg.norm(across)
    other = np.cross(up, across)
    box = MultiPoint(points @ np.array([across, other]).T).minimum_rotated_rectangle
    corners = np.array(box.exterior.coords)
    edges = np.diff(corners[:3], axis=0)
    x, y = edges[int(np.linalg.norm(edges, axis=1).argmax())]
    ahead = x * across + y * other
    ahead = ahead / np.linalg.norm(ahead)
    k = int(np.abs(ahead).argmax())
    turned: FloatArray = ahead if ahead[k] > 0 else -ahead
    return turned
