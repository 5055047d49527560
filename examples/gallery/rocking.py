"""A foot tilts under a moment, then its edge lifts, then it tips over."""

from contextlib import suppress

import numpy as np
from matplotlib.figure import Figure

from contact.press import Wrench, press
from sole.base.errors import EquilibriumError
from sole.condense import condense
from sole.material import Material
from sole.mesh import mesh_shape
from sole.shape import box

rubber = Material(young_modulus=1e6, poisson_ratio=0.4)
sole = condense(mesh_shape(box(0.24, 0.14, 0.02), 0.015, 0.03), rubber, element="p1")
figure = Figure(figsize=(6.4, 4.4), layout="constrained")
axes = figure.add_subplot()
for young in (3e5, 1e6, 3e6):
    found = []
    with suppress(EquilibriumError):  # beyond the edge there is no state of rest
        for cop in np.linspace(0, 0.119, 25):
            pressed = press(sole.scaled(young / 1e6), Wrench.standing(570, cop=(cop, 0)))
            found.append((np.degrees(pressed.motion[4]), 570 * cop))
    axes.plot(*np.transpose(found), "o-", ms=3, label=f"E = {young / 1e6:g} MPa")
axes.axhline(570 * 0.12, color="0.6", ls=":", label="edge of the foot")
axes.set(xlabel="pitch [deg]", ylabel="moment [N m]", title="570 N, the CoP moves to the toe")
axes.legend()
figure.savefig("rocking.png", dpi=100)
