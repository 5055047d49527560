"""How E decides what touches on an edge: soft treads enclose it, hard ones stand on it.

HRP-2Kai's sole stands on the edge of a step across the middle of the foot, for several E. The table
shows the loaded share of the tread and the highest pressure; the picture shows the softest sole.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import degrees
from pathlib import Path

from contact.ground import Step
from contact.pictures import press_scene
from contact.press import PressResult, Wrench, press
from sole.condense import condense
from sole.mesh import mesh_shape
from sole.pictures import ViewOptions
from sole.shape import preset


@dataclass(frozen=True)
class Row:
    """E of the tread [Pa], loaded share of the tread, highest pressure [Pa], pitch [rad]."""

    young: float
    share: float
    pressure: float
    pitch: float


def main(
    rise: float = 0.003,
    young: tuple[float, ...] = (3e5, 1e6, 1e7, 1e8),
    size: float = 0.015,
    element: str = "ccr",
) -> tuple[list[Row], PressResult]:
    """Stand with 570 N on a step of `rise` [m]; one row per E, and the result of the softest."""
    base = condense(mesh_shape(preset("hrp2kai"), size, size), element=element)
    load, ground = Wrench.standing(570.0, cop=(0.02, 0.0)), Step(rise=rise)
    results = [press(base.scaled(E / base.materials[0].young_modulus), load, ground) for E in young]
    area = float(base.areas.sum())
    rows = [
        Row(E, r.contact_area / area, float(r.pressure.max()), float(r.motion[4]))
        for E, r in zip(young, results, strict=True)
    ]
    return rows, results[0]


if __name__ == "__main__":
    rows, softest = main()
    print("E [MPa]  carrying [%]  pressure [kPa]  pitch [deg]")
    for r in rows:
        print(
            f"{r.young / 1e6:7.1f}{100 * r.share:14.1f}{r.pressure / 1e3:16.1f}"
            f"{degrees(r.pitch):13.3f}"
        )
    press_scene(softest, ViewOptions()).write(Path("step_edge.png"))
