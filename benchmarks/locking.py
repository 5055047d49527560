"""How much too stiff each element is near nu = 0.5: a bonded pad under a vertical load.

    python benchmarks/locking.py [--fine]

The vertical stiffness of a pad 0.23 x 0.13 m, 10 and 20 mm thick, E = 1 MPa, at the edge lengths
that `sole walk` and (about) `sole mesh` take by default, against `ccr` with edges of 9 mm (with
--fine: 7 mm). All elements overestimate, so the true errors are a little
larger. `LOCKING_LIMIT` of `sole.elasticity` comes from here.
"""

from __future__ import annotations

import argparse
import warnings

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


def main(fine: bool = False) -> None:
    print(
        "error of the vertical stiffness [%]     nu = " + "  ".join(f"{nu:5.2f}" for nu in RATIOS)
    )
    for thickness in THICK:
        exact = vertical_stiffness(thickness, 0.007 if fine else 0.009, "ccr")
        for size in SIZES:
            for element in ELEMENTS:
                k = vertical_stiffness(thickness, size, element)
                told = "  ".join(f"{100 * (a / b - 1):5.1f}" for a, b in zip(k, exact, strict=True))
                print(f"{1e3 * thickness:3.0f} mm thick, edges {1e3 * size:4.1f} mm, {element:<4}"
                      f"            {told}", flush=True)  # fmt: skip


if __name__ == "__main__":
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--fine", action="store_true")
    main(arguments.parse_args().fine)
