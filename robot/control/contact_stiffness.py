"""K6 of the nodes of a sole that touch, by the centre of pressure.

A foot under a load with the centre of pressure p touches flat ground with the nodes A that press,

    f = C_AA^-1 G_A d,      w(p) = G_A' f,      f_n > 0 on A,

which depends on p alone, since contact without gap is the same for every size of the load. Nodes
that would pull are let go until none does. K6(p) = G_A' C_AA^-1 G_A is what the foot feels then
[the whole tread: `CondensedSole.foot_stiffness`]. It is kept for cells of p.

A part of the sole on a toe joint, with the nodes B of A, moves by the twist j of the joint, too:

    w' = -K6 u - K_B j q_toe',      K_B = G_B' C_BB^-1 G_B,

as if the joint moved the foot by e = K6^-1 K_B j. The same e' w is the torque of the joint.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from contact.papers.foundation import held_stiffness
from contact.problem import ContactStatus
from robot.soles import FeetOnSoles
from sole.base.arrays import FloatArray, IntArray
from sole.base.compiled import inner_kernel
from sole.base.errors import SoleError
from sole.condense import CondensedSole

CELLS = 5  # from the middle of a tread to its edge
SIDE = 2 * CELLS + 1
WHOLE = SIDE * SIDE  # the cell of the whole tread, after those of the centre of pressure
LEAST = 20.0  # N: with less load the centre of pressure says nothing
SHARE = 1e-3  # of the whole tread's K6 that is always there, so that it has an inverse
ROUNDS = 20


class SoleMatrices(NamedTuple):
    """K6, C = K6^-1, and by which a sole is led to its aim, all (6, 6): `sole_matrices`."""

    K: FloatArray
    C: FloatArray
    L: FloatArray
    B: FloatArray


class SoleTables(NamedTuple):
    """By sole and cell: matrices (2, cells, 3, 6, 6) K, L and B; bends (2, cells, 6) e of toes."""

    matrices: FloatArray
    bends: FloatArray


def sole_matrices(K: FloatArray, S: FloatArray, omega: float, zeta: float) -> SoleMatrices:
    """Return mass L and damper B of w+ = lambda + L du/dt + B u.

        L^-1 = omega^2 C + S,      B = 2 zeta L^1/2 K^1/2   in the modes of S V = C V Lambda,

    so that u = -C dw/dt gives each mode of w - lambda the frequency (omega^2 + Lambda)^1/2 and the
    damping zeta. S (6, 6) is the inverse of the mass that the foot moves.
    """
    from scipy.linalg import eigh

    C = np.asarray(np.linalg.inv(K))
    C = (C + C.T) / 2
    modes, V = eigh(S, C)
    rate = np.sqrt(omega**2 + np.maximum(modes, 0.0))
    return SoleMatrices(K, C, (V / rate**2) @ V.T, 2 * zeta * (V / rate) @ V.T)


class ContactStiffness:
    """The matrices of both soles, about the centres of the treads, in the axes of the soles.

    `tables` have a cell of a sole once `fill` was asked for it.

    Parameters
    ----------
    feet : robot and soles. assumed : E of the model over the true one.
    inverse_mass : (2, 6, 6) J M^-1 J' of the feet. omega, zeta : as for `sole_matrices`.
    toes : (2, 6) the twists j of the toes about the centres of the treads per rad/s of their joint.

    Raises
    ------
    SoleError
        The soles are rigid.
    """

    def __init__(
        self,
        feet: FeetOnSoles,
        assumed: float,
        inverse_mass: FloatArray,
        omega: float,
        zeta: float,
        toes: FloatArray | None = None,
    ) -> None:
        if feet.rigid:
            raise SoleError(
                "sole-aware control needs soles that yield: K6 of rigid soles is infinite; take "
                'compliant ones, or [control.sole_aware] model = "rigid"'
            )
        self.soles, self.assumed = feet.soles, assumed
        self.middle, self.half = feet.edges.mean(axis=1), np.ptp(feet.edges, axis=1) / 2
        self.inverse_mass, self.lead = inverse_mass, (omega, zeta)
        self.whole = [
            sole_matrices(assumed * sole.foot_stiffness, S, omega, zeta)
            for sole, S in zip(feet.soles, inverse_mass, strict=True)
        ]
        self.known = np.zeros((2, WHOLE + 1), np.bool_)
        self.tables = SoleTables(np.zeros((2, WHOLE + 1, 3, 6, 6)), np.zeros((2, WHOLE + 1, 6)))
        self.toes = toes
        self.on_toe = [np.zeros(len(sole.points), np.bool_) for sole in feet.soles]
        for part, side, nodes in zip(feet.touching, feet.sides, feet.nodes, strict=True):
            self.on_toe[side][nodes] = part.frame != feet.robot.feet[side].frame
        for side, whole in enumerate(self.whole):
            self._keep(side, WHOLE, whole)

    def fill(self, cells: IntArray) -> None:
        """Make what the table does not have yet of the cells (2,) of both soles."""
        for side, cell in enumerate(cells.tolist()):
            if not self.known[side, cell]:
                self._keep(side, cell, self._made(side, cell))

    def _made(self, side: int, cell: int) -> SoleMatrices:
        """Return the matrices of a sole for the centre of pressure in the middle of a cell."""
        place = np.array(divmod(cell, SIDE)) - CELLS
        p = self.middle[side] + place / CELLS * self.half[side] * (1 - 1e-3)
        status = pressed_nodes(self.soles[side], p)
        K = self.assumed * held_stiffness(self.soles[side], status) + SHARE * self.whole[side].K
        found = sole_matrices(K, self.inverse_mass[side], *self.lead)
        if self.toes is not None:
            status[~self.on_toe[side]] = int(ContactStatus.OPEN)
            K_B = self.assumed * held_stiffness(self.soles[side], status)
            self.tables.bends[side, cell] = found.C @ K_B @ self.toes[side]
        return found

    def _keep(self, side: int, cell: int, found: SoleMatrices) -> None:
        """Put matrices into the table."""
        self.tables.matrices[side, cell] = found.K, found.L, found.B
        self.known[side, cell] = True


def toe_twists(feet: FeetOnSoles, data: Any) -> tuple[IntArray, FloatArray]:
    """Return the columns (2,) of v of joints of toes under soles, -1 without, and their j (2, 6).

    data : Pinocchio's, with the Jacobians of its joints at a posture with straight toes.
    """
    import pinocchio as pin

    model, columns, twists = feet.robot.model, np.full(2, -1), np.zeros((2, 6))
    for part, side in zip(feet.touching, feet.sides, strict=True):
        foot = feet.robot.feet[side]
        if part.frame != foot.frame:
            joint = model.joints[model.frames[part.frame].parentJoint]
            both = (part.frame, foot.frame)
            toe, sole = (pin.getFrameJacobian(model, data, f, pin.LOCAL) for f in both)
            columns[side] = joint.idx_v
            twists[side] = (toe - sole)[:, joint.idx_v]
            h = feet.thicknesses[side]
            twists[side, :2] += h * np.array([-twists[side, 4], twists[side, 3]])
    return columns, twists


@inner_kernel
def find_cells(w: FloatArray, middle: FloatArray, half: FloatArray, cells: IntArray) -> None:
    """Fill the cells (2,) of both centres of pressure; w (2, 6) about the treads' centres."""
    for side in range(2):
        cells[side] = WHOLE
        if w[side, 2] > LEAST:
            x, y = -w[side, 4] / w[side, 2], w[side, 3] / w[side, 2]
            i = round(CELLS * min(1.0, max(-1.0, (x - middle[side, 0]) / half[side, 0])))
            j = round(CELLS * min(1.0, max(-1.0, (y - middle[side, 1]) / half[side, 1])))
            cells[side] = (i + CELLS) * SIDE + j + CELLS


def pressed_nodes(sole: CondensedSole, p: FloatArray) -> IntArray:
    """Return `ContactStatus` (m,) of the nodes when the centre of pressure is p (2,) [m].

    STICK of those that press, OPEN of the others.
    """
    m = len(sole.points)
    status = np.full(m, int(ContactStatus.STICK))
    w = np.array([0.0, 0.0, 1.0, p[1], -p[0], 0.0])
    C = sole.compliance.reshape(m, 3, m, 3)
    G = sole.geometry.reshape(m, 3, 6)
    K = np.asarray(sole.foot_stiffness)
    for _ in range(ROUNDS):
        on = np.flatnonzero(status)
        d = np.linalg.lstsq(K, w, rcond=1e-9)[0]
        rows = C[on][:, :, on].reshape(3 * len(on), -1)
        f_n = np.linalg.solve(rows, (G[on] @ d).ravel()).reshape(-1, 3)[:, 2]
        pulls = f_n < -1e-9 * f_n.max()
        if not pulls.any() or (~pulls).sum() < 3:
            break
        status[on[pulls]] = int(ContactStatus.OPEN)
        K = np.asarray(held_stiffness(sole, status))
    return status
