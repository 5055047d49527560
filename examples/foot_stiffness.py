"""Loss of the stiffness U of a foot as it rolls over its front edge: springs and finite elements.

Four pads carry 500 N while the CoP moves to the front edge. The figure shows U of the part in
contact over U of the whole foot: for sinking, and for the weakest motion, which limits torque
control.
"""

from collections import namedtuple

import numpy as np
from matplotlib.figure import Figure

from contact.papers.foundation import WinklerFoundation, directions, pressed_U, sole_U, tread_region
from contact.press import Wrench, press
from sole.condense import condense
from sole.material import Material
from sole.mesh import mesh_shape
from sole.shape import preset

FEM, SPRINGS = "finite elements", "springs E/d"
WHAT = {"area": "in contact", "stiffness in sinking": "1: all nodes stick; in FEM the rim slips"}
WHAT |= {"weakest motion": "smallest s of U v = s U_whole v"}
RUBBER = Material(young_modulus=2e6, poisson_ratio=0.45)
Row = namedtuple("Row", "model cop area sinking smallest")  # [m], then shares of the whole foot's


def stand(springs: WinklerFoundation, wrench: np.ndarray) -> np.ndarray:
    """Return the pose in which unilateral springs carry `wrench`, by Newton's method with U."""
    x = np.linalg.solve(springs.U, wrench)
    for _ in range(30):
        now = springs.pressed(x)
        x = x + np.linalg.solve(now.U, wrench - now.wrench)
    return x


def main(force: float = 500.0, size: float = 0.01, steps: int = 12) -> list[Row]:
    """Move the CoP of `force` [N] along x to 3 mm from the front edge, in `steps`."""
    sole = condense(mesh_shape(preset("lola"), size, size), RUBBER, "ccr")
    springs = WinklerFoundation.of_layer(
        tread_region(sole.mesh), RUBBER.young_modulus, sole.thickness
    )
    rows = []
    for cop in np.linspace(0.0, sole.points[:, 0].max() - 0.003, steps):
        on = springs.pressed(stand(springs, np.array([0.0, -cop * force, force])))
        result = press(sole, Wrench.standing(force, cop=(cop, 0.0)))
        for model, U, whole, area in (
            (FEM, pressed_U(result), sole_U(sole), result.contact_area),
            (SPRINGS, on.U, springs.U, float(on.area)),
        ):
            shares = area / springs.region.area, U[2, 2] / whole[2, 2]
            rows.append(Row(model, cop, *shares, directions(U, whole).shares[2]))
    return rows


if __name__ == "__main__":
    rows = main()
    axes = (figure := Figure(figsize=(12, 3.9), layout="constrained")).subplots(1, 3)
    print("model           CoP [mm]    area sinking smallest")
    for r in rows:
        print(f"{r.model:15}{1e3 * r.cop:9.1f}{r.area:8.3f}{r.sinking:8.3f}{r.smallest:9.5f}")
    for k, (what, title) in enumerate(WHAT.items()):
        for model, line in ((FEM, "o"), (SPRINGS, "-")):
            own = [r for r in rows if r.model == model]
            axes[k].plot([1e3 * r.cop for r in own], [r[2 + k] for r in own], line, label=model)
        axes[k].set(xlabel="CoP x [mm]", ylabel=f"{what}, share of whole foot", title=title)
    axes[0].legend(), axes[2].set_yscale("log")
    figure.savefig("foot_stiffness.png", dpi=110)
