"""Compiled: q moved along a velocity, as Pinocchio's `integrate`.

A single joint adds its part of dt v. A free body moves by the exponential of its own twist (v, w),

    p+ = p + R (1 + a [w]x + b [w]x^2) v,      a = (1 - cos |w|)/|w|^2,   b = (|w| - sin |w|)/|w|^3,
    quaternion+ = quaternion (sin(|w|/2) w/|w|, cos(|w|/2)).
"""

from __future__ import annotations

from math import cos, sin, sqrt

import numpy as np

from robot.tree.tree_arrays import LinkArrays
from robot.tree.tree_kernels import cross, turn_free
from sole.base.arrays import Bundle, FloatArray
from sole.base.compiled import inner_kernel, kernel

# |w|^2 below which series take the place of quotients: the first term left out is 3e-15.
SMALL = 1e-2


@kernel
def integrate_motion(tree_tuple: Bundle, q: FloatArray, way: FloatArray) -> FloatArray:
    """Return q (nq,) moved by `way` = dt v (nv,), free bodies in their own axes."""
    tree, new = LinkArrays(*tree_tuple), np.empty(len(q))
    for i in range(1, len(tree.joints)):
        at, k = tree.joints[i, 1], tree.joints[i, 2]
        if tree.joints[i, 3] == 1:
            new[at] = q[at] + way[k]
        else:
            move_body(q[at : at + 7], way[k : k + 6], new[at : at + 7])
    return new


@inner_kernel
def move_body(q: FloatArray, twist: FloatArray, new: FloatArray) -> None:
    """Fill place and unit quaternion (7,) of a free body moved by a twist (v, w) (6,)."""
    v, w = (twist[0], twist[1], twist[2]), (twist[3], twist[4], twist[5])
    s = w[0] * w[0] + w[1] * w[1] + w[2] * w[2]
    if s < SMALL:
        a = 0.5 - s / 24.0 * (1.0 - s / 30.0 * (1.0 - s / 56.0))
        b = (1.0 - s / 20.0 * (1.0 - s / 42.0 * (1.0 - s / 72.0))) / 6.0
        c = 0.5 - s / 48.0 * (1.0 - s / 80.0 * (1.0 - s / 168.0))
        d = 1.0 - s / 8.0 * (1.0 - s / 48.0 * (1.0 - s / 120.0))
    else:
        r = sqrt(s)
        a, b = (1.0 - cos(r)) / s, (r - sin(r)) / (s * r)
        c, d = sin(0.5 * r) / r, cos(0.5 * r)
    turned = cross(w, v)
    twice = cross(w, turned)
    x = v[0] + a * turned[0] + b * twice[0]
    y = v[1] + a * turned[1] + b * twice[1]
    z = v[2] + a * turned[2] + b * twice[2]
    R = turn_free(q[3], q[4], q[5], q[6])
    for i in range(3):
        new[i] = q[i] + R[3 * i] * x + R[3 * i + 1] * y + R[3 * i + 2] * z
    u, e = (q[3], q[4], q[5]), (c * w[0], c * w[1], c * w[2])
    crossed = cross(u, e)
    for i in range(3):
        new[3 + i] = q[6] * e[i] + d * u[i] + crossed[i]
    new[6] = q[6] * d - u[0] * e[0] - u[1] * e[1] - u[2] * e[2]
    norm = sqrt(new[3] ** 2 + new[4] ** 2 + new[5] ** 2 + new[6] ** 2)
    for i in range(3, 7):
        new[i] /= norm
