"""Sticking soles in twelve numbers: the affine form of a step in which the same nodes stick.

While the nodes A of a sole stick to one plane, they lie still on it, and the foot moves rigidly
above them. So in the axes of the foot the deformed nodes are an affine image of those at the start
of the run, the *base*:

    y_i = a s_i,      s_i = (y0_i, 1),      a (3, 4), [1 0] at the base.

In a step of dt, with b the twist v_bar = (v, omega) of the foot, the plane n.y + c = 0 and
w_k = theta + eta/dt (the sole is F = K Z, Z = w_k U+ + (1 - w_k) U),

    a*  = a - n (n'a + c e4')                      gaps closed, as u_n = g+/dt asks
    a+  = a* - dt ([omega]x a + v e4')             nodes at rest in the world
    z   = w_k a+ + (1 - w_k) a - [1 0],            Z_A = z s + U0,
    F   = F0 + sum_k z_k (K_A Phi)_k,              K_A = C_AA^-1, Phi = s_j e_i: 12 fields,
    w   = T(a) (N z + M0),                         N = Phi'K_A Phi, M0 = Phi'F0.

T(a) (6, 12) takes first moments sum s_j F_i to force and moment at the nodes. w depends on v_bar
through a+ alone, and linearly, so the feet and the robot are 6B equations:

    (1 + theta dt S6 L) v_bar = v_ahead + theta dt S6 w0,      L = (theta dt + eta) T N T',

w0 at a*. This is Newton's step of `contact.solvers.sticking` with the deformed nodes instead of the
undeformed ones, so one is exact. Open nodes of the sole follow: Z_F = C_FA F. Forces are summed
from F0 = e_A + K_A C_AF e_F, not from K_A U, so no digits cancel. A sole that sticks to several
planes has one map and 12 fields for each. u = 0 holds by construction; what is left unseen, as in
`contact.solvers.sticking`, is the error of K_A, at most |1 - C_AA K_A| |s|.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from contact.problem import Compliances
from contact.solvers.affine_kernels import FIELDS, RunArrays, spread_maps, sum_moments
from contact.solvers.sole_factor import SoleFactor, known_factor, multiply_strips
from sole.base.arrays import FloatArray, IntArray, frozen, sealed


class StickBase(NamedTuple):
    """The start of a run, from which it is known again bit for bit.

    Attributes
    ----------
    displacement, elastic : U0 and e0 = K U0 (M, 3) of all nodes then [m, N].
    group, slot : (M,) plane to which a node sticks, counted through all bodies, and the slot of
        this contact; -1 for an open node.
    """

    displacement: FloatArray
    elastic: FloatArray
    group: IntArray
    slot: IntArray


@dataclass(frozen=True, eq=False)
class StickRun:
    """All constants of a run.

    Parameters
    ----------
    base : its start. arrays : for compiled loops.
    planes : L, of all bodies. contacts : how many nodes stick.
    """

    base: StickBase
    arrays: RunArrays
    planes: int
    contacts: int

    @classmethod
    def of(
        cls,
        compliances: Compliances,
        points: FloatArray,
        geometry: FloatArray,
        base: StickBase,
        known: dict[bytes, SoleFactor],
    ) -> StickRun:
        """Prepare a run; `known` holds factors of soles, as for `StickFactor.of`.

        points : x (M, 3). geometry : G0 (3M, 6) of the undeformed soles.
        """
        C, bodies = compliances, compliances.bodies
        y0 = points + base.displacement
        fields, N, M0 = [np.zeros(0)], [np.zeros(0)], [np.zeros(0)]
        first, error = np.zeros(bodies + 1, np.int64), 0.0
        for b in range(bodies):
            nodes = np.arange(C.first[b], C.first[b + 1])
            held = nodes[base.group[nodes] >= 0]
            first[b + 1] = first[b]
            matrix = C.matrix(b)
            if not len(held) or matrix is None:
                fields.append(np.zeros(0))
                N.append(np.zeros(0))
                continue
            first[b + 1] = base.group[held].max() + 1
            sole = known_factor(C, b, held, geometry, known)
            f, n, m = _fields_of_sole(
                matrix, sole, nodes, y0, base, (int(first[b]), int(first[b + 1]))
            )
            fields.append(f)
            N.append(n)
            M0.append(m)
            error = max(error, sole.error)
        arrays = RunArrays(
            fields=sealed(np.concatenate(fields)),
            place=frozen(np.cumsum([len(f) for f in fields]), np.int64),
            N=sealed(np.concatenate(N)),
            square=frozen(np.cumsum([len(n) for n in N]), np.int64),
            M0=sealed(np.concatenate(M0)),
            first=sealed(first),
            group=frozen(base.group, np.int64),
            slot=frozen(base.slot, np.int64),
            y0=sealed(np.ascontiguousarray(y0)),
            nodes=C.first,
            whole=frozen(
                [_whole(base.group[C.first[b] : C.first[b + 1]]) for b in range(bodies)], np.int64
            ),
            error=error,
        )
        count = int((base.group >= 0).sum())
        return cls(base, arrays, int(first[-1]), count)

    def identity(self) -> FloatArray:
        """Return the maps (L, 3, 4) at the base: [1 0]."""
        return frozen(np.tile(np.eye(3, 4), (self.planes, 1, 1)))

    @cached_property
    def constants(self) -> tuple[FloatArray, IntArray]:
        """The arrays as two flat ones, which a kernel that is called from Python opens."""
        a = self.arrays
        counts = (len(a.nodes) - 1, len(a.y0)), a.place, a.square, a.first, a.nodes, a.whole
        numbers = a.fields, a.N, a.M0, a.y0.ravel(), (a.error,)
        return (
            sealed(np.concatenate(numbers)),
            frozen(np.concatenate([*counts, a.group, a.slot]), np.int64),
        )


def _whole(group: IntArray) -> bool:
    """Return whether all nodes of a sole stick to one plane."""
    return bool(group[0] >= 0 and (group == group[0]).all())


def _fields_of_sole(
    C: FloatArray,
    sole: SoleFactor,
    nodes: IntArray,
    y0: FloatArray,
    base: StickBase,
    planes: tuple[int, int],
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return the fields, N and M0 of one sole, flat: see `RunArrays`."""
    stuck = base.group[nodes] >= 0
    held, count = nodes[stuck], FIELDS * (planes[1] - planes[0])
    group, at = base.group[held] - planes[0], np.ascontiguousarray(y0[held])
    rows = (3 * np.flatnonzero(stuck)[:, None] + np.arange(3)).ravel()
    others = (3 * np.flatnonzero(~stuck)[:, None] + np.arange(3)).ravel()
    found = np.empty((count + 1, len(rows)))
    K = sole.stiffness
    spread_maps(K, at, group, planes[1] - planes[0], found)
    free, F0 = base.elastic[nodes[~stuck]].ravel(), found[count]
    F0[:] = base.elastic[held].ravel()
    if free.any():
        pulled, more = C[np.ix_(rows, others)] @ free, np.empty(len(rows))
        multiply_strips(K, 0, 0, len(rows), pulled, more)
        F0 += more
    moments = np.empty((count + 1, count))
    sum_moments(at, group, found, moments)
    N = (moments[:count] + moments[:count].T) / 2
    everywhere = np.empty((count + 1, 3 * len(nodes)))
    everywhere[:, rows] = found
    if len(others):
        everywhere[:, others] = found @ C[np.ix_(rows, others)]
    by_axis = everywhere.reshape(count + 1, len(nodes), 3).transpose(0, 2, 1)
    return by_axis.ravel(), N.ravel(), moments[count].copy()
