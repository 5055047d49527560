"""Meshes that meshio reads, with their groups: cell sets, tag names or integer arrays."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from sole.base.arrays import BoolArray, IntArray
from sole.base.errors import MeshError, SchemaError
from sole.base.quiet import quiet_meshio
from sole.mesh.foreign_mesh import RawMesh, assembled

# The two corners beside each middle node of VTK's and meshio's tetra10.
_EDGES = ((0, 1), (1, 2), (2, 0), (0, 3), (1, 3), (2, 3))
_KINDS = {"tetra": 4, "tetra10": 10, "triangle": 3, "triangle6": 6}


def read_by_meshio(path: Path, overlap: str | None = None, *, numbered: bool = False) -> RawMesh:
    """Read a mesh through meshio; groups are cell sets, tag names or integer arrays.

    A tetrahedron of several groups goes to the "first" or "last" of them, by `overlap`; None: to
    the smallest. `numbered`: the values of an integer array without names are groups, too.
    """
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
    if numbered:
        sets |= {name: chosen for name, chosen in _numbers(mesh).items() if name not in sets}
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
        ordered = list(inside.items())
        if overlap is None:
            ordered.sort(key=lambda item: int(item[1].sum()))
        for name, chosen in reversed(ordered) if overlap == "last" else ordered:
            group[chosen & (group == 0)] = names.setdefault(name, len(names) + 1)
        blocks.append((width, np.arange(first, first + len(cells)), cells, group))
        first += len(cells)
    used = {int(g) for *_, group in blocks for g in np.unique(group)}
    names = {name: g for name, g in names.items() if g in used}
    return assembled(points, blocks, names, surfaces, _EDGES, path)


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


def _numbers(mesh: Any) -> dict[str, list[BoolArray]]:
    """Return a mask of each block's cells for each value of the array that numbers the groups."""
    for key in sorted(mesh.cell_data, key=lambda key: not key.endswith((":physical", ":ref"))):
        values = [np.asarray(v) for v in mesh.cell_data[key]]
        if all(v.ndim == 1 and v.dtype.kind in "iu" for v in values):
            found = np.unique(np.concatenate(values))
            return {str(number): [v == number for v in values] for number in found}
    return {}


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
