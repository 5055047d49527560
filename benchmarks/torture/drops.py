"""Random drops of blocks on pads, judged from the outside.

    python benchmarks/torture/drops.py [NUMBER] [SEED]

Every drop has a pad, E, nu, eta, dt, theta, mu, mass, ground, speed and turn of its own, at the
solver's usual tolerance. It falls, hits and slides for some steps. `torture.laws` states what must
hold in every step; poses, depths and cones are recomputed from the states alone.
"""

from __future__ import annotations

import sys
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).parents[1]))

from contact.frames import rotation_of
from contact.ground import (
    Box,
    Bump,
    CompositeGround,
    Gravel,
    Ground,
    Plane,
    Slope,
    Stairs,
    Step,
    parse_ground,
)
from contact.rigid_bodies import RigidBodies, RigidBody, WorldState, WorldStep
from contact.step import Body, StepOptions
from sole.base.arrays import FloatArray
from sole.base.errors import SoleError
from sole.base.numba_settings import set_up_numba
from sole.condense import STRAIN_LIMIT, CondensedSole, condense, deformation_of, describe_excess
from sole.material import Material
from sole.mesh import mesh_shape
from sole.shape import box
from torture.laws import bounds_of, cone_excess, natural_map
from torture.tally import Tally, numbers_of, print_table

NUMBER, SEED = 1000, 1
STEPS = 60
TOLERANCE = 1e-6  # of the solver, as in `StepOptions`
TWICE = 2.0  # of it: what the solver's fallback accepts
ROUND_OFF = 1e-12  # of the energies that are added up
MISSED = 1e-12  # m: depth from which an excluded contact counts as missed
REACH = 0.05  # m: what a node sees besides the nearest surface
DENSE = 7  # every so many steps W is formed


class Drop(NamedTuple):
    """One random drop: its world, start, dt and thickness of the pad."""

    name: str
    world: RigidBodies
    start: WorldState
    dt: float
    pad: CondensedSole
    mu: float


@lru_cache
def pad_of(thickness: float, nu: float) -> CondensedSole:
    """Return a pad 0.2 x 0.1 m of E = 1 MPa with few nodes."""
    mesh = mesh_shape(box(0.2, 0.1, thickness), size_tread=0.045, size_bond=0.05)
    return condense(mesh, Material(young_modulus=1e6, poisson_ratio=nu), "p1")


def ground_of(rng: np.random.Generator) -> Ground:
    """Return a random ground near the origin, no higher than 5 cm."""
    turn = float(rng.uniform(-np.pi, np.pi))
    grounds: tuple[Ground, ...] = (
        Plane(),
        Slope(angle=float(rng.uniform(0, 0.5)), heading=turn),
        Step(rise=float(rng.uniform(0.001, 0.04))),
        Bump(rise=float(rng.uniform(0.005, 0.04)), radius=float(rng.uniform(0.05, 0.5))),
        parse_ground(f"bar:{rng.uniform(0.002, 0.03):.4f},{rng.uniform(0.03, 0.1):.4f}"),
        Stairs(run=0.08, rise=float(rng.uniform(0.005, 0.02)), count=3, x=-0.08, heading=turn),
        Gravel(
            count=150, rise=0.02, radius=0.02, length=0.4, width=0.4, seed=int(rng.integers(99))
        ),
        Gravel(
            count=400, rise=0.03, radius=0.03, length=0.4, width=0.4, seed=int(rng.integers(99))
        ),
        CompositeGround(
            parts=(
                Plane(),
                Box(length=0.1, width=0.3, rise=0.02, x=0.06, yaw=turn),
                Box(length=0.3, width=0.1, rise=0.03, y=0.06, yaw=turn),
            )
        ),
    )
    return grounds[int(rng.integers(len(grounds)))]


def drop_of(case: int, seed: int) -> Drop:
    """Return drop number `case`; the same numbers give the same drop."""
    rng = np.random.default_rng([seed, case])
    pad = pad_of(float(rng.choice([0.01, 0.02, 0.04])), float(rng.choice([0.0, 0.3, 0.45])))
    young, mass = 10 ** rng.uniform(4.5, 8), 10 ** rng.uniform(0, 1.8)
    mu = float(rng.choice([0.0, 0.1, 0.4, 0.8, 1.5]))
    eta = float(rng.choice([0.0, 0.0, 1e-3, 1e-2]))
    body = RigidBody(
        contact=Body.of(pad.scaled(young / 1e6), eta=eta, friction=mu),
        mass=mass,
        inertia=mass * rng.uniform(2e-3, 2e-2, 3) + mass * 1e-2,
        com=rng.uniform(-0.03, 0.03, 3) + np.array([0.0, 0.0, rng.uniform(-0.1, 0.3)]),
    )
    ground = ground_of(rng)
    options = StepOptions(theta=float(rng.choice([1.0, 1.0, 0.6, 0.5])), tolerance=TOLERANCE)
    world = RigidBodies([body], ground, options)
    R = rotation_of(rng.choice([0.0, 0.1, 0.5]) * rng.standard_normal(3))
    v = rng.uniform(0, 3) * rng.standard_normal(6)
    v[:3] = (np.array([v[0], v[1], -rng.uniform(0, 2)])) @ R
    local = pad.points @ R.T
    top = ground.height(local[:, 0], local[:, 1])
    rise = float((top - local[:, 2]).max())
    for lift in np.linspace(1e-3, 0.3, 300):  # slopes and stones beside the nodes
        place = np.array([[0.0, 0.0, rise + lift]])
        if ground.query(local + place).gap[:, 0].min() > 1e-4:
            break
    name = f"drop {case}: {ground.kind}, E {young:.3g} Pa, mu {mu:g}, theta {options.theta:g}"
    dt = float(10 ** rng.uniform(-3.7, -2.3))
    return Drop(f"{name}, dt {dt:.3g} s", world, world.at(place, R[None], v), dt, pad, mu)


def nodes_of(drop: Drop, state: WorldState) -> FloatArray:
    """Return the deformed nodes (M, 3) in the world."""
    local = drop.pad.points + state.soles.displacement
    return np.asarray(local @ state.rotations[0].T + state.places[0])


def judge(drop: Drop, tally: Tally, steps: int = STEPS) -> None:
    """Run a drop and check every step."""
    state, dt, ground = drop.start, drop.dt, drop.world.ground
    energy, before, com = drop.world.energy(state), 0.0, drop.world.bodies[0].com
    allowed = np.zeros(len(drop.pad.points))  # depth of every node
    for k in range(steps):
        done = drop.world.step(state, dt)
        where, bound = f"{drop.name}, step {k}", bounds_of(done.contact, dt)
        finite = bool(np.isfinite(done.energy) and np.isfinite(done.state.soles.displacement).all())
        tally.holds("finite", finite, where)
        if not finite:
            return
        _judge_solution(done, tally, where, dense=k % DENSE == 0)
        size = abs(done.kinetic) + abs(done.potential) + done.state.soles.elastic_energy
        limit = bound.energy + 2 * before + ROUND_OFF * size
        tally.check("energy gained", done.energy - energy, limit, where)
        energy, before = done.energy, bound.energy
        limit = bound.friction + ROUND_OFF * size
        tally.check("friction work", done.contact.energy.friction, limit, where)
        forces = done.contact.state.forces @ done.rotations[0].T
        normals = done.contact.frame.near.normals
        limit = bound.force + ROUND_OFF * float(np.abs(forces).max(initial=1.0))
        tally.check("cone", cone_excess(forces, normals, drop.mu), limit, where)
        # The depth of every node, from the poses, against what turning the foot explains.
        phi = dt * float(np.linalg.norm(done.contact.mean_twists[3:]))
        arm = np.linalg.norm(drop.pad.points + state.soles.displacement - com, axis=1)
        moved = np.linalg.norm(done.state.soles.displacement - state.soles.displacement, axis=1)
        allowed = allowed + phi**2 / 2 * arm + phi * moved + bound.gap + MISSED
        x = nodes_of(drop, done.state)
        gap = ground.query(x).gap[:, 0]
        # A node that moves beyond what it saw may enter a piece that it did not see.
        way = np.linalg.norm(x - nodes_of(drop, state), axis=1)
        blind = way > np.minimum(done.contact.gaps[:, -1], REACH)
        allowed = np.where(blind, np.maximum(allowed, -gap), allowed)
        worst = int(np.argmax(np.where(blind, 0.0, -gap / allowed)))
        tally.check("depth", -float(gap[worst]), float(allowed[worst]), where)
        allowed = np.minimum(allowed, np.maximum(-gap, 0.0))
        state = done.state
        thick, U = drop.pad.thickness, state.soles.displacement
        beyond = float(np.linalg.norm(U, axis=1).max()) > STRAIN_LIMIT * thick
        told = bool(describe_excess(deformation_of(U, thick)))
        tally.holds("flag of large deformations", beyond == told, where)


def _judge_solution(done: WorldStep, tally: Tally, where: str, *, dense: bool) -> None:
    for s in done.contact.solutions:
        tally.check("residual of solved steps", s.certificate.worst if s.solved else 0.0,
                    TWICE * TOLERANCE, where)  # fmt: skip
        if dense:
            # Products of a dense W lose |W| |r| eps beside |q|.
            found, said = natural_map(s), s.certificate.worst
            tally.check("residual recomputed", found, 1.01 * said + 1e-9, where)


def main(number: int = NUMBER, seed: int = SEED, steps: int = STEPS) -> list[dict[str, Any]]:
    """Judge `number` drops; return a row per law: part, kind, tried, failed, worst."""
    return run(number, seed, steps).rows


def run(number: int, seed: int, steps: int = STEPS) -> Tally:
    """Return the whole tally of `number` drops."""
    tally = Tally("drops")
    for case in range(number):
        try:
            drop = drop_of(case, seed)
            judge(drop, tally, steps)
            fine = True
        except SoleError as error:
            tally.failures.append(f"drop {case}: {type(error).__name__}: {error}")
            fine = False
        tally.holds("no exception", fine, f"drop {case}")
    return tally


if __name__ == "__main__":
    set_up_numba()
    tally = run(*numbers_of(sys.argv[1:], NUMBER, SEED))
    print_table(tally.rows, tally.failures)
    sys.exit(1 if tally.failures else 0)
