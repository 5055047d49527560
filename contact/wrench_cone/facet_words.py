"""Facets in words: the motion in which the foot gives way there.

All wrenches of the cone meet A_k w <= 0, so the ground's forces never drive the twist
(v, omega) = -A_k (w . twist >= 0); on the facet they no longer resist it, and the foot gives way.
Pyramids make sliding and yawing lift the foot a little (the fz entry); words ignore that.
Directions are those of the foot's frame: x forward, y left, z up.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike

from sole.base.arrays import FloatArray

UNLOADED_WORDS = "unloaded"
NOTHING = "nothing limits"  # a cone that is the whole space
NOISE = 1e-9  # part of the largest entry that counts as zero

# Eight directions, counter-clockwise from x.
_SLIDES = (
    "forward, forward left, left, backward left, backward, backward right, right, forward right"
)
_EDGES = (
    "toe, front left edge, left edge, rear left edge, heel, rear right edge, right edge, "
    "front right edge"
)


def _compass(x: float, y: float, names: str) -> str:
    return names.split(", ")[round(math.atan2(y, x) / (math.pi / 4)) % 8]


def _place(values: FloatArray) -> str:
    return "(" + ", ".join(f"{v:.3g}" for v in np.where(np.abs(values) < 1e-9, 0.0, values)) + ")"


def flat_words(
    rows: FloatArray,
    length: float,
    origin: ArrayLike = (0.0, 0.0),
    noise: float = NOISE,
) -> tuple[str, ...]:
    """Return words for `rows` (k, 6) of a flat contact in the plane z = 0, normal z.

    `length` [m] is the size of the contact, to weigh moments against forces; entries below the
    part `noise` of the largest count as zero. `origin` (2,) [m] is the point that moments of the
    rows are about.
    """
    place = np.asarray(origin, dtype=float)
    return tuple(_flat_word(row, length, place, noise) for row in rows)


def _flat_word(row: FloatArray, length: float, origin: FloatArray, noise: float) -> str:
    v, w = -row[:3].copy(), -row[3:] * length  # both velocities, w at the distance `length`
    zero = noise * max(np.abs(v).max(), np.abs(w).max())
    v[np.abs(v) <= zero] = 0.0
    w[np.abs(w) <= zero] = 0.0
    if w[2] != 0:  # v + omega_z z x c = 0 at the centre c of the turn
        centre = length * np.array([-v[1], v[0]]) / w[2] + origin
        return f"yaw {'left' if w[2] > 0 else 'right'} about {_place(centre)} m"
    if w[0] != 0 or w[1] != 0:
        # The edge is v_z + omega_x y - omega_y x = 0; the foot lies on the side that rises.
        return f"tilt about {_compass(w[1], -w[0], _EDGES)}"
    if v[0] != 0 or v[1] != 0:
        return f"slide {_compass(v[0], v[1], _SLIDES)}"
    return "lift"


def screw_words(
    rows: FloatArray, length: float, origin: ArrayLike = (0.0, 0.0, 0.0)
) -> tuple[str, ...]:
    """Return words for `rows` (k, 6), moments about `origin` (3,): slides and turns about axes."""
    words = []
    for row in rows:
        v, w = -row[:3], -row[3:] * length
        size = np.linalg.norm(w)
        if size <= NOISE * np.linalg.norm(v):
            words.append(f"slide along {_place(v / np.linalg.norm(v))}")
            continue
        point = length * np.cross(w, v) / size**2 + np.asarray(origin, dtype=float)
        words.append(f"turn about {_place(w / size)} through {_place(point)} m")
    return tuple(words)
