"""One to four contacts with a full matrix W: `solve` side by side with Pinocchio's solvers.

    python benchmarks/few_contacts.py [--quick]

A block of 58 kg on one to four springs under its corners, in one step of 1 ms: it rests, it is
pushed until it slides, or lifted at one side. W is the motion of the block plus the springs. All
start from forces that are 2 % off. Ours is the whole call of `contact.solvers.solve`, from a
`Problem` that has computed nothing yet to the forces of the certified solution; others as in
`benchmarks/contact_solvers.py`: the solve call alone, in their fastest settings, with W formed,
scaled and in the form that they like. "compiled" is our compiled call alone, which is what those
are: everything that it needs lies ready, its result stays where it writes. "PGS from W" is
Pinocchio's PGS from the matrix to the forces, as ours is: its operator and its result are made,
too. Times are the least of many calls.
"""

from __future__ import annotations

import argparse
import os
import time
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
from peers.run import missing, run_peer
from quick_mode import marked
from threadpoolctl import threadpool_limits

from contact.problem import DenseDelassus, Problem, certify
from contact.solvers import GaussSeidel, solve
from contact.sweeps import few_contacts_kernels
from contact.sweeps.few_contacts import sweep_rule
from contact.sweeps.few_contacts_kernels import ROOM, TOLD
from sole.base.arrays import FloatArray
from sole.base.errors import SoleError
from sole.base.numba_settings import set_up_numba

MASS, SIZE, MU, DT = 58.0, (0.23, 0.13, 0.6), 0.7, 1e-3  # kg, m, -, s
SPRING = 1e6  # N/m under every corner
TARGET = 1e-6
PEERS = ("pinocchio-pgs", "pinocchio-admm")
PUSHES = {"rests": (0.0, 0.0), "slides": (600.0, 0.0), "lifted": (0.0, 90.0)}  # N, N m
CALLS, ROUNDS = 50, 100


class Case(NamedTuple):
    """A problem by its name, and forces (K, 3) to start from."""

    state: str
    problem: Problem
    start: FloatArray


def block(contacts: int, force: float, moment: float) -> Problem:
    """Return the problem of a step of the block on so many of its corners."""
    x, y, z = SIZE
    signs = [(1, 1), (-1, -1), (1, -1), (-1, 1)][:contacts]
    corners = np.array([(a * x / 2, b * y / 2, -z / 2) for a, b in signs])
    inertia = MASS / 12 * np.array([y * y + z * z, x * x + z * z, x * x + y * y])
    J = np.zeros((3 * contacts, 6))
    for k, (a, b, c) in enumerate(corners):
        J[3 * k : 3 * k + 3] = np.c_[np.eye(3), [[0, c, -b], [-c, 0, a], [b, -a, 0]]]
    inverse = np.diag(1.0 / np.r_[MASS, MASS, MASS, inertia])
    W = DT * J @ inverse @ J.T + np.eye(3 * contacts) / (SPRING * DT)
    load = np.array([force, 0.0, -9.81 * MASS, 0.0, moment, 0.0])
    return Problem.dense((W + W.T) / 2, DT * J @ inverse @ load, MU)


def cases(most: int) -> Iterator[Case]:
    """Yield all problems with their starts."""
    rng = np.random.default_rng(5)
    for contacts in range(1, most + 1):
        for state, push in PUSHES.items():
            problem = block(contacts, *push)
            found = solve(problem, tolerance=1e-10, check=True)
            yield Case(
                f"{state}", problem, found.reactions * rng.uniform(0.98, 1.02, (contacts, 3))
            )


def least(case: Case, rounds: int) -> tuple[float, float]:
    """Return the least times of our call and of its compiled part alone [s]."""
    W, q, mu = case.problem.operator.dense(), case.problem.offset, case.problem.friction
    s = GaussSeidel(tolerance=0.9 * TARGET, max_sweeps=25)
    rule = sweep_rule(
        s.relaxation, s.wait, s.max_sweeps, s.tolerance,
        tolerance=TARGET, steepest=1e6, seed=s.seed,
    )  # fmt: skip
    sheet = np.empty((ROOM * len(q) + TOLD, 3))
    whole, compiled = [], []
    for _ in range(rounds):
        fresh = [Problem(DenseDelassus(W), q, mu) for _ in range(CALLS)]
        begun = time.perf_counter()
        for problem in fresh:
            forces = solve(problem, "auto", TARGET, case.start).reactions
        whole.append((time.perf_counter() - begun) / CALLS)
        assert forces.shape == q.shape
        call = few_contacts_kernels.solve_few_at_once
        begun = time.perf_counter()
        for _ in range(CALLS):
            solved = call(W, q, mu, case.start, rule, sheet)
        compiled.append((time.perf_counter() - begun) / CALLS)
        assert solved and (sheet[: len(q)] == forces).all()
    return min(whole), min(compiled)


def peer(name: str, case: Case) -> float:
    """Return the time of another solver [s], infinite where it does not solve the problem."""
    problem = case.problem
    try:
        found = run_peer(
            name, problem.operator.dense(), problem.offset, problem.friction, case.start, TARGET,
            budget=2.0,
        )  # fmt: skip
    except SoleError:
        return np.inf
    met = certify(problem, found.reactions).natural_map <= 1.01 * TARGET
    return found.seconds if met else np.inf


def whole_pgs(case: Case, rounds: int) -> float:
    """Return the least time of Pinocchio's PGS from a scaled W to forces [s], NaN without it."""
    if missing(PEERS[0]):
        return np.nan
    import pinocchio as pin

    problem = case.problem
    W, q, unit = problem.rho * problem.operator.dense(), problem.offset, problem.rho * problem.size
    model, models, datas = pin.Model(), pin.StdVec_ConstraintModel(), pin.StdVec_ConstraintData()
    for friction in problem.friction:
        contact = pin.PointContactConstraintModel(model, 0)
        contact.setFriction(float(friction))
        models.append(pin.ConstraintModel(contact))
        datas.append(models[len(models) - 1].createData())
    settings, solver = pin.PGSSolverSettings(), pin.PGSConstraintSolver()
    settings.absolute_feasibility_tol = settings.relative_feasibility_tol = TARGET
    settings.absolute_complementarity_tol = settings.relative_complementarity_tol = TARGET
    flat, start, times = q.ravel() / problem.size, case.start.ravel() / unit, []
    for _ in range(rounds):
        begun = time.perf_counter()
        for _ in range(CALLS):
            result = pin.PGSSolverResult()
            result.setConstraintImpulseGuess(start)
            solver.solve(pin.DelassusOperatorDense(W), flat, models, datas, settings, result)
            np.array(result.retrieveConstraintImpulses())
        times.append((time.perf_counter() - begun) / CALLS)
    return min(times)


def main(words: Sequence[str] | None = None) -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="one contact, few calls, no peers")
    chosen = parser.parse_args(words)
    with marked(chosen.quick):
        show(chosen.quick)


def show(quick: bool) -> None:
    """Print the table, or if `quick` a part of it."""
    peers = [] if quick else [name for name in PEERS if not missing(name)]
    print(f"us per call, to {TARGET:g}; load {os.getloadavg()[0]:.1f}\n")
    names = [name.removeprefix("pinocchio-").upper() for name in peers]
    head = ["contacts", "block", "sweeps", "ours", "compiled", *names]
    head += ["ours / fastest", "compiled / fastest", "PGS from W", "ours / that"] if peers else []
    print("| " + " | ".join(head) + " |")
    print("|" + "---|" * len(head))
    for case in cases(1 if quick else 4):
        ours, compiled = least(case, 2 if quick else ROUNDS)
        sweeps = solve(case.problem, "auto", TARGET, case.start, check=True).sweeps
        others = [peer(name, case) for name in peers]
        cells = [str(case.problem.contacts), case.state, str(sweeps)]
        cells += [f"{1e6 * s:.1f}" for s in (ours, compiled)]
        cells += [f"{1e6 * s:.1f}" if np.isfinite(s) else "-" for s in others]
        if peers:
            whole = whole_pgs(case, ROUNDS)
            cells += [f"{s / min(others):.1f}" for s in (ours, compiled)]
            cells += [f"{1e6 * whole:.1f}", f"{ours / whole:.1f}"]
        print("| " + " | ".join(cells) + " |", flush=True)


if __name__ == "__main__":
    set_up_numba()
    with threadpool_limits(1):
        main()
