"""Sweeps by velocities: Gauss-Seidel on the inverse of W, for soles of which most nodes stick.

Where a node sticks, its velocity is known and its force is not. So a sole whose nodes mostly stick
has few unknown velocities, and the condensed stiffness K = C^-1 gives all forces of them:

    s = P'(u - A y - q),    f = K s/scale,    y = S sum A'r,    r = P f.

Sweeps over W change the force of every node again and again, sticking or not, a pass over C each.
Sweeps over velocities leave u = 0 alone wherever its force lies inside the cone and read rows of K
only for nodes that slide, open or close. No set of nodes is guessed, nothing is factored: K is
made once. Soles swept by velocities (some) and by forces (others) take part in the same sweeps.

Twists are eliminated with the motions G0 of the undeformed sole, V0 = K G0 and N0 = G0'V0, as in
`contact.solvers.sticking`. From a y at hand and x = -u (or x = r where a sole is swept by forces)

    D = y_new - y,    S~ = (1 + S N0/scale)^-1 S,    H = -P V0/scale  (H = A by forces),
    r = P d + H D,    d = K s(y, u)/scale,
    dx changes  d by -K P'dx/scale  and  D by S~ H'dx.

This is the same as u = P d + A y + q by forces, with -K/scale in the place of scale C, H of A,
S~ of S and r of u. The local problem needs the inverse W_kk of the block

    P K_kk P'/scale - H S~ H',    u_new = u + W_kk (r_new - r).

Case and factor: a walk on a plane by the general way, 1.2, 1.5 and 3.8 times as fast as with sweeps
by forces alone at 50, 104 and 300 nodes a foot (`python benchmarks/fast_forms.py`).

G0 neglects u' = A (y_new - y) - P G0 D. Where that exceeds a part of the tolerance, y_new takes the
place of y and the sweeps are repeated; else u' joins u. The certificate is that of
`contact.solvers.sticking`: u is known without C, and the error of K, at most |1 - C K| |s|, counts
twice. How K s is found without a pass over K, and over which contacts sweeps run:
`contact.solvers.step_sweeps`.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np
from scipy.linalg import lapack

from contact.problem import Compliances
from contact.sweeps.velocity_sweeps_kernels import StiffnessArrays
from sole.base.arrays import FloatArray, frozen, sealed

KEPT, LARGEST = 4, 2**24  # inverses that are kept, and bytes of one: up to 480 nodes


@dataclass(frozen=True, eq=False)
class SoleStiffness:
    """The condensed stiffness of all bodies, made once from their compliances.

    Parameters
    ----------
    arrays : K and what belongs to it, see `StiffnessArrays`.
    error : |1 - C K|, Frobenius, the largest.
    """

    arrays: StiffnessArrays
    error: float

    @classmethod
    def of(cls, compliances: Compliances, geometry: FloatArray) -> SoleStiffness:
        """Invert every C; `geometry` G0 (3M, 6) is that of the undeformed soles."""
        known: dict[int, tuple[int, FloatArray]] = {}
        flat, size, error = [np.zeros(0)], 0, 0.0
        V0, own = np.zeros_like(geometry), np.zeros((compliances.nodes, 3, 3))
        N0 = np.zeros((compliances.bodies, 6, 6))
        position = np.full(compliances.bodies, -1)
        for b in range(compliances.bodies):
            C, begin = compliances.matrix(b), int(compliances.position[b])
            if C is None:
                continue
            if begin not in known:
                same = (
                    p for p in known if np.array_equal(compliances.flat[p : p + C.size], C.flat)
                )
                if (twin := next(same, None)) is not None:  # left and right soles are often alike
                    known[begin] = known[twin]
                else:
                    K, off = inverse_of(C)
                    error = max(error, off)
                    known[begin] = size, K
                    flat.append(K.ravel())
                    size += K.size
            position[b], K = known[begin]
            nodes = slice(int(compliances.first[b]), int(compliances.first[b + 1]))
            rows, i = slice(3 * nodes.start, 3 * nodes.stop), np.arange(len(K) // 3)
            V0[rows] = K @ geometry[rows]
            N0[b] = geometry[rows].T @ V0[rows]
            own[nodes] = K.reshape(len(i), 3, -1, 3)[i, :, i]
        arrays = StiffnessArrays(
            K=sealed(np.concatenate(flat)),
            position=frozen(position, np.int64),
            own=sealed(own),
            G0=frozen(geometry),
            V0=sealed(V0),
            N0=sealed(N0),
        )
        return cls(arrays, error)


_inverses: list[tuple[FloatArray, FloatArray, float]] = []


def inverse_of(C: FloatArray) -> tuple[FloatArray, float]:
    """Return K = C^-1 and |1 - C K|, Frobenius.

    The last few are kept for walks on equal soles; inverses of more than `LARGEST` bytes are not.
    """
    for inverted, K, error in _inverses:
        if inverted.shape == C.shape and np.array_equal(inverted, C):
            return K, error
    factor, _ = lapack.dpotrf(C, lower=1)
    half = np.tril(lapack.dpotri(factor, lower=1, overwrite_c=1)[0])
    K = half + np.tril(half, -1).T
    error = float(np.linalg.norm(C @ K - np.eye(len(C))))
    if C.nbytes <= LARGEST:
        _inverses.append((frozen(C), sealed(K), error))
        del _inverses[:-KEPT]
    return K, error


@cache
def no_stiffness(bodies: int) -> SoleStiffness:
    """Return what to pass if all of `bodies` are swept by forces."""
    empty = sealed(np.zeros((0, 6)))
    arrays = StiffnessArrays(
        K=sealed(np.zeros(0)),
        position=frozen(np.full(bodies, -1), np.int64),
        own=sealed(np.zeros((0, 3, 3))),
        G0=empty,
        V0=empty,
        N0=sealed(np.zeros((0, 6, 6))),
    )
    return SoleStiffness(arrays, 0.0)
