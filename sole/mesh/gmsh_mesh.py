"""Meshes that Gmsh reads, with their physical groups: `.msh` of any version, `.unv`."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from sole.base.arrays import IntArray
from sole.base.errors import MeshError, SchemaError
from sole.base.memory import memory_of_file
from sole.mesh.foreign_mesh import RawMesh, assembled

# Gmsh's element types: tetrahedra and triangles of order 1, 2.
_TETS, _TRIANGLES = {4: 4, 11: 10}, {2: 3, 9: 6}
# The two corners beside each middle node of Gmsh's tetra10.
_EDGES = ((0, 1), (1, 2), (2, 0), (3, 0), (2, 3), (1, 3))


def read_by_gmsh(path: Path, overlap: str | None = None) -> RawMesh:
    """Read a mesh with its physical groups through Gmsh: `.msh` of any version, `.unv`.

    A volume of two groups goes to the "first" or "last" of them, by `overlap`; None refuses it.
    """
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
        return _from_gmsh(gmsh, path, overlap)


def merge_alone(path: Path) -> None:
    """Read a mesh in a process that Gmsh may take with it, and forget it."""
    from sole.mesh.meshing import open_gmsh

    with open_gmsh(path.stem) as gmsh, memory_of_file(path):
        gmsh.merge(str(path))


def _from_gmsh(gmsh: Any, path: Path, overlap: str | None) -> RawMesh:
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
                if group_of.setdefault(int(entity), int(group)) != group and overlap is None:
                    raise MeshError(
                        f"{path}: a volume belongs to two groups, one is '{name}'; choose by "
                        "--overlap first or --overlap last"
                    )
                if overlap == "last":
                    group_of[int(entity)] = int(group)
    blocks = []
    for _, entity in gmsh.model.getEntities(3):
        for width, (number, index) in cells((3, entity), _TETS).items():
            group = np.full(len(number), group_of.get(int(entity), 0), dtype=np.int64)
            blocks.append((width, number, index, group))
    return assembled(
        xyz,
        blocks,
        names,
        {n: [_ordered(*part) for part in parts] for n, parts in surfaces.items()},
        _EDGES,
        path,
    )


def _ordered(number: IntArray, index: IntArray) -> IntArray:
    return index[np.argsort(number, kind="stable")]
