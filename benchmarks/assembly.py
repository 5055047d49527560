"""Assembly of both affine parts of the stiffness, beside scikit-fem's own forms.

    python benchmarks/assembly.py [--quick] [--repeat 3]

Ours gives K_lambda and K_mu by nodes, bond removed and P1 trace applied. scikit-fem gives the
two matrices of the same mesh and element over all dofs, without the trace: by `Basis` and
its weak forms, with the lowest quadrature that is exact (0 for P1, 2 for P2; its defaults, 2
and 4, cost more). One thread; the median of the rounds; the error is the difference of
u'(K_lambda + K_mu)u for a random u, relative.
"""

from __future__ import annotations

import argparse
import time
from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits

from sole.assembly import StiffnessParts, assemble
from sole.material import Material
from sole.mesh import SoleMesh
from sole.meshing import mesh_shape
from sole.shape import box

CASES = {
    "P1 20k": ("p1", 0.0040, 0.0040),
    "P2 20k": ("p2", 0.0078, 0.0078),
    "P1 65k": ("p1", 0.00272, 0.00272),
    "P2 65k": ("p2", 0.0054, 0.0054),
    "P1 220k": ("p1", 0.0048, 0.00069),
    "P2 220k": ("p2", 0.0035, 0.0035),
}


def scikit_fem(mesh: SoleMesh, element: str) -> tuple[Any, Any, Any]:
    """Return basis, K_lambda, K_mu."""
    import skfem
    from skfem.helpers import ddot, div, sym_grad

    @skfem.BilinearForm
    def volumetric(u: Any, v: Any, _: Any) -> Any:
        return div(u) * div(v)

    @skfem.BilinearForm
    def shear(u: Any, v: Any, _: Any) -> Any:
        return 2 * ddot(sym_grad(u), sym_grad(v))

    tets = skfem.MeshTet(mesh.points.T.copy(), mesh.tets.T.copy())
    kind = skfem.ElementTetP1() if element == "p1" else skfem.ElementTetP2()
    basis = skfem.Basis(tets, skfem.ElementVector(kind), intorder=0 if element == "p1" else 2)
    return basis, volumetric.assemble(basis), shear.assemble(basis)


def difference(parts: StiffnessParts, basis: Any, K: Any) -> float:
    """Compare the energy of one random field that obeys bond and trace."""
    from scipy.spatial import cKDTree

    u_free = np.random.default_rng(0).standard_normal((len(parts.coordinates), 3))
    lame = Material(young_modulus=2.5, poisson_ratio=0.25)  # lambda = mu = 1
    ours = u_free.ravel() @ (parts.stiffness([lame]).to_csr() @ u_free.ravel())
    u = parts.expand(u_free)
    _, node = cKDTree(parts.numbering.coordinates).query(basis.doflocs.T)
    theirs = u[node, np.arange(len(node)) % 3]  # x, y, z of a node follow each other
    return float(abs(theirs @ (K @ theirs) / ours - 1))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="20k dofs only")
    parser.add_argument("--repeat", type=int, default=3)
    options = parser.parse_args()
    small = mesh_shape(box(0.23, 0.13, 0.02), 0.02, 0.02)
    print("| case | free dofs | tetrahedra | ours [s] | scikit-fem [s] | ratio | difference |")
    print("|---|---|---|---|---|---|---|")
    for name, (element, size_tread, size_bond) in CASES.items():
        if options.quick and not name.endswith(" 20k"):
            continue
        assemble(small, element)
        mesh = mesh_shape(box(0.23, 0.13, 0.02), size_tread, size_bond)
        seconds = np.zeros((options.repeat, 2))
        for turn in range(options.repeat):
            started = time.perf_counter()
            parts = assemble(mesh, element)
            seconds[turn, 0] = time.perf_counter() - started
            started = time.perf_counter()
            basis, K_lambda, K_mu = scikit_fem(mesh, element)
            seconds[turn, 1] = time.perf_counter() - started
        ours, theirs = np.median(seconds, axis=0)
        print(
            f"| {name} | {3 * len(parts.coordinates)} | {len(mesh.tets)} | {ours:.2f} "
            f"| {theirs:.2f} | {ours / theirs:.2f} "
            f"| {difference(parts, basis, K_lambda + K_mu):.0e} |",
            flush=True,
        )


if __name__ == "__main__":
    with threadpool_limits(1):
        main()
