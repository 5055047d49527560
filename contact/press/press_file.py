"""A press in a file: `press.npz`, self-contained, schema contact.press/2.

It holds all that a picture or a check needs: the mesh and its materials, nodal forces and
displacements, pose, frames, the path and the certificate, and, if `save_press` is given them, the
fields inside the sole. Only the compliance is left out; `PressRecord.sole` condenses again.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from contact.ground import Ground, ground_from_header
from contact.press.certificate import PressCertificate
from contact.press.load import PressLoad, header_of, load_from
from sole.base.archive import Archive, read_archive, schema_of, write_archive
from sole.base.arrays import FloatArray, IntArray
from sole.base.damage import refuse_damage
from sole.base.errors import SchemaError, SoleError
from sole.base.report import plain
from sole.condense import LINEAR_LIMIT, deformation_of, digest_sole
from sole.material import Material
from sole.mesh import SoleMesh, mesh_arrays, mesh_from_archive

if TYPE_CHECKING:
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


@dataclass(frozen=True, eq=False, kw_only=True)
class PressRecord:
    """A press read from its file. Arrays as in `contact.press.PressResult`; m tread nodes.

    Parameters
    ----------
    mesh, materials, element, digest : the sole, without its matrices.
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
    summary : contact_area, cop, energy, penetration, ... as written.
    """

    path: Path
    mesh: SoleMesh
    materials: tuple[Material, ...]
    element: str
    digest: str
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
    summary: Mapping[str, Any]
    certificate: PressCertificate

    @property
    def cop(self) -> FloatArray:
        """(2,) centre of pressure on the tread plane [m]; NaN without load."""
        w = self.wrench
        return np.array([-w[4], w[3]]) / w[2] if w[2] > 0 else np.full(2, np.nan)

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
        "deformation_limit": LINEAR_LIMIT,
        "max_pressure": float(result.pressure.max()),
        "outer": result.outer,
        "sweeps": result.sweeps,
        "newton": result.newton,
        "seed": result.seed,
        "tolerance": result.tolerance,
    }
    header = {
        "mesh": sole.mesh.header(),
        "materials": [asdict(m) for m in sole.materials],
        "element": sole.element,
        "digest": sole.digest,
        "ground": result.ground.header(),
        "friction": result.friction,
        "loads": [header_of(load) for load in result.path],
        "summary": plain(summary),
        "certificate": plain(asdict(result.certificate)),
        "units": UNITS,
        "frame": "sole frame, x forward, y left, z up; forces by the ground on the sole; "
        "loads and wrench (fx, fy, fz, tx, ty, tz) in the axes of the ground's frame, about the "
        "sole's origin projected on the tread plane",
    }
    arrays = {
        "points": sole.points,
        "forces": result.forces,
        "displacements": result.displacements,
        "pose": result.pose,
        "contact_forces": result.contact_forces,
        "start": result.start,
        "frames": result.frames,
        "gap": result.gap,
        "slip": result.slip,
        "status": result.status,
        "pressure": result.pressure,
        "areas": sole.areas,
        "origin": sole.origin,
        "wrench": result.wrench,
        "motion": result.motion,
        "cop": result.cop if result.wrench[2] > 0 else np.zeros(0),
        **mesh_arrays(sole.mesh),
    }
    if inside is not None:
        arrays |= {"inside": inside.displacement, "von_mises": inside.von_mises}
    write_archive(path, SCHEMA, header, arrays)


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
    m = len(mesh.tread_vertices)
    h = file.header
    try:
        ground = ground_from_header(h["ground"])
        materials = tuple(Material(**material) for material in h["materials"])
        if digest_sole(mesh, str(h["element"]), materials) != h["digest"]:
            raise SchemaError(f"{path}: the mesh does not match the sole that was pressed")
        return PressRecord(
            path=Path(path),
            mesh=mesh,
            materials=materials,
            element=str(h["element"]),
            digest=str(h["digest"]),
            ground=ground,
            friction=float(h["friction"]),
            loads=tuple(load_from(load) for load in h["loads"]),
            points=file.array("points", (m, 3)),
            forces=file.array("forces", (m, 3)),
            displacements=file.array("displacements", (m, 3)),
            contact_forces=file.array("contact_forces", (ground.faces, m, 3)),
            pose=file.array("pose", (4, 4)),
            start=file.array("start", (m, 3)),
            frames=file.array("frames", (m, 3, 3)),
            gap=file.array("gap", (m,)),
            slip=file.array("slip", (m, 2)),
            status=file.integers("status", (m,)),
            pressure=file.array("pressure", (m,)),
            areas=file.array("areas", (m,)),
            wrench=file.array("wrench", (6,)),
            motion=file.array("motion", (6,)),
            inside=_stored(file, "inside", (len(mesh.points), 3)),
            von_mises=_stored(file, "von_mises", (len(mesh.tets),)),
            summary=h["summary"],
            certificate=PressCertificate(**h["certificate"]),
        )
    except SchemaError:
        raise
    except (KeyError, TypeError, SoleError) as error:
        raise SchemaError(f"{path}: incomplete press file ({error})") from error


def _stored(file: Archive, name: str, shape: tuple[int, ...]) -> FloatArray | None:
    return file.array(name, shape) if name in file.arrays else None
