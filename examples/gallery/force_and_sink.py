"""On a stone a sole stiffens as more of it touches: force over sinking."""

import numpy as np
from matplotlib.figure import Figure

from contact.ground import Bump, Plane
from contact.press import Wrench, press
from sole.condense import condense
from sole.material import Material
from sole.mesh import mesh_shape
from sole.shape import box

rubber = Material(young_modulus=1e6, poisson_ratio=0.4)
sole = condense(mesh_shape(box(0.24, 0.14, 0.02), 0.012, 0.03), rubber, element="p1")
forces = np.linspace(10, 600, 16)
figure = Figure(figsize=(6.4, 4.4), layout="constrained")
axes = figure.add_subplot()
for name, ground in (
    ("flat", Plane()),
    ("stone of 2 mm", Bump(rise=0.002, radius=0.06)),
    ("stone of 4 mm", Bump(rise=0.004, radius=0.06)),
):
    sinks = [-press(sole, Wrench.standing(F), ground).motion[2] for F in forces]
    axes.plot(1e3 * (np.array(sinks) - sinks[0]), forces, "o-", ms=3, label=name)
axes.set(xlabel="sinking beyond that at 10 N [mm]", ylabel="force [N]", title="E = 1 MPa", ylim=0)
axes.legend()
figure.savefig("force_and_sink.png", dpi=100)
