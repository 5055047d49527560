"""A run as a series for ParaView: soles with their loads, robot and ground, 25 times a second."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from robot.pictures.bodies import TreadSurface, bones, ground_surface, solid
from robot.pictures.film import film_times
from robot.pictures.nodal import FIELDS, SoleField
from robot.run import Run
from sole.base.arrays import FloatArray
from sole.base.progress import progress_bar
from sole.pictures import units_of, write_series

if TYPE_CHECKING:
    from pyvista import DataSet, PolyData

UNITS = {**units_of(FIELDS), "force": "N"}


def write_run_series(run: Run, output: Path, fps: int, *, quiet: bool = False) -> int:
    """Write the run as NAME.pvd with its folder; return the number of instants.

    All points are where they are, in the world [m]: soles deformed, links moved. `soles` has the
    point arrays `pressure`, `shear`, `displacement` (relative to the rigid foot) and `force` (3,)
    (world axes), `body` and `tread`, 1 on the tread and 0 on walls and bond; without nodal
    snapshots these loads are missing. `robot` has the cell array `link`, an index, and
    `names of links`.

    Raises
    ------
    SoleError
        The files cannot be written.
    """
    times = film_times((float(run.time[0]), float(run.time[-1])), fps, 1.0)
    with progress_bar("writing the series", float(times[-1]), shown=not quiet) as tell:
        return write_series(output, _instants(run, times, tell), UNITS)


def _instants(
    run: Run, times: FloatArray, tell: Callable[[float], None]
) -> Iterator[tuple[float, dict[str, DataSet]]]:
    fields = {name: SoleField(run, name) for name in FIELDS} if run.frames else {}
    pads = [TreadSurface(tread) for tread in run.treads]
    grid = ground_surface(run)
    ground = (
        None
        if grid is None
        else grid.extract_surface(algorithm=None, pass_pointid=False, pass_cellid=False)
    )
    links = _Links(run)
    for time in times:
        row = run.row(float(time))
        parts: dict[str, DataSet] = {"soles": _soles(run, row, pads, fields)}
        if (robot := links.at(row)) is not None:
            parts["robot"] = robot
        if ground is not None:
            parts["ground"] = ground
        yield float(run.time[row]), parts
        tell(float(time))


def _soles(run: Run, row: int, pads: list[TreadSurface], fields: dict[str, SoleField]) -> PolyData:
    """Return treads, walls and bonds of all bodies, in the world."""
    import pyvista

    poses = run.skeleton.frame_poses(run["q"][row])
    made = []
    for b, pad in enumerate(pads):
        field = next(iter(fields.values()), None)
        shot = None if field is None else field.snapshot(row)
        U = None if field is None or shot is None else field.displacement(shot, b)
        tread, walls = pad.surface(U), pad.walls(U)
        loads: dict[str, FloatArray] = {}
        if shot is not None:
            assert field is not None
            nodes = slice(field.first[b], field.first[b + 1])
            loads = {n: f.values(shot, b) / f.factor for n, f in fields.items()}
            loads["force"] = run.frames["node_force"][shot, nodes] @ poses[b, :3, :3].T
        for part, times in ((tread, 1), (walls, 2)):
            if part is None:
                continue
            part.points = np.asarray(part.points) @ poses[b, :3, :3].T + poses[b, :3, 3]
            for name, values in loads.items():
                part.point_data[name] = np.concatenate([values] * times)
            part.point_data["tread"] = np.full(part.n_points, int(times == 1))
            part.point_data["body"] = np.full(part.n_points, b)
            made.append(part)
    return pyvista.merge(made, merge_points=False) if made else pyvista.PolyData()


class _Links:
    """The solids of all links as one surface that moves; lines between joints without solids."""

    def __init__(self, run: Run) -> None:
        import pyvista

        self.run = run
        found = [(s, solid(s)) for s in run.skeleton.shapes]
        self.shapes = [(s, mesh) for s, mesh in found if mesh is not None]
        parents = np.concatenate([run.skeleton.parents, run.skeleton.frames])
        self.lines = None if self.shapes else bones(parents)
        self.names = list(dict.fromkeys(s.link for s, _ in self.shapes))
        parts = []
        for shape, mesh in self.shapes:
            mesh.clear_data()
            mesh.cell_data["link"] = np.full(mesh.n_cells, self.names.index(shape.link))
            parts.append(mesh)
        self.whole = pyvista.merge(parts, merge_points=False) if parts else None

    def at(self, row: int) -> PolyData | None:
        """Return the robot at a row of the run, in the world."""
        links = self.run.skeleton.poses(self.run["q"][row])
        if self.whole is None:
            if self.lines is None or not self.lines.n_points:
                return None
            frames = self.run.skeleton.frame_poses(self.run["q"][row])
            moved = self.lines.copy()
            moved.points = np.vstack([links[:, :3, 3], frames[:, :3, 3]])
            return moved
        moved, points = self.whole.copy(), []
        for shape, mesh in self.shapes:
            pose = links[shape.joint] @ np.asarray(shape.placement)
            points.append(np.asarray(mesh.points) @ pose[:3, :3].T + pose[:3, 3])
        moved.points = np.vstack(points).astype(np.float32)  # half the file
        moved.field_data["names of links"] = self.names
        return moved
