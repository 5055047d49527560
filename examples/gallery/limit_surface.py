"""What friction carries: shear and yaw of a pressed sole, next to a rigid foot."""

import numpy as np
from matplotlib.figure import Figure

from contact.ground import Bump, Plane
from contact.margins import press_surface
from contact.press import Wrench, press
from sole.condense import condense
from sole.material import Material
from sole.mesh import mesh_shape
from sole.shape import box

rubber = Material(young_modulus=1e6, poisson_ratio=0.4)
sole = condense(mesh_shape(box(0.23, 0.13, 0.02), 0.02, 0.025), rubber, element="p1")
turn = np.linspace(0, 2 * np.pi, 121)
rays = np.stack([np.cos(turn), 0 * turn, 0.065 * np.sin(turn)], axis=1)

figure = Figure(figsize=(6.4, 4.4), layout="constrained")
axes = figure.add_subplot()
for name, young, ground in (
    ("flat, any E", 1e6, Plane()),
    ("stone of 4 mm, 0.3 MPa", 3e5, Bump(rise=0.004, radius=0.06)),
    ("stone of 4 mm, 10 MPa", 1e7, Bump(rise=0.004, radius=0.06)),
):
    pressed = press(sole.scaled(young / 1e6), Wrench.standing(570), ground, friction=0.7)
    edge = press_surface(pressed).boundary(rays)
    axes.plot(edge[:, 0], edge[:, 2], label=name)
axes.set(xlabel="shear f_x [N]", ylabel="yaw torque [N m]", title="570 N, friction 0.7")
axes.legend(loc="lower left")
figure.savefig("limit_surface.png", dpi=100)
