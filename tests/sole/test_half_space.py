"""Half-space: the exact far field on the outer boundary, the exact settlement at the patch.

A square patch of uniform traction on an elastic half-space. The block's sides and floor are
prescribed with the field of Boussinesq (normal) or Cerruti (tangential), integrated over the
patch; the computed displacement at the patch's centre must be Love's (Cerruti's) closed form.
"""

import numpy as np
import pytest
from box_mesh import box_mesh
from scipy.sparse import diags_array
from scipy.sparse.linalg import cg

from sole.elasticity import assemble_stiffness
from sole.material import Material

E, nu = 1.0, 0.3
G = E / (2 * (1 + nu))
a = 1.0  # half side of the patch


def point_load(r: np.ndarray, direction: int) -> np.ndarray:
    """Displacement at r (n, 3), z >= 0 into the solid, of a unit force along `direction`.

    direction 2: Boussinesq; 0: Cerruti [Johnson1985]_ (eq. 3.18, 3.75).
    """
    x, y, z = r.T
    R = np.linalg.norm(r, axis=1)
    if direction == 2:
        radial = z / R**3 - (1 - 2 * nu) / (R * (R + z))
        u = [x * radial, y * radial, 2 * (1 - nu) / R + z**2 / R**3]
    else:
        q = (1 - 2 * nu) / (R + z)
        u = [
            1 / R + x**2 / R**3 + q * (1 - x**2 / (R * (R + z))),
            x * y / R**3 - q * x * y / (R * (R + z)),
            x * z / R**3 + q * x / R,
        ]
    return np.stack(u, axis=1) / (4 * np.pi * G)


def patch_field(points: np.ndarray, direction: int) -> np.ndarray:
    """Field of unit traction on the square |x|, |y| < a, by Gauss quadrature."""
    s, w = np.polynomial.legendre.leggauss(12)
    field = np.zeros_like(points)
    for xi, wi in zip(a * s, a * w, strict=True):
        for yi, wj in zip(a * s, a * w, strict=True):
            field += wi * wj * point_load(points - [xi, yi, 0], direction)
    return field


def centre_displacement(direction: int) -> float:
    """Love's and Cerruti's corner formulae, four quarters of the square."""
    asinh1 = np.arcsinh(1.0)
    if direction == 2:
        return 4 * (1 - nu**2) / (np.pi * E) * 2 * a * asinh1
    return 4 / (2 * np.pi * G) * (a * asinh1 + (1 - nu) * a * asinh1)


def error_at_centre(element: str, n: int, direction: int) -> float:
    side = 2 * a
    mesh = box_mesh(2 * side, 2 * side, side, (4 * n, 4 * n, 2 * n))
    parts = assemble_stiffness(mesh, element, fix_bond=False)
    K = parts.stiffness([Material(young_modulus=E, poisson_ratio=nu)]).to_csr().tocsc()
    # the tread (z = -side) is the surface of the half-space, whose depth axis points up
    x = parts.coordinates + np.array([0, 0, side])
    outer = (np.abs(x[:, :2]) > side - 1e-9).any(axis=1) | (x[:, 2] > side - 1e-9)
    U = np.zeros_like(x)
    U[outer] = patch_field(x[outer], direction)
    F = np.zeros_like(x)
    corners = mesh.points[mesh.tread]
    inside = (np.abs(corners[:, :, :2].mean(axis=1)) < a).all(axis=1)
    area = np.linalg.norm(
        np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]), axis=1
    )
    load = np.bincount(mesh.tread[inside].ravel(), np.repeat(area[inside] / 6, 3), len(mesh.points))
    F[parts.contact, direction] = load[mesh.tread_vertices]
    known = np.flatnonzero(np.repeat(outer, 3))
    rest = np.setdiff1d(np.arange(3 * len(x)), known)
    rhs = F.ravel()[rest] - K[rest][:, known] @ U.ravel()[known]
    A = K[rest][:, rest].tocsr()
    u, status = cg(A, rhs, rtol=1e-8, M=diags_array(1 / A.diagonal()))  # errors are 1e-2
    assert status == 0
    whole = U.ravel().copy()
    whole[rest] = u
    centre = int(np.argmin(np.linalg.norm(x, axis=1)))
    exact = centre_displacement(direction)
    return abs(whole.reshape(-1, 3)[centre, direction] - exact) / exact


def test_closed_forms_agree_with_quadrature_of_the_point_load() -> None:
    """The two sources of truth agree with each other just below the surface."""
    for direction in (0, 2):
        below = patch_field(np.array([[0.0, 0.0, 0.2]]), direction)[0, direction]
        deeper = patch_field(np.array([[0.0, 0.0, 0.4]]), direction)[0, direction]
        assert 0 < deeper < below < centre_displacement(direction)


@pytest.mark.parametrize("direction", [2, 0], ids=["boussinesq", "cerruti"])
@pytest.mark.parametrize("element", ["p1", "p2"])
def test_settlement_under_a_patch(element: str, direction: int) -> None:
    """At most 1 % on the finest of three meshes, falling at second order (surface trace P1)."""
    meshes = {"p1": (2, 4, 7), "p2": (1, 2, 3)}[element]
    errors = [error_at_centre(element, n, direction) for n in meshes]
    assert errors[2] < errors[1] < errors[0]
    assert errors[2] <= 0.01
    order = np.log(errors[0] / errors[2]) / np.log(meshes[2] / meshes[0])
    assert order == pytest.approx(2, abs=0.5), errors
