"""Meshes of other programs: put together, straightened, checked against the boundary.

Gmsh (`sole.mesh.gmsh_mesh`) and meshio (`sole.mesh.meshio_mesh`) read the files.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from sole.base.arrays import FloatArray, IntArray
from sole.base.errors import MeshError
from sole.mesh.surface import (
    BOND_ANGLE,
    TREAD_ANGLE,
    bond_and_tread,
    boundary_faces,
    faces_of,
    orient_outward,
)


@dataclass(frozen=True, eq=False, kw_only=True)
class RawMesh:
    """The content of a mesh file before any check.

    Parameters
    ----------
    points : (n, 3) in the file's unit.
    tets : (e, 4) corners, in the order of the file's element numbers.
    middles : (e, 6, 3) rows (corner, corner, middle node), None for a first-order mesh.
    volume_group : (e,) number of the volume group, 0 for none.
    volume_names : number of each named volume group.
    surfaces : triangles (k, 3) of each named surface group.
    """

    points: FloatArray
    tets: IntArray
    middles: IntArray | None
    volume_group: IntArray
    volume_names: Mapping[str, int]
    surfaces: Mapping[str, IntArray]


def assembled(
    points: FloatArray,
    blocks: list[tuple[int, IntArray, IntArray, IntArray]],
    names: dict[str, int],
    surfaces: Mapping[str, list[IntArray]],
    edges: tuple[tuple[int, int], ...],
    path: Path,
) -> RawMesh:
    """Return the mesh of `blocks` of cells: width of a row, numbers, nodes and volume groups.

    `edges` : the two corners beside each middle node of a row of ten nodes.
    """
    blocks = [b for b in blocks if len(b[1])]
    if not blocks:
        hint = "a sole is a solid mesh"
        if surfaces and path.suffix.lower() == ".msh":
            hint += (
                f"; it has the surface groups {', '.join(surfaces)}: Gmsh saves only the elements "
                "of physical groups, so add a physical volume, or save all elements"
            )
        raise MeshError(f"{path}: holds no tetrahedra; {hint}")
    widths = {b[0] for b in blocks}
    order = np.argsort(np.concatenate([b[1] for b in blocks]), kind="stable")
    tets = np.concatenate([b[2][:, :4] for b in blocks])[order]
    middles = None
    if 10 in widths:
        quadratic = np.concatenate([b[2] for b in blocks if b[0] == 10])
        middles = np.stack([quadratic[:, [a, b, 4 + k]] for k, (a, b) in enumerate(edges)], axis=1)
    return RawMesh(
        points=points,
        tets=tets,
        middles=middles,
        volume_group=np.concatenate([b[3] for b in blocks])[order],
        volume_names=names,
        surfaces={n: np.concatenate([p[:, :3] for p in parts]) for n, parts in surfaces.items()},
    )


def renamed(raw: RawMesh, groups: Mapping[str, str], path: Path) -> RawMesh:
    """Return the mesh with groups of the file, by name or number, called as `groups` says.

    `bond` and `tread` are surface groups, every other name is that of a volume group. Several
    groups may get one name.

    Raises
    ------
    MeshError
        The file has no such group; the message lists those it has.
    """
    surfaces, volumes, group_of = dict(raw.surfaces), dict(raw.volume_names), raw.volume_group
    for old, new in groups.items():
        known: dict[str, IntArray] | dict[str, int] = surfaces
        if new not in ("bond", "tread"):
            known = volumes
        if old not in known:
            kind = "surface" if known is surfaces else "volume"
            raise MeshError(
                f"{path}: --group {old}={new}: no {kind} group '{old}'; found {kind} groups: "
                f"{', '.join(sorted(known)) or 'none'}"
            )
        if known is surfaces:
            faces = surfaces.pop(old)
            surfaces[new] = np.concatenate([surfaces[new], faces]) if new in surfaces else faces
        elif (number := volumes.pop(old)) != volumes.setdefault(new, number):
            group_of = np.where(group_of == number, volumes[new], group_of)
    return replace(raw, surfaces=surfaces, volume_names=volumes, volume_group=group_of)


def straighten(raw: RawMesh) -> tuple[RawMesh, float]:
    """Keep the vertices only; return also the largest distance of a middle node off its chord.

    The distance is from the middle node to the middle of the chord, in the unit of the points.
    """
    deviation = 0.0
    if raw.middles is not None:
        a, b, m = (raw.points[raw.middles[..., k]] for k in range(3))
        deviation = float(np.linalg.norm(m - (a + b) / 2, axis=2).max())
    used = np.unique(raw.tets)
    new = np.full(len(raw.points), -1)
    new[used] = np.arange(len(used))
    return replace(
        raw,
        points=raw.points[used],
        tets=new[raw.tets],
        middles=None,
        surfaces={name: new[faces] for name, faces in raw.surfaces.items()},
    ), deviation


def orient_faces(
    raw: RawMesh, bond_angle: float | None, tread_angle: float | None
) -> tuple[FloatArray, IntArray, IntArray, IntArray]:
    """Return points, tets, bond and tread, with outward triangles.

    Raises
    ------
    MeshError
        A group is missing, or holds triangles that are not on the boundary of the tetrahedra.
    """
    from sole.mesh.sole_mesh import tetrahedron_volumes

    tets = raw.tets
    if (tetrahedron_volumes(raw.points, tets) < 0).all():
        tets = tets[:, [0, 2, 1, 3]]  # the whole mesh has the other convention
    missing = [name for name in ("bond", "tread") if name not in raw.surfaces]
    if len(missing) == 2 and (bond_angle is not None or tread_angle is not None):
        bond, tread = bond_and_tread(
            raw.points,
            boundary_faces(tets),
            BOND_ANGLE if bond_angle is None else bond_angle,
            TREAD_ANGLE if tread_angle is None else tread_angle,
        )
        return raw.points, tets, bond, tread
    if missing:
        found = sorted(raw.surfaces) or ["none"]
        volumes = sorted(raw.volume_names) or ["none"]
        raise MeshError(
            f"no surface group {' and '.join(repr(m) for m in missing)}; found surface groups: "
            f"{', '.join(found)}; volume groups: {', '.join(volumes)}. Name the faces glued to "
            "the foot 'bond' and those that may touch the ground 'tread', or give "
            "--bond-angle-deg and --tread-angle-deg to find them by their normals"
        )
    faces, number, count = faces_of(tets)
    outside = faces[count[number] == 1]
    groups = [orient_outward(raw.surfaces[name], outside, name) for name in ("bond", "tread")]
    return raw.points, tets, groups[0], groups[1]
