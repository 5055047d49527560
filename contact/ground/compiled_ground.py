"""A ground as flat arrays for the kernels, prepared once: pieces, culling grid, `query`.

gap > 0 outside; frames have rows (t1, t2, n), world axes, n out of the ground into the robot.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np

from contact.ground import piece_kernels as kernels
from contact.ground.culling import (
    count_overlaps,
    fill_cells,
    group_neighbours,
    highest_around,
)
from contact.ground.query_kernels import (
    GroundArrays,
    fill_plane_gaps,
    find_surfaces,
    write_frames,
)
from sole.base.arrays import FloatArray, IntArray, frozen
from sole.base.compiled import packed
from sole.base.errors import ConfigError

REACH = 0.05  # m: a second surface farther than this is not reported
MOST_SURFACES = 8  # that a node may touch at once, where round pieces overlap
NONE = np.zeros((0, 3))
WORLD = frozen(np.eye(3)[None])


@dataclass(frozen=True, eq=False, kw_only=True)
class Piece:
    """One simple solid: `kind`, `axes` (3, 3) and `size` as in `contact.ground.piece_kernels`."""

    kind: int
    origin: FloatArray = field(default_factory=lambda: np.zeros(3))
    axes: FloatArray = field(default_factory=lambda: np.eye(3))
    size: FloatArray = field(default_factory=lambda: np.zeros(6))
    heights: FloatArray = field(default_factory=lambda: np.zeros((0, 0)))

    @property
    def local_bound(self) -> FloatArray:
        """(2, 3) low and high of the piece in its own axes [m]; may be infinite."""
        r, half = self.size[0], self.size[1]
        if self.kind == kernels.BOX:
            return self.size.reshape(2, 3)
        if self.kind == kernels.BALL:
            return np.array([[-r] * 3, [r] * 3])
        if self.kind == kernels.ROD:
            return np.array([[-r, -half - r, -r], [r, half + r, r]])
        if self.kind == kernels.FIELD:
            pitch, columns, rows, _, highest, _ = self.size
            x, y = pitch * (columns - 1) / 2, pitch * (rows - 1) / 2
            return np.array([[-x, -y, -np.inf], [x, y, highest]])
        return np.array([[-np.inf] * 3, [np.inf, np.inf, 0.0]])

    @property
    def bound(self) -> FloatArray:
        """(6,) upright box around the piece, low and high [m]; may be infinite."""
        axes = self.axes[:, None, :]  # (world axis, end, own axis)
        with np.errstate(invalid="ignore"):
            ends = np.where(axes == 0, 0.0, axes * self.local_bound[None])
        low, high = ends.min(axis=1).sum(axis=1), ends.max(axis=1).sum(axis=1)
        return np.concatenate([self.origin + low, self.origin + high])


@dataclass(frozen=True, eq=False, kw_only=True)
class Touches:
    """The surfaces near every point: slot 0 the nearest, slot 1 the next in another direction.

    Parameters
    ----------
    gap : (n, 2) signed distance [m], > 0 apart; slot 1 is inf when there is none in reach.
    frames : (n, 2, 3, 3) rows t1, t2, n in world axes; slot 1 without a surface repeats slot 0.
    solid : (n, 2) number of the piece, -1 for none.
    """

    gap: FloatArray
    frames: FloatArray
    solid: IntArray

    @property
    def normal(self) -> FloatArray:
        """(n, 2, 3) from the ground into the robot."""
        return self.frames[:, :, 2]


@dataclass(frozen=True, eq=False, kw_only=True)
class CompiledGround:
    """Flat arrays of all pieces and the culling grid; made by `compile_pieces`.

    Parameters
    ----------
    table : (s, 25) one row for each piece, see `contact.ground.piece_kernels`.
    heights : of every field, and the highest around its blocks, one after the other [m].
    always, grid, start, member, order, block : which pieces may be near a point, see
        `contact.ground.query_kernels.GroundArrays`.
    reach : search distance of a second surface [m].
    """

    table: FloatArray
    heights: FloatArray
    always: IntArray
    grid: FloatArray
    start: IntArray
    member: IntArray
    order: IntArray
    block: FloatArray
    reach: float

    @property
    def bound(self) -> FloatArray:
        """(s, 6) upright box around each piece, low and high [m]; may be infinite."""
        return self.table[:, kernels.BOUND : kernels.KIND]

    def query(
        self,
        points: FloatArray,
        before: FloatArray | None = None,
        axes: FloatArray | None = None,
    ) -> Touches:
        """Return what the world points (n, 3) [m] touch.

        Parameters
        ----------
        before : (n, 3) where each was last outside; it decides through which face of a box a
            point inside has come. Without it, the face of least penetration.
        axes : (3, 3) or (n, 3, 3), columns; t1 is column 0 along the surface, or column 1
            where the normal is within 26 degrees of column 0. Default the world's x and y.

        Raises
        ------
        ConfigError
            Points of another shape or not finite, or axes that are no axes.
        """
        p = _points(points, "points")
        b = NONE if before is None else _points(before, "before")
        n = len(p)
        if before is not None and len(b) != n:
            raise ConfigError(f"'before' has {len(b)} points, 'points' has {n}: give one for each")
        lead = WORLD if axes is None else np.asarray(axes, dtype=float).reshape(-1, 3, 3)
        if len(lead) not in (1, n):
            raise ConfigError(f"axes must be (3, 3) or ({n}, 3, 3), got {lead.shape}")
        gap, normals, solid = self._found(p, b)
        frames = np.empty((*normals.shape, 3))
        write_frames(normals, np.ascontiguousarray(lead), frames)
        if not np.isfinite(normals).all():
            i = _first(normals.reshape(n, -1))
            raise ConfigError(
                f"no normal at point {i}: sizes and axes of the ground must be finite"
            )
        if not np.isfinite(frames).all():
            raise ConfigError("columns 0 and 1 of axes must be two unit vectors")
        return Touches(gap=gap, frames=frames, solid=solid)

    @cached_property
    def surfaces(self) -> int:
        """Surfaces of this ground that a node may touch at once, as far as `nearest` looks.

        Two of boxes, planes and fields; of round pieces as many as overlap anywhere, or nearly.
        """
        curved = np.isin(self.table[:, kernels.KIND], (kernels.BALL, kernels.ROD))
        if curved.sum() < 2:
            return 2
        others = min(2, int((~curved).sum()))
        return max(2, others + count_overlaps(self.bound[curved], MOST_SURFACES - others))

    def nearest(
        self, points: FloatArray, before: FloatArray = NONE, surfaces: int = 2
    ) -> tuple[FloatArray, FloatArray, IntArray]:
        """Return gaps (n, S), normals (n, S, 3) and pieces (n, S) of S = `surfaces`, unchecked.

        As `query`, each slot the nearest surface in another direction than those before it.
        """
        n = len(points)
        if self.plane is not None:
            gap, normal = np.empty((n, surfaces)), np.empty((n, surfaces, 3))
            solid = np.empty((n, surfaces), np.int64)
            fill_plane_gaps(points, *self.plane, gap, normal, solid)
            return gap, normal, solid
        return self._found(points, before, surfaces)

    @cached_property
    def plane(self) -> tuple[FloatArray, FloatArray] | None:
        """A point and the normal of a ground that is one plane; None if it is not."""
        if len(self.table) != 1 or self.table[0, kernels.KIND] != kernels.PLANE:
            return None
        axes = self.table[0, kernels.AXES : kernels.SIZE].reshape(3, 3)
        return self.table[0, :3].copy(), axes[:, 2].copy()

    def _found(
        self, points: FloatArray, before: FloatArray, surfaces: int = 2
    ) -> tuple[FloatArray, FloatArray, IntArray]:
        n = len(points)
        gap, normals = np.empty((n, surfaces)), np.empty((n, surfaces, 3))
        solid = np.empty((n, surfaces), dtype=np.int64)
        find_surfaces(points, before, self.reach, packed(self.arrays), gap, normals, solid)
        return gap, normals, solid

    @cached_property
    def arrays(self) -> GroundArrays:
        """The same for compiled loops."""
        return GroundArrays(
            self.table,
            self.heights,
            self.always,
            self.grid,
            self.start,
            self.member,
            self.order,
            self.block,
        )


def extend_to_floor(pieces: tuple[Piece, ...]) -> tuple[Piece, ...]:
    """Extend upright boxes downwards without end if their base is not above a horizontal plane.

    A node that lies deep in a flat plate on the floor must not be pushed out below it.
    """
    levels = [p.origin[2] for p in pieces if p.kind == kernels.PLANE and p.axes[2, 2] == 1.0]
    if not levels:
        return pieces
    floor = max(levels)

    def deepened(piece: Piece) -> Piece:
        upright = piece.kind == kernels.BOX and piece.axes[2, 2] == 1.0
        if not (upright and piece.origin[2] + piece.size[2] <= floor):
            return piece
        size = piece.size.copy()
        size[2] = -np.inf
        return replace(piece, size=size)

    return tuple(deepened(piece) for piece in pieces)


def compile_pieces(pieces: Sequence[Piece], reach: float = REACH) -> CompiledGround:
    """Return pieces as flat arrays; `reach` [m] is the search distance of second surfaces."""
    if not pieces:
        raise ConfigError("a ground needs at least one solid")
    if not 0 < reach < np.inf:
        raise ConfigError(f"reach must be positive and finite, got {reach:g} m")
    bound = np.array([piece.bound for piece in pieces])
    inside = np.isfinite(bound[:, [0, 1, 3, 4]]).all(axis=1)
    sizes = np.array([piece.size for piece in pieces])
    kinds = np.array([piece.kind for piece in pieces])
    origins = np.array([piece.origin for piece in pieces])
    axes = np.array([piece.axes.ravel() for piece in pieces])
    fields = kinds == kernels.FIELD
    stored = [part for piece in pieces for part in (piece.heights, highest_around(piece.heights))]
    sizes[:, [3, 5]] = np.where(
        fields[:, None],
        np.cumsum([0, *(part.size for part in stored)])[:-1].reshape(-1, 2),
        sizes[:, [3, 5]],
    )
    grid, start, member = fill_cells(bound, np.flatnonzero(inside), reach)
    order, block = group_neighbours(bound, inside)
    return CompiledGround(
        table=frozen(np.column_stack([origins, axes, sizes, bound, kinds])),
        heights=frozen(np.concatenate([part.ravel() for part in stored])),
        always=frozen(np.flatnonzero(~inside), np.int64),
        grid=frozen(grid),
        start=frozen(start, np.int64),
        member=frozen(member, np.int64),
        order=frozen(order, np.int64),
        block=frozen(block),
        reach=float(reach),
    )


def _points(values: FloatArray, name: str) -> FloatArray:
    array = np.ascontiguousarray(values, dtype=float)
    if array.ndim != 2 or array.shape[1] != 3:
        raise ConfigError(f"'{name}' must have shape (n, 3), got {array.shape}")
    if not np.isfinite(array).all():
        raise ConfigError(f"'{name}' must be finite; point {_first(array)} is not")
    return array


def _first(array: FloatArray) -> int:
    return int(np.flatnonzero(~np.isfinite(array).all(axis=1))[0])
