"""How wrong the linear sole is: the same presses with a linear and with a hyperelastic sole.

A pad of 240 x 140 x 20 mm under a vertical load whose centre of pressure is at the middle, at half
and at five sixths of the half length. For every load: the strain of the linear sole (99th
percentile by volume of -e_min, its least principal strain), and by how much its sink, its tilt and
its stiffnesses differ from those at finite strain. The vertical stiffness is dF/dz at this centre
of pressure, the tilting one dM/dpitch at this force, both by central differences of presses. Only
F/E counts: E = 1 MPa. `sole.condense.linear_error` interpolates the last table.

    python benchmarks/linear_model_error.py [--size mm] [--laws rubber45 rubber49 foam] [--quick]
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from threadpoolctl import threadpool_limits

from contact.finite_press import press_finite
from contact.press import Wrench, press
from sole.base.errors import SoleError
from sole.base.numba_settings import set_up_numba
from sole.condense import Recovery, condense, no_range_warnings
from sole.hyperelastic import FiniteSole
from sole.laws import Hyperfoam, NeoHooke
from sole.material import Material
from sole.mesh import mesh_shape
from sole.shape import box

E = 1e6  # Pa
LENGTH, WIDTH, THICKNESS = 0.24, 0.14, 0.02  # m
LAWS: dict[str, tuple[Any, float, str]] = {  # law, nu, element
    "rubber45": (NeoHooke.of(E, 0.45), 0.45, "ccr"),
    "rubber49": (NeoHooke.of(E, 0.49), 0.49, "ccr"),
    "foam": (Hyperfoam.of(E, 0.1), 0.1, "p2"),
}
PLACES = (0.0, 0.06, 0.1)  # m, centre of pressure
LOADS = (50, 100, 200, 300, 450, 600, 900, 1300, 2000, 3000)  # N, or F/E in mm2
STEP, SHIFT = 0.03, 0.001  # of the force; of the centre of pressure [m]


class Point(NamedTuple):
    """One press with both soles."""

    law: str
    x: float
    load: float
    strain: float  # of the linear sole
    deformation: float  # of the linear sole
    finite: float  # strain at finite strain
    sink: float  # errors of the linear sole, as parts
    tilt: float
    kz: float
    kry: float

    @property
    def worst(self) -> float:
        """The largest of the errors."""
        return float(np.nanmax(np.abs(self[6:])))


def motions(pressed: Any, x: float, load: float) -> np.ndarray:
    """Return sink, tilt, dF/dz and dM/dpitch of presses by `pressed(load)`."""
    z, pitch = pressed(Wrench.standing(load, (x, 0.0)))
    up, down = (pressed(Wrench.standing(load * (1 + s), (x, 0.0)))[0] for s in (STEP, -STEP))
    left, right = (pressed(Wrench.standing(load, (x + s, 0.0)))[1] for s in (SHIFT, -SHIFT))
    return np.array([z, pitch, 2 * STEP * load / (up - down), 2 * SHIFT * load / (left - right)])


def points(name: str, size: float, loads: Sequence[float]) -> list[Point]:
    """Return all points of one law."""
    law, nu, element = LAWS[name]
    mesh = mesh_shape(box(LENGTH, WIDTH, THICKNESS), size)
    linear = condense(mesh, Material(young_modulus=E, poisson_ratio=nu), element)
    finite, recovery, found = FiniteSole(mesh, law, element), Recovery(linear), []

    def by_linear(load: Wrench) -> tuple[float, float]:
        motion = press(linear, load).motion
        return -float(motion[2]), float(motion[4])

    def by_finite(load: Wrench) -> tuple[float, float]:
        motion = press_finite(finite, load, increments=2).motion
        return -float(motion[2]), float(motion[4])

    for x in PLACES:
        for load in loads:
            done = press(linear, Wrench.standing(load, (x, 0.0)))
            try:
                true = press_finite(finite, Wrench.standing(load, (x, 0.0)), increments=2)
                a, b = motions(by_linear, x, load), motions(by_finite, x, load)
            except SoleError as error:
                print(f"| {name} | {1e3 * x:g} | {load:g} | {error} |", flush=True)
                break
            wrong = a / b - 1
            if x == 0.0:
                wrong[1] = np.nan  # it does not tilt
            strain = recovery(done.forces).compression
            one = Point(name, x, load, strain, done.deformation, true.field.strain, *wrong)
            found.append(one)
            cells = " | ".join("" if np.isnan(w) else f"{100 * w:+.1f}" for w in wrong)
            print(
                f"| {name} | {1e3 * x:g} | {load:g} | {one.strain:.3f} | {one.deformation:.3f} | "
                f"{one.finite:.3f} | {cells} |",
                flush=True,
            )
    return found


def envelope(found: Sequence[Point], strains: Sequence[float]) -> list[float]:
    """Return the largest error of all centres of pressure at these strains of the linear sole."""
    curves = []
    for x in PLACES:
        own = [p for p in found if p.x == x]
        e, worst = np.array([p.strain for p in own]), np.array([p.worst for p in own])
        curves.append(np.interp(strains, e, worst, left=np.nan, right=np.nan))
    return [float(w) for w in np.fmax.reduce(curves)]


def main(words: Sequence[str] | None = None) -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--size", type=float, default=20.0, help="of the mesh [mm]")
    parser.add_argument("--laws", nargs="+", default=list(LAWS), choices=LAWS)
    parser.add_argument("--quick", action="store_true", help="foam, 60 mm, one load")
    chosen = parser.parse_args(words)
    loads = LOADS[:1] if chosen.quick else LOADS
    if chosen.quick:
        chosen.laws, chosen.size = ["foam"], 60.0
    print(f"load {os.getloadavg()[0]:.1f}\n")
    print("| law | CoP x [mm] | F/E [mm2] | linear strain | linear U/t | finite strain | sink % | "
          "tilt % | kz % | kry % |")  # fmt: skip
    print("|" + "---|" * 10)
    curves = {name: points(name, 1e-3 * chosen.size, loads) for name in chosen.laws}
    strains = (0.01, 0.02, 0.03, 0.05, 0.07, 0.1, 0.15, 0.2, 0.3)
    print("\n| linear strain | " + " | ".join(curves) + " |\n|" + "---|" * (1 + len(curves)))
    rows = zip(strains, *(envelope(found, strains) for found in curves.values()), strict=True)
    for strain, *errors in rows:
        print(f"| {strain:g} | " + " | ".join(f"{100 * e:.0f} %" for e in errors) + " |")


if __name__ == "__main__":
    set_up_numba()
    with threadpool_limits(1), no_range_warnings():
        main()
