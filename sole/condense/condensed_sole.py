"""A sole reduced to the stiffness K_c and the compliance C of its tread, and its file.

Contact needs only these; after condensation (`sole.condense.condenser`), only the recovery of
stresses (`sole.condense.recovery`) uses the mesh.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from functools import cached_property
from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike

from sole.base.archive import read_archive, write_archive
from sole.base.arrays import FloatArray, asymmetry, frozen, sealed
from sole.base.config import digest
from sole.base.damage import refuse_damage
from sole.base.errors import SchemaError
from sole.condense.inertia import Inertia, inertia_of
from sole.elasticity import check_element
from sole.material import Material
from sole.mesh import SoleMesh, mesh_arrays, mesh_from_archive

SCHEMA = "sole.condensed/1"
INVERSE = 1e-3  # largest error of K_c C v of a readable file


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class CondensedSole:
    """A sole reduced to its tread, in the sole frame (x forward, y left, z up).

    Parameters
    ----------
    mesh : the condensed mesh.
    materials : one per layer of the mesh.
    element : "p1", "p2" or "ccr".
    stiffness : K_c (3m, 3m) [N/m], node-major x, y, z, symmetric to the last bit.
    compliance : C = K_c^-1 (3m, 3m) [m/N], likewise.
    unit_displacement : (n, 3) of every vertex under `sole.condense.unit_load_forces` [m], for
        pictures; None if not known.
    """

    mesh: SoleMesh
    materials: tuple[Material, ...]
    element: str
    stiffness: FloatArray = field(repr=False)
    compliance: FloatArray = field(repr=False)
    unit_displacement: FloatArray | None = field(default=None, repr=False)

    def __post_init__(self) -> None:
        m3 = 3 * len(self.mesh.tread_vertices)
        for name in ("stiffness", "compliance"):
            matrix = frozen(getattr(self, name))
            if matrix.shape != (m3, m3):
                raise SchemaError(f"{name} has shape {matrix.shape}, expected {(m3, m3)}")
            object.__setattr__(self, name, matrix)

    def __repr__(self) -> str:
        """Return one line: name, element, nodes and materials."""
        layers = ", ".join(
            f"{n} {m.young_modulus:g} Pa {m.poisson_ratio:g}"
            for n, m in zip(self.mesh.layers, self.materials, strict=True)
        )
        return (
            f"<CondensedSole {self.mesh.name}: {len(self.points)} nodes, {self.element}, {layers}>"
        )

    @cached_property
    def points(self) -> FloatArray:
        """(m, 3) undeformed tread vertices [m]."""
        return frozen(self.mesh.points[self.mesh.tread_vertices])

    @property
    def areas(self) -> FloatArray:
        """(m,) tread area carried by each vertex [m^2]."""
        return self.mesh.tread_areas

    @property
    def thickness(self) -> float:
        """Depth of the lowest tread vertex below the bond plane [m]."""
        return self.mesh.thickness

    @cached_property
    def origin(self) -> FloatArray:
        """(3,) the sole's origin projected on the tread plane: the point of wrenches [m]."""
        return frozen([0.0, 0.0, -self.thickness])

    @cached_property
    def geometry(self) -> FloatArray:
        """G (3m, 6): nodal displacements of a rigid motion (translation; rotation about `origin`).

        G' f is the wrench (fx, fy, fz, tx, ty, tz) of nodal forces f about `origin`.
        """
        x, y, z = (self.points - self.origin).T
        G = np.zeros((len(x), 3, 6))
        G[:, [0, 1, 2], [0, 1, 2]] = 1.0
        G[:, 0, 4], G[:, 0, 5] = z, -y  # omega x r
        G[:, 1, 3], G[:, 1, 5] = -z, x
        G[:, 2, 3], G[:, 2, 4] = y, -x
        return frozen(G.reshape(-1, 6))

    @cached_property
    def foot_stiffness(self) -> FloatArray:
        """G' K_c G (6, 6): wrench per motion of the foot while its tread sticks to the ground.

        [N/m, N, N m], order (x, y, z, rx, ry, rz), about `origin`.
        """
        K6 = self.geometry.T @ (self.stiffness @ self.geometry)
        return frozen((K6 + K6.T) / 2)

    def stiffness_about(self, point: ArrayLike) -> FloatArray:
        """Return T' K T (6, 6): `foot_stiffness` for wrench and motion about `point` (3,).

        T = [1 -[o - p]x; 0 1] takes the motion of p, such as the ankle, to that of o = `origin`.
        [N/m, N, N m]; `point` is in the sole frame [m].
        """
        x, y, z = self.origin - np.asarray(point, dtype=float)
        T = np.eye(6)
        T[:3, 3:] = [[0.0, z, -y], [-z, 0.0, x], [y, -x, 0.0]]
        moved: FloatArray = T.T @ self.foot_stiffness @ T
        return moved

    @cached_property
    def inertia(self) -> Inertia:
        """Mass, centre of mass and inertia of the undeformed sole."""
        return inertia_of(self.mesh, self.materials)

    @cached_property
    def digest(self) -> str:
        """Return a hash of mesh, element and materials."""
        return digest_sole(self.mesh, self.element, self.materials)

    def scaled(self, factor: float) -> CondensedSole:
        """Return the sole with every E times `factor` > 0, exactly and without condensation."""
        return CondensedSole(
            mesh=self.mesh,
            materials=tuple(m.scaled(factor) for m in self.materials),
            element=self.element,
            stiffness=sealed(self.stiffness * factor),
            compliance=sealed(self.compliance / factor),
        )

    def mirrored(self) -> CondensedSole:
        """Return the sole of the other foot (y -> -y), without condensation."""
        s = np.tile([1.0, -1.0, 1.0], len(self.points))
        return CondensedSole(
            mesh=self.mesh.mirrored(),
            materials=self.materials,
            element=self.element,
            stiffness=sealed(self.stiffness * s[:, None] * s),
            compliance=sealed(self.compliance * s[:, None] * s),
        )


def digest_sole(mesh: SoleMesh, element: str, materials: Sequence[Material]) -> str:
    """Return the hash of a sole with this mesh, element and these materials."""
    return digest([mesh.digest, element, [asdict(m) for m in materials]])


def save_condensed(path: Path, sole: CondensedSole) -> None:
    """Write a self-contained `.npz`: matrices, mesh and groups, materials, element, inertia."""
    body = sole.inertia
    header = {
        "mesh": sole.mesh.header(),
        "materials": [asdict(m) for m in sole.materials],
        "element": sole.element,
        "digest": sole.digest,
        "mass_kg": body.mass,
        "units": {
            "points": "m",
            "stiffness": "N/m",
            "compliance": "m/N",
            "unit_displacement": "m",
            "inertia": "kg m^2",
        },
    }
    arrays = {
        "points": sole.points,
        "stiffness": sole.stiffness,
        "compliance": sole.compliance,
        "areas": sole.areas,
        "origin": sole.origin,
        "foot_stiffness": sole.foot_stiffness,
        "center_of_mass": body.center_of_mass,
        "inertia": body.inertia,
        **mesh_arrays(sole.mesh),
    }
    if sole.unit_displacement is not None:
        arrays["unit_displacement"] = sole.unit_displacement
    write_archive(path, SCHEMA, header, arrays)


def load_condensed(path: Path) -> CondensedSole:
    """Read a file of `save_condensed`; refuse a truncated or altered one."""
    with refuse_damage(path):
        return _condensed_in(path)


def _condensed_in(path: Path) -> CondensedSole:
    file = read_archive(path, SCHEMA)
    mesh = mesh_from_archive(file)
    m3 = 3 * len(mesh.tread_vertices)
    try:
        sole = CondensedSole(
            mesh=mesh,
            materials=tuple(Material(**m) for m in file.header["materials"]),
            element=check_element(file.header["element"]),
            stiffness=file.array("stiffness", (m3, m3)),
            compliance=file.array("compliance", (m3, m3)),
            unit_displacement=file.array("unit_displacement", (len(mesh.points), 3))
            if "unit_displacement" in file.arrays
            else None,
        )
        expected = file.header["digest"]
    except (KeyError, TypeError) as error:
        raise SchemaError(f"{path}: incomplete header ({error})") from error
    if sole.digest != expected:
        raise SchemaError(f"{path}: the mesh does not match its digest; the file was altered")
    if not np.array_equal(file.array("points", (m3 // 3, 3)), sole.points):
        raise SchemaError(f"{path}: points are not the tread vertices of the mesh; condense again")
    _check_inverse(path, sole)
    return sole


def _check_inverse(path: Path, sole: CondensedSole) -> None:
    """Refuse matrices that are not symmetric, not positive, or not inverse to each other.

    K_c C v = v for one v shows it; a condition number of K_c of 1e12 would leave an error of 1e-4.
    """
    K, C = sole.stiffness, sole.compliance
    for name, matrix in (("stiffness", K), ("compliance", C)):
        if not (matrix.diagonal() > 0).all() or asymmetry(matrix) != 0.0:
            raise SchemaError(
                f"{path}: {name} is not symmetric and positive definite; condense again"
            )
    v = np.cos(np.arange(len(C)))
    with np.errstate(all="ignore"):
        error = np.abs(K @ (C @ v) - v).max()
    if not error <= INVERSE:
        raise SchemaError(
            f"{path}: compliance is not the inverse of stiffness (K C v misses v by {error:.2g} of "
            "its largest entry); condense again"
        )
