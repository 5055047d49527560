"""How to compute your own number for every case of a study: a kind of rows as a plug-in.

    pip install -e examples/own_rows            # once: registers the rows as "bounce"
    sole study examples/own_rows/bounce.toml -o bounce.nc
    sole view bounce.nc -o bounce.png
    sole report bounce.nc -o bounce.html

The numbers are the sinking of a robot that stands on one sole, and the frequency at which it
bounces: sink = m g / k_z, f = sqrt(k_z / m) / (2 pi), with the vertical stiffness k_z of the foot.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any, ClassVar

from sole.studies import AxisQuantity, Case, Column, SharedSole

GRAVITY = 9.80665  # [m/s^2]


class BounceRows:
    """Sinking and bouncing of a `mass` [kg] on one sole whose tread sticks to the ground."""

    columns: ClassVar = {
        "sink": Column("m", "sinking of the robot on one sole", highlight=True, goal="least"),
        "bounce": Column("Hz", "frequency of bouncing", highlight=True, goal="greatest"),
    }
    quantities: ClassVar[Mapping[str, AxisQuantity]] = {}  # no axes besides those of every study
    needs_sole = False  # the foot's stiffness is enough: no matrix of the sole is made
    fingerprint = None  # rows depend on nothing but options and case

    def __init__(self, options: Mapping[str, Any], folder: Path) -> None:
        self.mass = float(options.get("mass", 58.0))

    def row(self, shared: SharedSole, case: Case) -> dict[str, float]:
        """Return the numbers of a case; the shared sole has the stiffness of the scale 1."""
        k_z = case.scale * float(shared.foot_stiffness[2, 2])
        return {
            "sink": self.mass * GRAVITY / k_z,
            "bounce": math.sqrt(k_z / self.mass) / (2 * math.pi),
        }
