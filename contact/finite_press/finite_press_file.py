"""A press at finite strain in a file, schema contact.finite_press/1.

What `contact.press.save_press` writes of a linear press, with pressures and areas of the deformed
tread, and the stretches and Cauchy stresses of all tetrahedra.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np

from contact.finite_press.result import FinitePressCertificate, FinitePressResult
from contact.finite_press.sides import depth_of_sides
from contact.press import (
    PressCertificate,
    PressedRecord,
    arrays_of_press,
    fields_of_press,
    header_of_press,
)
from sole.base.archive import read_archive, write_archive
from sole.base.arrays import FloatArray
from sole.base.damage import refuse_damage
from sole.base.errors import SchemaError, SoleError
from sole.base.report import plain
from sole.laws import HyperelasticMaterial, material_from
from sole.mesh import mesh_from_archive

SCHEMA = "contact.finite_press/1"


@dataclass(frozen=True, eq=False, kw_only=True)
class FinitePressRecord(PressedRecord):
    """A press at finite strain read from its file.

    Parameters
    ----------
    stretches : (e, 3) mean principal stretches of every tetrahedron, increasing.
    cauchy : (e, 3, 3) mean Cauchy stress [Pa], sole frame.
    certificate : as of `contact.finite_press.FinitePressResult`.
    """

    materials: tuple[HyperelasticMaterial, ...]
    stretches: FloatArray
    cauchy: FloatArray
    certificate: FinitePressCertificate

    @property
    def force_points(self) -> FloatArray:
        """(m, 3) deformed tread vertices [m]."""
        return self.points + self.displacements


def save_finite_press(path: Path, result: FinitePressResult, increments: int = 0) -> None:
    """Write a press atomically as a self-contained `.npz`.

    `increments` is how many the load has, if the press stopped before its end.
    """
    field = result.field
    nodes, depth = depth_of_sides(result)
    summary = {
        "contact_area": result.contact_area,
        "energy": result.energy,
        "penetration": result.penetration,
        "max_pressure": float(result.pressure.max()),
        "newton": result.newton,
        "clipped": result.clipped,
        "increments": increments or len(result.path),
        "strain": field.strain,
        "least_stretch": float(field.stretches[:, 0].min()),
        "largest_stretch": float(field.stretches[:, 2].max()),
        "sides_below": nodes,
        "sides_depth": depth,
    }
    header = {
        **header_of_press(result, result.materials, result.sole.element, summary),
        "certificate": plain(asdict(result.certificate)),
    }
    fields = {
        "inside": result.inside,
        "von_mises": result.von_mises,
        "stretches": result.stretches,
        "cauchy": result.cauchy,
    }
    write_archive(path, SCHEMA, header, {**arrays_of_press(result), **fields})


def load_finite_press(path: Path) -> FinitePressRecord:
    """Read a press from the file that `save_finite_press` wrote.

    Raises
    ------
    SchemaError
        The file is truncated, incomplete or not a press at finite strain.
    """
    with refuse_damage(path):
        file = read_archive(path, SCHEMA)
        mesh = mesh_from_archive(file)
        e, h = len(mesh.tets), file.header
        try:
            certificate = dict(h["certificate"])
            contact = PressCertificate(**certificate.pop("contact"))
            record = FinitePressRecord(
                **fields_of_press(file, mesh),
                materials=tuple(_hyperelastic(m) for m in h["materials"]),
                stretches=file.array("stretches", (e, 3)),
                cauchy=file.array("cauchy", (e, 3, 3)),
                certificate=FinitePressCertificate(contact=contact, **certificate),
            )
        except SchemaError:
            raise
        except (KeyError, TypeError, SoleError) as error:
            raise SchemaError(f"{path}: incomplete press file ({error})") from error
        if record.inside is None or record.von_mises is None:
            raise SchemaError(f"{path}: incomplete press file (no displacements inside)")
        if not np.array_equal(record.points, mesh.points[mesh.tread_vertices]):
            raise SchemaError(f"{path}: the points are not the tread vertices of the mesh")
        return record


def _hyperelastic(data: dict[str, object]) -> HyperelasticMaterial:
    material = material_from(data)
    if not isinstance(material, HyperelasticMaterial):
        raise SchemaError("a linear material")
    return material
