"""A meshed sole: straight tetrahedra in the sole frame with its bond, tread and layers."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from sole.base.arrays import FloatArray, IntArray, frozen
from sole.base.errors import MeshError
from sole.laws import AnyMaterial, material_header

WIDEST = 1e3  # m: a mesh beyond is a mistake


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class SoleMesh:
    """Linear (straight-sided) tetrahedral mesh of a sole.

    Sole frame: x forward, y left, z up, origin at the outline's centre on the bond plane, tread
    near z = -thickness. All arrays are read-only.

    Parameters
    ----------
    points : (n, 3) vertex positions [m].
    tets : (e, 4) vertex indices, positively oriented.
    layer_of_tet : (e,) index into `layers`.
    layers : names of the material layers.
    bond : (b, 3) triangles glued to the rigid foot.
    tread : (t, 3) triangles that may touch the ground.
    materials : one per layer, None where the file gives none.
    name : name of this sole in titles.
    link, link_to_sole : robot link and (4, 4) homogeneous transform taking coordinates in
        the sole frame to the link frame; "" and None unless imported from a URDF.
    recipe : what `mesh_shape` made it from, as plain data: its `shape`, `size_tread` and
        `size_bond` [m], whether it was `mirrored` afterwards, and the `digest` of the mesh that it
        describes. None for meshes of other programs and of solids. See `halved`.

    Raises
    ------
    MeshError
        Indices out of range, NaN, inverted or orphan elements, an empty bond or tread, or a
        part that is not connected to the bond.
    """

    points: FloatArray
    tets: IntArray
    layer_of_tet: IntArray
    layers: tuple[str, ...]
    bond: IntArray
    tread: IntArray
    materials: tuple[AnyMaterial | None, ...] = ()
    name: str = "sole"
    link: str = ""
    link_to_sole: FloatArray | None = field(default=None)
    recipe: Mapping[str, Any] | None = None

    def __post_init__(self) -> None:
        put = object.__setattr__
        put(self, "points", frozen(self.points))
        for name in ("tets", "layer_of_tet", "bond", "tread"):
            put(self, name, _whole(name, getattr(self, name)))
        if self.link_to_sole is not None:
            put(self, "link_to_sole", frozen(self.link_to_sole))
        if not self.materials:
            put(self, "materials", (None,) * len(self.layers))
        _check(self)

    def __repr__(self) -> str:
        """Return one line: name and counts."""
        return f"<SoleMesh {self.name}: {len(self.points)} vertices, {len(self.tets)} tetrahedra>"

    @property
    def thickness(self) -> float:
        """Depth of the lowest tread vertex below the bond plane [m]."""
        return float(-self.points[self.tread_vertices, 2].min())

    @cached_property
    def tread_vertices(self) -> IntArray:
        """(m,) vertices of the tread in increasing order: the contact points of the sole."""
        return frozen(np.unique(self.tread), np.int64)

    @cached_property
    def volumes(self) -> FloatArray:
        """(e,) signed volumes of the tetrahedra [m^3]."""
        return frozen(tetrahedron_volumes(self.points, self.tets))

    @cached_property
    def tread_areas(self) -> FloatArray:
        """(m,) tread area of each tread vertex [m^2]: a third of its triangles."""
        a, b, c = (self.points[self.tread[:, k]] for k in range(3))
        area = np.linalg.norm(np.cross(b - a, c - a), axis=1) / 2
        lumped = np.bincount(self.tread.ravel(), np.repeat(area / 3, 3), minlength=len(self.points))
        return frozen(lumped[self.tread_vertices])

    @cached_property
    def digest(self) -> str:
        """Return a hash of everything that determines the stiffness except the materials."""
        h = hashlib.sha256()
        for a in (self.points, self.tets, self.layer_of_tet, self.bond, self.tread):
            h.update(str(a.shape).encode())
            h.update(a.tobytes())
        return h.hexdigest()[:16]

    def mirrored(self) -> SoleMesh:
        """Return the sole of the other foot: y -> -y, same vertex numbering."""
        S = np.diag([1.0, -1.0, 1.0])
        flip = [0, 2, 1]
        link_to_sole = self.link_to_sole
        if link_to_sole is not None:
            S4 = np.diag([1.0, -1.0, 1.0, 1.0])
            link_to_sole = S4 @ link_to_sole @ S4
        made = replace(
            self,
            points=self.points @ S,
            tets=self.tets[:, [0, 2, 1, 3]],
            bond=self.bond[:, flip],
            tread=self.tread[:, flip],
            link_to_sole=link_to_sole,
            recipe=None,
        )
        if self.recipe is None or self.recipe["digest"] != self.digest:
            return made
        other = {"mirrored": not self.recipe["mirrored"], "digest": made.digest}
        return replace(made, recipe={**self.recipe, **other})

    def with_thickness(self, thickness: float) -> SoleMesh:
        """Return the same mesh stretched along z to another thickness [m], > 0."""
        if not (np.isfinite(thickness) and thickness > 0):
            raise MeshError(f"thickness must be positive, got {thickness:g} m")
        scale = np.array([1.0, 1.0, thickness / self.thickness])
        return replace(self, points=self.points * scale)

    @cached_property
    def _slabs(self) -> tuple[tuple[float, float, str], ...]:
        """Lowest and highest z and name of every layer, from the bond down."""
        found = []
        for k, name in enumerate(self.layers):
            z = self.points[np.unique(self.tets[self.layer_of_tet == k]), 2]
            found.append((float(z.min()), float(z.max()), name))
        return tuple(sorted(found, reverse=True))

    @property
    def layer_thicknesses(self) -> dict[str, float]:
        """Height of every layer from its lowest to its highest vertex [m], in their order."""
        heights = {name: high - low for low, high, name in self._slabs}
        return {name: heights[name] for name in self.layers}

    def with_layer_thicknesses(self, thicknesses: Mapping[str, float]) -> SoleMesh:
        """Return the same mesh with some flat layers stretched along z to other thicknesses [m].

        Raises
        ------
        MeshError
            An unknown layer, a layer that is no flat slab, or a non-positive thickness.
        """
        slabs = self._slabs
        for name, t in thicknesses.items():
            if name not in self.layers:
                raise MeshError(
                    f"there is no layer '{name}'; the layers are {', '.join(self.layers)}"
                )
            if not (np.isfinite(t) and t > 0):
                raise MeshError(f"thickness of layer '{name}' must be positive, got {t:g} m")
        slack = 1e-6 * self.thickness
        if any(abs(a[0] - b[1]) > slack for a, b in pairwise(slabs)):
            raise MeshError(
                f"the layers {', '.join(self.layers)} are not flat slabs one below the other: "
                "their thicknesses cannot be changed one by one"
            )
        knots = np.array([slabs[0][1], *(low for low, _, _ in slabs)])
        sizes = [thicknesses.get(name, high - low) for low, high, name in slabs]
        moved = knots[0] - np.cumsum([0.0, *sizes])
        points = self.points.copy()
        points[:, 2] = np.interp(points[:, 2], knots[::-1], moved[::-1])
        return replace(self, points=points)

    def header(self) -> dict[str, Any]:
        """Return the data of a file besides the arrays, JSON-serialisable."""
        return {
            "name": self.name,
            "layers": list(self.layers),
            "materials": [None if m is None else material_header(m) for m in self.materials],
            "link": self.link,
            "link_to_sole": None if self.link_to_sole is None else self.link_to_sole.tolist(),
            "recipe": self.recipe,
        }


def tetrahedron_volumes(points: FloatArray, tets: IntArray) -> FloatArray:
    """V = det[b-a, c-a, d-a]/6 [m^3], positive for a right-handed numbering."""
    a, b, c, d = (points[tets[:, k]] for k in range(4))
    volumes: FloatArray = np.einsum("ei,ei->e", np.cross(b - a, c - a), d - a) / 6
    return volumes


def _whole(name: str, values: ArrayLike) -> IntArray:
    """Return indices or codes; numbers that are not whole are refused, not cut off."""
    with np.errstate(invalid="ignore"):  # NaN is not whole
        whole = frozen(values, np.int64)
    if not np.array_equal(whole, np.asarray(values)):
        raise MeshError(f"'{name}' must be whole numbers, got fractions or NaN")
    return whole


def _check(mesh: SoleMesh) -> None:
    n, e = len(mesh.points), len(mesh.tets)
    if mesh.points.shape != (n, 3) or mesh.tets.shape != (e, 4) or e == 0:
        raise MeshError(
            f"expected points (n, 3) and tets (e, 4), got {mesh.points.shape}, {mesh.tets.shape}"
        )
    if not np.isfinite(mesh.points).all():
        raise MeshError(f"vertex {int(np.argwhere(~np.isfinite(mesh.points))[0, 0])} is not finite")
    for name in ("bond", "tread"):
        faces = getattr(mesh, name)
        if faces.ndim != 2 or faces.shape[1] != 3 or len(faces) == 0:
            raise MeshError(
                f"the group '{name}' is empty: name the faces glued to the foot 'bond' "
                "and those that may touch the ground 'tread'"
            )
    for name in ("tets", "bond", "tread"):
        index = getattr(mesh, name)
        if index.min() < 0 or index.max() >= n:
            raise MeshError(f"'{name}' refers to vertex {int(index.max())}, expected 0 to {n - 1}")
    if mesh.layer_of_tet.shape != (e,) or not set(np.unique(mesh.layer_of_tet)) <= set(
        range(len(mesh.layers))
    ):
        raise MeshError("layer_of_tet must give every tetrahedron a layer")
    if len(mesh.materials) != len(mesh.layers):
        raise MeshError(
            f"got {len(mesh.materials)} materials for {len(mesh.layers)} layers; give one for each"
        )
    size = np.ptp(mesh.points, axis=0).max()
    if not 0 < size <= WIDEST:
        raise MeshError(f"the mesh is {size:.3g} m wide, expected at most {WIDEST:g} m")
    bad = np.flatnonzero(mesh.volumes <= 1e-12 * size**3 / e)
    if len(bad):
        raise MeshError(
            f"{len(bad)} inverted or flat tetrahedra, the first is {int(bad[0])} "
            f"(volume {mesh.volumes[bad[0]]:.3g} m^3); repair or coarsen the mesh"
        )
    if len(np.unique(mesh.tets)) != n:
        raise MeshError(f"{n - len(np.unique(mesh.tets))} vertices belong to no tetrahedron")
    both = np.intersect1d(mesh.bond, mesh.tread)
    if len(both):
        raise MeshError(
            f"bond and tread share {len(both)} vertices: leave a wall between them, or bound the "
            "tread of a foreign solid by --tread-height"
        )
    if not _all_hang_on(mesh.bond, mesh.tets, n):
        _refuse_floating(mesh)


def _all_hang_on(faces: IntArray, tets: IntArray, n: int) -> bool:
    """Whether every tetrahedron is connected to `faces`; one round for each row of elements."""
    reached = np.zeros(n, dtype=bool)
    reached[faces] = True
    while len(tets):
        touched = reached[tets].any(axis=1)
        if not touched.any():
            return False
        reached[tets[touched]] = True
        tets = tets[~touched]
    return True


def _refuse_floating(mesh: SoleMesh) -> None:
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    n, e = len(mesh.points), len(mesh.tets)
    graph = coo_array(
        (np.ones(3 * e), (mesh.tets[:, [0, 0, 0]].ravel(), mesh.tets[:, 1:].ravel())), (n, n)
    )
    _, part = connected_components(graph, directed=False)
    floating = np.setdiff1d(part, part[mesh.bond.ravel()])
    raise MeshError(
        f"{len(floating)} part(s) of the mesh are not connected to the bond "
        f"({int(np.isin(part, floating).sum())} vertices float); glue or remove them"
    )
