"""The increments of a press as a series for ParaView, computed again from the press's file."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from contact.pictures.press_data import UNITS, ground_dataset, press_dataset
from contact.press import PressOptions, PressRecord, PressResult, press
from sole.base.errors import SoleError
from sole.condense import Recovery
from sole.pictures import write_series

if TYPE_CHECKING:
    from pyvista import DataSet


def write_press_series(record: PressRecord, output: Path) -> int:
    """Write NAME.pvd with one instant for every increment, 1, 2, ...; return how many.

    A file of a press holds its last increment alone. Load, seed and tolerance are in it, so the
    press is computed again, increment by increment, and its end compared with the file. Points
    are deformed and in the world [m]; `displacement` and `force` have world axes.

    Raises
    ------
    SoleError
        The end differs from the file: another version of this program wrote it.
    """
    done: list[PressResult] = []
    options = PressOptions(
        seed=int(record.summary["seed"]), tolerance=float(record.summary["tolerance"])
    )
    press(
        record.sole, record.loads, record.ground, record.friction, options=options,
        each=done.append,
    )  # fmt: skip
    forces, again = record.forces, done[-1].forces
    if float(np.abs(again - forces).max()) > 1e-6 * float(np.abs(forces).max(initial=0.0)):
        raise SoleError(f"{record.path}: a repeated press ends otherwise; run `sole press` again")
    return write_series(output, _instants(done, Recovery(record.sole, record.condenser)), UNITS)


def _instants(
    done: list[PressResult], recovery: Recovery
) -> Iterator[tuple[float, Mapping[str, DataSet]]]:
    ground = ground_dataset(done[-1]).extract_surface(
        algorithm=None, pass_pointid=False, pass_cellid=False
    )
    for number, result in enumerate(done):
        grid = press_dataset(result, recovery)
        R, p = result.pose[:3, :3], result.pose[:3, 3]
        for name in ("displacement", "force"):
            grid.point_data[name] = np.asarray(grid.point_data[name]) @ R.T
        grid.points = np.asarray(grid.points) @ R.T + p + grid.point_data["displacement"]
        yield number + 1.0, {"sole": grid, "ground": ground}
