"""How time step and scheme change a rebound: 58 kg drop by 5 mm on an undamped pad."""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt

import numpy as np
from matplotlib.figure import Figure

from contact.ground import Plane
from contact.rigid_bodies import RigidBodies, RigidBody
from contact.step import Body, StepOptions
from sole.condense import condense
from sole.material import Material
from sole.mesh import mesh_shape
from sole.shape import box

MASS, G, DROP = 58.0, 9.81, 0.005  # kg, m/s^2, m
DTS = (1e-3, 2e-4, 5e-5)  # s


@dataclass(frozen=True)
class Drop:
    """A scheme: dt [s], rebound and peak force relative to the exact ones, F [N] per step."""

    theta: float
    dt: float
    rebound: float
    peak: float
    forces: np.ndarray

    def __str__(self) -> str:
        return f"theta = {self.theta:g}, dt = {1e3 * self.dt:g} ms"


def main(young: float = 20e6, dts: tuple[float, ...] = DTS, size: float = 0.03) -> list[Drop]:
    """Drop on a pad of E = `young` [Pa] with theta = 1, 0.55, 0.5 and every dt."""
    rubber = Material(young_modulus=young, poisson_ratio=0.4)
    pad = condense(mesh_shape(box(0.23, 0.13, 0.02), size, size), rubber)
    k, rows = float(pad.foot_stiffness[2, 2]), []
    exact = MASS * G + sqrt((MASS * G) ** 2 + 2 * k * MASS * G * DROP)
    foot = RigidBody(contact=Body.of(pad), mass=MASS, inertia=np.array([0.8, 0.9, 0.5]))
    for theta, dt in [(theta, dt) for dt in dts for theta in (1.0, 0.55, 0.5)]:
        world, force = RigidBodies([foot], Plane(), StepOptions(theta=theta)), [1.0]
        state = world.at([0, 0, pad.thickness], twists=[0, 0, -sqrt(2 * G * DROP), 0, 0, 0])
        while force[-1] > 0:
            state = (done := world.step(state, dt)).state
            force.append(float(done.forces[0, 2]))
        height = state.twists[2] ** 2 / (2 * G) + state.places[0, 2] - pad.thickness
        rows.append(Drop(theta, dt, height / DROP, max(force) / exact, np.array(force[1:])))
        print(f"{rows[-1]}: regains {rows[-1].rebound:.3f} of the height,", end=" ")
        print(f"peak force {rows[-1].peak:.3f} of the exact one", flush=True)
    return rows


if __name__ == "__main__":
    axes = (figure := Figure(figsize=(7, 4), layout="constrained")).add_subplot()
    for r in main():
        t, colour = np.arange(len(r.forces)) + 0.5, {1.0: "C3", 0.55: "C1", 0.5: "C0"}[r.theta]
        style = colour + {1e-3: "o:", 2e-4: ".--"}.get(r.dt, "-")
        axes.plot(1e3 * r.dt * t, r.forces / 1e3, style, label=str(r))
    axes.set(xlabel="time since touch [ms]", ylabel="mean force over a step [kN]", ylim=0)
    axes.legend(fontsize="small")
    figure.savefig("drop_pad.png", dpi=120)
