"""What `sole export` tells: springs, their point, the hard tread, range and errors."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from contact.bushing import Bushing
from sole.base.report import Quantity, Report

__all__ = ["describe_bushing"]

AXES = ("x", "y", "z", "rx", "ry", "rz")


def describe_bushing(bushing: Bushing, output: Path) -> Report:
    """Return the report of a bushing."""
    b = bushing
    rows = {
        "center": Quantity(b.center, "m", "where the springs act, sole frame"),
        **{
            f"stiffness {name}": Quantity(
                float(b.stiffness[k]),
                "N/m" if k < 3 else "N m/rad",
                f"damping {b.damping[k]:.4g} {'N s/m' if k < 3 else 'N m s'}",
            )
            for k, name in enumerate(AXES)
        },
        "hard tread": Quantity(
            b.high - b.low, "m", "length and width, shorter than the sole: it tips at once"
        ),
        "largest load": Quantity(b.load, "N", "5 % of the thickness"),
        "largest tilt": Quantity(
            np.degrees(b.tilt), "deg", "about x, y at the largest load; goes with the load"
        ),
        "error stuck": Quantity(b.stuck_error, "", "of a motion under a load along one axis"),
        "error edge": Quantity(b.edge_error, "", "of the moment about x, y up to that tilt"),
        "output": Quantity(str(output)),
    }
    return Report(f"bushing of {b.name}", rows)
