"""Meshes of other programs: read with groups, straightened, checked against the boundary."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from sole.base.arrays import BoolArray, FloatArray, IntArray
from sole.base.errors import MeshError, SchemaError
from sole.base.memory import memory_of_file
from sole.base.quiet import quiet_meshio
from sole.mesh.surface import (
    BOND_ANGLE,
    TREAD_ANGLE,
    bond_and_tread,
    boundary_faces,
    faces_of,
    orient_outward,
)

# Gmsh's element types: tetrahedra and triangles of order 1, 2.
_TETS, _TRIANGLES = {4: 4, 11: 10}, {2: 3, 9: 6}
# The two corners beside each middle node of Gmsh's and meshio's tetra10 and triangle6.
_GMSH_TET_EDGES = ((0, 1), (1, 2), (2, 0), (3, 0), (2, 3), (1, 3))
_VTK_TET_EDGES = ((0, 1), (1, 2), (2, 0), (0, 3), (1, 3), (2, 3))
_KINDS = {"tetra": 4, "tetra10": 10, "triangle": 3, "triangle6": 6}


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


def read_by_gmsh(path: Path) -> RawMesh:
    """Read a mesh with its physical groups through Gmsh: `.msh` of any version, `.unv`."""
    from sole.base.trial_reading import survives
    from sole.mesh.meshing import open_gmsh

    if not survives(merge_alone, path):
        raise SchemaError(f"{path}: damaged (Gmsh crashes on it)")
    with open_gmsh(path.stem) as gmsh:
        try:
            with memory_of_file(path):
                gmsh.merge(str(path))
        except Exception as error:
            reason = str(error) or "it declares far more than it holds"  # std::bad_alloc
            raise SchemaError(f"{path}: not a readable mesh ({reason})") from error
        return _from_gmsh(gmsh, path)


def merge_alone(path: Path) -> None:
    """Read a mesh in a process that Gmsh may take with it, and forget it."""
    from sole.mesh.meshing import open_gmsh

    with open_gmsh(path.stem) as gmsh, memory_of_file(path):
        gmsh.merge(str(path))


def _from_gmsh(gmsh: Any, path: Path) -> RawMesh:
    tags, xyz, _ = gmsh.model.mesh.getNodes()
    tags = np.asarray(tags, dtype=np.int64)
    order = np.argsort(tags, kind="stable")
    tags, xyz = tags[order], np.asarray(xyz, dtype=float).reshape(-1, 3)[order]

    def cells(entity: tuple[int, int], kinds: Mapping[int, int]) -> dict[int, tuple[Any, Any]]:
        types, numbers, nodes = gmsh.model.mesh.getElements(*entity)
        found = {}
        for kind, number, node in zip(types, numbers, nodes, strict=True):
            if int(kind) not in kinds:
                name = gmsh.model.mesh.getElementProperties(kind)[0]
                raise MeshError(f"{path}: holds '{name}'; only tetrahedra and triangles are read")
            index = np.searchsorted(tags, np.asarray(node, dtype=np.int64))
            shape = (-1, kinds[int(kind)])
            found[kinds[int(kind)]] = (np.asarray(number, dtype=np.int64), index.reshape(shape))
        return found

    names: dict[str, int] = {}
    group_of: dict[int, int] = {}
    surfaces: dict[str, list[Any]] = {}
    for dim, group in gmsh.model.getPhysicalGroups():
        name = gmsh.model.getPhysicalName(dim, group) or f"{group}"
        for entity in gmsh.model.getEntitiesForPhysicalGroup(dim, group):
            if dim == 2:
                surfaces.setdefault(name, []).extend(cells((2, entity), _TRIANGLES).values())
            elif dim == 3:
                names[name] = int(group)
                if group_of.setdefault(int(entity), int(group)) != group:
                    raise MeshError(f"{path}: a volume belongs to two groups, one is '{name}'")
    blocks = []
    for _, entity in gmsh.model.getEntities(3):
        for width, (number, index) in cells((3, entity), _TETS).items():
            group = np.full(len(number), group_of.get(int(entity), 0), dtype=np.int64)
            blocks.append((width, number, index, group))
    return _assembled(
        xyz,
        blocks,
        names,
        {n: [_ordered(*part) for part in parts] for n, parts in surfaces.items()},
        _GMSH_TET_EDGES,
        path,
    )


def read_by_meshio(path: Path) -> RawMesh:
    """Read a mesh through meshio; groups are cell sets, tag names or integer arrays."""
    try:
        mesh = quiet_meshio(path)
    except ValueError as error:
        reason = str(error).removeprefix("Warning: ").rstrip(".")
        raise SchemaError(f"{path}: meshio cannot read it ({reason})") from error
    points = np.asarray(mesh.points, dtype=float)
    if points.ndim != 2 or points.shape[1] != 3:
        raise MeshError(f"{path}: points must be (x, y, z), got an array of shape {points.shape}")
    solid = [b.type for b in mesh.cells if b.dim == 3 and b.type not in _KINDS]
    if solid:
        raise MeshError(f"{path}: holds '{solid[0]}'; only tetrahedra and triangles are read")
    sets = _meshio_groups(mesh)
    names: dict[str, int] = {}
    surfaces: dict[str, list[IntArray]] = {}
    blocks, first = [], 0
    for i, block in enumerate(mesh.cells):
        width = _KINDS.get(block.type)
        if width is None:
            continue
        cells = np.asarray(block.data, dtype=np.int64)
        if len(cells) and not 0 <= int(cells.min()) <= int(cells.max()) < len(points):
            raise MeshError(
                f"{path}: a cell names vertex {int(cells.min())} or {int(cells.max())}, expected 0 "
                f"to {len(points) - 1}"
            )
        inside = {name: chosen[i] for name, chosen in sets.items() if chosen[i].any()}
        if width in (3, 6):
            for name, chosen in inside.items():
                surfaces.setdefault(name, []).append(cells[chosen])
            continue
        group = np.zeros(len(cells), dtype=np.int64)
        # The smallest set wins, because many programs add one that holds everything; of equals
        # the first, because meshio lists the unnamed parts of an Abaqus file last.
        for name, chosen in sorted(inside.items(), key=lambda item: int(item[1].sum())):
            group[chosen & (group == 0)] = names.setdefault(name, len(names) + 1)
        blocks.append((width, np.arange(first, first + len(cells)), cells, group))
        first += len(cells)
    used = {int(g) for *_, group in blocks for g in np.unique(group)}
    names = {name: g for name, g in names.items() if g in used}
    return _assembled(points, blocks, names, surfaces, _VTK_TET_EDGES, path)


def _meshio_groups(mesh: Any) -> dict[str, list[BoolArray]]:
    """Return a mask of each block's cells for each named group."""
    lengths = [len(block.data) for block in mesh.cells]
    groups: dict[str, list[BoolArray]] = {}

    def chosen(name: str) -> list[BoolArray]:
        return groups.setdefault(name, [np.zeros(n, dtype=bool) for n in lengths])

    for name, members in (mesh.cell_sets or {}).items():
        if not name.startswith("gmsh:"):
            for i, member in enumerate(members):
                if member is not None and len(member):
                    chosen(name)[i][np.asarray(member, dtype=np.int64)] = True
    for name, members in _sets_as_data(mesh).items():
        for i, member in enumerate(members):
            chosen(name)[i] |= member
    for tag, named in getattr(mesh, "cell_tags", {}).items():
        for i, values in enumerate(mesh.cell_data.get("cell_tags", [])):
            for name in named:
                chosen(name)[i] |= np.asarray(values) == tag
    for name, (tag, dim) in {k: v for k, v in mesh.field_data.items() if len(v) == 2}.items():
        for i, values in enumerate(mesh.cell_data.get("gmsh:physical", [])):
            if mesh.cells[i].dim == dim:
                chosen(name)[i] |= np.asarray(values) == tag
    return groups


def _sets_as_data(mesh: Any) -> dict[str, list[BoolArray]]:
    """Return cell sets from integer cell arrays, for formats without sets (VTU, XDMF).

    Either each group has its own array, 1 inside and 0 outside; or, as meshio writes them, one
    array "bond-tread-rubber" gives for every cell the position of its group in that name. The
    arrays count only if `bond` and `tread` are among them.
    """
    flags: dict[str, list[BoolArray]] = {}
    for key, blocks in mesh.cell_data.items():
        values = [np.asarray(v) for v in blocks]
        names = key.split("-")
        if ":" in key or any(v.ndim != 1 or v.dtype.kind not in "biu" for v in values):
            continue
        found = set(np.concatenate(values).tolist())
        if {"bond", "tread"} <= set(names) and found - {-1} == set(range(len(names))):
            return {name: [v == k for v in values] for k, name in enumerate(names)}
        if found <= {0, 1}:
            flags[key] = [v == 1 for v in values]
    return flags if {"bond", "tread"} <= set(flags) else {}


def _ordered(number: IntArray, index: IntArray) -> IntArray:
    return index[np.argsort(number, kind="stable")]


def _assembled(
    points: FloatArray,
    blocks: list[tuple[int, IntArray, IntArray, IntArray]],
    names: dict[str, int],
    surfaces: Mapping[str, list[IntArray]],
    edges: tuple[tuple[int, int], ...],
    path: Path,
) -> RawMesh:
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
