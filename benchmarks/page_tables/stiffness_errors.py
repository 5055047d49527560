"""How much too stiff each element is near nu = 0.5: a bonded pad under a vertical load.

python benchmarks/page_tables/stiffness_errors.py [--fine]

The vertical stiffness of a pad 0.23 x 0.13 m, 10 and 20 mm thick, E = 1 MPa, at the edge lengths
that `sole walk` and (about) `sole mesh` take by default, against `ccr` with edges of 9 mm (with
--fine: 7 mm). All elements overestimate, so the true errors are a little larger.
`LOCKING_LIMIT` of `sole.elasticity` comes from here.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterator
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from page_tables.printing import print_table
from sole.base.numba_settings import set_up_numba
from sole.condense import condense
from sole.material import Material
from sole.mesh import mesh_shape
from sole.shape import box

RATIOS = (0.3, 0.35, 0.4, 0.42, 0.44, 0.45, 0.46, 0.48, 0.49)
THICK = (0.01, 0.02)  # m
SIZES = (0.03, 0.012)  # m: `sole walk`, about 200 tread vertices
ELEMENTS = ("p1", "p2", "ccr")


def vertical_stiffness(thickness: float, size: float, element: str) -> list[float]:
    """Return the vertical stiffness [N/m] of the pad at all `RATIOS`."""
    mesh = mesh_shape(box(0.23, 0.13, thickness), size, size)
    found = []
    for nu in RATIOS:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)
            sole = condense(mesh, Material(young_modulus=1e6, poisson_ratio=nu), element)
        found.append(float(sole.foot_stiffness[2, 2]))
    return found


def main(fine: bool = False) -> Iterator[list[str]]:
    """Return the rows: element, thickness and edges [mm], errors [%] at all `RATIOS`."""
    exact = {t: vertical_stiffness(t, 0.007 if fine else 0.009, "ccr") for t in THICK}
    for element in ELEMENTS:
        for thickness in THICK:
            for size in SIZES:
                k = vertical_stiffness(thickness, size, element)
                errors = [100 * (a / b - 1) for a, b in zip(k, exact[thickness], strict=True)]
                place = f"{1e3 * thickness:g}, {1e3 * size:g}"
                yield [element, place, *(f"{e:.1f}" for e in errors)]


if __name__ == "__main__":
    set_up_numba()
    nus = " | ".join(f"{nu:g}" for nu in RATIOS[1:])
    print_table(
        f"element | thickness, edges [mm] | nu = {RATIOS[0]:g} | {nus}", main("--fine" in sys.argv)
    )
