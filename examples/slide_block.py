"""How to check friction against a formula: a block slides v^2/(2 mu g) on soft and hard feet."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from contact.ground import Plane
from contact.rigid_bodies import RigidBodies, RigidBody
from contact.step import Body
from sole.condense import condense
from sole.material import Material
from sole.mesh import mesh_shape
from sole.shape import box

MASS, G, INERTIA = 58.0, 9.81, np.array([0.8, 0.9, 0.5])  # kg, m/s^2, kg m^2


@dataclass(frozen=True)
class Slide:
    """One sole (E in Pa, infinite if rigid): distance [m], time to stop [s], friction work [J]."""

    young: float
    way: float
    time: float
    work: float


def main(
    speed: float = 0.5,
    friction: float = 0.5,
    young: tuple[float, ...] = (1e6, 1e7, 1e8),
    dt: float = 1e-3,
    size: float = 0.03,
) -> tuple[list[Slide], float]:
    """Start with `speed` [m/s]; return a row per sole, and the distance of a point mass [m]."""
    rubber = Material(young_modulus=1e6, poisson_ratio=0.4)
    pad = condense(mesh_shape(box(0.23, 0.13, 0.02), size, size), rubber)
    corners = np.array([[x, y, -0.02] for x in (-0.115, 0.115) for y in (-0.065, 0.065)])
    rows = []
    for E in (*young, np.inf):
        sole = pad.scaled(E / 1e6) if np.isfinite(E) else None
        shape = (
            {"points": pad.points, "compliance": sole.compliance} if sole else {"points": corners}
        )
        contact = Body(**shape, eta=2e-3, friction=friction)
        foot = RigidBody(contact=contact, mass=MASS, inertia=INERTIA)
        world = RigidBodies([foot], Plane())
        sunk = MASS * G / float(sole.foot_stiffness[2, 2]) if sole else 0.0
        state = world.at([0, 0, 0.02 - sunk], twists=[speed, 0, 0, 0, 0, 0], inside=True)
        work, stopped = 0.0, 0.0
        while state.time < 2 * speed / (friction * G):
            done = world.step(state, dt)
            state, work = done.state, work + done.contact.energy.friction
            stopped = state.time if state.twists[0] > 1e-3 * speed else stopped
        rows.append(Slide(E, float(state.places[0, 0]), stopped, work))
    return rows, speed**2 / (2 * friction * G)


if __name__ == "__main__":
    rows, exact = main()
    print(f"v^2/(2 mu g) = {1e3 * exact:.2f} mm\nE [MPa]   way [mm]  time [s]  friction [J]")
    for r in rows:
        print(f"{r.young / 1e6:7.0f} {1e3 * r.way:10.2f} {r.time:9.3f} {r.work:13.3f}")
