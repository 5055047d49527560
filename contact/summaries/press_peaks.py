"""Where the pressure of a press is highest, and whether the mesh is fine enough to say so."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from contact.press import PEAK_AREA, PressedRecord, PressedSole, peak_pressure
from contact.problem import ContactStatus
from sole.base.arrays import BoolArray, FloatArray
from sole.base.mesh_dependence import dependence_words
from sole.base.report import Quantity
from sole.studies import weighted_percentile

USUAL = 0.95  # of the touching area has at most this pressure
SMALL = 0.6  # of the median area: the pressure of a node with less depends much on the mesh
ROWS = 0.7  # least standard deviation of touching nodes over their distance; three rows: 0.82


def describe_peaks(result: PressedSole | PressedRecord, largest: float) -> dict[str, Quantity]:
    """Return the rows of the pressure: on the most loaded square, on 95 % of all, the largest."""
    touching, areas = _touching(result), result.areas
    if not touching.any():
        return {"max pressure": Quantity(largest, "Pa", "nothing touches")}
    p95 = weighted_percentile(result.pressure[touching], areas[touching], USUAL)
    node = int(np.argmax(result.pressure))
    where = f"at the node {_place(result.points[node])}: depends on the mesh"
    share = float(areas[node] / np.median(areas))
    if share < SMALL:
        where += f", it stands for {share:.2g} of the usual area"
    peak = peak_pressure(result.mesh, result.pressure)
    told = f"mean on the most loaded {1e4 * PEAK_AREA:g} cm^2, at {_place(peak.place)}"
    if words := dependence_words(peak.error):
        told += f": {words}; halve --size-tread"
    return {
        "peak pressure": Quantity(peak.value, "Pa", told),
        "peak error": Quantity(
            peak.error if np.isfinite(peak.error) else None, "", "of that by the mesh, estimated"
        ),
        "pressure p95": Quantity(float(p95), "Pa", "at most this on 95 % of the touching area"),
        "max pressure": Quantity(largest, "Pa", where),
    }


def _place(point: FloatArray) -> str:
    x, y = np.round(1e3 * point[:2], 1) + 0.0
    return f"({x:g}, {y:g}) mm"


def warn_of_coarse_mesh(result: PressedSole | PressedRecord) -> Iterator[str]:
    """Yield a warning if the sole touches with fewer than three rows of nodes.

    Peaks then depend on the mesh: on a bump or an edge the patch is smaller than the elements.
    """
    touching = _touching(result)
    count = int(touching.sum())
    if not count:
        return
    size = float(np.sqrt(np.median(result.areas) * 2 / np.sqrt(3)))  # of regular triangles
    at = result.points[touching, :2]
    spread = np.linalg.svd(at - at.mean(axis=0), compute_uv=False) / np.sqrt(count)
    least = float(spread[1]) if len(spread) > 1 else 0.0
    if count < 3 or least < ROWS * size:
        yield (
            f"the sole touches with {count} nodes in fewer than three rows: the mesh is too coarse "
            f"for this ground, and peaks depend on it; mesh with --size-tread {500 * size:.2g}mm "
            f"(now about {1e3 * size:.2g} mm)"
        )


def _touching(result: PressedSole | PressedRecord) -> BoolArray:
    touching: BoolArray = np.asarray(result.status) != ContactStatus.OPEN
    return touching
