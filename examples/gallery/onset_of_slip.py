"""Slip begins long before the foot slides: shares of the tread as shear grows."""

import numpy as np
from matplotlib.figure import Figure

from contact.press import Wrench, press
from sole.condense import condense
from sole.material import Material
from sole.mesh import mesh_shape
from sole.shape import box

rubber = Material(young_modulus=1e6, poisson_ratio=0.4)
sole = condense(mesh_shape(box(0.24, 0.14, 0.02), 0.012, 0.03), rubber, element="p1")
shears = np.linspace(0, 0.97 * 0.7 * 570, 18)
shares = []
for shear in shears:
    pressed = press(sole, Wrench.standing(570, shear=(shear, 0)), friction=0.7)
    area = [sole.areas[pressed.status == k].sum() / sole.areas.sum() for k in (1, 2, 0)]
    shares.append(area)

figure = Figure(figsize=(6.4, 4.4), layout="constrained")
axes = figure.add_subplot()
colours = ("#4477aa", "#ee7733", "#dddddd")
axes.stackplot(
    shears, 100 * np.transpose(shares), labels=("sticks", "slips", "open"), colors=colours
)
axes.axvline(0.7 * 570, color="k", ls=":", label="the foot slides")
axes.set(xlabel="shear [N]", ylabel="share of the tread [%]", ylim=(0, 100), xlim=(0, 410))
axes.set_title("570 N, friction 0.7, E = 1 MPa")
axes.legend(loc="center left")
figure.savefig("onset_of_slip.png", dpi=100)
