"""What `sole export` tells: springs, their point, the hard tread, range and errors."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from contact.bushing import Bushing, MujocoContact
from sole.base.arrays import FloatArray
from sole.base.readable import SHARE
from sole.base.report import Quantity, Report

__all__ = ["describe_bushing"]

AXES = ("x", "y", "z", "rx", "ry", "rz")


def describe_bushing(
    bushing: Bushing, output: Path, contact: MujocoContact | None = None
) -> Report:
    """Return the report of a bushing, with its `contact` if the file is MuJoCo's."""
    b = bushing
    rows = {
        "center": Quantity(b.center, "m", "where the springs act, in the sole frame"),
        **{
            f"stiffness {name}": Quantity(
                float(b.stiffness[k]),
                "N/m" if k < 3 else "N m/rad",
                f"damping {b.damping[k]:.4g} {'N s/m' if k < 3 else 'N m s'}"
                if b.damping[k]
                else "",
            )
            for k, name in enumerate(AXES)
        },
        "hard tread": Quantity(
            b.high - b.low,
            "m",
            f"length and width, shorter than the sole: its CoP goes from {_millimetres(b.low)} to "
            f"{_millimetres(b.high)} mm, where the foot tips at once",
        ),
        "largest load": Quantity(b.load, "N", "5 % of the thickness"),
        "largest tilt": Quantity(
            np.degrees(b.tilt), "deg", "about x, y at the largest load; proportional to the load"
        ),
        "error stuck": Quantity(b.stuck_error, SHARE, "of a motion under a load along one axis"),
        "error load": Quantity(
            b.load_error, SHARE, "added by the largest load, which turns with the foot"
        ),
        "error edge": Quantity(b.edge_error, SHARE, "of the moment about x, y up to that tilt"),
        **_contact_rows(contact),
        "output": Quantity(str(output)),
    }
    undamped = "the springs have no damping, so the foot rings: give --eta"
    return Report(f"bushing of {b.name}", rows, () if b.damping.any() else (undamped,))


def _millimetres(point: FloatArray) -> str:
    x, y = np.round(1e3 * point[:2], 1) + 0.0
    return f"({x:g}, {y:g})"


def _contact_rows(contact: MujocoContact | None) -> dict[str, Quantity]:
    if contact is None:
        return {"error contact": Quantity("not known", "", "that of the engine comes on top")}
    return {
        "error contact": Quantity(
            contact.error, SHARE, f"MuJoCo's soft contact at most, at steps of {contact.dt:g} s"
        ),
        "error in MuJoCo": Quantity(
            contact.total, SHARE, "stuck + load + contact: of the whole foot"
        ),
        "creep in MuJoCo": Quantity(
            contact.creep, "1/s", "at most, of the deflection under shear or torsion"
        ),
    }
