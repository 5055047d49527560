"""Solids from CAD: STEP through OpenCASCADE.

A solid does not name its bond and tread: they are found by height and normals
(`sole.mesh.surface.bond_and_tread`), and the bond defines the frame.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from sole.base.arrays import FloatArray, IntArray
from sole.base.errors import ShapeError
from sole.base.files import LARGEST_SOLID, existing_file
from sole.base.quiet import captured
from sole.mesh.meshing import extract_mesh, generate_mesh, grade_sizes, mesh_sizes, open_gmsh
from sole.mesh.sole_frame import in_sole_frame, refuse_extent
from sole.mesh.sole_mesh import SoleMesh
from sole.mesh.step_trial import refuse_bad_step
from sole.mesh.surface import BOND_ANGLE, TREAD_ANGLE, bond_and_tread, boundary_faces


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """How to mesh a foreign solid or surface.

    Parameters
    ----------
    size_tread, size_bond : edge lengths at tread and bond [m].
    bond_angle, tread_angle : of the normals from +z and -z [rad].
    tread_height : the tread reaches at most so high above its lowest point [m].
    mesher : "gmsh" or "ftetwild", of a surface; by default Gmsh, and fTetWild where that fails.
    down, forward : axes of a surface's file, such as "-y"; by default as its shape says.
    cut : height above the lowest point up to which a surface is kept [m].
    """

    size_tread: float | None = None
    size_bond: float | None = None
    bond_angle: float = BOND_ANGLE
    tread_angle: float = TREAD_ANGLE
    tread_height: float | None = None
    mesher: str | None = None
    down: str | None = None
    forward: str | None = None
    cut: float | None = None


def mesh_step(path: Path, options: Options | None = None) -> SoleMesh:
    """Mesh the solids of a STEP file, in the unit that the file states.

    Touching solids get a conforming mesh. Solids at different heights become layers, "layer1",
    "layer2", ... from the tread upwards; otherwise there is one layer "sole".

    Raises
    ------
    ShapeError
        Unreadable, no solid inside, or not the size of a sole.
    MeshError
        Gmsh fails, or no bond or tread is found.
    """
    path = existing_file(path, ShapeError, most=LARGEST_SOLID, padding=0)
    options = options or Options()
    refuse_bad_step(path)
    with open_gmsh(path.stem) as gmsh:
        occ = gmsh.model.occ
        try:
            with captured(1):  # OpenCASCADE has no switch to silence it
                found = occ.importShapes(str(path), highestDimOnly=True, format="step")
        except Exception as error:
            raise ShapeError(f"{path}: not a readable STEP file ({error})") from error
        solids = [entity for entity in found if entity[0] == 3]
        if not solids:
            raise ShapeError(f"{path}: holds no solid, only curves or surfaces; export a solid")
        if len(solids) > 1:
            solids, _ = occ.fragment(solids[:1], solids[1:])
        occ.synchronize()
        corners = np.array(gmsh.model.getBoundingBox(-1, -1)).reshape(2, 3)
        refuse_extent(corners, str(path), "; check the unit the file was exported in")
        volume = sum(occ.getMass(*solid) for solid in solids)
        generate_solid(gmsh, corners, volume, options)
        points, tets, volume_of_tet = extract_mesh(gmsh)
        spans = {tag: _span(occ.getBoundingBox(3, tag)) for _, tag in solids}
    levels = sorted(set(spans.values()))
    layer = {tag: levels.index(span) for tag, span in spans.items()}
    names = tuple(f"layer{k + 1}" for k in range(len(levels))) if len(levels) > 1 else ("sole",)
    layer_of_tet = np.array([layer[int(v)] for v in volume_of_tet])
    return sole_of(path, points, tets, layer_of_tet, names, options)


def generate_solid(gmsh: Any, corners: FloatArray, volume: float, options: Options) -> None:
    """Mesh the volumes of Gmsh's model in the sizes of `options`.

    `corners` are those of the bounding box (2, 3) [m], `volume` is that of the solid [m^3].
    """
    low, high = corners
    length, width, height = (float(v) for v in high - low)
    # a prism of equal height and volume is good enough to choose a size
    area, perimeter = volume / height, 2 * (length + width)
    given = options.size_tread, options.size_bond
    sizes = mesh_sizes(area, perimeter, height, *given, max(length, width, height))
    grade_sizes(gmsh, sizes, float(low[2]), float(high[2]))
    generate_mesh(gmsh)


def sole_of(
    path: Path,
    points: FloatArray,
    tets: IntArray,
    layer_of_tet: IntArray,
    layers: tuple[str, ...],
    options: Options,
) -> SoleMesh:
    """Return the sole of a solid's mesh: bond and tread found, moved to the sole frame."""
    bond, tread = bond_and_tread(
        points,
        boundary_faces(tets),
        options.bond_angle,
        options.tread_angle,
        options.tread_height,
    )
    return SoleMesh(
        points=in_sole_frame(points, bond),
        tets=tets,
        layer_of_tet=layer_of_tet,
        layers=layers,
        bond=bond,
        tread=tread,
        name=path.stem,
    )


def _span(box: Any) -> tuple[float, float]:
    """Return the lowest and highest z of a bounding box, rounded to 10 micrometres."""
    return round(float(box[2]), 5), round(float(box[5]), 5)
