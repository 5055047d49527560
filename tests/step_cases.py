"""Soles, feet and worlds that several tests of the time step share."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from box_mesh import box_mesh

from contact.frames import rotation_of
from contact.ground import Ground, Plane
from contact.rigid_bodies import RigidBodies, RigidBody, WorldState, WorldStep
from contact.step import Body, StepMotion, StepOptions, StepResult
from contact.swept_step import BufferStepResult, fast_step
from sole.condense import CondensedSole, condense
from sole.material import Material

G = 9.81
MASS, INERTIA, COM = 58.0, np.array([0.8, 0.9, 0.5]), np.array([0.0, 0.0, 0.1])
CORNERS = np.array([[x, y, -0.02] for x in (-0.1, 0.1) for y in (-0.05, 0.05)])


@lru_cache
def small_pad() -> CondensedSole:
    """Return a pad 0.20 x 0.10 x 0.02 m of 15 tread vertices, E = 1 MPa, nu = 0.4."""
    mesh = box_mesh(0.20, 0.10, 0.02, (4, 2, 2))
    return condense(mesh, Material(young_modulus=1e6, poisson_ratio=0.4), "p1")


def foot_inverse(mass: float = MASS, inertia=INERTIA, com=COM) -> np.ndarray:
    """(6, 6) inverse inertia about the origin of a free foot."""
    body = RigidBody(contact=Body(points=CORNERS), mass=mass, inertia=inertia, com=com)
    return np.linalg.inv(body.spatial_inertia)


def lifting(mass: float) -> np.ndarray:
    """(6, 6) inverse inertia of a foot guided along z."""
    return np.diag([0.0, 0.0, 1 / mass, 0.0, 0.0, 0.0])


def made_by(result: StepResult) -> str:
    """Return the kind of the details of a step in buffers; "" if it was made the general way."""
    return type(result.details).__name__ if isinstance(result, BufferStepResult) else ""


def is_swept(result: StepResult) -> bool:
    """Return whether one compiled call solved a step by sweeps."""
    return made_by(result) == "SweptDetails"


def is_stuck(result: StepResult) -> bool:
    """Return whether a step was part of a run of sticking."""
    return made_by(result) == "StuckDetails"


class Guided:
    """A foot of given inverse inertia that moves without turning, under gravity."""

    def __init__(
        self,
        body: Body,
        inverse: np.ndarray,
        ground: Ground | None = None,
        gravity: float = G,
        **options,
    ):
        self.stepper = fast_step([body], ground or Plane(), StepOptions(**options))
        self.inverse, self.gravity = inverse, gravity
        self.state, self.place, self.twist = self.stepper.start(), np.zeros(3), np.zeros(6)

    def step(self, dt: float) -> StepResult:
        free = self.twist.copy()
        free[2] -= self.gravity * dt if self.inverse[2, 2] else 0.0
        motion = StepMotion(self.twist, free, self.inverse, dt)
        done = self.stepper.step(self.state, np.eye(3)[None], self.place[None], motion)
        self.state, self.twist = done.state, done.twists
        self.place = self.place + dt * done.mean_twists[:3]
        return done


def world(
    contact: Body, ground: Ground | None = None, gravity=(0.0, 0.0, -G), com=COM, **options
) -> RigidBodies:
    """One foot of 58 kg."""
    body = RigidBody(contact=contact, mass=MASS, inertia=INERTIA, com=com)
    return RigidBodies([body], ground or Plane(), StepOptions(**options), gravity)


def go(scene: RigidBodies, state: WorldState, dt: float, count: int) -> list[WorldStep]:
    """Step on and on."""
    out = []
    for _ in range(count):
        out.append(scene.step(state, dt))
        state = out[-1].state
    return out


def thrown(scene: RigidBodies, rng: np.random.Generator, tilt: float, speed: float) -> WorldState:
    """Return one foot above the ground, anyhow turned and moving."""
    R = rotation_of(tilt * rng.standard_normal(3))
    v = speed * rng.standard_normal(6)
    v[:3] = np.array([0.3 * v[0], 0.3 * v[1], -0.8]) @ R  # downwards
    return scene.at(np.array([[0.0, 0.0, 0.13]]), R[None], v)
