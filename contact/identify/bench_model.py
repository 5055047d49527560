"""A rigid tool on a condensed sole whose foot is clamped: the motion of the tool under its wrench.

The tool neither slips nor pulls. With d the motion of the foot relative to the tool, small, f the
forces of the tool on the nodes a that touch,

    C_aa f_a + G_a d = 0,    G_a' f_a = w,    f_n >= 0,  gap = (C f + G d)_n >= 0 elsewhere,

all about the tool's centre; the tool moves by -d along its load. On the set a of now the solution
is smooth, and a change dC of the compliance gives

    C_aa df_a + G_a dd = -dC_aa f_a,    G_a' df_a = 0.

A node that opened and closes again sticks where it was: true for loads that grow in proportion.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from contact.identify.bench_data import BenchReading
from contact.identify.bench_tool import BenchTool
from sole.base.arrays import BoolArray, FloatArray
from sole.base.errors import EquilibriumError

LOOSE = 0.03  # of the largest nodal force or gap: a few newtons under the weight of a robot
RANK = 1e-13  # singular values below count as zero: nodes in a line
ROUNDS = 200  # changes of the set of touching nodes
BALANCED = 1e-6  # of the press
TINY = 1e-12  # of the largest force or motion: counts as zero


@dataclass(frozen=True, eq=False, kw_only=True)
class ToolResponse:
    """The sole under one load.

    Parameters
    ----------
    motion : (6,) of the tool along its load, from its centre [m, rad].
    forces : (m, 3) of the tool on the tread [N].
    touching : (m,) nodes that carry force.
    adjoint : (3m, 6), so that d(motion) = adjoint' dC f for a change dC of the compliance.
    """

    motion: FloatArray
    forces: FloatArray
    touching: BoolArray
    adjoint: FloatArray


class BenchModel:
    """Tools on one compliance.

    Parameters
    ----------
    points : (m, 3) tread nodes in the sole frame [m].
    compliance : C (3m, 3m) [m/N].
    """

    def __init__(self, points: FloatArray, compliance: FloatArray) -> None:
        self.points, self.compliance = points, compliance
        self._known: dict[tuple[BenchTool, bytes], tuple[FloatArray, FloatArray]] = {}

    def respond(self, reading: BenchReading) -> ToolResponse:
        """Return the state of rest under the load of a reading.

        Raises
        ------
        EquilibriumError
            The tool tips: the centre of pressure is outside the touching nodes.
        """
        tool, w = reading.tool, reading.wrench
        rest = self._rest(tool, w, np.zeros(6), np.ones(6, dtype=np.bool_))
        if rest is None:
            raise EquilibriumError(
                f"row {reading.row}: {reading.test} with {reading.press:.4g} N and a load of "
                f"{reading.load:.4g} tips the tool ({tool.name}): less offset, or check the units"
            )
        return self._response(tool, *rest)

    def moment(self, axis: int, turn: float, press: float) -> float:
        """Return the moment about x (0) or y (1) of a plate held at `turn` [rad] under `press`."""
        free = np.arange(6) != 3 + axis
        held, w = np.zeros(6), np.zeros(6)
        held[3 + axis], w[2] = -turn, press
        tool = BenchTool()
        rest = self._rest(tool, w, held, free, LOOSE)
        if rest is None:
            raise EquilibriumError(f"no state of rest at a turn of {turn:.3g} rad")
        return float((self._geometry(tool).T @ rest[1].ravel())[3 + axis])

    def _rest(
        self, tool: BenchTool, w: FloatArray, held: FloatArray, free: BoolArray, loose: float = 0.0
    ) -> tuple[BoolArray, FloatArray, FloatArray] | None:
        """Return touching nodes, forces and d; d is `held` where not `free`. None: it tips.

        Without slip a state of rest need not exist. In a cycle, pull and depth up to `loose` of the
        largest force and gap are accepted.
        """
        m, under = len(self.points), tool.covers(self.points)
        touching = under.copy()
        seen: set[bytes] = set()
        single = False
        for _ in range(ROUNDS):
            if touching.sum() < 2:
                break
            f, d = self._solve(tool, touching, w, held, free)
            if not self._balances(tool, f, w, free):
                break
            size = float(np.abs(f).max())
            gap = (self.compliance @ f.ravel() + self._geometry(tool) @ d).reshape(m, 3)[:, 2]
            deep = float(np.abs(gap).max())
            pulls = touching & (f[:, 2] < -TINY * size)
            enters = under & ~touching & (gap < -TINY * deep)
            if not (pulls.any() or enters.any()):
                return touching, f, d
            single = single or touching.tobytes() in seen
            if single:  # after a cycle one node at a time: the one farthest off
                off = np.where(pulls, -f[:, 2] / size, 0.0) + np.where(enters, -gap / deep, 0.0)
                if off.max() < loose:
                    return touching, f, d
                worst = np.arange(m) == int(np.argmax(off))
                pulls, enters = worst & pulls, worst & enters
            seen.add(touching.tobytes())
            touching = (touching & ~pulls) | enters
        return None

    def _balances(self, tool: BenchTool, f: FloatArray, w: FloatArray, free: BoolArray) -> bool:
        """Return whether G'f = w: nodes in a line cannot hold every moment."""
        length = float(np.ptp(self.points[:, :2], axis=0).max())
        error = np.abs(self._geometry(tool).T @ f.ravel() - w) / ([1.0] * 3 + [length] * 3)
        return bool(error[free].max() <= BALANCED * w[2])

    def _geometry(self, tool: BenchTool) -> FloatArray:
        """G (3m, 6) about the tool's centre on the tread."""
        x, y = self.points[:, 0] - tool.x, self.points[:, 1] - tool.y
        G = np.zeros((len(x), 3, 6))
        G[:, [0, 1, 2], [0, 1, 2]] = 1.0
        G[:, 0, 5], G[:, 1, 5] = -y, x
        G[:, 2, 3], G[:, 2, 4] = y, -x
        return G.reshape(-1, 6)

    def _parts(self, tool: BenchTool, touching: BoolArray) -> tuple[FloatArray, FloatArray]:
        """Return Y = C_aa^-1 G_a (k, 6) and G_a'Y (6, 6): forces are -Y d."""
        key = tool, touching.tobytes()
        if key not in self._known:
            from scipy.linalg import cho_factor, cho_solve

            a = np.repeat(touching, 3)
            G = self._geometry(tool)[a]
            Y = cho_solve(cho_factor(self.compliance[np.ix_(a, a)]), G)
            K6 = G.T @ Y
            self._known[key] = Y, np.asarray((K6 + K6.T) / 2, dtype=np.float64)
        return self._known[key]

    def _solve(
        self, tool: BenchTool, touching: BoolArray, w: FloatArray, held: FloatArray, free: BoolArray
    ) -> tuple[FloatArray, FloatArray]:
        """Return f (m, 3) and d (6,) with -K6 d = w in the free motions."""
        Y, K6 = self._parts(tool, touching)
        d = held.copy()
        d[free] = np.linalg.lstsq(
            K6[np.ix_(free, free)], -w[free] - K6[free] @ np.where(free, 0.0, held), rcond=RANK
        )[0]
        f = np.zeros((len(self.points), 3))
        f[touching] = -(Y @ d).reshape(-1, 3)
        return f, d

    def _response(
        self, tool: BenchTool, touching: BoolArray, f: FloatArray, d: FloatArray
    ) -> ToolResponse:
        """Return the state; d(motion) = K6^-1 Y' dC_aa f_a."""
        Y, K6 = self._parts(tool, touching)
        a = np.repeat(touching, 3)
        adjoint = np.zeros((f.size, 6))
        adjoint[a] = Y @ np.linalg.inv(K6)
        return ToolResponse(motion=-d, forces=f, touching=touching, adjoint=adjoint)
