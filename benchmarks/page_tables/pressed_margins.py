"""Where presses fail and where slip begins: both tables of docs/results/accuracy.md.

    python benchmarks/page_tables/pressed_margins.py [fails] [onset]

The pad is 0.20 x 0.12 x 0.02 m with quadratic elements on a regular mesh of two
layers, three with 187 nodes.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tests"))
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from box_mesh import box_mesh

from contact.margins import press_margin
from contact.papers.onset import SoleCone
from contact.press import PressResult, Wrench, press
from page_tables.printing import print_table
from sole.base.errors import SoleError
from sole.base.numba_settings import set_up_numba
from sole.condense import CondensedSole, condense
from sole.material import Material

SIZE, LOAD = (0.20, 0.12, 0.02), 600.0  # m, N
COARSE, FINE = (8, 6, 2), (16, 10, 3)  # bricks: 63 and 187 nodes on the tread
SHARE, LAST = 0.4, 0.99  # of the load at which the press fails
CASES = {  # E [Pa], friction, centre of pressure [m], direction fx, fy, tz, unit
    "shear, E = 1 MPa, mu = 0.7": (1e6, 0.7, (0.0, 0.0), (1.0, 0.0, 0.0), "N"),
    "shear, 0.1 MPa": (1e5, 0.7, (0.0, 0.0), (1.0, 0.0, 0.0), "N"),
    "yaw, 1 MPa": (1e6, 0.7, (0.0, 0.0), (0.0, 0.0, 1.0), "N m"),
    "yaw, 0.1 MPa": (1e5, 0.7, (0.0, 0.0), (0.0, 0.0, 1.0), "N m"),
    "yaw, 1 MPa, CoP (60, 30) mm": (1e6, 0.7, (0.06, 0.03), (0.0, 0.0, 1.0), "N m"),
    "shear, 0.1 MPa, mu = 0.3, CoP 50 mm back": (1e5, 0.3, (-0.05, 0.0), (1.0, 0.0, 0.0), "N"),
}
ONSETS = {
    "nu = 0": (0.0, COARSE, "p2"),
    "nu = 0.3": (0.3, COARSE, "p2"),
    "nu = 0.4": (0.4, COARSE, "p2"),
    "nu = 0.4, 187 nodes": (0.4, FINE, "p2"),
    "nu = 0.49 (`ccr`)": (0.49, COARSE, "ccr"),
    "nu = 0.499 (`ccr`)": (0.499, COARSE, "ccr"),
}


def pad(
    poisson: float = 0.4, cells: tuple[int, int, int] = COARSE, element: str = "p2"
) -> CondensedSole:
    """Return the pad with E = 1 MPa."""
    material = Material(young_modulus=1e6, poisson_ratio=poisson)
    return condense(box_mesh(*SIZE, cells), material, element)


def limit(sole: CondensedSole, mu: float, cop: tuple[float, float], way: np.ndarray) -> float:
    """Return the largest load along `way` that a press carries, to 1e-3."""
    low, high = 0.0, 2 * mu * LOAD * (1.0 if way[2] == 0 else SIZE[0])
    while high - low > 1e-3 * high:
        middle = (low + high) / 2
        try:
            pressed(sole, mu, cop, middle * way)
        except SoleError:
            high = middle
        else:
            low = middle
    return low


def pressed(
    sole: CondensedSole, mu: float, cop: tuple[float, float], load: np.ndarray
) -> PressResult:
    """Press with 600 N at the centre of pressure, and with (fx, fy, tz)."""
    fx, fy, tz = map(float, load)
    return press(sole, Wrench.standing(LOAD, cop=cop, shear=(fx, fy), yaw=tz), None, mu)


def fails() -> Iterator[list[str]]:
    """Compare the load at which a press fails with that of the limit surface at 40 % of it."""
    sole = pad()
    for title, (young, mu, cop, direction, unit) in CASES.items():
        own, way = sole.scaled(young / 1e6), np.array(direction)
        most = limit(own, mu, cop, way)
        early = pressed(own, mu, cop, SHARE * most * way)
        gauge = 1 - press_margin(early).slip
        late = press_margin(pressed(own, mu, cop, LAST * most * way)).slip
        load = f"{most:#.3g} {unit}".replace(". ", " ")
        yield [title, load, f"{100 * (SHARE / gauge - 1):+.1f} %", f"{100 * late:.1f} %"]


def onset() -> Iterator[list[str]]:
    """Friction that sticking needs, and where the first node lifts off and slips."""
    for title, (poisson, cells, element) in ONSETS.items():
        cone = SoleCone.of(pad(poisson, cells, element), friction=0.7)
        needed = float(cone.friction_needed.max())
        # Margins are 1 - gauge, and linear along a ray from the central wrench.
        tip = cone.axis + np.array([0, 0, 0, 0, -0.01, 0])
        lifts = 0.01 / (1 - cone.lift(tip).value) / SIZE[0]
        slips = "slips at once"
        if cone.sticks:
            shear = cone.axis + np.array([0.1, 0, 0, 0, 0, 0])
            slips = f"{0.1 / (1 - cone.slip(shear).value):.3f}"
        yield [title, f"{needed:.3f}", f"{lifts:.3f}", slips]


TABLES = {
    "fails": (
        "pad 0.20 x 0.12 x 0.02 m, nu = 0.4, 600 N | press fails at | predicted at 40 % of it "
        "| margin at 99 %",
        fails,
    ),
    "onset": (
        "pad as above, 63 nodes | friction needed | CoP x at first lift-off / length "
        "| shear of first slip / fz, mu = 0.7",
        onset,
    ),
}

if __name__ == "__main__":
    set_up_numba()
    for name in sys.argv[1:] or TABLES:
        header, rows = TABLES[name]
        print_table(header, rows())
