"""The contact model of force control: U of each foot, its inverse, the stability of a loop with it.

U (3, 3) of a condensed sole says how the wrench (T_x, T_y, F_z) on a foot changes with its pose
(sin gamma_x, sin gamma_y, z) [SygullaEtAl2017, (7)]. With the switches of the pads it is that of
the nodes of the closed pads. On a line or a point it is singular; then motions that no wrench
answers are damped out of the inverse: `contact.papers.foundation.inversion`. For comparison there
is U of four point springs, which is the model of the paper's reference [23].
"""

from __future__ import annotations

from math import hypot, log

import numpy as np

from contact.papers.foundation import instantaneous_U, inverse, regularised_inverse, sole_U
from contact.problem import ContactStatus
from robot.soles import FeetOnSoles
from sole.base.arrays import FloatArray, IntArray, frozen
from sole.base.errors import SoleError

MOST_PADS = 8  # of a foot


class ContactModel:
    """U^-1 of both feet for any set of closed pads.

    Parameters
    ----------
    feet : robot and soles. kappa : true over assumed stiffness. pads : (P,) the foot of each pad
        and (M,) the pad of each contact node of the feet, as in `robot.sensing.Pads`; None: the
        whole tread always. points : U of `point_springs` instead of the sole's.

    Raises
    ------
    SoleError
        Rigid soles, a sole whose U is singular, or more than `MOST_PADS` pads under a foot.

    Attributes
    ----------
    U : (2, 3, 3) of the whole treads, as assumed. tables : per foot (2^P, 3, 3) inverses by the
        closed pads, bit p for its pad p; without pads one matrix.
    """

    def __init__(
        self,
        feet: FeetOnSoles,
        kappa: float,
        pads: tuple[IntArray, IntArray] | None = None,
        *,
        points: bool = False,
    ) -> None:
        if feet.rigid:
            raise SoleError(
                "force control needs soles that yield: U of rigid soles is infinite; take "
                'compliant ones, or [control] kind = "stabiliser"'
            )
        whole = [sole_U(sole) / kappa for sole in feet.soles]
        if points:
            sizes = np.ptp(feet.edges, axis=1)
            springs = (point_springs(U, size) for U, size in zip(whole, sizes, strict=True))
            whole = [springs_U(*found) for found in springs]
        self.U = frozen(whole)
        self.sides = None if pads is None else pads[0]
        self.tables = [self._table(feet, k, kappa, pads) for k in range(2)]

    def _table(
        self, feet: FeetOnSoles, side: int, kappa: float, pads: tuple[IntArray, IntArray] | None
    ) -> FloatArray:
        whole = self.U[side]
        if pads is None:
            return inverse(whole)[None]
        count, sole = int((pads[0] == side).sum()), feet.soles[side]
        if count > MOST_PADS:
            raise SoleError(
                f"a foot has {count} pads, U is kept for up to {MOST_PADS}: take U = 'whole'"
            )
        pad = self._pad_of_node(feet, side, pads)
        closed = np.arange(1, 2**count)[:, None] >> pad[None] & 1
        status = np.where(closed == 1, int(ContactStatus.STICK), int(ContactStatus.OPEN))
        U = instantaneous_U(sole, status) / kappa
        # no pad closed: the whole foot, which then looks for the ground
        return np.concatenate([inverse(whole)[None], regularised_inverse(U, whole)])

    def pad_boxes(self, feet: FeetOnSoles, pads: tuple[IntArray, IntArray]) -> FloatArray:
        """Return the smallest and largest x and y (P, 2, 2) of each pad, axes of the soles [m]."""
        boxes = []
        for side in range(2):
            points, pad = feet.soles[side].points[:, :2], self._pad_of_node(feet, side, pads)
            for k in range(int((pads[0] == side).sum())):
                boxes.append([points[pad == k].min(axis=0), points[pad == k].max(axis=0)])
        return np.array(boxes)

    @staticmethod
    def _pad_of_node(feet: FeetOnSoles, side: int, pads: tuple[IntArray, IntArray]) -> IntArray:
        """Return the pad (from 0 in its foot) of each node of a foot's sole."""
        first = int(np.argmax(pads[0] == side))
        out, at = np.zeros(len(feet.soles[side].points), np.int64), 0
        for foot, nodes in zip(feet.sides, feet.nodes, strict=True):
            own = pads[1][at : at + len(nodes)]
            at += len(nodes)
            if foot == side:
                out[nodes] = own - first
        return out

    def inverses(self, switches: FloatArray | np.ndarray) -> FloatArray:
        """Return U^-1 (2, 3, 3) for the switches (P,).

        Raises
        ------
        SoleError
            There is not one switch per pad.
        """
        if self.sides is None:
            return np.stack([table[0] for table in self.tables])
        if len(switches) != len(self.sides):
            raise SoleError(
                f"force control with U = 'pads' needs a switch for each of {len(self.sides)} pads, "
                f"got {len(switches)}: give switches, or take U = 'whole'"
            )
        out = np.empty((2, 3, 3))
        for side in range(2):
            on = switches[self.sides == side]
            out[side] = self.tables[side][int(on @ (1 << np.arange(len(on))))]
        return out


def point_springs(U: FloatArray, size: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return four points (4, 2) [m] and their springs c (4,) [N/m] instead of a tread.

    Together they are as stiff against F_z as U (3, 3). They lie at a_x/sqrt(12), a_y/sqrt(12) from
    the centre, where they have the second moments of area of the rectangle `size` = (a_x, a_y) [m].
    """
    signs = np.array([(1, 1), (1, -1), (-1, -1), (-1, 1)])
    return signs * np.asarray(size) / np.sqrt(12), np.full(4, -U[2, 2] / 4)


def springs_U(points: FloatArray, c: FloatArray) -> FloatArray:
    """Return U (3, 3) of springs c (n,) at points (n, 2) of a tread.

    The paper's reference [23] has them in the space of the joints, with the rows J_z,i by which
    the points rise [SygullaEtAl2017, (9)]:

        lambda' = -sum_i (y_i, -x_i, 1)' c_i J_z,i q'.

    A point of a foot rises by J_z,i = (y_i, -x_i, 1) J_f, J_f the rows of roll, pitch and height,
    so that lambda' = U J_f q' with U = -sum_i c_i (y_i, -x_i, 1)' (y_i, -x_i, 1).
    """
    a = np.stack([points[:, 1], -points[:, 0], np.ones(len(points))], axis=1)
    return np.asarray(-(a.T * c) @ a)


def loop_damping(k: float, mass: float, delta: float, g_a: float, kappa: float, T: float) -> float:
    """Return the damping of the vertical loop with one foot on the ground; negative: unstable.

    The mass m on a sole of stiffness k, the foot's height x and the speed v_a of (19):

        m c'' = -k (c + x),   e = k (c + x),   x' = -kappa e/(k delta) + v_a,   v_a' = -g_a e/m,

    so e'' + kappa e'/delta + (1 + g_a) k/m e = 0 if nothing were sampled. The force is sampled
    every T and x' held. The least damping of the sampled modes counts: z = ln(lambda)/T has the
    damping -Re z/|z|.

    Parameters
    ----------
    k : [N/m]. mass : [kg]. delta, T : [s]. g_a, kappa : as in `ForceChoice`.
    """
    from scipy.linalg import expm

    # states c, c', x, v_a and the held x'
    A = np.zeros((5, 5))
    A[0, 1], A[2, 4] = 1.0, 1.0
    A[1, 0] = A[1, 2] = -k / mass
    hold = expm(A * T)
    jump = np.eye(5)
    gain = kappa / delta
    jump[3, 0] = jump[3, 2] = -T * g_a * k / mass
    jump[4] = 0.0
    jump[4, 0] = jump[4, 2] = -gain
    jump[4, 3] = 1.0
    found = np.linalg.eigvals(hold @ jump)
    least = 1.0
    for value in found:
        size, angle = abs(value), abs(np.angle(value))
        if size < 1e-9 or abs(value - 1) < 1e-6:
            continue  # gone after a sample; the common height of foot and mass
        least = min(least, -log(size) / hypot(log(size), angle))
    return float(least)
