"""The methods that condensation.py compares, and the reference that they are measured by."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from sole.elimination import SymmetricBlocks


@dataclass(frozen=True)
class Problem:
    """A stiffness, the positions of its nodes, and the nodes to keep."""

    K: SymmetricBlocks
    coordinates: np.ndarray
    keep: np.ndarray

    @classmethod
    def load(cls, path: Path) -> Problem:
        """Read what condensation.py wrote."""
        with np.load(path) as data:
            K = SymmetricBlocks(data["indptr"], data["indices"], data["blocks"])
            return cls(K, data["coordinates"], data["contact"])

    @property
    def dofs(self) -> np.ndarray:
        """The dofs of the kept nodes."""
        return (3 * self.keep[:, None] + np.arange(3)).ravel()

    def parts(self) -> tuple[Any, Any, Any]:
        """Return K_nn, K_nc, K_cc as sparse matrices."""
        A = self.K.to_csr()
        c = self.dofs
        n = np.setdiff1d(np.arange(A.shape[0]), c)
        rows = A[n]
        return rows[:, n].tocsc(), rows[:, c].tocsc(), A[c][:, c].tocsc()


def small_problem() -> Problem:
    """Return a chain of nodes: every routine once before the clock starts."""
    n = 300
    indptr = np.concatenate([[0], 1 + 2 * np.arange(n)])
    indices = np.concatenate([[0], (np.arange(1, n)[:, None] + [-1, 0]).ravel()])
    blocks = np.where((indices == np.repeat(np.arange(n), np.diff(indptr)))[:, None, None], 3, -1)
    xyz = np.zeros((n, 3))
    xyz[:, 0] = np.arange(n)
    K = SymmetricBlocks(indptr, indices, blocks * np.eye(3))
    return Problem(K, xyz, np.arange(0, n, 30))


Run = Callable[[], tuple[np.ndarray, float | None]]  # K_c, and bytes if it counts its own
Method = Callable[[Problem, int], Run]


def multifrontal(problem: Problem, threads: int) -> Run:
    from sole.elimination import nested_dissection, schur_complement

    def run() -> tuple[np.ndarray, float | None]:
        K = problem.K
        tree = nested_dissection(K.indptr, K.indices, problem.coordinates, problem.keep)
        return schur_complement(K, tree, threads=threads), None

    return run


def pardiso(problem: Problem, threads: int) -> Run:
    """MKL PARDISO, real symmetric positive definite, iparm(36) = 1; Intel oneMKL reference."""
    import ctypes

    from pypardiso import PyPardisoSolver
    from scipy.sparse import triu

    mkl = ctypes.CDLL(PyPardisoSolver().libmkl._name)  # without pypardiso's prototypes
    A = triu(problem.K.to_csr(), format="csr")
    A.sort_indices()
    ia, ja, a = A.indptr.astype(np.int32), A.indices.astype(np.int32), A.data
    n, c = A.shape[0], problem.dofs

    def by_reference(value: int) -> Any:
        return ctypes.byref(ctypes.c_int(value))

    def pointer(array: np.ndarray) -> Any:
        return array.ctypes.data_as(ctypes.c_void_p)

    def run() -> tuple[np.ndarray, float | None]:
        mkl.mkl_set_num_threads(by_reference(threads))
        handle, iparm = np.zeros(64, np.int64), np.zeros(64, np.int32)
        mkl.pardisoinit(pointer(handle), by_reference(2), pointer(iparm))
        iparm[0], iparm[1], iparm[34], iparm[35], iparm[17] = 1, 2, 1, 1, -1
        perm = np.zeros(n, np.int32)
        perm[c] = 1
        S, b = np.zeros((len(c), len(c))), np.zeros(n)

        def phase(number: int) -> None:
            error = ctypes.c_int(0)
            mkl.pardiso(
                pointer(handle), by_reference(1), by_reference(1), by_reference(2),
                by_reference(number), by_reference(n), pointer(a), pointer(ia), pointer(ja),
                pointer(perm), by_reference(1), pointer(iparm), by_reference(0), pointer(b),
                pointer(S), ctypes.byref(error),
            )  # fmt: skip
            if error.value:
                raise RuntimeError(f"PARDISO phase {number}: error {error.value}")

        phase(11)
        phase(22)
        return S, 1024.0 * max(iparm[14], iparm[15] + iparm[16]) + S.nbytes

    return run


def _solve_all(
    problem: Problem, factor: Callable[[Any], Callable[[np.ndarray], np.ndarray]]
) -> Run:
    K_nn, K_nc, K_cc = problem.parts()
    K_cn = K_nc.T.tocsr()

    def run() -> tuple[np.ndarray, float | None]:
        solve = factor(K_nn)
        K_c = K_cc.toarray()
        for start in range(0, K_c.shape[0], 256):
            block = slice(start, start + 256)
            K_c[:, block] -= K_cn @ solve(K_nc[:, block].toarray())
        return K_c, None

    return run


def superlu(problem: Problem, threads: int) -> Run:
    from scipy.sparse.linalg import splu

    def factor(K_nn: Any) -> Any:
        symmetric = {"SymmetricMode": True}
        return splu(
            K_nn, permc_spec="MMD_AT_PLUS_A", diag_pivot_thresh=0.0, options=symmetric
        ).solve

    return _solve_all(problem, factor)


def cholmod(problem: Problem, threads: int) -> Run:
    from sksparse.cholmod import cholesky

    return _solve_all(problem, cholesky)


METHODS: dict[str, Method] = {
    "ours": multifrontal,
    "PARDISO Schur": pardiso,
    "SuperLU, solve": superlu,
    "CHOLMOD, solve": cholmod,
}
NEEDS = {"PARDISO Schur": "pypardiso", "CHOLMOD, solve": "sksparse"}


def reference(problem: Problem) -> tuple[np.ndarray, np.ndarray]:
    """Return random V and K_c V, by iterative refinement with extended residuals."""
    from sole.elimination import factorise, nested_dissection

    K_nn, K_nc, K_cc = (part.tocsr() for part in problem.parts())
    V = np.random.default_rng(0).standard_normal((K_cc.shape[0], 2))
    tree = nested_dissection(problem.K.indptr, problem.K.indices, problem.coordinates, problem.keep)
    factor = factorise(problem.K, tree)
    n = np.setdiff1d(np.arange(3 * problem.K.nodes), problem.dofs)
    K_nn, K_nc, K_cc = (part.astype(np.longdouble) for part in (K_nn, K_nc, K_cc))
    rhs = -(K_nc @ V.astype(np.longdouble))
    X = np.zeros_like(rhs)
    for _ in range(5):
        X += solve_interior_load(factor, (rhs - K_nn @ X).astype(np.float64), n)
    return V, (K_cc @ V + K_nc.T @ X).astype(np.float64)


def solve_interior_load(factor: Any, load: np.ndarray, n: np.ndarray) -> np.ndarray:
    """Return K_nn^-1 load, front by front with the factor's panels."""
    from scipy.linalg import solve_triangular

    tree = factor.tree
    F = np.zeros((3 * len(tree.order), load.shape[1]))
    F[n] = load
    X = F.reshape(-1, 3, load.shape[1])[tree.order]
    eliminated = tree.start[-1]
    fronts = []
    for k in range(len(tree.parent)):
        own = slice(tree.start[k], tree.start[k + 1])
        b = tree.boundary[tree.boundary_start[k] : tree.boundary_start[k + 1]]
        s, m = 3 * (own.stop - own.start), 3 * (own.stop - own.start + len(b))
        L = factor.panels[factor.panel_at[k] : factor.panel_at[k] + s * m].reshape(s, m).T
        fronts.append((own, b, L[:s], L[s:]))
    for own, b, L11, L21 in fronts:
        x = solve_triangular(L11, X[own].reshape(len(L11), -1), lower=True)
        X[own] = x.reshape(X[own].shape)
        X[b] -= (L21 @ x).reshape(X[b].shape)
    X[eliminated:] = 0.0
    for own, b, L11, L21 in reversed(fronts):
        x = X[own].reshape(len(L11), -1) - L21.T @ X[b].reshape(len(L21), -1)
        X[own] = solve_triangular(L11, x, lower=True, trans=1).reshape(X[own].shape)
    F.reshape(X.shape)[tree.order] = X
    return F[n]
