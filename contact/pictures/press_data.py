"""What pictures and files of a press are made of: the sole with its fields, and the ground."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from contact.problem import ContactStatus
from sole.base.arrays import FloatArray
from sole.pictures import Field, mesh_dataset, on_vertices, units_of

if TYPE_CHECKING:
    from pyvista import StructuredGrid, UnstructuredGrid

    from contact.press import PressedRecord, PressedSole
    from sole.condense import Recovery

FIELDS = {
    "pressure": Field("pressure at nodes (peaks depend on the mesh)", "Pa", "YlOrRd"),
    "displacement": Field("displacement relative to the foot", "m"),
    "von_mises": Field("von Mises stress", "Pa", "plasma"),
    "least_stretch": Field("least principal stretch", "", "viridis", zero=False),
    "gap": Field("distance to the ground", "m", "cividis"),
    "layer": Field("layer", ""),
}
NO_STATUS = -1  # of vertices away from the tread
UNITS = {**units_of(FIELDS), "force": "N", "size": "m", "cauchy": "Pa"}  # in files


def press_dataset(
    result: PressedSole | PressedRecord, recovery: Recovery | None = None
) -> UnstructuredGrid:
    """Return the sole of a press test as a VTK grid, undeformed, sole frame [m], SI units.

    Besides `sole.pictures.mesh_dataset`: point arrays `displacement` (n, 3) relative to the
    rigid foot, `force` (n, 3) of the ground on the sole, zero away from the tread, `pressure` and
    `gap`, NaN away from it, and `status` (integers of `ContactStatus`, `NO_STATUS` away from it);
    cell array `von_mises`, at finite strain also `least_stretch`, `largest_stretch` and `cauchy`
    (xx yy zz xy yz xz); field arrays `pose` (4, 4), sole to world, and a legend of the status:
    `status_open`, `status_stick`, `status_slip` and `status_off_tread` hold its values. (A text
    there would keep meshio from reading the file.) `recovery` is that of the sole, where there is
    one already.
    """
    mesh = result.mesh
    grid = mesh_dataset(mesh)
    displacement, von_mises = _inside(result, recovery)
    grid.point_data["displacement"] = displacement.copy()
    grid.point_data["force"] = np.nan_to_num(on_vertices(mesh, result.forces))
    for name in ("pressure", "gap"):
        values = np.asarray(getattr(result, name), dtype=float)
        grid.point_data[name] = on_vertices(mesh, values)
    status = np.full(len(mesh.points), NO_STATUS, dtype=np.int32)
    status[mesh.tread_vertices] = result.status
    grid.point_data["status"] = status
    grid.cell_data["von_mises"] = von_mises.copy()
    if result.stretches is not None and result.cauchy is not None:
        grid.cell_data["least_stretch"] = result.stretches[:, 0].copy()
        grid.cell_data["largest_stretch"] = result.stretches[:, 2].copy()
        i, j = np.array([(0, 0), (1, 1), (2, 2), (0, 1), (1, 2), (0, 2)]).T
        grid.cell_data["cauchy"] = result.cauchy[:, i, j]
    grid.field_data["pose"] = result.pose.copy()
    for known in ContactStatus:
        grid.field_data[f"status_{known.name.lower()}"] = np.array([known], dtype=np.int32)
    grid.field_data["status_off_tread"] = np.array([NO_STATUS], dtype=np.int32)
    return grid


def _inside(
    result: PressedSole | PressedRecord, recovery: Recovery | None
) -> tuple[FloatArray, FloatArray]:
    """Return displacements (n, 3) [m] and von Mises stresses (e,) [Pa], stored or recovered."""
    from contact.press import PressRecord, PressResult
    from sole.condense import Recovery

    if result.inside is not None and result.von_mises is not None:
        return result.inside, result.von_mises
    if isinstance(result, PressRecord):
        recovery = Recovery(result.sole, result.condenser)
    elif recovery is None:
        assert isinstance(result, PressResult)
        recovery = Recovery(result.sole)
    fields = recovery(result.forces)
    return fields.displacement, fields.von_mises


def ground_dataset(
    result: PressedSole | PressedRecord, margin: float = 0.15, n: int = 240, depth: float = 0.15
) -> StructuredGrid:
    """Return the ground under the foot as a block [m], world frame.

    `margin` is the ground shown beyond the foot and `depth` that below it, relative to the foot's
    length; `n` heights along x.
    """
    import pyvista

    ground = result.ground
    world = result.points @ result.pose[:3, :3].T + result.pose[:3, 3]
    local = world @ ground.frame
    low, high = local[:, :2].min(axis=0), local[:, :2].max(axis=0)
    length = float((high - low).max())
    edge = margin * length
    x = np.linspace(low[0] - edge, high[0] + edge, n)
    y = np.linspace(low[1] - edge, high[1] + edge, 1 + n // 4)
    X, Y = np.meshgrid(x, y, indexing="ij")
    top = ground.height(X.ravel(), Y.ravel()).reshape(X.shape)
    lowest = float(top[np.isfinite(top)].min(initial=0.0))
    top = np.where(np.isfinite(top), top, lowest)
    bottom = np.full_like(top, lowest - depth * length)
    Z = np.stack([bottom, top], axis=2)
    X, Y = (np.repeat(a[:, :, None], 2, axis=2) for a in (X, Y))
    block = pyvista.StructuredGrid(X, Y, Z)
    block.points = np.asarray(block.points) @ ground.frame.T
    return block
