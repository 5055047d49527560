"""Fields of heights that move the surfaces of a meshed sole.

A field is bilinear between the nodes of a grid over the sole's length and width. It moves one
surface up by h(x, y) >= 0 or down: the tread, or the upper face of a layer. What lies between
the surfaces follows linearly, so the mesh keeps its connections; the bond never moves.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from sole.base.arrays import FloatArray
from sole.base.config import STRICT
from sole.base.errors import ConfigError, MeshError
from sole.base.units import Metres
from sole.mesh import SoleMesh

TREAD = "tread"
TOP = "top of "
FEWEST, MOST = 2, 40  # nodes of a grid along one side


@dataclass(frozen=True, kw_only=True)
class HeightGrid:
    """Heights on a grid, the parameters of a search.

    Parameters
    ----------
    surface : "tread", or "top of LAYER".
    grid : nodes along x and along y.
    range : how far the surface may rise, least and most [m]; negative: sinks.
    symmetric : left and right are alike: only the heights of the right half are parameters.
    """

    __pydantic_config__ = STRICT
    surface: str = TREAD
    grid: tuple[int, int]
    range: tuple[Metres, Metres]
    symmetric: bool = False

    def __post_init__(self) -> None:
        if not all(FEWEST <= n <= MOST for n in self.grid):
            raise ConfigError(
                f"field: a grid has {FEWEST} to {MOST} nodes on a side, got {list(self.grid)}"
            )
        low, high = self.range
        if not (np.isfinite([low, high]).all() and low <= 0 <= high and low < high):
            raise ConfigError(
                f"field: range holds 0, which is the shape of the mesh, and more; got {low:g} to "
                f"{high:g} m"
            )

    @property
    def size(self) -> int:
        """Number of heights that are parameters."""
        return self.grid[0] * self.columns

    @property
    def columns(self) -> int:
        """Number of nodes along y whose heights are parameters."""
        return -(-self.grid[1] // 2) if self.symmetric else self.grid[1]

    def hats(self, points: FloatArray, over: FloatArray) -> FloatArray:
        """Return the heights (n, size) at points (n, 2) per height of each node, over a sole."""
        x = _hats(points[:, 0], self.grid[0], over[:, 0])
        y = _hats(points[:, 1], self.grid[1], over[:, 1])
        if self.symmetric:
            half = self.grid[1] // 2
            mirrored = y[:, ::-1][:, :half]
            y = y[:, : self.columns].copy()
            y[:, :half] += mirrored
        return np.asarray((x[:, :, None] * y[:, None, :]).reshape(len(points), -1))


class ShapeFields:
    """The fields of one mesh.

    Parameters
    ----------
    mesh : at heights 0. grids : its fields, which together have P heights.

    Raises
    ------
    ConfigError
        An unknown surface, two fields of one, a height that moves no vertex, or ranges that turn
        the mesh inside out.
    """

    def __init__(self, mesh: SoleMesh, grids: Sequence[HeightGrid]) -> None:
        self.mesh, self.grids = mesh, tuple(grids)
        levels = {TREAD: -mesh.thickness}
        for k, layer in enumerate(mesh.layers):
            top = float(mesh.points[np.unique(mesh.tets[mesh.layer_of_tet == k]), 2].max())
            if top < -1e-9 * mesh.thickness:
                levels[TOP + layer] = top
        names = [grid.surface for grid in grids]
        for name in names:
            if name not in levels:
                raise ConfigError(
                    f"field: there is no surface '{name}'; they are "
                    + ", ".join(f"'{known}'" for known in levels)
                )
            if names.count(name) > 1:
                raise ConfigError(f"field: two fields for the surface '{name}'; give one")
        knots = np.array(sorted([*levels.values(), 0.0]))
        z = mesh.points[:, 2]
        columns = []
        for grid in grids:
            hat = np.interp(z, knots, (knots == levels[grid.surface]).astype(float))
            flat = mesh.points[:, :2]
            moved = hat[:, None] * grid.hats(flat, flat)
            idle = np.flatnonzero(moved.max(axis=0) < 1e-9)
            if len(idle):
                raise ConfigError(
                    f"field: the grid {list(grid.grid)} of '{grid.surface}' is finer than the "
                    f"mesh: {len(idle)} of its heights move no vertex; take a coarser grid or mesh "
                    "finer (sole mesh --size-tread)"
                )
            columns.append(moved)
        self.motions = np.hstack(columns)
        ranges = [grid.range for grid in grids for _ in range(grid.size)]
        self.low, self.high = np.array(ranges).T
        for end in (self.low, self.high):
            self.moved(end)

    @property
    def size(self) -> int:
        """P."""
        return len(self.low)

    def moved(self, heights: FloatArray) -> SoleMesh:
        """Return the mesh at heights (P,) [m].

        Raises
        ------
        ConfigError
            The fields turn tetrahedra inside out.
        """
        points = self.mesh.points.copy()
        points[:, 2] += self.motions @ heights
        try:
            return replace(self.mesh, points=points)
        except MeshError as error:
            raise ConfigError(
                f"the fields turn the mesh inside out ({error}): give them smaller ranges"
            ) from error

    def at(self, heights: FloatArray, points: FloatArray) -> dict[str, FloatArray]:
        """Return the rise of every surface at points (n, 2) [m], by surface."""
        found, first = {}, 0
        for grid in self.grids:
            own = heights[first : first + grid.size]
            found[grid.surface] = grid.hats(points, self.mesh.points[:, :2]) @ own
            first += grid.size
        return found


def _hats(x: FloatArray, count: int, over: FloatArray) -> FloatArray:
    """Return the hat functions (n, count) of equally spaced nodes from end to end of `over`."""
    place = np.clip((x - over.min()) / np.ptp(over), 0.0, 1.0) * (count - 1)
    return np.asarray(np.clip(1.0 - np.abs(place[:, None] - np.arange(count)), 0.0, None))
