"""Assembly of both affine parts of the stiffness, beside condensation and the vector forms.

    python benchmarks/assembly.py [--quick] [--repeat 3] [--case NAME ...]

The assembly gives K_lambda and K_mu by nodes from scikit-fem's scalar matrices, bond removed
and P1 trace applied. Condensation is what follows: ordering and elimination up to K_c. The
vector forms give the two matrices of the same mesh and element over all dofs, without the
trace, as the equations are written: div(u) * div(v) and 2 * ddot(sym_grad(u), sym_grad(v)),
with the same quadrature; for CCR div(u) * p and p * q instead of the first.

CPU seconds of one thread, which other work on the machine disturbs least; the median of the
rounds, in which the three take turns. Memory of the assembly is the highest resident size
above that before the start. The difference is that of u'(K_lambda + K_mu)u between the assembly
and the vector forms for a random u, relative.
"""

from __future__ import annotations

import argparse
import threading
import time
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits

from sole.base.numba_settings import set_up_numba
from sole.elasticity import KINDS, StiffnessParts, assemble_stiffness
from sole.material import Material
from sole.mesh import SoleMesh, mesh_shape
from sole.shape import box

CASES = {
    "P2 2k": ("p2", 0.02, 0.02),
    "P1 20k": ("p1", 0.0040, 0.0040),
    "P2 20k": ("p2", 0.0078, 0.0078),
    "CCR 20k": ("ccr", 0.0125, 0.0125),
    "P1 65k": ("p1", 0.00272, 0.00272),
    "P2 65k": ("p2", 0.0054, 0.0054),
    "CCR 65k": ("ccr", 0.0083, 0.0083),
    "P1 220k": ("p1", 0.0048, 0.00069),
    "P2 220k": ("p2", 0.0035, 0.0035),
    "CCR 220k": ("ccr", 0.00535, 0.00535),
}
QUICK = "P2 2k"
UNIT = Material(young_modulus=2.5, poisson_ratio=0.25)  # lambda = mu = 1


def vector_forms(mesh: SoleMesh, element: str) -> tuple[Any, Any]:
    """Return the vector basis and K_lambda + K_mu over its dofs."""
    import skfem
    from skfem.helpers import ddot, div, sym_grad

    @skfem.BilinearForm
    def volumetric(u: Any, v: Any, _: Any) -> Any:
        return div(u) * div(v)

    @skfem.BilinearForm
    def shear(u: Any, v: Any, _: Any) -> Any:
        return 2 * ddot(sym_grad(u), sym_grad(v))

    @skfem.BilinearForm
    def pressure_work(u: Any, p: Any, _: Any) -> Any:
        return div(u) * p

    @skfem.BilinearForm
    def mass(p: Any, q: Any, _: Any) -> Any:
        return p * q

    kind = KINDS[element]
    tets = skfem.MeshTet(mesh.points.T.copy(), mesh.tets.T.copy())
    vector = skfem.ElementVector(getattr(skfem, kind.displacement)())
    basis = skfem.Basis(tets, vector, intorder=kind.degree)
    if not kind.pressure:
        return basis, volumetric.assemble(basis) + shear.assemble(basis)
    pressure = basis.with_element(skfem.ElementDG(getattr(skfem, kind.pressure)()))
    B = pressure_work.assemble(basis, pressure)
    K_lambda = B.T @ (mass.elemental(pressure).inverse().tocsr() @ B)
    return basis, K_lambda + shear.assemble(basis)


def condense(parts: StiffnessParts) -> None:
    """Order and eliminate."""
    from sole.elimination import nested_dissection, schur_complement

    tree = nested_dissection(parts.indptr, parts.indices, parts.coordinates, parts.contact)
    schur_complement(parts.stiffness([UNIT]), tree)


def difference(parts: StiffnessParts, basis: Any, K: Any) -> float:
    """Compare the energy of one random field that obeys bond and trace."""
    u_free = np.random.default_rng(0).standard_normal((len(parts.coordinates), 3))
    ours = u_free.ravel() @ (parts.stiffness([UNIT]).to_csr() @ u_free.ravel())
    u = parts.expand(u_free)
    theirs = np.empty(basis.N)
    for a in range(3):
        theirs[basis.element_dofs[a::3]] = u[parts.numbering.nodes_of_tet.T, a]
    return float(abs(theirs @ (K @ theirs) / ours - 1))


def timed(function: Callable[..., Any], *arguments: Any) -> tuple[Any, float]:
    """Return result and CPU seconds."""
    started = time.process_time()
    result = function(*arguments)
    return result, time.process_time() - started


def memory_of(function: Callable[..., Any], *arguments: Any) -> float:
    """Return the highest resident size [MB] during a call, above that before."""
    import psutil

    process, done = psutil.Process(), threading.Event()
    sizes = [process.memory_info().rss]

    def watch() -> None:
        while not done.wait(0.005):
            sizes.append(process.memory_info().rss)

    watcher = threading.Thread(target=watch)
    watcher.start()
    try:
        function(*arguments)
    finally:
        done.set()
        watcher.join()
    return float(max(sizes) - sizes[0]) / 1e6


def main(words: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="2k dofs only, once")
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument(
        "--case", nargs="+", choices=CASES, default=[c for c in CASES if c != QUICK]
    )
    options = parser.parse_args(words)
    if options.quick:
        options.case, options.repeat = [QUICK], 1
    small = mesh_shape(box(0.23, 0.13, 0.02), 0.02, 0.02)
    print(
        "| case | free dofs | tetrahedra | assembly [s] | condensation [s] | vector forms [s] "
        "| assembly/condensation | vector/assembly | memory [MB] | difference |"
    )
    print("|---|---|---|---|---|---|---|---|---|---|")
    for name in options.case:
        element, size_tread, size_bond = CASES[name]
        condense(assemble_stiffness(small, element))
        mesh = mesh_shape(box(0.23, 0.13, 0.02), size_tread, size_bond)
        memory = memory_of(assemble_stiffness, mesh, element)
        seconds = np.zeros((options.repeat, 3))
        for turn in seconds:
            parts, turn[0] = timed(assemble_stiffness, mesh, element)
            _, turn[1] = timed(condense, parts)
            (basis, K), turn[2] = timed(vector_forms, mesh, element)
        ours, after, vector = np.median(seconds, axis=0)
        print(
            f"| {name} | {3 * len(parts.coordinates)} | {len(mesh.tets)} | {ours:.2f} "
            f"| {after:.2f} | {vector:.2f} | {ours / after:.2f} | {vector / ours:.1f} "
            f"| {memory:.0f} | {difference(parts, basis, K):.0e} |",
            flush=True,
        )
        del basis, K, parts


if __name__ == "__main__":
    set_up_numba()
    with threadpool_limits(1):
        main()
