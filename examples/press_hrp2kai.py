"""How to press one sole in many ways: HRP-2Kai's, with the load from heel to toe.

The centre of pressure moves from heel to toe. The table shows contact area, highest pressure and
tilt of the foot for a soft and a hard rubber, from one condensation.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import degrees

from contact.press import Wrench, press
from sole.condense import condense
from sole.mesh import mesh_shape
from sole.shape import preset


@dataclass(frozen=True)
class Row:
    """One load: E of the tread [Pa], CoP [m], area [m^2], highest pressure [Pa], pitch [rad]."""

    young: float
    cop: float
    area: float
    pressure: float
    pitch: float


def main(
    force: float = 570.0,
    cops: tuple[float, ...] = (-0.08, -0.04, 0.0, 0.04, 0.08),
    size: float = 0.015,
    element: str = "ccr",
) -> list[Row]:
    """Press with `force` [N] at every CoP along x [m] on flat ground; one row per E and CoP."""
    soft = condense(mesh_shape(preset("hrp2kai"), size, size), element=element)
    rows = []
    for sole in (soft, soft.scaled(10.0)):  # ten times stiffer: no new condensation
        for cop in cops:
            result = press(sole, Wrench.standing(force, cop=(cop, 0.0)))
            E = sole.materials[0].young_modulus
            highest, pitch = float(result.pressure.max()), float(result.motion[4])
            rows.append(Row(E, cop, result.contact_area, highest, pitch))
    return rows


if __name__ == "__main__":
    print("E [MPa]  CoP [mm]  area [cm2]  pressure [kPa]  pitch [deg]")
    for r in main():
        print(
            f"{r.young / 1e6:7.1f}{1e3 * r.cop:10.0f}{1e4 * r.area:12.1f}"
            f"{r.pressure / 1e3:16.1f}{degrees(r.pitch):13.3f}"
        )
