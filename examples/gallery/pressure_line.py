"""Pressure along the middle of a sole: towards nu = 0.5 the edges unload."""

import numpy as np
from matplotlib.figure import Figure

from contact.press import Wrench, press
from sole.condense import condense
from sole.material import Material
from sole.mesh import mesh_shape
from sole.shape import box

mesh = mesh_shape(box(0.24, 0.14, 0.02), 0.012, 0.02)
figure = Figure(figsize=(6.4, 4.4), layout="constrained")
axes = figure.add_subplot()
edges = np.linspace(-0.12, 0.12, 17)
for nu in (0.0, 0.3, 0.45, 0.49):
    sole = condense(mesh, Material(young_modulus=1e6, poisson_ratio=nu))
    pressed = press(sole, Wrench.standing(570))
    x = sole.points[:, 0]
    force = np.histogram(x, edges, weights=pressed.forces[:, 2])[0]
    area = np.histogram(x, edges, weights=sole.areas)[0]
    axes.plot(500 * (edges[1:] + edges[:-1]), force / area / 1e3, "o-", ms=3, label=f"nu = {nu:g}")
axes.axhline(570 / (0.24 * 0.14) / 1e3, color="0.6", ls=":", label="mean")
axes.set(xlabel="x, heel to toe [mm]", ylabel="pressure [kPa]", ylim=0)
axes.set_title("570 N on flat ground, mean over strips of 15 mm")
axes.legend()
figure.savefig("pressure_line.png", dpi=100)
