"""The linear equations of a Newton step of a press: by LU, or by iteration for many contacts.

    [ L W + D   M ] [ x     ]   [ b ]
    [ N         E ] [ delta ] = [ e ],   W = P C P'

Rows of contacts first, then the balance of the foot. LU costs the cube of the contacts: a minute
for 3000. GMRES [SaadSchultz1986] costs two products with a matrix per iteration, because
the stiffness K of the sole is at hand, and is C^-1 where every node touches and sticks:

    (L W + D)^-1 = W^-1 (L + D W^-1)^-1,   W^-1 ~ P K P',   D W^-1 ~ its diagonal blocks.

The motion delta of the foot is eliminated with this preconditioner. 5 to 20 iterations are usual,
40 where most nodes slip.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from contact.press.linear_sole import LinearSole
from contact.solvers import fill_newton
from sole.base.arrays import FloatArray, IntArray

DIRECT = 1500  # unknowns up to which LU is used: a tenth of a second
MOST = 60  # iterations
CROWDED = 0.6  # part of the nodes that touch from which whole matrices are multiplied


@dataclass(frozen=True, eq=False, kw_only=True)
class NewtonEquations:
    """The equations of k contacts and of the q motions of the foot that follow the load.

    Parameters
    ----------
    sole : its compliance is C.
    node : (k,) node of every contact.
    left : L P (k, 3, 3).
    frames : P (k, 3, 3).
    diagonal : D (k, 3, 3).
    moved : M (3k, q).
    balance : N (q, 3k).
    proximal : E (q, q).
    right : (3k + q,) b and e.
    """

    sole: LinearSole
    node: IntArray
    left: FloatArray
    frames: FloatArray
    diagonal: FloatArray
    moved: FloatArray
    balance: FloatArray
    proximal: FloatArray
    right: FloatArray

    def solve(self, accuracy: float) -> FloatArray:
        """Return (3k + q,) x and delta; iterations reduce the residual to `accuracy` of `right`.

        Iterations may end before that, with the best that they found.

        Raises
        ------
        numpy.linalg.LinAlgError
            The equations are singular.
        """
        return self.direct() if len(self.right) <= DIRECT else self.iterate(accuracy)

    def direct(self) -> FloatArray:
        """Solve by LU."""
        n, size = 3 * len(self.node), len(self.right)
        A = np.zeros((size, size))
        fill_newton(self.sole.compliance, self.node, self.left, self.frames, self.diagonal, A)
        A[:n, n:], A[n:, :n], A[n:, n:] = self.moved, self.balance, self.proximal
        return np.asarray(np.linalg.solve(A, self.right), dtype=np.float64)

    def iterate(self, accuracy: float) -> FloatArray:
        """Solve by GMRES, see `solve`."""
        from scipy.sparse.linalg import LinearOperator, gmres

        P, D, M, N, E = self.frames, self.diagonal, self.moved, self.balance, self.proximal
        n, size = 3 * len(self.node), len(self.right)
        nodes, node = np.unique(self.node, return_inverse=True)
        C, K = self.sole.compliance, self.sole.stiffness
        if len(nodes) < CROWDED * (len(C) // 3):
            rows = (3 * nodes[:, None] + np.arange(3)).ravel()
            C, K = C[np.ix_(rows, rows)], K[np.ix_(rows, rows)]
        else:
            node = self.node
        m = len(K) // 3

        def through(matrix: FloatArray, f: FloatArray) -> FloatArray:
            """Return matrix f of f (k, 3, columns), summed at the nodes; axes of the sole."""
            nodal = np.zeros((m, 3, f.shape[2]))
            np.add.at(nodal, node, f)
            moved = (matrix @ nodal.reshape(3 * m, -1)).reshape(nodal.shape)
            return np.asarray(moved[node])

        def multiply(x: FloatArray) -> FloatArray:
            r = x[:n].reshape(-1, 3, 1)
            top = self.left @ through(C, P.transpose(0, 2, 1) @ r) + D @ r
            return np.concatenate([top.ravel() + M @ x[n:], N @ x[:n] + E @ x[n:]])

        own = np.linalg.inv(self.left + D @ P @ K.reshape(m, 3, m, 3)[node, :, node])

        def precondition_contacts(b: FloatArray) -> FloatArray:
            return np.asarray(P @ through(K, own @ b.reshape(len(own), 3, -1))).reshape(b.shape)

        Z = precondition_contacts(M)
        foot = np.linalg.inv(E - N @ Z)

        def precondition(b: FloatArray) -> FloatArray:
            x = precondition_contacts(b[:n])
            delta = foot @ (b[n:] - N @ x)
            return np.concatenate([x - Z @ delta, delta])

        x, _ = gmres(
            LinearOperator((size, size), matvec=multiply),
            self.right,
            rtol=accuracy,
            restart=MOST,
            maxiter=1,
            M=LinearOperator((size, size), matvec=precondition),
        )
        return np.asarray(x)
