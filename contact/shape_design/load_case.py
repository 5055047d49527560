"""A sole on a ground without friction: where it touches, what follows, and how that changes.

Small motions, vertical forces f >= 0 at the nodes of the tread. With C the vertical compliance, g
the heights of the undeformed nodes over the ground and D = [1, y, -x] the motions of the foot,

    gap = g + D d + C f >= 0,    f >= 0,    f gap = 0,

is the optimum of min f'Cf/2 + f'(g + D d), so there is one answer and it is continuous in C and g.

    stop    d = (s, 0, 0): the foot keeps its attitude and sinks until f'Cf/2 is the energy it had
    stand   D'f = w: weight at a centre of pressure

On the touching nodes a the equations are smooth. For an outcome p, with the adjoint l of

    stop    C_aa l_a + (C f)_a q = grad p,  1'l_a = 0;       left = l + q f/2,
    stand   C_aa l_a + D_a q = grad_f p,  D_a'l_a = grad_d p;  left = l,

dp = -left' dC f - l' dg. A node that touches without force, or all but touches, is a kink: the
gradient is then that of one side.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from sole.base.arrays import BoolArray, FloatArray, IntArray
from sole.base.errors import EquilibriumError

ROUNDS = 200  # changes of the set of touching nodes
TINY = 1e-12  # of the largest force or gap: counts as zero
KINK = 1e-9  # likewise: the set of touching nodes is about to change
SINKS = 60  # Newton steps on the sink
ENERGY = 1e-13  # relative error of the energy at rest
NORM = 8  # of the pressures: their largest is a kink, this mean of powers is none


@dataclass(frozen=True, eq=False, kw_only=True)
class RestState:
    """A state of rest.

    Parameters
    ----------
    active : (m,) nodes that touch. forces : (m,) f [N]. motion : (3,) d [m, rad, rad].
    kinks : nodes that touch without force or nearly touch: 0 where gradients exist.
    """

    active: BoolArray
    forces: FloatArray
    motion: FloatArray
    kinks: int


@dataclass(frozen=True, eq=False, kw_only=True)
class ShapeOutcome:
    """An outcome p and its derivative dp = -left' dC f - adjoint' dg.

    Parameters
    ----------
    value : p. forces : (m,) f. left, adjoint : (m,).
    """

    value: float
    forces: FloatArray
    left: FloatArray
    adjoint: FloatArray

    def by_log_stiffness(self, C: FloatArray) -> float:
        """dp/d ln E, for dC = -C d ln E."""
        return float(self.left @ C @ self.forces)


def motions_of(points: FloatArray) -> FloatArray:
    """Return D (m, 3) = [1, y, -x]: heights of nodes per sink [m], roll and pitch [rad]."""
    return np.column_stack([np.ones(len(points)), points[:, 1], -points[:, 0]])


def stop(C: FloatArray, g: FloatArray, energy: float, near: RestState | None = None) -> RestState:
    """Return the state in which the sole has taken up `energy` > 0 [J], sinking upright.

    Parameters
    ----------
    C : (m, m) [m/N]. g : (m,) heights of the nodes over the ground, attitude included [m].
    near : a similar state, to begin with.
    """
    s = -float(g.min()) - np.sqrt(2 * energy * float(C.diagonal().mean()) / len(C))
    active = np.ones(len(C), dtype=np.bool_)
    if near is not None:
        s, active = float(near.motion[0]), near.active
    one = np.ones((len(C), 1))
    for _ in range(SINKS):
        # Energy is convex in the sink, and its derivative is the force.
        active, f, _ = _settle(C, g + s, active)
        stored, force = float(f @ C @ f) / 2, float(f.sum())
        if force <= 0:
            s = -float(g.min()) - abs(s + float(g.min())) - 1e-9
            continue
        if abs(stored - energy) <= ENERGY * energy:
            break
        # Between kinks sqrt(energy) is linear: its Newton step lands at once.
        root = np.sqrt(stored)
        s -= (np.sqrt(energy) - root) * 2 * root / force
    else:
        raise EquilibriumError(f"no sink takes up {energy:.3g} J")
    return _touching(C, g, one, active, f, np.array([s]))


def stand(C: FloatArray, g: FloatArray, D: FloatArray, w: FloatArray) -> RestState:
    """Return the state of rest under w = (force, force y, -force x) [N, N m] at a CoP (x, y).

    Raises
    ------
    EquilibriumError
        The foot tips: the centre of pressure is beyond the nodes that can touch.
    """
    active, f, d = _settle(C, g, np.ones(len(C), dtype=np.bool_), D, w)
    return _touching(C, g, D, active, f, d)


def stopping_force(C: FloatArray, at: RestState) -> ShapeOutcome:
    """Return the force 1'f at the end of a stop [N]."""
    a, f = np.asarray(np.flatnonzero(at.active), np.int64), at.forces
    u = (C @ f)[a]
    one = np.ones((len(a), 1))
    x = _bordered(C[np.ix_(a, a)], u[:, None], one, one[:, 0], np.zeros(1))
    adjoint = _spread(len(f), a, x[: len(a)])
    return ShapeOutcome(
        value=float(f.sum()), forces=f, left=adjoint + x[len(a)] * f / 2, adjoint=adjoint
    )


def deepest(C: FloatArray, g: FloatArray, at: RestState) -> ShapeOutcome:
    """Return the compression -(s + min g) [m] of the node that a stop compresses most."""
    a, f = np.asarray(np.flatnonzero(at.active), np.int64), at.forces
    one, low = np.ones((len(a), 1)), int(np.argmin(g))
    u = (C @ f)[a]
    x = _bordered(C[np.ix_(a, a)], u[:, None], one, np.zeros(len(a)), -np.ones(1))
    adjoint = _spread(len(f), a, x[: len(a)])
    left = adjoint + x[len(a)] * f / 2
    adjoint[low] += 1.0
    return ShapeOutcome(value=-float(at.motion[0] + g[low]), forces=f, left=left, adjoint=adjoint)


def squared_tilt(C: FloatArray, D: FloatArray, at: RestState) -> ShapeOutcome:
    """Return roll^2 + pitch^2 [rad^2] of a foot that stands."""
    a = np.asarray(np.flatnonzero(at.active), np.int64)
    tilt = np.array([0.0, *at.motion[1:]])
    x = _bordered(C[np.ix_(a, a)], D[a], D[a], np.zeros(len(a)), 2 * tilt)
    adjoint = _spread(len(C), a, x[: len(a)])
    return ShapeOutcome(value=float(tilt @ tilt), forces=at.forces, left=adjoint, adjoint=adjoint)


def high_pressure(C: FloatArray, D: FloatArray, areas: FloatArray, at: RestState) -> ShapeOutcome:
    """Return (sum of A_i p_i^8 / sum of A_i)^(1/8), p_i = f_i/A_i [Pa], of a foot that stands."""
    a, f = np.asarray(np.flatnonzero(at.active), np.int64), at.forces
    p, scale = f / areas, float((f / areas).max())
    share = areas * (p / scale) ** NORM / areas.sum()
    value = scale * float(share.sum()) ** (1 / NORM)
    gradient = (value / share.sum()) * share / np.maximum(f, TINY * f.max())
    x = _bordered(C[np.ix_(a, a)], D[a], D[a], gradient[a], np.zeros(3))
    adjoint = _spread(len(C), a, x[: len(a)])
    return ShapeOutcome(value=value, forces=f, left=adjoint, adjoint=adjoint)


def _settle(
    C: FloatArray,
    g: FloatArray,
    active: BoolArray,
    D: FloatArray | None = None,
    w: FloatArray | None = None,
) -> tuple[BoolArray, FloatArray, FloatArray]:
    """Return touching nodes, f and d (none if `D` is None): a primal-dual active set method."""
    m = len(C)
    seen: set[bytes] = set()
    single = False
    for _ in range(ROUNDS):
        a = np.flatnonzero(active)
        f, d, moved = np.zeros(m), np.zeros(0), np.zeros(m)
        try:
            if D is None or w is None:
                f[a] = np.linalg.solve(C[np.ix_(a, a)], -g[a])
            else:
                x = _bordered(C[np.ix_(a, a)], D[a], D[a], -g[a], w)
                f[a], d = x[: len(a)], x[len(a) :]
                moved = D @ d
        except np.linalg.LinAlgError:
            break
        gap = g + moved + C @ f
        size, deep = np.abs(f).max(initial=0.0), max(np.abs(gap).max(), 1e-12)
        pulls, enters = active & (f < -TINY * size), ~active & (gap < -TINY * deep)
        if not (pulls.any() or enters.any()):
            return active, f, d
        single = single or active.tobytes() in seen
        seen.add(active.tobytes())
        if single:  # after a cycle one node at a time: the one farthest off
            off = np.where(pulls, -f / max(size, 1e-300), 0.0) + np.where(enters, -gap / deep, 0.0)
            worst = np.arange(m) == int(np.argmax(off))
            pulls, enters = worst & pulls, worst & enters
        active = (active & ~pulls) | enters
    raise EquilibriumError(
        "the foot does not come to rest on this ground: its centre of pressure is beyond the nodes "
        "that touch; lower `reach` or take a ground with more support"
    )


def _bordered(
    C: FloatArray, columns: FloatArray, rows: FloatArray, top: FloatArray, bottom: FloatArray
) -> FloatArray:
    """Solve [C columns; rows' 0] x = [top; bottom] for k nodes and one or three more."""
    k, more = columns.shape
    A = np.zeros((k + more, k + more))
    A[:k, :k], A[:k, k:], A[k:, :k] = C, columns, rows.T
    return np.linalg.solve(A, np.concatenate([top, bottom]))


def _spread(m: int, a: IntArray, values: FloatArray) -> FloatArray:
    found = np.zeros(m)
    found[a] = values
    return found


def _touching(
    C: FloatArray, g: FloatArray, D: FloatArray, active: BoolArray, f: FloatArray, d: FloatArray
) -> RestState:
    gap = g + D @ d + C @ f
    nearly = np.where(active, f < KINK * f.max(), gap < KINK * max(np.abs(gap).max(), 1e-12))
    return RestState(active=active, forces=f, motion=d, kinks=int(nearly.sum()))
