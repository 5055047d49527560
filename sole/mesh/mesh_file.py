"""Mesh files: our `.msh` 4.1, and any file with groups that Gmsh or meshio can read.

A file needs the surface groups `bond` (glued to the rigid foot) and `tread` (may touch the
ground); its volume groups become layers. All other data are JSON in a `$Comments` block of the
`.msh`, which every reader of that format skips.
"""

from __future__ import annotations

import json
import math
import warnings
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from sole.base.archive import replacing
from sole.base.arrays import IntArray
from sole.base.errors import MeshError, SchemaError
from sole.base.file_kinds import refuse_other_schema
from sole.base.files import LARGEST_MESH, existing_file
from sole.laws import material_from
from sole.mesh.foreign_mesh import RawMesh, orient_faces, renamed, straighten
from sole.mesh.gmsh_mesh import read_by_gmsh
from sole.mesh.meshio_mesh import read_by_meshio
from sole.mesh.sole_frame import metres_per
from sole.mesh.sole_mesh import SoleMesh

SCHEMA = "sole.mesh/1"
_FIRST_VOLUME = 3  # group of layer 0; numbers are unique, because some formats have no dimensions
_SURFACES = ("bond", "tread")
PADDING = {".med": math.inf, ".vtk": 32}  # zero bytes at an end, by suffix; 0 elsewhere
NOTED = 1e-3  # m: a foreign mesh moved farther gives a warning


def write_mesh(path: Path, mesh: SoleMesh) -> None:
    """Write `.msh` 4.1 (text) with its groups; `read_mesh` gives back the identical mesh.

    Physical surfaces 1 `bond` and 2 `tread`, physical volumes 3, 4, ... one for each layer.
    A layer with the name of a surface group becomes `<name>_layer` in the list of groups, because
    readers that find groups by name alone would lose one of the two.
    """
    path = Path(path)
    if path.suffix.lower() != ".msh":
        raise MeshError(f"{path}: a mesh is written as .msh, got '{path.suffix}'")
    with replacing(path) as temporary:
        temporary.write_text(_text(mesh), encoding="utf-8")


def read_mesh(
    path: Path,
    unit: str | None = None,
    *,
    bond_angle: float | None = None,
    tread_angle: float | None = None,
    groups: Mapping[str, str] | None = None,
    overlap: str | None = None,
) -> SoleMesh:
    """Read a mesh with the groups `bond` and `tread`, ours or foreign.

    A foreign mesh is moved to the sole frame: the centre of the bond's bounding box becomes the
    origin and the bond's top z = 0; a move over `NOTED` gives a warning. A second-order mesh keeps
    its corners only; if middle nodes lie off their chords, a warning says how far.

    Parameters
    ----------
    path : `.msh` of any version, `.unv`, or anything meshio reads.
    unit : "m" (default), "mm" or "in"; only for foreign files.
    bond_angle, tread_angle : [rad]; if one is given and the file has no groups, bond and
        tread are found by their normals, as on a foreign solid.
    groups : new name of each group of a foreign file, by its name or number: "bond", "tread" or
        the name of a layer.
    overlap : "first" or "last": the group of a tetrahedron that belongs to several; by default
        Gmsh's files are refused, and in others the smallest group counts.

    Raises
    ------
    MeshError
        No tetrahedra, missing groups (the message names those found), inverted or floating parts.
    SchemaError
        Not readable as a mesh, or truncated.
    """
    path = Path(path)
    padding = PADDING.get(path.suffix.lower(), 0)
    existing_file(path, SchemaError, most=LARGEST_MESH, padding=padding)
    ours = path.suffix.lower() == ".msh" and _comments(path) is not None
    if overlap not in (None, "first", "last"):
        raise MeshError(f"--overlap must be first or last, got '{overlap}'")
    if _for_gmsh(path):
        raw = read_by_gmsh(path, overlap)
    else:
        raw = read_by_meshio(path, overlap, numbered=bool(groups))
    try:
        if not ours:
            raw = renamed(raw, groups or {}, path)
            return _foreign(path, raw, unit, bond_angle, tread_angle)
        if groups or overlap:
            raise MeshError("this mesh was written by sole: leave --group and --overlap out")
        if unit not in (None, "m"):
            raise MeshError("this mesh was written by sole and is in metres; leave --unit out")
        return _ours(path, raw)
    except MeshError as error:
        text = str(error)
        raise MeshError(text if text.startswith(str(path)) else f"{path}: {text}") from error


def _for_gmsh(path: Path) -> bool:
    """Return whether Gmsh should read it: its own format (Fluent has the same suffix) or UNV."""
    with path.open("rb") as stream:
        gmsh_format = stream.read(64).lstrip().startswith(b"$")
    return path.suffix.lower() == ".unv" or (path.suffix.lower() == ".msh" and gmsh_format)


def _comments(path: Path) -> dict[str, Any] | None:
    """Return our header in a `.msh`, None for a foreign file."""
    with path.open("rb") as stream:
        start = stream.read(1 << 16)
        at = start.find(b"$Comments")
        if at < 0:
            return None
        stream.seek(at)
        stream.readline()
        line = stream.readline()
    try:
        header = json.loads(line)
    except ValueError:
        return None
    if not isinstance(header, dict):
        return None
    found = header.get("schema")
    if isinstance(found, str) and found.startswith("sole.mesh/"):
        refuse_other_schema(path, found, SCHEMA)
    return header if found == SCHEMA else None


def _ours(path: Path, raw: RawMesh) -> SoleMesh:
    header = _comments(path)
    assert header is not None
    try:
        layers = tuple(header["layers"])
        counts = {"points": len(raw.points), "tets": len(raw.tets)}
        if counts != header["counts"]:
            raise SchemaError(f"{path}: truncated: got {counts}, expected {header['counts']}")
        link_to_sole = header["link_to_sole"]
        return SoleMesh(
            points=raw.points,
            tets=raw.tets,
            # whatever the names of the groups
            layer_of_tet=raw.volume_group - _FIRST_VOLUME,
            layers=layers,
            bond=raw.surfaces["bond"],
            tread=raw.surfaces["tread"],
            materials=tuple(None if m is None else material_from(m) for m in header["materials"]),
            name=header["name"],
            link=header["link"],
            link_to_sole=None if link_to_sole is None else np.array(link_to_sole),
            recipe=header.get("recipe"),  # older files have none
        )
    except (KeyError, TypeError) as error:
        raise SchemaError(f"{path}: incomplete header in $Comments ({error})") from error


def _foreign(
    path: Path,
    raw: RawMesh,
    unit: str | None,
    bond_angle: float | None,
    tread_angle: float | None,
) -> SoleMesh:
    from sole.mesh.sole_frame import in_sole_frame, refuse_extent

    scale = metres_per(unit or "m")
    raw = replace(raw, points=raw.points * scale)
    _refuse_not_finite(raw)
    raw, deviation = straighten(raw)
    if deviation > 1e-9 * np.ptp(raw.points, axis=0).max():
        warnings.warn(
            f"{path}: curved second-order edges were straightened; the farthest middle node "
            f"lies {deviation:.3g} m off its chord",
            UserWarning,
            stacklevel=3,
        )
    hint = "; give --unit mm or --unit in" if unit is None else "; correct --unit"
    refuse_extent(raw.points, "the sole", hint)
    points, tets, bond, tread = orient_faces(raw, bond_angle, tread_angle)
    names = {k: n for n, k in raw.volume_names.items()}
    # undo the renaming of layers by `write_mesh`, after a round trip through another program
    names |= {k: n[:-6] for k, n in names.items() if n.endswith("_layer") and n[:-6] in _SURFACES}
    present = np.unique(raw.volume_group)
    if len(present) > 1 and present[0] == 0:
        raise MeshError(
            f"{int((raw.volume_group == 0).sum())} tetrahedra belong to no volume group but "
            f"others to {', '.join(raw.volume_names)}; give each layer a volume group"
        )
    # order from the tread upwards, as in a shape
    heights = points[tets, 2].mean(axis=1)
    present = present[np.argsort([heights[raw.volume_group == g].mean() for g in present])]
    layer_of = {int(g): k for k, g in enumerate(present)}
    # check before the move: an inverted part could turn the bond's normals anywhere
    mesh = SoleMesh(
        points=points,
        tets=tets,
        layer_of_tet=np.array([layer_of[int(g)] for g in raw.volume_group]),
        layers=tuple(names.get(int(g), "sole") for g in present),
        bond=bond,
        tread=tread,
        name=path.stem,
    )
    centred = in_sole_frame(points, bond)
    by = centred[0] - points[0]
    if np.abs(by).max() > NOTED:
        x, y, z = 1e3 * by
        warnings.warn(
            f"{path}: moved by ({x:.3g}, {y:.3g}, {z:.3g}) mm to put the middle of its bond at the "
            "origin of the sole frame; give an offset from the foot's middle where it is mounted",
            UserWarning,
            stacklevel=3,
        )
    return replace(mesh, points=centred)


def _refuse_not_finite(raw: RawMesh) -> None:
    used = np.unique(raw.tets if raw.middles is None else np.append(raw.tets, raw.middles))
    bad = used[~np.isfinite(raw.points[used]).all(axis=1)]
    if len(bad):
        x, y, z = raw.points[bad[0]]
        raise MeshError(
            f"{len(bad)} vertices are not finite, the first is vertex {bad[0] + 1} of "
            f"{len(raw.points)} in the file, at ({x:g}, {y:g}, {z:g}); export the mesh again"
        )


def _text(mesh: SoleMesh) -> str:
    header = {"schema": SCHEMA, **mesh.header()}
    header["counts"] = {"points": len(mesh.points), "tets": len(mesh.tets)}
    n = len(mesh.points)
    low, high = mesh.points.min(axis=0), mesh.points.max(axis=0)
    extent = " ".join(repr(float(v)) for v in (*low, *high))
    volumes = range(_FIRST_VOLUME, _FIRST_VOLUME + len(mesh.layers))
    names = [f"{n}_layer" if n in _SURFACES else n for n in mesh.layers]
    blocks = _blocks(mesh)
    elements = sum(len(cells) for *_, cells in blocks)
    lines = ["$MeshFormat", "4.1 0 8", "$EndMeshFormat"]
    lines += ["$Comments", json.dumps(header), "$EndComments"]
    lines += ["$PhysicalNames", str(2 + len(names)), '2 1 "bond"', '2 2 "tread"']
    lines += [f'3 {k} "{name}"' for k, name in zip(volumes, names, strict=True)]
    lines += ["$EndPhysicalNames", "$Entities", f"0 0 2 {len(names)}"]
    lines += [f"{k} {extent} 1 {k} 0" for k in (1, 2)]
    lines += [f"{k} {extent} 1 {k} 0" for k in volumes]
    lines += ["$EndEntities", "$Nodes", f"1 {n} 1 {n}", f"3 {_FIRST_VOLUME} 0 {n}"]
    lines += map(str, range(1, n + 1))
    lines += [f"{x!r} {y!r} {z!r}" for x, y, z in mesh.points.tolist()]
    lines += ["$EndNodes", "$Elements", f"{len(blocks)} {elements} 1 {elements}"]
    for dim, tag, kind, tags, cells in blocks:
        lines.append(f"{dim} {tag} {kind} {len(cells)}")
        rows = np.column_stack([tags, cells + 1]).tolist()
        lines += [" ".join(map(str, row)) for row in rows]
    lines += ["$EndElements", ""]
    return "\n".join(lines)


def _blocks(mesh: SoleMesh) -> list[tuple[int, int, int, IntArray, IntArray]]:
    """Return blocks (dim, entity, Gmsh type, tags, cells); tags keep the order of the elements."""
    e = len(mesh.tets)
    number = np.arange(1, e + 1)
    blocks = []
    for k in range(len(mesh.layers)):
        here = mesh.layer_of_tet == k
        blocks.append((3, k + _FIRST_VOLUME, 4, number[here], mesh.tets[here]))
    first = e + 1
    for tag, faces in ((1, mesh.bond), (2, mesh.tread)):
        blocks.append((2, tag, 2, np.arange(first, first + len(faces)), faces))
        first += len(faces)
    return [b for b in blocks if len(b[4])]
