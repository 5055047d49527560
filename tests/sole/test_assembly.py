"""The stiffness: scikit-fem's own forms, patch test, rigid motions, order of convergence."""

from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from box_mesh import box_mesh
from scipy.sparse import diags_array
from scipy.sparse.linalg import cg
from skfem import (
    Basis,
    BilinearForm,
    ElementDG,
    ElementTetCCR,
    ElementTetP1,
    ElementTetP2,
    ElementVector,
    LinearForm,
    MeshTet,
    asm,
)
from skfem.helpers import ddot, div, sym_grad
from skfem.models.elasticity import lame_parameters, linear_elasticity

from sole.elasticity import ELEMENTS, assemble_stiffness
from sole.material import Material
from sole.mesh import SoleMesh

scikit_fem = {"p1": ElementTetP1, "p2": ElementTetP2, "ccr": ElementTetCCR}
RUBBER = Material(young_modulus=2e6, poisson_ratio=0.3)


def rotated(mesh: SoleMesh, R: np.ndarray) -> SoleMesh:
    return replace(mesh, points=mesh.points @ R.T)


def vector_stiffness(mesh: SoleMesh, element: str, materials: list[Material]) -> np.ndarray:
    """K (3N, 3N) over all nodes, node by node, from the weak forms of a vector u, by scikit-fem."""

    @BilinearForm
    def volumetric(u, v, w):
        return div(u) * div(v)

    @BilinearForm
    def shear(u, v, w):
        return 2 * ddot(sym_grad(u), sym_grad(v))

    @BilinearForm
    def pressure_work(u, p, w):
        return div(u) * p

    @BilinearForm
    def mass(p, q, w):
        return p * q

    m = MeshTet(mesh.points.T.copy(), mesh.tets.T.copy())
    kind = ElementVector(scikit_fem[element]())
    K = 0
    for layer, material in enumerate(materials):
        own = {"intorder": 6, "elements": np.flatnonzero(mesh.layer_of_tet == layer)}
        u = Basis(m, kind, **own)
        if element == "ccr":
            p = Basis(m, ElementDG(ElementTetP1()), **own)
            of = np.unique(p.element_dofs)
            B = pressure_work.assemble(u, p).toarray()[of]
            K_lambda = B.T @ np.linalg.solve(mass.assemble(p).toarray()[np.ix_(of, of)], B)
        else:
            K_lambda = volumetric.assemble(u).toarray()
        lam, mu = material.lame
        K = K + lam * K_lambda + mu * shear.assemble(u).toarray()
    node, place = Basis(m, scikit_fem[element]()).element_dofs, np.empty(len(K), int)
    for a in range(3):
        place[3 * node + a] = Basis(m, kind).element_dofs[a::3]
    return K[np.ix_(place, place)]


@pytest.mark.parametrize("fix_bond", [True, False])
@pytest.mark.parametrize("layers", [(1,), (1, 2)])
@pytest.mark.parametrize("element", ELEMENTS)
def test_stiffness_equals_the_vector_forms_with_trace(element, layers, fix_bond) -> None:
    """T'KT of div(u) div(v) and 2 sym_grad(u) : sym_grad(v), entry by entry."""
    mesh = box_mesh(0.1, 0.06, 0.03, (2, 2, 3), layers)
    materials = [RUBBER, Material(young_modulus=5e5, poisson_ratio=0.45)][: len(layers)]
    parts = assemble_stiffness(mesh, element, fix_bond)
    n = len(parts.coordinates)
    units = np.eye(3 * n).reshape(-1, n, 3)
    T = np.stack([parts.expand(u).ravel() for u in units], axis=1)
    K = T.T @ vector_stiffness(mesh, element, materials) @ T
    ours = parts.stiffness(materials).to_csr().toarray()
    assert np.array_equal(ours, ours.T)
    assert np.abs(ours - K).max() <= 1e-13 * np.abs(K).max()


def test_a_layer_without_elements_adds_nothing() -> None:
    mesh = box_mesh(0.1, 0.06, 0.03, (2, 2, 2))
    more = replace(mesh, layers=("tread", "none"), materials=())
    K = assemble_stiffness(more).stiffness([RUBBER, RUBBER]).blocks
    assert np.array_equal(K, assemble_stiffness(mesh).stiffness([RUBBER]).blocks)


@pytest.mark.parametrize("element", ["p1", "p2"])
def test_stiffness_equals_scikit_fem_without_trace(element: str) -> None:
    """Away from the tread, T is the identity: blocks equal those of scikit-fem's own form."""
    mesh = box_mesh(0.2, 0.1, 0.04, (3, 2, 3))
    parts = assemble_stiffness(mesh, element, fix_bond=False)
    m = MeshTet(mesh.points.T.copy(), mesh.tets.T.copy())
    basis = Basis(m, ElementVector(scikit_fem[element]()))
    K_ref = asm(linear_elasticity(*lame_parameters(2e6, 0.3)), basis).tocsr()
    K = parts.stiffness([RUBBER]).to_csr()
    # scikit-fem orders vector dofs by entity; compare through the locations
    inside = np.flatnonzero(parts.coordinates[:, 2] > -0.02)
    scalar = Basis(m, scikit_fem[element]())
    node_of = {tuple(np.round(x, 12)): i for i, x in enumerate(scalar.doflocs.T)}
    ours = [node_of[tuple(np.round(parts.coordinates[i], 12))] for i in inside]
    vector = np.empty((scalar.N, 3), int)
    vector[scalar.element_dofs.ravel()[:, None], np.arange(3)] = np.stack(
        [basis.element_dofs[a::3].ravel() for a in range(3)], axis=1
    )
    dof_ref = vector[ours].ravel()
    dof = (3 * inside[:, None] + np.arange(3)).ravel()
    difference = K[dof][:, dof] - K_ref[dof_ref][:, dof_ref]
    assert abs(difference).max() <= 1e-12 * abs(K_ref).max()


@pytest.mark.parametrize("element", ELEMENTS)
@pytest.mark.parametrize("direction", [(0, 0, 1), (1, 0, 0), (0, 1, 0), (1, 2, 2)])
def test_patch_constant_strain_is_exact(element: str, direction: tuple[int, int, int]) -> None:
    """u = a (d.x) is in equilibrium inside and stores 1/2 sigma:eps V, to 1e-10.

    Rotating the pad so that the bond lies on d.x = 0 covers all six strains.
    """
    d = np.array(direction) / np.linalg.norm(direction)
    R = np.linalg.qr(np.column_stack([d, [0.3, 1, 0], [0, 0.2, 1]]))[0][:, [1, 2, 0]]
    R[:, 2] *= np.sign(R[:, 2] @ d)
    R[:, 0] *= np.linalg.det(R)
    mesh = box_mesh(0.2, 0.1, 0.04, (3, 3, 3))
    turned = rotated(mesh, R)
    K = assemble_stiffness(turned, element).stiffness([RUBBER]).to_csr()
    parts = assemble_stiffness(turned, element)
    lam, mu = RUBBER.lame
    for a in np.eye(3):
        u = np.outer(parts.coordinates @ d, a)
        f = (K @ u.ravel()).reshape(-1, 3)
        flat = parts.coordinates @ R  # in the frame of the unturned pad
        inside = (np.abs(flat[:, 0]) < 0.099) & (np.abs(flat[:, 1]) < 0.049) & (flat[:, 2] > -0.03)
        assert inside.sum() > 5
        strain = (np.outer(a, d) + np.outer(d, a)) / 2
        density = (lam * np.trace(strain) ** 2 + 2 * mu * (strain**2).sum()) / 2
        assert np.abs(f[inside]).max() <= 1e-10 * np.abs(f).max()
        assert u.ravel() @ f.ravel() / 2 == pytest.approx(density * 0.2 * 0.1 * 0.04, rel=1e-10)


@pytest.mark.parametrize("element", ELEMENTS)
def test_six_rigid_motions_and_no_other_zero_energy_mode(element: str) -> None:
    mesh = box_mesh(0.1, 0.1, 0.05, (1, 1, 1))
    K = assemble_stiffness(mesh, element, fix_bond=False).stiffness([RUBBER]).to_csr().toarray()
    assert np.array_equal(K, K.T)
    values = np.linalg.eigvalsh(K)
    assert np.abs(values[:6]).max() <= 1e-12 * values[-1]
    assert values[6] >= 1e-5 * values[-1]


@cache
def manufactured():
    """u = 0 on the boundary of 2 x 2 x 1: f(x, y, z) = -div sigma(u), the energy, E and nu."""
    import sympy

    X = sympy.symbols("x y z")
    bubble = (1 - X[0] ** 2) * (1 - X[1] ** 2) * X[2] * (1 + X[2])
    u = [bubble * (1 + X[1]), bubble * X[0], bubble * (2 - X[0] * X[2])]
    lam, mu = 1.5, 1.0
    grad = sympy.Matrix(3, 3, lambda i, j: sympy.diff(u[i], X[j]))
    eps = (grad + grad.T) / 2
    sigma = lam * eps.trace() * sympy.eye(3) + 2 * mu * eps
    force = [-sum(sympy.diff(sigma[i, j], X[j]) for j in range(3)) for i in range(3)]
    density = sympy.expand(sum(eps[i, j] * sigma[i, j] for i in range(3) for j in range(3)) / 2)
    box = ((X[2], -1, 0), (X[1], -1, 1), (X[0], -1, 1))
    exact = float(sympy.integrate(density, *box))
    E, nu = mu * (3 * lam + 2 * mu) / (lam + mu), lam / (2 * (lam + mu))
    return sympy.lambdify(X, force), exact, Material(young_modulus=E, poisson_ratio=nu)


@pytest.mark.parametrize(("element", "order"), [("p1", 2), ("p2", 4), ("ccr", 4)])
def test_energy_converges_at_twice_the_degree(element: str, order: int) -> None:
    """Manufactured u = 0 on the whole boundary; E - E_h = 1/2 |u - u_h|_K^2 ~ h^(2p).

    The trace is exact because u vanishes on the tread; body force from -div sigma(u).
    """
    f, exact, material = manufactured()
    errors = []
    for n in (3, 6) if element != "p1" else (5, 10):
        mesh = box_mesh(2, 2, 1, (n, n, n))
        parts = assemble_stiffness(mesh, element)
        m = MeshTet(mesh.points.T.copy(), mesh.tets.T.copy())
        basis = Basis(m, ElementVector(scikit_fem[element]()), intorder=8)
        load = LinearForm(lambda v, w: sum(f_i * v_i for f_i, v_i in zip(w.f, v, strict=True)))
        b = load.assemble(basis, f=np.stack(f(*basis.global_coordinates())))
        b_node = np.zeros((len(parts.free), 3))
        for a in range(3):
            b_node[parts.numbering.nodes_of_tet.T, a] = b[basis.element_dofs[a::3]]
        K = parts.stiffness([material]).to_csr()
        kept = parts.free >= 0
        x = parts.coordinates
        inner = (np.abs(x[:, :2]) < 1 - 1e-9).all(axis=1) & (x[:, 2] > -1 + 1e-9)
        dof = np.flatnonzero(np.repeat(inner, 3))
        F = b_node[kept].ravel()[dof]
        A = K[dof][:, dof]
        U, status = cg(A, F, rtol=1e-8, M=diags_array(1 / A.diagonal()))  # F U: twice the digits
        assert status == 0
        errors.append((exact - F @ U / 2) / exact)
    assert errors[1] > 0
    assert np.log2(errors[0] / errors[1]) == pytest.approx(order, abs=0.35)
    assert errors[1] < {"p1": 0.05, "p2": 2e-3, "ccr": 2e-3}[element]


@pytest.mark.parametrize("element", ELEMENTS)
def test_layers_add_up_and_parts_are_affine(element: str) -> None:
    """Two layers of one material equal one layer; K(2 E) = 2 K(E) exactly."""
    one = assemble_stiffness(box_mesh(0.1, 0.1, 0.04, (2, 2, 4)), element).stiffness([RUBBER])
    two = assemble_stiffness(box_mesh(0.1, 0.1, 0.04, (2, 2, 4), (1, 1)), element)
    K = two.stiffness([RUBBER, RUBBER])
    scale = np.abs(one.blocks).max()
    assert np.abs(K.blocks - one.blocks).max() <= 1e-13 * scale
    doubled = two.stiffness([RUBBER.scaled(2), RUBBER.scaled(2)])
    assert np.array_equal(doubled.blocks, 2 * K.blocks)


def test_trace_averages_the_vertices() -> None:
    """A tread mid-edge node moves by the mean of two vertices, a CCR face node of three."""
    for element in ("p2", "ccr"):
        parts = assemble_stiffness(box_mesh(0.2, 0.1, 0.04, (2, 2, 1)), element)
        node, master, weight = parts.trace
        x = parts.numbering.coordinates
        mean = np.zeros_like(x)
        np.add.at(mean, node, weight[:, None] * x[master])
        slaves = np.unique(node)
        assert np.allclose(mean[slaves], x[slaves], atol=1e-15)
        assert len(slaves) == parts.numbering.slave.sum()
        assert set(np.round(np.unique(weight), 12)) == (
            {0.5} if element == "p2" else {0.5, 0.333333333333}
        )
