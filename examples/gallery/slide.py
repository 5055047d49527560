"""A block of 58 kg slides to a stop after v^2/(2 mu g); on a soft pad it swings back a little."""

import numpy as np
from matplotlib.figure import Figure

from contact.ground import Plane
from contact.rigid_bodies import RigidBodies, RigidBody
from contact.step import Body
from sole.base.constants import GRAVITY
from sole.condense import condense
from sole.material import Material
from sole.mesh import mesh_shape
from sole.shape import box

SPEED, MU = 0.5, 0.5  # m/s, 1
rubber = Material(young_modulus=1e6, poisson_ratio=0.4)
pad = condense(mesh_shape(box(0.23, 0.13, 0.02), 0.03, 0.03), rubber, element="p1")
figure = Figure(figsize=(6.4, 4.4), layout="constrained")
axes = figure.add_subplot()
for young in (3e5, 1e6, 1e7):
    sole = pad.scaled(young / 1e6)
    contact = Body.of(sole, eta=2e-3, friction=MU)
    block = RigidBody(contact=contact, mass=58, inertia=np.array([0.8, 0.9, 0.5]))
    world = RigidBodies([block], Plane())
    sunk = 58 * GRAVITY / sole.foot_stiffness[2, 2]
    state = world.at([0, 0, 0.02 - sunk], twists=[SPEED, 0, 0, 0, 0, 0], inside=True)
    way = []
    for _ in range(160):
        state = world.step(state, 1e-3).state
        way.append(1e3 * state.places[0, 0])
    axes.plot(np.arange(160), way, label=f"E = {young / 1e6:g} MPa")
axes.axhline(1e3 * SPEED**2 / (2 * MU * GRAVITY), color="0.5", ls=":", label="v$^2$/(2 mu g)")
axes.set(xlabel="time [ms]", ylabel="way [mm]", title="0.5 m/s, friction 0.5")
axes.legend(loc="lower right")
figure.savefig("slide.png", dpi=100)
