"""Every node against Coulomb's cone: inside it sticks, on it it slips."""

import numpy as np
from matplotlib.figure import Figure

from contact.press import Wrench, press
from sole.condense import condense
from sole.material import Material
from sole.mesh import mesh_shape
from sole.shape import box

rubber = Material(young_modulus=1e6, poisson_ratio=0.4)
sole = condense(mesh_shape(box(0.24, 0.14, 0.02), 0.012, 0.03), rubber, element="p1")
pressed = press(sole, Wrench.standing(570, cop=(0.04, 0), shear=(200, 0)), friction=0.5)
shear, normal = np.hypot(*pressed.forces[:, :2].T), pressed.forces[:, 2]

figure = Figure(figsize=(6, 4.6), layout="constrained")
axes = figure.add_subplot()
for status, name in ((1, "stick"), (2, "slip")):
    chosen = pressed.status == status
    axes.plot(normal[chosen], shear[chosen], "o", ms=4, label=f"{name}: {chosen.sum()} nodes")
edge = np.array([0, normal.max()])
axes.plot(edge, 0.5 * edge, "k-", lw=1, label="cone: friction 0.5")
axes.set(xlabel="normal force of a node [N]", ylabel="tangential force [N]")
axes.set_title("570 N, 4 cm ahead, pulled by 200 N")
axes.legend()
figure.savefig("cone_and_node.png", dpi=100)
