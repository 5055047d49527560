"""A field at the nodes of the soles, from the snapshots, on one colour scale.

The scale ends at a quantile, so that a single node at an edge does not dominate it, but not below
the largest value of most snapshots, as under a stone; larger values have a separate colour.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from robot.run import Run
from sole.base.arrays import FloatArray
from sole.base.errors import SoleError
from sole.pictures import Field, display_unit

FIELDS = {
    "pressure": Field("pressure at nodes", "Pa", "YlOrRd"),
    "shear": Field("shear traction", "Pa", "YlOrBr"),
    "displacement": Field("displacement", "m", "YlGnBu"),
}
REMARKS = {"pressure": "peaks depend on the mesh"}
ABOVE = "#d400c8"  # magenta, for values above the end of the scale
QUANTILE = 0.98  # of all nonzero nodal values,
SNAPSHOTS = 0.9  # share of loaded snapshots whose largest value is on the scale:
# the higher of both ends the scale,
CLOSE = 1.5  # unless the largest value is at most so many times that
ROUND = (1.0, 1.2, 1.6, 2.0, 2.4, 3.2, 4.0, 6.0, 8.0, 10.0)  # numbers with short quarters


class SoleField:
    """A field of a run's nodal snapshots.

    `unit` is the unit of all values here, `most` the end of the colour scale, a round number, and
    `largest` the largest value of the run.

    Parameters
    ----------
    run : with or without snapshots. name : a key of `FIELDS`.
    end : end of the colour scale in SI units; None: that of this run, by `end_of_colours`.

    Raises
    ------
    SoleError
        There is no such field; the message lists the fields.
    """

    def __init__(self, run: Run, name: str = "pressure", end: float | None = None) -> None:
        self.run, self.name, self.field = run, name, require_field(name)
        self.first = np.cumsum([0, *[len(t.points) for t in run.treads]])
        end = end_of_colours([run], name) if end is None else end
        self.factor, self.unit = display_unit(end, self.field.unit)
        self.most = round_up(end * self.factor)
        self.largest = self.factor * float(_all_values(run, name).max(initial=0.0))

    @property
    def label(self) -> str:
        """Name and unit."""
        return f"{self.field.label} [{self.unit}]"

    @property
    def remark(self) -> str:
        """What a reader has to know of the values, '' if nothing."""
        return REMARKS.get(self.name, "")

    @property
    def full_label(self) -> str:
        """Name, remark and unit, where there is room."""
        remark = f" ({self.remark})" if self.remark else ""
        return f"{self.field.label}{remark} [{self.unit}]"

    @property
    def above(self) -> str:
        """A remark on values above the end of the colour scale; "" if there are none."""
        if self.largest <= self.most * (1 + 1e-9):
            return ""
        largest = float(f"{self.largest:.3g}")  # three digits, without an exponent
        return f"magenta: above {self.most:g}, up to {largest:g} {self.unit}"

    def snapshot(self, row: int) -> int | None:
        """Return the index of the nodal snapshot nearest to a row; None if there are none."""
        if not self.run.frames:
            return None
        return int(np.abs(self.run.frames["frame_time"] - self.run.time[row]).argmin())

    def values(self, snapshot: int, body: int) -> FloatArray:
        """Return the values (m,) of a body's nodes, in `unit`."""
        nodes = slice(self.first[body], self.first[body + 1])
        areas = self.run.treads[body].areas
        return self.factor * _values(
            self.name,
            self.run.frames["node_force"][snapshot, nodes],
            self.run.frames["node_displacement"][snapshot, nodes],
            areas,
        )

    def displacement(self, snapshot: int, body: int) -> FloatArray:
        """Return the displacements (m, 3) of a body's nodes, in its axes [m]."""
        nodes = slice(self.first[body], self.first[body + 1])
        return np.asarray(self.run.frames["node_displacement"][snapshot, nodes])


def end_of_colours(runs: Sequence[Run], name: str = "pressure") -> float:
    """Return the end of a common colour scale of the runs, in SI units: the largest of theirs."""
    require_field(name)
    ends = [0.0]
    for run in runs:
        values = _all_values(run, name)
        loaded = values[values > 0]
        if loaded.size:
            peaks = values.reshape(len(values), -1).max(axis=1)
            often = float(np.quantile(peaks[peaks > 0], SNAPSHOTS))
            end, largest = max(float(np.quantile(loaded, QUANTILE)), often), float(loaded.max())
            ends.append(largest if largest <= CLOSE * end else end)
    return max(ends) or 1.0


def round_up(value: float) -> float:
    """Return the next number above `value` > 0 whose quarters have few digits."""
    power = 10.0 ** np.floor(np.log10(value))
    return float(power * next(r for r in (*ROUND, np.inf) if r >= value / power * (1 - 1e-9)))


def require_field(name: str) -> Field:
    """Return the field of this name; refuse names that are not in `FIELDS`."""
    if name not in FIELDS:
        raise SoleError(f"soles have no field '{name}'; they have {', '.join(FIELDS)}")
    return FIELDS[name]


def _all_values(run: Run, name: str) -> FloatArray:
    """Return the field at all snapshots and nodes in SI units; empty without snapshots."""
    if not run.frames:
        return np.zeros(0)
    areas = np.concatenate([t.areas for t in run.treads])
    return _values(name, run.frames["node_force"], run.frames["node_displacement"], areas)


def _values(name: str, force: FloatArray, moved: FloatArray, areas: FloatArray) -> FloatArray:
    """Return f_z/A, |f_t|/A or |u| in SI units; 0 where a node has no area."""
    if name == "displacement":
        return np.asarray(np.linalg.norm(moved, axis=-1))
    size = force[..., 2] if name == "pressure" else np.linalg.norm(force[..., :2], axis=-1)
    return np.asarray(np.divide(size, areas, out=np.zeros_like(size), where=areas > 0))
