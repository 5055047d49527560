"""A press in a file: `press.npz`, self-contained, schema contact.press/2.

It holds all that a picture or a check needs: the mesh and its materials, nodal forces and
displacements, pose, frames, the path and the certificate, and, if `save_press` is given them, the
fields inside the sole. Only the compliance is left out; `PressRecord.sole` condenses again.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from contact.ground import Ground, ground_from_header
from contact.press.certificate import PressCertificate
from contact.press.load import PressLoad, header_of, load_from
from sole.base.archive import Archive, read_archive, schema_of, write_archive
from sole.base.arrays import FloatArray, IntArray
from sole.base.damage import refuse_damage
from sole.base.errors import SchemaError, SoleError
from sole.base.report import plain
from sole.condense import STRAIN_LIMIT, deformation_of, digest_sole
from sole.laws import AnyMaterial, material_header
from sole.material import Material
from sole.mesh import SoleMesh, mesh_arrays, mesh_from_archive

if TYPE_CHECKING:
    from contact.press.pressed_sole import PressedSole
    from contact.press.result import PressResult
    from sole.condense import CondensedSole, Condenser, Deformation

SCHEMA = "contact.press/2"
FORMER = "contact.press/1"  # its loads were in the sole frame
UNITS = {
    "points": "m",
    "forces": "N",
    "displacements": "m",
    "inside": "m",
    "von_mises": "Pa",
    "pose": "m",
    "pressure": "Pa",
    "gap": "m",
    "slip": "m",
    "areas": "m^2",
    "wrench": "N, N m",
    "energy": "J",
}
# Arrays of every press; m tread nodes.
SHAPES: Mapping[str, tuple[Any, ...]] = {
    "points": ("m", 3),
    "forces": ("m", 3),
    "displacements": ("m", 3),
    "pose": (4, 4),
    "start": ("m", 3),
    "frames": ("m", 3, 3),
    "gap": ("m",),
    "slip": ("m", 2),
    "status": ("m",),
    "pressure": ("m",),
    "areas": ("m",),
    "wrench": (6,),
    "motion": (6,),
}


@dataclass(frozen=True, eq=False, kw_only=True)
class PressedRecord:
    """What the file of every press holds. Arrays as in `contact.press.PressResult`; m tread nodes.

    Parameters
    ----------
    mesh, materials, element : the sole, without its matrices.
    points, forces, displacements : (m, 3) [m], [N], [m], sole frame.
    contact_forces : (faces, m, 3) [N].
    pose : (4, 4) sole to world.
    start : (m, 3) world [m].
    frames : (m, 3, 3) rows t1, t2, n, sole frame.
    gap, pressure, areas : (m,) [m], [Pa], [m^2].
    slip : (m, 2) [m].
    status : (m,) 0 open, 1 stick, 2 slip.
    wrench, motion : (6,), axes of the ground's frame.
    inside : (n, 3) displacement of every vertex relative to the foot [m]; None if not stored.
    von_mises : (e,) stress of every tetrahedron [Pa]; None if not stored.
    stretches, cauchy : (e, 3), (e, 3, 3) [Pa] of every tetrahedron, at finite strain alone.
    summary : contact_area, cop, energy, penetration, ... as written.
    """

    path: Path
    mesh: SoleMesh
    materials: tuple[AnyMaterial, ...]
    element: str
    ground: Ground
    friction: float
    loads: tuple[PressLoad, ...]
    points: FloatArray
    forces: FloatArray
    displacements: FloatArray
    contact_forces: FloatArray
    pose: FloatArray
    start: FloatArray
    frames: FloatArray
    gap: FloatArray
    slip: FloatArray
    status: IntArray
    pressure: FloatArray
    areas: FloatArray
    wrench: FloatArray
    motion: FloatArray
    inside: FloatArray | None = None
    von_mises: FloatArray | None = None
    stretches: FloatArray | None = None
    cauchy: FloatArray | None = None
    summary: Mapping[str, Any]

    @property
    def cop(self) -> FloatArray:
        """(2,) centre of pressure on the tread plane [m]; NaN without load."""
        w = self.wrench
        return np.array([-w[4], w[3]]) / w[2] if w[2] > 0 else np.full(2, np.nan)

    @property
    def force_points(self) -> FloatArray:
        """(m, 3) tread nodes at which forces turn the foot [m]."""
        return self.points

    @property
    def thickness(self) -> float:
        """As in `sole.condense.CondensedSole` [m]."""
        return self.mesh.thickness

    @property
    def contact_area(self) -> float:
        """Tread area of the nodes that carry force [m^2]."""
        return float(self.summary["contact_area"])

    @property
    def deformation(self) -> float:
        """As in `contact.press.PressResult`."""
        return deformation_of(self.displacements, self.mesh.thickness)


@dataclass(frozen=True, eq=False, kw_only=True)
class PressRecord(PressedRecord):
    """A press read from its file; `digest` is that of the condensed sole."""

    materials: tuple[Material, ...]
    digest: str
    certificate: PressCertificate

    @cached_property
    def condenser(self) -> Condenser:
        """What condenses the mesh; a `sole.condense.Recovery` of the press can share it."""
        from sole.condense import Condenser

        return Condenser(self.mesh, self.element)

    @cached_property
    def sole(self) -> CondensedSole:
        """The condensed sole, condensed again from the mesh in the file."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)  # locking was told before the press
            return self.condenser.condense(self.materials)

    def result(self) -> PressResult:
        """Return the press with its sole, certificate recomputed."""
        from contact.press.result import PressResult

        return PressResult(
            sole=self.sole,
            ground=self.ground,
            friction=self.friction,
            path=self.loads,
            contact_forces=self.contact_forces,
            pose=self.pose,
            start=self.start,
            seed=int(self.summary["seed"]),
            tolerance=float(self.summary["tolerance"]),
        )


def save_press(path: Path, result: PressResult, inside: Deformation | None = None) -> None:
    """Write a press atomically as a self-contained `.npz`.

    With `inside`, the `sole.condense.recover` of its forces, pictures of the file need no finite
    elements.
    """
    sole = result.sole
    summary = {
        "contact_area": result.contact_area,
        "energy": result.energy,
        "penetration": result.penetration,
        "deformation": result.deformation,
        "deformation_limit": STRAIN_LIMIT,
        "max_pressure": float(result.pressure.max()),
        "outer": result.outer,
        "sweeps": result.sweeps,
        "newton": result.newton,
        "seed": result.seed,
        "tolerance": result.tolerance,
    }
    header = {
        **header_of_press(result, sole.materials, sole.element, summary),
        "digest": sole.digest,
        "certificate": plain(asdict(result.certificate)),
    }
    arrays = {**arrays_of_press(result), "origin": sole.origin}
    if inside is not None:
        header["summary"]["strain"] = inside.compression
        arrays |= {"inside": inside.displacement, "von_mises": inside.von_mises}
    write_archive(path, SCHEMA, header, arrays)


def header_of_press(
    result: PressedSole,
    materials: Sequence[AnyMaterial],
    element: str,
    summary: Mapping[str, Any],
) -> dict[str, Any]:
    """Return what the headers of all press files have in common."""
    return {
        "mesh": result.mesh.header(),
        "materials": [material_header(m) for m in materials],
        "element": element,
        "ground": result.ground.header(),
        "friction": result.friction,
        "loads": [header_of(load) for load in result.path],
        "summary": plain(summary),
        "units": UNITS,
        "frame": "sole frame, x forward, y left, z up; forces by the ground on the sole; "
        "loads and wrench (fx, fy, fz, tx, ty, tz) in the axes of the ground's frame, about the "
        "sole's origin projected on the tread plane",
    }


def arrays_of_press(result: PressedSole) -> dict[str, NDArray[Any]]:
    """Return the arrays that all press files have."""
    names = [*SHAPES, "contact_forces", "cop"]
    arrays = {name: np.asarray(getattr(result, name)) for name in names}
    if not result.wrench[2] > 0:
        arrays["cop"] = np.zeros(0)
    return arrays | mesh_arrays(result.mesh)


def load_press(path: Path) -> PressRecord:
    """Read a press from the file that `save_press` wrote.

    Raises
    ------
    SchemaError
        The file is truncated, incomplete or not a press.
    """
    with refuse_damage(path):
        return _press_in(path)


def _press_in(path: Path) -> PressRecord:
    if schema_of(path) == FORMER:
        raise SchemaError(
            f"{path}: an older file, whose load turned with the foot; press again: "
            "`sole press SOLE.npz -o NEW.npz --force ...`"
        )
    file = read_archive(path, SCHEMA)
    mesh = mesh_from_archive(file)
    h = file.header
    try:
        materials = tuple(Material(**material) for material in h["materials"])
        if digest_sole(mesh, str(h["element"]), materials) != h["digest"]:
            raise SchemaError(f"{path}: the mesh does not match the sole that was pressed")
        return PressRecord(
            **fields_of_press(file, mesh),
            materials=materials,
            digest=str(h["digest"]),
            certificate=PressCertificate(**h["certificate"]),
        )
    except SchemaError:
        raise
    except (KeyError, TypeError, SoleError) as error:
        raise SchemaError(f"{path}: incomplete press file ({error})") from error


def fields_of_press(file: Archive, mesh: SoleMesh) -> dict[str, Any]:
    """Return the fields of a `PressedRecord`, without the materials, from its file."""
    h, sizes = file.header, {"m": len(mesh.tread_vertices)}
    ground = ground_from_header(h["ground"])
    arrays = {
        name: file.array(name, tuple(sizes.get(n, n) for n in shape))
        for name, shape in SHAPES.items()
        if name != "status"
    }
    return {
        "path": file.path,
        "mesh": mesh,
        "element": str(h["element"]),
        "ground": ground,
        "friction": float(h["friction"]),
        "loads": tuple(load_from(load) for load in h["loads"]),
        "contact_forces": file.array("contact_forces", (ground.faces, sizes["m"], 3)),
        "status": file.integers("status", (sizes["m"],)),
        "inside": stored_array(file, "inside", (len(mesh.points), 3)),
        "von_mises": stored_array(file, "von_mises", (len(mesh.tets),)),
        "summary": h["summary"],
        **arrays,
    }


def stored_array(file: Archive, name: str, shape: tuple[int, ...]) -> FloatArray | None:
    """Return an array that a file may have."""
    return file.array(name, shape) if name in file.arrays else None
