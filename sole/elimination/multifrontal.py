"""Multifrontal Cholesky elimination of all nodes but the kept ones.

    K_c = K_cc - K_cn K_nn^-1 K_nc

Front by front along the tree (`sole.elimination.dissection`): assemble the columns of the own
nodes and the updates of the children, factor the own block, pass the Schur complement on the
boundary to the parent. The root receives K_c; the factor is discarded unless requested.
Method: Duff and Reid 1983; Liu 1992.
"""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cache
from threading import Event
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sole.base.arrays import FloatArray, sealed
from sole.base.errors import SoleError
from sole.base.memory import require_memory
from sole.base.waiting import note
from sole.elimination import multifrontal_kernels as kernels
from sole.elimination.dissection import Dissection
from sole.elimination.elimination_plan import EliminationPlan, plan_elimination
from sole.elimination.packed_update_kernels import STRIP
from sole.elimination.panel_kernels import NARROW, routines
from sole.elimination.symmetric_blocks import SymmetricBlocks

_WORTH_SHARING = 3e7  # flops from which threads share a front
_PIECE = 5e9  # flops between two looks at whether to stop: half a second, for Ctrl-C


class CondensationError(SoleError):
    """The stiffness is not positive definite: a part floats or a material is unstable."""


def check_memory(tree: Dissection, extra_bytes: float = 0.0, threads: int | None = None) -> None:
    """Raise if the elimination and `extra_bytes` exceed the available memory.

    `threads` as in `schur_complement`: each further thread holds its own branch.

    Raises
    ------
    ResourceError
        The message names both amounts of memory and what to coarsen.
    """
    require_memory(
        8.0 * plan_elimination(tree, threads or _blas_threads()).size + extra_bytes,
        f"condensing {3 * len(tree.order)} dofs to {3 * tree.kept} of the tread",
    )


def schur_complement(
    K: SymmetricBlocks, tree: Dissection, threads: int | None = None
) -> FloatArray:
    """Return K_c (3m, 3m) on the kept nodes in their order, symmetric to the last bit.

    Parameters
    ----------
    K : symmetric positive definite, with the pattern of `tree`.
    tree : from `nested_dissection`.
    threads : number of threads; by default as many as BLAS may use.

    Raises
    ------
    CondensationError
        K is not positive definite on the eliminated nodes.
    """
    threads = threads or _blas_threads()
    plan = plan_elimination(tree, threads)
    memory = np.empty(plan.size)
    _eliminate(K, tree, plan, memory, memory, threads)
    return _shrunk(memory, 3 * tree.kept)


@dataclass(frozen=True, eq=False)
class Factor:
    """Cholesky factor of the eliminated nodes, to recover their displacement."""

    tree: Dissection
    panels: FloatArray
    panel_at: NDArray[np.int64]
    K_c: FloatArray

    def solve_interior(self, U_c: FloatArray) -> FloatArray:
        """Return the field U (3n, k) with U_n = -K_nn^-1 K_nc U_c, and U_c (3m, k) itself."""
        tree = self.tree
        n, columns = len(tree.order), np.asarray(U_c).shape[1]
        X = np.zeros((columns, 3 * n))
        X[:, 3 * (n - tree.kept) :] = np.asarray(U_c).T
        kernels.back_substitute(
            _arrays(tree), tree.boundary, self.panel_at, self.panels, X, routines()
        )
        U = np.empty((n, 3, columns))
        U[tree.order] = X.reshape(columns, n, 3).transpose(1, 2, 0)
        return U.reshape(-1, columns)


def factorise(K: SymmetricBlocks, tree: Dissection, threads: int | None = None) -> Factor:
    """Return the factor of the eliminated nodes of K, kept in memory.

    Raises
    ------
    CondensationError
        As `schur_complement`.
    """
    threads = threads or _blas_threads()
    plan = plan_elimination(tree, threads, keep_panels=True)
    memory, panels = np.empty(plan.size), np.empty(plan.panels_size)
    _eliminate(K, tree, plan, memory, panels, threads)
    return Factor(tree, panels, plan.panel_at, _shrunk(memory, 3 * tree.kept))


def _eliminate(
    K: SymmetricBlocks,
    tree: Dissection,
    plan: EliminationPlan,
    memory: FloatArray,
    panels: FloatArray,
    threads: int,
) -> None:
    """Eliminate; K_c, both triangles, ends at the start of `memory`."""
    arrays = _arrays(tree)
    places = kernels.PlaceArrays(plan.child_start, plan.child, plan.panel_at, plan.update_at)
    blocks = K.blocks.view()
    blocks.flags.writeable = False  # one compiled version for all
    native = routines()

    stop = Event()

    def run(fronts: NDArray[np.int64]) -> int:
        for piece in _pieces(fronts, tree.front_flops, _PIECE):
            todo = sealed(piece)  # one compiled version for all
            failed = kernels.eliminate_fronts(todo, arrays, places, blocks, panels, memory, native)
            if failed >= 0 or stop.is_set():
                return int(failed)
        return -1

    def run_shared(k: int, pool: ThreadPoolExecutor) -> int:
        s, b = (3 * int(np.diff(a[k : k + 2])[0]) for a in (tree.start, tree.boundary_start))
        inverses = np.empty(s * NARROW)
        failed = kernels.factor_own(k, arrays, places, blocks, panels, memory, inverses, native)
        if failed >= 0:
            return int(failed)
        list(
            pool.map(
                lambda row: kernels.solve_rows(k, row, arrays, places, panels, inverses, native),
                range(0, b, kernels.ROWS),
            )
        )
        list(
            pool.map(
                lambda column: kernels.update_strip(
                    k, column, arrays, places, panels, memory, native
                ),
                range(0, b, STRIP),
            )
        )
        return -1

    kernels.begin_root(arrays, blocks, memory)
    # Threads share the tree and its large fronts; BLAS's own threads would spin and wait.
    with blas_controller().limit(limits=1, user_api="blas"), ThreadPoolExecutor(threads) as pool:
        try:
            failed = [position for position in pool.map(run, plan.branches) if position >= 0]
            shared = _WORTH_SHARING if threads > 1 else _PIECE
            done, all_flops = tree.flops - tree.front_flops[plan.trunk].sum(), tree.flops
            for piece in _pieces(plan.trunk, tree.front_flops, shared):
                if failed:
                    break
                if all_flops > _PIECE:
                    note(f"eliminating the nodes inside, {100 * done / all_flops:.0f} %")
                done += tree.front_flops[piece].sum()
                small = tree.front_flops[piece].sum() < shared
                position = run(piece) if small else run_shared(int(piece[0]), pool)
                failed = [position] * (position >= 0)
        except BaseException:
            stop.set()  # the pool waits for its threads
            raise
    if failed:
        raise CondensationError(
            f"the stiffness is not positive definite at node {tree.order[failed[0]]}: "
            "a part of the sole floats, or a material is unstable"
        )
    kernels.finish_root(arrays, places, memory)


def _pieces(
    fronts: NDArray[np.int64], flops: FloatArray, most: float
) -> Iterator[NDArray[np.int64]]:
    """Yield `fronts` in pieces of less than `most` flops; one with more is a piece of its own."""
    first, sum_ = 0, 0.0
    for i, k in enumerate(fronts):
        sum_ += flops[k]
        if sum_ >= most:
            if i > first:
                yield fronts[first:i]
            first, sum_ = i, flops[k]
    if first < len(fronts):
        yield fronts[first:]


def _arrays(tree: Dissection) -> kernels.TreeArrays:
    return kernels.TreeArrays(
        tree.start,
        tree.boundary_start,
        tree.into_parent,
        tree.entry_start,
        tree.entry_row,
        tree.entry_block,
    )


def _shrunk(memory: FloatArray, order: int) -> FloatArray:
    memory.resize(order * order, refcheck=False)  # in place: no second copy of K_c
    return memory.reshape(order, order)


@cache
def blas_controller() -> Any:
    """Return the controller of the threads of BLAS."""
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController()


def _blas_threads() -> int:
    import scipy.linalg.blas  # noqa: F401  (loads the library to be inspected)

    pools = blas_controller().select(user_api="blas").info()
    return max([int(pool["num_threads"]) for pool in pools], default=1)
