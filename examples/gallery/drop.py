"""58 kg drop by 5 mm on pads of 1, 3 and 10 MPa, with viscous loss."""

import numpy as np
from matplotlib.figure import Figure

from contact.ground import Plane
from contact.rigid_bodies import RigidBodies, RigidBody
from contact.step import Body, StepOptions
from sole.condense import condense
from sole.material import Material
from sole.mesh import mesh_shape
from sole.shape import box

rubber = Material(young_modulus=1e6, poisson_ratio=0.4)
pad = condense(mesh_shape(box(0.23, 0.13, 0.02), 0.03, 0.03), rubber, element="p1")
figure = Figure(figsize=(6.4, 4.4), layout="constrained")
axes = figure.add_subplot()
dt = 2e-4
for young in (1e6, 3e6, 1e7):
    contact = Body.of(pad.scaled(young / 1e6), eta=1e-3)
    foot = RigidBody(contact=contact, mass=58, inertia=np.array([0.8, 0.9, 0.5]))
    world = RigidBodies([foot], Plane(), StepOptions(theta=0.55))
    state = world.at([0, 0, pad.thickness + 0.005])
    forces = []
    for _ in range(450):
        step = world.step(state, dt)
        state = step.state
        forces.append(step.forces[0, 2] / 1e3)
    axes.plot(1e3 * dt * np.arange(450), forces, label=f"E = {young / 1e6:g} MPa")
axes.set(xlabel="time [ms]", ylabel="force on the foot [kN]", title="a drop of 5 mm", ylim=0)
axes.legend()
figure.savefig("drop.png", dpi=100)
