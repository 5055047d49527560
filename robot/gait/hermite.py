"""Quintic Hermite interpolation: between nodes with given value, velocity and acceleration.

On [t_k, t_{k+1}] the one polynomial of degree 5 that meets both ends in value and two derivatives.
The interpolant is C2 and its velocity and acceleration are its exact derivatives; for a smooth
function the error is at most h^6 max |f^(6)| / 46080.
"""

from __future__ import annotations

import numpy as np

from sole.arrays import FloatArray

# rows: f_k, h f'_k, h^2 f''_k, then the same at k+1; columns: powers 0..5 of s
BASIS = np.array(
    [
        [1.0, 0, 0, -10, 15, -6],
        [0, 1.0, 0, -6, 8, -3],
        [0, 0, 0.5, -1.5, 1.5, -0.5],
        [0, 0, 0, 10, -15, 6],
        [0, 0, 0, -4, 7, -3],
        [0, 0, 0, 0.5, -1, 0.5],
    ]
)


def hermite(
    nodes: FloatArray, f: FloatArray, df: FloatArray, ddf: FloatArray, times: FloatArray
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return value, velocity and acceleration (N, m) at the `times` (N,) within the nodes.

    Parameters
    ----------
    nodes : (n,) increasing, n >= 2 [s].
    f, df, ddf : (n, m) at the nodes.
    """
    k = np.clip(np.searchsorted(nodes, times, side="right") - 1, 0, nodes.size - 2)
    h = (nodes[k + 1] - nodes[k])[:, None]
    s = (times - nodes[k])[:, None] / h
    change = f[k + 1] - f[k]  # of f only differences, so that round-off does not grow with f
    ends = (h * df[k], h**2 * ddf[k], change, h * df[k + 1], h**2 * ddf[k + 1])
    c = [sum(BASIS[i + 1, n] * e for i, e in enumerate(ends)) for n in range(6)]
    value = f[k] + s * (c[1] + s * (c[2] + s * (c[3] + s * (c[4] + s * c[5]))))
    rate = c[1] + s * (2 * c[2] + s * (3 * c[3] + s * (4 * c[4] + s * 5 * c[5])))
    bend = 2 * c[2] + s * (6 * c[3] + s * (12 * c[4] + s * 20 * c[5]))
    return value, np.asarray(rate / h), np.asarray(bend / h**2)
