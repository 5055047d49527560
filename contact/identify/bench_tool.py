"""The tool of a bench: a rigid flat plate over the whole tread, or a rigid flat punch on part."""

from __future__ import annotations

import re
from dataclasses import dataclass

import numpy as np

from sole.base.arrays import BoolArray, FloatArray
from sole.base.errors import ConfigError

SLACK = 1e-6  # m: a node on the edge of a punch is under it
FEWEST = 3  # nodes under a punch; fewer cannot hold it upright


@dataclass(frozen=True, kw_only=True)
class BenchTool:
    """A rigid flat tool that does not slip on the tread.

    Parameters
    ----------
    length, width : of a rectangular punch along the sole's x and y [m]; 0: a plate larger than
        the sole.
    x, y : its centre in the sole frame [m]; loads and readings are taken there.
    """

    length: float = 0.0
    width: float = 0.0
    x: float = 0.0
    y: float = 0.0

    def __post_init__(self) -> None:
        plate = self.length == self.width == 0
        if not plate and not (self.length > 0 and self.width > 0):
            raise ConfigError(
                f"tool: a punch has a length and a width, got {self.length:g} x {self.width:g} m"
            )

    @property
    def name(self) -> str:
        """As in a file: "plate" or "punch 40x20 mm at 10 0 mm"."""
        if not self.length:
            kind = "plate"
        else:
            kind = f"punch {1e3 * self.length:g}x{1e3 * self.width:g} mm"
        place = f" at {1e3 * self.x:g} {1e3 * self.y:g} mm" if self.x or self.y else ""
        return kind + place

    def covers(self, points: FloatArray) -> BoolArray:
        """Return which nodes (m, 3) [m] are under the tool (m,).

        Raises
        ------
        ConfigError
            Fewer than three nodes: the mesh is too coarse for the punch, or it misses the sole.
        """
        if not self.length:
            return np.ones(len(points), dtype=np.bool_)
        inside = np.abs(points[:, 0] - self.x) <= self.length / 2 + SLACK
        inside &= np.abs(points[:, 1] - self.y) <= self.width / 2 + SLACK
        if inside.sum() < FEWEST:
            raise ConfigError(
                f"tool '{self.name}' covers {int(inside.sum())} nodes of the tread, needs "
                f"{FEWEST}: mesh finer (sole mesh --size-tread) or check its place"
            )
        return inside


def parse_tool(text: str) -> BenchTool:
    """Read ``plate`` or ``punch 40x20 mm``, either with ``at X Y mm``.

    Raises
    ------
    ConfigError
        Another form.
    """
    number = r"(-?\d+(?:\.\d*)?)"
    form = rf"(plate|punch {number}\s*x\s*{number} mm)(?: at {number} {number} mm)?"
    found = re.fullmatch(form, " ".join(text.strip().lower().split()))
    if found is None:
        raise ConfigError(
            f"tool '{text.strip()}': expected 'plate' or 'punch LxW mm', and perhaps 'at X Y mm'"
        )
    _, length, width, x, y = found.groups()
    return BenchTool(
        length=float(length or 0) / 1e3,
        width=float(width or 0) / 1e3,
        x=float(x or 0) / 1e3,
        y=float(y or 0) / 1e3,
    )
