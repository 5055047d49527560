"""The time step: rebound of an undamped pad, worst gains of energy, cost of a step.

python benchmarks/time_step.py [rebound] [energy] [cost] [--quick]
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Sequence
from math import radians
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tests"))

from box_mesh import box_mesh

from contact.frames import rotation_of
from contact.ground import Box, Bump, CompositeGround, Ground, Plane, Slope, Step
from contact.rigid_bodies import RigidBodies, RigidBody, WorldState
from contact.step import Body, CompliantStep, StepMotion, StepOptions
from contact.swept_step import fast_step
from sole.base.numba_settings import set_up_numba
from sole.condense import CondensedSole, condense
from sole.material import Material

G, MASS, INERTIA = 9.81, 58.0, np.array([0.8, 0.9, 0.5])
GROUNDS: list[Ground] = [
    Plane(),
    Slope(angle=radians(12), heading=radians(20)),
    Step(rise=0.01),
    Bump(rise=0.02, radius=0.05),
    CompositeGround(parts=(Plane(), Box(length=0.1, width=0.1, rise=0.02, x=0.05))),
]
BLOCK = np.array([[x, y, z] for x in (-0.1, 0.1) for y in (-0.05, 0.05) for z in (-0.04, 0.04)])
CELLS = {50: (9, 4, 2), 104: (12, 7, 2), 300: (24, 11, 2)}  # nodes of a foot


def pad(cells: tuple[int, int, int] = (7, 3, 2)) -> CondensedSole:
    """Return a pad 0.23 x 0.13 x 0.02 m, E = 1 MPa, nu = 0.4."""
    mesh = box_mesh(0.23, 0.13, 0.02, cells)
    return condense(mesh, Material(young_modulus=1e6, poisson_ratio=0.4), "p1")


def rebound(quick: bool = False) -> None:
    """58 kg dropped by 5 mm: height regained, peak force over the exact one, sub-steps."""
    schemes: list[tuple[str, dict[str, float]]] = [
        ("theta = 1", {}),
        ("theta = 0.75", {"theta": 0.75}),
        ("theta = 0.55", {"theta": 0.55}),
        ("theta = 0.5", {"theta": 0.5}),
        ("theta = 1, 4 sub-steps", {"substeps": 4}),
        ("theta = 1, error 0.01", {"error": 0.01}),
        ("theta = 0.55, error 0.01", {"theta": 0.55, "error": 0.01}),
    ]
    h = 0.005
    print("| E [MPa] | dt [ms] | scheme | height | peak force | sub-steps |")
    print("|---|---|---|---|---|---|")
    for young in (20e6, 0.3e6):
        sole = pad().scaled(young / 1e6)
        k = float(sole.foot_stiffness[2, 2])
        exact = MASS * G + np.sqrt((MASS * G) ** 2 + 2 * k * MASS * G * h)
        foot = RigidBody(contact=Body.of(sole), mass=MASS, inertia=INERTIA)
        for dt in (1e-3, 2e-4, 5e-5)[: 1 if quick else None]:
            for name, options in schemes:
                world = RigidBodies([foot], Plane(), StepOptions(**options))  # type: ignore[arg-type]
                fall = [0, 0, -np.sqrt(2 * G * h), 0, 0, 0]
                state = world.at(np.array([[0, 0, sole.thickness]]), twists=np.array(fall))
                force, parts = [1.0], []
                while force[-1] > 0:
                    done = world.step(state, dt)
                    state = done.state
                    force.append(float(done.forces[0, 2]))
                    parts.append(done.contact.state.substeps)
                height = state.twists[2] ** 2 / (2 * G) + state.places[0, 2] - sole.thickness
                print(
                    f"| {young / 1e6:g} | {1e3 * dt:g} | {name} | {height / h:.3f} | "
                    f"{max(force) / exact:.3f} | {np.mean(parts):.1f} |",
                    flush=True,
                )


def energy(quick: bool = False) -> None:
    """Worst growth of energy in one step, as a part of all energy, over random throws."""
    throws = 4 if quick else 60
    print("| theta | push-out [m/s] | pads | rigid blocks | throws |")
    print("|---|---|---|---|---|")
    for theta, push in ((1.0, 0.1), (0.75, 0.1), (0.55, 0.1), (0.5, 0.1), (0.5, 0.0)):
        worst = {"pad": -np.inf, "rigid": -np.inf}
        rng = np.random.default_rng(1)
        for k in range(throws):
            kind = "rigid" if k % 4 == 0 else "pad"
            young = float(rng.choice([0.3, 1.0, 30.0, 1e3]))
            eta, com = float(rng.choice([0.0, 2e-3])), np.array([0.01, 0, 0])
            com[2] = rng.choice([0.1, 0.0, -0.3])  # a mass below turns nodes into the ground
            if kind == "pad":
                body = Body.of(small.scaled(young), eta=eta)
            else:
                body = Body(points=BLOCK)
            options = StepOptions(
                theta=theta, push_out=push, tolerance=1e-8, substeps=int(rng.choice([1, 3]))
            )
            foot = RigidBody(contact=body, mass=MASS, inertia=INERTIA, com=com)
            world = RigidBodies([foot], GROUNDS[k % 5], options)
            worst[kind] = max(worst[kind], _gain(world, rng, kind == "rigid"))
        row = " | ".join(f"{worst[kind]:.1e}" for kind in ("pad", "rigid"))
        print(f"| {theta:g} | {push:g} | {row} | {throws} |", flush=True)


small = condense(
    box_mesh(0.20, 0.10, 0.02, (4, 2, 2)), Material(young_modulus=1e6, poisson_ratio=0.4), "p1"
)


def _gain(world: RigidBodies, rng: np.random.Generator, anyhow: bool) -> float:
    """Largest growth of energy in a step over 0.25 s from a throw, over its energy at the start."""
    R = rotation_of((3.0 if anyhow else 0.3) * rng.standard_normal(3))
    v = (3.0 if anyhow else 1.5) * rng.standard_normal(6)
    v[:3] = np.array([0.3 * v[0], 0.3 * v[1], -0.8]) @ R
    dt = float(rng.choice([1e-3, 2e-3, 4e-3]))
    state: WorldState = world.at(np.array([[0, 0, 0.16]]), R[None], v)
    before = world.energy(state)
    first = world.kinetic(state.twists) + MASS * 9.81 * 0.16  # potential from the ground
    worst = -np.inf
    for _ in range(round(0.25 / dt)):
        done = world.step(state, dt)
        worst = max(worst, done.energy - before)
        before, state = done.energy, done.state
    return worst / first


def cost(quick: bool = False) -> None:
    """CPU time of a step of two feet apart from its solver, and of the solver, landing."""
    print("| nodes per foot | step without solver [us] | solver [us] |")
    print("|---|---|---|")
    for m, cells in list(CELLS.items())[: 1 if quick else None]:
        sole = pad(cells)
        stepper = fast_step([Body.of(sole)] * 2, Plane(), StepOptions(sticking=False))
        clock = _Clock(stepper)
        inverse = np.diag([1 / MASS] * 3 + list(1 / INERTIA))
        state, S6, v = stepper.start(), np.kron(np.eye(2), inverse), np.zeros(12)
        p = np.array([[0, 0, 0.0205], [0, 0.3, 0.021]])
        calls = []
        for _ in range(80):
            free = v - np.tile([0, 0, 1e-3 * G, 0, 0, 0], 2)
            motion = StepMotion(v, free, S6, 1e-3)
            calls.append((state, np.tile(np.eye(3), (2, 1, 1)), p, motion))
            done = stepper.step(*calls[-1])
            state, v = done.state, done.twists
            p = p + 1e-3 * done.mean_twists.reshape(2, 6)[:, :3]
        rest, inside = [], []
        for _ in range(10):
            clock.spent, start = 0.0, time.thread_time()
            for call in calls[30:]:
                stepper.step(*call)
            rest.append((time.thread_time() - start - clock.spent) / 50)
            inside.append(clock.spent / 50)
        print(f"| {m} | {1e6 * min(rest):.0f} | {1e6 * min(inside):.0f} |", flush=True)


class _Clock:
    """Adds up the CPU time of a stepper's solver."""

    def __init__(self, stepper: CompliantStep) -> None:
        self.spent, solve = 0.0, stepper.solver.solve

        def timed(*args):  # type: ignore[no-untyped-def]
            start = time.thread_time()
            answer = solve(*args)
            self.spent += time.thread_time() - start
            return answer

        stepper.solver.solve = timed  # type: ignore[method-assign]


def main(words: Sequence[str] | None = None) -> None:
    """Print the chosen tables."""
    tables = {"rebound": rebound, "energy": energy, "cost": cost}
    parser = argparse.ArgumentParser(
        description="The time step, as tables in Markdown.",
        epilog="; ".join(f"{k}: {(f.__doc__ or '').rstrip('.')}" for k, f in tables.items()),
    )
    parser.add_argument(
        "tables", nargs="*", metavar="TABLE", help=f"of {', '.join(tables)} (default: all)"
    )
    parser.add_argument("--quick", action="store_true", help="one dt, four throws, 50 nodes")
    given = parser.parse_args(words)
    chosen = given.tables or list(tables)
    if unknown := [name for name in chosen if name not in tables]:
        parser.error(f"unknown table {unknown[0]}; there are {', '.join(tables)}")
    for name in chosen:
        print(f"\n{name}: {(tables[name].__doc__ or '').strip()}\n")
        tables[name](given.quick)


if __name__ == "__main__":
    set_up_numba()
    main()
